"""Coefficients of agreement from their definitions, rating by rating; nothing shared with the library."""

from itertools import permutations
from math import nan


def pairs_of(items):
    """Every ordered pair of ratings of the same item, with the weight 1 / (m - 1) that Krippendorff gives it."""
    for labels in items:
        if len(labels) >= 2:
            for a, b in permutations(labels, 2):
                yield a, b, 1 / (len(labels) - 1)


def alpha(items, distance):
    """1 - D_o / D_e, both sums over pairs of ratings."""
    used = [label for labels in items if len(labels) >= 2 for label in labels]
    n = len(used)
    if n == 0:
        return nan
    observed = sum(weight * distance(a, b) for a, b, weight in pairs_of(items)) / n
    expected = sum(distance(a, b) for a, b in permutations(used, 2)) / (n * (n - 1))
    return 1 - observed / expected if expected else nan


def nominal(a, b):
    return float(a != b)


def interval(values):
    return lambda a, b: (values[a] - values[b]) ** 2


def ordinal(items):
    """Krippendorff's ordinal distance: the ratings between two labels, the ends counting half, squared."""
    used = [label for labels in items if len(labels) >= 2 for label in labels]

    def distance(a, b):
        low, high = min(a, b), max(a, b)
        between = sum(low <= label <= high for label in used)
        return (between - (used.count(a) + used.count(b)) / 2) ** 2

    return distance


def jaccard(sets):
    return lambda a, b: 1 - len(sets[a] & sets[b]) / len(sets[a] | sets[b])


def masi(sets):
    def distance(a, b):
        a, b = sets[a], sets[b]
        if a == b:
            monotonicity = 1
        elif a <= b or b <= a:
            monotonicity = 2 / 3
        elif a & b:
            monotonicity = 1 / 3
        else:
            monotonicity = 0
        return 1 - len(a & b) / len(a | b) * monotonicity

    return distance


def pairwise_agreement(items):
    shares = []
    for labels in items:
        if len(labels) >= 2:
            pairs = list(permutations(labels, 2))
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    return sum(shares) / len(shares) if shares else nan


def weighted_agreement(items, weight):
    shares = []
    for labels in items:
        if len(labels) >= 2:
            pairs = list(permutations(labels, 2))
            shares.append(sum(weight(a, b) for a, b in pairs) / len(pairs))
    return sum(shares) / len(shares) if shares else nan


def mean_shares(items, q):
    rated = [labels for labels in items if labels]
    return [sum(labels.count(c) / len(labels) for labels in rated) / len(rated) for c in range(q)]


def fleiss(items, q):
    by_chance = sum(p**2 for p in mean_shares(items, q))
    used = {label for labels in items for label in labels}
    return (pairwise_agreement(items) - by_chance) / (1 - by_chance) if len(used) > 1 else nan


def gwet(items, q, weight=lambda a, b: float(a == b)):
    total = sum(weight(a, b) for a in range(q) for b in range(q))
    by_chance = total / (q * (q - 1)) * sum(p * (1 - p) for p in mean_shares(items, q))
    observed = weighted_agreement(items, weight)
    return (observed - by_chance) / (1 - by_chance)


def ordinal_weight(q):
    def weight(a, b):
        steps = abs(a - b) + 1
        return 1 - (steps * (steps - 1) / 2) / (q * (q - 1) / 2) if a != b else 1.0

    return weight


def power_weight(values, power):
    spread = max(values) - min(values)
    return lambda a, b: 1 - (abs(values[a] - values[b]) / spread) ** power
