"""How far a collection is: progress, agreement so far, raters who stand out, and whether it may stop."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from dissensus.data.collection import RATINGS_FILE, Collection, Item, RaterStanding, Standing, answer_rows, export
from dissensus.data.project import open_project, save_project
from dissensus.data.ratings import Elicitation, Ratings
from dissensus.data.readers import read
from dissensus.errors import DissensusError
from dissensus.methods.collect.assignment import parts_of
from dissensus.methods.collect.items import read_stored
from dissensus.methods.collect.result import (
    Agreement,
    CollectResult,
    ItemProgress,
    Look,
    RaterProgress,
    RaterState,
    State,
)
from dissensus.methods.describe import describe
from dissensus.methods.raters import RatersResult, raters

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measuring:
    """How agreement is measured."""

    bootstrap: int
    confidence: float
    seed: int
    elicitation: Elicitation


def status_of(collection: Collection, *, bootstrap: int, confidence: float, seed: int) -> CollectResult:
    """How far a collection is; the ratings so far are written into the project on the way."""
    standing = collection.standing
    items, checks = read_stored(collection.folder, collection.task)
    rows = answer_rows(standing, items, checks)
    if export(collection.folder, rows):
        _name_ratings(collection.folder)
    rated = [row for row in rows if row["kind"] == "rating" and row["label"]]
    ratings = read(collection.folder / RATINGS_FILE, task=collection.task) if rated else None
    settings = dict(collection.plan.settings)
    kind: Elicitation = "response_set" if collection.task.elicitation == "response-set" else "forced_choice"
    measuring = Measuring(bootstrap=bootstrap, confidence=confidence, seed=seed, elicitation=kind)
    by_item = item_progress(standing, items, rows)
    planned, skipped = sum(item.planned for item in by_item), sum(item.skipped for item in by_item)
    met = shared_items(standing)
    return CollectResult(
        settings=settings | {"bootstrap": bootstrap, "confidence": confidence},
        data={"items": {"name": "items.csv", "items": len(items), "checks": len(checks)}},
        warnings=_warnings(standing, by_item),
        output=str(collection.folder), state=_state(standing), items=len(items), raters=len(standing.raters),
        ratings_per_item=int(str(settings["ratings_per_item"])), planned=planned,
        ratings=sum(item.ratings for item in by_item), skipped=skipped,
        complete=sum(item.ratings >= item.planned > 0 for item in by_item),
        fewest_shared=int(met[np.triu_indices(len(met), 1)].min()) if len(met) > 1 else 0,
        is_connected=parts_of(met) == 1,
        agreement=None if ratings is None else agreement_of(ratings, measuring),
        by_rater=rater_progress(standing, rows, _numbers(ratings, kind)),
        by_item=by_item,
        looks=looks_of(ratings, rated, settings, planned=planned, skipped=skipped, measuring=measuring),
    )  # fmt: skip


def _name_ratings(folder: Path) -> None:
    """Let the project know where its ratings are, once there are any."""
    project = open_project(folder)
    if "people" not in project.files:
        save_project(replace(project, files={**project.files, "people": RATINGS_FILE}))


def _state(standing: Standing) -> State:
    if standing.is_stopped:
        return "stopped"
    working = [rater for rater in standing.raters.values() if not rater.is_dropped]
    if not any(rater.answers for rater in standing.raters.values()):
        return "new"
    return "open" if any(rater.open_slots(1) for rater in working) else "finished"


def _warnings(standing: Standing, by_item: Sequence[ItemProgress]) -> tuple[str, ...]:
    gone = [name for name, rater in standing.raters.items() if rater.is_dropped]
    most = max((item.planned for item in by_item), default=0)
    short = sum(item.planned < most for item in by_item)
    if gone and short:
        return (f"{short:,} items have fewer ratings planned than the others: nobody was left to take them over.",)
    return ()


def shared_items(standing: Standing) -> "np.ndarray[tuple[int, int], np.dtype[np.intp]]":
    """How many items each two raters share, by design; on the diagonal, how many each has."""
    n_items = 1 + max((slot.item for rater in standing.raters.values() for slot in rater.slots), default=0)
    has = np.zeros((len(standing.raters), n_items), dtype=np.intp)
    for row, rater in enumerate(standing.raters.values()):
        has[row, [slot.item for slot in rater.slots if slot.kind == "rating"]] = 1
    return has @ has.T


# ---- By rater and by item


def rater_progress(
    standing: Standing, rows: Sequence[Row], numbers: Mapping[str, tuple[float, bool]]
) -> tuple[RaterProgress, ...]:
    """Each rater's progress; `numbers` has agreement with the others, and who stands out."""
    by_rater: dict[str, list[Row]] = {name: [] for name in standing.raters}
    for row in rows:
        by_rater[row["rater"]].append(row)
    found = []
    for name, rater in standing.raters.items():
        agreement, stands_out = numbers.get(name, (math.nan, False))
        checks = [row for row in by_rater[name] if row["kind"] == "check" and row["label"] and _is_first(row)]
        first = {(r["item"], r["elicitation"]): r["label"] for r in by_rater[name] if r["kind"] == "rating"}
        again = [row for row in by_rater[name] if row["kind"] == "repeat" and row["label"] and _is_first(row)]
        again = [row for row in again if first.get((row["item"], row["elicitation"]))]
        found.append(
            RaterProgress(
                rater=name, state=_rater_state(rater), asked=len(rater.slots), answered=len(rater.answers),
                skipped=sum(event.kind == "skip" for event in rater.answers.values()),
                seconds=_median(by_rater[name]), agreement=None if math.isnan(agreement) else agreement,
                stands_out=stands_out, checks=len(checks), checks_right=sum(_is_right(row) for row in checks),
                repeats=len(again),
                repeats_same=sum(row["label"] == first[row["item"], row["elicitation"]] for row in again),
            )
        )  # fmt: skip
    return tuple(found)


def _is_first(row: Row) -> bool:
    """One row for each answer: the choice where there are both."""
    return bool(row["is_first"])


def _is_right(row: Row) -> bool:
    return (
        row["right"] == row["label"]
        if row["elicitation"] == "forced_choice"
        else row["right"] in row["label"].split("|")
    )


def _rater_state(rater: RaterStanding) -> RaterState:
    if rater.is_dropped:
        return "dropped"
    return "new" if not rater.answers else "open" if rater.open_slots(1) else "finished"


def _median(rows: Sequence[Row]) -> float | None:
    seconds = [float(row["seconds"]) for row in rows if row["seconds"] and _is_first(row)]
    return float(median(seconds)) if seconds else None


def item_progress(standing: Standing, items: Sequence[Item], rows: Sequence[Row]) -> tuple[ItemProgress, ...]:
    """Each item's progress. What a rater left behind who was dropped is not planned any more."""
    planned = np.zeros(len(items), dtype=np.intp)
    for rater in standing.raters.values():
        for number, slot in enumerate(rater.slots):
            if slot.kind == "rating" and (number in rater.answers or not rater.is_dropped):
                planned[slot.item] += 1
    by_item: dict[str, list[Row]] = {item.name: [] for item in items}
    for row in rows:
        if row["kind"] == "rating" and _is_first(row):
            by_item[row["item"]].append(row)
    return tuple(
        ItemProgress(
            item=item.name, planned=int(planned[number]), ratings=sum(bool(row["label"]) for row in by_item[item.name]),
            skipped=sum(not row["label"] for row in by_item[item.name]), seconds=_median(by_item[item.name]),
        )
        for number, item in enumerate(items)
    )  # fmt: skip


# ---- Agreement so far, and when to stop


def agreement_of(ratings: Ratings, measuring: Measuring) -> Agreement | None:
    """Pairwise agreement; None while no item has two ratings."""
    if ratings.elicitation is not None:
        ratings = ratings.of_elicitation(measuring.elicitation)
    if not len(ratings) or ratings.types.ratings.max() < 2:  # noqa: PLR2004 - a pair
        return None
    whole = describe(ratings, bootstrap=measuring.bootstrap, confidence=measuring.confidence, rng=measuring.seed).whole
    found = whole.pairwise_agreement
    return Agreement(value=found.value, low=found.low, high=found.high)


def looks_of(
    ratings: Ratings | None, rated: Sequence[Row], settings: Mapping[str, object], *, planned: int, skipped: int,
    measuring: Measuring,
) -> tuple[Look, ...]:  # fmt: skip
    """Each look at which the collection may stop; none without a rule.

    A look takes the ratings that came first, as many as were fixed before the start, whenever it is computed. What may
    go wrong is shared out equally among the looks, so that the interval at which one stops still holds (Bonferroni, the
    simplest way to spend alpha).
    """
    if settings.get("stop_at") is None:
        return ()
    width, n_looks = float(str(settings["stop_at"])), int(str(settings["looks"]))
    each = 1 - (1 - measuring.confidence) / n_looks
    numbers = np.array([int(row["number"]) for row in rated])
    came = np.sort(np.unique(numbers))
    found = []
    for look in range(1, n_looks + 1):
        at = math.ceil(look * planned / n_looks)
        is_reached = len(came) + skipped >= at
        agreement = None
        if is_reached and ratings is not None:
            first = ratings.where(numbers <= came[min(at, len(came)) - 1])
            agreement = agreement_of(first, replace(measuring, confidence=each))
        may_stop = agreement is not None and (agreement.high - agreement.low) / 2 <= width
        found.append(Look(at=at, confidence=each, is_reached=is_reached, agreement=agreement, may_stop=may_stop))
    return tuple(found)


def _numbers(ratings: Ratings | None, kind: Elicitation) -> dict[str, tuple[float, bool]]:
    """Each rater's agreement with the others, and whether the rater stands out."""
    if ratings is None:
        return {}
    try:
        found = raters(ratings, elicitation=kind if ratings.elicitation is not None else None, bootstrap=0)
    except DissensusError:  # too early: nobody shares an item with anybody
        return {}
    rows = found.raters if isinstance(found, RatersResult) else ()
    return {row.rater: (row.agreement, row.stands_out) for row in rows}
