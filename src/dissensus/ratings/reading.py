"""Read ratings and judges from a file or a data frame."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.errors import OptionError
from dissensus.ratings.assemble import assemble
from dissensus.ratings.coding import Sheet
from dissensus.ratings.files import open_sheet, sha256_of
from dissensus.ratings.formats.counts import has_counts, read_counts
from dissensus.ratings.formats.plan import REPEATS, RawRatings, ReadPlan, Repeats
from dissensus.ratings.formats.tidy import read_tidy
from dissensus.ratings.formats.wide import is_wide, read_wide
from dissensus.ratings.judge_rows import assemble_judges
from dissensus.ratings.judges import Judges
from dissensus.ratings.labels import SCALES, Scale
from dissensus.ratings.provenance import Provenance
from dissensus.ratings.table import Ratings
from dissensus.ratings.task import Task

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    Source = str | os.PathLike[str] | IntoFrame


def read(
    source: "Source",
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    group: str | None = None,
    elicitation: str | None = None,
    count: str | None = None,
    labels: Sequence[str] | None = None,
    scale: Scale | None = None,
    repeats: Repeats = "error",
    wide: bool | None = None,
    task: Task | None = None,
) -> Ratings:
    """Ratings from a file (CSV, TSV, JSONL, Parquet, each also gzipped) or a pandas, polars or pyarrow frame.

    Parameters
    ----------
    source : path or frame
        One row per rating (`item, rater, label`), one row per item and label with a `count`, or one row per item and
        one column per rater. Without a rater column each row is an anonymous rater.
    item, rater, label, group, elicitation, count : str, optional
        What these columns are called there. In a wide file `rater` names the rater columns, with wildcards.
    labels : sequence of str, optional
        Every option in its order. Without it numbers stand as numbers, the rest alphabetically.
    scale : {"nominal", "ordinal", "interval"}, optional
        What the order of the labels means; inferred if not given.
    repeats : {"error", "first", "last", "keep"}
        What to do where a rater rated an item twice.
    wide : bool, optional
        Whether each column is a rater; recognised if not given.
    task : Task, optional
        Gives the options and their order.

    Returns
    -------
    Ratings

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"item": [1, 1, 2], "rater": ["a", "b", "a"], "label": ["no", "yes", "no"]})
    >>> ratings = read(frame)
    >>> ratings.n_items, ratings.n_ratings, ratings.labels
    (2, 3, ('no', 'yes'))
    """
    if scale is not None and scale not in SCALES:
        raise OptionError.unknown("--scale", scale, SCALES)
    _check_repeats(repeats)
    plan = ReadPlan(
        item=item,
        rater=rater,
        label=label,
        group=group,
        elicitation=elicitation,
        count=count,
        labels=task.options if labels is None and task is not None else labels,
        scale=scale,
        repeats=repeats,
        wide=wide,
    )
    with _opened(source) as sheet:
        raw = _reader(sheet, plan)(sheet, plan)
    provenance = Provenance(
        name=sheet.name, sha256=_hash(source), format=raw.format, rows=raw.rows, columns=len(sheet.columns)
    )
    return assemble(raw, plan, provenance)


def read_judges(
    source: "Source",
    *,
    item: str | None = None,
    judge: str | None = None,
    sample: str | None = None,
    label: str | None = None,
    elicitation: str | None = None,
    order: str | None = None,
    labels: Sequence[str] | None = None,
    repeats: Repeats = "error",
    task: Task | None = None,
) -> Judges:
    """Judges' answers from a file or a frame: `item, judge, sample, label` and/or `p_<label>` columns.

    Parameters
    ----------
    source : path or frame
        One row per answer. Without a `judge` column there is one judge, called `judge`; without a `sample` column
        the rows of one judge and item are its samples.
    item, judge, sample, label, elicitation, order : str, optional
        What these columns are called there. For pairs `order` is ab or ba, as they were shown; labels are about a and
        b, not about places.
    labels : sequence of str, optional
        Every option in its order; those of the ratings, to have both in one order.
    repeats : {"error", "first", "last", "keep"}
        What to do where a sample of a judge and item comes twice.
    task : Task, optional
        Gives the options and their order.

    Returns
    -------
    Judges

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"item": [1, 2], "judge": "b", "p_no": [0.9, 0.2], "p_yes": [0.1, 0.8]})
    >>> judges = read_judges(frame)
    >>> judges.judges, judges.labels, judges.n_answers
    (('b',), ('no', 'yes'), 2)
    """
    _check_repeats(repeats)
    options = task.options if labels is None and task is not None else labels
    names = {"item": item, "judge": judge, "sample": sample, "label": label, "elicitation": elicitation, "order": order}
    with _opened(source) as sheet:
        return assemble_judges(sheet, names, order=options, repeats=repeats, sha256=_hash(source))


@contextmanager
def _opened(source: "Source") -> Iterator[Sheet]:
    if isinstance(source, str | os.PathLike):
        with open_sheet(source) as sheet:
            yield sheet
    else:
        from dissensus.ratings.frames import FrameSheet  # noqa: PLC0415 - narwhals is for those who bring a frame

        yield FrameSheet(source)


def _reader(sheet: Sheet, plan: ReadPlan) -> Callable[[Sheet, ReadPlan], RawRatings]:
    """The reader for the layout of the sheet."""
    if is_wide(sheet, plan):
        return read_wide
    return read_counts if has_counts(sheet, plan) else read_tidy


def _hash(source: "Source") -> str | None:
    return sha256_of(Path(source)) if isinstance(source, str | os.PathLike) else None


def _check_repeats(repeats: str) -> None:
    if repeats not in REPEATS:
        raise OptionError.unknown("--repeats", repeats, REPEATS)
