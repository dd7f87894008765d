"""What `judges` returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from dissensus.methods.judges.definitions import Aggregation, Better
from dissensus.results import Result, as_dict

ALWAYS_POSITIVE, ALWAYS_NEGATIVE = "always-positive", "always-negative"
BASELINES = (ALWAYS_POSITIVE, ALWAYS_NEGATIVE)
"""Constants that stand beside the judges of decisions."""
PairedBy = Literal["rater", "item"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeValue:
    """A judge under one definition.

    Attributes
    ----------
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

    def of(self, judge: str) -> JudgeValue:
        """What this definition says of a judge."""
        return next(value for value in self.values if value.judge == judge)


@dataclass(frozen=True, slots=True, kw_only=True)
class Downstream:
    """A judge's decisions at one threshold, beside those of people.

    Attributes
    ----------
    tau : float
        Share of raters at which an item is decided positive.
    judge : str
        A judge, or one of the constants `always-positive` and `always-negative`.
    consistency, consistency_low, consistency_high : float
        Share of the items that judge and people decide alike.
    bias, bias_low, bias_high : float
        Prevalence among the judge's decisions less that among people's.
    kappa : float
        Cohen's kappa of the decisions; NaN where one side decides all items alike.
    """

    tau: float
    judge: str
    consistency: float
    consistency_low: float
    consistency_high: float
    bias: float
    bias_low: float
    bias_high: float
    kappa: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """What would follow if a share beta of those who chose a negative option also endorsed a positive one.

    Attributes
    ----------
    beta, tau : float
        The share, and the threshold of the decisions.
    prevalence : float
        Share of the items that people decide positive.
    selected : mapping of str to str
        The judge that each definition selects, by id.
    best : str
        The judge whose decisions are most consistent with people's.
    consistency : mapping of str to float
        Of each judge's decisions.
    lost : mapping of str to float
        Consistency lost by selecting with each definition instead of taking the best judge, by id: 0 or less.
    """

    beta: float
    tau: float
    prevalence: float
    selected: Mapping[str, str | None]
    best: str
    consistency: Mapping[str, float]
    lost: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them: consistency judge by judge."""
        return as_dict(self) | {"consistency": [{"judge": judge, "value": v} for judge, v in self.consistency.items()]}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipPoint:
    """Where the sweep changes its mind.

    Attributes
    ----------
    definition : str, optional
        The id of the definition that selects another judge; None where the best judge changes.
    tau : float
        Threshold.
    beta_from, beta_to : float
        The change lies between these neighbours on the grid; they are the same where it is known exactly.
    judge_from, judge_to : str
        Before and after.
    """

    definition: str | None
    tau: float
    beta_from: float
    beta_to: float
    judge_from: str | None
    judge_to: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inversion:
    """Two judges, and which definitions prefer which."""

    judge_a: str
    judge_b: str
    prefer_a: tuple[str, ...]
    prefer_b: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An item on which two definitions prefer different judges.

    Attributes
    ----------
    definition_a, definition_b : str
        The definitions, by id: the first prefers `judge_a` here, the second `judge_b`.
    item, judge_a, judge_b : str
        Where, and whom.
    values_a, values_b : tuple of float
        What the first definition gives to the two judges, and what the second does.
    """

    definition_a: str
    definition_b: str
    item: str
    judge_a: str
    judge_b: str
    values_a: tuple[float, float]
    values_b: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """Definitions that rank judges alike, by id, and why."""

    definitions: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBeta:
    """How often a judge that chose a negative option endorses a positive one when asked for its response set.

    Attributes
    ----------
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


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFlips:
    """How often a judge's choice flips when the two outputs of a pair are shown in the other order."""

    judge: str
    items: int
    share: float


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do, and why."""

    text: str
    reason: str


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
    advice : tuple of Advice
        What to do.
    recommended : str, optional
        Id of the definition to select by on these data.
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
    advice: tuple[Advice, ...] = ()
    recommended: str | None = None
    redundant: tuple[Redundancy, ...] = ()
    violations: tuple[Violation, ...] = ()
    flip_points: tuple[FlipPoint, ...] = ()
    own_beta: tuple[OwnBeta, ...] = ()
    order_flips: tuple[OrderFlips, ...] = ()

    def definition(self, id_: str) -> DefinitionResult:
        """The definition with this id."""
        return next(definition for definition in self.definitions if definition.id == id_)

    def rows(self) -> list[dict[str, object]]:
        """One row per definition and judge."""
        return [
            {"id": definition.id, "definition": definition.definition, "better": definition.better, **as_dict(value)}
            for definition in self.definitions
            for value in definition.values
        ]
