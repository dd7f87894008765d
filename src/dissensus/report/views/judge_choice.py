"""Which judge to pick, and how sure that is, in words."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dissensus.data.labels import number
from dissensus.methods.judges.result import (
    ALWAYS_POSITIVE,
    BASELINES,
    Advice,
    DefinitionResult,
    Downstream,
    FlipPoint,
    JudgesResult,
    JudgeValue,
    OrderFlips,
    OwnBeta,
    Sensitivity,
)
from dissensus.report.numbers import DASH, counted, decimal, listing, percent, quoted, with_interval
from dissensus.report.views.worth import samples

# ---- The definitions of agreement in words, and those that rank judges alike as one kind

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


# ---- What follows from a judge's decisions, and from what forced choices do not tell, in words

Settings = Mapping[str, object]
MOST_NAMES = 4
WORTH_WORDS = 0.1
"""A share that changes by less over the sweep needs no words."""
SMALLEST = 0.0005
"""A smaller share is nothing that a percentage with one decimal would show."""


def options_words(settings: Settings) -> str:
    """The positive options in a sentence."""
    positive = settings.get("positive")
    names = [quoted(str(name)) for name in positive] if isinstance(positive, Sequence) else []
    return listing(names[:MOST_NAMES] + ([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []))


def decision_meaning(settings: Settings, tau: float) -> str:
    """When an item is decided positive."""
    return (
        f"An item counts as positive where at least {percent(tau, 0)} of the raters endorse {options_words(settings)}; "
        "a judge's own answers are counted in the same way."
    )


def constant_words(row: Downstream) -> str:
    """A constant in a sentence."""
    return "calling every item positive" if row.judge == ALWAYS_POSITIVE else "calling no item positive"


def best_constant(rows: Iterable[Downstream]) -> Downstream | None:
    """The constant that decides as people do more often."""
    return max((row for row in rows if row.judge in BASELINES), key=lambda row: row.consistency, default=None)


def consistency_sentence(row: Downstream) -> str:
    """How a judge decides beside people."""
    shared = with_interval(row.consistency, row.consistency_low, row.consistency_high, form=percent)
    return f"{quoted(row.judge)} decides as people do on {shared} of the items and {bias_words(row)}."


def bias_words(row: Downstream) -> str:
    """How a judge's prevalence differs from people's."""
    if abs(row.bias) < SMALLEST:
        return "calls as many of them positive as people do"
    low, high = (row.bias_low, row.bias_high) if row.bias > 0 else (-row.bias_high, -row.bias_low)
    size = with_interval(abs(row.bias), low, high, form=points)
    return f"calls {size} points {'more' if row.bias > 0 else 'fewer'} of them positive than people do"


def points(share: float) -> str:
    """A share in percentage points."""
    return decimal(100 * share, 1)


def below_constant(rows: Collection[Downstream]) -> str:
    """Which judges a constant equals or beats at one threshold; empty if none."""
    constant = best_constant(rows)
    if constant is None:
        return ""
    beaten = [row for row in rows if row.judge not in BASELINES and row.consistency <= constant.consistency]
    if not beaten:
        return ""
    shown = [f"{quoted(row.judge)} ({percent(row.consistency)})" for row in beaten[:MOST_NAMES]]
    shown += [f"{len(beaten) - MOST_NAMES} more"] if len(beaten) > MOST_NAMES else []
    whole = constant_words(constant)
    return (
        f"At tau {constant.tau:g} {listing(shown)} {'is' if len(beaten) == 1 else 'are'} no better than a constant: "
        f"{whole}, without looking, decides as people do on {percent(constant.consistency)} of the items."
    )


def elsewhere_sentence(rows: Collection[Downstream], tau: float) -> str:
    """Of how many judges the same holds at other thresholds; empty if of none."""
    said = []
    for other in dict.fromkeys(row.tau for row in rows if row.tau != tau):
        here = [row for row in rows if row.tau == other]
        constant = best_constant(here)
        judged = [row for row in here if row.judge not in BASELINES]
        beaten = sum(constant is not None and row.consistency <= constant.consistency for row in judged)
        said += [f"at tau {other:g} as {beaten} of {counted(len(judged), 'judge')}"] if beaten else []
    return f"Without looking, a constant does at least as well {listing(said)}." if said else ""


def consistency_finding(judged: Sequence[Downstream], constant: Downstream | None) -> str:
    """The title of the chart of decisions."""
    best = max(judged, key=lambda row: row.consistency)
    tied = [quoted(row.judge) for row in judged if abs(row.consistency - best.consistency) < SMALLEST]
    how = "decides most like people:" if len(judged) > 1 else "decides as people do"
    who = f"{quoted(best.judge)} {how}"
    if len(tied) > 1:
        left = len(tied) - MOST_NAMES
        who = f"{listing(tied[:MOST_NAMES] + ([f'{left} more'] if left > 0 else []))} decide most like people:"
    said = f"{who} on {percent(best.consistency, 0)} of the items at tau"
    beaten = constant is not None and best.consistency <= constant.consistency
    return f"{said} {best.tau:g}{', and a constant does no worse' if beaten else ''}"


def bias_finding(rows: Collection[Downstream]) -> str:
    """The title of the chart of prevalence bias."""
    judged = [row for row in rows if row.judge not in BASELINES]
    worst = max(judged, key=lambda row: abs(row.bias))
    how, size = "fewer" if worst.bias < 0 else "more", f"{points(abs(worst.bias))} points"
    if abs(worst.bias) < SMALLEST:
        who = quoted(worst.judge) if len(judged) == 1 else "Every judge"
        return f"{who} calls as many items positive as people do, at tau {worst.tau:g}"
    if len(judged) == 1:
        return f"{quoted(worst.judge)} calls {size} {how} items positive than people do, at tau {worst.tau:g}"
    if len(judged) > 1 and (all(row.bias < 0 for row in judged) or all(row.bias > 0 for row in judged)):
        said = f"Every judge calls {how} items positive than people do, {quoted(worst.judge)} by {size}"
    else:
        said = f"{quoted(worst.judge)} is furthest from people's prevalence: {size} {how}"
    return f"{said}, at tau {worst.tau:g}"


def sweep_meaning(settings: Settings) -> str:
    """What beta is."""
    instead = ", instead of it" if settings.get("mapping") == "paper" else ""
    return (
        f"A forced choice hides what else a rater would have endorsed. Beta is the share of those who chose another "
        f"option who would also endorse {options_words(settings)}{instead}; it cannot be known from forced choices, so "
        "it is tried out."
    )


def sweep_finding(rows: Sequence[Sensitivity], flips: Sequence[FlipPoint]) -> str:
    """The title of the chart of the sweep, at one threshold."""
    first, last = rows[0], rows[-1]
    if len(first.consistency) == 1:
        shares = [row.consistency[first.best] for row in rows]
        spread = f"on {percent(min(shares), 0)} to {percent(max(shares), 0)} of the items"
        return f"{quoted(first.best)} decides as people do {spread}, depending on beta"
    if not flips:
        return f"{_never_beaten(rows)}, from beta {first.beta:g} to {last.beta:g}{_falling(rows)}"
    change = flips[0]
    more = f", with {counted(len(flips) - 1, 'more change')} after that" if len(flips) > 1 else ""
    return (
        f"{quoted(first.best)} decides most like people up to beta {decimal(change.beta_to)}, from there on "
        f"{quoted(str(change.judge_to))}{more}"
    )


def _never_beaten(rows: Sequence[Sensitivity]) -> str:
    """Who decides most like people at every beta: one judge alone, one that others equal at some, or none."""
    judge = rows[0].best
    ahead = [_ahead(row, judge) for row in rows]
    if all(ahead):
        return f"{quoted(judge)} decides most like people whatever beta is"
    if any(ahead):
        return f"No judge decides more like people than {quoted(judge)} whatever beta is, some as often"
    return "No judge decides more like people than every other, whatever beta is"


def _ahead(row: Sensitivity, judge: str) -> bool:
    """Whether a judge decides more like people than every other one at this beta."""
    others = [value for name, value in row.consistency.items() if name != judge]
    return row.consistency[judge] > max(others) + SMALLEST


def _falling(rows: Sequence[Sensitivity]) -> str:
    """How rarely even the best judge decides as people do somewhere in the sweep; empty if that hardly changes."""
    best = [max(row.consistency.values()) for row in rows]
    lowest = min(range(len(rows)), key=lambda i: best[i])
    if best[0] - best[lowest] < WORTH_WORDS:
        return ""
    shares = percent(best[0], 0), percent(best[lowest], 0)
    return f"; but on {shares[0]} of the items at first and on {shares[1]} at {rows[lowest].beta:g}"


def prevalence_finding(rows: Sequence[Sensitivity]) -> str:
    """The title of the chart of prevalence over beta."""
    first, last = rows[0], rows[-1]
    return (
        f"Between {percent(first.prevalence, 0)} and {percent(last.prevalence, 0)} of the items are positive at tau "
        f"{first.tau:g}, depending on beta{_so_what(abs(last.prevalence - first.prevalence))}"
    )


def _so_what(spread: float) -> str:
    """What follows where the prevalence hangs on beta."""
    return ": only response sets would tell which" if spread >= WORTH_WORDS else ""


def selection_flips(result: JudgesResult, tau: float) -> list[FlipPoint]:
    """Where definitions select another judge in the sweep, at one threshold."""
    return [flip for flip in result.flip_points if flip.definition is not None and flip.tau == tau]


def own_beta_sentence(own: OwnBeta) -> str:
    """What share of a judge's negative choices hide a positive option, by its own account."""
    if math.isnan(own.beta):
        return f"{quoted(own.judge)} never chose a negative option, so it has no beta of its own."
    return (
        f"{quoted(own.judge)}: beta {with_interval(own.beta, own.low, own.high)}, from "
        f"{counted(own.items, 'item')} that it answered in both ways."
    )


def order_sentence(flips: OrderFlips) -> str:
    """How often the order decides."""
    return (
        f"{quoted(flips.judge)} answers otherwise on {percent(flips.share)} of the {counted(flips.items, 'pair')} when "
        "the two are shown in the other order."
    )


# ---- Which judge to pick, and how sure that is, in words

SURE = 0.95
MOST_NAMES_JUDGES = 3
NEARLY = 0.99
"""Of the largest Jensen-Shannon divergence, ln 2: judge and people share next to no label."""
BRACKETS = (
    "In brackets what is compared, the judge's part first: the most frequent label, the shares of the labels, the "
    "set of options that enough raters endorse, or the shares that endorse each."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What there is to choose between, and by what.

    Attributes
    ----------
    kinds : sequence of Kind
        The definitions at the threshold, those that rank judges alike as one.
    tau : float
        The threshold.
    select_by : Kind, optional
        The one to select by; None if none has a value.
    ranked : sequence of JudgeValue
        The judges by it, the best first, those without a value last.
    downstream : mapping of str to Downstream
        Decisions at the threshold, by judge; empty if no option is positive.
    has_numbers : bool
        Whether every label is a number, so that distances mean something.
    """

    kinds: Sequence[Kind]
    tau: float
    select_by: Kind | None
    ranked: Sequence[JudgeValue]
    downstream: Mapping[str, Downstream]
    has_numbers: bool = False

    @property
    def picked(self) -> JudgeValue | None:
        """The judge to pick."""
        return self.ranked[0] if self.ranked and self.ranked[0].rank == 1 else None

    @property
    def voting(self) -> list[Kind]:
        """The kinds that look at people and have a best judge."""
        return [kind for kind in self.kinds if kind.best and kind.looks_at_people]

    @property
    def is_hopeless(self) -> bool:
        """Whether no judge ever gives a label of people, so that definitions that ask for that have nothing to tell."""
        found = {own.id: own for kind in self.kinds for own in kind.definitions}
        hits, jsd = found.get("hit_rate"), found.get("jsd")
        if hits is None or jsd is None or not hits.values or not jsd.values:
            return False
        never = all(value.value == 0 for value in hits.values)
        return never and all(value.value >= NEARLY * math.log(2) for value in jsd.values)

    def agreeing(self, judge: str) -> list[Kind]:
        """The kinds that would pick a judge."""
        return [kind for kind in self.voting if judge in kind.best]


def choice_of(result: JudgesResult) -> Choice:
    """What a result lets the reader choose between."""
    tau = main_tau(result)
    kinds = kinds_of(result, tau)
    select_by = recommended_kind(result, kinds)
    values = () if select_by is None else select_by.first.values
    return Choice(
        kinds=kinds,
        tau=tau,
        select_by=select_by,
        ranked=sorted(values, key=lambda value: math.inf if value.rank is None else value.rank),
        downstream={row.judge: row for row in result.downstream if math.isclose(row.tau, tau)},
        has_numbers=_are_numbers(result.settings.get("options")),
    )


def _are_numbers(options: object) -> bool:
    known = [number(str(option)) for option in options] if isinstance(options, Sequence) else []
    return bool(known) and None not in known


def nothing_told(choice: Choice) -> str:
    """That judges never gave a label that people gave, and what to ask instead."""
    said = (
        "By these definitions nothing can be told: they ask whether judges give the labels that people gave, and next "
        f"to no answer does (hit rate 0, Jensen-Shannon divergence at its maximum, {decimal(math.log(2), 3)})."
    )
    if not choice.has_numbers:
        return f"{said} See whether judges spell the labels as people do."
    return (
        f"{said} Of numbers ask how near they are: `dissensus compare --metric mae` or `--metric spearman`, and "
        "`dissensus equivalence --score pearson`."
    )


def pick_in_short(choice: Choice, *, is_shown: bool = True) -> str:
    """The answer: which judge to pick, how sure, who would have picked another one, and what that costs.

    No judge is one to pick where a constant decides as well, or where none is shown to be better than asking nobody.
    """
    picked, select_by = choice.picked, choice.select_by
    if picked is None or select_by is None:
        return "Which judge can stand in for people is undefined here (the warnings say why)."
    if len(choice.ranked) == 1:
        return (
            f"There is one judge only, {quoted(picked.judge)}: nothing to choose between. {only_judge(choice)}".strip()
        )
    if choice.is_hopeless:
        return nothing_told(choice)
    said = f"{_verb(picked)} {quoted(picked.judge)}: by {select_by.name} it stands in for people best{_sure(picked)}."
    if not is_shown or constant_warning(choice):
        said = f"Of these, {quoted(picked.judge)} comes closest to people by {select_by.name}{_sure(picked)}."
    if len(select_by.best) > 1:
        alike = listing([quoted(judge) for judge in select_by.best[:MOST_NAMES_JUDGES]])
        more = len(select_by.best) - MOST_NAMES_JUDGES
        said = f"By {select_by.name} {alike}{f' and {more} more' if more > 0 else ''} are equally near to people."
    name = quoted(picked.judge) if len(select_by.best) > 1 else "it"
    votes = f"{_votes(choice, picked.judge, name)} {others_sentence(choice)}".strip()
    return " ".join(filter(None, [said, votes, _better_decider(choice, picked.judge), constant_warning(choice)]))


def _better_decider(choice: Choice, picked: str) -> str:
    """A judge that surely decides more like people than the one to pick, and that no definition would pick."""
    own = choice.downstream.get(picked)
    named = {judge for judge, _ in rivals(choice)}
    rows = [row for row in choice.downstream.values() if row.judge not in {*BASELINES, *named}]
    if own is None or not rows:
        return ""
    best = max(rows, key=lambda row: row.consistency)
    if not best.consistency_low > own.consistency_high:
        return ""
    shares = f"on {percent(best.consistency)} of the items instead of {percent(own.consistency)}"
    return f"For decisions alone take {quoted(best.judge)}, which decides as people do {shares}."


def _verb(picked: JudgeValue) -> str:
    return "Lean towards" if picked.share_best < SURE else "Pick"


def _sure(picked: JudgeValue) -> str:
    return "" if math.isnan(picked.share_best) else f", and is the best in {samples(picked.share_best)}"


def _votes(choice: Choice, judge: str, name: str) -> str:
    agreeing, total = choice.agreeing(judge), len(choice.voting)
    agree, tied = len(agreeing), sum(len(kind.best) > 1 for kind in agreeing)
    if tied == total:
        return "No definition of agreement can tell the first from another judge."
    if tied:
        others = f"{tied} cannot tell {name} from another judge"
        verb = "prefers" if agree - tied == 1 else "prefer"
        return f"{agree - tied} of {total} definitions of agreement {verb} {name}, and {others}."
    if agree == total:
        return f"All {total} definitions of agreement pick {name}." if total > 1 else ""
    verb = "picks" if agree == 1 else "pick"
    return f"{'Only ' if 2 * agree < total else ''}{agree} of {total} definitions of agreement {verb} {name}."


def only_judge(choice: Choice) -> str:
    """How one judge decides."""
    row = choice.downstream.get(choice.ranked[0].judge)
    if row is None:
        return ""
    return " ".join(
        filter(None, [f"It decides as people do on {percent(row.consistency)} of the items.", constant_warning(choice)])
    )


def rivals(choice: Choice) -> list[tuple[str, list[Kind]]]:
    """The judges that other definitions would have picked, each with those definitions; the most frequent first."""
    picked = choice.picked
    others = [kind for kind in choice.voting if picked is not None and picked.judge not in kind.best]
    names = dict.fromkeys(kind.best[0] for kind in others)
    found = [(name, [kind for kind in others if kind.best[0] == name]) for name in names]
    return sorted(found, key=lambda pair: -len(pair[1]))


def others_sentence(choice: Choice) -> str:
    """Which definitions would have picked another judge, and what that costs; empty if none would."""
    found = rivals(choice)
    if not found or choice.picked is None:
        return ""
    judge, kinds = found[0]
    left = len(found) - 1
    more = f"; {counted(left, 'more judge')} {'is' if left == 1 else 'are'} the best by some definition" if left else ""
    who = kind_names(kinds)
    return f"{who[0].upper()}{who[1:]} would have picked {quoted(judge)}{cost_clause(choice, judge)}{more}."


def kind_names(kinds: Sequence[Kind]) -> str:
    """Some kinds in a sentence."""
    names = [kind.name for kind in kinds[:MOST_NAMES_JUDGES]]
    left = len(kinds) - len(names)
    return listing([*names, *([f"{left} more"] if left else [])])


def cost_clause(choice: Choice, other: str) -> str:
    """What it costs to decide with another judge than the one to pick."""
    mine = choice.downstream.get(choice.picked.judge) if choice.picked else None
    theirs = choice.downstream.get(other)
    if mine is None or theirs is None:
        return ""
    gap = theirs.consistency - mine.consistency
    if abs(gap) < 0.0005:  # noqa: PLR2004 - nothing that a percentage with one decimal would show
        return f", which decides as people do just as often ({percent(mine.consistency)} of the items)"
    how = "less" if gap < 0 else "more"
    return (
        f", which decides as people do {how} often: on {percent(theirs.consistency)} of the items instead of "
        f"{percent(mine.consistency)}{_bias_clause(theirs)}"
    )


def _bias_clause(row: Downstream) -> str:
    if abs(row.bias) < 0.01:  # noqa: PLR2004 - less than a point is not worth words
        return ""
    return f", and calls {abs(100 * row.bias):.0f} points {'more' if row.bias > 0 else 'fewer'} of them positive"


def constant_warning(choice: Choice) -> str:
    """That a constant decides as people do at least as often as the judge to pick; empty if it does not."""
    constant = best_constant(choice.downstream.values())
    mine = choice.downstream.get(choice.picked.judge) if choice.picked else None
    if constant is None or mine is None or mine.consistency > constant.consistency:
        return ""
    how = "just as often as" if mine.consistency == constant.consistency else "more often than"
    return (
        f"Mind that {constant_words(constant)}, without looking, would decide as people do {how} this judge: on "
        f"{percent(constant.consistency)} of the items."
    )


def advice_sentence(advice: Advice, result: JudgesResult) -> str:
    """What to do, and why."""
    reason = getattr(advice.reason, "message", advice.reason)  # with options as data
    return in_words(f"{advice.text} {reason}", result.definitions)


def votes_sentence(choice: Choice) -> str:
    """How definitions were counted."""
    merged = [kind for kind in choice.kinds if len(kind.definitions) > 1]
    blind = any(not kind.looks_at_people for kind in choice.kinds)
    counts = f"{counted(len(choice.voting), 'definition')} of agreement count: those of the paper that have a value"
    said = [f"{counts}, at tau {choice.tau:g}.", BRACKETS]
    if merged:
        said.append("Definitions that rank judges alike whatever the data stand in one row and count once.")
    if blind:
        said.append("The size of the judge's set is shown but not counted, since it does not look at people.")
    return " ".join(said)
