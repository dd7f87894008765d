"""Survey equivalence from its definitions, one subset of raters after the other; nothing shared with the library.

An item is a list of labels 0, 1, ..., one per rater. Probabilities are fractions, so that nothing is lost before the
logarithm; a weight is how often an item was drawn.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import log2, nan

ONE = Fraction(1)


def plurality(labels, n_labels):
    """All on the most frequent label, shared equally among those that tie; uniform where there is no label."""
    counts = [labels.count(label) for label in range(n_labels)]
    top = [label for label in range(n_labels) if counts[label] == max(counts)]
    return [Fraction(label in top) / len(top) for label in range(n_labels)]


def references_of(labels, asked, r, n_labels):
    """How the plurality of r of the raters who were not asked answers, every r-subset of them equally likely."""
    left = [i for i in range(len(labels)) if i not in asked]
    panels = list(combinations(left, r))
    votes = [plurality([labels[i] for i in panel], n_labels) for panel in panels]
    return [sum(vote[label] for vote in votes) / len(panels) for label in range(n_labels)]


@cache
def chance_of(labels, survey, r, n_labels):
    """Probability that raters asked in a random order give just this survey and the reference then gives each label."""
    k = len(survey)
    orders = list(permutations(range(len(labels)), k))
    matching = [asked for asked in orders if tuple(labels[i] for i in asked) == survey]
    answers = [references_of(labels, asked, r, n_labels) for asked in matching]
    return [sum((answer[label] for answer in answers), Fraction(0)) / len(orders) for label in range(n_labels)]


def normalised(sums):
    total = sum(sums)
    return [s / total for s in sums] if total else [ONE / len(sums)] * len(sums)


def abc(survey, teachers, r, n_labels):
    """What followed the survey on the teachers, (labels, weight) each, that have enough raters for it."""
    sums = [Fraction(0)] * n_labels
    for labels, weight in teachers:
        if len(labels) >= len(survey) + r:
            chance = chance_of(tuple(labels), tuple(survey), r, n_labels)
            sums = [s + weight * c for s, c in zip(sums, chance, strict=True)]
    return normalised(sums)


def abc_from(select):
    """The Anonymous Bayesian Combiner; `select(i, j)` is whether item j teaches what to predict for item i."""

    def combine(survey, i, items, weights, r, n_labels):
        pairs = enumerate(zip(items, weights, strict=True))
        return abc(survey, [pair for j, pair in pairs if select(i, j)], r, n_labels)

    combine.is_learned = True
    return combine


leave_one_out = abc_from(lambda i, j: i != j)
in_sample = abc_from(lambda _i, _j: True)


def dirichlet(items, n_labels):
    """Parameters with the shares of the labels and the agreement of pairs that the items have."""
    shares = [sum(labels.count(k) / len(labels) for labels in items) / len(items) for k in range(n_labels)]
    pairs = [list(permutations(labels, 2)) for labels in items if len(labels) > 1]
    agreement = sum(sum(a == b for a, b in own) / len(own) for own in pairs) / max(len(pairs), 1)
    excess = agreement - sum(share**2 for share in shares)
    total = (1 - agreement) / excess if excess > (1 - agreement) / 1e6 else 1e6
    return [max(total, 1e-3) * max(share, 1e-12) for share in shares]


def smoothed(select, alpha, *, items_added=0.5):
    """The combiner with half an item of a Dirichlet distribution added to what it learns from."""

    def combine(survey, i, items, weights, r, n_labels):
        sums = [0.0] * n_labels
        for j, (labels, weight) in enumerate(zip(items, weights, strict=True)):
            if select(i, j) and len(labels) >= len(survey) + r:
                chance = chance_of(tuple(labels), tuple(survey), r, n_labels)
                sums = [s + float(weight * c) for s, c in zip(sums, chance, strict=True)]
        orders = len(set(permutations(survey)))
        size = len(survey) + sum(alpha)
        added = [items_added * (list(survey).count(k) + alpha[k]) / size / orders for k in range(n_labels)]
        return normalised([s + more for s, more in zip(sums, added, strict=True)])

    return combine


def with_nobody_constant(combiner, k):
    """The combiner of a hard score: with nobody asked the most frequent label is the same for all items."""
    return in_sample if k == 0 and getattr(combiner, "is_learned", False) else combiner


def cross_fit(fold):
    return abc_from(lambda i, j: fold[i] != fold[j])


def frequency(survey, _i, _items, _weights, _r, n_labels):
    if not survey:
        return [ONE / n_labels] * n_labels
    return [Fraction(survey.count(label), len(survey)) for label in range(n_labels)]


def frequency_with_prior(survey, i, items, weights, r, n_labels):
    combine = frequency if survey else in_sample
    return combine(survey, i, items, weights, r, n_labels)


def majority(survey, _i, _items, _weights, _r, n_labels):
    return plurality(survey, n_labels)


def cross_entropy(prediction, label, clip=0.02):
    inside = [min(max(float(p), clip), 1 - clip) for p in prediction]
    return log2(inside[label] / sum(inside))


def agreement(prediction, label):
    """1 for the most likely label, in equal parts where several tie."""
    return float(prediction[label] == max(prediction)) / sum(p == max(prediction) for p in prediction)


def rps(prediction, label):
    """Minus the mean over cuts of the squared error of the chance to lie at or below the cut."""
    cuts = range(len(prediction) - 1)
    return -float(sum((sum(prediction[: c + 1]) - (label <= c)) ** 2 for c in cuts)) / len(cuts)


def brier(prediction, label):
    return -float(sum((p - (m == label)) ** 2 for m, p in enumerate(prediction)))


def joint_rows(items, k, combiner, n_labels, *, weights=None, r=1):
    """Every (item, prediction, label of the reference, probability), all subsets of k raters equally likely.

    The probabilities of an item sum to its weight.
    """
    weights = weights or [1] * len(items)
    for i, (labels, weight) in enumerate(zip(items, weights, strict=True)):
        if weight == 0 or len(labels) < k + r:
            continue
        subsets = list(combinations(range(len(labels)), k))
        for asked in subsets:
            prediction = combiner([labels[j] for j in asked], i, items, weights, r, n_labels)
            reference = references_of(labels, asked, r, n_labels)
            for label, chance in enumerate(reference):
                if chance:
                    yield i, prediction, label, weight * chance / len(subsets)


def power(items, k, combiner, score, n_labels, *, weights=None, r=1):
    """c_k of an additive score: the mean over items of the mean over subsets of raters and references."""
    combiner = with_nobody_constant(combiner, k) if score is agreement else combiner
    rows = list(joint_rows(items, k, combiner, n_labels, weights=weights, r=r))
    total = sum(chance for *_, chance in rows)
    return sum(float(chance) * score(q, label) for _, q, label, chance in rows) / float(total) if rows else nan


def judge_rows(predictions, items, n_labels, *, weights=None, r=1):
    """Every (item, prediction, label of the reference, probability) for a judge."""
    weights = weights or [1] * len(items)
    for i, (labels, weight) in enumerate(zip(items, weights, strict=True)):
        if weight and len(labels) >= r:
            for label, chance in enumerate(references_of(labels, (), r, n_labels)):
                if chance:
                    yield i, predictions[i], label, weight * chance


def judge_score(predictions, items, score, n_labels, *, weights=None, r=1):
    """Mean over items of the mean over references."""
    rows = list(judge_rows(predictions, items, n_labels, weights=weights, r=r))
    total = sum(chance for *_, chance in rows)
    return sum(float(chance) * score(p, label) for _, p, label, chance in rows) / float(total) if rows else nan


def judge_score_by_rater(predictions, columns, score):
    """Algorithm 1: the mean over raters of the mean over the items that the rater rated; columns of {item: label}."""
    means = [sum(score(predictions[i], label) for i, label in c.items()) / len(c) for c in columns if c]
    return sum(means) / len(means)


def amateur_power(experts, amateurs, k, combine, score, n_labels):
    """c_k of surveys of k amateurs scored against a random expert; `combine(survey, teachers)` gives the prediction.

    Teachers are (amateurs' labels, experts' shares) of the other items.
    """
    shares = [[Fraction(e.count(label), len(e)) for label in range(n_labels)] for e in experts]
    known = [i for i in range(len(experts)) if len(amateurs[i]) >= k]
    means = []
    for i in known:
        subsets = list(combinations(range(len(amateurs[i])), k))
        is_constant = score is agreement and k == 0
        others = [(amateurs[j], shares[j]) for j in known if j != i or is_constant]
        scored = []
        for asked in subsets:
            prediction = combine([amateurs[i][j] for j in asked], others)
            scored.append(sum(float(s) * score(prediction, label) for label, s in enumerate(shares[i])))
        means.append(sum(scored) / len(scored))
    return sum(means) / len(means) if means else nan


def abc_of_amateurs(survey, teachers, n_labels):
    """What experts said of items on which amateurs gave this survey."""
    sums = [Fraction(0)] * n_labels
    for labels, shares in teachers:
        orders = list(permutations(labels, len(survey)))
        match = Fraction(sum(order == tuple(survey) for order in orders), len(orders))
        sums = [s + match * share for s, share in zip(sums, shares, strict=True)]
    return normalised(sums)


def crossing(curve, score):
    """Algorithm 4 with the leftmost crossing: a number, "below 0" or "above K"."""
    if score < curve[0]:
        return "below 0"
    if score == curve[0]:
        return 0.0
    for k in range(1, len(curve)):
        if curve[k] >= score:
            return k - 1 + (score - curve[k - 1]) / (curve[k] - curve[k - 1])
    return "above K"


def as_integer_rows(rows):
    """Rows (item, prediction, label, probability) as (prediction, label), each as often as its probability asks."""
    rows = list(rows)
    whole = 1
    for *_, chance in rows:
        whole = whole * chance.denominator // _gcd(whole, chance.denominator)
    return [(q, label) for _, q, label, chance in rows for _ in range(int(chance * whole))]


def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def split_ties(rows):
    """Rows with the prediction replaced by its most likely label, in equal parts where several tie."""
    for i, q, label, chance in rows:
        top = [m for m, p in enumerate(q) if p == max(q)]
        for m in top:
            yield i, m, label, Fraction(chance) / len(top)


def auc(rows, label):
    """Share of pairs, one with the label and one without, in which the first is predicted higher; ties count half."""
    given = [q[label] for q, given in rows if given == label]
    rest = [q[label] for q, given in rows if given != label]
    wins = sum(Fraction(a > b) + Fraction(a == b) / 2 for a in given for b in rest)
    return float(wins / (len(given) * len(rest))) if given and rest else nan


def mean_auc(rows, n_labels):
    """The mean over labels for which it is defined."""
    each = [value for value in (auc(rows, label) for label in range(n_labels)) if value == value]  # noqa: PLR0124 - NaN
    return sum(each) / len(each) if each else nan


def hits(rows, label):
    """True positives, predicted and given of one label; rows of (predicted label, given label)."""
    both = sum(p == given == label for p, given in rows)
    return both, sum(p == label for p, _ in rows), sum(given == label for _, given in rows)


def precision(rows, label):
    both, predicted, _ = hits(rows, label)
    return both / predicted if predicted else nan


def recall(rows, label):
    both, _, given = hits(rows, label)
    return both / given if given else nan


def f1(rows, label):
    both, predicted, given = hits(rows, label)
    return 2 * both / (predicted + given) if predicted + given else nan


def macro(score, rows, n_labels):
    """The mean over labels that were predicted or given; one that has no score of its own counts 0."""
    present = [label for label in range(n_labels) if any(hits(rows, label)[1:])]
    each = [score(rows, label) for label in present]
    return sum(0 if value != value else value for value in each) / len(each)  # noqa: PLR0124 - NaN


def dmi(rows, n_labels):
    """|det M| of the soft joint frequencies of prediction and label (Definition 1 and footnote 8), by permutations."""
    total = sum(chance for *_, chance in rows)
    matrix = [[Fraction(0)] * n_labels for _ in range(n_labels)]
    for _, q, label, chance in rows:
        for m, p in enumerate(q):
            matrix[m][label] += chance * Fraction(p) / total
    determinant = Fraction(0)
    for order in permutations(range(n_labels)):
        inversions = sum(order[a] > order[b] for a, b in combinations(range(n_labels), 2))
        product = ONE
        for row, column in enumerate(order):
            product *= matrix[row][column]
        determinant += product if inversions % 2 == 0 else -product
    return float(abs(determinant))


def mid_ranks(values):
    """1 for the lowest; equal values share the mean of their ranks."""
    return [sum(w < v for w in values) + (sum(w == v for w in values) + 1) / 2 for v in values]


def pearson(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    spread = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return float(covariance) / float(spread) ** 0.5 if spread else nan


def spearman(x, y):
    return pearson(mid_ranks(x), mid_ranks(y))
