"""What `judges` says: which judge can stand in for people."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.methods.judges.choice import Choice, Kind, choice_of
from dissensus.methods.judges.result import Confusion, JudgesResult, ReverseMatrix, Violation
from dissensus.options import named
from dissensus.report.document import Block, Cell, Fold, Note, Paragraph, Part, Points, Section, Table
from dissensus.report.numbers import (
    capital,
    counted,
    decimal,
    listing,
    p_number,
    percent,
    quoted,
    sentences,
    short_names,
    shortened,
    with_interval,
)
from dissensus.report.views import judge_words as words
from dissensus.report.views.judge_charts import (
    decision_figures,
    judge_names,
    likeness_figures,
    ranks_figure,
    sweep_figures,
)
from dissensus.report.views.section import interval_sentence
from dissensus.results import Result

MOST_PAIRS = 4
MOST_CONFUSIONS = 3
LONGEST_LABEL = 16
MOST_DIGITS = 10
MOST_ADVICE = 3
"""So many pieces of advice are shown at once."""
LEAST_SHARE = 0.01
"""Response sets with less of a choice's raters than that are left out of the table."""
NO_DECISIONS = (
    f"Name the options that count as positive (with {named('positive')}, or positive in the task) to see what follows "
    "from each judge's decisions, beside always saying yes and always no."
)


def view(result: Result) -> Section:
    """Which judge to pick: the answer, advice, definitions, decisions, sensitivity, and how it was computed."""
    if not isinstance(result, JudgesResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what judges found.")
    choice = choice_of(result)
    is_contest = len(choice.ranked) > 1
    many = "What each definition picks, and where they disagree"
    return Section(
        title="Which judge can stand in for people?",
        lead=words.pick_in_short(choice),
        blocks=[
            *_judges(choice),
            *_scale_use(result),
            *_advice(result),
            *_decisions(result, choice),
            *_orders(result),
            *_biased(result),
            *_folded(many if is_contest else "What each definition says about it", _definitions(result, choice)),
            *_folded("Which labels it confuses", _confusion(result, choice)),
            *_folded("What moves judges that should not", _biases(result)),
            *_folded("What if forced choices hide positive options?", _sweep(result, choice)),
            *_folded("What a forced choice stands for", _reverse(result)),
            *_folded("How this was computed", _computed(result, choice)),
        ],
    )


def warning_texts(result: Result, texts: Sequence[str]) -> list[str]:
    """The warnings, definitions of agreement by the names that the tables have."""
    definitions = result.definitions if isinstance(result, JudgesResult) else ()
    return [words.in_words(text, definitions) for text in texts]


def _folded(title: str, parts: Sequence[Part]) -> list[Block]:
    return [Fold(title=title, parts=parts)] if parts else []


def _advice(result: JudgesResult) -> list[Block]:
    """What matters most, the rest on demand."""
    # The reasons with the names of options as data.
    advice = [f"{piece.text} {getattr(piece.reason, 'message', piece.reason)}" for piece in result.advice]
    texts = [words.in_words(text, result.definitions) for text in advice]
    if not texts:
        return []
    rest = texts[MOST_ADVICE:]
    more = _folded(f"{counted(len(rest), 'more piece')} of advice", [Points(title="", texts=rest)]) if rest else []
    return [Points(title="What to do, and why", texts=texts[:MOST_ADVICE]), *more]


def _judges(choice: Choice) -> list[Block]:
    """Every judge in one row, and below them the constant, a person and a perfect judge."""
    if choice.select_by is None:
        return []
    main = choice.select_by.first
    names, digits = judge_names(choice), words.value_digits(main.values)
    heading, is_contest = words.kind_name(choice.select_by), len(choice.ranked) > 1
    has_rest = main.person is not None
    rows: list[list[Cell]] = []
    for value in choice.ranked:
        row = choice.downstream.get(value.judge)
        decided: list[Cell] = [] if row is None else [percent(row.consistency), f"{_signed(row.bias)} pt"]
        rest: list[Cell] = [decimal(value.reduced, digits)] if has_rest else []
        contest: list[Cell] = [value.share_best] if is_contest else []
        rows.append([names[value.judge], words.short_interval(value, digits), *rest, *contest, *decided])
    rows += _ruler_rows(choice, digits, is_contest=is_contest)
    who = "The judges, best first" if is_contest else "The judge"
    more = ["Decides alike", "Bias"] if choice.downstream else []
    decisions = f"; decisions at tau {choice.tau:g}" if more else ""
    return [
        Table(
            caption=f"{who} by {heading} ({main.better} is better){decisions}",
            columns=["Judge", capital(heading), *["Less one"] * has_rest, *["Best in"] * is_contest, *more],
            rows=rows,
            percent=frozenset({"Best in"}),
        )
    ]


def _ruler_rows(choice: Choice, digits: int, *, is_contest: bool) -> list[list[Cell]]:
    """The best constant, a person and a perfect judge by the definition to select by, and in decisions."""
    if choice.select_by is None:
        return []
    main, beside = choice.select_by.first, choice.rulers
    nothing: list[Cell] = [None] * is_contest
    is_decided = bool(choice.downstream)
    rows: list[list[Cell]] = []
    if main.constant is not None:
        rest: list[Cell] = [decimal(main.constant.reduced, digits)] if main.person else []
        decided: list[Cell] = [None if beside is None else percent(beside.constant.value), None] if is_decided else []
        rows.append(
            [words.always_words(main.constant), decimal(main.constant.value, digits), *rest, *nothing, *decided]
        )
    if main.person is not None:
        decided = [percent(beside.person.value) if beside and beside.person else None, None] if is_decided else []
        rows.append(["one more person", None, decimal(main.person.value, digits), *nothing, *decided])
    if main.perfect is not None:
        shown = words.range_text(main.perfect, lambda number: decimal(number, digits))
        decided = []
        if is_decided:
            decided = [words.range_text(beside.perfect, percent) if beside and beside.perfect else None, None]
        rows.append(["a perfect judge", None, shown, *nothing, *decided])
    return rows


def _scale_use(result: JudgesResult) -> list[Block]:
    """How judges use labels in an order."""
    if not result.scale_use:
        return []
    rows: list[list[Cell]] = [
        [quoted(use.judge), f"{use.shift:+.2f}", decimal(use.spread, 2), listing(list(use.unused)) or "none"]
        for use in result.scale_use
    ]
    return [
        Table(
            caption="How judges use the scale: shift of the mean answer in label steps, spread beside that of people "
            "(1 is the same), labels of people that they never give",
            columns=["Judge", "Shift", "Spread", "Never gives"],
            rows=rows,
        )
    ]


def _signed(share: float) -> str:
    """A share in percentage points with its sign; nothing has none."""
    text = f"{100 * share:+.1f}"
    return text if text.strip("+-0.") else "0.0"


def _decisions(result: JudgesResult, choice: Choice) -> list[Block]:
    """Decisions beside those of people and beside the constants; a hint where no option is positive and no warning."""
    if not result.downstream:
        return [] if result.warnings else [Note(text=NO_DECISIONS, kind="hint")]
    decided = "" if choice.decided is None else words.consistency_sentence(choice.decided)
    beside = "" if choice.rulers is None else words.rulers_sentence(choice.rulers)
    here = list(choice.downstream.values())
    beaten = sentences(words.below_constant(here), words.elsewhere_sentence(result.downstream, choice.tau))
    return [
        Paragraph(text=sentences(words.decision_meaning(result.settings, choice), decided, beside)),
        *([Note(text=beaten)] if beaten else []),
        *decision_figures(result, choice),
    ]


def _orders(result: JudgesResult) -> list[Block]:
    texts = [words.order_sentence(flip) for flip in sorted(result.order_flips, key=lambda flip: -flip.share)]
    return [Points(title="Does the order of the two decide?", texts=texts)] if texts else []


# ---- What each definition picks, and where they contradict each other


def _definitions(result: JudgesResult, choice: Choice) -> list[Part]:
    if not any(value.rank is not None for kind in choice.kinds for value in kind.first.values):
        return []
    names, is_contest = judge_names(choice), len(choice.ranked) > 1
    what = "The judge that each definition picks" if is_contest else "What each definition says of it"
    table = Table(
        caption=f"{what}, at tau {choice.tau:g}",
        columns=["Definition", "Aim", "Picks", "Value", "Constant", "Best in"]
        if is_contest
        else ["Definition", "Aim", "Value", "Constant"],
        rows=[_definition_row(kind, names, is_contest=is_contest) for kind in choice.kinds],
        percent=frozenset({"Best in"}),
    )
    ranks = [ranks_figure(choice)] if is_contest else []
    return [table, Paragraph(text=words.definitions_sentence(choice)), *ranks, *_disagreements(result, choice)]


def _definition_row(kind: Kind, names: dict[str, str], *, is_contest: bool) -> list[Cell]:
    title, aim = words.titled(kind), {"higher": "high", "lower": "low"}[kind.first.better]
    known = [value for value in kind.first.values if value.rank is not None]
    if not known:
        return [title, aim, *([None] * (4 if is_contest else 2))]
    best = kind.first.of(kind.best[0]) if kind.best else min(known, key=lambda value: value.rank or 0)
    digits = min(words.value_digits([best]), 2)
    value, constant = words.short_interval(best, digits), kind.first.constant
    always = None if constant is None else decimal(constant.value, digits)
    picks = f"{names[best.judge]} (tie of {len(kind.best)})" if len(kind.best) > 1 else names[best.judge]
    picks = picks if kind.best else "none"
    return [title, aim, picks, value, always, best.share_best] if is_contest else [title, aim, value, always]


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


def inversion_sentences(result: JudgesResult, choice: Choice) -> list[str]:
    """The pairs of judges that definitions disagree about: with the one to pick first, then the most evenly split."""
    picked = choice.picked.judge if choice.picked else None
    pairs = []
    for pair in result.inversions:
        sides = [
            (judge, [kind for kind in choice.kinds if kind.looks_at_people and kind.first.id in ids])
            for judge, ids in ((pair.judge_a, pair.prefer_a), (pair.judge_b, pair.prefer_b))
        ]
        if all(kinds for _, kinds in sides):
            fewest = min(len(kinds) for _, kinds in sides)
            has_picked = picked in {pair.judge_a, pair.judge_b}
            pairs.append(((not has_picked, -fewest), sorted(sides, key=lambda side: -len(side[1]))))
    pairs.sort(key=lambda pair: pair[0])
    texts = []
    for _, [(judge_a, prefer_a), (judge_b, prefer_b)] in pairs[:MOST_PAIRS]:
        a, b = quoted(judge_a), quoted(judge_b)
        verbs = ["prefers" if len(kinds) == 1 else "prefer" for kinds in (prefer_a, prefer_b)]
        texts.append(
            f"{a} or {b}? {counted(len(prefer_a), 'definition')} {verbs[0]} {a}, {len(prefer_b)} {verbs[1]} {b}: "
            f"{words.kind_names(prefer_b)}."
        )
    left = len(pairs) - len(texts)
    return [*texts, *([f"Definitions disagree about {counted(left, 'more pair')} of judges."] if left else [])]


def violation_sentence(result: JudgesResult, choice: Choice) -> str:
    """One item on which two definitions prefer different judges; empty if there is none."""
    ids = {definition.id for definition in choice.select_by.definitions} if choice.select_by else set()
    names = {choice.picked.judge} if choice.picked else set()

    def is_far(one: Violation) -> tuple[bool, bool]:
        return ids.isdisjoint({one.definition_a, one.definition_b}), names.isdisjoint({one.judge_a, one.judge_b})

    item = min(result.violations, key=is_far, default=None)
    if item is None:
        return ""
    first, second = result.definition(item.definition_a), result.definition(item.definition_b)
    a, b = quoted(item.judge_a), quoted(item.judge_b)
    (mine, theirs), (worse, better) = _apart(*item.values_a), _apart(*item.values_b)
    return (
        f"Why they can disagree, on one item: on {quoted(item.item)} {words.name_of(first)} prefers {a} ({mine} "
        f"against {theirs} of {b}, {first.better} is better), but {words.name_of(second)} prefers {b} ({better} "
        f"against {worse}, {second.better} is better)."
    )


def _apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with two decimals, or with as many as it takes to tell them apart."""
    shown = ((decimal(one, digits), decimal(other, digits)) for digits in range(2, MOST_DIGITS))
    return next((pair for pair in shown if pair[0] != pair[1]), (f"{one:g}", f"{other:g}"))


# ---- Biases


def _biased(result: JudgesResult) -> list[Block]:
    """The biases that are more than chance."""
    confidence = result.settings.get("confidence")
    level = 1 - confidence if isinstance(confidence, float) else 0.05
    texts = [words.bias_sentence(bias) for bias in result.biases if bias.p_holm <= level]
    return [Points(title="What moves judges that should not", texts=texts)] if texts else []


def _biases(result: JudgesResult) -> list[Part]:
    """Every bias that was looked for."""
    names = short_names([bias.judge for bias in result.biases], LONGEST_LABEL, has_end=True)
    rows: list[list[Cell]] = [
        [names[bias.judge], words.bias_name(bias), words.bias_value(bias), p_number(bias.p_holm), bias.items]
        for bias in result.biases
    ]
    caption = "How far a judge favours what should not matter; p allows for all rows"
    table = Table(caption=caption, columns=["Judge", "Favours", "By", "p", "Items"], rows=rows)
    return [Paragraph(text=words.BIAS_MEANING), table] if rows else []


# ---- Which labels are confused


def _confusion(result: JudgesResult, choice: Choice) -> list[Part]:
    """The best judges' answers by the label that a person gave, and how often each label is found."""
    ranked = [value.judge for value in choice.ranked] or [one.judge for one in result.confusion]
    by_judge = {one.judge: one for one in result.confusion}
    shown = [by_judge[judge] for judge in ranked[:MOST_CONFUSIONS] if judge in by_judge]
    person = result.person_confusion
    if not shown:
        return []
    tables = [_confusion_table(one) for one in [*shown, *([person] if person else [])]]
    return [Paragraph(text=words.CONFUSION_MEANING), *tables, _rates_table(shown, person)]


def _confusion_table(one: Confusion) -> Table:
    answers = short_names(dict.fromkeys(cell.answer for cell in one.cells), LONGEST_LABEL)
    rows: list[list[Cell]] = [
        [quoted(rates.label), *(cell.share for cell in one.cells if cell.people == rates.label)] for rates in one.labels
    ]
    return Table(
        caption=f"{shortened(one.judge)}: its answers where a person says the label",
        columns=["A person says", *answers.values()],
        rows=rows,
        percent=frozenset(answers.values()),
    )


def _rates_table(shown: Sequence[Confusion], person: Confusion | None) -> Table:
    """Sensitivity and specificity of each label, a person's beside them."""
    names = short_names([one.judge for one in shown], LONGEST_LABEL, has_end=True)
    others = {} if person is None else {rates.label: rates for rates in person.labels}
    rows: list[list[Cell]] = []
    for one in shown:
        for rates in one.labels:
            found = with_interval(rates.sensitivity, rates.sensitivity_low, rates.sensitivity_high, form=_whole_percent)
            left = with_interval(rates.specificity, rates.specificity_low, rates.specificity_high, form=_whole_percent)
            beside = others.get(rates.label)
            both = None if beside is None else " / ".join(map(_whole_percent, (beside.sensitivity, beside.specificity)))
            label = shortened(rates.label, LONGEST_LABEL)
            rows.append([names[one.judge], label, found, left if math.isfinite(rates.specificity) else None, both])
    return Table(
        caption="How often a label is found where a person gives it, and left where a person does not",
        columns=["Judge", "Label", "Sensitivity", "Specificity", "A person's"],
        rows=rows,
    )


def _whole_percent(share: float) -> str:
    return percent(share, 0) if math.isfinite(share) else "-"


# ---- What forced choices hide and stand for, and how all this was computed


def _sweep(result: JudgesResult, choice: Choice) -> list[Part]:
    """What would follow if forced choices hid positive options."""
    rows = [row for row in result.sensitivity if math.isclose(row.tau, choice.tau)]
    betas = [words.own_beta_sentence(beta) for beta in result.own_beta]
    title = "The judges' own beta, which hints at what is plausible"
    hints: list[Part] = [Points(title=title, texts=betas)] if betas else []
    if len(rows) < 2:  # noqa: PLR2004 - one point is no sweep
        return hints
    selections = words.selections_sentence(result, choice.tau) if len(choice.ranked) > 1 else ""
    meaning = Paragraph(text=sentences(words.sweep_meaning(result.settings), selections))
    return [meaning, *sweep_figures(result, choice, rows), *hints]


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
    table = Table(
        caption="What a forced choice stands for: the reverse matrix F'",
        columns=["Those who chose", "Would endorse", "Share of them"],
        rows=rows,
    )
    return [table, Paragraph(text=reverse_sentence(matrix))]


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


def _computed(result: JudgesResult, choice: Choice) -> list[Part]:
    """How the numbers came about."""
    ties = max((definition.tied_items for definition in result.definitions), default=0)
    merged = [(listing(list(map(words.name_of, kind.definitions))), kind.reason) for kind in choice.kinds]
    items, is_contest = result.settings.get("items"), len(choice.ranked) > 1
    where = "All judges are compared on the {:,} items that all of them answered."
    where = where if is_contest else "The judge is compared with people on {:,} items."
    has_samples = is_contest and any(not math.isnan(value.share_best) for value in choice.ranked)
    texts = [
        where.format(items) if isinstance(items, int) else "",
        f"On {ties:,} items people's most frequent label ties; the first one in order is taken." if ties else "",
        *(f"{capital(names)} rank judges alike: {reason}." for names, reason in merged if reason),
        interval_sentence(result.settings),
        "Best in: the share of the bootstrap samples in which that judge is best." if has_samples else "",
        "Less one: each rater in turn is left out, and everybody is compared with the others, as a person must be."
        if choice.select_by and choice.select_by.first.person
        else "",
        "A perfect judge knows the distribution of each item's labels; two models estimate what it would reach."
        if choice.select_by and choice.select_by.first.perfect
        else "",
    ]
    return [Points(title="", texts=[text for text in texts if text])]
