"""Items with a distribution of responses each: of people, of a judge A like them, and of a judge B that strays."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from dissensus.errors import OptionError
from dissensus.simulation.panels import Codes
from dissensus.simulation.probabilities import Floats, checked_share, draw_categories, to_normal

Kind = Literal["normal", "likert", "dirichlet"]
KINDS: tuple[Kind, ...] = ("normal", "likert", "dirichlet")
FEWEST_POINTS = 2
SMALLEST_CONCENTRATION = 1e-6
"""With less, all raters give an item the same label anyway."""
DECIMALS = 3
"""Normal responses are written with so many decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """How responses to an item come about.

    Attributes
    ----------
    kind : {"normal", "likert", "dirichlet"}
        Numbers around the item's mean; the same, cut into the steps of a scale; or labels, with shares of the item's
        own that are drawn from a Dirichlet distribution.
    effect : float
        How far B strays: its mean is off by up to so much either way (on a scale from 0 to 1), or this share of its
        labels comes from shares of its own.
    spread : (float, float)
        Standard deviation of an item's responses: uniform between these.
    is_clipped : bool
        Whether normal responses below 0 and above 1 are set to these; the paper's text says so, its tool does not.
    points : int
        Steps of a Likert scale, or labels of a Dirichlet distribution.
    concentration : float
        Of the Dirichlet distribution: the smaller, the more raters agree.

    References
    ----------
    "How Many Raters Do You Need?", section 3.
    """

    kind: Kind = "normal"
    effect: float = 0.1
    spread: tuple[float, float] = (0.0, 0.3)
    is_clipped: bool = False
    points: int = 5
    concentration: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise OptionError.unknown("--kind", self.kind, KINDS)
        checked_share("--effect", self.effect)
        low, high = self.spread
        if not 0 <= low <= high < math.inf:
            raise OptionError(f"--spread cannot be {low:g}:{high:g}: give two standard deviations such as 0:0.3.")
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
    """So many items."""
    if responses.kind == "dirichlet":
        alpha = np.full(responses.points, responses.concentration / responses.points)
        shares, others = rng.dirichlet(alpha, size=n), rng.dirichlet(alpha, size=n)
        return ShareItems(shares=shares, shares_b=(1 - responses.effect) * shares + responses.effect * others)
    mean, place, turn = rng.random((3, n))
    low, high = responses.spread
    off = responses.effect * (2 * turn - 1)
    return NormalItems(mean=mean, spread=low + (high - low) * place, shift=np.clip(mean + off, 0, 1) - mean)


def expected_response(responses: Responses, mean: Floats, spread: Floats) -> Floats:
    """Mean of endless responses that are normal before they are clipped, or cut into steps.

    Examples
    --------
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

    Examples
    --------
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
