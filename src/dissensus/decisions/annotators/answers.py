"""What raters and a judge answered, as far as the test can use it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.comparison.setting_up import Panel, other_scale, panel_of
from dissensus.decisions.annotators.question import Question, Score
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.coding import Codes
from dissensus.ratings.table import ELICITATIONS

MOST_NUMBERS = 200_000_000
"""Shares of more items times labels are refused."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Ratings by known raters, and judges on the same labels.

    Attributes
    ----------
    ratings : Ratings
        One rating of each rater and item.
    rater : ndarray of shape (n_ratings,)
        Codes into `ratings.raters`.
    panel : Panel
        What the judges answered.
    names : tuple of str
        The judges to test.
    warnings : tuple of str
        What was left out or mended.
    """

    ratings: Ratings
    rater: Codes
    panel: Panel
    names: tuple[str, ...]
    warnings: tuple[str, ...]


def answers_of(ratings: Ratings, judges: Judges, question: Question) -> Answers:
    """The answers that the question is about; an error that says why where there are none."""
    if ratings.copies is not None:
        raise RatingsError(
            "The alternative annotator test asks who rated, which is lost where alike items were put together: read "
            "the files without reducing them."
        )
    if ratings.rater is None:
        raise RatingsError(
            "The alternative annotator test leaves out one rater after the other, but these ratings do not say who "
            "gave them: name the column of raters with --rater, or ask `dissensus equivalence` instead."
        )
    names = tuple(judges.judges) if question.judge is None else question.judge
    chosen = judges.only(names).on_items_of(ratings)
    ratings, chosen, mended = _of_one_elicitation(ratings, chosen, question.score)
    _check_repeats(ratings)
    panel = panel_of(ratings, chosen, names)
    _check_score(ratings, panel, names, question)
    found = (*ratings.warnings, *chosen.warnings, *panel.warnings, *mended)
    if ratings.rater is None:  # for the type checker: it was there above
        raise RatingsError("The ratings do not say who gave them.")
    return Answers(ratings=ratings, rater=ratings.rater, panel=panel, names=names, warnings=tuple(dict.fromkeys(found)))


def _of_one_elicitation(ratings: Ratings, judges: Judges, score: Score) -> tuple[Ratings, Judges, list[str]]:
    """Forced choices or response sets, where the ratings have both: sets for similarity, choices for the others."""
    if ratings.elicitation is None or not {0, 1} <= set(np.unique(ratings.elicitation).tolist()):
        return ratings, judges, []
    kind = 1 if score == "similarity" else 0
    wanted = ELICITATIONS[kind]
    kept = ratings.of_elicitation(wanted)
    compared_ones = counted(kept.n_ratings, wanted.replace("_", " "))
    said = [f"The ratings hold forced choices and response sets: --score {score} compares the {compared_ones}."]
    there = judges.on_items_of(kept)
    asked = there
    if there.elicitation is not None and (there.elicitation == kind).any():
        asked = there.where((there.elicitation == kind) | (there.elicitation < 0))
    if silent := [name for name in there.judges if name not in asked.judges]:
        raise JudgesError(
            f"--score {score} compares {wanted.replace('_', ' ')}s, and {listed(silent)} gave none to the items that "
            "people rated so: name the judges to test with --judge, or choose another score."
        )
    return kept, replace(asked, warnings=judges.warnings), said


def _check_repeats(ratings: Ratings) -> None:
    key = ratings.item * max(1, len(ratings.raters)) + (0 if ratings.rater is None else ratings.rater)
    if len(np.unique(key)) == len(key):
        return
    order = np.sort(key)
    first = int(order[1:][order[1:] == order[:-1]][0])
    item, rater = ratings.items[first // len(ratings.raters)], ratings.raters[first % len(ratings.raters)]
    raise RatingsError(
        f"{rater} rated the item {item} more than once: keep one rating with --repeats first or --repeats last."
    )


def _check_score(ratings: Ratings, panel: Panel, names: Sequence[str], question: Question) -> None:
    if question.score == "similarity" and len(ratings.items) * len(panel.labels) > MOST_NUMBERS:
        raise OptionError(
            f"--score similarity cannot compare {len(panel.labels):,} labels on {counted(ratings.n_items, 'item')}: "
            "choose accuracy, or rmse for numbers."
        )
    if question.score != "rmse":
        return
    if not panel.has_numbers:
        why = "response sets among them" if ratings.has_response_sets else f"on a {ratings.scale} scale"
        raise OptionError(
            f"--score rmse needs numbers, but the labels are {listed(ratings.labels)}, {why}: choose accuracy or "
            "similarity, or give their order with --labels."
        )
    for name in names:
        if not np.isfinite(panel.judges[name].value).all():
            raise OptionError(f"--score rmse needs numbers, but {name} gave other labels: choose accuracy.")
        reason = None if question.same_scale else other_scale(panel, name)
        if reason is not None:
            raise OptionError(
                f"--score rmse compares answers with labels, but {name} is on another scale: {reason}. "
                "Put it on the raters' scale, or say --same-scale if that is wrong."
            )
