"""Two case studies of "Survey Equivalence": news events (CredBank, A.2) and pairs of images (GuessTheKarma, A.3)."""

from functools import cache, partial
from pathlib import Path

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.options import Combiner, Learn
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.equivalence.scores import ScoreName
from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.methods.reproduce.data import PaperData
from dissensus.methods.reproduce.survey_equivalence.authors_files import (
    PAPER,
    Counts,
    crossing,
    hard_judge,
    judge_score,
    padded_curve,
    ratings_of_counts,
    rows_of,
    soft_judges,
)

ACCURATE = ("certainly accurate", "other")
SIDES = ("left", "right")
COINS = range(5)
"""Seeds of the coins that turn each pair of images left or right; the mean over them is compared."""
MOST_EVENTS, MOST_PAIRS = 15, 30
"""Largest surveys of the two studies."""


def events_of(data: PaperData) -> Counts:
    """Answers "certainly accurate" and others to each news event, of shape (1377, 2)."""
    others = ("-2", "-1", "0", "1")
    return np.array(
        [
            [int(row["credCount2_ret"]), sum(int(row[f"credCount{c}_ret"]) for c in others)]
            for row in rows_of(data, "credweb.csv")
        ]
    )


def classes_of(data: PaperData) -> dict[str, Floats]:
    """By class of the classifier: the shares of "certainly accurate" of its events."""
    rows = rows_of(data, "credweb.csv")
    share = np.array([float(row["P_ca_ret"]) for row in rows])
    named = np.array([row["cscw_predictor"] for row in rows])
    return {name: share[named == name] for name in sorted(set(named.tolist()))}


def class_mean(data: PaperData, *, name: str) -> float:
    """What a class of the classifier is calibrated to."""
    return float(classes_of(data)[name].mean())


def credbank_curve(data: PaperData, learn: Learn) -> EquivalenceResult:
    """The power curve and the calibrated classifier on it: Figure 7."""
    return _credbank_curve(data.path, learn)


@cache
def _credbank_curve(path: Path | None, learn: Learn) -> EquivalenceResult:
    data = PaperData(path)
    mean = {name: shares.mean() for name, shares in classes_of(data).items()}
    chance = np.array([mean[row["cscw_predictor"]] for row in rows_of(data, "credweb.csv")])
    judge = soft_judges({"linguistic": np.stack([chance, 1 - chance], axis=1)}, ACCURATE)
    ratings = ratings_of_counts(events_of(data), ACCURATE)
    return equivalence(ratings, judge, learn=learn, max_raters=MOST_EVENTS, bootstrap=200)


def credbank_gain(data: PaperData) -> float:
    """Bits that the classifier tells beyond the overall share."""
    result = credbank_curve(data, "in-sample")
    return result.judges[0].score - result.curve[0].score


def overall_share(data: PaperData) -> float:
    """Share of all labels that are "certainly accurate"."""
    counts = events_of(data)
    return float(counts[:, 0].sum() / counts.sum())


def after_one(data: PaperData, *, label: int) -> float:
    """Chance of "certainly accurate" after one label of an event."""
    counts = events_of(data)
    total = counts.sum(axis=1)
    pairs = counts[:, label] * (counts[:, 0] - (label == 0)) / (total * (total - 1))
    return float(pairs.sum() / (counts[:, label] / total).sum())


def votes_of(data: PaperData) -> Counts:
    """Votes for the image with the higher score on Reddit, and for the other, of shape (400, 2)."""
    votes: dict[str, list[int]] = {}
    for row in rows_of(data, "vote_gtk2.csv"):
        pair = votes.setdefault(row["image_pair"], [0, 0])
        if row["opinion_choice"] in {"A", "B"}:
            pair["AB".index(row["opinion_choice"])] += 1
    return np.array(list(votes.values()))


def turned(data: PaperData, coin: int) -> tuple[Counts, Floats, Counts]:
    """Votes for the left and the right image, the calibrated chance of left, and which one Reddit prefers."""
    counts = votes_of(data)
    is_turned = np.random.default_rng(coin).random(len(counts)) < 0.5  # noqa: PLR2004 - a fair coin
    sides = np.where(is_turned[:, None], counts[:, ::-1], counts)
    share = sides[:, 0] / sides.sum(axis=1)
    chance = np.where(is_turned, share[is_turned].mean(), share[~is_turned].mean())
    return sides, chance, is_turned.astype(np.intp)


def karma_curve(
    data: PaperData, *, coin: int, combiner: Combiner = "abc", score: ScoreName = "cross-entropy", samples: int = 0
) -> EquivalenceResult:
    """The power curve and Reddit's scores on it: Figure 8."""
    return _karma_curve(data.path, coin, combiner, score, samples)


@cache
def _karma_curve(path: Path | None, coin: int, combiner: Combiner, score: ScoreName, samples: int) -> EquivalenceResult:
    sides, chance, preferred = turned(PaperData(path), coin)
    soft = soft_judges({"reddit": np.stack([chance, 1 - chance], axis=1)}, SIDES)
    judge = soft if combiner != "plurality" else hard_judge("reddit", preferred, SIDES)
    return equivalence(
        ratings_of_counts(sides, SIDES),
        judge,
        combiner=combiner,
        score=score,
        max_raters=MOST_PAIRS,
        bootstrap=samples,
    )


def karma_worth(data: PaperData, combiner: Combiner = "abc", score: ScoreName = "cross-entropy") -> float:
    """Raters that Reddit's scores are worth, on average over the coins."""
    found = [karma_curve(data, coin=coin, combiner=combiner, score=score).judges[0].equivalence for coin in COINS]
    return float(np.mean(found))


def karma_with_blanks(data: PaperData) -> float:
    """The same by the Bayesian combiner if blank cells count as raters."""
    found = []
    for coin in COINS:
        sides, chance, _ = turned(data, coin)
        curve = padded_curve(sides, columns=int(sides.sum(axis=1).max()), most=MOST_PAIRS)
        found.append(crossing(curve, judge_score(sides, chance)))
    return float(np.mean(found))


def first_above_guessing(data: PaperData) -> float:
    """The fewest raters with which counting labels predicts better than guessing, on average over the coins."""
    found = []
    for coin in COINS:
        guess = karma_curve(data, coin=coin).curve[0].score
        scores = [point.score for point in karma_curve(data, coin=coin, combiner="frequency").curve]
        found.append(next(k for k in range(1, len(scores)) if scores[k] > guess))
    return float(np.mean(found))


def calibrated_left(data: PaperData, *, preferred: int) -> float:
    """Mean share of votes for the left image where Reddit prefers the left one (0) or the right one (1)."""
    found = []
    for coin in COINS:
        _, chance, side = turned(data, coin)
        found.append(chance[side == preferred][0])
    return float(np.mean(found))


BLANKS = (
    "In the authors' code blank cells of a padded matrix count as raters, which makes a judge look better; the claim "
    "with blank cells counts them so."
)
CREDBANK = Part(paper=PAPER, group="CredBank", needs_data=True)
KARMA = Part(paper=PAPER, group="GuessTheKarma", needs_data=True)
CALIBRATED = {
    "1": ("above 90%", 0.831),
    "2": ("80 to 90%", 0.800),
    "3": ("60 to 80%", 0.776),
    "4": ("below 60%", 0.777),
}
"""Appendix A.2: what the four classes are calibrated to."""
CLAIMS: tuple[Claim, ...] = (
    CREDBANK.printed(
        "appendix A.2, events", "News events.", 1377, lambda data: float(len(events_of(data))), decimals=0
    ),
    *(
        CREDBANK.within(
            f"appendix A.2, class {name}",
            'Share of "certainly accurate" where the classifier says so.',
            published,
            partial(class_mean, name=number),
            0.001,
            "Percentages with one decimal, not all of them rounded: 83.17% is printed as 83.1%.",
        )
        for number, (name, published) in CALIBRATED.items()
    ),
    CREDBANK.printed(
        "appendix A.2, all events", 'Share of "certainly accurate" labels.', 0.797, overall_share, decimals=3
    ),
    CREDBANK.printed(
        "appendix A.2, information gain",
        "Bits that the calibrated classifier tells, over a baseline learnt from all items.",
        0.0023,
        credbank_gain,
        decimals=4,
    ),
    CREDBANK.printed(
        "appendix A.2, survey equivalence",
        "Raters that the classifier is worth, where the combiner learns from the item itself as well (Figure 7).",
        0.48,
        lambda data: credbank_curve(data, "in-sample").judges[0].equivalence,
        decimals=2,
    ),
    CREDBANK.printed(
        "appendix A.2, survey equivalence, item left out",
        "The same, where the combiner learns from the other items only.",
        0.48,
        lambda data: credbank_curve(data, "leave-one-out").judges[0].equivalence,
        decimals=2,
        differs="The printed number is that of learning from the item itself as well, though footnote 4 says that the "
        "item is left out.",
    ),
    CREDBANK.printed(
        "appendix A.2, after one accurate",
        'Chance of "certainly accurate" after one such label.',
        0.814,
        partial(after_one, label=0),
        decimals=3,
    ),
    CREDBANK.printed(
        "appendix A.2, after one other",
        'Chance of "certainly accurate" after one other label.',
        0.731,
        partial(after_one, label=1),
        decimals=3,
    ),
    KARMA.within(
        "appendix A.3, left preferred",
        "Share of votes for the left image where Reddit prefers it.",
        0.578,
        partial(calibrated_left, preferred=0),
        0.02,
        "A coin turns each of the 400 pairs; from coin to coin it varies by .008.",
    ),
    KARMA.within(
        "appendix A.3, right preferred",
        "Share of votes for the left image where Reddit prefers the right one.",
        0.428,
        partial(calibrated_left, preferred=1),
        0.02,
        "A coin turns each of the 400 pairs; from coin to coin it varies by .008.",
    ),
    KARMA.within(
        "appendix A.3, survey equivalence",
        "Raters that Reddit's scores are worth.",
        2.39,
        karma_worth,
        0.15,
        "From coin to coin it varies by .05.",
        differs=BLANKS,
    ),
    KARMA.within(
        "appendix A.3, survey equivalence, blank cells as raters",
        "The same where k of the 85 columns are drawn, blank or not.",
        2.39,
        karma_with_blanks,
        0.15,
        "From coin to coin it varies by .08.",
        differs="Blank cells explain the direction, not the size: counted so, Reddit's scores are worth more than "
        "printed. What else the authors' run did is not known.",
    ),
    KARMA.within(
        "appendix A.3, frequency combiner",
        "Raters that Reddit's scores are worth if their labels are only counted.",
        11.41,
        lambda data: karma_worth(data, "frequency"),
        0.15,
        "From coin to coin it varies by .05.",
        differs="Ours takes every survey of so many labels; the authors' run drew 200 subsets of columns, some of "
        "whose cells are blank. Which ones it drew is not known.",
    ),
    KARMA.within(
        "appendix A.3, counting beats guessing",
        "The fewest raters with which counting labels predicts better than guessing.",
        9,
        first_above_guessing,
        1,
        '"About 9".',
    ),
    KARMA.within(
        "appendix A.3, F1 and agreement",
        "Difference of what Reddit's scores are worth by F1 and by agreement, both with the majority vote.",
        0,
        lambda data: karma_worth(data, "plurality", "f1") - karma_worth(data, "plurality", "agreement"),
        0.25,
        '"Similar survey equivalence values".',
    ),
)
"""In the order of the paper."""
