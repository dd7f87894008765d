"""What the members of a panel predict on the items that all of them answered, on the raters' labels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.decisions.combining.question import MOST_LABELS, Question
from dissensus.decisions.survey_options import are_measures
from dissensus.errors import OptionError, RatingsError, counted
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.asked_once import asked_in_one_way
from dissensus.ratings.labels import SEPARATOR
from dissensus.survey.answers import answered_by_all, answers_of
from dissensus.survey.subsets import Floats

FEWEST_ITEMS = 2
"""One to learn from, and another one to predict."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Members:
    """The judges and the items that all of them answered.

    Attributes
    ----------
    ratings : Ratings
        Of these items, asked for in one way.
    judges : tuple of str
        The members.
    labels : tuple of str
        Those of the raters, then those that only judges use; options before response sets.
    predictions : ndarray of shape (n_judges, n_items, n_labels)
        What each gives to each label.
    shares : ndarray of shape (n_items, n_labels)
        Share of an item's raters who gave each label.
    warnings : tuple of str
        What was left out.
    """

    ratings: Ratings
    judges: tuple[str, ...]
    labels: tuple[str, ...]
    predictions: Floats
    shares: Floats
    warnings: tuple[str, ...]


def members_of(ratings: Ratings, judges: Judges, question: Question) -> Members:
    """The members of the panel that was asked for."""
    chosen = judges.only(question.judge)
    asked, about_kinds = asked_in_one_way(ratings, chosen, question.elicitation)
    if are_measures(asked, chosen):
        raise OptionError("A panel combines labels and their probabilities, and these answers are numbers on a scale: "
                          "round them to a few labels first.")  # fmt: skip
    shared = chosen.on_items_of(asked)
    everybody, labels, about_labels = answers_of(shared, asked)
    if len(labels) > MOST_LABELS:
        raise OptionError(f"A panel needs probabilities of each label, and {len(labels)} labels are too many: merge "
                          f"them to at most {MOST_LABELS}.")  # fmt: skip
    common = answered_by_all(everybody)
    kept = asked.where(common[asked.item])
    if kept.n_items < FEWEST_ITEMS:
        raise RatingsError("What judges say together is learned from other items, and one item only was rated and "
                           "answered by every judge: rate more items.")  # fmt: skip
    lost = asked.n_items - kept.n_items
    left_out = [f"Left out {counted(lost, 'rated item')} that not every member answered."] if lost else []
    order = _options_first(labels)
    predictions = np.stack([answers.predictions[common] for answers in everybody])[:, :, order]
    names = tuple(labels[i] for i in order)
    return Members(
        ratings=kept,
        judges=tuple(answers.judge for answers in everybody),
        labels=names,
        predictions=predictions,
        shares=_shares(kept, names),
        warnings=(*ratings.warnings, *about_kinds, *shared.warnings, *about_labels, *left_out),
    )


def _options_first(labels: tuple[str, ...]) -> npt.NDArray[np.intp]:
    """Places of the labels, response sets last."""
    sets = [SEPARATOR in label for label in labels]
    return np.argsort(sets, kind="stable")


def _shares(ratings: Ratings, labels: tuple[str, ...]) -> Floats:
    counts = np.zeros((ratings.n_items, len(labels)))
    counts[:, [labels.index(label) for label in ratings.labels]] = ratings.counts()
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def as_judges(predictions: dict[str, Floats], members: Members) -> Judges:
    """Predictions of these items as judges with probabilities."""
    n_items = members.ratings.n_items
    names = tuple(predictions)
    every = np.concatenate([predictions[name] for name in names])
    options = tuple(label for label in members.labels if SEPARATOR not in label)
    return Judges(
        item=np.tile(np.arange(n_items), len(names)),
        judge=np.repeat(np.arange(len(names)), n_items),
        sample=np.zeros(len(every), dtype=np.intp),
        label=np.full(len(every), -1),
        probability=every / every.sum(axis=1, keepdims=True),
        items=members.ratings.items,
        judges=names,
        labels=members.labels,
        options=options,
    )
