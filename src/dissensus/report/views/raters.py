"""What `raters` says: who the raters are."""

from collections.abc import Sequence

from dissensus.decisions.portraying.result import Portrait, PortraitsResult
from dissensus.errors import DissensusError
from dissensus.report.document import Block, Cell, Figure, Paragraph, Points, Section, Table
from dissensus.report.sentences.raters import (
    AGREEMENT_WORDS,
    DEALT,
    NEARER,
    SHRUNK,
    STANDS_OUT,
    agreement_beside,
    group_sentences,
    height_heading,
    lead_sentence,
    measure_text,
    named,
    population_sentences,
    positive_words,
    standing_out,
    untold,
    worth_of,
)
from dissensus.report.specs import Row, Spec, intervals
from dissensus.report.specs.zoomed import zoomed
from dissensus.report.untrusted import told_apart
from dissensus.results import Result

OTHERS = (
    "Others: how well these others agree among themselves on the same items; the difference allows for items that are "
    "hard for everybody. Items counts those with two or more others."
)
LONGEST_NAME = 20
"""Names are cut to so many letters in tables."""
FINE = 0.05
"""An axis that reaches no farther has tenths of a percent."""
MOST_RATERS = 20
"""The chart and its table show so many raters: those who agree the least, and those who agree the most."""


def view(result: Result) -> Section:
    """Who the raters are: the answer, the raters, groups of them, and how it was computed."""
    if not isinstance(result, PortraitsResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what raters found.")
    said = " ".join(population_sentences(result))
    return Section(
        title="Who are the raters?",
        lead=lead_sentence(result),
        blocks=[
            *([Paragraph(text=said)] if said else []),
            _raters(result),
            *_groups(result),
            Points(title="How this was computed", texts=_computed(result)),
        ],
    )


def shown(result: PortraitsResult) -> list[Portrait]:
    """The raters from the least agreement to the most; of many those at both ends."""
    known = [own for own in result.raters if own.difference is not None]
    ranked = sorted(known, key=lambda own: own.difference.shrunk if own.difference is not None else 0.0)
    ranked = ranked or list(result.raters)
    half = MOST_RATERS // 2
    return ranked if len(ranked) <= MOST_RATERS else [*ranked[:half], *ranked[-half:]]


def _raters(result: PortraitsResult) -> Block:
    portraits = shown(result)
    table = _table(result, portraits)
    known = [own for own in portraits if own.difference is not None]
    if not known:
        return table
    out = standing_out(result)
    nobody = "Agreement of each rater" if untold(result) else "No rater stands out"
    title = f"{named(out)} {'stands' if len(out) == 1 else 'stand'} out" if out else nobody
    return Figure(
        title=title,
        caption="How much better each rater agrees with the others of the same items than those among themselves, "
        f"drawn towards the mean, with {_confidence(result)} intervals; to the left of the dashed line worse."
        f"{_left_out(result)}",
        spec=_chart(known),
        table=table,
    )


def _left_out(result: PortraitsResult) -> str:
    n = sum(own.difference is not None for own in result.raters)
    return f" Of {n:,} raters those at both ends are shown; the JSON has all." if n > MOST_RATERS else ""


def _confidence(result: PortraitsResult) -> str:
    confidence = result.settings.get("confidence")
    return f"{100 * confidence:g}%" if isinstance(confidence, float) else "95%"


def _chart(portraits: Sequence[Portrait]) -> Spec:
    names = told_apart((own.rater for own in portraits), LONGEST_NAME)
    rows: list[Row] = [
        {"name": names[own.rater], "value": own.difference.shrunk, "low": own.difference.low,
         "high": own.difference.high}
        for own in portraits
        if own.difference is not None
    ]  # fmt: skip
    spec = intervals(rows, names="Rater", values=["Agreement less that of the others"], reference=0.0)
    reach = max(abs(float(row[key] or 0)) for row in rows for key in ("low", "high"))
    return zoomed(spec, rows, anchors=[0.0], form=".0%" if reach > FINE else ".1%")


def _table(result: PortraitsResult, portraits: Sequence[Portrait]) -> Table:
    names = told_apart((own.rater for own in portraits), LONGEST_NAME)
    has = {name: any(own.measures()[name] is not None for own in portraits) for name in ("leniency", "consistency")}
    in_shares = result.settings.get("leniency_in") == "share"
    rows: list[list[Cell]] = []
    for own in portraits:
        items = own.items if own.difference is None else own.difference.items
        cells: list[Cell] = [names[own.rater], items, agreement_beside(own), own.others]
        cells.append(measure_text(own.difference, is_share=True))
        cells += [measure_text(own.leniency, is_share=in_shares)] if has["leniency"] else []
        cells += [measure_text(own.consistency, is_share=True)] if has["consistency"] else []
        rows.append(cells)
    titles = {"leniency": height_heading(result), "consistency": "Consistency"}
    more = [title for name, title in titles.items() if has[name]]
    return Table(
        caption="The raters, from the least agreement with the rest to the most",
        columns=["Rater", "Items", "Agrees", "Others", "Difference", *more],
        rows=rows,
        percent=frozenset({"Agrees", "Others"}),
    )


def _groups(result: PortraitsResult) -> list[Block]:
    """Groups of raters, and judges by group."""
    if not result.groups:
        return []
    said = group_sentences(result)
    names = told_apart((group.group for group in result.groups), LONGEST_NAME)
    has_leniency = "leniency" in result.populations
    rows: list[list[Cell]] = [
        [names[own.group], own.raters, own.ratings, own.difference, *([own.leniency] if has_leniency else [])]
        for own in result.groups
    ]
    heading = height_heading(result)
    shares = {"Difference"} | ({heading} if result.settings.get("leniency_in") == "share" else set())
    blocks: list[Block] = [Points(title="Groups of raters", texts=said)] if said else []
    blocks.append(
        Table(
            caption="Groups of raters: means over their ratings of items that other groups rated too",
            columns=["Group", "Raters", "Ratings", "Difference", *([heading] if has_leniency else [])],
            rows=rows,
            percent=frozenset(shares),
        )
    )
    return [*blocks, *([_judges(result)] if result.judges else [])]


def _judges(result: PortraitsResult) -> Table:
    judges = told_apart((siding.judge for siding in result.judges), LONGEST_NAME)
    groups = told_apart((group.group for group in result.groups), LONGEST_NAME)
    has_bias = "leniency" in result.populations
    rows: list[list[Cell]] = [
        [judges[siding.judge], groups[own.group], own.agreement, own.nearer, *([own.bias] if has_bias else []),
         worth_of(own), own.items]
        for siding in result.judges
        for own in siding.groups
    ]  # fmt: skip
    shares = {"Agrees", "Nearer"} | ({"Bias"} if result.settings.get("leniency_in") == "share" else set())
    return Table(
        caption="Judges by group",
        columns=["Judge", "Group", "Agrees", "Nearer", *(["Bias"] if has_bias else []), "Worth", "Items"],
        rows=rows,
        percent=frozenset(shares),
    )


def _computed(result: PortraitsResult) -> list[str]:
    has = result.populations
    said = [AGREEMENT_WORDS[str(result.settings.get("closeness"))]]
    if "difference" in has:
        said += [OTHERS, SHRUNK, STANDS_OUT]
    in_shares = result.settings.get("leniency_in") == "share"
    if "leniency" in has:
        what = f"oftener a rater says {positive_words(result)}" if in_shares else "higher a rater's labels are"
        said.append(f"{height_heading(result)}: how much {what} than the others of the same items; below 0 less.")
    if "consistency" in has:
        said.append("Consistency: how near a rater's labels are when the same item comes again.")
    said += [DEALT] if result.tests else []
    oftener = f"oftener it says {positive_words(result)} than the group"
    what = oftener if in_shares else "higher its answers are than the group's"
    return [*said, *([NEARER.format(what=what)] if result.judges else [])]
