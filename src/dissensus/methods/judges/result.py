"""What `judges` returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from dissensus.methods.judges.consistency import Inversion, Redundancy, Violation
from dissensus.methods.judges.decisions import Downstream
from dissensus.methods.judges.definitions import Better
from dissensus.methods.judges.reverse_matrix import PairedBy
from dissensus.methods.judges.sweep import FlipPoint, Sensitivity
from dissensus.methods.judges.vectors import Aggregation
from dissensus.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeValue:
    """A judge under one definition.

    Attributes
    ----------
    judge : str
        Its name.
    value, low, high : float
        NaN where undefined.
    rank : int, optional
        1 for the best; judges that tie share the better rank. None without a value.
    share_best : float
        Share of the bootstrap samples in which it is best; NaN without samples.
    tied_items : int
        Items on which its most frequent choice ties, where the definition takes that choice; else 0.
    """

    judge: str
    value: float
    low: float
    high: float
    rank: int | None
    share_best: float
    tied_items: int

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionResult:
    """Every judge under one definition of performance.

    Attributes
    ----------
    id, definition : str
        Its unique name, and the measure.
    judge_aggregation, human_aggregation : str
        How each side's ratings become one vector; predictive efficiency does not look at people's.
    tau : float, optional
        Threshold of hard response sets.
    better : {"higher", "lower"}
        Which values are better.
    selected : str, optional
        The best judge, the first one of those that tie; None if no judge has a value.
    tied_items : int
        Items on which people's most frequent choice ties, where the definition takes that choice; else 0.
    values : tuple of JudgeValue
        In the order of the judges.
    """

    id: str
    definition: str
    judge_aggregation: Aggregation
    human_aggregation: Aggregation
    tau: float | None
    better: Better
    selected: str | None
    tied_items: int
    values: tuple[JudgeValue, ...]

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"values": _dicts(self.values)}

    def of(self, judge: str) -> JudgeValue:
        """What this definition says of a judge."""
        return next(value for value in self.values if value.judge == judge)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBeta:
    """How often a judge that chose a negative option endorses a positive one when asked for its response set.

    Attributes
    ----------
    judge : str
        Its name.
    beta, low, high : float
        NaN where it never chose a negative option.
    items : int
        Items with both answers.
    """

    judge: str
    beta: float
    low: float
    high: float
    items: int

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFlips:
    """How often a judge's choice flips when the two outputs of a pair are shown in the other order."""

    judge: str
    items: int
    share: float

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReverseMatrix:
    """F': the probability of each response set given each forced choice.

    Attributes
    ----------
    options, response_sets : tuple of str
        Its rows and columns.
    values, low, high : tuple of tuple of float
        A row for each option; rows of `values` sum to 1.
    pairs : int
        How many paired ratings, or items with both, it rests on.
    paired_by : {"rater", "item"}
        What has both elicitations.
    """

    options: tuple[str, ...]
    response_sets: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    pairs: int
    paired_by: PairedBy

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do, and why."""

    text: str
    reason: str

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {"text": self.text, "reason": self.reason}


@dataclass(frozen=True, kw_only=True)
class JudgesResult(Result):
    """Which judge can stand in for people?

    Attributes
    ----------
    definitions : tuple of DefinitionResult
        Every definition of performance.
    downstream : tuple of Downstream
        Decisions of every judge and of the two constants; empty if no option was called positive.
    sensitivity : tuple of Sensitivity
        The sweep over beta; empty where people's response sets are known or estimated.
    inversions : tuple of Inversion
        Pairs of judges about which definitions disagree.
    reverse_matrix : ReverseMatrix, optional
        F', where paired ratings are there.
    recommended : str, optional
        Id of the definition to select by on these data.
    advice : tuple of Advice
        What to do.
    redundant : tuple of Redundancy
        Definitions that rank judges alike whatever the data.
    violations : tuple of Violation
        Items that show why two definitions can disagree.
    flip_points : tuple of FlipPoint
        Where the sweep changes its mind.
    own_beta : tuple of OwnBeta
        Of the judges that answered in both elicitations.
    order_flips : tuple of OrderFlips
        Of the judges that were asked in both orders.
    """

    command: ClassVar[str] = "judges"

    definitions: tuple[DefinitionResult, ...]
    downstream: tuple[Downstream, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    inversions: tuple[Inversion, ...] = ()
    reverse_matrix: ReverseMatrix | None = None
    recommended: str | None = None
    advice: tuple[Advice, ...] = ()
    redundant: tuple[Redundancy, ...] = ()
    violations: tuple[Violation, ...] = ()
    flip_points: tuple[FlipPoint, ...] = ()
    own_beta: tuple[OwnBeta, ...] = ()
    order_flips: tuple[OrderFlips, ...] = ()

    def definition(self, id_: str) -> DefinitionResult:
        """The definition with this id."""
        return next(definition for definition in self.definitions if definition.id == id_)

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {
            "definitions": _dicts(self.definitions),
            "downstream": _dicts(self.downstream),
            "sensitivity": _dicts(self.sensitivity),
            "inversions": _dicts(self.inversions),
            "reverse_matrix": None if self.reverse_matrix is None else self.reverse_matrix.as_dict(),
            "advice": _dicts(self.advice),
            "recommended": self.recommended,
            "redundant": _dicts(self.redundant),
            "violations": _dicts(self.violations),
            "flip_points": _dicts(self.flip_points),
            "own_beta": _dicts(self.own_beta),
            "order_flips": _dicts(self.order_flips),
        }

    def rows(self) -> list[dict[str, object]]:
        """One row per definition and judge."""
        return [
            {"id": definition.id, "definition": definition.definition, "better": definition.better, **value.as_dict()}
            for definition in self.definitions
            for value in definition.values
        ]


class _Part(Protocol):
    def as_dict(self) -> dict[str, object]: ...


def _dicts(parts: Sequence[_Part]) -> list[dict[str, object]]:
    return [part.as_dict() for part in parts]
