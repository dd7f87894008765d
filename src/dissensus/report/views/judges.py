"""What `judges` says: which judge can stand in for people."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.judges.result import JudgesResult, ReverseMatrix
from dissensus.report.document import Block, Cell, Fold, Paragraph, Part, Points, Section, Table
from dissensus.report.numbers import counted, listing, with_interval
from dissensus.report.sentences.definitions import Kind, name_of, short_interval, titled, value_digits
from dissensus.report.sentences.intervals import interval_sentence
from dissensus.report.sentences.judge_decisions import order_sentence
from dissensus.report.sentences.judge_orders import inversion_sentences, reverse_sentence, violation_sentence
from dissensus.report.sentences.judges import Choice, advice_sentence, choice_of, pick_in_short, votes_sentence
from dissensus.report.untrusted import told_apart
from dissensus.report.views.judge_decisions import decision_blocks
from dissensus.report.views.judge_ranks import judge_names, likeness_figures, ranks_figure
from dissensus.report.views.judge_sweep import sweep_parts
from dissensus.results import Result

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
