"""What each judge predicts for each rated item, on the labels of the raters."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.errors import JudgesError, listed
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.labels import label_values
from dissensus.ratings.measures import are_measures, nearest_labels
from dissensus.survey.subsets import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """One judge's predictions.

    Attributes
    ----------
    judge : str
        Its name.
    predictions : ndarray of shape (n_items, n_labels)
        Probability of each label; NaN in items that it did not answer.
    values : ndarray of shape (n_items,)
        Mean of its answers as numbers; NaN where they are words.
    is_hard : bool
        Whether it gave one label per item and nothing else.
    """

    judge: str
    predictions: Floats
    values: Floats
    is_hard: bool


def answers_of(
    judges: Judges, ratings: Ratings, *, as_numbers: bool = False
) -> tuple[list[Answers], tuple[str, ...], list[str]]:
    """Each judge's predictions on the items of the ratings, the common labels, and warnings.

    Labels that only judges use come after those of the raters. Where raters gave numbers and a judge measures on their
    scale (3.7, or any number on an interval scale), its answers count as the nearest label, except for correlations,
    which take the numbers themselves (`as_numbers`, of which there is nothing to warn).
    """
    warnings: list[str] = []
    labels, place = _common_labels(judges, ratings, warnings, as_numbers=as_numbers)
    row_of = {item: i for i, item in enumerate(ratings.items)}
    item_row = np.array([row_of.get(item, -1) for item in judges.items], dtype=np.intp)
    pair_judge, pair_item, distribution = judges.distributions(place, len(labels))
    numbers = np.where(judges.labels_used(), label_values(judges.labels), 0)
    means = judges.mean_numbers(numbers) if np.isfinite(numbers).all() else np.full(len(pair_judge), np.nan)
    everybody = []
    for code, name in enumerate(judges.judges):
        own = (pair_judge == code) & (item_row[pair_item] >= 0)
        predictions = np.full((ratings.n_items, len(labels)), np.nan)
        predictions[item_row[pair_item[own]]] = distribution[own]
        values = np.full(ratings.n_items, np.nan)
        values[item_row[pair_item[own]]] = means[own]
        everybody.append(Answers(judge=name, predictions=predictions, values=values, is_hard=_is_hard(judges, code)))
    return everybody, labels, warnings


def _is_hard(judges: Judges, code: int) -> bool:
    own = judges.judge == code
    has_probabilities = judges.probability is not None and not np.isnan(judges.probability[own]).any()
    return not has_probabilities and int(judges.sample[own].max(initial=0)) == 0


def _common_labels(
    judges: Judges, ratings: Ratings, warnings: list[str], *, as_numbers: bool
) -> tuple[tuple[str, ...], npt.NDArray[np.intp]]:
    """All labels, and where each of the judges' labels stands among them."""
    known = {label: i for i, label in enumerate(ratings.labels)}
    strange = [
        label for label, used in zip(judges.labels, judges.labels_used(), strict=True) if used and label not in known
    ]
    if strange and are_measures(strange, ratings.labels, ratings.scale):
        if not as_numbers:
            warnings.append(
                f"{len(strange)} of the judges' answers are numbers that no rater gave ({listed(strange)}): "
                "each counts as the nearest label of the raters."
            )
        return ratings.labels, nearest_labels(label_values(judges.labels), ratings.values)
    if strange:
        warnings.append(f"Judges used labels that no rater used, so they can never be right there: {listed(strange)}.")
    labels = (*ratings.labels, *strange)
    places = {label: i for i, label in enumerate(labels)}
    # A label without any probability may stand anywhere: it adds nothing there.
    return labels, np.array([places.get(label, 0) for label in judges.labels], dtype=np.intp)


def answered_by_all(everybody: list[Answers]) -> npt.NDArray[np.bool_]:
    """Which items every judge answered; an error if there is none."""
    answered = [~np.isnan(answers.predictions).any(axis=1) for answers in everybody]
    for answers, own in zip(everybody, answered, strict=True):
        if not own.any():
            raise JudgesError(f"The judge {answers.judge} answered none of the rated items: check its item ids.")
    common = np.logical_and.reduce(answered)
    if not common.any():
        raise JudgesError("No item was answered by every judge: choose one of them with --judge.")
    return np.asarray(common)
