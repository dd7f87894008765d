"""What `judges` says: which judge can stand in for people."""

import math
from collections.abc import Callable, Iterator, Sequence

from dissensus.methods.judges.advice import OTHER_TASK, SELECT, Choice, Kind, choice_of
from dissensus.methods.judges.result import Confusion, DefinitionResult, Downstream, JudgesResult
from dissensus.report.document import MOST_NOTES, Block, Cell, Fold, Note, Paragraph, Part, Points, Section, Table
from dissensus.report.numbers import (
    capital,
    counted,
    decimal,
    listing,
    p_number,
    percent,
    sentences,
    short_names,
    shortened,
    supported_digits,
    with_interval,
)
from dissensus.report.views import judge_words as words
from dissensus.report.views.section import how_computed, interval_sentence, noted, setting, warnings_of
from dissensus.results import unspelled

VERSUS_OTHERS = "Vs others"
"""The column in which a judge and a person are measured in the same way."""
BEST = {"higher": "high", "lower": "low"}
NONE = "none"
MOST_CONFUSIONS = 3
LONGEST_LABEL = 16
LEAST_SHARE = 0.01
"""Response sets with less of a choice's raters than that are left out of the table."""
SILENT = (" undefined: ", " tie for best by ", " only from ", "No interval for ", "Decisions have no kappa ", "Nobody ")
"""In warnings that only explain numbers or their absence: they stand with how those were computed."""
ASK_DECIDE = Note(text="Which judge to use: `dissensus decide`.", kind="hint")
LABELS = "Check whether judges spell the labels as people do."
NUMBERS = "Answers are numbers: use `dissensus compare` (mae, spearman) or `dissensus equivalence` (pearson)."
BETA = (
    "Beta: the share of raters with a negative choice who would {also} endorse a positive option. Forced choices hide "
    "it, so several values are tried."
)
REVERSE = "What raters who had to choose one option would endorse if they could choose several. It rests on {pairs}."


def view(result: JudgesResult) -> Section:
    """Which judge to pick: the answer, a row for each judge, what to do; the rest is folded."""
    choice = choice_of(result)
    decisions = [words.decision_figure(result, choice)] if choice.downstream else []
    folds: dict[str, Sequence[Part]] = {
        "Advice, with reasons": _advice(result),
        "What each definition says": _definitions(result, choice),
        "How judges use the scale": _scale_use(result),
        "Which labels it confuses": _confusion(result, choice),
        "What sways judges but should not": _biases(result),
        "Does the order of the two outputs matter?": _orders(result),
        "What if forced choices hide positive options?": _sweep(result, choice),
        "What a forced choice stands for": _reverse(result),
    }
    return Section(
        title="Which judge can stand in for people?",
        lead=words.pick_in_short(choice),
        blocks=[
            *_judges(choice),
            *_ask(choice),
            *noted(_notes(result, choice)),
            *decisions,
            *(Fold(title=title, parts=parts) for title, parts in folds.items() if parts),
            how_computed(_computed(result, choice)),
        ],
    )


def warning_texts(result: JudgesResult, texts: Sequence[str]) -> list[str]:
    """The warnings, definitions by the names that the tables have."""
    return [words.in_words(text, result.definitions) for text in texts]


def _ask(choice: Choice) -> list[Note]:
    """Where it is said which of several judges to use, which may be another than the one that is closest as it is."""
    return [ASK_DECIDE] if len(choice.ranked) > 1 and not choice.is_hopeless else []


def _notes(result: JudgesResult, choice: Choice) -> list[str]:
    """What to do; whom to select is in the lead."""
    remedy = ([NUMBERS] if choice.has_numbers else [LABELS]) if choice.is_hopeless else []
    texts = [words.in_words(piece.text, result.definitions) for piece in result.advice]
    texts = [text for text in texts if not text.startswith((SELECT, *OTHER_TASK))]
    return [*remedy, *_biased(result), *texts][: MOST_NOTES - len(_ask(choice))]


def _advice(result: JudgesResult) -> list[Part]:
    """Every piece of advice with its reason."""
    advice = [f"{piece.text} {unspelled(piece.reason)}" for piece in result.advice]
    return [Points(title="", texts=[words.in_words(text, result.definitions) for text in advice])] if advice else []


# ---- A row for each judge


def _judges(choice: Choice) -> list[Block]:
    """Every judge, and below them constant answers, a person and a perfect judge."""
    if choice.select_by is None:
        return []
    main, is_contest = choice.select_by.first, len(choice.ranked) > 1
    bounds = [(100 * row.consistency_low, 100 * row.consistency_high) for row in choice.downstream.values()]
    digits, places = words.value_digits(main.values), min(supported_digits(bounds, usual=1), 1)
    columns = ["Judge", "Value", *[VERSUS_OTHERS] * (main.person is not None), *["Best in"] * is_contest]
    columns += ["Decisions", "Bias"] * bool(choice.downstream)
    rows = [
        {
            "Value": words.short_interval(value, digits),
            VERSUS_OTHERS: decimal(value.reduced, digits),
            "Best in": None if math.isnan(value.share_best) else percent(value.share_best, 0),
            **_decided(choice.downstream.get(value.judge), places),
        }
        for value in choice.ranked
    ]
    names = list(words.judge_names(choice, 17 if choice.downstream else 25).values())
    beside = _rulers(choice, main, lambda value: decimal(value, digits), lambda share: percent(share, places))
    tau = f"; decisions and bias at tau {choice.tau:g}" if choice.downstream else ""
    return [
        Table(
            caption=f"{capital(words.name_of(main))} ({main.better} is better){tau}",
            columns=columns,
            rows=[
                [name, *(row.get(column) for column in columns[1:])]
                for name, row in [*zip(names, rows, strict=True), *beside]
            ],
        )
    ]


def _decided(row: Downstream | None, places: int) -> dict[str, str | None]:
    """A judge's decisions; no bias has no sign."""
    if row is None:
        return {}
    bias = f"{100 * row.bias:+.{places}f}"
    return {
        "Decisions": percent(row.consistency, places),
        "Bias": bias if bias.strip("+-0.") else bias.lstrip("+-"),
    }


def _rulers(
    choice: Choice, main: DefinitionResult, number: Callable[[float], str], share: Callable[[float], str]
) -> Iterator[tuple[str, dict[str, str | None]]]:
    """Constants, a person and a perfect judge by the definition to select by, and in decisions."""
    beside = choice.rulers
    if main.constant is not None:
        name = words.always_words(main.constant).removeprefix("always answering the ").replace("answering ", "")
        out = number(main.constant.reduced) if math.isfinite(main.constant.reduced) else None
        yield f"({name})", {"Value": number(main.constant.value), VERSUS_OTHERS: out}
    if beside is not None:
        yield f"({words.CONSTANT_NAMES[str(beside.constant.answer)]})", {"Decisions": share(beside.constant.value)}
    if main.person is not None:
        decided = share(beside.person.value) if beside and beside.person else None
        yield "(one more person)", {VERSUS_OTHERS: number(main.person.value), "Decisions": decided}
    if main.perfect is not None:
        decided = words.range_text(beside.perfect, share) if beside and beside.perfect else None
        yield "(a perfect judge)", {VERSUS_OTHERS: words.range_text(main.perfect, number), "Decisions": decided}


# ---- What each definition picks


def _definitions(result: JudgesResult, choice: Choice) -> list[Part]:
    if not any(value.rank is not None for kind in choice.kinds for value in kind.first.values):
        return []
    names, is_contest = words.judge_names(choice, 17), len(choice.ranked) > 1
    columns = ["Definition", "Best", *["Picks"] * is_contest, "Value", "Constant", *["Best in"] * is_contest]
    what = "The judge that each definition picks" if is_contest else "The judge by each definition"
    table = Table(
        caption=f"{what}, at tau {choice.tau:g}",
        columns=columns,
        rows=[_definition_row(kind, names, is_contest=is_contest) for kind in choice.kinds],
        percent=frozenset({"Best in"}),
    )
    main = words.ranks_figure(result, choice, table) if is_contest else table
    has_none = any(row[2] == NONE for row in table.rows)
    return [main, Paragraph(text=sentences(words.BRACKETS, words.NONE if has_none else ""))]


def _definition_row(kind: Kind, names: dict[str, str], *, is_contest: bool) -> list[Cell]:
    title, aim = capital("; ".join(map(words.name_of, kind.definitions))), BEST[kind.first.better]
    known = [value for value in kind.first.values if value.rank is not None]
    if not known:
        return [title, aim, *([None] * (4 if is_contest else 2))]
    best = kind.first.of(kind.best[0]) if kind.best else min(known, key=lambda value: value.rank or 0)
    digits = min(words.value_digits([best]), 2)
    value, constant = words.short_interval(best, digits), kind.first.constant
    always = None if constant is None else decimal(constant.value, digits)
    picks = f"{names[best.judge]} (tie of {len(kind.best)})" if len(kind.best) > 1 else names[best.judge]
    picks = picks if kind.best else NONE
    return [title, aim, picks, value, always, best.share_best] if is_contest else [title, aim, value, always]


def _table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[Part]:
    return [Table(caption=caption, columns=columns, rows=rows)] if rows else []


def _scale_use(result: JudgesResult) -> list[Part]:
    """How judges use labels in an order."""
    rows: list[list[Cell]] = [
        [shortened(use.judge, 30), f"{use.shift:+.2f}", decimal(use.spread, 2), listing(list(use.unused)) or "none"]
        for use in result.scale_use
    ]
    caption = "Shift of the mean answer, in labels; spread (1: as people); labels that the judge never gives"
    return _table(caption, ["Judge", "Shift", "Spread", "Never gives"], rows)


# ---- Biases


def _biased(result: JudgesResult) -> list[str]:
    """The first bias that is more than chance, and how many more there are."""
    found = [bias for bias in result.biases if bias.p_holm <= 1 - setting(result.settings, "confidence", 0.95)]
    more = f" The details list {counted(len(found) - 1, 'more bias', 'more biases')}." if len(found) > 1 else ""
    return [f"{words.bias_sentence(found[0])}{more}"] if found else []


def _biases(result: JudgesResult) -> list[Part]:
    """Every bias that was looked for."""
    names = short_names([bias.judge for bias in result.biases], LONGEST_LABEL, has_end=True)
    rows: list[list[Cell]] = [
        [names[bias.judge], words.bias_name(bias), words.bias_value(bias), p_number(bias.p_holm), bias.items]
        for bias in result.biases
    ]
    caption = "How far a judge favours what should not matter; p allows for all rows"
    return [
        *_table(caption, ["Judge", "Favours", "By", "p", "Items"], rows),
        *([Paragraph(text=words.BIAS_MEANING)] * bool(rows)),
    ]


# ---- Which labels are confused


def _confusion(result: JudgesResult, choice: Choice) -> list[Part]:
    """The best judges' answers by the label that a person gave, and another person's."""
    ranked = [value.judge for value in choice.ranked] or [one.judge for one in result.confusion]
    by_judge = {one.judge: one for one in result.confusion}
    shown = [by_judge[judge] for judge in ranked[:MOST_CONFUSIONS] if judge in by_judge]
    person = result.person_confusion
    if not shown:
        return []
    return [_confusion_table(one) for one in (*shown, person) if one is not None]


def _confusion_table(one: Confusion) -> Table:
    answers = short_names(dict.fromkeys(cell.answer for cell in one.cells), LONGEST_LABEL)
    rows: list[list[Cell]] = [
        [shortened(rates.label, LONGEST_LABEL), *(cell.share for cell in one.cells if cell.people == rates.label)]
        for rates in one.labels
    ]
    return Table(
        caption=f"{shortened(one.judge)}: answers where a person says the label",
        columns=["A person says", *answers.values()],
        rows=rows,
        percent=frozenset(answers.values()),
    )


# ---- What forced choices hide and stand for, and how all this was computed


def _orders(result: JudgesResult) -> list[Part]:
    rows: list[list[Cell]] = [
        [shortened(flips.judge, 30), percent(flips.share, 0), flips.items]
        for flips in sorted(result.order_flips, key=lambda flips: -flips.share)
    ]
    return _table("How often the answer changes when the two outputs are swapped", ["Judge", "Share", "Pairs"], rows)


def _sweep(result: JudgesResult, choice: Choice) -> list[Part]:
    """What would follow if forced choices hid positive options."""
    points = [row for row in result.sensitivity if math.isclose(row.tau, choice.tau)]
    betas: list[list[Cell]] = [
        [shortened(row.judge, 30), with_interval(row.beta, row.low, row.high) if row.beta >= 0 else None, row.items]
        for row in result.own_beta
    ]
    caption = "Beta of the judges, from items that they answered both ways: a hint for people's"
    hints = _table(caption, ["Judge", "Beta", "Items"], betas)
    if len(points) < 2:  # noqa: PLR2004 - one point is no sweep
        return hints
    also = "instead" if result.settings.get("mapping") == "paper" else "also"
    return [Paragraph(text=BETA.format(also=also)), words.sweep_figure(result, choice, points), *hints]


def _reverse(result: JudgesResult) -> list[Part]:
    """F' as a table of what each choice stands for."""
    matrix = result.reverse_matrix
    if matrix is None:
        return []
    options, sets = short_names(matrix.options, 40), short_names(matrix.response_sets, 60)
    rows: list[list[Cell]] = []
    for k, option in enumerate(matrix.options):
        for v in sorted(range(len(sets)), key=lambda v: -matrix.values[k][v]):
            if matrix.values[k][v] >= LEAST_SHARE:
                share = with_interval(matrix.values[k][v], matrix.low[k][v], matrix.high[k][v])
                rows.append([options[option], sets[matrix.response_sets[v]].replace("|", " and "), share])
    columns = ["Those who chose", "Would endorse", "Share of them"]
    pairs = f"{counted(matrix.pairs, 'rating')} of raters who gave both"
    if matrix.paired_by == "item":
        pairs = f"{counted(matrix.pairs, 'item')} with both, from different raters"
    table = _table("What those who chose an option would endorse", columns, rows)
    return [*table, Paragraph(text=REVERSE.format(pairs=pairs))]


def _computed(result: JudgesResult, choice: Choice) -> Iterator[str]:
    """How the numbers came about."""
    main: DefinitionResult | None = None if choice.select_by is None else choice.select_by.first
    items, is_contest = result.settings.get("items"), len(choice.ranked) > 1
    if isinstance(items, int):
        what = "Judges are compared on the {} that all of them answered." if is_contest else "Rests on {}."
        yield what.format(counted(items, "item"))
    if choice.downstream:
        yield (
            f"Decisions: the share of items that judge and people decide the same way; an item is positive if at least "
            f"{percent(choice.tau, 0)} of its ratings are. Bias: the judge's share of positive items less people's, in "
            "percentage points. Kappa is Cohen's."
        )
    if interval := interval_sentence(result.settings):
        best = " Best in: the share of these samples in which the judge is best."
        yield f"{interval}{best if is_contest else ''}"
    if main is not None and main.person is not None:
        yield f"{VERSUS_OTHERS}: judge and rater, each compared with the other raters, leaving each rater out in turn."
    if main is not None and main.perfect is not None:
        yield "A perfect judge knows the label shares of each item; two models estimate its score."
    reasons = [text for text in warnings_of(result) if any(part in text for part in SILENT)]
    yield from (words.in_words(text, result.definitions) for text in reasons)
