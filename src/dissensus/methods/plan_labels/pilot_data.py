"""A pilot as counts: how often the labels of an item say what model A, or model B, says of it.

Items with the same counts are the same item, so a pilot collapses to its kinds of items and how many items each has.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.labels import SEPARATOR
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.sampling.draws import draw_weights

# ---- A pilot as counts: how often the labels of an item say what model A, or model B, says of it

Pair = tuple[str, str]

UNKNOWN, SAME, DIFFERENT = range(3)
"""Whether one of the models did not answer, both say the same, or something different."""
TWO = 2
MOST_OUTSIDE = 0.5
"""Share of a model's answers that may be labels that no rater gave."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kinds:
    """The kinds of items of a pilot; an array has an entry for each kind.

    Attributes
    ----------
    items : ndarray of shape (n_kinds,)
        How many items are of this kind.
    answers : ndarray of shape (n_kinds,)
        UNKNOWN, SAME or DIFFERENT.
    for_a, for_b : ndarray of shape (n_kinds,)
        How many labels say what A says, and what B says.
    counts : ndarray of shape (n_kinds, n_classes)
        How many labels each class got, the largest number first, whatever the class.
    """

    items: Codes
    answers: Codes
    for_a: Codes
    for_b: Codes
    counts: Codes

    @property
    def labels(self) -> Codes:
        """How many labels an item of each kind has."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.counts.shape[1])

    def with_labels(self, fewest: int, *, different: bool = False) -> Flags:
        """Which kinds have at least so many labels, and different answers if that is asked for."""
        enough = self.labels >= fewest
        return enough & (self.answers == DIFFERENT) if different else enough

    def number(self, which: Flags) -> int:
        """How many items are of these kinds."""
        return int(self.items[which].sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PilotData:
    """The kinds of items, the names of A and B, and what was left out."""

    kinds: Kinds
    names: Pair
    warnings: tuple[str, ...]


def pilot_data(ratings: Ratings, judges: Judges, *, a: str | None = None, b: str | None = None) -> PilotData:
    """The pilot in counts; an error says why it cannot serve.

    Parameters
    ----------
    ratings, judges
        The data.
    a, b : str, optional
        The models; may be left out if there are just two.
    """
    names = _two(judges, a, b)
    warnings: list[str] = []
    people = _single_labels(ratings, warnings)
    said = [_predictions(judges, name, warnings) for name in names]
    for name, own in zip(names, said, strict=True):
        _check_labels(name, own, people)
    classes = _classes(people, said)
    items = tuple(dict.fromkeys([*people.items, *judges.items]))
    counts = _counts(people, items, classes)
    place = {label: i for i, label in enumerate(classes)}
    coded = [np.array([place.get(own.get(item, ""), -1) for item in items]) for own in said]
    return PilotData(kinds=_kinds(counts, *coded), names=names, warnings=tuple(warnings))


def _two(judges: Judges, a: str | None, b: str | None) -> Pair:
    known = judges.judges
    if len(known) < TWO:
        raise JudgesError(f"There is one model only, {listed(known)}: a pilot needs the answers of two.")
    if a is None and b is None and len(known) == TWO:
        return known[0], known[1]
    if a is None or b is None:
        raise OptionError(f"Name the two models of the pilot with --a and --b: there are {listed(known)}.")
    if a == b:
        raise OptionError(f"--a and --b are both {a}: name two different models.")
    for name in (a, b):
        judges[name]  # raises for an unknown one
    return a, b


def _single_labels(ratings: Ratings, warnings: list[str]) -> Ratings:
    if ratings.scale == "interval":
        raise RatingsError(
            f"The pilot's labels are measurements ({listed(ratings.labels)}), and a plan of labels is about classes: "
            "recode them as classes, or read them with --scale nominal."
        )
    if not ratings.has_response_sets:
        return ratings
    single = ratings.label < len(ratings.options)
    if not single.any():
        raise RatingsError("Every rating of the pilot names several options: a plan of labels needs one label each.")
    warnings.append(f"Left out {counted(int(np.sum(~single)), 'rating')} of the pilot that name several options.")
    return ratings.where(single)


def _predictions(judges: Judges, name: str, warnings: list[str]) -> dict[str, str]:
    """What a model says of each item: its most probable label over all samples."""
    own = judges[name]
    _, item, probability = own.distributions()
    best = probability.argmax(axis=1)
    top = probability.max(axis=1, keepdims=True)
    tied = int(np.sum((probability >= top - 1e-12).sum(axis=1) > 1))
    if tied:
        warnings.append(f"{name} finds two labels equally probable for {counted(tied, 'item')}: the first counts.")
    labels = [own.labels[code] for code in best.tolist()]
    several = [label for label in labels if SEPARATOR in label]
    if several:
        raise JudgesError(
            f"{name} answers {counted(len(several), 'item')} with several options, such as {several[0]}: a plan of "
            "labels needs one label each."
        )
    return dict(zip((own.items[i] for i in item.tolist()), labels, strict=True))


def _check_labels(name: str, said: dict[str, str], people: Ratings) -> None:
    """Raise where a model and the raters do not speak of the same classes."""
    strange = [label for label in said.values() if label not in people.options]
    if len(strange) > MOST_OUTSIDE * len(said):
        raise JudgesError(
            f"{name} answers {len(strange):,} of {counted(len(said), 'item')} with labels that no rater gave "
            f"({listed(list(dict.fromkeys(strange)))}); raters gave {listed(people.options)}. Turn its answers into "
            "these."
        )


def _classes(people: Ratings, said: list[dict[str, str]]) -> tuple[str, ...]:
    """What raters could choose, and what only models said."""
    predicted = sorted({label for own in said for label in own.values()} - set(people.options))
    return (*people.options, *predicted)


def _counts(people: Ratings, items: tuple[str, ...], classes: tuple[str, ...]) -> Codes:
    """How often each item got each class, of shape (n_items, n_classes); rated items stand first."""
    counts = np.zeros((len(items), len(classes)), dtype=np.intp)
    counts[: people.n_items, : people.n_labels] = people.counts()
    return counts


def _kinds(counts: Codes, a: Codes, b: Codes) -> Kinds:
    row = np.arange(len(counts))
    answered = (a >= 0) & (b >= 0)
    answers = np.where(answered, np.where(a == b, SAME, DIFFERENT), UNKNOWN)
    for_a, for_b = (np.where(answered, counts[row, np.maximum(said, 0)], 0) for said in (a, b))
    folded = -np.sort(-counts, axis=1)
    found, items = np.unique(np.column_stack([answers, for_a, for_b, folded]), axis=0, return_counts=True)
    return Kinds(
        items=items.astype(np.intp), answers=found[:, 0], for_a=found[:, 1], for_b=found[:, 2], counts=found[:, 3:]
    )


def resampled(kinds: Kinds, bootstrap: int, rng: Generator) -> Floats:
    """How many items of each kind there are, in the pilot (first row) and in each of its bootstrap samples.

    Labelled items and those that only the models answered are drawn apart: their numbers are the pilot's design.

    Returns
    -------
    ndarray of shape (1 + bootstrap, n_kinds)
    """
    drawn = np.zeros((1 + bootstrap, len(kinds.items)))
    drawn[0] = kinds.items
    labelled = kinds.with_labels(1)
    for part in (labelled, ~labelled):
        total = kinds.number(part)
        if total and bootstrap:
            drawn[1:, part] = draw_weights(int(part.sum()), bootstrap, rng, copies=kinds.items[part])
    return drawn


# ---- What a pilot says of two models and of the labels

Noise = Literal["no sign", "favours better", "favours worse", "cannot tell"]
TWO_CLASSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number and its interval; the bounds are NaN without a bootstrap."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PilotDraws:
    """What a plan needs, in each bootstrap sample of the pilot; each of shape (n_samples,).

    Attributes
    ----------
    disagreement, margin, label_accuracy, both_wrong : ndarray
        As in `LabelPilot`, the label accuracy that of `for_plan`. A negative margin means that the other model is the
        better one there; where a label is right no more often than by guessing, the margin is as large as it can be.
    """

    disagreement: Floats
    margin: Floats
    label_accuracy: Floats
    both_wrong: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelPilot:
    """What a pilot says of two models and of the labels.

    Attributes
    ----------
    a, b, better, worse : str
        The models, as given and as the labels rank them.
    classes : int
        How many classes there are.
    items, labelled, repeated, repeated_apart : int
        Items that both models answered; those of them with a label; items with two labels or more; those of them on
        which the models differ.
    labels : int
        All labels.
    disagreement : Estimate
        Share of the items on which the models differ.
    margin : Estimate
        By how much the accuracy of the better model is higher, corrected for wrong labels.
    both_wrong : Estimate
        Share of the items on which both models are wrong and differ; 0 with two classes.
    worse_accuracy : Estimate
        Accuracy of the worse model, corrected for wrong labels.
    share_other : float
        Share of the bootstrap samples in which the other model is the better one; NaN without a bootstrap.
    label_accuracy : Estimate
        How often a label is right, over all items with two labels or more, which may differ in difficulty.
    label_accuracy_apart : Estimate, optional
        The same over the items on which the models differ, which is what a plan needs; None if they are too few.
    label_accuracy_least, label_accuracy_most : Estimate
        The least and the most that the agreement of two labels allows, over all items. The most is what one finds if
        all items are taken to be equally difficult.
    known, concentration : float
        Mean of u over items and its concentration, for the items of `for_plan`: u is the share of the raters who know
        an item's class. An infinite concentration means that items are alike.
    concentration_everywhere : float
        The same for the items of `label_accuracy`.
    is_spread_told : bool
        Whether enough items have four labels to tell how far items differ in difficulty.
    noise : {"no sign", "favours better", "favours worse", "cannot tell"}
        Whom the labels' errors seem to favour.
    label_accuracy_better, label_accuracy_worse, noise_gap : Estimate, optional
        How often a label is right where only the better model is right, where only the worse one is, and the
        difference, if items are alike within these two parts (assumption 1 is that it is not below 0); None where the
        pilot cannot tell.
    margin_by_sides : Estimate, optional
        The margin, if items are alike within these two parts; `margin` takes labels to be as often right in both.
    difficulty_gap : Estimate, optional
        By how much difficulties that differ harm the majority of three labels more where the better model is right,
        as a share of all items, if labels are as often right in both parts (assumption 2 is that it is not below 0).
    gain_of_three : Estimate, optional
        By what factor the difference of the models grows with the majority of three labels, whatever the noise; one
        label each for three times as many items is worth the root of three.
    draws : PilotDraws
        For the intervals of a plan.
    assumptions, warnings : tuple of str
        What no pilot can check, and what was found amiss.
    """

    a: str
    b: str
    better: str
    worse: str
    classes: int
    items: int
    labelled: int
    repeated: int
    repeated_apart: int
    labels: int
    disagreement: Estimate
    margin: Estimate
    both_wrong: Estimate
    worse_accuracy: Estimate
    share_other: float
    label_accuracy: Estimate
    label_accuracy_apart: Estimate | None
    label_accuracy_least: Estimate
    label_accuracy_most: Estimate
    known: float
    concentration: float
    concentration_everywhere: float
    is_spread_told: bool
    noise: Noise
    label_accuracy_better: Estimate | None
    label_accuracy_worse: Estimate | None
    noise_gap: Estimate | None
    margin_by_sides: Estimate | None
    difficulty_gap: Estimate | None
    gain_of_three: Estimate | None
    draws: PilotDraws
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def for_plan(self) -> Estimate:
        """The label accuracy that a plan needs: where the models differ, or over all items if these are too few."""
        return self.label_accuracy if self.label_accuracy_apart is None else self.label_accuracy_apart

    def as_dict(self) -> dict[str, object]:
        """The findings as the JSON has them: estimates with their intervals, no draws."""
        found: dict[str, object] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, Estimate):
                found[name] = value.as_dict()
            elif name not in {"draws", "warnings"}:
                found[name] = list(value) if isinstance(value, tuple) else value
        return found
