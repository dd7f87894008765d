"""What a method says about each question or slice: one table, what they say together, and each alone in a fold."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from dissensus.methods.decide.result import DecideResult
from dissensus.methods.describe.describe import DescribeResult
from dissensus.methods.equivalence.result import EquivalenceResult, Verdict, worth_decimals
from dissensus.methods.items.result import ItemsResult
from dissensus.methods.parts.result import Overall, OverallJudge, Part, PartsResult
from dissensus.report.document import Block, Cell, Fold, Note, Paragraph, Section, Table
from dissensus.report.document import Part as Piece
from dissensus.report.numbers import (
    capital,
    counted,
    decimal,
    listing,
    p_text,
    short_names,
    shortened,
    visible,
    with_interval,
)
from dissensus.report.views.decide import answer_sentence, short_worth
from dissensus.report.views.describe import coefficient_name, headline
from dissensus.report.views.items import items_of_parts
from dissensus.report.views.section import noted, unspelled_section
from dissensus.report.views.worth import terms_of, worth_text
from dissensus.results import Result

MOST_JUDGES = 3
"""As many judges have a column beside parts; with more, judges are rows if the parts are few enough."""
MOST_COLUMNS = 4
LONGEST = 18
LONGEST_USE = 22
MOST_NAMES = 3
LEAD = (
    "A judge's lead is its score on an item less that of as many raters as it is worth on all items, so an item on "
    "which people split, too, does not count against it. p-values allow for all slices and judges."
)


class WorthCell(NamedTuple):
    """What a judge is worth in one part, as text, and the number to order judges by."""

    text: str
    value: float


def view(result: PartsResult) -> Section:
    """The answer, the table of parts, and each part in a fold."""
    first = unspelled_section(result.parts[0].result)
    blocks: list[Block] = [_table(result), *noted(_notes(result))]
    if result.differences:
        blocks.append(Fold(title="Differences between slices", parts=_differences(result)))
    if isinstance(result.overall, Result):
        blocks.append(_fold("All items", result.overall))
    blocks += [_fold(visible(part.name), part.result) for part in result.parts]
    return Section(title=first.title, lead=lead_sentence(result), blocks=blocks)


def _fold(title: str, result: Result) -> Fold:
    """One part, as it would be shown alone."""
    section = unspelled_section(result)
    pieces: list[Piece] = [Paragraph(text=section.lead)]
    pieces += [part for part in section.parts() if not isinstance(part, Note)]
    return Fold(title=title, parts=pieces)


# ---- The answer


def lead_sentence(result: PartsResult) -> str:
    """What the parts say together, in one sentence."""
    if result.by is not None:
        return _slices_sentence(result)
    count = len(result.parts)
    if isinstance(result.overall, Overall) and result.overall.use:
        names = listing([visible(name) for name in result.overall.use], most=MOST_NAMES, word="or")
        return f"Use {names} for {'both' if count == len('ab') else f'all {count}'} questions."
    if result.method == "decide":
        return "No judge is recommended for every question: choose one for each."
    if result.method == "gate":
        return _gate_sentence(result)
    return _range_sentence(result) or f"{counted(count, 'question')}, each answered on its own."


def _range_sentence(result: PartsResult) -> str:
    """Where raters agree most and least, or what the best judge on average is worth; empty where that is not known."""
    if isinstance(result.overall, Overall):
        best = result.overall.judges[0].judge
        cells = sorted(
            (own[best] for part in result.parts if best in (own := _worths(part.result))), key=lambda c: c.value
        )
        if len(cells) == len(result.parts):
            low, high = (_in_words(cell.text.partition(" [")[0]) for cell in (cells[0], cells[-1]))
            worth = f"{low} raters on each" if low == high else f"{low} to {high} raters, depending on the question"
            return f"{visible(best)}, the best judge on average, is worth {worth}."
    found = [part.result for part in result.parts if isinstance(part.result, DescribeResult)]
    best_of = [headline(own.whole.coefficients, own.settings.get("scale")) for own in found]
    known = [(one, visible(part.name)) for one, part in zip(best_of, result.parts, strict=False) if one is not None]
    is_one = len({one.name for one, _ in known}) == 1  # different coefficients do not compare
    if len(known) < len(result.parts) or not is_one or not all(math.isfinite(one.value) for one, _ in known):
        return ""
    values = sorted((one.value, name) for one, name in known)
    (least, on_least), (most, on_most) = ((decimal(value), name) for value, name in (values[0], values[-1]))
    if least == most:
        return f"Raters agree the same on each of {counted(len(known), 'question')} ({least})."
    return f'Raters agree most on "{on_most}" ({most}) and least on "{on_least}" ({least}).'


def _in_words(worth: str) -> str:
    """A worth of a table within a sentence.

    >>> _in_words(">3"), _in_words("<0"), _in_words("1.2")
    ('more than 3', 'less than 0', '1.2')
    """
    return worth.replace(">", "more than ").replace("<", "less than ")


def _slices_sentence(result: PartsResult) -> str:
    by, found = visible(result.by or ""), [one for one in result.differences if one.finding is not None]
    if found:
        first = min(found, key=lambda one: (one.finding != "worse", one.p_value))
        place = (first.finding, first.question, first.value)
        names = [visible(one.judge) for one in found if (one.finding, one.question, one.value) == place]
        asked = "" if first.question is None else f" on {visible(first.question)}"
        does = "does" if len(names) == 1 else "do"
        which = f"{listing(names, most=MOST_NAMES)} {does} {first.finding}{asked}"
        use = f"{answer_sentence(result.overall)} " if isinstance(result.overall, DecideResult) else ""
        return f"{use}{which} where {by} is {visible(first.value).rstrip('.')}."
    if result.method == "gate":
        return _gate_sentence(result)
    if result.differences:
        return f"No slice by {by} stands out: the differences between them could be chance."
    count = len({part.value for part in result.parts})
    if count == 1:
        return f"Only 1 slice by {by} has enough items to answer for."
    return f"{count} slices by {by}, each answered on its own."


def _gate_sentence(result: PartsResult) -> str:
    """Whether the judge passes, and else where it does not."""
    failed = [visible(part.name) for part in result.parts if not part.result]
    parts = counted(len(result.parts), "question" if result.by is None else "slice")
    if not failed:
        return f"The judge passes: all of {parts}."
    return f"The judge does not pass: {listing(failed, most=MOST_NAMES)} of {parts}."


def _notes(result: PartsResult) -> list[str]:
    notes = []
    if isinstance(result.overall, Overall):
        known = [judge for judge in result.overall.judges if math.isfinite(judge.worth)]
        means = [f"{visible(judge.judge)} {mean_text(judge)}" for judge in known]
        notes += [f"Worth in raters, mean over questions: {listing(means[:MOST_NAMES])}.{_wider(result)}"] * bool(means)
    for trend in [trend for trend in result.trends if trend.finding is not None][:MOST_NAMES]:
        asked = "" if trend.question is None else f" on {visible(trend.question)}"
        grows = f"as {visible(result.by or '')} grows"
        notes.append(f"{visible(trend.judge)} gets {trend.finding}{asked} {grows} ({p_text(trend.p_value)}).")
    judges = {name for part in result.parts for name in _worths(part.result)}
    if len(judges) > MOST_JUDGES and len(result.parts) > MOST_COLUMNS:
        notes.append(f"The table has the first {MOST_JUDGES} of {len(judges)} judges.")
    return notes


def _wider(result: PartsResult) -> str:
    """Why a mean over questions may have a lower end than each of them; empty where none has."""
    assert isinstance(result.overall, Overall)  # noqa: S101 - the caller looked
    lows: dict[str, list[float]] = {}
    for part in result.parts:
        if isinstance(part.result, DecideResult):
            ends = [(own.judge, own.worth_low) for own in part.result.judges]
        else:
            ends = [(own.judge, own.equivalence_low) for own in getattr(part.result, "ranked", ())]
        for judge, low in ends:
            lows.setdefault(judge, []).append(max(low, 0.0) if math.isfinite(low) else 0.0)
    is_lower = any(judge.worth_low < min(lows.get(judge.judge, [0.0])) for judge in result.overall.judges)
    return " Its interval draws the raters of all questions at once, so it can reach below each of theirs." * is_lower


def _differences(result: PartsResult) -> list[Piece]:
    """Each slice against the other items, and what is compared."""
    rows: list[list[Cell]] = [
        [visible(", ".join(filter(None, (one.question, one.value)))), visible(one.judge),
         with_interval(one.difference, one.low, one.high), p_text(one.p_value), one.finding or ""]
        for one in result.differences
    ]  # fmt: skip
    columns = [_heading(result), "Judge", "Lead, against the other items", "p", "Finding"]
    table = Table(caption="Slices against the other items", columns=columns, rows=rows)
    return [Paragraph(text=LEAD), table]


def mean_text(judge: OverallJudge) -> str:
    """What a judge is worth on average; at least that, where it is worth more than the surveys of a question."""
    digits = worth_decimals(judge.worth, judge.worth_low, judge.worth_high)
    text = with_interval(judge.worth, judge.worth_low, judge.worth_high, form=lambda value: decimal(value, digits))
    return f"{'at least ' if judge.at_least else ''}{text}"


# ---- The table


def _table(result: PartsResult) -> Table:
    worths = [_worths(part.result) for part in result.parts]
    if all(worths):
        return _worth_table(result, worths)
    if all(isinstance(part.result, DescribeResult) for part in result.parts):
        return _agreement_table(result)
    found = {_name(part): part.result for part in result.parts if isinstance(part.result, ItemsResult)}
    table = items_of_parts(found, _heading(result)) if found else None
    if table is not None and table.rows:
        return table
    rows: list[list[Cell]] = [[_name(part), part.items, unspelled_section(part.result).lead] for part in result.parts]
    return Table(caption=_caption(result, "The answer for each"), columns=[_heading(result), "Items", "Answer"],
                 rows=rows)  # fmt: skip


def _caption(result: PartsResult, text: str) -> str:
    return f"{text} {'question' if result.by is None else 'slice'}"


def _heading(result: PartsResult) -> str:
    if result.by is None:
        return "Question"
    has_questions = any(part.question is not None for part in result.parts)
    return f"Question, {visible(result.by)}" if has_questions else capital(visible(result.by))


def _name(part: Part) -> str:
    return shortened(visible(part.name), LONGEST + 6)


def _worths(result: Result) -> dict[str, WorthCell]:
    """What each judge is worth, calibrated where it was, by name."""
    if isinstance(result, DecideResult):
        return {own.judge: _cell(short_worth(own, result.largest), own.worth, own.verdict) for own in result.judges}
    if isinstance(result, EquivalenceResult):
        terms = terms_of(result.settings, largest=result.curve[-1].raters)
        return {own.judge: _cell(worth_text(own, terms), own.equivalence, own.verdict) for own in result.ranked}
    return {}


def _cell(text: str, value: float, verdict: Verdict | None) -> WorthCell:
    """One beyond the curve comes before or after all others."""
    return WorthCell(text, value if verdict == "within" else math.inf if verdict == "above K" else -1.0)


def _worth_table(result: PartsResult, worths: Sequence[dict[str, WorthCell]]) -> Table:
    """What judges are worth: parts by judges, or judges by parts where there are more of them."""
    judges = sorted({name for own in worths for name in own}, key=lambda name: -sum(
        own[name].value for own in worths if name in own
    ))  # fmt: skip
    caption = _caption(result, "Worth in raters, by")
    uses = [own.result.recommendation.use if isinstance(own.result, DecideResult) else None for own in result.parts]
    has_use = result.by is None and all(use is not None for use in uses)
    are_rows = len(judges) > MOST_JUDGES and len(result.parts) <= MOST_COLUMNS
    shown = judges if are_rows else judges[:MOST_JUDGES]
    short = short_names(shown, LONGEST, has_end=True)
    places, rows = list(zip(result.parts, worths, uses, strict=True)), list[list[Cell]]()
    if are_rows:
        rows += [[short[name], *(_text(result, part, own, name) for part, own, _ in places)] for name in shown]
        rows += [["(use)", *map(_use, uses)]] if has_use else []
        return Table(caption=caption, columns=["Judge", *map(_name, result.parts)], rows=rows)
    for part, own, use in places:
        cells = [_text(result, part, own, name) for name in shown]
        rows.append([_name(part), part.items, *cells, *([_use(use)] if has_use else [])])
    columns = [_heading(result), "Items", *(short[name] for name in shown), *(["Use"] if has_use else [])]
    return Table(caption=caption, columns=columns, rows=rows)


def _text(result: PartsResult, part: Part, worths: dict[str, WorthCell], name: str) -> str:
    """What a judge is worth in a part, and whether it does worse or better there."""
    place = (part.question, part.value, name)
    found = [own.finding for own in result.differences if (own.question, own.value, own.judge) == place and own.finding]
    return " ".join([worths[name].text if name in worths else "-", *(f"({finding})" for finding in found)])


def _use(use: Sequence[str] | None) -> str:
    return shortened(listing([visible(name) for name in use], most=2, word="or"), LONGEST_USE) if use else "none yet"


def _agreement_table(result: PartsResult) -> Table:
    """How far raters agree in each part, by the coefficient that fits its scale."""
    rows: list[list[Cell]] = []
    for part in result.parts:
        own = part.result
        assert isinstance(own, DescribeResult)  # noqa: S101 - the caller looked
        best = headline(own.whole.coefficients, own.settings.get("scale"))
        known = "-" if best is None else with_interval(best.value, best.low, best.high)
        name = "-" if best is None else coefficient_name(best.name)
        pairs = decimal(own.whole.pairwise_agreement.value)
        rows.append([_name(part), part.items, own.whole.ratings, pairs, name.replace("Krippendorff's ", ""), known])
    columns = [_heading(result), "Items", "Ratings", "Pairs agree", "Coefficient", "Value"]
    return Table(caption=_caption(result, "Agreement of raters, by"), columns=columns, rows=rows)
