"""What is true of two classifiers and noisy labels, and how it is told.

A label is right with chance q = 1/K + (1 - 1/K) u for K classes: a share u of the raters know the class of the item,
and the others guess. With two classes q = (1 + u) / 2. A wrong label or prediction is any of the other classes.
"""

import json
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from scipy.special import betaincinv

from dissensus.arrays import Codes, Floats
from dissensus.errors import OptionError
from dissensus.simulation.panels import checked_share

# ---- Two classifiers with known accuracies, and people whose labels are right with known chances

Difficulty = Literal["same", "uniform", "beta"]
DIFFICULTIES: tuple[Difficulty, ...] = ("same", "uniform", "beta")
Where = Literal["all", "better", "worse"]
WHERE: tuple[Where, ...] = ("all", "better", "worse")
FEWEST_CLASSES = 2

BOTH_RIGHT, ONLY_BETTER, ONLY_WORSE, BOTH_WRONG = range(4)
"""Who is right about an item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoClassifiers:
    """How often each of two classifiers is right, in the form in which their errors may go together.

    Attributes
    ----------
    worse_accuracy : float
        Share of the items on which the worse one is right.
    better_if_worse_wrong, better_if_worse_right : float
        Share of the items on which the better one is right, among those on which the worse one is wrong, or right.

    References
    ----------
    "Don't Label Twice", section 3.2.
    """

    worse_accuracy: float
    better_if_worse_wrong: float
    better_if_worse_right: float

    def __post_init__(self) -> None:
        checked_share("--worse-accuracy", self.worse_accuracy)
        checked_share("--better-if-worse-wrong", self.better_if_worse_wrong)
        checked_share("--better-if-worse-right", self.better_if_worse_right)
        if self.margin < 0:
            raise OptionError(
                f"The better classifier has accuracy {self.better_accuracy:g} and the worse one "
                f"{self.worse_accuracy:g}: raise --better-if-worse-wrong or --better-if-worse-right."
            )

    @classmethod
    def independent(cls, *, accuracy: float, margin: float) -> "TwoClassifiers":
        """Classifiers whose errors have nothing to do with each other.

        Parameters
        ----------
        accuracy, margin : float
            Accuracy of the worse one, and by how much the better one's is higher.

        Examples
        --------
        >>> both = TwoClassifiers.independent(accuracy=0.75, margin=0.1)
        >>> [round(float(share), 4) for share in both.shares()]
        [0.6375, 0.2125, 0.1125, 0.0375]
        """
        checked_share("--accuracy", accuracy)
        if not (margin >= 0 and accuracy + margin <= 1):
            raise OptionError(
                f"--accuracy {accuracy:g} and --margin {margin:g}: the better classifier would have accuracy "
                f"{accuracy + margin:g}; give a margin from 0 to {1 - accuracy:g}."
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
    """How often labels are right.

    Attributes
    ----------
    label_accuracy : float
        Chance that a label is right, averaged over items.
    better, worse : float, optional
        The same where only the better classifier is right, and where only the worse one is; as everywhere if not given.
    difficulty : {"same", "uniform", "beta"}
        Whether items are alike, or u, the share of the raters who know the class, is drawn for each item: uniform, as
        wide around its mean as it can be, or from a beta distribution.
    concentration : float
        Sum of the two parameters of the beta distribution: the smaller, the more items differ.
    where : {"all", "better", "worse"}
        On which items difficulty differs: on all, or where only the better, or only the worse, classifier is right.
    classes : int
        How many classes there are.
    """

    label_accuracy: float = 0.75
    better: float | None = None
    worse: float | None = None
    difficulty: Difficulty = "same"
    concentration: float = 2.0
    where: Where = "all"
    classes: int = 2

    def __post_init__(self) -> None:
        if self.classes < FEWEST_CLASSES:
            raise OptionError(f"--classes is {self.classes}: there must be two or more.")
        if self.difficulty not in DIFFICULTIES:
            raise OptionError.unknown("--difficulty", self.difficulty, DIFFICULTIES)
        if self.where not in WHERE:
            raise OptionError.unknown("--difficulty-where", self.where, WHERE)
        if not 0 < self.concentration < np.inf:
            raise OptionError(
                f"--concentration is {self.concentration:g}: it must be above 0 and finite. Items that are alike are "
                "--difficulty same."
            )
        names = ("--label-accuracy", "--label-accuracy-better", "--label-accuracy-worse")
        for name, value in zip(names, (self.label_accuracy, self.better, self.worse), strict=True):
            if value is not None and not 1 / self.classes < value <= 1:
                raise OptionError(
                    f"{name} is {value:g}: with {self.classes} classes it must lie above {1 / self.classes:g}, which "
                    "is guessing, and be at most 1."
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
        """Chance that a label of each item is right.

        Parameters
        ----------
        uniform : ndarray of shape (n_items,)
            Numbers in [0, 1).
        who : ndarray of shape (n_items,)
            Who is right about each item.
        """
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


# ---- What is true of two classifiers and noisy labels, and how it is told

DIGITS = 12
ITEM_DIGITS = 6
WHO = ("both", "better", "worse", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChances:
    """Chances in the population, computed and not estimated.

    Attributes
    ----------
    worse_accuracy, better_accuracy, margin : float
        Accuracies of the two classifiers, and their difference.
    disagreement : float
        Share of the items on which the two say something different.
    only_better, only_worse, both_wrong_and_different : float
        The three ways to disagree; with two classes the last is 0.
    label_accuracy : float
        Chance that a label is right, over all items.
    label_accuracy_if_different : float
        The same over the items on which the classifiers disagree; NaN if they never do.
    known, known_squared : float
        Mean of u and of its square over all items, where u is the share of the raters who know.
    pairwise_agreement : float
        Chance that two labels of an item are the same.
    speaks_for_better, speaks_for_worse : float
        Chance that one label of an item equals the prediction of the better classifier and not that of the worse one,
        and the other way round.
    """

    worse_accuracy: float
    better_accuracy: float
    margin: float
    disagreement: float
    only_better: float
    only_worse: float
    both_wrong_and_different: float
    label_accuracy: float
    label_accuracy_if_different: float
    known: float
    known_squared: float
    pairwise_agreement: float
    speaks_for_better: float
    speaks_for_worse: float

    def as_dict(self) -> dict[str, float | None]:
        """The chances as the JSON has them."""
        return {name: None if np.isnan(value) else round(value, DIGITS) for name, value in asdict(self).items()}


def chances_of(classifiers: TwoClassifiers, noise: LabelNoise) -> LabelChances:
    """What is true of so many classes, classifiers and labels.

    Examples
    --------
    >>> found = chances_of(TwoClassifiers.independent(accuracy=0.75, margin=0.1), LabelNoise(label_accuracy=0.75))
    >>> round(found.speaks_for_better, 4), round(found.speaks_for_worse, 4), round(found.disagreement, 4)
    (0.1875, 0.1375, 0.325)
    """
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
        worse_accuracy=classifiers.worse_accuracy,
        better_accuracy=classifiers.better_accuracy,
        margin=classifiers.margin,
        disagreement=float(different.sum()),
        only_better=float(a),
        only_worse=float(b),
        both_wrong_and_different=float(apart),
        label_accuracy=float(share @ right),
        label_accuracy_if_different=float(if_different / different.sum()) if different.sum() > 0 else float("nan"),
        known=float(share @ known),
        known_squared=float(share @ squared),
        pairwise_agreement=float(guess + (1 - guess) * (share @ squared)),
        speaks_for_better=float(right[ONLY_BETTER] * a + other[ONLY_WORSE] * b + other[BOTH_WRONG] * apart),
        speaks_for_worse=float(other[ONLY_BETTER] * a + right[ONLY_WORSE] * b + other[BOTH_WRONG] * apart),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelsTruth:
    """From what the data were drawn.

    Attributes
    ----------
    classifiers, noise
        The population.
    items, classes : tuple of str
        Names.
    truth, who : ndarray of shape (n_items,)
        The true class of each item, and who is right about it.
    label_accuracy : ndarray of shape (n_items,)
        Chance that a label of the item is right.
    labelled : int
        How many items, the first ones, were labelled.
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

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.as_dict(), indent=1) + "\n"

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
        said = f"A label is right with chance {self.chances.label_accuracy:.4g} over all items"
        if right[ONLY_BETTER] != right[ONLY_WORSE]:
            said += (
                f", {right[ONLY_BETTER]:.4g} where only `better` is right and {right[ONLY_WORSE]:.4g} where only "
                "`worse` is"
            )
        if noise.difficulty == "same":
            return f"{said}."
        where = {"all": "", "better": " where only `better` is right", "worse": " where only `worse` is right"}
        return f"{said}; items differ in difficulty{where[noise.where]} ({noise.difficulty})."
