"""Definitions of a judge's performance from their formulas, item by item; nothing shared with the library.

An answer is (kind, options): ("choice", {2}) or ("set", {0, 2}). What people or a judge said of an item is a list of
answers. Shares are fractions, so that ties and thresholds are exact.
"""

from fractions import Fraction
from math import log, nan

CLIP = 1e-10


def soft(answers, k):
    """Shares of the choices; where there are none, each set in equal parts for its options."""
    choices = [options for kind, options in answers if kind == "choice"]
    given = choices or [options for kind, options in answers if kind == "set"]
    return [sum(Fraction(o in options, len(options)) for options in given) / len(given) for o in range(k)]


def marginals(answers, k):
    """Shares of the sets that have each option; where there are none, of the choices."""
    sets = [options for kind, options in answers if kind == "set"]
    given = sets or [options for _, options in answers]
    return [Fraction(sum(o in options for options in given), len(given)) for o in range(k)]


def share_meeting(answers, positive):
    """Share of the sets (else of the choices) with a positive option."""
    sets = [options for kind, options in answers if kind == "set"]
    given = sets or [options for _, options in answers]
    return Fraction(sum(bool(options & positive) for options in given), len(given))


def mode(shares):
    return shares.index(max(shares))


def is_tied(shares):
    return shares.count(max(shares)) > 1


def aggregated(answers, how, k, tau):
    if how == "soft":
        return soft(answers, k)
    if how == "soft_response_set":
        return marginals(answers, k)
    if how == "hard":
        top = mode(soft(answers, k))
        return [Fraction(o == top) for o in range(k)]
    return [Fraction(share >= Fraction(str(tau))) for share in marginals(answers, k)]


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else nan


# Each takes two lists of vectors, the judge's and people's, one vector per item.


def hit_rate(judge, people):
    return mean(mode(j) == mode(h) for j, h in zip(judge, people, strict=True))


def cohen_kappa(judge, people):
    a, b = [mode(j) for j in judge], [mode(h) for h in people]
    if len(set(a)) == 1 or len(set(b)) == 1:
        return nan
    n = len(a)
    observed = Fraction(sum(x == y for x, y in zip(a, b, strict=True)), n)
    expected = sum(Fraction(a.count(label), n) * Fraction(b.count(label), n) for label in set(a) | set(b))
    return float((observed - expected) / (1 - expected))


def fleiss_kappa(judge, people):
    """Fleiss (1971) with n = 2 ratings of each item."""
    pairs = [(mode(j), mode(h)) for j, h in zip(judge, people, strict=True)]
    labels = {label for pair in pairs for label in pair}
    if len(labels) == 1:
        return nan
    agreeing = mean(Fraction(sum(pair.count(x) * (pair.count(x) - 1) for x in labels), 2) for pair in pairs)
    shares = [Fraction(sum(pair.count(x) for pair in pairs), 2 * len(pairs)) for x in labels]
    expected = sum(share**2 for share in shares)
    return float((agreeing - expected) / (1 - expected))


def scott_pi(judge, people):
    """Scott (1955): two draws with replacement from all labels that either side gave."""
    a, b = [mode(j) for j in judge], [mode(h) for h in people]
    everything = a + b
    expected = sum(Fraction(everything.count(label), len(everything)) ** 2 for label in set(everything))
    observed = Fraction(sum(x == y for x, y in zip(a, b, strict=True)), len(a))
    return float((observed - expected) / (1 - expected)) if expected < 1 else nan


def krippendorff_alpha(judge, people):
    """Krippendorff (2011): disagreement within items over disagreement of any two ratings."""
    pairs = [(mode(j), mode(h)) for j, h in zip(judge, people, strict=True)]
    ratings = [label for pair in pairs for label in pair]
    others = [(x, y) for i, x in enumerate(ratings) for m, y in enumerate(ratings) if i != m]
    by_chance = Fraction(sum(x != y for x, y in others), len(others))
    within = Fraction(sum(x != y for x, y in pairs), len(pairs))
    return float(1 - within / by_chance) if by_chance else nan


def divergence(p, q):
    return sum(float(a) * log(a / max(b, CLIP)) for a, b in zip(p, q, strict=True) if a)


def surprise(p, q):
    return -sum(float(a) * log(max(b, CLIP)) for a, b in zip(p, q, strict=True) if a)


def kl_human_judge(judge, people):
    return mean(divergence(h, j) for j, h in zip(judge, people, strict=True))


def kl_judge_human(judge, people):
    return mean(divergence(j, h) for j, h in zip(judge, people, strict=True))


def cross_entropy_human_judge(judge, people):
    return mean(surprise(h, j) for j, h in zip(judge, people, strict=True))


def cross_entropy_judge_human(judge, people):
    return mean(surprise(j, h) for j, h in zip(judge, people, strict=True))


def jsd(judge, people):
    def one(p, q):
        middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        return (divergence(p, middle) + divergence(q, middle)) / 2

    return mean(one(j, h) for j, h in zip(judge, people, strict=True))


def squared_error(judge, people):
    return float(mean(sum((a - b) ** 2 for a, b in zip(j, h, strict=True)) for j, h in zip(judge, people, strict=True)))


def bce(judge, people):
    def one(j, h):
        return -sum(log(max(p, CLIP)) if endorsed else log(max(1 - p, CLIP)) for p, endorsed in zip(j, h, strict=True))

    return mean(one(j, h) for j, h in zip(judge, people, strict=True))


def sets_of(vectors):
    return [{o for o, endorsed in enumerate(vector) if endorsed} for vector in vectors]


def coverage(judge, people):
    pairs = zip(sets_of(judge), sets_of(people), strict=True)
    return mean(j <= h and (bool(j) or not h) for j, h in pairs)


def predictive_efficiency(judge, _people):
    return mean(len(j) for j in sets_of(judge))


def precision(judge, people):
    def one(j, h):
        return len(j & h) / len(j) if j else float(not h)

    return mean(one(j, h) for j, h in zip(sets_of(judge), sets_of(people), strict=True))


def recall(judge, people):
    return precision(people, judge)


MEASURES = {
    "hit_rate": hit_rate,
    "krippendorff_alpha": krippendorff_alpha,
    "fleiss_kappa": fleiss_kappa,
    "cohen_kappa": cohen_kappa,
    "scott_pi": scott_pi,
    "kl_human_judge": kl_human_judge,
    "kl_judge_human": kl_judge_human,
    "cross_entropy_human_judge": cross_entropy_human_judge,
    "cross_entropy_judge_human": cross_entropy_judge_human,
    "jsd": jsd,
    "mse_hard": squared_error,
    "mse_soft": squared_error,
    "coverage": coverage,
    "predictive_efficiency": predictive_efficiency,
    "precision": precision,
    "recall": recall,
    "bce": bce,
    "mse_response_set": squared_error,
}


def value(name, judge, people, *, how_judge, how_people, tau, k):
    """A definition of performance on items; those of forced choices use items with one, if there is any."""
    rows = range(len(people))
    if how_people in {"hard", "soft"} and any(kind == "choice" for answers in people for kind, _ in answers):
        rows = [i for i in rows if any(kind == "choice" for kind, _ in people[i])]
    ours = [aggregated(judge[i], how_judge, k, tau) for i in rows]
    theirs = [aggregated(people[i], how_people, k, tau) for i in rows]
    return float(MEASURES[name](ours, theirs))


def decisions(answers, positive, tau):
    return [share_meeting(own, positive) >= Fraction(str(tau)) for own in answers]


def consistency(judge, people, positive, tau):
    pairs = zip(decisions(judge, positive, tau), decisions(people, positive, tau), strict=True)
    return mean(a == b for a, b in pairs)


def bias(judge, people, positive, tau):
    return mean(decisions(judge, positive, tau)) - mean(decisions(people, positive, tau))
