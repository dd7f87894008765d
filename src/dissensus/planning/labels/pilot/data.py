"""A pilot as counts: how often the labels of an item say what model A, or model B, says of it.

Items with the same counts are the same item, so a pilot collapses to its kinds of items and how many items each has.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.labels import SEPARATOR

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]
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
            drawn[1:, part] = rng.multinomial(total, kinds.items[part] / total, size=bootstrap)
    return drawn
