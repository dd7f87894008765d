"""What the simulators share: draws, raters and how they are asked, and the truth behind what was drawn."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError
from dissensus.results import Result
from dissensus.sizes import check_size

# ---- Probabilities given by hand: checked once, then read-only

SUM_TOLERANCE = 1e-6  # how far probabilities typed by hand (.333333) may be from summing to 1


def checked_distribution(name: str, given: npt.ArrayLike) -> Floats:
    """One distribution, of shape (n,), summing to 1 exactly enough to draw from."""
    one_row = _as_floats(name, given)[None, ...]
    return np.asarray(checked_distributions(name, one_row, row=None)[0])


def checked_distributions(name: str, given: npt.ArrayLike, *, row: str | None) -> Floats:
    """Distributions, one per row, each summing to 1; `row` is what a message calls one, None if there is only one."""
    values = _as_floats(name, given)
    if values.ndim != 2 or not values.size:  # noqa: PLR2004 - rows and columns
        raise OptionError(f"{name} must be a table of numbers, and its shape is {values.shape}.")
    for i, values_of_row in enumerate(values):
        where = name if row is None else f"{name}, {row} {i + 1},"
        if not (np.isfinite(values_of_row).all() and (values_of_row >= 0).all()):
            raise OptionError(f"{where} has {values_of_row.min():g}: a probability lies between 0 and 1.")
        if abs(values_of_row.sum() - 1) > SUM_TOLERANCE:
            raise OptionError(f"{where} sums to {values_of_row.sum():g}, not to 1: rescale it or add what is missing.")
    values /= values.sum(axis=1, keepdims=True)
    values.flags.writeable = False
    return values


def _as_floats(name: str, given: npt.ArrayLike) -> Floats:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} must be numbers, as many in each row: {error}.") from error


def checked_share(name: str, value: float) -> float:
    """A number from 0 to 1."""
    if not 0 <= value <= 1:
        raise OptionError(f"{name} is {value:g}: it must lie between 0 and 1.")
    return float(value)


def draw_categories(uniform: Floats, probabilities: Floats) -> npt.NDArray[np.intp]:
    """The category in which each uniform number falls, from probabilities of shape (n, n_categories).

    The simulations draw uniform numbers and nothing else, because their stream is the least likely to change from one
    version of numpy to the next; the bundled data can be made again, byte for byte.
    """
    # The last bound is left out: rounding may leave it just below 1.
    bounds = np.cumsum(probabilities[:, :-1], axis=1)
    return np.asarray((uniform[:, None] >= bounds).sum(axis=1), dtype=np.intp)


def to_normal(uniform: Floats) -> Floats:
    """Standard normal numbers from pairs of uniform ones, of shape (2, ...), by the Box-Muller transform.

    >>> to_normal(np.array([[0.5], [0.0]])).round(4)  # sqrt(2 log 2)
    array([1.1774])
    """
    return np.asarray(np.sqrt(-2 * np.log1p(-uniform[0])) * np.cos(2 * np.pi * uniform[1]))


# ---- Raters: how many rate an item, out of how many, and how they are asked

Asked = Literal["forced_choice", "response_set", "both"]
FORCED_CHOICE, RESPONSE_SET = 0, 1  # codes of elicitations
ASKED: tuple[Asked, ...] = ("forced_choice", "response_set", "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRule:
    """Which options a rater endorses who may endorse several: the own choice, and others that many would choose."""

    # Besides the own choice, an option can be endorsed if at least this share of raters would choose it for an item in
    # this state.
    threshold: float = 0.25
    chance: float = 1.0  # probability that the rater endorses such an option, each on its own

    def __post_init__(self) -> None:
        checked_share("The threshold of the response rule", self.threshold)
        checked_share("The chance of the response rule", self.chance)

    def endorsed(self, uniform: Floats, probabilities: Floats, choice: Codes) -> npt.NDArray[np.bool_]:
        """Which options each rater endorses, of shape (n_ratings, n_labels), as `uniform` and `probabilities` are.

        `choice` is what the rater would choose if only one option could be chosen.

        >>> rule = ResponseRule(threshold=0.3)
        >>> rule.endorsed(np.zeros((2, 3)), np.array([[0.6, 0.3, 0.1]] * 2), np.array([0, 2])).astype(int)
        array([[1, 1, 0],
               [1, 1, 1]])
        """
        members: npt.NDArray[np.bool_] = (probabilities >= self.threshold) & (uniform < self.chance)
        members[np.arange(len(choice)), choice] = True
        return members


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Raters who are asked in the same way."""

    # How many of them rate each item: a number, or a range from which each item's number is drawn, ends included.
    per_item: int | tuple[int, int]
    # How many raters there are; the largest number per item if not given. Each item gets a random few of them.
    pool: int | None = None
    name: str | None = None  # name of the group; None for raters without a group
    asked: Asked = "forced_choice"  # for one option, for all options that apply, or first for one and then for all
    rule: ResponseRule = field(default_factory=ResponseRule)  # which options they endorse if they may endorse several

    def __post_init__(self) -> None:
        fewest, most = self.bounds
        if not 0 <= fewest <= most or most < 1:
            raise OptionError(
                f"Raters per item go from {fewest} to {most}: give a number from 1, or a range such as 3-9."
            )
        if self.size < most:
            raise OptionError(
                f"{self.size} raters cannot give {most} ratings to an item: make the pool at least {most}."
            )
        if self.asked not in ASKED:
            raise OptionError.unknown("What a panel is asked for", self.asked, ASKED)

    @property
    def bounds(self) -> tuple[int, int]:
        """The fewest and the most ratings that an item gets."""
        return (self.per_item, self.per_item) if isinstance(self.per_item, int) else self.per_item

    @property
    def size(self) -> int:
        """How many raters there are."""
        return self.bounds[1] if self.pool is None else self.pool

    def rater_names(self) -> tuple[str, ...]:
        """Names that sort in their order: rater-01, rater-02, ..."""
        return numbered(self.name or "rater", self.size)


def numbered(prefix: str, n: int) -> tuple[str, ...]:
    """Names with numbers from 1, all of the same width, so that they sort in their order.

    >>> numbered("item", 10)[8:]
    ('item-09', 'item-10')
    """
    width = len(str(n))
    return tuple(f"{prefix}-{i:0{width}}" for i in range(1, n + 1))


def check_draws(items: int, each: int) -> None:
    """Raise if this many items with as many ratings, or answers of judges, are more rows than a table may have."""
    what = f"{items:,} items with {each:,} ratings or answers each are {items * each:,} rows"
    check_size("rows", items * each, what, "Ask for fewer.", error=OptionError)


def assign_raters(rng: np.random.Generator, panel: Panel, *, items: int) -> tuple[Codes, Codes]:
    """Item and rater of each rating, in that order: each item gets a random set of distinct raters from the panel.

    Robert Floyd's sampling without replacement, for all items at once: it needs no array of items times raters.
    """
    fewest, most = panel.bounds
    number = fewest + (rng.random(items) * (most - fewest + 1)).astype(np.intp)
    if fewest == most == panel.size:
        return np.repeat(np.arange(items), most), np.tile(np.arange(most), items)
    chosen = np.full((items, most), panel.size, dtype=np.intp)  # one past the last rater: nobody
    for place in range(most):
        newest = panel.size - number + place
        candidate = (rng.random(items) * (newest + 1)).astype(np.intp)
        is_taken = (chosen[:, :place] == candidate[:, None]).any(axis=1)
        chosen[:, place] = np.where(place < number, np.where(is_taken, newest, candidate), panel.size)
    chosen.sort(axis=1)
    item, place_of = np.nonzero(chosen < panel.size)
    return item.astype(np.intp), chosen[item, place_of]


# ---- What was drawn, the truth behind it, and how both are described


class Truth(ABC):
    """From what data were drawn."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, object]]:
        """The main table."""

    @abstractmethod
    def as_dict(self) -> dict[str, object]:
        """What is true of the population and of what was drawn from it."""

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"


T = TypeVar("T", bound=Truth)


class Simulated(NamedTuple, Generic[T]):
    """What was drawn, and from what."""

    ratings: Ratings
    judges: Judges
    truth: T

    def result(self, settings: Mapping[str, object]) -> "SimulateResult":
        """The truth, for the JSON."""
        data = {"ratings": dict(self.ratings.describe_data()), "judges": dict(self.judges.describe_data())}
        return SimulateResult(settings=settings, data=data, truth=self.truth)


@dataclass(frozen=True, kw_only=True)
class SimulateResult(Result):
    """What was simulated: the truth behind the data that were written."""

    command: ClassVar[str] = "simulate"

    truth: Truth

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return self.truth.as_dict()

    def rows(self) -> list[dict[str, object]]:
        """The main table of the truth."""
        return self.truth.rows()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of a README."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
