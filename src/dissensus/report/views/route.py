"""What `route` says: which items the judge can do alone, what that costs, and who is asked about new items."""

import math

from dissensus.methods.route.result import Plan, RouteResult
from dissensus.report.document import Block, Cell, Figure, Points, Section, Table
from dissensus.report.numbers import counted, decimal, finite, percent, quoted, spelled, whole, with_interval
from dissensus.report.specs.lines import LineChart, line_chart, line_row
from dissensus.report.views.section import how_computed, interval_sentence, noted

SILENT = ("Rescaled ", "rests on fewer items", "Left out ", "The curve ")
"""In warnings that ask for nothing here."""
COMPUTED = (
    "What people would add to an answer is learned from other items; where it passes the threshold, they are asked.",
    "Share, cost and score are those on items that did not set the threshold.",
    "Known, in bits: how well the next person's answer is predicted. Decisions: how often it is the most likely one.",
)
LITTLE = 0.005
"""A share below this is nobody."""
WIDEST = 0.5
"""Interval of the cost, as a share of that of people everywhere, beyond which its middle says nothing."""


def view(result: RouteResult) -> Section:
    """The answer, what each number of people is matched by, the frontier, and how it was computed."""
    computed = how_computed([*COMPUTED, interval_sentence(result.settings)])
    blocks: list[Block] = [_plans(result), *_notes(result), _figure(result), computed]
    return Section(title="Where to ask people?", lead=lead_sentence(result), blocks=blocks)


def lead_sentence(result: RouteResult) -> str:
    """Which items the judge does, who does the rest, and at what cost."""
    plan, judge = result.recommended, quoted(result.judge)
    everywhere = f"{_people(plan.people)} everywhere"
    if not plan.saves:
        return f"Routing may save nothing: ask {_people(plan.people)} about every item."
    cost = f"at {_cost(plan, ' of the cost')}"
    if _is_wide(plan):
        return (
            f"These data cannot tell yet how many items {judge} can do alone ({_cost(plan, ' of the cost')} of "
            f"{everywhere}): rate more items."
        )
    if plan.share_to_people < LITTLE:
        return f"{judge} alone tells as much as {everywhere}{'' if plan.high < LITTLE else f', {cost}'}."
    alone = percent(1 - plan.share_to_people, 0)
    return (
        f"{judge} alone on {alone} of the items, and {_people(plan.raters)} beside it on the rest, tell as much as "
        f"{everywhere}, {cost}."
    )


def _people(number: int) -> str:
    return "one person" if number == 1 else f"{spelled(number)} people"


def _is_wide(plan: Plan) -> bool:
    return plan.high - plan.low > WIDEST


def _cost(plan: Plan, noun: str = "") -> str:
    """The cost as a share of that of people everywhere, the noun before its interval; if that is wide, its ends."""
    if _is_wide(plan):
        return f"{percent(plan.low, 0)} to {percent(plan.high, 0)}{noun}"
    text = with_interval(plan.cost_share, plan.low, plan.high, form=lambda share: percent(share, 0))
    value, bracket, interval = text.partition(" [")
    return f"{value}{noun}{bracket}{interval}"


def _notes(result: RouteResult) -> list[Points]:
    """Why nothing is saved, and what new items take."""
    texts = [] if result.recommended.saves else [_why_not(result)]
    if result.new_items is not None:
        new = result.new_items
        plan, drawn = result.recommended, result.settings["label_next"]
        what = "were drawn to be rated next" if drawn else "go to people"
        texts.append(
            f"Of {counted(new['items'], 'item')} without ratings {whole(new['to_people'])} {what}: "
            f"{counted(new['ratings'], 'rating')}."
        )
        if plan.saves and _is_wide(plan) and not drawn:
            cost = percent(plan.cost_share, 0)
            texts.append(f"That plan is uncertain: it is for the best guess, {cost} of the cost.")
    return noted(texts)


def _why_not(result: RouteResult) -> str:
    """Why no saving is promised."""
    plan, judge = result.recommended, quoted(result.judge)
    if not result.shown:
        return f"Look for a better judge: {judge} is not shown to know more than a constant answer."
    if math.isnan(plan.high):
        return f"Leave no items to {judge}: that loses more than it saves."
    return f"Rate more items to find out: routing could cost up to {percent(plan.high, 0)} of asking everywhere."


def _plans(result: RouteResult) -> Table:
    rows: list[list[Cell]] = []
    for plan in result.plans:
        ask = "nobody" if plan.share_to_people < LITTLE else f"{plan.raters}"
        alone = ("-", "-") if _is_wide(plan) else (percent(1 - plan.share_to_people, 0), ask)
        rows.append([f"{plan.people} everywhere", *alone, _cost(plan), plan.agreement, plan.people_agreement])
    return Table(
        caption="The cheapest way to know as much as a number of people on every item",
        columns=["People", "Judge alone", "Else ask", "Cost", "Decisions", "of people"],
        rows=rows,
        percent=frozenset({"Decisions", "of people"}),
    )


def _frontier(result: RouteResult) -> Table:
    rows: list[list[Cell]] = [
        [
            percent(own.share_to_people, 0), own.raters, finite(own.threshold), own.cost,
            with_interval(own.score, own.low, own.high, form=lambda bits: decimal(bits, 3)), finite(own.worth),
            with_interval(own.agreement, own.agreement_low, own.agreement_high, form=percent),
        ]
        for own in result.frontier
    ]  # fmt: skip
    return Table(
        caption="Cost of an item against what is then known",
        columns=["To people", "Asked", "Threshold", "Cost", "Score in bits", "Worth", "Decisions"],
        rows=rows,
    )


def _figure(result: RouteResult) -> Figure:
    origin = result.people[0].score
    rows = [
        line_row(who, own.cost, own.score - origin, is_main=lines is result.people)
        for who, lines in (("people everywhere", result.people), ("judge and people", result.frontier))
        for own in lines
    ]
    chart = LineChart(
        rows=rows, series="Who answers", x_title="Cost of an item", y_title="Bits gained over asking nobody",
        y_form=".2f", tip_form=".3f",
    )  # fmt: skip
    return Figure(
        title="What is known, by what it costs",
        caption="Where the upper line lies left of the lower one, the judge saves people.",
        spec=line_chart(chart),
        table=_frontier(result),
    )
