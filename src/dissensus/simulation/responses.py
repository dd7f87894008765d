"""Draw people's ratings and the answers of two judges from items whose truth is known."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.labels import natural_order
from dissensus.errors import OptionError
from dissensus.options import named
from dissensus.simulation.panels import (
    Panel,
    Simulated,
    Truth,
    assign_raters,
    check_draws,
    checked_share,
    draw_categories,
    numbered,
    to_normal,
)

# ---- Items with a distribution of responses each: of people, of a judge A like them, and of a judge B that is off

Kind = Literal["normal", "likert", "dirichlet"]
KINDS: tuple[Kind, ...] = ("normal", "likert", "dirichlet")
FEWEST_POINTS = 2
SMALLEST_CONCENTRATION = 1e-6  # with less, all raters give an item the same label anyway
DECIMALS = 3  # normal responses are written with this many decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """How responses to an item come about.

    "How Many Raters Do You Need?", section 3.
    """

    # Numbers around the item's mean; the same, cut into the steps of a scale; or labels, with shares of the item's own
    # that are drawn from a Dirichlet distribution.
    kind: Kind = "normal"
    # How far B strays: its mean is off by up to so much either way (on a scale from 0 to 1), or this share of its
    # labels comes from shares of its own.
    effect: float = 0.1
    spread: tuple[float, float] = (0.0, 0.3)  # standard deviation of an item's responses: uniform between these
    # Whether normal responses below 0 and above 1 are set to these; the paper's text says so, its tool does not.
    is_clipped: bool = False
    points: int = 5  # steps of a Likert scale, or labels of a Dirichlet distribution
    concentration: float = 1.0  # of the Dirichlet distribution: the smaller, the more raters agree

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise OptionError.unknown(named("kind"), self.kind, KINDS)
        checked_share(named("effect"), self.effect)
        low, high = self.spread
        if not 0 <= low <= high < math.inf:
            raise OptionError(
                f"{named('spread')} cannot be {low:g}:{high:g}: give two standard deviations such as 0:0.3."
            )
        if self.points < FEWEST_POINTS or not SMALLEST_CONCENTRATION <= self.concentration < math.inf:
            raise OptionError(
                f"{self.points} points and concentration {self.concentration:g}: give two points or more and a "
                f"concentration of at least {SMALLEST_CONCENTRATION:g}."
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalItems:
    """Items with a mean and a spread; B's mean is another."""

    mean: Floats
    spread: Floats
    shift: Floats

    def draw(self, item: Codes, *, is_b: bool, rng: Generator) -> Floats:
        """A response to each of these items."""
        mean = self.mean + self.shift if is_b else self.mean
        return np.asarray(mean[item] + self.spread[item] * to_normal(rng.random((2, len(item)))))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShareItems:
    """Items with a share for each label, of shape (n_items, n_labels); B's shares are others."""

    shares: Floats
    shares_b: Floats

    def draw(self, item: Codes, *, is_b: bool, rng: Generator) -> Floats:
        """The place of the label given to each of these items."""
        chances = (self.shares_b if is_b else self.shares)[item]
        return draw_categories(rng.random(len(item)), chances).astype(np.float64)


Items = NormalItems | ShareItems


def draw_items(responses: Responses, n: int, rng: Generator) -> Items:
    """A number of items."""
    if responses.kind == "dirichlet":
        alpha = np.full(responses.points, responses.concentration / responses.points)
        shares, others = rng.dirichlet(alpha, size=n), rng.dirichlet(alpha, size=n)
        return ShareItems(shares=shares, shares_b=(1 - responses.effect) * shares + responses.effect * others)
    mean, place, turn = rng.random((3, n))
    low, high = responses.spread
    off = responses.effect * (2 * turn - 1)
    return NormalItems(mean=mean, spread=low + (high - low) * place, shift=np.clip(mean + off, 0, 1) - mean)


def expected_response(responses: Responses, mean: Floats, spread: Floats) -> Floats:
    """Mean of infinitely many responses that are normal before they are clipped, or cut into steps.

    >>> likert = Responses(kind="likert", points=2)
    >>> expected_response(likert, np.array([0.5, 0.9]), np.array([0.2, 0.0]))  # steps 1 and 2 equally often; always 2
    array([1.5, 2. ])
    """
    from scipy.special import ndtr  # noqa: PLC0415 - not needed to draw

    sd = np.maximum(spread, 1e-9)
    if responses.kind == "likert":
        bounds = np.arange(1, responses.points) / responses.points
        return np.asarray(1 + sum(np.where(spread > 0, ndtr((mean - k) / sd), mean >= k) for k in bounds))
    if not responses.is_clipped:
        return mean
    # The integral of P(response > t) over t from 0 to 1; x P(x) + p(x) is an integral of the normal distribution P.
    above_0, above_1 = (x * ndtr(x) + np.exp(-x * x / 2) / np.sqrt(2 * np.pi) for x in (mean / sd, (mean - 1) / sd))
    return np.asarray(sd * (above_0 - above_1))


def labels_of(responses: Responses, drawn: Floats) -> list[str]:
    """The drawn responses as labels.

    >>> labels_of(Responses(kind="likert"), np.array([-0.2, 0.41, 1.3]))
    ['1', '3', '5']
    """
    if responses.kind == "dirichlet":
        return [str(int(place) + 1) for place in drawn]
    if responses.kind == "likert":
        steps = np.clip(np.floor(drawn * responses.points), 0, responses.points - 1).astype(int) + 1
        return [str(step) for step in steps]
    values = np.clip(drawn, 0, 1) if responses.is_clipped else drawn
    return [f"{value + 0.0:g}" for value in np.round(values, DECIMALS) + 0.0]


DIGITS = 6
JUDGES = ("A", "B")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResponsesTruth(Truth):
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
        """Mean error of B with infinitely many responses: of its mean label, or the share that must change."""
        if isinstance(self.drawn, NormalItems):
            mean, spread = self.drawn.mean, self.drawn.spread
            people, b = (expected_response(self.responses, own, spread) for own in (mean, mean + self.drawn.shift))
            return round(float(np.abs(b - people).mean()), DIGITS)
        apart = np.abs(self.drawn.shares_b - self.drawn.shares).sum(axis=1) / 2
        return round(float(apart.mean()), DIGITS)

    def readme(self, *, made_with: str) -> str:
        """Markdown that describes the data."""
        how = {
            "normal": "Responses to an item are normal around the item's mean, on a scale from 0 to 1",
            "likert": f"Responses to an item are normal around the item's mean, cut into {self.responses.points} steps",
            "dirichlet": f"Responses to an item are draws from the item's own shares of {self.responses.points} labels",
        }[self.responses.kind]
        return (
            "# Simulated responses\n\nThe data are simulated, so the truth behind them is known. "
            f"Made with {made_with}.\n\n{how}. Judge `A` answers as people do. Judge `B` is off (effect "
            f"{self.responses.effect:g}): with infinitely many responses its mean error would be {self.error():.4f}, "
            "and that of `A` 0.\n\n"
            "The files: `ratings.csv`, `judges.csv`, and `truth.json` with what is true of each item.\n"
        )


def simulate_responses(
    responses: Responses | None = None, *, items: int = 100, raters: int | tuple[int, int] = 5,
    samples: tuple[int, int] = (5, 5), rng: int | Generator | None = None,
) -> Simulated[ResponsesTruth]:  # fmt: skip
    """Ratings of people and answers of judges A, who is like them, and B, who is not, with the truth behind them.

    `responses`: how responses come about; the paper's normal items with effect .1 if not given. `items`: how many
    items. `raters`: raters per item: a number, or a range from which each item's number is drawn. `samples`: answers of
    A, and of B, to each item. Returns `ratings`, `judges` and `truth`.

    >>> ratings, judges, truth = simulate_responses(items=20, raters=(2, 4), samples=(3, 1), rng=0)
    >>> ratings.n_items, ratings.scale, judges.n_answers
    (20, 'interval', 80)
    """
    if items < 1 or min(samples) < 1:
        raise OptionError(f"{items} items and {min(samples)} samples: there must be at least one of each.")
    population = responses or Responses()
    panel = Panel(per_item=raters)
    check_draws(items, max(panel.bounds[1], *samples))
    stream = np.random.default_rng(rng)
    drawn = draw_items(population, items, stream)
    names = numbered("item", items)
    item, rater = assign_raters(stream, panel, items=items)
    given = labels_of(population, drawn.draw(item, is_b=False, rng=stream))
    asked = [np.repeat(np.arange(items), each) for each in samples]
    answers = [labels_of(population, drawn.draw(own, is_b=j == 1, rng=stream)) for j, own in enumerate(asked)]
    return Simulated(
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
        item=np.concatenate(asked), judge=np.repeat([0, 1], [len(own) for own in asked]),
        sample=np.concatenate([np.tile(np.arange(len(own) // len(names)), len(names)) for own in asked]),
        label=np.array([place[label] for own in answers for label in own]), items=names, judges=JUDGES, labels=labels,
        options=labels,
    )  # fmt: skip


def _labels(population: Responses, given: Iterable[str]) -> tuple[str, ...]:
    """Every step of a scale; of normal responses those that were given."""
    steps = () if population.kind == "normal" else map(str, range(1, population.points + 1))
    return tuple(sorted({*given, *steps}, key=natural_order))
