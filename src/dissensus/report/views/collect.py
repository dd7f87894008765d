"""What `collect` says: how far the collection is, who stands out, and whether it may stop."""

import math

from dissensus.methods.collect.result import CollectResult, Look, RaterProgress
from dissensus.report.document import Block, Fold, Paragraph, Section, Table
from dissensus.report.numbers import counted, listing, percent, shortened, visible, whole
from dissensus.report.views.section import noted

STATES = {"new": "not begun", "open": "rating", "finished": "finished", "dropped": "dropped"}
POOR_CHECKS = 0.8
"""Below this share of right checks, a rater's answers need a look."""
MOST_ITEMS = 20


def view(result: CollectResult) -> Section:
    """How far the collection is, rater by rater; the items, and when it may stop, folded away."""
    blocks: list[Block] = [_raters(result), *noted(_notes(result))]
    if result.looks:
        blocks.append(Fold(title="When the collection may stop", parts=[_looks(result), Paragraph(text=LOOKS)]))
    if result.state != "new":
        blocks.append(Fold(title="Items that need ratings or were skipped", parts=[_items(result)]))
    return Section(title="How far is the collection?", lead=headline(result), blocks=blocks)


def headline(result: CollectResult) -> str:
    """The answer in one sentence."""
    if result.state == "new":
        return (
            f"{counted(result.items, 'item is', 'items are')} ready for {counted(result.raters, 'rater')}: "
            f"{counted(result.planned, 'rating')}, {result.ratings_per_item} of each item."
        )
    share = percent(result.ratings / result.planned) if result.planned else "none"
    ended = {"finished": " All raters are done.", "stopped": " The collection was stopped."}.get(result.state, "")
    return f"{whole(result.ratings)} of {whole(result.planned)} ratings are in ({share}).{ended}"


LOOKS = (
    "The rule was fixed before the first rating. Each look takes the ratings that came first, and its interval is wide "
    "enough for all looks together, so that stopping early does not make it wrong."
)


def stopping_words(looks: tuple[Look, ...]) -> str:
    """Whether the collection may stop, in one sentence; empty without a rule."""
    stop = next((look for look in looks if look.may_stop), None)
    if stop is not None and stop.agreement is not None:
        found = stop.agreement
        return (
            f"You may stop: after {counted(stop.at, 'rating')} agreement was {percent(found.value)} "
            f"({percent(found.low)} to {percent(found.high)}, corrected for {counted(len(looks), 'look')})."
        )
    later = next((look for look in looks if not look.is_reached), None)
    return "" if later is None else f"Next look at {counted(later.at, 'rating')}: before that, do not stop early."


def _notes(result: CollectResult) -> list[str]:
    notes = []
    if result.state == "new":
        notes.append(f"Hand out the links: `dissensus serve {shortened(result.output)}` shows them.")
        if result.raters > 1 and not result.is_connected:
            notes.append("Some raters share no items with the others, so their effects cannot be told apart.")
        return notes
    if (found := result.agreement) is not None:
        spread = "" if math.isnan(found.low) else f" ({percent(found.low)} to {percent(found.high)})"
        notes.append(f"Two raters agree on an item {percent(found.value)} of the time{spread}.")
    if words := stopping_words(result.looks):
        notes.append(words)
    if odd := [rater.rater for rater in result.by_rater if is_odd(rater)]:
        notes.append(f"Look at the answers of {listing(odd, most=5)}: few checks right, or little agreement.")
    if result.state in {"finished", "stopped"} and len(notes) < 3:  # noqa: PLR2004 - as many as are read
        notes.append(f"Decide with them: `dissensus decide {shortened(result.output)}/data/ratings.csv JUDGES`.")
    return notes


def is_odd(rater: RaterProgress) -> bool:
    """Whether a rater's answers need a look."""
    return rater.stands_out or (rater.checks > 1 and rater.checks_right < POOR_CHECKS * rater.checks)


MEANS = {
    "Time": "median time", "Agreement": "agreement with the others", "Checks": "checks right",
    "Repeats": "repeats answered the same",
}  # fmt: skip
ALWAYS = ("Rater", "State", "Answered")


def _raters(result: CollectResult) -> Table:
    columns = ["Rater", "State", "Answered", "Skipped", "Time", "Agreement", "Checks", "Repeats"]
    rows = [
        [
            visible(one.rater), STATES[one.state], f"{one.answered} of {one.asked}", one.skipped,
            _seconds(one.seconds), one.agreement,
            f"{one.checks_right} of {one.checks}" if one.checks else None,
            f"{one.repeats_same} of {one.repeats}" if one.repeats else None,
        ]
        for one in result.by_rater
    ]  # fmt: skip
    kept = [i for i, name in enumerate(columns) if name in ALWAYS or any(row[i] for row in rows)]
    shown = [columns[i] for i in kept]
    return Table(
        caption=": ".join(["Raters", *filter(None, [", ".join(MEANS[name] for name in shown if name in MEANS)])]),
        columns=shown,
        rows=[[row[i] for i in kept] for row in rows],
        percent=frozenset({"Agreement"}),
    )


def _looks(result: CollectResult) -> Table:
    shares = ["Confidence", "Agreement", "Low", "High"]
    rows = [
        [
            look.at, look.confidence, *([None] * 3 if (found := look.agreement) is None
                                        else [found.value, found.low, found.high]),
            "yes" if look.may_stop else "no" if look.is_reached else "not reached",
        ]
        for look in result.looks
    ]  # fmt: skip
    return Table(caption="Looks", columns=["Ratings", *shares, "May stop"], rows=rows, percent=frozenset(shares))


def _items(result: CollectResult) -> Table:
    """The items that lack most, those that were skipped most first."""
    open_items = [item for item in result.by_item if item.skipped or item.ratings < item.planned]
    lacking = sorted(open_items, key=lambda item: (-item.skipped, item.ratings - item.planned))[:MOST_ITEMS]
    return Table(
        caption=f"{whole(result.complete)} of {counted(result.items, 'item')} are complete",
        columns=["Item", "Ratings", "Planned", "Skipped", "Median time"],
        rows=[[shortened(one.item), one.ratings, one.planned, one.skipped, _seconds(one.seconds)] for one in lacking],
    )


def _seconds(time: float | None) -> str | None:
    return None if time is None else f"{time:.0f} s"
