from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dissensus.errors import JudgesError, OptionError, listed
from dissensus.ratings.coding import Codes, compact
from dissensus.ratings.provenance import Provenance
from dissensus.ratings.table import ELICITATIONS, Ratings


@dataclass(frozen=True, kw_only=True, eq=False)
class Judges:
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
        0 for a forced choice, 1 for a response set, -1 where it was not said.
    items, judges, labels, options : tuple of str
        Names, as in Ratings.
    warnings : tuple of str
        What was left out or mended when the data were read, and why.
    provenance : Provenance, optional
        The file that the answers came from.
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
    warnings: tuple[str, ...] = ()
    provenance: Provenance | None = None

    def __post_init__(self) -> None:
        limits = {"item": (0, len(self.items)), "judge": (0, len(self.judges)), "sample": (0, None),
                  "label": (-1, len(self.labels)), "elicitation": (-1, len(ELICITATIONS))}  # fmt: skip
        for name, (lowest, size) in limits.items():
            if getattr(self, name) is None:
                continue
            codes = np.array(getattr(self, name), dtype=np.intp)
            if codes.shape != np.shape(self.item):
                raise JudgesError(f"{len(self.item)} items but {codes.size} entries in {name}: each answer needs one.")
            if codes.size and (codes.min() < lowest or (size is not None and codes.max() >= size)):
                raise JudgesError(f"Codes of {name} run from {codes.min()} to {codes.max()}: not its {size} names.")
            codes.flags.writeable = False
            object.__setattr__(self, name, codes)
        if self.probability is not None:
            object.__setattr__(self, "probability", self._checked_probability(self.probability))

    def _checked_probability(self, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
        probability = np.array(given, dtype=np.float64)
        if probability.shape != (len(self.item), len(self.labels)):
            raise JudgesError(f"Probabilities of shape {probability.shape}, where {len(self.item)} answers and "
                              f"{len(self.labels)} labels need {(len(self.item), len(self.labels))}.")  # fmt: skip
        probability.flags.writeable = False
        return probability

    @property
    def n_answers(self) -> int:
        """How many answers there are, samples counted one by one."""
        return len(self.item)

    def __getitem__(self, judge: str) -> "Judges":
        """The answers of one judge."""
        if judge not in self.judges:
            raise OptionError(f"There is no judge {judge!r}: the judges are {listed(self.judges)}.")
        return self.where(self.judge == self.judges.index(judge))

    def where(self, mask: npt.NDArray[np.bool_]) -> "Judges":
        """The answers at these rows, with the items and judges that are left."""
        item, items = compact(self.item[mask], self.items)
        judge, judges = compact(self.judge[mask], self.judges)
        return replace(
            self,
            item=item,
            items=items,
            judge=judge,
            judges=judges,
            sample=self.sample[mask],
            label=self.label[mask],
            probability=None if self.probability is None else self.probability[mask],
            elicitation=None if self.elicitation is None else self.elicitation[mask],
        )

    def on_items_of(self, ratings: Ratings) -> "Judges":
        """The answers on items that people rated; an error if there is none.

        The warnings say how many answers have no rated item, and how many rated items no judge answered.
        """
        rated = set(ratings.items)
        shared = np.array([name in rated for name in self.items], dtype=np.bool_)
        if not shared.any():
            raise JudgesError(
                f"The judges share no item with the ratings: theirs are {listed(self.items)}; "
                f"rated are {listed(ratings.items)}. Check that the item columns hold the same ids."
            )
        kept = self.where(shared[self.item])
        warnings = list(self.warnings)
        if not shared.all():
            warnings.append(f"{int((~shared).sum())} items that judges answered have no rating and were left out.")
        unanswered = ratings.n_items - int(shared.sum())
        if unanswered:
            warnings.append(f"{unanswered} of {ratings.n_items} rated items were answered by no judge.")
        return replace(kept, warnings=tuple(warnings))

    def distributions(self) -> tuple[Codes, Codes, npt.NDArray[np.float64]]:
        """Each judge's mean answer to each item.

        Returns
        -------
        judge, item : ndarray of shape (n_pairs,)
            Every pair of judge and item that has an answer, ordered by judge, then item.
        probability : ndarray of shape (n_pairs, n_labels)
            Mean over the samples; a sample with a label only counts as all of its probability on that label.
        """
        each = np.zeros((self.n_answers, len(self.labels))) if self.probability is None else self.probability.copy()
        bare = np.flatnonzero(np.isnan(each).any(axis=1) if self.probability is not None else self.label >= 0)
        each[bare] = 0.0
        each[bare, self.label[bare]] = 1.0
        pair, position = np.unique(self.judge * len(self.items) + self.item, return_inverse=True)
        total = np.zeros((len(pair), len(self.labels)))
        np.add.at(total, position, each)
        mean = total / np.bincount(position)[:, None]
        return pair // len(self.items), pair % len(self.items), mean

    def describe_data(self) -> Mapping[str, object]:
        """Shape and origin of the data, for the `data` part of the JSON."""
        origin = {} if self.provenance is None else self.provenance.as_dict()
        return {
            **origin,
            "items": len(self.items),
            "judges": list(self.judges),
            "answers": self.n_answers,
            "labels": list(self.labels),
            "has_probabilities": self.probability is not None,
        }
