"""Draw people's ratings and the answers of two judges from items whose truth is known."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.errors import OptionError
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.labels import natural_order
from dissensus.results import Result
from dissensus.simulation.panels import Codes, Panel, assign_raters, numbered
from dissensus.simulation.responses_population import (
    Items,
    NormalItems,
    Responses,
    draw_items,
    expected_response,
    labels_of,
)

DIGITS = 6
JUDGES = ("A", "B")


class SimulatedResponses(NamedTuple):
    """What was drawn, and from what."""

    ratings: Ratings
    judges: Judges
    truth: "ResponsesTruth"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResponsesTruth:
    """From what the data were drawn."""

    responses: Responses
    items: tuple[str, ...]
    drawn: Items

    def rows(self) -> list[dict[str, object]]:
        """One row per item: its mean, spread and how far B is off, or the shares of its labels."""
        names = self.drawn.__dataclass_fields__
        columns = {name: np.round(getattr(self.drawn, name), DIGITS).tolist() for name in names}
        return [{"item": item, **{name: columns[name][i] for name in names}} for i, item in enumerate(self.items)]

    def as_dict(self) -> dict[str, object]:
        """The population, by how much B errs more than A, and each item."""
        error = self.error()
        better = "A" if error > 0 else "neither"
        return {"population": asdict(self.responses), "better": better, "error_b": error, "items": self.rows()}

    def error(self) -> float:
        """Mean error of B with endless responses: of its mean label, or the share of labels that must change."""
        if isinstance(self.drawn, NormalItems):
            mean, spread = self.drawn.mean, self.drawn.spread
            people, b = (expected_response(self.responses, own, spread) for own in (mean, mean + self.drawn.shift))
            return round(float(np.abs(b - people).mean()), DIGITS)
        apart = np.abs(self.drawn.shares_b - self.drawn.shares).sum(axis=1) / 2
        return round(float(apart.mean()), DIGITS)

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.as_dict(), indent=1) + "\n"

    def readme(self, *, made_with: str) -> str:
        """Markdown that describes the data."""
        how = {
            "normal": "Responses to an item are normal around the item's mean, on a scale from 0 to 1",
            "likert": f"Responses to an item are normal around the item's mean, cut into {self.responses.points} steps",
            "dirichlet": f"Responses to an item are draws from the item's own shares of {self.responses.points} labels",
        }[self.responses.kind]
        return (
            "# Simulated responses\n\nThe data are simulated, so the truth behind them is known. "
            f"Made with {made_with}.\n\n{how}. Judge `A` answers as people do. Judge `B` strays (effect "
            f"{self.responses.effect:g}): with endless responses its mean error would be {self.error():.4f}, and that "
            "of `A` 0.\n\nThe files: `ratings.csv`, `judges.csv`, and `truth.json` with what is true of each item.\n"
        )


@dataclass(frozen=True, kw_only=True)
class SimulateResponsesResult(Result):
    """What was simulated: the truth behind the data that were written."""

    command: ClassVar[str] = "simulate"

    truth: ResponsesTruth

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return self.truth.as_dict()

    def rows(self) -> list[dict[str, object]]:
        """One row per item."""
        return self.truth.rows()


def simulate_responses(
    responses: Responses | None = None,
    *,
    items: int = 100,
    raters: int | tuple[int, int] = 5,
    samples: tuple[int, int] = (5, 5),
    rng: int | Generator | None = None,
) -> SimulatedResponses:
    """Ratings of people and answers of judges A, who is like them, and B, who is not, with the truth behind them.

    Parameters
    ----------
    responses : Responses, optional
        How responses come about; the paper's normal items with effect .1 if not given.
    items : int
        How many items.
    raters : int or (int, int)
        Raters per item: a number, or a range from which each item's number is drawn.
    samples : (int, int)
        Answers of A, and of B, to each item.
    rng : int or Generator, optional
        Seed.

    Returns
    -------
    SimulatedResponses
        `ratings`, `judges` and `truth`.

    Examples
    --------
    >>> ratings, judges, truth = simulate_responses(items=20, raters=(2, 4), samples=(3, 1), rng=0)
    >>> ratings.n_items, ratings.scale, judges.n_answers
    (20, 'interval', 80)
    """
    if items < 1 or min(samples) < 1:
        raise OptionError(f"{items} items and {min(samples)} samples: there must be at least one of each.")
    population = responses or Responses()
    panel = Panel(per_item=raters)
    stream = np.random.default_rng(rng)
    drawn = draw_items(population, items, stream)
    names = numbered("item", items)
    item, rater = assign_raters(stream, panel, items=items)
    given = labels_of(population, drawn.draw(item, is_b=False, rng=stream))
    asked = [np.repeat(np.arange(items), each) for each in samples]
    answers = [labels_of(population, drawn.draw(own, is_b=j == 1, rng=stream)) for j, own in enumerate(asked)]
    return SimulatedResponses(
        ratings=_ratings(population, item, rater, given, names=names, panel=panel),
        judges=_judges(population, asked, answers, names),
        truth=ResponsesTruth(responses=population, items=names, drawn=drawn),
    )


def _ratings(
    population: Responses, item: Codes, rater: Codes, given: list[str], *, names: tuple[str, ...], panel: Panel
) -> Ratings:
    labels = _labels(population, given)
    place = {label: i for i, label in enumerate(labels)}
    return Ratings(
        item=item,
        rater=rater,
        label=np.array([place[label] for label in given]),
        items=names,
        raters=panel.rater_names(),
        labels=labels,
        scale={"normal": "interval", "likert": "ordinal", "dirichlet": "nominal"}[population.kind],  # type: ignore[arg-type]
    )


def _judges(population: Responses, asked: list[Codes], answers: list[list[str]], names: tuple[str, ...]) -> Judges:
    labels = _labels(population, [label for own in answers for label in own])
    place = {label: i for i, label in enumerate(labels)}
    return Judges(
        item=np.concatenate(asked),
        judge=np.repeat([0, 1], [len(own) for own in asked]),
        sample=np.concatenate([np.tile(np.arange(len(own) // len(names)), len(names)) for own in asked]),
        label=np.array([place[label] for own in answers for label in own]),
        items=names,
        judges=JUDGES,
        labels=labels,
        options=labels,
    )


def _labels(population: Responses, given: Iterable[str]) -> tuple[str, ...]:
    """Every step of a scale; of normal responses those that were given."""
    steps = () if population.kind == "normal" else map(str, range(1, population.points + 1))
    return tuple(sorted({*given, *steps}, key=natural_order))
