"""The definitions of agreement in words, and those that rank judges alike as one kind."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.judges.result import DefinitionResult, JudgesResult, JudgeValue
from dissensus.report.numbers import DASH, decimal, with_interval

NAMES = {
    "hit_rate": "hit rate",
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "kl_human_judge": "KL(people, judge)",
    "kl_judge_human": "KL(judge, people)",
    "cross_entropy_human_judge": "cross-entropy(people, judge)",
    "cross_entropy_judge_human": "cross-entropy(judge, people)",
    "jsd": "Jensen-Shannon divergence",
    "mse_hard": "squared error of labels",
    "mse_soft": "squared error of shares",
    "mse_response_set": "squared error of response sets",
    "coverage": "coverage",
    "predictive_efficiency": "size of the judge's set",
    "precision": "precision",
    "recall": "recall",
    "bce": "binary cross-entropy",
}
SHORT = {
    "bce": "BCE",
    "cross_entropy_human_judge": "CE(people, judge)",
    "cross_entropy_judge_human": "CE(judge, people)",
    "jsd": "Jensen-Shannon",
    "mse_response_set": "error of response sets",
    "mse_soft": "error of shares",
}
"""Names that are too long for the axis of a chart."""
SIDES = {"hard": "label", "soft": "shares", "hard_response_set": "set", "soft_response_set": "set shares"}
"""What each side's ratings of an item become."""
BLIND = "predictive_efficiency"
"""The definition that does not look at people, so that it cannot vouch for a judge."""
HALF = 0.5


def sides(definition: DefinitionResult) -> str:
    """What is compared with what: the judge's part first."""
    judge, human = SIDES[definition.judge_aggregation], SIDES[definition.human_aggregation]
    if definition.definition == BLIND:
        return judge
    return judge if judge == human else f"{judge}, {human}"


def name_of(definition: DefinitionResult, *, has_tau: bool = False) -> str:
    """A definition in a sentence; those that come in several forms say what is compared with what."""
    name = NAMES.get(definition.definition, definition.definition)
    if definition.id == definition.definition:
        return name
    at = f", tau {definition.tau:g}" if has_tau and definition.tau is not None else ""
    return f"{name} ({sides(definition)}{at})" if definition.definition != BLIND else f"{name}{at}"


def chart_name(kind: "Kind") -> str:
    """A kind on the axis of a chart."""
    name = kind.first.definition
    return kind.name.replace(NAMES.get(name, name), SHORT.get(name, NAMES.get(name, name)))


def titled(kind: "Kind") -> str:
    """A kind in a table: all its definitions, and what they compare."""
    names = [NAMES.get(definition.definition, definition.definition) for definition in kind.definitions]
    title = "; ".join([names[0][0].upper() + names[0][1:], *names[1:]])
    is_told = kind.first.definition in {BLIND, "mse_soft", "mse_response_set"}
    return title if is_told else f"{title} ({sides(kind.first)})"


def in_words(text: str, definitions: Sequence[DefinitionResult]) -> str:
    """A sentence with ids of definitions replaced by their names."""
    names = {definition.id: name_of(definition, has_tau=True) for definition in definitions}
    longest_first = sorted(names, key=len, reverse=True)
    found = rf"(?<![\w-])({'|'.join(map(re.escape, longest_first))})(?![\w-])"
    return re.sub(found, lambda match: _at_place(names[match[1]], text[: match.start()]), text) if names else text


def _at_place(name: str, before: str) -> str:
    """A name with a capital where it begins a sentence."""
    return name[0].upper() + name[1:] if not before or before.endswith(". ") else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Definitions that rank judges alike whatever the data: they count once.

    Attributes
    ----------
    definitions : tuple of DefinitionResult
        The first one stands for all.
    reason : str
        Why they rank judges alike; empty for a definition that stands alone.
    """

    definitions: tuple[DefinitionResult, ...]
    reason: str = ""

    @property
    def first(self) -> DefinitionResult:
        """The definition that stands for the others."""
        return self.definitions[0]

    @property
    def name(self) -> str:
        """Its name, short."""
        return name_of(self.first)

    @property
    def best(self) -> tuple[str, ...]:
        """The judges with the best value: several if they tie, none if it is undefined."""
        return tuple(value.judge for value in self.first.values if value.rank == 1)

    @property
    def looks_at_people(self) -> bool:
        """Whether it compares judges with people at all."""
        return self.first.definition != BLIND

    def has(self, id_: str) -> bool:
        """Whether a definition is of this kind."""
        return any(definition.id == id_ for definition in self.definitions)


def kinds_of(result: JudgesResult, tau: float) -> list[Kind]:
    """The definitions without threshold and those at one threshold, by kind, in their order."""
    shown = [d for d in result.definitions if d.tau is None or math.isclose(d.tau, tau)]
    groups: dict[tuple[str, ...], list[DefinitionResult]] = {}
    reasons: dict[tuple[str, ...], str] = {}
    for definition in shown:
        redundancy = next((found for found in result.redundant if definition.id in found.definitions), None)
        key = (definition.id,) if redundancy is None else redundancy.definitions
        groups.setdefault(key, []).append(definition)
        reasons[key] = "" if redundancy is None else redundancy.reason
    return [
        Kind(definitions=tuple(group), reason=reasons[key] if len(group) > 1 else "") for key, group in groups.items()
    ]


def main_tau(result: JudgesResult) -> float:
    """The threshold that is shown where there is room for one: the one nearest to a half."""
    taus = [definition.tau for definition in result.definitions if definition.tau is not None]
    return min([*taus, *(row.tau for row in result.downstream)], key=lambda tau: abs(tau - HALF), default=HALF)


def recommended_kind(result: JudgesResult, kinds: Sequence[Kind]) -> Kind | None:
    """The kind with the definition to select by, if a judge has a value there; else the first with a value."""
    for kind in kinds:
        if kind.best and any(definition.id == result.recommended for definition in kind.definitions):
            return kind
    return next((kind for kind in kinds if kind.best and kind.looks_at_people), None)


def value_digits(values: Sequence[JudgeValue]) -> int:
    """So many decimals that the largest number has about three digits."""
    ends = [abs(number) for value in values for number in (value.value, value.high) if math.isfinite(number)]
    largest = max(ends, default=0.0)
    return 3 if largest < 1 else 2 if largest < 10 else 1  # noqa: PLR2004 - ten has one digit more


def short_interval(value: JudgeValue, digits: int = 3) -> str:
    """A value with its interval, or a dash."""
    if math.isnan(value.value):
        return DASH
    return with_interval(value.value, value.low, value.high, form=lambda number: decimal(number, digits))
