"""Which judge to pick, and how sure that is, in words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dissensus.judges.downstream import BASELINES, Downstream
from dissensus.judges.result import Advice, JudgesResult, JudgeValue
from dissensus.ratings.labels import number
from dissensus.report.numbers import counted, decimal, listing, percent
from dissensus.report.sentences.definitions import Kind, in_words, kinds_of, main_tau, recommended_kind
from dissensus.report.sentences.equivalence import samples
from dissensus.report.sentences.judge_decisions import best_constant, constant_words
from dissensus.report.untrusted import quoted

SURE = 0.95
MOST_NAMES = 3
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
        alike = listing([quoted(judge) for judge in select_by.best[:MOST_NAMES]])
        more = len(select_by.best) - MOST_NAMES
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
    names = [kind.name for kind in kinds[:MOST_NAMES]]
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
    return in_words(f"{advice.text} {advice.reason}", result.definitions)


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
