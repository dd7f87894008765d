"""What is true of two classifiers and noisy labels, and how it is described.

A label is right with chance q = 1/K + (1 - 1/K) u for K classes: a share u of the raters know the class of the item,
and the others guess. With two classes q = (1 + u) / 2. A wrong label or prediction is any of the other classes.
"""

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from scipy.special import betaincinv

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError
from dissensus.options import named
from dissensus.simulation.panels import (
    Panel,
    Simulated,
    Truth,
    assign_raters,
    check_draws,
    checked_share,
    draw_categories,
    numbered,
)

# ---- Two classifiers with known accuracies, and people whose labels are right with known chances

Difficulty = Literal["same", "uniform", "beta"]
DIFFICULTIES: tuple[Difficulty, ...] = ("same", "uniform", "beta")
Where = Literal["all", "better", "worse"]
WHERE: tuple[Where, ...] = ("all", "better", "worse")
FEWEST_CLASSES = 2

BOTH_RIGHT, ONLY_BETTER, ONLY_WORSE, BOTH_WRONG = range(4)  # who is right about an item


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoClassifiers:
    """How often each of two classifiers is right, in the form in which their errors may go together.

    "Don't Label Twice", section 3.2.
    """

    worse_accuracy: float  # share of the items on which the worse one is right
    # Share of the items on which the better one is right, among those on which the worse one is wrong, or right.
    better_if_worse_wrong: float
    better_if_worse_right: float

    def __post_init__(self) -> None:
        checked_share(named("worse_accuracy"), self.worse_accuracy)
        checked_share(named("better_if_worse_wrong"), self.better_if_worse_wrong)
        checked_share(named("better_if_worse_right"), self.better_if_worse_right)
        if self.margin < 0:
            raise OptionError(
                f"The better classifier has accuracy {self.better_accuracy:g} and the worse one "
                f"{self.worse_accuracy:g}: raise {named('better_if_worse_wrong')} or {named('better_if_worse_right')}."
            )

    @classmethod
    def independent(cls, *, accuracy: float, margin: float) -> "TwoClassifiers":
        """Classifiers whose errors have nothing to do with each other; the better one leads by the margin.

        >>> both = TwoClassifiers.independent(accuracy=0.75, margin=0.1)
        >>> [round(float(share), 4) for share in both.shares()]
        [0.6375, 0.2125, 0.1125, 0.0375]
        """
        checked_share(named("accuracy"), accuracy)
        if not (margin >= 0 and accuracy + margin <= 1):
            raise OptionError(
                f"{named('accuracy')} {accuracy:g} and {named('margin')} {margin:g}: the better classifier would have "
                f"accuracy {accuracy + margin:g}; give a margin from 0 to {1 - accuracy:g}."
            )
        better = min(accuracy + margin, 1.0)
        return cls(worse_accuracy=accuracy, better_if_worse_wrong=better, better_if_worse_right=better)

    def shares(self) -> Floats:
        """Share of the items on which both, only the better one, only the worse one and none is right."""
        right, wrong = self.worse_accuracy, 1 - self.worse_accuracy
        p0, p1 = self.better_if_worse_wrong, self.better_if_worse_right
        return np.array([right * p1, wrong * p0, right * (1 - p1), wrong * (1 - p0)])

    @property
    def better_accuracy(self) -> float:
        """Share of the items on which the better one is right."""
        return self.worse_accuracy + self.margin

    @property
    def margin(self) -> float:
        """By how much the better one's accuracy is higher; differences due to rounding are 0."""
        shares = self.shares()
        return round(float(shares[ONLY_BETTER] - shares[ONLY_WORSE]), 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelNoise:
    """How often labels are right."""

    label_accuracy: float = 0.75  # chance that a label is right, averaged over items
    # The same where only the better classifier is right, and where only the worse one is; as everywhere if not given.
    better: float | None = None
    worse: float | None = None
    # Whether items are equally hard, or the share of raters who know the class is drawn for each item: uniform, as
    # wide around its mean as it can be, or from a beta distribution.
    difficulty: Difficulty = "same"
    concentration: float = 2.0  # sum of the two parameters of the beta distribution: the smaller, the more items differ
    # On which items difficulty differs: on all, or where only the better, or only the worse, classifier is right.
    where: Where = "all"
    classes: int = 2  # how many classes there are

    def __post_init__(self) -> None:
        if self.classes < FEWEST_CLASSES:
            raise OptionError(f"{named('classes')} is {self.classes}: there must be two or more.")
        if self.difficulty not in DIFFICULTIES:
            raise OptionError.unknown(named("difficulty"), self.difficulty, DIFFICULTIES)
        if self.where not in WHERE:
            raise OptionError.unknown(named("difficulty_where"), self.where, WHERE)
        if not 0 < self.concentration < np.inf:
            raise OptionError(
                f"{named('concentration')} is {self.concentration:g}: it must be above 0 and finite. Items that are "
                f"equally hard are {named('difficulty')} same."
            )
        given = {"": self.label_accuracy, "_better": self.better, "_worse": self.worse}
        for name, value in given.items():
            if value is not None and not 1 / self.classes < value <= 1:
                raise OptionError(
                    f"{named(f'label_accuracy{name}')} is {value:g}: with {self.classes} classes it must lie above "
                    f"{1 / self.classes:g}, which is guessing, and be at most 1."
                )

    def accuracies(self) -> Floats:
        """Mean chance that a label is right, by who is right about the item."""
        q = self.label_accuracy
        return np.array([q, q if self.better is None else self.better, q if self.worse is None else self.worse, q])

    def known(self) -> Floats:
        """Mean of u, by who is right."""
        return (self.accuracies() - 1 / self.classes) / (1 - 1 / self.classes)

    def differs(self) -> list[bool]:
        """Whether items differ in difficulty, by who is right."""
        if self.difficulty == "same":
            return [False] * 4
        return [
            self.where == "all",
            self.where in {"all", "better"},
            self.where in {"all", "worse"},
            self.where == "all",
        ]

    def variances(self) -> Floats:
        """Variance of u over items, by who is right."""
        known = self.known()
        if self.difficulty == "uniform":
            spread = np.minimum(known, 1 - known) ** 2 / 3
        else:
            spread = known * (1 - known) / (self.concentration + 1)
        return np.where(self.differs(), spread, 0.0)

    def draw(self, uniform: Floats, who: Codes) -> Floats:
        """Chance that a label of each item is right, from a uniform number and who is right about it."""
        mean = self.known()[who]
        differs = np.array(self.differs())[who]
        if self.difficulty == "uniform":
            own = mean + (2 * uniform - 1) * np.minimum(mean, 1 - mean)
        else:
            inner = np.clip(mean, 1e-12, 1 - 1e-12)  # where everybody knows, the beta distribution is a point
            own = np.asarray(
                betaincinv(inner * self.concentration, (1 - inner) * self.concentration, uniform), dtype=np.float64
            )
        u = np.where(differs & (mean < 1), own, mean)
        return np.asarray(1 / self.classes + (1 - 1 / self.classes) * u)


DIGITS = 12
ITEM_DIGITS = 6
WHO = ("both", "better", "worse", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChances:
    """Chances in the population, computed and not estimated."""

    worse_accuracy: float  # accuracies of the two classifiers, and their difference
    better_accuracy: float
    margin: float
    disagreement: float  # share of the items on which the two say something different
    only_better: float  # the three ways to disagree; with two classes the last is 0
    only_worse: float
    both_wrong_and_different: float
    label_accuracy: float  # chance that a label is right, over all items
    # The same over the items on which the classifiers disagree; NaN if they never do.
    label_accuracy_if_different: float
    known: float  # mean of u and of its square over all items, where u is the share of the raters who know
    known_squared: float
    pairwise_agreement: float  # chance that two labels of an item are the same
    # Chance that one label of an item equals the prediction of the better classifier and not that of the worse one, and
    # the other way round.
    speaks_for_better: float
    speaks_for_worse: float

    def as_dict(self) -> dict[str, float | None]:
        """The chances as the JSON has them."""
        return {name: None if np.isnan(value) else round(value, DIGITS) for name, value in asdict(self).items()}


def chances_of(classifiers: TwoClassifiers, noise: LabelNoise) -> LabelChances:
    """What is true of this many classes, classifiers and labels."""
    share, right = classifiers.shares(), noise.accuracies()
    other = (1 - right) / (noise.classes - 1)  # chance of any one wrong class
    apart = share[BOTH_WRONG] * (noise.classes - 2) / (noise.classes - 1)
    a, b = share[ONLY_BETTER], share[ONLY_WORSE]
    known = noise.known()
    squared = known**2 + noise.variances()
    different = np.array([a, b, apart])
    if_different = different @ right[[ONLY_BETTER, ONLY_WORSE, BOTH_WRONG]]
    guess = 1 / noise.classes
    return LabelChances(
        worse_accuracy=classifiers.worse_accuracy, better_accuracy=classifiers.better_accuracy,
        margin=classifiers.margin, disagreement=float(different.sum()), only_better=float(a), only_worse=float(b),
        both_wrong_and_different=float(apart), label_accuracy=float(share @ right),
        label_accuracy_if_different=float(if_different / different.sum()) if different.sum() > 0 else float("nan"),
        known=float(share @ known), known_squared=float(share @ squared),
        pairwise_agreement=float(guess + (1 - guess) * (share @ squared)),
        speaks_for_better=float(right[ONLY_BETTER] * a + other[ONLY_WORSE] * b + other[BOTH_WRONG] * apart),
        speaks_for_worse=float(other[ONLY_BETTER] * a + right[ONLY_WORSE] * b + other[BOTH_WRONG] * apart),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelsTruth(Truth):
    """From what the data were drawn.

    Of each item: its true class, who is right about it, and the chance that a label of it is right; the first
    `labelled` items were labelled.
    """

    classifiers: TwoClassifiers
    noise: LabelNoise
    items: tuple[str, ...]
    classes: tuple[str, ...]
    truth: Codes
    who: Codes
    label_accuracy: Floats
    labelled: int

    @property
    def chances(self) -> LabelChances:
        """Of the population."""
        return chances_of(self.classifiers, self.noise)

    def rows(self) -> list[dict[str, object]]:
        """One row per item: its class, who is right about it, and how often its labels are."""
        accuracy = np.round(self.label_accuracy, ITEM_DIGITS).tolist()
        columns = zip(self.items, self.truth.tolist(), self.who.tolist(), accuracy, strict=True)
        return [
            {"item": item, "truth": self.classes[truth], "right": WHO[who], "label_accuracy": q}
            for item, truth, who, q in columns
        ]

    def as_dict(self) -> dict[str, object]:
        """The population, its chances, and each item."""
        return {
            "population": {"classifiers": asdict(self.classifiers), "labels": asdict(self.noise)},
            "chances": self.chances.as_dict(),
            "items": self.rows(),
        }

    def readme(self, *, made_with: str) -> str:
        """Markdown that describes the data."""
        found = self.chances
        about = (
            f"Each item has a true class, one of {len(self.classes)}. Judge `better` is right about "
            f"{found.better_accuracy:.1%} of all items, judge `worse` about {found.worse_accuracy:.1%}; they say "
            f"something different of {found.disagreement:.1%}. {self._noise()} One label of an item speaks for "
            f"`better` with chance {found.speaks_for_better:.4f} and for `worse` with chance "
            f"{found.speaks_for_worse:.4f}."
        )
        return (
            "# Simulated labels\n\nThe data are simulated, so the truth behind them is known. "
            f"Made with {made_with}.\n\n{about}\n\nPeople labelled {self._labelled()} items.\n\nThe files: "
            "`ratings.csv`, `judges.csv`, and `truth.json` with these chances and with what is true of each item.\n"
        )

    def _labelled(self) -> str:
        total = len(self.items)
        return f"all {total}" if self.labelled == total else f"the first {self.labelled} of the {total}"

    def _noise(self) -> str:
        noise, right = self.noise, self.noise.accuracies()
        text = f"A label is right with chance {self.chances.label_accuracy:.4g} over all items"
        if right[ONLY_BETTER] != right[ONLY_WORSE]:
            text += (
                f", {right[ONLY_BETTER]:.4g} where only `better` is right and {right[ONLY_WORSE]:.4g} where only "
                "`worse` is"
            )
        if noise.difficulty == "same":
            return f"{text}."
        where = {"all": "", "better": " where only `better` is right", "worse": " where only `worse` is right"}
        return f"{text}; items differ in difficulty{where[noise.where]} ({noise.difficulty})."


# ---- Draw noisy labels of people and the predictions of two classifiers about items whose class is known

JUDGES = ("better", "worse")


def simulate_labels(
    classifiers: TwoClassifiers | None = None, noise: LabelNoise | None = None, *, items: int = 200,
    raters: int | tuple[int, int] = 5, pool: int | None = None, unlabelled: int = 0, prevalence: float | None = None,
    rng: int | Generator | None = None,
) -> Simulated[LabelsTruth]:  # fmt: skip
    """Labels of people and predictions of a better and a worse classifier, with the truth behind them.

    `classifiers`: how often each is right; if not given the paper's, of accuracies .75 and .85, independent of each
    other. `noise`: how often labels are right; if not given three in four, on every item. `items`: how many items are
    labelled. `raters`: labels per item: a number, or a range from which each item's number is drawn. `pool`: how many
    raters there are, if more than the labels of an item. `unlabelled`: how many further items only the classifiers see.
    `prevalence`: share of the items in the first class; the other classes are equally frequent, and so are all without
    it. Returns `ratings`, `judges` and `truth`.

    "Don't Label Twice", section 2.

    >>> ratings, judges, truth = simulate_labels(items=20, raters=3, unlabelled=10, rng=0)
    >>> ratings.n_ratings, judges.n_answers, truth.chances.margin
    (60, 60, 0.1)
    """
    if items < 1 or unlabelled < 0:
        raise OptionError(f"{items} items and {unlabelled} unlabelled ones: give at least 1 and at least 0.")
    both = classifiers or TwoClassifiers.independent(accuracy=0.75, margin=0.1)
    labels = noise or LabelNoise()
    panel = Panel(per_item=raters, pool=pool)
    total = items + unlabelled
    check_draws(total, panel.bounds[1])
    check_draws(1, panel.size)
    stream = np.random.default_rng(rng)
    names, classes = numbered("item", total), numbered("class", labels.classes)
    place = stream.random((3, total))
    truth = draw_categories(place[0], np.tile(_prevalences(prevalence, labels.classes), (total, 1)))
    who = draw_categories(place[1], np.tile(both.shares(), (total, 1)))
    accuracy = labels.draw(place[2], who)
    item, rater = assign_raters(stream, panel, items=items)
    given = _answers(truth[item], accuracy[item], labels.classes, stream.random((2, len(item))))
    return Simulated(
        ratings=_ratings(item, rater, given, names=names, panel=panel, classes=classes),
        judges=_judges(truth, who, stream.random((2, total)), names=names, classes=classes),
        truth=LabelsTruth(
            classifiers=both, noise=labels, items=names, classes=classes, truth=truth, who=who, label_accuracy=accuracy,
            labelled=items,
        ),
    )  # fmt: skip


def _prevalences(first: float | None, classes: int) -> Floats:
    if first is None:
        return np.full(classes, 1 / classes)
    if not 0 < first < 1:
        raise OptionError(f"{named('prevalence')} is {first:g}: it must lie between 0 and 1.")
    return np.array([first, *[(1 - first) / (classes - 1)] * (classes - 1)])


def _answers(truth: Codes, right: Floats, classes: int, uniform: Floats) -> Codes:
    """The true class with these chances, otherwise any of the others."""
    step = 1 + np.floor(uniform[1] * (classes - 1)).astype(np.intp)
    return np.asarray(np.where(uniform[0] < right, truth, (truth + step) % classes), dtype=np.intp)


def _ratings(
    item: Codes, rater: Codes, given: Codes, *, names: tuple[str, ...], panel: Panel, classes: tuple[str, ...]
) -> Ratings:
    rated = np.unique(item)  # a range from 0 leaves some items without a label
    row = np.cumsum(np.bincount(item, minlength=len(names)) > 0) - 1
    return Ratings(
        item=row[item], items=tuple(names[i] for i in rated), rater=rater, raters=panel.rater_names(), label=given,
        labels=classes,
    )  # fmt: skip


def _judges(truth: Codes, who: Codes, uniform: Floats, *, names: tuple[str, ...], classes: tuple[str, ...]) -> Judges:
    never = np.zeros(len(truth))
    answers = [
        _answers(truth, np.where((who == 0) | (who == own), 1.0, 0.0), len(classes), np.stack([never, draw]))
        for own, draw in zip((ONLY_BETTER, ONLY_WORSE), uniform, strict=True)
    ]
    n = len(names)
    return Judges(
        item=np.tile(np.arange(n), 2), judge=np.repeat([0, 1], n), sample=np.zeros(2 * n, dtype=np.intp),
        label=np.concatenate(answers), items=names, judges=JUDGES, labels=classes, options=classes,
    )  # fmt: skip
