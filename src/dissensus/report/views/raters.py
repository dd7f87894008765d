"""What `raters` says: who the raters are."""

from collections.abc import Sequence

from dissensus.decisions.portraying.result import Portrait, PortraitsResult
from dissensus.errors import DissensusError
from dissensus.report.document import Block, Cell, Figure, Paragraph, Points, Section, Table
from dissensus.report.sentences.raters import (
    AGREEMENT_WORDS,
    DEALT,
    SHRUNK,
    STANDS_OUT,
    group_sentences,
    lead_sentence,
    measure_text,
    named,
    population_sentences,
    standing_out,
    worth_of,
)
from dissensus.report.specs import Row, Spec, intervals
from dissensus.report.untrusted import told_apart
from dissensus.results import Result

OTHERS = (
    "Others: how well these others agree among themselves on the same items; the difference allows for items that are "
    "hard for everybody."
)
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
    title = f"{named(out)} {'stands' if len(out) == 1 else 'stand'} out" if out else "No rater stands out"
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
    names = told_apart((own.rater for own in portraits), 30)
    rows: list[Row] = [
        {"name": names[own.rater], "value": own.difference.shrunk, "low": own.difference.low,
         "high": own.difference.high}
        for own in portraits
        if own.difference is not None
    ]  # fmt: skip
    spec = intervals(rows, names="Rater", values=["Agreement less that of the others"], reference=0.0)
    layers = spec["layer"]
    assert isinstance(layers, list)  # noqa: S101 - as `intervals` makes it
    numbers = [float(row[key] or 0) for row in rows for key in ("low", "high")]
    ends = [min([0.0, *numbers]), max([0.0, *numbers])]
    room = 0.05 * (ends[1] - ends[0]) or 1.0
    points = layers[-1]
    x = {**points["encoding"]["x"], "scale": {"domain": [ends[0] - room, ends[1] + room]}}
    return {**spec, "layer": [*layers[:-1], {**points, "encoding": {**points["encoding"], "x": x}}]}


def _table(result: PortraitsResult, portraits: Sequence[Portrait]) -> Table:
    names = told_apart((own.rater for own in portraits), 30)
    has = {name: any(own.measures()[name] is not None for own in portraits) for name in ("leniency", "consistency")}
    in_shares = result.settings.get("leniency_in") == "share"
    rows: list[list[Cell]] = []
    for own in portraits:
        cells: list[Cell] = [names[own.rater], own.items, own.agreement, own.others]
        cells.append(measure_text(own.difference, is_share=True))
        cells += [measure_text(own.leniency, is_share=in_shares)] if has["leniency"] else []
        cells += [measure_text(own.consistency, is_share=True)] if has["consistency"] else []
        rows.append(cells)
    more = [title for name, title in (("leniency", "Leniency"), ("consistency", "Consistency")) if has[name]]
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
    rows: list[list[Cell]] = [[g.group, g.raters, g.ratings, g.difference, g.leniency] for g in result.groups]
    shares = {"Difference"} | ({"Leniency"} if result.settings.get("leniency_in") == "share" else set())
    blocks: list[Block] = [Points(title="Groups of raters", texts=said)] if said else []
    blocks.append(
        Table(
            caption="Groups of raters: means of their portraits",
            columns=["Group", "Raters", "Ratings", "Difference", "Leniency"],
            rows=rows,
            percent=frozenset(shares),
        )
    )
    return [*blocks, *([_judges(result)] if result.judges else [])]


def _judges(result: PortraitsResult) -> Table:
    rows: list[list[Cell]] = [
        [siding.judge, group.group, group.agreement, group.nearer, group.bias, worth_of(group), group.items]
        for siding in result.judges
        for group in siding.groups
    ]
    shares = {"Agrees", "Nearer"} | ({"Bias"} if result.settings.get("leniency_in") == "share" else set())
    return Table(
        caption="Judges by group: agreement, how much nearer than to all raters of the same items, bias, and how many "
        "raters of the group the judge is worth",
        columns=["Judge", "Group", "Agrees", "Nearer", "Bias", "Worth", "Items"],
        rows=rows,
        percent=frozenset(shares),
    )


def _computed(result: PortraitsResult) -> list[str]:
    said = [
        AGREEMENT_WORDS[str(result.settings.get("closeness"))],
        OTHERS,
        SHRUNK,
        STANDS_OUT,
    ]
    if "leniency" in result.populations:
        what = (
            "oftener a rater gives a positive label"
            if result.settings.get("leniency_in") == "share"
            else ("higher a rater's labels are")
        )
        said.append(f"Leniency: how much {what} than the others of the same items; below 0 is strict.")
    if "consistency" in result.populations:
        said.append("Consistency: how near a rater's labels are when the same item comes again.")
    return [*said, *([DEALT] if result.tests else [])]
