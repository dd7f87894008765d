"""Is the judge still as good? Each judge over the runs of a history, and the changes that are real."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.history import History, Run, read_history
from dissensus.errors import OptionError, counted, likely, listed
from dissensus.methods.history.changes import Change, changes_in
from dissensus.options import Options, named, option
from dissensus.results import Result
from dissensus.sampling.intervals import normal_interval


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(Options):
    """What the user asked for, as in `history`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to look at; may be repeated.")
    by: str | None = option(
        None, metavar="COL", help="Follow the slices of a column that runs were recorded by, such as a month."
    )
    alpha: float = option(
        0.05, metavar="A", above=0, below=1, wants="give a small share, such as 0.05",
        help="Chance of ever calling a change of a series real when there is none.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A series at one run."""

    run: int
    at: str  # when it was recorded, or the slice
    value: float  # bits over asking nobody; of people a share
    low: float
    high: float
    worth: float  # in raters, where the run says so
    worth_low: float
    worth_high: float
    worth_verdict: str | None
    verdict: str | None  # of a gate
    # Since the last real change: the last runs less those before, with its confidence sequence; NaN where nothing can
    # be compared.
    difference: float
    difference_low: float
    difference_high: float
    runs: int  # how many of the last runs that compares with those before
    shared: int  # on how many items
    paired: bool  # whether these are the same items with the same ratings
    changed: bool  # whether the change is real


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A judge, or people, over time."""

    name: str  # of the judge, or of what is followed of people
    kind: str  # judge | people
    question: str | None
    points: tuple[Point, ...]

    @property
    def changes(self) -> tuple[Point, ...]:
        """The points with a real change."""
        return tuple(point for point in self.points if point.changed)


@dataclass(frozen=True, kw_only=True)
class HistoryResult(Result):
    """Is the judge still as good?

    Attributes
    ----------
    runs : int
        How many runs the history holds.
    series : tuple of Series
        Each judge over time, then people.
    left_out : tuple of str
        What cannot be compared, and why.
    """

    command: ClassVar[str] = "history"

    runs: int
    series: tuple[Series, ...]
    left_out: tuple[str, ...]

    def rows(self) -> list[dict[str, object]]:
        """One row per series and run."""
        return [
            {"name": own.name, "kind": own.kind, "question": own.question}
            | {name: getattr(point, name) for name in Point.__slots__}
            for own in self.series
            for point in own.points
        ]


NAN = float("nan")
TWO = 2


def history(
    path: str | os.PathLike[str], *, judge: str | Sequence[str] | None = None, by: str | None = None,
    alpha: float = 0.05,
) -> HistoryResult:  # fmt: skip
    """What each judge was worth over time, with the changes that are real, and whether people changed.

    Parameters
    ----------
    path : path
        A history, as `record=` of the command line keeps it.
    judge : str or sequence of str, optional
        The judges to look at; all if not given.
    by : str, optional
        Follow the slices of this column, in their order, instead of the runs: those that were last recorded with it.
    alpha : float
        Probability that any change of a series is ever called real where there is none, however often one looks.

    Returns
    -------
    HistoryResult

    Raises
    ------
    DissensusError
        If there is no such history, or it has no such judge or column.

    See Also
    --------
    gate : Whether a judge is not worse than the last one that passed.
    compare : Is one judge better than another?

    Examples
    --------
    >>> history("runs.duckdb")  # doctest: +SKIP
    """
    options = HistoryOptions.given(locals())
    kept = read_history(Path(path))
    names = tuple(kept.scores)
    for name in options.judge or ():
        if name not in names:
            hint = likely(name, names)
            raise OptionError(f"There is no judge {name!r} in the history: the judges are {listed(names)}.{hint}")
    series, left_out = [], []
    for question, runs in _sequences(kept, options.by):
        for name in options.judge or names:
            series += _judge_series(kept, name, runs, question, options)
        series += _people_series(kept, runs, question, options)
        left_out += _left_out(runs, question)
    return HistoryResult(
        settings=options.settings(), data={"history": {"file": kept.path, "runs": len(kept.runs)}}, runs=len(kept.runs),
        series=tuple(series), left_out=tuple(left_out), warnings=tuple(left_out),
    )  # fmt: skip


def _sequences(kept: History, by: str | None) -> Iterator[tuple[str | None, list[Run]]]:
    """The runs that belong together, by question: in the order of recording, or the slices of a column in theirs."""
    known = [run.by for run in kept.runs if run.by is not None]
    if by is not None and by not in known:
        have = f"columns that runs were recorded by are {listed(sorted(set(known)))}" if known else "no run has slices"
        raise OptionError(f"{named('by')} {by}: {have}. Record a run of `dissensus decide` by {by}.")
    for question in dict.fromkeys(run.question for run in kept.runs if run.by == by):
        own = [run for run in kept.runs if run.by == by and run.question == question]
        if by is not None:
            latest = {run.value: run for run in own}
            own = sorted(latest.values(), key=lambda run: run.run)
            own.sort(key=lambda run: run.value or "")
        yield question, own


def _judge_series(kept: History, name: str, runs: list[Run], question: str | None, options: HistoryOptions
                  ) -> list[Series]:  # fmt: skip
    found = {run.run: one for run in runs for one in run.judges if one.judge == name}
    own = [run for run in runs if run.run in found]
    if not own:
        return []
    points = _points(kept.scores[name], own, options)
    made = [
        replace(
            point, value=one.bits, low=one.bits_low, high=one.bits_high, verdict=run.verdict, worth=one.worth,
            worth_low=one.worth_low, worth_high=one.worth_high, worth_verdict=one.worth_verdict,
        )
        for point, run in zip(points, own, strict=True)
        for one in [found[run.run]]
    ]  # fmt: skip
    return [Series(name=name, kind="judge", question=question, points=tuple(made))]


def _people_series(kept: History, runs: list[Run], question: str | None, options: HistoryOptions) -> list[Series]:
    """How far people agree, and how often they give each label; of two labels the last says both."""
    run, key, agreement = kept.people
    made = [("people agree", agreement, runs)]
    for labels, shares in kept.shares.items():
        own = [one for one in runs if one.labels == labels]
        each = [(f"share of {label}", shares[:, i], own) for i, label in enumerate(labels)]
        made += each[-1:] if len(each) == TWO else each
    return [
        Series(name=name, kind="people", question=question, points=tuple(_points((run, key, values), own, options)))
        for name, values, own in made
        if len(own) > 1
    ]


def _points(columns: tuple[Codes, Codes, Floats], runs: list[Run], options: HistoryOptions) -> list[Point]:
    """The mean of each run, and what changed."""
    numbers = np.array([run.run for run in runs], dtype=np.intp)
    by_number = np.argsort(numbers)
    run, key, values = columns
    mine = np.isin(run, numbers) & ~np.isnan(values)
    order = by_number[np.searchsorted(numbers, run[mine], sorter=by_number)]
    kept = values[mine]
    changes = changes_in(order, key[mine], kept, np.arange(len(runs)), alpha=options.alpha)
    points = []
    for own, change, (mean, variance) in zip(runs, changes, _means(order, kept, len(runs)), strict=True):
        low, high = normal_interval(mean, variance, 0.95)
        told = change or Change(NAN, NAN, NAN, runs=0, items=0, paired=False, real=False)
        points.append(
            Point(
                run=own.run, at=own.value or own.recorded_at, value=mean, low=low, high=high, worth=NAN, worth_low=NAN,
                worth_high=NAN, worth_verdict=None, verdict=None, difference=told.difference,
                difference_low=told.low, difference_high=told.high, runs=told.runs, shared=told.items,
                paired=told.paired, changed=told.real,
            )
        )  # fmt: skip
    return points


def _means(run: Codes, values: Floats, n_runs: int) -> list[tuple[float, float]]:
    """Of each run the mean of its values, and that mean's variance; NaN where there are too few."""
    number = np.bincount(run, minlength=n_runs).astype(np.float64)
    mean = np.bincount(run, values, minlength=n_runs) / np.where(number > 0, number, NAN)
    square = np.bincount(run, (values - mean[run]) ** 2, minlength=n_runs)
    variance = square / np.where(number > 1, (number - 1) * number, NAN)
    return list(zip(mean.tolist(), variance.tolist(), strict=True))


def _left_out(runs: list[Run], question: str | None) -> list[str]:
    """Runs whose labels differ from those of the last, which are not compared with it."""
    others = [run for run in runs if run.labels != runs[-1].labels]
    if not others:
        return []
    of = "" if question is None else f"{question}: "
    verb = "is" if len(others) == 1 else "are"
    which = f"{counted(len(others), 'run')} with other labels ({listed(others[-1].labels)}) than the last"
    return [f"{of}{which} {verb} left out."]
