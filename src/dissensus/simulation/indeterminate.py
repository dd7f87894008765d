"""Draw ratings and judges from a population that may find several options reasonable."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags
from dissensus.data import Judges, Ratings
from dissensus.data.labels import SEPARATOR
from dissensus.errors import OptionError
from dissensus.simulation.indeterminate_experiment import IndeterminateTruth
from dissensus.simulation.indeterminate_population import Indeterminacy, Population, draw_population
from dissensus.simulation.panels import draw_categories, numbered

# ---- Draw ratings and judges from a population that may find several options reasonable

FORCED_CHOICE, RESPONSE_SET = 0, 1


class SimulatedIndeterminate(NamedTuple):
    """What was drawn, and from what."""

    ratings: Ratings
    judges: Judges
    truth: IndeterminateTruth


def simulate_indeterminate(
    design: Indeterminacy | None = None,
    *,
    items: int = 100,
    raters: int = 5,
    paired: int = 100,
    judges: int = 10,
    samples: int = 10,
    rng: int | Generator | None = None,
) -> SimulatedIndeterminate:
    """Ratings and judges' answers of an indeterminate task, with the truth behind them.

    Options are called A, B, C, ...; A is the positive one. Every rater gives every item a forced choice; for some
    ratings, drawn at random, the rater also gives the response set. Judges always give both.

    Parameters
    ----------
    design : Indeterminacy, optional
        How people and judges rate; three options and every set of them if not given.
    items, raters, judges : int
        How many.
    paired : int
        How many ratings come with a response set.
    samples : int
        How many answers of either kind each judge gives to each item.
    rng : int or Generator, optional
        Seed.

    Returns
    -------
    SimulatedIndeterminate
        `ratings`, `judges` and `truth`.

    Examples
    --------
    >>> ratings, judges, truth = simulate_indeterminate(items=20, raters=3, paired=30, judges=2, samples=5, rng=0)
    >>> ratings.n_ratings, judges.n_answers, truth.options
    (90, 400, ('A', 'B', 'C'))
    """
    if min(items, raters, samples) < 1 or judges < 0:
        raise OptionError(
            f"{items} items, {raters} raters, {judges} judges and {samples} samples: only judges can be none."
        )
    if not 0 <= paired <= items * raters:
        raise OptionError(f"{paired} paired ratings of {items * raters} ratings: give a number from 0 to that.")
    stream = np.random.default_rng(rng)
    chosen = Indeterminacy() if design is None else design
    population = draw_population(chosen, items=items, judges=judges, rng=stream)
    truth = IndeterminateTruth(
        design=chosen, population=population, items=numbered("item", items), judges=numbered("judge", judges)
    )
    return SimulatedIndeterminate(
        ratings=_draw_ratings(stream, population, truth, raters=raters, paired=paired),
        judges=_draw_judges(stream, population, truth, samples=samples),
        truth=truth,
    )


def _draw_ratings(
    rng: Generator, population: Population, truth: IndeterminateTruth, *, raters: int, paired: int
) -> Ratings:
    n_items = len(truth.items)
    item, rater = np.repeat(np.arange(n_items), raters), np.tile(np.arange(raters), n_items)
    given = draw_categories(rng.random(len(item)), population.observed[item])
    choice = draw_categories(rng.random(len(item)), population.choice[item, :, given])
    also = np.sort(np.argsort(rng.random(len(item)), kind="stable")[:paired])
    row = np.concatenate([np.arange(len(item)), also])
    elicitation = np.repeat([FORCED_CHOICE, RESPONSE_SET], [len(item), len(also)])
    order = np.lexsort((elicitation, row))
    label, labels = _labels(np.concatenate([choice, given[also]]), truth.options, population.members)
    return Ratings(
        item=item[row[order]],
        items=truth.items,
        rater=rater[row[order]],
        raters=numbered("rater", raters),
        label=label[order],
        labels=labels,
        options=truth.options,
        elicitation=elicitation[order],
    )


def _draw_judges(rng: Generator, population: Population, truth: IndeterminateTruth, *, samples: int) -> Judges:
    n_judges, n_items = len(truth.judges), len(truth.items)
    judge = np.repeat(np.arange(n_judges), n_items * samples)
    item = np.tile(np.repeat(np.arange(n_items), samples), n_judges)
    given = draw_categories(rng.random(len(item)), population.judge_stable[judge, item])
    choice = draw_categories(rng.random(len(item)), population.judge_choice[judge, item, :, given])
    label, labels = _labels(np.column_stack([choice, given]).ravel(), truth.options, population.members)
    return Judges(
        item=np.repeat(item, 2),
        items=truth.items if n_judges else (),
        judge=np.repeat(judge, 2),
        judges=truth.judges,
        sample=np.repeat(np.tile(np.arange(samples), n_judges * n_items), 2),
        label=label,
        labels=labels,
        options=truth.options,
        elicitation=np.tile([FORCED_CHOICE, RESPONSE_SET], len(item)),
    )


def _labels(sets: Codes, options: tuple[str, ...], members: Flags) -> tuple[Codes, tuple[str, ...]]:
    """Codes and names of labels: every option, then the larger sets that were given. The first sets are the options."""
    is_kept = np.bincount(sets, minlength=len(members)) > 0
    is_kept[: len(options)] = True
    names = (SEPARATOR.join(options[i] for i in np.flatnonzero(row)) for row in members[is_kept])
    return np.asarray((np.cumsum(is_kept) - 1)[sets], dtype=np.intp), tuple(names)


# ---- The README and the task that lie beside simulated indeterminate ratings


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
