"""What a ranking of judges comes down to: kinds of definitions, the judge to pick, its rivals and the constants."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dissensus.data.labels import number
from dissensus.methods.judges.definitions import BLIND
from dissensus.methods.judges.result import (
    BASELINES,
    Constant,
    DecisionRulers,
    DefinitionResult,
    Downstream,
    JudgesResult,
    JudgeValue,
)

HALF = 0.5
NEARLY = 0.99  # of the largest Jensen-Shannon divergence, ln 2: judge and people share almost no label


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Definitions that always rank judges the same way: they count once."""

    definitions: tuple[DefinitionResult, ...]  # the first one stands for all
    reason: str = ""  # why they rank judges the same; empty for a definition that stands alone

    @property
    def first(self) -> DefinitionResult:
        """The definition that stands for the others."""
        return self.definitions[0]

    @property
    def best(self) -> tuple[str, ...]:
        """The judges with the best value: several if they tie, none if it is undefined or no judge beats a constant."""
        able = [value for value in self.first.values if value.rank is not None and value.beats_constant]
        first = min((value.rank or 0 for value in able), default=0)
        return tuple(value.judge for value in able if value.rank == first)

    @property
    def looks_at_people(self) -> bool:
        """Whether it compares judges with people at all."""
        return self.first.definition != BLIND


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What there is to choose between, and by what."""

    kinds: Sequence[Kind]  # the definitions at the threshold, those that rank judges the same as one
    tau: float  # the threshold
    select_by: Kind | None  # the one to select by; None if none has a value
    ranked: Sequence[JudgeValue]  # the judges by it, the best first, those without a value last
    downstream: Mapping[str, Downstream]  # decisions at the threshold, by judge; empty if no option is positive
    has_numbers: bool = False  # whether every label is a number, so that distances mean something
    rulers: DecisionRulers | None = None  # what stands beside decisions at the threshold

    @property
    def picked(self) -> JudgeValue | None:
        """The judge to pick; None if no judge has a value, or none beats the best constant."""
        names = () if self.select_by is None else self.select_by.best
        return next((value for value in self.ranked if value.judge in names), None)

    @property
    def beaten_by(self) -> Constant | None:
        """The constant that no judge beats by the definition to select by; None if one does, or none has a value."""
        has_value = any(value.rank is not None for value in self.ranked)
        return self.select_by.first.constant if self.select_by and has_value and self.picked is None else None

    @property
    def is_shown(self) -> bool:
        """Whether the judge to pick is shown to beat the constant: by its interval, or its value where it has none."""
        picked, constant = self.picked, None if self.select_by is None else self.select_by.first.constant
        if picked is None or self.select_by is None or constant is None:
            return picked is not None
        if self.select_by.first.better == "higher":
            return not picked.low <= constant.value
        return not picked.high >= constant.value

    @property
    def constant(self) -> Downstream | None:
        """The constant that decides as people do more often."""
        return best_constant(list(self.downstream.values()))

    @property
    def is_hopeless(self) -> bool:
        """Whether no judge ever gives a label of people, so that definitions that ask for that say nothing."""
        by_id = {own.id: own for kind in self.kinds for own in kind.definitions}
        hits, jsd = by_id.get("hit_rate"), by_id.get("jsd")
        if hits is None or jsd is None or not hits.values or not jsd.values:
            return False
        never = all(value.value == 0 for value in hits.values)
        return never and all(value.value >= NEARLY * math.log(2) for value in jsd.values)

    def closest_first(self) -> list[Kind]:
        """The kinds that rank judges: the one to select by first, then those that rank most as it does."""
        defined = [kind for kind in self.kinds if any(value.rank is not None for value in kind.first.values)]
        main = self.select_by
        if main is None:
            return defined
        return sorted(defined, key=lambda kind: -2.0 if kind is main else -rank_correlation(main, kind))


def choice_of(result: JudgesResult) -> Choice:
    """What a result lets the reader choose between."""
    tau = main_tau(result)
    kinds = kinds_of(result, tau)
    select_by = _recommended(result, kinds)
    values = () if select_by is None else select_by.first.values
    options = result.settings.get("options")
    numbers = [number(str(option)) for option in options] if isinstance(options, Sequence) else []
    return Choice(
        kinds=kinds,
        tau=tau,
        select_by=select_by,
        ranked=sorted(values, key=lambda value: math.inf if value.rank is None else value.rank),
        downstream={row.judge: row for row in result.downstream if math.isclose(row.tau, tau)},
        has_numbers=bool(numbers) and None not in numbers,
        rulers=next((row for row in result.decision_rulers if math.isclose(row.tau, tau)), None),
    )


def main_tau(result: JudgesResult) -> float:
    """The threshold that is shown where there is room for one: the one nearest to a half."""
    taus = [definition.tau for definition in result.definitions if definition.tau is not None]
    return min([*taus, *(row.tau for row in result.downstream)], key=lambda tau: abs(tau - HALF), default=HALF)


def kinds_of(result: JudgesResult, tau: float) -> list[Kind]:
    """The definitions without threshold and those at one threshold, by kind, in their order."""
    groups: dict[tuple[str, ...], list[DefinitionResult]] = {}
    reasons: dict[tuple[str, ...], str] = {}
    for definition in result.definitions:
        if definition.tau is not None and not math.isclose(definition.tau, tau):
            continue
        redundancy = next((one for one in result.redundant if definition.id in one.definitions), None)
        key = (definition.id,) if redundancy is None else redundancy.definitions
        groups.setdefault(key, []).append(definition)
        reasons[key] = "" if redundancy is None else redundancy.reason
    return [
        Kind(definitions=tuple(group), reason=reasons[key] if len(group) > 1 else "") for key, group in groups.items()
    ]


def _recommended(result: JudgesResult, kinds: Sequence[Kind]) -> Kind | None:
    """The kind with the definition that fits the data, if a judge has a value there; else the first with a value."""
    measure = result.measure or result.recommended
    for kind in kinds:
        is_known = any(value.rank is not None for value in kind.first.values)
        if is_known and any(definition.id == measure for definition in kind.definitions):
            return kind
    return next((kind for kind in kinds if kind.best and kind.looks_at_people), None)


def best_constant(rows: Collection[Downstream]) -> Downstream | None:
    """The constant that decides as people do more often."""
    return max((row for row in rows if row.judge in BASELINES), key=lambda row: row.consistency, default=None)


def rank_correlation(first: Kind, second: Kind) -> float:
    """Kendall's tau of two kinds: pairs of judges ranked the same way less those ranked the other way, as a share.

    Pairs that either kind ties or leaves undefined count as neither; NaN where there is no pair at all.
    """
    ranks = ([value.rank for value in kind.first.values] for kind in (first, second))
    pairs = list(combinations(zip(*ranks, strict=True), 2))
    ways = [_way(a[0], b[0]) * _way(a[1], b[1]) for a, b in pairs]
    return sum(ways) / len(ways) if ways else math.nan


def _way(a: int | None, b: int | None) -> int:
    return 0 if a is None or b is None else (a < b) - (a > b)
