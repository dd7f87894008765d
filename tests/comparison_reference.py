"""Plain-Python twins of the comparison of judges: one item at a time, no arrays."""

import itertools
import math
from fractions import Fraction


def mean(values):
    return sum(values) / len(values)


def absolute_error(judge, people):
    return abs(mean(judge) - mean(people))


def mae(judges, people):
    return mean([absolute_error(j, g) for j, g in zip(judges, people, strict=True)])


def rmse(judges, people):
    return math.sqrt(mean([absolute_error(j, g) ** 2 for j, g in zip(judges, people, strict=True)]))


def share_of_wins(a, b, people, error):
    """Share of the items on which A errs less, ties half; errors must be exact for ties to be found."""
    won = []
    for own, other, given in zip(a, b, people, strict=True):
        first, second = error(own, given), error(other, given)
        won.append(1 if first < second else 0.5 if first == second else 0)
    return mean(won)


def earth_movers_distance(judge, people):
    """Area between the distribution functions of two lists."""
    points = sorted({*judge, *people})
    area = 0.0
    for low, high in itertools.pairwise(points):
        below = [mean([value <= low for value in side]) for side in (judge, people)]
        area += abs(below[0] - below[1]) * (high - low)
    return area


def binned_distance(judge, people, *, bins, low, high):
    """What the authors' tool does: counts of bins, sorted, mean absolute difference; both sides equally long."""
    edges = [low + (high - low) * k / bins for k in range(bins + 1)]

    def counts(values):
        found = [0] * bins
        for value in values:
            for k in range(bins):
                is_last = k == bins - 1
                if edges[k] <= value < edges[k + 1] or (is_last and value == high):
                    found[k] += 1
        return sorted(found)

    return mean([abs(x - y) for x, y in zip(counts(judge), counts(people), strict=True)])


def shares(answers, labels):
    return [Fraction(sum(answer == label for answer in answers), len(answers)) for label in labels]


def total_variation(judge, people, labels):
    return sum(abs(x - y) for x, y in zip(shares(judge, labels), shares(people, labels), strict=True)) / 2


def accuracy(judge, people, labels):
    own, given = shares(judge, labels), shares(people, labels)
    top = [k for k, share in enumerate(own) if share == max(own)]
    return mean([float(given[k]) for k in top])


def cross_entropy(judge, people, labels, *, clip):
    inside = [min(max(float(share), clip), 1 - clip) for share in shares(judge, labels)]
    given = shares(people, labels)
    return -sum(float(g) * math.log2(p / sum(inside)) for g, p in zip(given, inside, strict=True))


def sign_flip_p_value(gaps):
    """Share of all ways to turn the signs of the gaps whose sum is at least as far from 0; gaps are whole numbers."""
    observed = abs(sum(gaps))
    sums = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(gaps))
    ]
    return mean([value >= observed for value in sums])


def all_deals(a, b):
    """Every way to deal out the responses of both judges to an item, each judge keeping its number."""
    pooled = [*a, *b]
    for chosen in itertools.combinations(range(len(pooled)), len(a)):
        rest = [pooled[k] for k in range(len(pooled)) if k not in chosen]
        yield [pooled[k] for k in chosen], rest


def response_permutation_differences(a, b, statistic):
    """Statistic of every way to deal out all items' responses."""
    every = itertools.product(*(list(all_deals(x, y)) for x, y in zip(a, b, strict=True)))
    return [statistic([x for x, _ in deals], [y for _, y in deals]) for deals in every]


def holm(p_values):
    """By the definition: step through the p-values from the smallest."""
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for step, k in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[k]))
        adjusted[k] = largest
    return adjusted
