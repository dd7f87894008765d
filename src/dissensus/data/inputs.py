"""Whatever people hand to a method, as Ratings and Judges."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from dissensus.data.judges import Judges
from dissensus.data.labels import PREFIX, cell_text
from dissensus.data.ratings import Ratings
from dissensus.data.readers import item_names, read, read_judges
from dissensus.errors import JudgesError, RatingsError, counted

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

Table: TypeAlias = Union[str, "os.PathLike[str]", "IntoFrame", "npt.NDArray[Any]", "Mapping[Any, Any]", "Sequence[Any]"]
"""What `read` and `read_judges` take."""
RatingsLike: TypeAlias = Ratings | Table
"""Ratings, or anything that `read` takes."""
JudgesLike: TypeAlias = Judges | Table
"""Judges' answers, anything that `read_judges` takes, or a dict of judge to answers in the order of the items."""
ROLES = frozenset({"item", "judge", "label", "sample"})


def as_ratings(source: RatingsLike) -> Ratings:
    """The ratings, read if they are not yet."""
    if isinstance(source, Judges):
        raise RatingsError("These are judges' answers, where people's ratings are needed: give the ratings first.")
    return source if isinstance(source, Ratings) else read(source)


def as_data(ratings: RatingsLike, judges: JudgesLike) -> tuple[Ratings, Judges]:
    """Ratings and judges' answers, read if they are not yet."""
    people = as_ratings(ratings)
    if isinstance(judges, Ratings):
        raise JudgesError("These are people's ratings, where judges' answers are needed: give the ratings first.")
    if isinstance(judges, Judges):
        return people, judges
    by_judge = _by_judge(judges)
    return people, read_judges(judges if by_judge is None else _records(by_judge, people, ratings))


def _by_judge(source: Table) -> Mapping[str, Any] | None:
    """Answers by judge that come in the order of the items; None for a table that says which item each is about."""
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        return {"judge": source}
    if isinstance(source, list) and source and all(np.ndim(one) == 0 and not isinstance(one, dict) for one in source):
        return {"judge": source}
    if not isinstance(source, Mapping) or {str(key).strip().lower() for key in source} & ROLES:
        return None
    has_index = any(hasattr(column, "index") and hasattr(column, "to_frame") for column in source.values())
    are_dicts = any(isinstance(column, Mapping) for column in source.values())
    return None if has_index or are_dicts else {str(judge): answers for judge, answers in source.items()}


def _records(by_judge: Mapping[str, Any], people: Ratings, source: RatingsLike) -> list[dict[str, object]]:
    """A record per judge and item: a label, or a probability for each label."""
    items = [*map(str, range(people.n_items))] if isinstance(source, Ratings) else item_names(source)
    records: list[dict[str, object]] = []
    for judge, answers in by_judge.items():
        given = list(answers)
        if len(given) != len(items) or not set(items) >= set(people.items):
            raise JudgesError(
                f"The answers of {judge!r} come without item ids ({counted(len(given), 'answer')}, and "
                f"{counted(people.n_items, 'rated item')}), so we cannot tell which is which: give a table with the "
                "columns item, judge and label, or pandas series with the item ids as their index."
            )
        for item, answer in zip(items, given, strict=True):
            records.append({"item": item, "judge": judge, **_answer(answer, judge, people.options)})
    return records


def _answer(answer: object, judge: str, options: Sequence[str]) -> dict[str, object]:
    if np.ndim(answer) == 0:  # type: ignore[arg-type] # whatever people hold
        return {"label": cell_text(answer)}
    shares = list(answer)  # type: ignore[call-overload] # as above
    if len(shares) != len(options):
        raise JudgesError(
            f"The judge {judge!r} gives {counted(len(shares), 'probability', 'probabilities')} for an item, and there "
            f"are {counted(len(options), 'label')} ({', '.join(options)}): give one for each, in this order."
        )
    return {f"{PREFIX}{option}": float(share) for option, share in zip(options, shares, strict=True)}
