"""Raters and judges who may find several options reasonable: draws from a population, and what is true of it."""

import json
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.labels import SEPARATOR
from dissensus.errors import OptionError
from dissensus.simulation.indeterminate_model import (
    Indeterminacy,
    Population,
    draw_population,
    oracle_marginals,
    sample_choices,
    selection_effect,
)
from dissensus.simulation.panels import (
    FORCED_CHOICE,
    RESPONSE_SET,
    Simulated,
    Truth,
    check_draws,
    draw_categories,
    markdown_table,
    numbered,
)

# ---- The paper's selection experiment: how well does the judge do that a measure selects?

FULLY_SPECIFIED = ((3, 3), (4, 4), (5, 5), (6, 6))
UNDERSPECIFIED = ((2, 3), (3, 5), (3, 7), (4, 7), (4, 8), (4, 10), (4, 12), (5, 8), (5, 12), (5, 20))
"""Numbers of options and of response sets."""

TAUS = (0.3, 0.5, 0.7)
SLACK = 1e-12  # rounding: a share this close to a threshold reaches it


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What a measure is computed from: people's shares as estimated, and the judges' without sampling error."""

    soft: Floats
    marginals: Floats
    judge_soft: Floats
    judge_marginals: Floats


Measure = Callable[[Seen], Floats]  # one value per judge, of shape (n_judges,); higher is better


def seen_of(population: Population, ratings: int | None, rng: Generator) -> Seen:
    """Forced choices per item, and Omega through the oracle's F' and E'; without ratings, the population."""
    soft = population.soft if ratings is None else sample_choices(population.soft, ratings, rng)
    return Seen(
        soft=soft,
        marginals=oracle_marginals(population, soft),
        judge_soft=population.judge_soft,
        judge_marginals=population.judge_marginals,
    )


def consistency(population: Population, tau: float) -> Floats:
    """Share of the items that each judge and error-free people put on the same side of tau, of shape (n_judges,).

    Decided on the first option's share of response sets.
    """
    people = population.stable_marginals[:, 0] >= tau - SLACK
    judges = population.judge_marginals[:, :, 0] >= tau - SLACK
    return np.asarray((judges == people).mean(axis=1))


def selected_consistency(
    design: Indeterminacy, measures: Mapping[str, Measure], *, ratings: int | None = 1, taus: Sequence[float] = TAUS,
    items: int = 100, judges: int = 50, rng: int | Generator | None = None,
) -> dict[str, float]:  # fmt: skip
    """Decision consistency of the judge that each measure selects, averaged over thresholds.

    `design`: how people and judges rate. `measures`: by what to select. `ratings`: forced choices per item; None is a
    population of people. `taus`: thresholds of the decision. `items`, `judges`: how many. Returns one entry for each
    measure, and `best` for the judge that does best on average.

    >>> found = selected_consistency(Indeterminacy(), {"truth": lambda seen: -((seen.judge_marginals - seen.marginals)
    ...                              ** 2).sum(axis=(1, 2))}, ratings=None, rng=0)
    >>> found["best"] >= found["truth"] > 0.9
    True
    """
    stream = np.random.default_rng(rng)
    population = draw_population(design, items=items, judges=judges, rng=stream)
    seen = seen_of(population, ratings, stream)
    achieved = np.mean([consistency(population, tau) for tau in taus], axis=0)
    chosen = {name: float(achieved[best_judge(measure(seen))]) for name, measure in measures.items()}
    return chosen | {"best": float(achieved.max())}


def best_judge(values: Floats) -> int:
    """The judge with the highest value, the first one of those that tie; a judge without a value is never it."""
    return int(np.argmax(np.where(np.isnan(values), -np.inf, values)))


# ---- The truth behind simulated indeterminate ratings, as plain values for a file beside them

DECIMALS = 6  # rounded, so that the same truth is the same file on every machine


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndeterminateTruth(Truth):
    """From what the data were drawn: how people and judges rate, everybody's distributions, and names."""

    design: Indeterminacy
    population: Population
    items: tuple[str, ...]
    judges: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """A, B, C, ...; A is the positive one."""
        return tuple(string.ascii_uppercase[: self.design.n_options])

    @property
    def response_sets(self) -> tuple[str, ...]:
        """The sets that a rater may give, as labels."""
        return tuple(
            SEPARATOR.join(self.options[i] for i in np.flatnonzero(row).tolist()) for row in self.population.members
        )

    def rows(self) -> list[dict[str, object]]:
        """One row per judge: how far it is from people, its selection effect, how often it decides as they do."""
        decided = {tau: consistency(self.population, tau) for tau in TAUS}
        squared = self._squared_errors()
        return [
            {
                "judge": name,
                "sigma": _plain(self.population.sigma[i]),
                "gamma": _plain(self.population.gamma[i]),
                "mse_response_set": _plain(squared[i]),
                **{f"consistency_{tau:g}": _plain(values[i]) for tau, values in decided.items()},
            }
            for i, name in enumerate(self.judges)
        ]

    def _squared_errors(self) -> Floats:
        apart = self.population.judge_marginals - self.population.stable_marginals
        return np.asarray((apart**2).sum(axis=2).mean(axis=1))

    def prevalence(self) -> dict[str, dict[str, float]]:
        """Share of the items that are positive at each threshold, by response sets and by forced choices."""
        shares = {"response_set": self.population.stable_marginals[:, 0], "forced_choice": self.population.soft[:, 0]}
        return {name: {f"{tau:g}": _plain((of >= tau - SLACK).mean()) for tau in TAUS} for name, of in shares.items()}

    def selection(self) -> float:
        """Gamma of people: how much likelier than by chance A is chosen from a set that has it; mean over items."""
        return _plain(selection_effect(self.population.choice, self.population.members).mean())

    def as_dict(self) -> dict[str, object]:
        """The design, what is true of people and of each judge, and the distributions of each item."""
        of_item = {
            "stable": self.population.stable,
            "forced_choices": self.population.soft,
            "endorsements": self.population.stable_marginals,
        }
        return {
            "design": asdict(self.design),
            "options": list(self.options),
            "positive": [self.options[0]],
            "response_sets": list(self.response_sets),
            "selection_effect": self.selection(),
            "prevalence": self.prevalence(),
            "error": self.population.error.round(DECIMALS).tolist(),
            "judges": self.rows(),
            "items": {
                item: {name: (values[i].round(DECIMALS) + 0.0).tolist() for name, values in of_item.items()}
                for i, item in enumerate(self.items)
            },
        }


def _plain(value: float) -> float:
    return round(float(value), DECIMALS) + 0.0


# ---- Draw ratings and judges from a population that may find several options reasonable


def simulate_indeterminate(
    design: Indeterminacy | None = None, *, items: int = 100, raters: int = 5, paired: int = 100, judges: int = 10,
    samples: int = 10, rng: int | Generator | None = None,
) -> Simulated[IndeterminateTruth]:  # fmt: skip
    """Ratings and judges' answers of an indeterminate task, with the truth behind them.

    Options are called A, B, C, ...; A is the positive one. Every rater gives every item a forced choice; for some
    ratings, drawn at random, the rater also gives the response set. Judges always give both.

    `design`: how people and judges rate; three options and every set of them if not given. `items`, `raters`, `judges`:
    how many. `paired`: how many ratings come with a response set. `samples`: how many answers of either kind each judge
    gives to each item. Returns `ratings`, `judges` and `truth`.

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
    check_draws(items, max(raters, 2 * judges * samples))
    stream = np.random.default_rng(rng)
    chosen = Indeterminacy() if design is None else design
    population = draw_population(chosen, items=items, judges=judges, rng=stream)
    truth = IndeterminateTruth(
        design=chosen, population=population, items=numbered("item", items), judges=numbered("judge", judges)
    )
    return Simulated(
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
        item=item[row[order]], items=truth.items, rater=rater[row[order]], raters=numbered("rater", raters),
        label=label[order], labels=labels, options=truth.options, elicitation=elicitation[order],
    )  # fmt: skip


def _draw_judges(rng: Generator, population: Population, truth: IndeterminateTruth, *, samples: int) -> Judges:
    n_judges, n_items = len(truth.judges), len(truth.items)
    judge = np.repeat(np.arange(n_judges), n_items * samples)
    item = np.tile(np.repeat(np.arange(n_items), samples), n_judges)
    given = draw_categories(rng.random(len(item)), population.judge_stable[judge, item])
    choice = draw_categories(rng.random(len(item)), population.judge_choice[judge, item, :, given])
    label, labels = _labels(np.column_stack([choice, given]).ravel(), truth.options, population.members)
    return Judges(
        item=np.repeat(item, 2), items=truth.items if n_judges else (), judge=np.repeat(judge, 2), judges=truth.judges,
        sample=np.repeat(np.tile(np.arange(samples), n_judges * n_items), 2), label=label, labels=labels,
        options=truth.options, elicitation=np.tile([FORCED_CHOICE, RESPONSE_SET], len(item)),
    )  # fmt: skip


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
    """Markdown that describes the data; `made_with` says what to run to make the same data again, seed included."""
    parts = [
        "# Simulated ratings of an indeterminate task",
        f"The data are simulated, so the truth behind them is known. Made with {made_with}.",
        "## Items and raters",
        _items(truth),
        _raters(truth, raters=raters, paired=paired),
        _prevalence(truth),
    ]
    if truth.judges:
        times = "once" if samples == 1 else f"{samples} times"
        about = (
            f"Each judge gave a forced choice and a response set {times} for each item. Its sets are those of people, "
            "shaken by noise of standard deviation sigma; it chooses among the options of a set with its own gamma and "
            "makes no error. Consistency: share of the items that the judge and people without error put on the same "
            "side of the threshold, by response sets."
        )
        rows = truth.rows()
        cells = [[f"`{row['judge']}`", *(f"{value:.3f}" for value in list(row.values())[1:])] for row in rows]
        parts += ["## Judges", about, markdown_table([key.replace("_", " ") for key in rows[0]], cells)]
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
    return (
        "Share of the items that are positive, because enough raters find A reasonable, or choose it:\n\n"
        + markdown_table(["threshold", "by response sets", "by forced choices"], rows)
    )
