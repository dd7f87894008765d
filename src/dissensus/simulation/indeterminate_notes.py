"""The README and the task that lie beside simulated indeterminate ratings."""

import json
from collections.abc import Iterable, Sequence

from dissensus.ratings.labels import SEPARATOR
from dissensus.simulation.indeterminate_truth import IndeterminateTruth


def task_of(truth: IndeterminateTruth) -> str:
    """The task as TOML: options in order, the positive one, and the response sets that a rater may give."""
    sets = "single" if truth.design.is_fully_specified else [label.split(SEPARATOR) for label in truth.response_sets]
    return "\n".join([
        'name = "simulated"',
        'instructions = "Which option applies?"',
        f"options = {json.dumps(truth.options)}",
        f"positive = {json.dumps(truth.options[:1])}",
        f"response_sets = {json.dumps(sets)}",
        "",
    ])  # fmt: skip


def readme_of(truth: IndeterminateTruth, *, made_with: str, raters: int, paired: int, samples: int) -> str:
    """Markdown that describes the data.

    Parameters
    ----------
    truth : IndeterminateTruth
        From what they were drawn.
    made_with : str
        What to run to make the same data again, seed included.
    raters, paired, samples : int
        Raters per item, ratings with a response set, answers of each judge to each item.
    """
    parts = [
        "# Simulated ratings of an indeterminate task",
        f"The data are simulated, so the truth behind them is known. Made with {made_with}.",
        "## Items and raters",
        _items(truth),
        _raters(truth, raters=raters, paired=paired),
        _prevalence(truth),
    ]
    if truth.judges:
        parts += ["## Judges", _judges(samples), _judge_table(truth)]
    files = "`ratings.csv`, `judges.csv`, `task.toml`" if truth.judges else "`ratings.csv`, `task.toml`"
    parts.append(f"The files: {files}, and `truth.json` with the distributions of each item and these numbers.")
    return "\n\n".join(parts) + "\n"


def _items(truth: IndeterminateTruth) -> str:
    shown = ", ".join(f"`{label}`" for label in truth.response_sets[:12])
    more = len(truth.response_sets) - 12
    design = truth.design
    how = "fully specified: each set is one option" if design.is_fully_specified else "underspecified"
    return (
        f"A rater may find one or several of the options {', '.join(truth.options)} reasonable: "
        f"{shown}{f' and {more} more' if more > 0 else ''}. The task is {how}. For each of the "
        f"{len(truth.items)} items, the shares of raters who have each set in mind were drawn at random, all shares "
        "being equally likely."
    )


def _raters(truth: IndeterminateTruth, *, raters: int, paired: int) -> str:
    design = truth.design
    slips = (
        f"With probability {design.error:g} a rater slips and gives another set (skew {design.skew:g}). "
        if design.error
        else ""
    )
    return (
        f"Each of {raters} raters chose one option for each item; for {paired} of the ratings, the rater also gave the "
        f"whole response set. {slips}Asked for one option, raters choose among those of their set with gamma "
        f"{design.gamma:g}: A is {truth.selection():.2f} times as likely as by chance."
    )


def _prevalence(truth: IndeterminateTruth) -> str:
    shares = truth.prevalence()
    rows = [
        [tau, f"{share:.0%}", f"{shares['forced_choice'][tau]:.0%}"] for tau, share in shares["response_set"].items()
    ]
    return "Share of the items that are positive, because enough raters find A reasonable, or choose it:\n\n" + _table(
        ["threshold", "by response sets", "by forced choices"], rows
    )


def _judges(samples: int) -> str:
    times = "once" if samples == 1 else f"{samples} times"
    return (
        f"Each judge gave a forced choice and a response set {times} for each item. Its sets are those of people, "
        "shaken by noise of standard deviation sigma; it chooses among the options of a set with its own gamma and "
        "makes no error. Consistency: share of the items that the judge and people without error put on the same side "
        "of the threshold, by response sets."
    )


def _judge_table(truth: IndeterminateTruth) -> str:
    rows = truth.rows()
    header = [key.replace("_", " ") for key in rows[0]]
    cells = [[f"`{row['judge']}`", *(f"{value:.3f}" for value in list(row.values())[1:])] for row in rows]
    return _table(header, cells)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
