"""Judges: what classifiers and models answered, sample by sample or as probabilities."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes
from dissensus.data.coding import compact, rows_among
from dissensus.data.fixes import about_foreign_labels
from dissensus.data.ratings import (
    ELICITATIONS,
    Provenance,
    Ratings,
    ShownData,
    check_labels,
    copied_names,
    copied_rows,
    listed_labels,
)
from dissensus.errors import JudgesError, OptionError, counted, likely, listed, named
from dissensus.results import Message

LabelScores = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""From predictions of shape (..., n_labels): what each label would score, of the same shape."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutputMoments:
    """Mean and covariance, within each item that stands for many, of what each label would score.

    A judge that gives another probability on every item leaves nothing to put together but items with the same label
    counts. For a score that is a mean over items these moments tell its value exactly, and how it varies from one
    bootstrap sample to the next as well as a normal distribution can.
    """

    labels: tuple[str, ...]  # those of the raters, then those that only judges know
    mean: npt.NDArray[np.float64]  # (n_items, n_judges, n_labels): mean over the copies of an item
    # (n_items, n_judges * n_labels, n_judges * n_labels): over the copies, divided by their number.
    covariance: npt.NDArray[np.float64]
    scored_by: LabelScores  # what made scores of outputs; equal to another that scores the same

    def of(self, items: Codes, judges: Codes) -> "OutputMoments":
        """The moments of these items and judges."""
        n_labels = len(self.labels)
        own = (judges[:, None] * n_labels + np.arange(n_labels)).ravel()
        return OutputMoments(
            labels=self.labels,
            mean=self.mean[np.ix_(items, judges)],
            covariance=self.covariance[np.ix_(items, own, own)],
            scored_by=self.scored_by,
        )


SUM_TOLERANCE = 1e-6
ORDERS = ("ab", "ba")
"""In which the two outputs of a pair were shown."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judges(ShownData):
    """What judges answered: labels, probabilities or both, once or many times.

    Attributes
    ----------
    item, judge : ndarray of shape (n_answers,)
        Codes into `items` and `judges`.
    sample : ndarray of shape (n_answers,)
        Which of the judge's answers to the item this is, from 0.
    label : ndarray of shape (n_answers,)
        Codes into `labels`; -1 where the judge gave probabilities only.
    probability : ndarray of shape (n_answers, n_labels), optional
        Probability of each label; a row of NaN where the judge gave a label only.
    elicitation : ndarray of shape (n_answers,), optional
        0 for a forced choice, 1 for a response set, -1 where nobody knows.
    order : ndarray of shape (n_answers,), optional
        0 where a pair was shown as ab, 1 where as ba, -1 where nobody knows. Labels are about a and b, not places.
    moments : OutputMoments, optional
        What the outputs would score, where items were put together that differ in them; then `probability` has the mean
        output of each.
    totals : tuple of int, optional
        How many items of the data have an answer, and how many answers there are, where identical items were merged.
    items, judges, labels, options : tuple of str
        Names, as in Ratings.
    warnings : tuple of str
        What was left out or fixed when the data were read, and why.
    provenance : Provenance, optional
        The file that the answers came from.
    questions : mapping of str to Judges
        The answers to each question, as in Ratings.
    """

    item: Codes
    judge: Codes
    sample: Codes
    label: Codes
    items: tuple[str, ...]
    judges: tuple[str, ...]
    labels: tuple[str, ...]
    options: tuple[str, ...]
    probability: npt.NDArray[np.float64] | None = None
    elicitation: Codes | None = None
    order: Codes | None = None
    moments: OutputMoments | None = None
    totals: tuple[int, int] | None = None
    warnings: tuple[str, ...] = ()
    provenance: Provenance | None = None
    questions: Mapping[str, "Judges"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits = {
            "item": (0, len(self.items)),
            "judge": (0, len(self.judges)),
            "sample": (0, None),
            "label": (-1, len(self.labels)),
            "elicitation": (-1, len(ELICITATIONS)),
            "order": (-1, len(ORDERS)),
        }
        for name, (lowest, size) in limits.items():
            self._check_codes(name, len(self.item), lowest, size, error=JudgesError)
        object.__setattr__(self, "warnings", tuple(map(Message, self.warnings)))
        check_labels(self.labels, self.options, error=JudgesError)
        if self.probability is not None:
            object.__setattr__(self, "probability", self._checked_probability(self.probability))
        silent = int(np.sum(self._is_bare() & (self.label < 0)))
        if silent:
            raise JudgesError(f"{counted(silent, 'answer')} with neither a label nor probabilities: leave them out.")

    def _checked_probability(self, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
        probability = np.array(given, dtype=np.float64)
        shape = (len(self.item), len(self.labels))
        if probability.shape != shape:
            answers, labels = counted(shape[0], "answer"), counted(shape[1], "label")
            raise JudgesError(f"Probabilities of shape {probability.shape}: {answers} and {labels} need {shape}.")
        known = probability[~np.isnan(probability).all(axis=1)]
        if not (np.all(known >= 0) and np.all(np.abs(known.sum(axis=1) - 1) <= SUM_TOLERANCE)):
            raise JudgesError("Each row of probabilities must be 0 or more and sum to 1, or be NaN throughout.")
        probability.flags.writeable = False
        return probability

    def _is_bare(self) -> npt.NDArray[np.bool_]:
        """Which answers come without probabilities."""
        bare = np.ones(len(self.item), dtype=np.bool_)
        return bare if self.probability is None else np.asarray(np.isnan(self.probability).any(axis=1))

    def __len__(self) -> int:
        """How many answers there are."""
        return self.n_answers

    def shape(self) -> str:
        """How many answers of which judges on how many items, and the labels."""
        who = f"{counted(len(self.judges), 'judge')} ({listed(list(self.judges))})"
        items = counted(len(self.items), "item")
        return f"{counted(self.n_answers, 'answer')} of {who} on {items}; {listed_labels(self.labels)}"

    def rows(self) -> list[dict[str, object]]:
        """One row per answer."""
        if self.questions:
            return [{"question": q, **row} for q, own in self.questions.items() for row in own.rows()]
        columns: dict[str, Sequence[object]] = {
            "item": [self.items[i] for i in self.item],
            "judge": [self.judges[i] for i in self.judge],
            "sample": self.sample.tolist(),
            "label": [None if i < 0 else self.labels[i] for i in self.label],
        }
        if self.probability is not None:
            columns |= {f"p_{label}": self.probability[:, i].tolist() for i, label in enumerate(self.labels)}
        if self.elicitation is not None:
            columns["elicitation"] = [None if i < 0 else ELICITATIONS[i] for i in self.elicitation]
        if self.order is not None:
            columns["order"] = [None if i < 0 else ORDERS[i] for i in self.order]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @property
    def n_answers(self) -> int:
        """How many answers there are, samples counted one by one."""
        return len(self.item)

    def __getitem__(self, judge: str) -> "Judges":
        """The answers of one judge."""
        if judge not in self.judges:
            hint = likely(judge, self.judges)
            raise OptionError(f"There is no judge {judge!r}: the judges are {listed(self.judges)}.{hint}")
        return self.where(self.judge == self.judges.index(judge))

    def only(self, names: Sequence[str] | None) -> "Judges":
        """The answers of these judges; of all if None."""
        if names is None:
            return self
        for name in names:
            self[name]  # raises for an unknown judge
        return self.where(np.isin(self.judge, [self.judges.index(name) for name in names]))

    def labels_used(self) -> npt.NDArray[np.bool_]:
        """Which labels these judges gave, or gave a probability; others belong to judges that were not chosen."""
        used = np.bincount(self.label[self.label >= 0], minlength=len(self.labels)) > 0
        return used if self.probability is None else used | (np.nan_to_num(self.probability) > 0).any(axis=0)

    def stated(self) -> "Judges":
        """The same with hard answers: a label that a judge states stands for the probabilities beside it.

        Answers of probabilities alone stay as they are, since their most likely label is known only after the samples
        of an item are put together.
        """
        if self.probability is None or not (self.label[~self._is_bare()] >= 0).any():
            return self
        return replace(self, probability=np.where(self.label[:, None] >= 0, np.nan, self.probability))

    def where(self, mask: npt.NDArray[np.bool_]) -> "Judges":
        """The answers at these rows, with the items and judges that are left."""
        item, items = compact(self.item[mask], self.items)
        judge, judges = compact(self.judge[mask], self.judges)
        if mask.all() and (items, judges) == (self.items, self.judges):
            return self
        places = rows_among(items, self.items), rows_among(judges, self.judges)
        return replace(
            self, item=item, items=items, judge=judge, judges=judges, sample=self.sample[mask], label=self.label[mask],
            probability=None if self.probability is None else self.probability[mask],
            elicitation=None if self.elicitation is None else self.elicitation[mask],
            order=None if self.order is None else self.order[mask],
            moments=None if self.moments is None else self.moments.of(*places),
        )  # fmt: skip

    def expanded(self, ratings: Ratings) -> "Judges":
        """The same on the items of `ratings.expanded()`: an answer for each rated item of the data."""
        if ratings.copies is None:
            return self
        copies = dict(zip(ratings.items, ratings.copies.tolist(), strict=True))
        times = np.array([copies.get(item, 0) for item in self.items], dtype=np.intp)
        row, item = copied_rows(self.item, times)
        names = ("judge", "sample", "label", "probability", "elicitation", "order")
        taken = {name: values[row] for name in names if (values := getattr(self, name)) is not None}
        return replace(self, item=item, items=copied_names(self.items, times), **taken)

    def on_items_of(self, ratings: Ratings) -> "Judges":
        """The answers on items that people rated; an error if a judge gave none.

        The warnings say how many items without a rating were left out, and how many rated items no judge answered.
        """
        shared = _among(self.items, ratings.items)
        if not shared.any():
            if not self.items:
                raise JudgesError("No judge answered any of the rated items.")
            raise JudgesError(
                f"The judges share no item with the ratings: theirs are {listed(self.items)}; "
                f"rated are {listed(ratings.items)}. Check that the item columns hold the same ids."
            )
        self.check_answered(ratings.items)
        kept = self.where(shared[self.item])
        warnings = [*about_foreign_labels(kept, ratings.options), *self.warnings]
        silent = ~_among(ratings.items, self.items)
        unrated = int(np.sum(~shared))
        unanswered = int(np.sum(silent if ratings.copies is None else ratings.copies[silent]))
        if unrated:
            warnings.append(f"Left out {counted(unrated, 'item')} that judges answered and nobody rated.")
        if unanswered:
            warnings.append(f"No judge answered {unanswered:,} of the {counted(ratings.items_in_all, 'rated item')}.")
        return replace(kept, warnings=tuple(warnings))

    def check_answered(self, rated: Collection[str]) -> None:
        """Raise if a judge answered none of the rated items: it would be left out without a word."""
        is_rated = _among(self.items, rated)[self.item]
        answered = np.bincount(self.judge[is_rated], minlength=len(self.judges)) > 0
        silent = [name for name, any_answer in zip(self.judges, answered, strict=True) if not any_answer]
        if silent:
            raise JudgesError(
                f"{'The judge' if len(silent) == 1 else 'The judges'} {listed(silent)} answered none of the rated "
                f"items: check the item ids, or name the judges to compare with {named('judge')}."
            )

    def distributions(
        self, place: Codes | None = None, n_places: int | None = None
    ) -> tuple[Codes, Codes, npt.NDArray[np.float64]]:
        """Each judge's mean answer to each item, over all samples and elicitations.

        Parameters
        ----------
        place : ndarray, optional
            For each label its place among other labels, where several may share one; its own if not given.
        n_places : int, optional
            How many other labels there are.

        Returns
        -------
        judge, item : ndarray of shape (n_pairs,)
            Every pair of judge and item that has an answer, ordered by judge, then item.
        probability : ndarray of shape (n_pairs, n_places)
            Mean over the samples; a sample with a label only counts as all of its probability on that label.
        """
        place = np.arange(len(self.labels)) if place is None else place
        n_places = len(self.labels) if n_places is None else n_places
        judge, item, position = self._pairs()
        is_bare = self._is_bare()
        given = position[is_bare] * n_places + place[self.label[is_bare]]
        total = np.bincount(given, minlength=len(judge) * n_places).reshape(len(judge), n_places).astype(np.float64)
        if self.probability is not None:
            for label, of_label in enumerate(self.probability[~is_bare].T):
                total[:, place[label]] += np.bincount(position[~is_bare], weights=of_label, minlength=len(judge))
        return judge, item, total / np.bincount(position, minlength=len(judge))[:, None]

    def mean_numbers(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The mean answer as a number for each pair of `distributions`, from a number for each label."""
        _, item, position = self._pairs()
        is_bare = self._is_bare()
        values = np.empty(len(position))
        values[is_bare] = numbers[self.label[is_bare]]
        if self.probability is not None:
            values[~is_bare] = self.probability[~is_bare] @ numbers
        return np.bincount(position, weights=values, minlength=len(item)) / np.bincount(position, minlength=len(item))

    def _pairs(self) -> tuple[Codes, Codes, Codes]:
        """Judge and item of each pair that has an answer, and for each answer which pair it belongs to."""
        n_items = max(1, len(self.items))
        code = self.judge * n_items + self.item
        if n_items * len(self.judges) <= 2 * len(code):  # most pairs occur: no sorting
            occurs = np.bincount(code) > 0
            pair, position = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[code]
        else:
            pair, position = np.unique(code, return_inverse=True)
        return pair // n_items, pair % n_items, position

    def describe_data(self) -> Mapping[str, object]:
        """Shape and origin of the data, for the `data` part of the JSON."""
        origin = {} if self.provenance is None else self.provenance.as_dict()
        items, answers = (len(self.items), self.n_answers) if self.totals is None else self.totals
        return {
            **origin,
            "items": items,
            "judges": list(self.judges),
            "answers": answers,
            "labels": list(self.labels),
            "has_probabilities": self.probability is not None,
            **({"questions": list(self.questions)} if self.questions else {}),
        }


def _among(names: tuple[str, ...], others: Collection[str]) -> npt.NDArray[np.bool_]:
    """Which of the names are among the others."""
    if names == others:
        return np.ones(len(names), dtype=np.bool_)
    known = set(others)
    return np.array([name in known for name in names], dtype=np.bool_)
