"""What `judges` says: which judge can stand in for people."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.methods.judges.result import JudgesResult, ReverseMatrix, Violation
from dissensus.report.document import Block, Cell, Fold, Paragraph, Part, Points, Section, Table
from dissensus.report.numbers import counted, decimal, listing, quoted, told_apart, with_interval
from dissensus.report.views.intervals import interval_sentence
from dissensus.report.views.judge_choice import (
    Choice,
    Kind,
    advice_sentence,
    choice_of,
    kind_names,
    name_of,
    order_sentence,
    pick_in_short,
    short_interval,
    titled,
    value_digits,
    votes_sentence,
)
from dissensus.report.views.judge_decisions import decision_blocks
from dissensus.report.views.judge_ranks import judge_names, likeness_figures, ranks_figure
from dissensus.report.views.judge_sweep import sweep_parts
from dissensus.results import Result

# ---- Where definitions rank judges against each other, and what forced choices mean, in words

MOST_PAIRS = 4
MOST_DIGITS = 10


def inversion_sentences(result: JudgesResult, choice: Choice) -> list[str]:
    """The pairs of judges that definitions disagree about: with the one to pick first, then the most evenly split."""
    kinds = [kind for kind in choice.kinds if kind.looks_at_people]
    found = []
    for pair in result.inversions:
        prefer_a = [kind for kind in kinds if kind.first.id in pair.prefer_a]
        prefer_b = [kind for kind in kinds if kind.first.id in pair.prefer_b]
        if prefer_a and prefer_b:
            found.append((min(len(prefer_a), len(prefer_b)), pair.judge_a, prefer_a, pair.judge_b, prefer_b))
    picked = choice.picked.judge if choice.picked else None
    found.sort(key=lambda row: (picked not in {row[1], row[3]}, -row[0]))
    said = [_pair_sentence(*row[1:]) for row in found[:MOST_PAIRS]]
    left = len(found) - len(said)
    return [*said, *([f"Definitions disagree about {counted(left, 'more pair')} of judges."] if left else [])]


def _pair_sentence(judge_a: str, prefer_a: Sequence[Kind], judge_b: str, prefer_b: Sequence[Kind]) -> str:
    if len(prefer_b) > len(prefer_a):
        judge_a, prefer_a, judge_b, prefer_b = judge_b, prefer_b, judge_a, prefer_a
    verb = "prefers" if len(prefer_b) == 1 else "prefer"
    return (
        f"{quoted(judge_a)} or {quoted(judge_b)}? {counted(len(prefer_a), 'definition')} "
        f"{'prefers' if len(prefer_a) == 1 else 'prefer'} {quoted(judge_a)}, {len(prefer_b)} {verb} {quoted(judge_b)}: "
        f"{kind_names(prefer_b)}."
    )


def violation_sentence(result: JudgesResult, choice: Choice) -> str:
    """One item on which two definitions prefer different judges; empty if there is none."""
    ids = {d.id for kind in [choice.select_by] if kind is not None for d in kind.definitions}
    names = {choice.picked.judge} if choice.picked else set()

    def told(found: Violation) -> tuple[bool, bool]:
        return {found.definition_a, found.definition_b} & ids == set(), {found.judge_a, found.judge_b} & names == set()

    found = min(result.violations, key=told, default=None)
    if found is None:
        return ""
    first, second = result.definition(found.definition_a), result.definition(found.definition_b)
    a, b = quoted(found.judge_a), quoted(found.judge_b)
    by_first, by_second = _apart(*found.values_a), _apart(*found.values_b)
    return (
        f"Why they can disagree, on one item: on {quoted(found.item)} {name_of(first)} prefers {a} "
        f"({by_first[0]} against {by_first[1]} of {b}, {first.better} is better), but "
        f"{name_of(second)} prefers {b} ({by_second[1]} against {by_second[0]}, "
        f"{second.better} is better)."
    )


def _apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with two decimals, or with as many as it takes to tell them apart."""
    shown = ((decimal(one, digits), decimal(other, digits)) for digits in range(2, MOST_DIGITS))
    return next((pair for pair in shown if pair[0] != pair[1]), (f"{one:g}", f"{other:g}"))


def reverse_sentence(matrix: ReverseMatrix) -> str:
    """What F' is and what it rests on."""
    pairs = (
        f"{counted(matrix.pairs, 'rating')} of raters who gave both a choice and a response set"
        if matrix.paired_by == "rater"
        else f"{counted(matrix.pairs, 'item')} with both, from different raters, so that what distinguishes them looks "
        "like an effect of the forced choice"
    )
    return (
        "What people who had to choose one option would have endorsed, if they had been free to endorse several. It "
        f"turns forced choices into response sets, and rests on {pairs}."
    )


# ---- What `judges` says: which judge can stand in for people

MOST_ADVICE = 4
"""So many pieces of advice are shown at once."""
CONTEST = ("Best in", "Picked by")
LEAST_SHARE = 0.01
"""Response sets with less of a choice's raters than that are left out of the table."""


def view(result: Result) -> Section:
    """Which judge to pick: the answer, advice, definitions, decisions, sensitivity, and how it was computed."""
    if not isinstance(result, JudgesResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what judges found.")
    choice = choice_of(result)
    return Section(
        title="Which judge can stand in for people?",
        lead=pick_in_short(choice),
        blocks=[
            *_judges(choice),
            *_ranks(choice),
            *_advice(result),
            *decision_blocks(result, choice),
            *_orders(result),
            *_folded(_definitions_title(choice), _definitions(result, choice)),
            *_folded("What if forced choices hide positive options?", sweep_parts(result, choice)),
            *_folded("What a forced choice stands for", _reverse(result)),
            *_folded("How this was computed", _computed(result, choice)),
        ],
    )


def _folded(title: str, parts: Sequence[Part]) -> list[Block]:
    return [Fold(title=title, parts=parts)] if parts else []


def _definitions_title(choice: Choice) -> str:
    many = "What each definition picks, and where they disagree"
    return many if len(choice.ranked) > 1 else "What each definition says about it"


def _advice(result: JudgesResult) -> list[Block]:
    """What matters most, the rest on demand."""
    said = [advice_sentence(advice, result) for advice in result.advice]
    if not said:
        return []
    rest = said[MOST_ADVICE:]
    more = _folded(f"{counted(len(rest), 'more piece')} of advice", [Points(title="", texts=rest)]) if rest else []
    return [Points(title="What to do, and why", texts=said[:MOST_ADVICE]), *more]


def _judges(choice: Choice) -> list[Block]:
    """Every judge in one row."""
    if choice.select_by is None:
        return []
    names, digits = judge_names(choice), value_digits(choice.select_by.first.values)
    heading, is_contest = choice.select_by.name, len(choice.ranked) > 1
    rows: list[list[Cell]] = []
    for value in choice.ranked:
        row = choice.downstream.get(value.judge)
        decided: list[Cell] = [] if row is None else [row.consistency, f"{_signed(row.bias)} pt"]
        votes: list[Cell] = [value.share_best, _votes(choice, value.judge)]
        rows.append([names[value.judge], short_interval(value, digits), *(votes if is_contest else []), *decided])
    who = "The judges, best first" if is_contest else "The judge"
    more = ["Decides alike", "Bias"] if choice.downstream else []
    decisions = f"; decided as people do, and bias of the prevalence, at tau {choice.tau:g}" if more else ""
    return [
        Table(
            caption=f"{who} by {heading} ({choice.select_by.first.better} is better){decisions}",
            columns=["Judge", heading[0].upper() + heading[1:], *(CONTEST if is_contest else ()), *more],
            rows=rows,
            percent=frozenset({"Best in", "Decides alike"}),
        )
    ]


def _signed(share: float) -> str:
    """A share in percentage points with its sign; nothing has none."""
    text = f"{100 * share:+.1f}"
    return text if text.strip("+-0.") else "0.0"


def _votes(choice: Choice, judge: str) -> str:
    """By how many definitions a judge comes first, alone and tied."""
    agreeing = choice.agreeing(judge)
    tied = sum(len(kind.best) > 1 for kind in agreeing)
    return f"{len(agreeing) - tied} of {len(choice.voting)}{f', {tied} tied' if tied else ''}"


def _ranks(choice: Choice) -> list[Block]:
    """The places of the judges by each definition, where there are places to compare."""
    return [ranks_figure(choice)] if len(choice.ranked) > 1 and any(kind.best for kind in choice.kinds) else []


def _definitions(result: JudgesResult, choice: Choice) -> list[Part]:
    """What each definition would pick, and where they contradict each other."""
    if not any(kind.best for kind in choice.kinds):
        return []
    names = judge_names(choice)
    is_contest = len(choice.ranked) > 1
    columns, rows = (
        ["Definition", "Aim", "Picks", "Value", "Best in"],
        [_definition_row(k, names) for k in choice.kinds],
    )
    kept = [i for i, column in enumerate(columns) if is_contest or column not in {"Picks", "Best in"}]
    what = "The judge that each definition picks" if is_contest else "What each definition says of it"
    table = Table(
        caption=f"{what}, at tau {choice.tau:g}",
        columns=[columns[i] for i in kept],
        rows=[[row[i] for i in kept] for row in rows],
        percent=frozenset({"Best in"}),
    )
    return [table, Paragraph(text=votes_sentence(choice)), *_disagreements(result, choice)]


def _definition_row(kind: Kind, names: dict[str, str]) -> list[Cell]:
    first = kind.first
    title, aim = titled(kind), {"higher": "high", "lower": "low"}[first.better]
    if not kind.best:
        return [title, aim, None, None, None]
    best = first.of(kind.best[0])
    picks = names[best.judge] if len(kind.best) == 1 else f"{names[best.judge]} (tie of {len(kind.best)})"
    return [title, aim, picks, short_interval(best, min(value_digits([best]), 2)), best.share_best]


def _disagreements(result: JudgesResult, choice: Choice) -> list[Part]:
    """Which definitions rank which judges the other way round, with one item that shows why."""
    pairs = inversion_sentences(result, choice)
    if not pairs:
        return []
    violation = violation_sentence(result, choice)
    return [
        Points(title="Where definitions disagree", texts=[*pairs, *([violation] if violation else [])]),
        *likeness_figures(choice),
    ]


def _reverse(result: JudgesResult) -> list[Part]:
    """F' as a table of what each choice stands for."""
    if result.reverse_matrix is None:
        return []
    return [_reverse_table(result.reverse_matrix), Paragraph(text=reverse_sentence(result.reverse_matrix))]


def _reverse_table(matrix: ReverseMatrix) -> Table:
    options, sets = told_apart(matrix.options, 40), told_apart(matrix.response_sets, 60)
    rows: list[list[Cell]] = []
    for k, option in enumerate(matrix.options):
        cells = sorted(range(len(sets)), key=lambda v: -matrix.values[k][v])
        for v in cells:
            if matrix.values[k][v] >= LEAST_SHARE:
                share = with_interval(matrix.values[k][v], matrix.low[k][v], matrix.high[k][v])
                rows.append([options[option], sets[matrix.response_sets[v]].replace("|", " and "), share])
    return Table(
        caption="What a forced choice stands for: the reverse matrix F'",
        columns=["Those who chose", "Would endorse", "Share of them"],
        rows=rows,
    )


def _orders(result: JudgesResult) -> list[Block]:
    flips = sorted(result.order_flips, key=lambda flip: -flip.share)
    said = [order_sentence(flip) for flip in flips]
    return [Points(title="Does the order of the two decide?", texts=said)] if said else []


def _computed(result: JudgesResult, choice: Choice) -> list[Part]:
    """How the numbers came about."""
    settings = result.settings
    ties = max((definition.tied_items for definition in result.definitions), default=0)
    merged = [f"{_joined(kind)}: {kind.reason}." for kind in choice.kinds if kind.reason]
    items, is_contest = settings.get("items"), len(choice.ranked) > 1
    where = "All judges are compared on the {:,} items that all of them answered."
    said = [
        (where if is_contest else "The judge is compared with people on {:,} items.").format(items)
        if isinstance(items, int)
        else "",
        f"On {ties:,} items people's most frequent label ties; the first one in order is taken." if ties else "",
        *merged,
        interval_sentence(settings),
        "Best in: the share of the bootstrap samples in which that judge is best."
        if is_contest and any(not math.isnan(value.share_best) for value in choice.ranked)
        else "",
    ]
    return [Points(title="", texts=[text for text in said if text])]


def _joined(kind: Kind) -> str:
    said = listing([name_of(definition) for definition in kind.definitions])
    return f"{said[0].upper()}{said[1:]} rank judges alike"
