"""Options of `judges` and what it returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from dissensus.errors import OptionError
from dissensus.methods.judges.definitions import Aggregation, Better
from dissensus.options import Options, bootstrap_option, confidence_option, named, option
from dissensus.results import Result, as_dict
from dissensus.sampling.raters import RatersAs, raters_option

LeakMapping = Literal["keep", "paper"]
MAPPINGS: tuple[LeakMapping, ...] = ("keep", "paper")
DECIMALS = 12
A_SHARE = "give a share above 0 and at most 1, such as 0.5"
SHARES = "give shares from 0 to 1, such as 0,0.1,0.2"


def shares_typed(text: str) -> list[float]:
    """Numbers from `0,0.1,0.2`.

    >>> shares_typed("0, 0.1,.2")
    [0.0, 0.1, 0.2]
    """
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise OptionError(f"{named('beta')} cannot be {text!r}: {SHARES}.") from error


@dataclass(frozen=True, kw_only=True)
class JudgesOptions(Options):
    """What the user asked for, as in `judges`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to compare; may be repeated.")
    positive: tuple[str, ...] = option((), metavar="LABEL", help="An option that counts as positive; may be repeated.")
    tau: tuple[float, ...] = option(
        (0.5,), above=0, at_most=1, wants=A_SHARE, metavar="T",
        help="Share at which an item is positive (.5 if not given); may be repeated.",
    )  # fmt: skip
    beta: tuple[float, ...] | None = option(
        None, at_least=0, at_most=1, wants=SHARES, typed=shares_typed, metavar="B,B,...",
        help="Shares of negative choices that hide a positive option, to sweep over.",
    )  # fmt: skip
    mapping: LeakMapping = option(
        "keep",
        choices=MAPPINGS,
        metavar="M",
        help="Whether such raters keep their own choice: keep, or paper (Table 2).",
    )
    smoothing: float = option(
        0.0, at_least=0, wants="it is added to shares, so 0 or more", metavar="S",
        help="Added to each share under a logarithm, instead of the clip.",
    )  # fmt: skip
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where nothing was named."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to compare all of them.")
        if not self.tau:
            raise OptionError(f"{named('tau')} has no value: give a threshold such as 0.5.")


def distinct(values: float | Sequence[float]) -> tuple[float, ...]:
    """The values to twelve decimals, each once, in order of size.

    >>> distinct([0.5, 0.3, 0.5]), distinct(0.5)
    ((0.3, 0.5), (0.5,))
    """
    several = [values] if isinstance(values, int | float) else values
    return tuple(sorted({round(float(value), DECIMALS) for value in several}))


ALWAYS_POSITIVE, ALWAYS_NEGATIVE = "always-positive", "always-negative"
BASELINES = (ALWAYS_POSITIVE, ALWAYS_NEGATIVE)  # constants that stand beside the judges of decisions
PairedBy = Literal["rater", "item"]
BiasKind = Literal["length", "position", "self", "group"]
BiasUnit = Literal["wins", "share", "labels"]


NAN = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """The best constant answer: what a judge must beat."""

    answer: str | Mapping[str, float]  # a label, or the overall shares of the labels
    value: float
    reduced: float = NAN  # against panels without one rater, as a person's; NaN where nobody can be left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One more person standing in as the judge: each rater in turn against the others."""

    value: float
    items: int  # with two ratings or more, on which this rests


@dataclass(frozen=True, slots=True, kw_only=True)
class Perfect:
    """A judge who knows each item's distribution, against the same panels as a person; estimated by two models."""

    value: float  # the middle of the two
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeValue:
    """A judge under one definition."""

    judge: str
    value: float  # NaN where undefined, as are its bounds
    low: float
    high: float
    rank: int | None  # 1 for the best; judges that tie share the better one; None without a value
    share_best: float  # share of the bootstrap samples in which it is best; NaN without samples
    tied_items: int  # items on which its most frequent choice ties, where the definition takes that choice; else 0
    beats_constant: bool = True  # whether it is better than the best constant; False without a value
    reduced: float = NAN  # against panels without one rater, as a person's; NaN where nobody can be left out


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionResult:
    """Every judge under one definition of performance."""

    id: str  # unique
    definition: str  # the measure
    judge_aggregation: Aggregation  # how each side's ratings become one vector;
    human_aggregation: Aggregation  # predictive efficiency does not look at people's
    tau: float | None  # threshold of hard response sets
    better: Better
    # The best judge, the first one of those that tie; None if no judge has a value, or none beats the best constant.
    selected: str | None
    tied_items: int  # items on which people's most frequent choice ties, where the definition takes that choice; else 0
    values: tuple[JudgeValue, ...]  # in the order of the judges
    constant: Constant | None = None  # None where the definition does not look at people
    person: Person | None = None  # None where too few items have two ratings
    perfect: Perfect | None = None

    @property
    def able(self) -> list[JudgeValue]:
        """The judges that beat the best constant, the best first."""
        beating = (value for value in self.values if value.rank is not None and value.beats_constant)
        return sorted(beating, key=lambda value: value.rank or 0)

    @property
    def best(self) -> tuple[str, ...]:
        """The first of these, with those that tie with it."""
        return tuple(value.judge for value in self.able if value.rank == self.able[0].rank)

    def of(self, judge: str) -> JudgeValue:
        """What this definition says about a judge."""
        return next(value for value in self.values if value.judge == judge)


@dataclass(frozen=True, slots=True, kw_only=True)
class Downstream:
    """A judge's decisions at one threshold, beside those of people."""

    tau: float  # share of raters at which an item is decided positive
    judge: str  # or one of the constants `always-positive` and `always-negative`
    consistency: float  # share of the items on which judge and people decide the same
    consistency_low: float
    consistency_high: float
    bias: float  # prevalence among the judge's decisions less that among people's
    bias_low: float
    bias_high: float
    kappa: float  # Cohen's, of the decisions; NaN where one side decides the same on all items
    reduced: float = NAN  # consistency with panels without one rater, as a person's


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRulers:
    """What stands beside the judges' consistency at one threshold."""

    tau: float
    panel: float  # ratings per item, the median: consistency is with a panel of this many
    constant: Constant  # the better one of `always-positive` and `always-negative`
    person: Person | None
    perfect: Perfect | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleUse:
    """How a judge uses labels in an order, beside people."""

    judge: str
    shift: float  # mean answer less that of people, in units of the labels, as in `decide`
    spread: float  # standard deviation of its answers over that of people's; NaN if theirs is 0
    unused: tuple[str, ...]  # labels of people that it never gives


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """What would follow if a share beta of those who chose a negative option also endorsed a positive one."""

    beta: float
    tau: float  # threshold of the decisions
    prevalence: float  # share of the items that people decide positive
    selected: Mapping[str, str | None]  # the judge that each definition selects, by id
    best: str  # the judge whose decisions are most consistent with people's
    consistency: Mapping[str, float]  # of each judge's decisions
    lost: Mapping[str, float] = field(default_factory=dict)  # by selecting with each definition, not the best judge

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them: consistency judge by judge."""
        return as_dict(self) | {"consistency": [{"judge": judge, "value": v} for judge, v in self.consistency.items()]}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipPoint:
    """Where the sweep changes its mind."""

    definition: str | None  # id of the one that selects another judge; None where the best judge changes
    tau: float  # threshold
    beta_from: float  # the change lies between these neighbours on the grid;
    beta_to: float  # they are the same where it is known exactly
    judge_from: str | None  # before,
    judge_to: str | None  # and after


@dataclass(frozen=True, slots=True, kw_only=True)
class Inversion:
    """Two judges, and which definitions prefer which."""

    judge_a: str
    judge_b: str
    prefer_a: tuple[str, ...]
    prefer_b: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An item on which two definitions prefer different judges."""

    definition_a: str  # by id; it prefers `judge_a` here,
    definition_b: str  # and this one `judge_b`
    item: str
    judge_a: str
    judge_b: str
    values_a: tuple[float, float]  # what the first definition gives to the two judges,
    values_b: tuple[float, float]  # and the second


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """Definitions that rank judges the same way, by id, and why."""

    definitions: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBeta:
    """How often a judge that chose a negative option endorses a positive one when asked for its response set."""

    judge: str
    beta: float  # NaN where it never chose a negative option
    low: float
    high: float
    items: int  # with both answers


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCell:
    """How often a judge gives an answer where a person says something."""

    people: str  # the label that a person gave
    answer: str  # the judge's
    share: float  # of the cases in which a person gave the label; each item weighs the same
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRates:
    """How often a judge gives a label where a person does, and where a person does not."""

    label: str
    sensitivity: float  # share in which the judge gives the label where a person does
    sensitivity_low: float
    sensitivity_high: float
    specificity: float  # share in which it does not where a person does not; NaN if everybody gave the label
    specificity_low: float
    specificity_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """A judge's answers by the label that a person gave."""

    judge: str
    items: int  # on which this rests
    cells: tuple[ConfusionCell, ...]  # for each label that people gave every answer; shares of a label sum to 1
    labels: tuple[LabelRates, ...]  # of the labels that people gave


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """How far what should not matter moves a judge's answers away from people's."""

    judge: str
    kind: BiasKind  # doubled length, shown first, its own output, or a group of items against all others
    about: str | None  # the group; None for the others
    value: float  # positive where the judge favours the longer, the first, its own or the group, beyond what people do
    low: float
    high: float
    p_value: float  # by t
    p_holm: float  # corrected for all biases of all judges
    items: int
    unit: BiasUnit  # of the value: share of pairs won, share of positive answers, or the labels as numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFlips:
    """How often a judge's choice flips when the two outputs of a pair are shown in the other order."""

    judge: str
    items: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReverseMatrix:
    """F': the probability of each response set given each forced choice."""

    options: tuple[str, ...]  # its rows
    response_sets: tuple[str, ...]  # its columns
    values: tuple[tuple[float, ...], ...]  # a row for each option, which sums to 1
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    pairs: int  # how many paired ratings, or items with both, it rests on
    paired_by: PairedBy  # what has both elicitations


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
        Id of the definition to select by on these data; None where no judge beats the best constant by it.
    measure : str, optional
        Id of the definition that fits the data, whether a judge beats the best constant by it or not.
    decision_rulers : tuple of DecisionRulers
        The best constant, a person and a perfect judge beside decisions, at each threshold.
    scale_use : tuple of ScaleUse
        How each judge uses labels in an order.
    redundant : tuple of Redundancy
        Definitions that rank judges the same way whatever the data.
    violations : tuple of Violation
        Items that show why two definitions can disagree.
    flip_points : tuple of FlipPoint
        Where the sweep changes its mind.
    own_beta : tuple of OwnBeta
        Of the judges that answered in both elicitations.
    order_flips : tuple of OrderFlips
        Of the judges that were asked in both orders.
    confusion : tuple of Confusion
        What each judge answers where a person says something; empty where there are very many labels.
    person_confusion : Confusion, optional
        The same of one more person, on items with two ratings.
    biases : tuple of Bias
        What moves judges that should not: as far as texts, writers, orders or groups of items are known.
    """

    command: ClassVar[str] = "judges"

    definitions: tuple[DefinitionResult, ...]
    downstream: tuple[Downstream, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    inversions: tuple[Inversion, ...] = ()
    reverse_matrix: ReverseMatrix | None = None
    advice: tuple[Advice, ...] = ()
    recommended: str | None = None
    measure: str | None = None
    decision_rulers: tuple[DecisionRulers, ...] = ()
    scale_use: tuple[ScaleUse, ...] = ()
    redundant: tuple[Redundancy, ...] = ()
    violations: tuple[Violation, ...] = ()
    flip_points: tuple[FlipPoint, ...] = ()
    own_beta: tuple[OwnBeta, ...] = ()
    order_flips: tuple[OrderFlips, ...] = ()
    confusion: tuple[Confusion, ...] = ()
    person_confusion: Confusion | None = None
    biases: tuple[Bias, ...] = ()

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
