"""What is true of two classifiers and noisy labels, and how it is told."""

import json
from dataclasses import asdict, dataclass

import numpy as np

from dissensus.simulation.labels_population import (
    BOTH_WRONG,
    ONLY_BETTER,
    ONLY_WORSE,
    LabelNoise,
    TwoClassifiers,
)
from dissensus.simulation.panels import Codes
from dissensus.simulation.probabilities import Floats

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
