"""Read files larger than memory, here or on a cluster: the same items come out."""

import os
from collections.abc import Mapping, Sequence

from dissensus.engine.executors import DASK
from dissensus.errors import OptionError
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.formats.plan import ReadPlan, Repeats
from dissensus.ratings.labels import Scale
from dissensus.ratings.output_moments import LabelScores
from dissensus.ratings.reducing.opening import Input, input_of
from dissensus.ratings.reducing.read_large import MEMORY, read_large

JUDGE_ROLES = ("item", "judge", "sample", "label", "elicitation", "order")


def read_reduced(
    ratings: str | os.PathLike[str],
    judges: str | os.PathLike[str] | None = None,
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
    label_map: Mapping[str, str] | None = None,
    judge_columns: Mapping[str, str] | None = None,
    judge: str | Sequence[str] | None = None,
    round_outputs: int | None = None,
    scored_by: LabelScores | None = None,
    memory: str = MEMORY,
    engine: str = "local",
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges from files larger than memory, with alike items put together.

    Items that have the same labels and the same answers are one item, and `copies` says how many there are of it; every
    method takes that into account. Who gave which rating is not kept.

    Parameters
    ----------
    ratings, judges : path
        A file, a folder, or a pattern such as `ratings/*.parquet`: Parquet, CSV or JSONL with a row per rating and per
        answer, or a table of counts.
    item, rater, label, group, elicitation, count, labels, scale, label_map
        As `read` takes them.
    repeats : {"error", "keep"}
        What to do where a rater rated an item twice.
    judge_columns : mapping of str to str, optional
        What the columns item, judge, sample, label, elicitation and order are called in the judges' files.
    judge : str or sequence of str, optional
        Which judges to read; all if not given.
    round_outputs : int, optional
        Round judges' probabilities to so many digits, so that more items are alike.
    scored_by : callable, optional
        What labels score under predictions, as `dissensus.survey.label_scores` makes it: where judges gave too many
        different probabilities to tell their items apart, `equivalence` gets the moments of these scores.
    memory : str
        What reducing may use before it writes to disk, such as 2GB.
    engine : str
        `local`, or `dask://host:port`, where the files must be within reach of every worker.

    Returns
    -------
    Ratings, Judges
        Judges is None if no file was named.

    Examples
    --------
    >>> from dissensus.example_data import example_path
    >>> folder = example_path("binary")
    >>> ratings, judges = read_reduced(folder / "ratings.csv", folder / "judges.csv", round_outputs=1)
    >>> ratings.n_items < ratings.items_in_all
    True
    """
    names = judge_columns or {}
    for role in names:
        if role not in JUDGE_ROLES:
            raise OptionError.unknown("a key of judge_columns", role, JUDGE_ROLES)
    plan = ReadPlan(
        item=item, rater=rater, label=label, group=group, elicitation=elicitation, count=count, labels=labels,
        scale=scale, repeats=repeats, label_map=label_map or {},
    )  # fmt: skip
    wanted = input_of(
        ratings,
        judges,
        ratings_plan=plan,
        judges_plan=judges_plan(names, repeats),
        judge=judge,
        round_outputs=round_outputs,
    )
    return read_input(wanted, scored_by=scored_by, memory=memory, engine=engine)


def judges_plan(names: Mapping[str, str], repeats: Repeats) -> ReadPlan:
    """What the columns of judges' files are called."""
    return ReadPlan(
        item=names.get("item"),
        judge=names.get("judge"),
        sample=names.get("sample"),
        label=names.get("label"),
        elicitation=names.get("elicitation"),
        order=names.get("order"),
        repeats=repeats,
    )


def read_input(
    wanted: Input, *, scored_by: LabelScores | None = None, memory: str = MEMORY, engine: str = "local"
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges of an input, reduced where the engine is."""
    if not engine.startswith(DASK):
        return read_large(wanted, scored_by=scored_by, memory=memory)
    from dissensus.engine.on_dask.reducing import reduce_on_dask  # noqa: PLC0415 - an optional dependency

    return reduce_on_dask(wanted, engine.removeprefix(DASK), scored_by=scored_by, memory=memory)
