"""The case studies of "Survey Equivalence", appendix A.

Personal attacks in Wikipedia comments (A.1), news events (CredBank, A.2) and pairs of images (GuessTheKarma, A.3).
"""

from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from dissensus.arrays import Floats
from dissensus.methods.compare.metrics import correlation, weighted_midranks
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.options import Combiner, Learn
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.equivalence.scores import ScoreName
from dissensus.methods.reproduce import survey_equivalence as files
from dissensus.methods.reproduce.claims import Claim, Drawing, PaperData, Part

CLAIMS: list[Claim] = []

# ---- Wikipedia comments (A.1)

WIKIPEDIA = Part(CLAIMS, files.PAPER, "Wikipedia attacks", needs_data=True)
LABELS = ("attack", "none")
SCORED = 2000  # comments that the authors score: the first ones of the file
FOLDS = 5
MOST_RATERS = 20
REFERENCES, ENOUGH = 10, 20
"""Raters whose mean or majority is the reference in the original study, and ratings that a comment needs for that."""
LARGEST_GROUP = 10
BLANK_CELLS = "In the authors' code blank cells of a padded matrix count as raters, which makes a judge look better; "
BETWEEN = '"Better than groups of three" and "worse than groups of five": 4, give or take 1.'


class Comments(NamedTuple):
    """Raters who see an attack and who do not, of shape (n_comments, 2), and the predicted chance of an attack."""

    counts: files.Counts
    chance: Floats


@cache
def comments_of(data: PaperData) -> Comments:
    """All comments of the file."""
    rows = files.rows_of(data, "wiki_attack_labels_and_predictor.csv")
    attacks, raters = (np.array([int(float(row[name])) for row in rows]) for name in ("n_labelled_attack", "n_labels"))
    chance = np.array([float(row["predictor_prob"]) for row in rows])
    return Comments(np.stack([attacks, raters - attacks], axis=1), chance)


_published: float
for _name, _what, _published, _count, _why in (
    ("comments", "Comments in the data.", 23_179, len,
     "The authors' file has 23,179 lines, of which the first has the names of the columns."),
    ("fewest raters", "Ratings of the comment with the fewest.", 10, min, "Column n_labels of the authors' file."),
    ("most raters", "Ratings of the comment with the most.", 20, max, "Column n_labels of the authors' file."),
):  # fmt: skip
    WIKIPEDIA.printed(f"appendix A.1, {_name}", _published, decimals=0, differs=_why, what=_what)(
        partial(lambda count, data: float(count(comments_of(data).counts.sum(axis=1))), _count)
    )


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


def _isotonic(x: Floats, y: files.Counts, weight: Floats, asked: Floats) -> Floats:
    knots, place = np.unique(x, return_inverse=True)
    mass = np.bincount(place, weights=weight)
    mean = np.bincount(place, weights=weight * y) / mass
    return np.asarray(np.interp(asked, knots, isotonic_regression(mean, weights=mass).x))


@cache
def calibrated(data: PaperData) -> Floats:
    """The calibrated predictions for the comments that are scored."""
    comments = comments_of(data)
    return authors_calibration(comments, comments.chance[:SCORED])


@cache
def wikipedia_curve(data: PaperData) -> EquivalenceResult:
    """The power curve and the classifier on it, as it is and calibrated: Figure 6."""
    comments, better = comments_of(data), calibrated(data)
    raw = comments.chance[:SCORED]
    judges = {"calibrated": np.stack([better, 1 - better], axis=1), "raw": np.stack([raw, 1 - raw], axis=1)}
    return equivalence(
        files.ratings_of_counts(comments.counts[:SCORED], LABELS), files.soft_judges(judges, LABELS),
        calibrate="none", bootstrap=200, interval="basic", raters="fixed",
    )  # fmt: skip


def area(scores: Floats, positive: Floats, negative: Floats) -> float:
    """Area under the curve of scores that occur so often with each label.

    >>> area(np.array([1.0, 2.0]), np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    0.75
    """
    _, place = np.unique(scores, return_inverse=True)
    with_positive, with_negative = np.bincount(place, positive), np.bincount(place, negative)
    below = np.cumsum(with_negative) - with_negative / 2
    return float((with_positive * below).sum() / (with_positive.sum() * with_negative.sum()))


@WIKIPEDIA.within(
    "appendix A.1, calibration and AUC", 0, 0.0005, '"Almost no effect on the AUC score": none to three decimals.'
)
def gain_in_area(data: PaperData) -> float:
    """What calibration adds to the area under the curve."""
    comments = comments_of(data)
    share = comments.counts[:SCORED] / comments.counts[:SCORED].sum(axis=1, keepdims=True)
    areas = [area(chance, share[:, 0], share[:, 1]) for chance in (calibrated(data), comments.chance[:SCORED])]
    return areas[0] - areas[1]


@WIKIPEDIA.printed(
    "appendix A.1, survey equivalence", 7.63, decimals=2,
    differs=f"{BLANK_CELLS}the claim with blank cells counts them so.",
)  # fmt: skip
def worth(data: PaperData) -> float:
    """Raters that the calibrated classifier is worth."""
    return next(judge.equivalence for judge in wikipedia_curve(data).judges if judge.judge == "calibrated")


WIKIPEDIA.printed(
    "appendix A.1, survey equivalence, blank cells as raters", 7.63, decimals=2,
    differs="Counted so, the calibrated classifier is worth more than printed, and the raw one about what is printed.",
    what="The same where k of the 46 columns are drawn, blank or not.",
)(lambda data: _worth_with_blanks(data, calibrated(data)))  # fmt: skip


def _worth_with_blanks(data: PaperData, chance: Floats) -> float:
    every = comments_of(data).counts
    curve = files.padded_curve(every[:SCORED], columns=int(every.sum(axis=1).max()), most=MOST_RATERS)
    return files.crossing(curve, files.judge_score(every[:SCORED], chance))


class Baseline(NamedTuple):
    """How well groups of raters, and the classifier, predict ten others."""

    groups: Floats
    classifier: float


@cache
def human_baseline(data: PaperData, score: str) -> Baseline:
    """The original comparison: the mean of a group against ten held-out raters.

    By AUC against the majority of the ten, where five is half of one, or by rank correlation with their mean.
    """
    comments = comments_of(data)
    kept = comments.counts.sum(axis=1) >= ENOUGH
    attacks, total = (
        column[kept].astype(np.float64) for column in (comments.counts[:, 0], comments.counts.sum(axis=1))
    )
    reference = np.arange(REFERENCES + 1.0)
    # How likely each number of attacks is among the ten, of shape (n_comments, 11).
    chance = files.drawn(attacks[:, None], total[:, None], REFERENCES, reference[None, :])
    predicted = np.repeat(comments.chance[kept], len(reference))
    classifier = _scored(predicted, np.tile(reference, len(attacks)), chance.ravel(), score)
    groups = []
    for size in range(LARGEST_GROUP + 1):
        seen = np.arange(size + 1.0)
        left = (attacks[:, None, None] - reference[None, :, None], (total - REFERENCES)[:, None, None])
        joint = (chance[:, :, None] * files.drawn(*left, size, seen[None, None, :])).sum(axis=0)
        grid = np.meshgrid(reference, seen, indexing="ij")
        groups.append(_scored(grid[1].ravel(), grid[0].ravel(), joint.ravel(), score))
    return Baseline(np.array(groups), classifier)


def _scored(predicted: Floats, reference: Floats, weight: Floats, score: str) -> float:
    if score == "auc":
        majority = (reference > REFERENCES / 2) + 0.5 * (reference == REFERENCES / 2)
        return area(predicted, weight * majority, weight * (1 - majority))
    ranks = [weighted_midranks(values, weight[None, :]) for values in (predicted, reference)]
    return float(np.nan_to_num(correlation(ranks[0], ranks[1], weight[None, :])[0]))


def _group_reached(data: PaperData, score: str) -> float:
    """The size of the group that predicts as well as the classifier, with fractions."""
    baseline = human_baseline(data, score)
    return files.crossing(baseline.groups, baseline.classifier)


WIKIPEDIA.within(
    "appendix A.1, human baseline by AUC", 4, 1, BETWEEN,
    what="Raters whose mean predicts the majority of ten others as well as the classifier.",
)(lambda data: _group_reached(data, "auc"))  # fmt: skip
WIKIPEDIA.within(
    "appendix A.1, human baseline by rank correlation", 4, 1, BETWEEN,
    differs="The original study scored on comments half of which came from blocked users; ours are the comments of "
    "the published file with 20 or more ratings, most of which hardly anybody calls an attack.",
    what="Raters whose mean predicts the mean of ten others as well as the classifier.",
)(lambda data: _group_reached(data, "spearman"))  # fmt: skip


def wikipedia_figures(data: PaperData) -> list[Drawing]:
    """Figure 6, top left."""
    title = "The classifier of attacks is worth three to four raters, if blank cells are no raters"
    caption = "The first 2,000 comments of the authors' file, Bayesian combiner and cross-entropy."
    return [files.drawing("figure 6, first panel", title, caption, wikipedia_curve(data))]


# ---- News events (A.2)

CREDBANK = Part(CLAIMS, files.PAPER, "CredBank", needs_data=True)
ACCURATE = ("certainly accurate", "other")
MOST_EVENTS, MOST_PAIRS = 15, 30  # largest surveys of the two studies


def events_of(data: PaperData) -> files.Counts:
    """Answers "certainly accurate" and others to each news event, of shape (1377, 2)."""
    others = ("-2", "-1", "0", "1")
    return np.array(
        [
            [int(row["credCount2_ret"]), sum(int(row[f"credCount{c}_ret"]) for c in others)]
            for row in files.rows_of(data, "credweb.csv")
        ]
    )


CREDBANK.printed("appendix A.2, events", 1377, decimals=0, what="News events.")(
    lambda data: float(len(events_of(data)))
)


def classes_of(data: PaperData) -> dict[str, Floats]:
    """By class of the classifier: the shares of "certainly accurate" of its events."""
    rows = files.rows_of(data, "credweb.csv")
    share = np.array([float(row["P_ca_ret"]) for row in rows])
    named = np.array([row["cscw_predictor"] for row in rows])
    return {name: share[named == name] for name in sorted(set(named.tolist()))}


for _class, _shares, _published in (
    ("1", "above 90%", 0.831), ("2", "80 to 90%", 0.800), ("3", "60 to 80%", 0.776), ("4", "below 60%", 0.777),
):  # fmt: skip
    CREDBANK.within(
        f"appendix A.2, class {_shares}",
        _published,
        0.001,
        "Percentages with one decimal, not all of them rounded: 83.17% is printed as 83.1%.",
        what='Share of "certainly accurate" where the classifier says so.',
    )(partial(lambda name, data: float(classes_of(data)[name].mean()), _class))


@CREDBANK.printed("appendix A.2, all events", 0.797, decimals=3)
def overall_share(data: PaperData) -> float:
    """Share of "certainly accurate" labels."""
    counts = events_of(data)
    return float(counts[:, 0].sum() / counts.sum())


@cache
def credbank_curve(data: PaperData, learn: Learn) -> EquivalenceResult:
    """The power curve and the calibrated classifier on it: Figure 7."""
    mean = {name: shares.mean() for name, shares in classes_of(data).items()}
    chance = np.array([mean[row["cscw_predictor"]] for row in files.rows_of(data, "credweb.csv")])
    judge = files.soft_judges({"linguistic": np.stack([chance, 1 - chance], axis=1)}, ACCURATE)
    ratings = files.ratings_of_counts(events_of(data), ACCURATE)
    return equivalence(
        ratings, judge, learn=learn, calibrate="none", max_raters=MOST_EVENTS, bootstrap=200, interval="basic",
        raters="fixed",
    )  # fmt: skip


@CREDBANK.printed("appendix A.2, information gain", 0.0023, decimals=4)
def credbank_gain(data: PaperData) -> float:
    """Bits that the calibrated classifier tells, over a baseline learnt from all items."""
    result = credbank_curve(data, "in-sample")
    return result.judges[0].score - result.curve[0].score


CREDBANK.printed(
    "appendix A.2, survey equivalence", 0.48, decimals=2,
    what="Raters that the classifier is worth, where the combiner learns from the item itself as well (Figure 7).",
)(lambda data: credbank_curve(data, "in-sample").judges[0].equivalence)  # fmt: skip
CREDBANK.printed(
    "appendix A.2, survey equivalence, item left out", 0.48, decimals=2,
    differs="The printed number is that of learning from the item itself as well, though footnote 4 says that the "
    "item is left out.",
    what="The same, where the combiner learns from the other items only.",
)(lambda data: credbank_curve(data, "leave-one-out").judges[0].equivalence)  # fmt: skip


def after_one(label: int, data: PaperData) -> float:
    """Chance of "certainly accurate" after one label of an event."""
    counts = events_of(data)
    total = counts.sum(axis=1)
    pairs = counts[:, label] * (counts[:, 0] - (label == 0)) / (total * (total - 1))
    return float(pairs.sum() / (counts[:, label] / total).sum())


for _label, _name, _such, _published in ((0, "accurate", "such", 0.814), (1, "other", "other", 0.731)):
    _what = f'Chance of "certainly accurate" after one {_such} label.'
    CREDBANK.printed(f"appendix A.2, after one {_name}", _published, decimals=3, what=_what)(partial(after_one, _label))


def credbank_figures(data: PaperData) -> list[Drawing]:
    """Figure 7."""
    title = "The classifier of news is worth half a rater"
    caption = "1,377 events, Bayesian combiner learnt with the item left out."
    return [files.drawing("figure 7", title, caption, credbank_curve(data, "leave-one-out"))]


# ---- Pairs of images (A.3)

KARMA = Part(CLAIMS, files.PAPER, "GuessTheKarma", needs_data=True)
SIDES = ("left", "right")
COINS = range(5)  # seeds of the coins that turn each pair of images left or right; the mean over them is compared
DRAWN_CELLS = (
    "Ours takes every survey of that size; the authors' run drew 200 subsets of columns, some of whose cells are "
    "blank. Which ones it drew is not known."
)


def votes_of(data: PaperData) -> files.Counts:
    """Votes for the image with the higher score on Reddit, and for the other, of shape (400, 2)."""
    votes: dict[str, list[int]] = {}
    for row in files.rows_of(data, "vote_gtk2.csv"):
        pair = votes.setdefault(row["image_pair"], [0, 0])
        if row["opinion_choice"] in {"A", "B"}:
            pair["AB".index(row["opinion_choice"])] += 1
    return np.array(list(votes.values()))


def turned(data: PaperData, coin: int) -> tuple[files.Counts, Floats, files.Counts]:
    """Votes for the left and the right image, the calibrated chance of left, and which one Reddit prefers."""
    counts = votes_of(data)
    is_turned = np.random.default_rng(coin).random(len(counts)) < 0.5  # noqa: PLR2004 - a fair coin
    sides = np.where(is_turned[:, None], counts[:, ::-1], counts)
    share = sides[:, 0] / sides.sum(axis=1)
    chance = np.where(is_turned, share[is_turned].mean(), share[~is_turned].mean())
    return sides, chance, is_turned.astype(np.intp)


def calibrated_left(preferred: int, data: PaperData) -> float:
    """Mean share of votes for the left image where Reddit prefers the left one (0) or the right one (1)."""
    found = []
    for coin in COINS:
        _, chance, side = turned(data, coin)
        found.append(chance[side == preferred][0])
    return float(np.mean(found))


for _preferred, _side, _it, _published in ((0, "left", "it", 0.578), (1, "right", "the right one", 0.428)):
    KARMA.within(
        f"appendix A.3, {_side} preferred",
        _published,
        0.02,
        "A coin turns each of the 400 pairs; from coin to coin it varies by .008.",
        what=f"Share of votes for the left image where Reddit prefers {_it}.",
    )(partial(calibrated_left, _preferred))


@cache
def karma_curve(
    data: PaperData, coin: int, combiner: Combiner, score: ScoreName, samples: int = 0
) -> EquivalenceResult:
    """The power curve and Reddit's scores on it: Figure 8."""
    sides, chance, preferred = turned(data, coin)
    soft = files.soft_judges({"reddit": np.stack([chance, 1 - chance], axis=1)}, SIDES)
    judge = soft if combiner != "plurality" else files.hard_judge("reddit", preferred, SIDES)
    ratings = files.ratings_of_counts(sides, SIDES)
    return equivalence(
        ratings, judge, combiner=combiner, score=score, calibrate="none", max_raters=MOST_PAIRS, bootstrap=samples,
        interval="basic", raters="fixed",
    )  # fmt: skip


@KARMA.within(
    "appendix A.3, survey equivalence", 2.39, 0.15, "From coin to coin it varies by .05.",
    differs=f"{BLANK_CELLS}the claim with blank cells counts them so.",
)  # fmt: skip
def karma_worth(data: PaperData, combiner: Combiner = "abc", score: ScoreName = "cross-entropy") -> float:
    """Raters that Reddit's scores are worth."""
    found = [karma_curve(data, coin, combiner, score).judges[0].equivalence for coin in COINS]
    return float(np.mean(found))


@KARMA.within(
    "appendix A.3, survey equivalence, blank cells as raters", 2.39, 0.15, "From coin to coin it varies by .08.",
    differs="Blank cells explain the direction, not the size: counted so, Reddit's scores are worth more than "
    "printed. What else the authors' run did is not known.",
)  # fmt: skip
def karma_with_blanks(data: PaperData) -> float:
    """The same where k of the 85 columns are drawn, blank or not."""
    found = []
    for coin in COINS:
        sides, chance, _ = turned(data, coin)
        curve = files.padded_curve(sides, columns=int(sides.sum(axis=1).max()), most=MOST_PAIRS)
        found.append(files.crossing(curve, files.judge_score(sides, chance)))
    return float(np.mean(found))


KARMA.within(
    "appendix A.3, frequency combiner", 11.41, 0.15, "From coin to coin it varies by .05.",
    differs=DRAWN_CELLS,
    what="Raters that Reddit's scores are worth if their labels are only counted.",
)(lambda data: karma_worth(data, "frequency"))  # fmt: skip


@KARMA.within("appendix A.3, counting beats guessing", 9, 0.5, '"About 9".', differs=DRAWN_CELLS)
def first_above_guessing(data: PaperData) -> float:
    """The fewest raters with which counting labels predicts better than guessing."""
    found = []
    for coin in COINS:
        guess = karma_curve(data, coin, "abc", "cross-entropy").curve[0].score
        scores = [point.score for point in karma_curve(data, coin, "frequency", "cross-entropy").curve]
        found.append(next(k for k in range(1, len(scores)) if scores[k] > guess))
    return float(np.mean(found))


KARMA.within(
    "appendix A.3, F1 and agreement", 0, 0.06, "From coin to coin F1's varies by .04: three standard errors.",
    what="Difference of what Reddit's scores are worth by F1 and by agreement, both with the majority vote.",
)(lambda data: karma_worth(data, "plurality", "f1") - karma_worth(data, "plurality", "agreement"))  # fmt: skip


def karma_figures(data: PaperData) -> list[Drawing]:
    """Figure 8, the panels with cross-entropy."""
    bayesian = karma_curve(data, 0, "abc", "cross-entropy", 200)
    frequency = karma_curve(data, 0, "frequency", "cross-entropy")
    caption = "400 pairs of images, one coin for left and right."
    return [
        files.drawing("figure 8, first panel", "Reddit's scores are worth one to two raters", caption, bayesian),
        files.drawing(
            "figure 8, second panel", "Counting labels is worse than guessing with few raters", caption, frequency
        ),
    ]
