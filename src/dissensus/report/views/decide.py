"""What `decide` says: which judge to use and how, a table of all judges beside a constant and a person, what next."""

from dissensus.errors import DissensusError
from dissensus.methods.decide.reasons import worth_text
from dissensus.methods.decide.result import DecideResult
from dissensus.methods.equivalence.scores import CORRELATIONS
from dissensus.report.document import Block, Cell, Paragraph, Points, Section, Table
from dissensus.report.numbers import decimal, listing, percent, short_names, shortened, visible
from dissensus.results import Result

LONGEST = 20
MEASURES = {
    "agreement": "as it is: share of raters with its answer",
    "mae": "as it is: mean distance from a rater",
}
STANDINGS = {
    "like a person": "like a person",
    "better than a constant": "beats always",
    "not better than a constant": "no better",
}


def view(result: Result) -> Section:
    """The answer, the judges, what could change it, and the next step."""
    if not isinstance(result, DecideResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as a decision.")
    blocks: list[Block] = [Paragraph(text=visible(result.recommendation.reason)), _table(result)]
    notes = [visible(text) for text in result.recommendation.caveats]
    notes += [] if result.next is None else [f"Next: {visible(result.next.text)}"]
    blocks += [Points(title="Before you rely on it", texts=notes)] if notes else []
    return Section(title="Which judge to use, and how?", lead=lead_sentence(result), blocks=blocks)


def lead_sentence(result: DecideResult) -> str:
    """The answer in one sentence."""
    use, how = result.recommendation.use, result.recommendation.how
    if not use:
        return "Use no judge yet: ask people."
    names = listing([visible(name) for name in use], word="or")
    apart = "" if len(use) == 1 else " (they cannot be told apart)"
    return f"Use {names}{apart}, {'recalibrated' if how == 'recalibrated' else 'as it is'}."


def _table(result: DecideResult) -> Table:
    """Every judge, the best first, then what they are held against."""
    measure = next((judge.as_is.measure for judge in result.judges if judge.as_is is not None), None)
    has_shift = any(judge.shift is not None for judge in result.judges)
    columns = ["Judge", "Worth in raters", *(["As it is", "Standing"] if measure else [])]
    columns += ["Shift"] if has_shift else []
    names = short_names([judge.judge for judge in result.judges], LONGEST, has_end=True)
    rows: list[list[Cell]] = []
    for judge in result.judges:
        cells: list[Cell] = [names[judge.judge], worth_text(judge, result.largest)]
        if measure:
            own = judge.as_is
            cells += ["-", "-"] if own is None else [_value(own.measure, own.value), STANDINGS[own.standing]]
        shift = "-" if judge.shift is None else f"{judge.shift:+.1f}"
        rows.append([*cells, *([shift] if has_shift else [])])
    always = "" if result.constant is None else f"(always {shortened(result.constant.answer, 20)})"
    for name, worth, held in ((always, "0", result.constant), ("(one more person)", "1", result.person)):
        if held is not None:
            rows.append([name, worth, _value(held.measure, held.value), "", *([""] if has_shift else [])])
    is_measured = result.settings.get("score") in CORRELATIONS
    caption = "Worth is by correlation" if is_measured else "Worth is recalibrated"
    caption += (f"; {MEASURES[measure]}" if measure else "") + ("; shift: above people" if has_shift else "")
    return Table(caption=caption, columns=columns, rows=rows)


def _value(measure: str, value: float) -> str:
    return percent(value) if measure == "agreement" else decimal(value)
