"""What `decide` says: which judge to use and how, a table of all judges beside a constant and a person, what next."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dissensus.data.align import FOREIGN
from dissensus.methods.decide.reasons import shift_decimals, worth_text
from dissensus.methods.decide.result import AsIs, DecideJudge, DecideResult, Person
from dissensus.methods.equivalence.scores import CORRELATIONS
from dissensus.report.document import MOST_NOTES, Block, Cell, Fold, Points, Section, Table
from dissensus.report.numbers import decimal, listing, percent, short_names, shortened, visible, with_interval
from dissensus.results import unspelled

LONGEST = 18
LONGEST_ANSWER = 9
MOST_JUDGES = 6
"""More judges than that are counted, so that the whole answer fits on a screen."""
MOST_NAMES = 3
_HOW = {"as is": "as it is", "recalibrated": "recalibrated"}
MEASURES = {
    "agreement": "as it is: share of raters with its answer",
    "distance": "as it is: distance from each rater",
}
SHIFT_MEANS = "shift: above people"
SILENT = ("Intervals are very wide", FOREIGN, "he curve")
"""In warnings that a caveat or the table says; `equivalence` shows those about the curve, which it draws."""
STANDINGS = {
    "like a person": "like a person",
    "better than a constant": "yes",
    "not better than a constant": "not shown",
}


def view(result: DecideResult) -> Section:
    """The answer, the judges, what could change it, and the next step."""
    blocks: list[Block] = [_table(result)]
    following = [] if result.next is None else [f"Next: {visible(result.next.text)}"]
    caveats = [visible(unspelled(text)) for text in result.recommendation.caveats]
    room = MOST_NOTES - len(following)
    notes, more = [*caveats[:room], *following], caveats[room:]
    blocks += [Points(title="", texts=notes)] if notes else []
    blocks += [Fold(title="What else could change the answer", parts=[Points(title="", texts=more)])] if more else []
    return Section(title="Which judge to use, and how?", lead=lead_sentence(result), blocks=blocks)


def answer_sentence(result: DecideResult) -> str:
    """Which judge to use, and how; of several judges some may need recalibration that the first one does not."""
    use, how = result.recommendation.use, result.recommendation.how
    if not use:
        return "Use no judge yet."
    own = {judge.judge: judge.how for judge in result.judges}
    first, others = (
        listing([visible(name) for name in use if (own.get(name, how) == how) is same], most=MOST_NAMES, word="or")
        for same in (True, False)
    )
    to_rank = ", to rank items" if worth_means(result) == "by correlation" else ""
    after = f", or {others}, {_HOW['recalibrated' if how == 'as is' else 'as is']}" if others else ""
    return f"Use {first}, {_HOW[how or 'as is']}{to_rank or after}."


def lead_sentence(result: DecideResult) -> str:
    """The answer and its reason in one sentence."""
    use, reason = result.recommendation.use, visible(result.recommendation.reason)
    if not use and not reason.startswith(tuple(f"{visible(judge.judge)} " for judge in result.judges)):
        reason = f"{reason[:1].lower()}{reason[1:]}"
    elif len(use) == 1:
        reason = f"it {reason.removeprefix(f'{visible(use[0])} ')}"
    return f"{answer_sentence(result).removesuffix('.')}: {reason}"


def worth_means(result: DecideResult) -> str:
    """What the worth of a judge is about: its recalibrated answers, or how its numbers correlate with people's.

    Where the reason is about all items that the judge to use answered, these are fewer, and that is said.
    """
    if result.settings.get("score") in CORRELATIONS:
        return "by correlation"
    return "recalibrated" + f", on {result.items:,} items" * ("on all " in result.recommendation.reason)


def _table(result: DecideResult) -> Table:
    """The best judges, the first one first, then what they are held against."""
    measure = next((judge.as_is.measure for judge in result.judges if judge.as_is is not None), None)
    has_shift = any(judge.shift is not None for judge in result.judges)
    columns = ["Judge", "Worth in raters", *(["As it is", "Beats constant"] if measure else [])]
    columns += ["Shift"] if has_shift else []
    shown = result.judges[:MOST_JUDGES] if len(result.judges) > MOST_JUDGES + 1 else result.judges
    names = short_names([judge.judge for judge in shown], LONGEST, has_end=True)
    left = len(result.judges) - len(shown)
    below: list[list[Cell]] = [_padded([f"({left} more)", "less"], columns)] if left else []
    always = "" if result.constant is None else f"(always {shortened(result.constant.answer, LONGEST_ANSWER)})"
    for name, worth, held in ((always, "0", result.constant), ("(one more person)", "1", result.person)):
        if held is not None:
            below.append(_padded([name, worth, value_text(held.measure, held.value)], columns))
    parts = [
        f"Worth: {worth_means(result)}",
        MEASURES[measure] if measure else "",
        SHIFT_MEANS if has_shift else "",
    ]
    brief, full = (
        Table(
            caption="; ".join(filter(None, parts)), columns=columns,
            rows=[*(_cells(judge, names[judge.judge], result, columns, as_is=form) for judge in shown), *below],
        )
        for form in (lambda own: value_text(own.measure, own.value), with_ends)
    )  # fmt: skip
    return replace(full, brief=brief)


def _cells(
    judge: DecideJudge, name: str, result: DecideResult, columns: Sequence[str], *, as_is: Callable[[AsIs], str]
) -> list[Cell]:
    cells: list[Cell] = [name, short_worth(judge, result.largest)]
    if "As it is" in columns:
        own = judge.as_is
        cells += ["-", "-"] if own is None else [as_is(own), STANDINGS[own.standing]]
    if "Shift" in columns:
        cells.append("-" if judge.shift is None else shift_text(judge.shift, result.person))
    return cells


def short_worth(judge: DecideJudge, largest: int) -> str:
    """What a judge is worth, as a table has room for it."""
    return worth_text(judge, largest).replace("above ", ">").replace("below ", "<")


def _padded(cells: list[Cell], columns: Sequence[str]) -> list[Cell]:
    return [*cells, *[""] * (len(columns) - len(cells))]


def shift_text(shift: float, person: Person | None) -> str:
    """How much higher than people a judge answers; no shift has no sign.

    >>> shift_text(0.26, None), shift_text(-0.04, None)
    ('+0.3', '0.0')
    """
    digits = shift_decimals(person)
    rounded = round(shift, digits)
    return f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}"


def value_text(measure: str, value: float) -> str:
    """How a judge's own answers do: a share of raters, or a distance."""
    return percent(value) if measure == "agreement" else decimal(value)


def with_ends(own: AsIs) -> str:
    """The same with its interval, where there is one."""
    return with_interval(own.value, own.low, own.high, form=lambda value: value_text(own.measure, value))
