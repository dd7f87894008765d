"""Resnick, Kong, Schoenebeck, Weninger: "Survey Equivalence", a procedure to measure classifiers against human labels.

The files that the authors published inside their package, and the running example (sections 2 to 4, Figures 4 and 5):
what its model determines, then what the authors' 1,000 items give. Printed values are typed from the paper; the place
is in the name of each claim. Figures 1 and 3 show ten items that stand in the pictures only; what the text says about
them is among the claims.

Items with few ratings leave blank cells at the end of their row in a matrix. The code of the case studies draws k of
its columns and drops what is blank, so that a "survey of k raters" has fewer labels, most of all where there are few.
Two labels only.
"""

import csv
import io
import itertools
import math
from collections.abc import Mapping, Sequence
from functools import cache, partial

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings, types_of_matrix
from dissensus.methods.describe.coefficients import nominal_alpha
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.options import Learn
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.reproduce.claims import REQUIREMENT, WHEEL, Claim, Drawing, PaperData, Part
from dissensus.simulation.urn import RUNNING_EXAMPLE, SOFT_CLASSIFIER, reports_of
from dissensus.simulation.urn_draws import ceiling, omniscient_score, prior_score, survey_information

PAPER = "survey-equivalence"
REMEDY = (
    f"Run `pip download --no-deps {REQUIREMENT}` and then `dissensus reproduce {PAPER} --data {WHEEL}`, "
    f"or let `dissensus reproduce {PAPER} --download` do both."
)
FOLDER = "surveyequivalence/data"

Counts = npt.NDArray[np.intp]


@cache
def rows_of(data: PaperData, name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of one of the authors' files, by the names in its first line."""
    return tuple(csv.DictReader(io.StringIO(data.text(f"{FOLDER}/{name}", remedy=REMEDY))))


def drawing(place: str, title: str, caption: str, curve: EquivalenceResult) -> Drawing:
    """A power curve of the paper, drawn anew."""
    return Drawing(paper=PAPER, place=place, title=title, caption=caption, kind="power curve", curve=curve)


def ratings_of_counts(counts: npt.ArrayLike, labels: Sequence[str]) -> Ratings:
    """Ratings by nobody in particular, from how often each label was given, of shape (n_items, n_labels)."""
    matrix = np.asarray(counts, dtype=np.intp)
    item, label = np.nonzero(matrix)
    return Ratings(item=item, label=label, times=matrix[item, label], items=_items(len(matrix)), labels=tuple(labels))


def soft_judges(predictions: Mapping[str, npt.ArrayLike], labels: Sequence[str]) -> Judges:
    """Judges that answer with probabilities, each of shape (n_items, n_labels)."""
    names = tuple(sorted(predictions))
    rows = [np.asarray(predictions[name], dtype=np.float64) for name in names]
    n = len(rows[0])
    return Judges(
        item=np.tile(np.arange(n), len(names)), judge=np.repeat(np.arange(len(names)), n),
        sample=np.zeros(n * len(names), dtype=np.intp), label=np.full(n * len(names), -1),
        probability=np.concatenate(rows), items=_items(n), judges=names, labels=tuple(labels), options=tuple(labels),
    )  # fmt: skip


def hard_judge(name: str, answers: npt.ArrayLike, labels: Sequence[str]) -> Judges:
    """A judge that answers with a label: the code of one per item."""
    codes = np.asarray(answers, dtype=np.intp)
    n = len(codes)
    return Judges(
        item=np.arange(n), judge=np.zeros(n, dtype=np.intp), sample=np.zeros(n, dtype=np.intp), label=codes,
        items=_items(n), judges=(name,), labels=tuple(labels), options=tuple(labels),
    )  # fmt: skip


def _items(n: int) -> tuple[str, ...]:
    return tuple(f"item-{i:05}" for i in range(n))


# ---- What happens to a power curve if blank cells count as raters

CLIP = 0.02


def _log_choose(n: Floats, k: Floats) -> Floats:
    """Logarithm of the binomial coefficient, minus infinity where it is 0."""
    is_possible = (k >= 0) & (k <= n)
    safe_n, safe_k = np.where(is_possible, n, 0.0), np.where(is_possible, k, 0.0)
    logs = gammaln(safe_n + 1) - gammaln(safe_k + 1) - gammaln(safe_n - safe_k + 1)
    return np.where(is_possible, logs, -np.inf)


def drawn(first: Floats, total: Floats, size: int, of_first: Floats) -> Floats:
    """Chance that this many labels of an item have this many of the first; 0 where it has fewer labels.

    >>> drawn(np.array([2.0, 0.0]), np.array([4.0, 1.0]), 2, np.array([1.0, 1.0])).round(4).tolist()
    [0.6667, 0.0]
    """
    ways = _log_choose(first, of_first) + _log_choose(total - first, size - of_first)
    every = _log_choose(total, np.full(total.shape, float(size)))
    with np.errstate(invalid="ignore"):
        return np.where(total >= size, np.exp(ways - every), 0.0)


def scores_by_labels(counts: Counts, most: int) -> Floats:
    """Cross-entropy in bits of what is predicted after this many labels of an item, of shape (most + 1, n_items).

    Predicted by the Anonymous Bayesian Combiner, which leaves the item out; NaN where no label is left to predict.
    """
    first, total = (column.astype(np.float64)[:, None] for column in (counts[:, 0], counts.sum(axis=1)))
    found = []
    for size in range(most + 1):
        seen = np.arange(size + 1.0)[None, :]
        shares = np.exp(_log_choose(np.full(seen.shape, float(size)), seen))
        up = drawn(first, total, size + 1, seen + 1) / np.exp(_log_choose(np.full(seen.shape, size + 1.0), seen + 1))
        down = drawn(first, total, size + 1, seen) / np.exp(_log_choose(np.full(seen.shape, size + 1.0), seen))
        others_up, others_down = up.sum(axis=0) - up, down.sum(axis=0) - down
        both = others_up + others_down
        chance = np.clip(np.where(both > 0, others_up / np.where(both > 0, both, 1.0), 0.5), CLIP, 1 - CLIP)
        bits = up * shares * np.log2(chance) + down * shares * np.log2(1 - chance)
        # `up` is the chance of one order of the labels and a first label after it, so times the orders.
        found.append(np.where(total[:, 0] > size, bits.sum(axis=1), np.nan))
    return np.array(found)


def padded_curve(counts: Counts, *, columns: int, most: int) -> Floats:
    """Power curve if k of this many columns are drawn, blank ones included, of shape (most + 1,)."""
    total = counts.sum(axis=1).astype(np.float64)
    scores = scores_by_labels(counts, most)
    curve = []
    for k in range(most + 1):
        sum_of, weight = np.zeros(len(total)), np.zeros(len(total))
        for labels in range(k + 1):
            # Of the columns with a label, and of the blank ones.
            filled = np.exp(
                _log_choose(total, np.full(total.shape, float(labels)))
                + _log_choose(columns - total, np.full(total.shape, float(k - labels)))
                - _log_choose(np.full(total.shape, float(columns)), np.full(total.shape, float(k)))
            )
            is_left = np.isfinite(scores[labels])
            sum_of += np.where(is_left, filled * np.nan_to_num(scores[labels]), 0.0)
            weight += np.where(is_left, filled, 0.0)
        curve.append(sum_of.sum() / weight.sum())
    return np.array(curve)


def judge_score(counts: Counts, predictions: Sequence[float] | Floats) -> float:
    """Cross-entropy in bits of a judge's probabilities of the first label, against a random rater of each item."""
    chance = np.clip(np.asarray(predictions, dtype=np.float64), CLIP, 1 - CLIP)
    first, total = counts[:, 0], counts.sum(axis=1)
    return float(np.mean((first * np.log2(chance) + (total - first) * np.log2(1 - chance)) / total))


def crossing(curve: Floats, score: float) -> float:
    """How many raters reach a score, with fractions; NaN if it is off the curve.

    >>> crossing(np.array([0.0, 0.5, 0.75]), 0.625)
    1.5
    """
    if not curve[0] < score <= curve.max():
        return float("nan")
    k = int(np.argmax(curve >= score))
    return float(k - 1 + (score - curve[k - 1]) / (curve[k] - curve[k - 1]))


CLAIMS: list[Claim] = []

# ---- What the model determines: no data are needed

MODEL = Part(CLAIMS, PAPER, "running example, the model")
AGREED_ON_CAT, AGREED_ON_DOG, JUDGE_DOG_RATER_CAT = 7, 2, 1
"""Hard classifier against the last rater in the ten items of Figure 1: the counts in the formula of section 3.1."""
SEQUENCE = (math.comb(2, 2) * math.factorial(2)) * (math.comb(7, 3) * math.factorial(3))
SEQUENCES = math.comb(9, 5) * math.factorial(5)
"""Section 4: of how many sequences of five of nine raters how many read (D, C, D, C, C); formulas as printed."""
COUNTED = "; the counts are those of the printed formula"
LISTED = "The printed formula; ours lists all sequences."


def soft_output(output: int) -> float:
    """Probability of C that the soft classifier reports where the hard one says C (0) or D (1)."""
    return float(reports_of(RUNNING_EXAMPLE, SOFT_CLASSIFIER)[output, 0])


for _output, _published in enumerate((0.77, 0.32)):
    _what = f"What the calibrated soft classifier outputs where the hard classifier says {'CD'[_output]}."
    MODEL.printed(f"section 2, soft classifier after {'CD'[_output]}", _published, decimals=2, what=_what)(
        partial(soft_output, _output)
    )


MODEL.printed(
    "section 3.1, agreement with the last rater", 0.90, decimals=2, why=COUNTED,
    what="Share of the ten items of Figure 1 on which the hard classifier agrees with the last rater.",
)(lambda: (AGREED_ON_CAT + AGREED_ON_DOG) / (AGREED_ON_CAT + AGREED_ON_DOG + JUDGE_DOG_RATER_CAT))  # fmt: skip
MODEL.printed(
    "section 3.1, prior", 0.63, decimals=2, what="Prior probability of a C label under the model of Figure 2.",
)(lambda: float(RUNNING_EXAMPLE.prior[0]))  # fmt: skip


@MODEL.printed("section 3.1, soft classifier against the last rater", -0.54, decimals=2, why=COUNTED)
def last_rater_score() -> float:
    """Cross-entropy score, in bits, of the soft classifier against the last column of ratings in Figure 1."""
    cat, dog = soft_output(0), soft_output(1)  # not rounded
    bits = AGREED_ON_CAT * math.log2(cat) + AGREED_ON_DOG * math.log2(1 - dog) + JUDGE_DOG_RATER_CAT * math.log2(dog)
    return bits / (AGREED_ON_CAT + AGREED_ON_DOG + JUDGE_DOG_RATER_CAT)


@MODEL.printed("section 3.1, baseline against the last rater", -0.82, decimals=2, why=COUNTED)
def last_rater_baseline() -> float:
    """Cross-entropy score, in bits, of always predicting .63 against the last column of ratings in Figure 1."""
    cats, dogs = AGREED_ON_CAT + JUDGE_DOG_RATER_CAT, AGREED_ON_DOG
    prior = RUNNING_EXAMPLE.prior
    return float(cats * np.log2(prior[0]) + dogs * np.log2(prior[1])) / (cats + dogs)


MODEL.printed(
    "section 3.1, improvement over the baseline", 0.28, decimals=2, why=COUNTED,
    what="Bits that the soft classifier gains over the baseline against the last rater.",
)(lambda: last_rater_score() - last_rater_baseline())  # fmt: skip


@MODEL.within("section 4, one sequence of labels", SEQUENCE / SEQUENCES, 1e-12, LISTED)
def sequence_share() -> float:
    """Chance that five of nine raters, two of whom say D, answer D, C, D, C, C."""
    wanted = tuple("DCDCC")
    return float(np.mean([drawn == wanted for drawn in itertools.permutations("DDCCCCCCC", 5)]))


OMNISCIENT = "Expected cross-entropy score, in bits, of a classifier that knows the state of each item."
ASYMPTOTE = "Bits that knowing the state of an item tells about a rater's label: the asymptote of the power curve."
for _name, _published, _what, _bits in (
    ("omniscient classifier", -0.699, OMNISCIENT, omniscient_score),
    ("c_0", -0.951, "Expected cross-entropy score, in bits, of always predicting the prior.", prior_score),
    ("information gain of very many raters", 0.252, ASYMPTOTE, ceiling),
):
    MODEL.printed(f"section 4, {_name}", _published, decimals=3, what=_what)(partial(_bits, RUNNING_EXAMPLE))


MODEL.printed(
    "section 4, room beyond nine raters", 0.029, decimals=3,
    differs="The paper takes the gain of nine raters (.223) from 1,000 simulated items and the asymptote (.252) "
    "from the model; ours takes both from the model, where nine raters gain .226.",
    what="Bits that very many raters tell beyond what nine raters tell.",
)(lambda: ceiling(RUNNING_EXAMPLE) - survey_information(RUNNING_EXAMPLE, 9))  # fmt: skip


# ---- The authors' 1,000 items

ITEMS = Part(CLAIMS, PAPER, "running example, 1,000 items", needs_data=True)
PAIR = ("pos", "neg")
SOFT = "calibrated hard classifier"
SAMPLES = 500  # bootstrap samples of items, as in the paper
MEAN_SAMPLES = 200  # for the mean over bootstrap samples, each a computation of its own
DRAWN = (
    "The authors' code draws 200 of the 210 or 252 subsets of raters with replacement, so some 140 of them; that moves "
    "the crossing by .01 to .02 (one standard deviation). Ours takes all."
)
ENDS = "An end of an interval from 500 bootstrap samples has a standard error of about .05, theirs as well as ours."
SPREAD = "Means over 500 bootstrap samples of theirs and 200 of ours, which spread by .5: three standard errors."
BEGINS, END = "Where its 95% interval begins.", "Where it ends."


def labels_of(data: PaperData) -> Counts:
    """Which label each rater gave: 0 for pos, 1 for neg, of shape (n_items, n_raters)."""
    rows = rows_of(data, "running_example/ref_rater_labels.csv")
    return np.array([[PAIR.index(row[rater]) for rater in row if rater] for row in rows])


def counts_of(data: PaperData) -> Counts:
    """How often each label was given, of shape (n_items, 2)."""
    labels = labels_of(data)
    return np.stack([(labels == code).sum(axis=1) for code in range(2)], axis=1)


def hard_answers(data: PaperData) -> Counts:
    """The hard classifier's answers."""
    rows = rows_of(data, "running_example/predictions.csv")
    return np.array([PAIR.index(row["mock hard classifier"].removeprefix("Prediction: ")) for row in rows])


def soft_answers(data: PaperData, column: str = SOFT) -> Floats:
    """A soft classifier's probabilities, of shape (n_items, 2)."""
    rows = rows_of(data, "running_example/predictions.csv")
    return np.array([[float(p) for p in row[column].removeprefix("Prediction: [")[:-1].split(",")] for row in rows])


@ITEMS.printed("section 2, alpha", 0.33, decimals=2)
def alpha(data: PaperData) -> float:
    """Krippendorff's alpha of the 1,000 items."""
    return float(nominal_alpha(types_of_matrix(counts_of(data)))[0])


@cache
def majority_curve(data: PaperData) -> EquivalenceResult:
    """Majority vote and percent agreement: Figure 4."""
    return equivalence(
        ratings_of_counts(counts_of(data), PAIR), hard_judge("hard", hard_answers(data), PAIR), combiner="plurality",
        score="agreement", calibrate="none", bootstrap=SAMPLES, interval="percentile", raters="fixed",
    )  # fmt: skip


@cache
def bayesian_curve(data: PaperData, learn: Learn) -> EquivalenceResult:
    """Anonymous Bayesian Combiner and cross-entropy: Figure 5."""
    judge, ratings = soft_judges({"soft": soft_answers(data)}, PAIR), ratings_of_counts(counts_of(data), PAIR)
    return equivalence(
        ratings, judge, learn=learn, calibrate="none", bootstrap=SAMPLES, interval="percentile", raters="fixed"
    )


@ITEMS.within("section 3.4, majority vote and agreement", 4.31, 0.05, DRAWN)
def majority_worth(data: PaperData) -> float:
    """Raters that the hard classifier is worth (Figure 4)."""
    return majority_curve(data).judges[0].equivalence


@ITEMS.within("section 3.4, mean of the bootstrap", 4.17, 0.13, SPREAD)
def majority_mean(data: PaperData) -> float:
    """The same, on average over bootstrap samples."""
    counts, answers = counts_of(data), hard_answers(data)
    stream, found = np.random.default_rng(0), []
    for _ in range(MEAN_SAMPLES):
        drawn = stream.integers(len(counts), size=len(counts))
        ratings, judge = ratings_of_counts(counts[drawn], PAIR), hard_judge("hard", answers[drawn], PAIR)
        result = equivalence(ratings, judge, combiner="plurality", score="agreement", calibrate="none", bootstrap=0)
        found.append(result.judges[0].equivalence)
    return float(np.nanmean(found))


ITEMS.within("section 3.4, lower end", 2.88, 0.15, ENDS, what=BEGINS)(
    lambda data: majority_curve(data).judges[0].equivalence_low
)
ITEMS.within("section 3.4, upper end", 4.81, 0.15, ENDS, what=END)(
    lambda data: majority_curve(data).judges[0].equivalence_high
)


@ITEMS.always("figure 4, odd numbers only")
def even_steps(data: PaperData) -> float:
    """Share of even numbers of raters that add nothing."""
    scores = [point.score for point in majority_curve(data).curve]
    return float(np.mean([abs(scores[k] - scores[k - 1]) < 1e-12 for k in range(2, len(scores), 2)]))  # noqa: PLR2004 - rounding


@ITEMS.within("section 4, Bayesian combiner and cross-entropy", 1.96, 0.05, DRAWN)
def bayesian_worth(data: PaperData) -> float:
    """Raters that the soft classifier is worth (Figure 5)."""
    return bayesian_curve(data, "leave-one-out").judges[0].equivalence


ITEMS.within("section 4, lower end", 1.63, 0.15, ENDS, what=BEGINS)(
    lambda data: bayesian_curve(data, "leave-one-out").judges[0].equivalence_low
)
ITEMS.within("section 4, upper end", 2.54, 0.15, ENDS, what=END)(
    lambda data: bayesian_curve(data, "leave-one-out").judges[0].equivalence_high
)


@ITEMS.within(
    "section 4, frequency combiner and cross-entropy", 6.32, 0.05, DRAWN,
    differs="Not explained. Algorithm 3 on the authors' own 1,000 items gives ours with all subsets of raters, "
    "whatever is predicted where nobody is asked.",
)  # fmt: skip
def frequency_worth(data: PaperData) -> float:
    """Raters that the soft classifier is worth if their labels are only counted."""
    judge, ratings = soft_judges({"soft": soft_answers(data)}, PAIR), ratings_of_counts(counts_of(data), PAIR)
    return equivalence(ratings, judge, combiner="frequency", calibrate="none", bootstrap=0).judges[0].equivalence


@ITEMS.always("section 4, other combiners inflate")
def others_inflate(data: PaperData) -> float:
    """Share of the two other ways to combine and score with which a classifier seems worth more."""
    least = bayesian_worth(data)
    return float(np.mean([frequency_worth(data) > least, majority_worth(data) > least]))


@ITEMS.printed("section 4, gain of nine raters", 0.223, decimals=3)
def gain_of_nine(data: PaperData, learn: Learn = "in-sample") -> float:
    """Bits that nine raters tell, where the combiner learns from the item itself as well."""
    curve = bayesian_curve(data, learn).curve
    return curve[9].score - curve[0].score


ITEMS.printed(
    "section 4, gain of nine raters, item left out", 0.223, decimals=3,
    differs="The printed gain is that of learning from the item itself as well, though footnote 4 says that the "
    "item is left out.",
    what="The same, where the combiner learns from the other items only.",
)(lambda data: gain_of_nine(data, "leave-one-out"))  # fmt: skip


def running_figures(data: PaperData) -> list[Drawing]:
    """Figures 4 and 5."""
    return [
        drawing(
            "figure 4",
            "By majority vote and agreement the hard classifier seems worth more than four raters",
            "The authors' 1,000 items; all surveys of each size, where the paper draws 200.",
            majority_curve(data),
        ),
        drawing(
            "figure 5",
            "By the Bayesian combiner and cross-entropy its information is that of two raters",
            "The authors' 1,000 items; the soft classifier that the hard one induces.",
            bayesian_curve(data, "leave-one-out"),
        ),
    ]
