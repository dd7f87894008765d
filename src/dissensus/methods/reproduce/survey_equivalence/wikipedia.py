"""The case study of "Survey Equivalence" on personal attacks in Wikipedia comments (A.1)."""

from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from dissensus.arrays import Floats
from dissensus.methods.compare.metrics import correlation, weighted_midranks
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.methods.reproduce.data import PaperData
from dissensus.methods.reproduce.survey_equivalence.authors_files import (
    PAPER,
    Counts,
    crossing,
    drawn,
    judge_score,
    padded_curve,
    ratings_of_counts,
    rows_of,
    soft_judges,
)

LABELS = ("attack", "none")
SCORED = 2000
"""Comments that the authors score: the first ones of the file."""
FOLDS = 5
MOST_RATERS = 20
REFERENCES, ENOUGH = 10, 20
"""Raters whose mean or majority is the reference in the original study, and ratings that a comment needs for that."""
LARGEST_GROUP = 10


class Comments(NamedTuple):
    """Ratings of the comments and what the classifier predicts.

    Attributes
    ----------
    counts : ndarray of shape (n_comments, 2)
        Raters who see an attack, and who do not.
    chance : ndarray of shape (n_comments,)
        Predicted chance of an attack.
    """

    counts: Counts
    chance: Floats


def comments_of(data: PaperData) -> Comments:
    """All comments of the file."""
    return _comments(data.path)


@cache
def _comments(path: Path | None) -> Comments:
    rows = rows_of(PaperData(path), "wiki_attack_labels_and_predictor.csv")
    attacks, raters = (np.array([int(float(row[name])) for row in rows]) for name in ("n_labelled_attack", "n_labels"))
    chance = np.array([float(row["predictor_prob"]) for row in rows])
    return Comments(np.stack([attacks, raters - attacks], axis=1), chance)


def authors_calibration(comments: Comments, asked: Floats) -> Floats:
    """`CalibratedClassifierCV(LinearSVC(), method="isotonic")` on one column, a row per rating weighted 1 / raters.

    The support vector machine is an affine map of its only column and isotonic regression does not see it, so what is
    left is the mean of five isotonic regressions, each on a fifth of each class, in the order of the rows.
    """
    raters = comments.counts.sum(axis=1)
    x, weight = np.repeat(comments.chance, raters), np.repeat(1 / raters, raters)
    y = np.repeat(np.tile([1, 0], len(raters)), comments.counts.ravel())
    code = (y != y[0]).astype(np.intp)  # folds are dealt to the class that comes first in the file, then to the other
    in_order, fold = np.sort(code), np.empty(len(y), dtype=np.intp)
    for label in (0, 1):
        sizes = [np.count_nonzero(in_order[start::FOLDS] == label) for start in range(FOLDS)]
        fold[code == label] = np.repeat(np.arange(FOLDS), sizes)
    maps = [_isotonic(x[fold == i], y[fold == i], weight[fold == i], asked) for i in range(FOLDS)]
    return np.asarray(np.mean(maps, axis=0))


def _isotonic(x: Floats, y: Counts, weight: Floats, asked: Floats) -> Floats:
    knots, place = np.unique(x, return_inverse=True)
    mass = np.bincount(place, weights=weight)
    mean = np.bincount(place, weights=weight * y) / mass
    return np.asarray(np.interp(asked, knots, isotonic_regression(mean, weights=mass).x))


def calibrated(data: PaperData) -> Floats:
    """The calibrated predictions for the comments that are scored."""
    return _calibrated(data.path)


@cache
def _calibrated(path: Path | None) -> Floats:
    comments = comments_of(PaperData(path))
    return authors_calibration(comments, comments.chance[:SCORED])


def wikipedia_curve(data: PaperData) -> EquivalenceResult:
    """The power curve and the classifier on it, as it is and calibrated: Figure 6."""
    return _wikipedia_curve(data.path)


@cache
def _wikipedia_curve(path: Path | None) -> EquivalenceResult:
    data = PaperData(path)
    comments, better = comments_of(data), calibrated(data)
    raw = comments.chance[:SCORED]
    judges = {"calibrated": np.stack([better, 1 - better], axis=1), "raw": np.stack([raw, 1 - raw], axis=1)}
    return equivalence(ratings_of_counts(comments.counts[:SCORED], LABELS), soft_judges(judges, LABELS), bootstrap=200)


def worth(data: PaperData) -> float:
    """Raters that the calibrated classifier is worth."""
    return next(judge.equivalence for judge in wikipedia_curve(data).judges if judge.judge == "calibrated")


def worth_with_blanks(data: PaperData, *, is_calibrated: bool) -> float:
    """The same if blank cells of the padded matrix count as raters."""
    comments = comments_of(data)
    counts = comments.counts[:SCORED]
    columns = int(comments.counts.sum(axis=1).max())
    chance = calibrated(data) if is_calibrated else comments.chance[:SCORED]
    return crossing(padded_curve(counts, columns=columns, most=MOST_RATERS), judge_score(counts, chance))


def area(scores: Floats, positive: Floats, negative: Floats) -> float:
    """Area under the curve of scores that occur so often with each label.

    Examples
    --------
    >>> area(np.array([1.0, 2.0]), np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    0.75
    """
    _, place = np.unique(scores, return_inverse=True)
    with_positive, with_negative = np.bincount(place, positive), np.bincount(place, negative)
    below = np.cumsum(with_negative) - with_negative / 2
    return float((with_positive * below).sum() / (with_positive.sum() * with_negative.sum()))


def gain_in_area(data: PaperData) -> float:
    """How much calibration adds to the area under the curve, against single raters."""
    comments = comments_of(data)
    share = comments.counts[:SCORED] / comments.counts[:SCORED].sum(axis=1, keepdims=True)
    areas = [area(chance, share[:, 0], share[:, 1]) for chance in (calibrated(data), comments.chance[:SCORED])]
    return areas[0] - areas[1]


class Baseline(NamedTuple):
    """How well groups of raters, and the classifier, predict ten others."""

    groups: Floats
    classifier: float


def human_baseline(data: PaperData, score: str) -> Baseline:
    """The original comparison: the mean of a group against ten held-out raters.

    Parameters
    ----------
    data : PaperData
        The authors' files.
    score : {"auc", "spearman"}
        Against the majority of the ten, where five is half of one, or against their mean.
    """
    return _human_baseline(data.path, score)


@cache
def _human_baseline(path: Path | None, score: str) -> Baseline:
    comments = comments_of(PaperData(path))
    kept = comments.counts.sum(axis=1) >= ENOUGH
    attacks, total = (
        column[kept].astype(np.float64) for column in (comments.counts[:, 0], comments.counts.sum(axis=1))
    )
    reference = np.arange(REFERENCES + 1.0)
    # How likely each number of attacks is among the ten, of shape (n_comments, 11).
    chance = drawn(attacks[:, None], total[:, None], REFERENCES, reference[None, :])
    own = np.repeat(comments.chance[kept], len(reference))
    classifier = _scored(own, np.tile(reference, len(attacks)), chance.ravel(), score)
    groups = []
    for size in range(LARGEST_GROUP + 1):
        seen = np.arange(size + 1.0)
        left = (attacks[:, None, None] - reference[None, :, None], (total - REFERENCES)[:, None, None])
        joint = (chance[:, :, None] * drawn(*left, size, seen[None, None, :])).sum(axis=0)
        grid = np.meshgrid(reference, seen, indexing="ij")
        groups.append(_scored(grid[1].ravel(), grid[0].ravel(), joint.ravel(), score))
    return Baseline(np.array(groups), classifier)


def _scored(predicted: Floats, reference: Floats, weight: Floats, score: str) -> float:
    if score == "auc":
        majority = (reference > REFERENCES / 2) + 0.5 * (reference == REFERENCES / 2)
        return area(predicted, weight * majority, weight * (1 - majority))
    ranks = [weighted_midranks(values, weight[None, :]) for values in (predicted, reference)]
    return float(np.nan_to_num(correlation(ranks[0], ranks[1], weight[None, :])[0]))


def group_reached(data: PaperData, *, score: str) -> float:
    """The size of the group that predicts as well as the classifier, with fractions."""
    baseline = human_baseline(data, score)
    return crossing(baseline.groups, baseline.classifier)


PART = Part(paper=PAPER, group="Wikipedia attacks", needs_data=True)
BETWEEN = '"Better than groups of three" and "worse than groups of five": 4, give or take 1.'
CLAIMS: tuple[Claim, ...] = (
    PART.printed(
        "appendix A.1, comments",
        "Comments in the data.",
        23_179,
        lambda data: float(len(comments_of(data).counts)),
        decimals=0,
        differs="The authors' file has 23,179 lines, of which the first has the names of the columns.",
    ),
    PART.printed(
        "appendix A.1, fewest raters",
        "Ratings of the comment with the fewest.",
        10,
        lambda data: float(comments_of(data).counts.sum(axis=1).min()),
        decimals=0,
        differs="Column n_labels of the authors' file.",
    ),
    PART.printed(
        "appendix A.1, most raters",
        "Ratings of the comment with the most.",
        20,
        lambda data: float(comments_of(data).counts.sum(axis=1).max()),
        decimals=0,
        differs="Column n_labels of the authors' file.",
    ),
    PART.within(
        "appendix A.1, calibration and AUC",
        "What calibration adds to the area under the curve.",
        0,
        gain_in_area,
        0.01,
        '"Almost no effect on the AUC score".',
    ),
    PART.within(
        "appendix A.1, survey equivalence",
        "Raters that the calibrated classifier is worth.",
        7.63,
        worth,
        0.5,
        "The authors draw 200 subsets of raters.",
        differs="In the authors' code blank cells of a padded matrix count as raters, which makes a judge look better; "
        "the two claims with blank cells count them so.",
    ),
    PART.within(
        "appendix A.1, survey equivalence, blank cells as raters",
        "The same where k of the 46 columns are drawn, blank or not.",
        7.63,
        partial(worth_with_blanks, is_calibrated=True),
        0.5,
        "The authors draw 200 subsets of columns.",
        differs="Counted so, the calibrated classifier is worth more than printed, and the raw one about what is "
        "printed.",
    ),
    PART.within(
        "appendix A.1, survey equivalence, blank cells as raters, raw",
        "The same for the classifier as it is, not calibrated.",
        7.63,
        partial(worth_with_blanks, is_calibrated=False),
        0.5,
        "The authors draw 200 subsets of columns. The printed number is said to be that of the calibrated classifier.",
    ),
    PART.within(
        "appendix A.1, human baseline by AUC",
        "Raters whose mean predicts the majority of ten others as well as the classifier.",
        4,
        partial(group_reached, score="auc"),
        1,
        BETWEEN,
    ),
    PART.within(
        "appendix A.1, human baseline by rank correlation",
        "Raters whose mean predicts the mean of ten others as well as the classifier.",
        4,
        partial(group_reached, score="spearman"),
        1,
        BETWEEN,
        differs="The original study scored on comments half of which came from blocked users; ours are the comments of "
        "the published file with 20 or more ratings, most of which hardly anybody calls an attack.",
    ),
)
"""In the order of the paper."""
