"""Any method on data in parts: asked of each question and each slice, as of a file of its own."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from dissensus.data import Judges, Ratings, Task
from dissensus.data.inputs import unchecked_data
from dissensus.data.questions import questions_of
from dissensus.data.ratings import Slicing
from dissensus.data.slices import without_value
from dissensus.errors import DissensusError, OptionError, counted, listed
from dissensus.methods.parts.differences import for_questions
from dissensus.methods.parts.overall import overall_of
from dissensus.methods.parts.result import Part, PartsResult
from dissensus.options import named
from dissensus.results import Result

P = ParamSpec("P")
R = TypeVar("R", bound=Result)
FEWEST_ITEMS = 10
"""A slice of fewer items says next to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The data of one part."""

    question: str | None
    value: str | None
    ratings: Ratings
    judges: Judges | None


Slicer = Callable[..., "PartsResult | None"]
"""A method's own way to answer for slices, from what all items teach: ratings, judges, slices, then its keywords.

None where the method has to be asked of each slice."""


def in_parts(slicer: Slicer | None = None, *, needs_judges: bool = True) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A method that answers each question and each slice where the data have several; else it is as before.

    For data in parts what is returned is a `PartsResult`, whose parts are what the method returns.

    Parameters
    ----------
    slicer : callable, optional
        The method's own way to answer for slices.
    needs_judges : bool
        Whether one table must hold judges, too, where a method that takes judges is given none.
    """

    def decorated(method: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(method)
        parameters = signature.parameters

        @wraps(method)
        def asked(*args: P.args, **kwargs: P.kwargs) -> R:
            given: dict[str, Any] = signature.bind(*args, **kwargs).arguments
            wants = "judges" in parameters and (needs_judges or given.get("judges") is not None)
            ratings, judges = unchecked_data(given.pop("ratings"), given.pop("judges", None), has_judges=wants)
            data = (ratings, judges) if "judges" in parameters else (ratings,)
            if not ratings.questions and ratings.slicing is None and not (judges is not None and judges.questions):
                return cast("Callable[..., R]", method)(*data, **given)
            return cast("R", answered_in_parts(method, ratings, judges, given, slicer))

        return asked

    return decorated


def answered_in_parts(
    method: Callable[..., Result], ratings: Ratings, judges: Judges | None, given: Mapping[str, Any],
    slicer: Slicer | None,
) -> PartsResult:  # fmt: skip
    """What a method says of each question and slice."""
    whole = cuts_of(ratings, judges)
    slicing = ratings.slicing
    if slicing is None:
        made = _each(method, whole, given, by=None)
        made = replace(made, overall=overall_of(made.parts))
    else:
        own = {question: one.slicing or slicing for question, one in ratings.questions.items()}
        made = _joined([_by_slice(method, cut, own.get(cut.question or "", slicing), given, slicer) for cut in whole])
    silent = [q for q in ratings.questions if judges is not None and q not in judges.questions]
    about = [f"No judge answered the question {listed(silent)}: left out."] if silent else []
    data: dict[str, Mapping[str, object]] = {"ratings": ratings.describe_data()}
    if judges is not None:
        data["judges"] = judges.describe_data()
    by = {} if slicing is None else {"by": slicing.by}
    return replace(made, data=data, settings={**made.settings, **by}, warnings=(*about, *made.warnings))


def cuts_of(ratings: Ratings, judges: Judges | None) -> list[Cut]:
    """The data of each question, or all of them where there is one; slices are left to the caller."""
    if not ratings.questions and not (judges is not None and judges.questions):
        return [Cut(question=None, value=None, ratings=replace(ratings, slicing=None), judges=judges)]
    questions = questions_of(ratings, judges)
    among = tuple(sorted({item for own, _ in questions.values() for item in own.items}))
    return [
        Cut(question=question, value=None, ratings=replace(own, slicing=None, among=among), judges=theirs)
        for question, (own, theirs) in questions.items()
    ]


def _by_slice(
    method: Callable[..., Result], cut: Cut, slicing: Slicing, given: Mapping[str, Any], slicer: Slicer | None
) -> PartsResult:
    """What a method says of each slice of one question: in its own way, or asked of each."""
    slices, warnings = slices_of(cut, slicing)
    found = None
    if slicer is not None and slicing.of == "item":
        found = slicer(cut, slices, slicing, **_tasked(given, cut.question))
    if found is None:
        found = _each(method, slices, given, by=slicing.by)
    return replace(found, warnings=(*warnings, *found.warnings))


def slices_of(cut: Cut, slicing: Slicing) -> tuple[list[Cut], list[str]]:
    """The data of each slice with enough items, and sentences about the others."""
    ratings, warnings = cut.ratings, [without_value(slicing, cut.ratings)]
    names = ratings.items if slicing.of == "item" else ratings.raters
    codes = ratings.item if slicing.of == "item" else ratings.rater
    assert codes is not None  # noqa: S101 - slices of raters come from a rater column
    place = {value: i for i, value in enumerate(slicing.order)}
    of_name = np.array([place.get(slicing.values.get(name, ""), -1) for name in names], dtype=np.intp)
    slices, few = [], []
    for i, value in enumerate(slicing.order):
        mask = of_name[codes] == i
        items = len(np.unique(ratings.item[mask]))
        if items < FEWEST_ITEMS:
            few += [f"{value} ({counted(items, 'item')})"] if items else []
            continue
        own = replace(ratings.where(mask), among=ratings.among or ratings.items)
        slices.append(Cut(question=cut.question, value=value, ratings=own, judges=_on(own, cut.judges)))
    if few:
        warnings.append(
            f"Too few items to answer for: {listed(few)}. A slice needs {FEWEST_ITEMS}: put slices together, or rate "
            "more of their items."
        )
    if not slices:
        option = named("by", of="read", value=slicing.by)
        raise OptionError(f"{option}: no slice can be answered for. {warnings[-1]}")
    return slices, [text for text in warnings if text]


def _on(ratings: Ratings, judges: Judges | None) -> Judges | None:
    """The answers on these items."""
    if judges is None:
        return None
    known = set(ratings.items)
    return judges.where(np.array([item in known for item in judges.items], dtype=np.bool_)[judges.item])


def _each(method: Callable[..., Result], cuts: Sequence[Cut], given: Mapping[str, Any], *, by: str | None
          ) -> PartsResult:  # fmt: skip
    """What a method says of each part; a part that it refuses is left out, unless it refuses all."""
    parts, refused = [], []
    for cut in cuts:
        data = (cut.ratings,) if cut.judges is None else (cut.ratings, cut.judges)
        try:
            result = method(*data, **_tasked(given, cut.question))
        except DissensusError as error:
            refused.append((cut, error))
            continue
        parts.append(Part(question=cut.question, by=by, value=cut.value, items=cut.ratings.items_in_all, result=result))
    if not parts:
        raise refused[0][1]
    about = [f"No answer for {cut.value or cut.question}: {error.message}" for cut, error in refused]
    return together(parts, warnings=about)


def _tasked(given: Mapping[str, Any], question: str | None) -> dict[str, Any]:
    """The keywords, with the task of the question."""
    task = given.get("task")
    return {**given, "task": task.of_question(question)} if isinstance(task, Task) else dict(given)


def together(parts: Sequence[Part], *, warnings: Sequence[str] = ()) -> PartsResult:
    """Parts as one result: the warnings of all of them, each with its parts unless all have it."""
    by_text: dict[str, list[str]] = {}
    for part in parts:
        for warning in part.result.warnings:
            by_text.setdefault(getattr(warning, "message", warning), []).append(part.name)
    texts = [text if len(names) == len(parts) else f"{listed(names)}: {text}" for text, names in by_text.items()]
    first = parts[0].result
    shared = {name: value for name, value in first.settings.items()
              if all(part.result.settings.get(name) == value for part in parts)}  # fmt: skip
    return PartsResult(
        method=first.command, settings=shared, data=first.data, warnings=(*warnings, *texts), parts=tuple(parts)
    )


def _joined(found: Sequence[PartsResult]) -> PartsResult:
    """The slices of several questions one after the other."""
    if len(found) == 1:
        return found[0]
    return replace(
        together([part for one in found for part in one.parts]),
        differences=for_questions([own for one in found for own in one.differences], len(found)),
        trends=for_questions([own for one in found for own in one.trends], len(found)),
        warnings=tuple(dict.fromkeys(getattr(w, "message", w) for one in found for w in one.warnings)),
    )
