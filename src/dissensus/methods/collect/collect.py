"""Collect ratings: plan who rates what in a new project, and say how far an old one is."""

import json
import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
from numpy.random import Generator

from dissensus.data.collection import (
    ITEMS_FILE,
    PLAN_FILE,
    RATINGS_FILE,
    TASK_FILE,
    Collection,
    Event,
    Item,
    Plan,
    RaterStanding,
    Standing,
    answer_rows,
    export,
    link_event,
    new_key,
    save_plan,
)
from dissensus.data.columns import find_column
from dissensus.data.judges import ORDERS
from dissensus.data.labels import number
from dissensus.data.paths import small_text
from dissensus.data.project import create_project, open_project, save_project
from dissensus.data.ratings import DRAWN, Elicitation, Ratings, chance_of
from dissensus.data.readers import read
from dissensus.data.sources.source import open_sheet
from dissensus.data.task import Task, read_task
from dissensus.errors import DissensusError, FileError, OptionError, RatingsError, counted, listed, shortened
from dissensus.methods.collect.assignment import assign, parts_of
from dissensus.methods.collect.items import read_for_rating, read_stored, store
from dissensus.methods.collect.result import (
    Agreement,
    CollectOptions,
    CollectResult,
    ItemProgress,
    Look,
    RaterProgress,
    RaterState,
    State,
)
from dissensus.methods.describe import describe
from dissensus.methods.rate.requests import Columns, check_options
from dissensus.methods.raters import RatersResult, raters
from dissensus.options import named
from dissensus.sampling import seed_of

OUTPUT = named("output", of="collect")


def collect(
    items: str | os.PathLike[str],
    *,
    task: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    plan: str | os.PathLike[str] | None = None,
    chosen: str | os.PathLike[str] | None = None,
    columns: Columns | None = None,
    raters: int | None = None,
    ratings_per_item: int | None = None,
    repeat_share: float = 0.05,
    check_share: float = 0.05,
    stop_at: float | None = None,
    looks: int = 5,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
) -> CollectResult:
    """Plan who rates what, in a project that `dissensus serve` opens; or how far such a project is.

    Each item gets its number of ratings, raters' loads differ by one at most, and raters share items with each other as
    evenly as that allows. The same seed gives the same plan.

    Parameters
    ----------
    items : path
        A file with the columns `item, text`, or `item, text_a, text_b` for pairs; images in the columns `image`, or
        `image_a, image_b`, as files beside it; rows with the right option in a column `check` are attention checks.
        Or the folder of a project, to see how far it is and to write its ratings.
    task : path, optional
        The task file: what raters are asked; `elicitation = "both"` asks for a choice and a response set.
    output : path, optional
        The folder of the new project.
    plan : path, optional
        What `plan_raters` recommends, as its command writes it with JSON: how many items and ratings of each.
    chosen : path, optional
        A file with a column `item`: only these items are rated, such as those that `route` leaves to people.
    columns : Columns, optional
        What the columns of the items are called.
    raters, ratings_per_item : int, optional
        How many raters there are, and how many of them rate each item.
    repeat_share, check_share : float
        Of a rater's items: how many come again unannounced, and how many attention checks are mixed in.
    stop_at : float, optional
        Half the width of the interval of agreement at which the collection may stop early.
    looks : int
        How often that is looked at, evenly spread over the ratings.
    bootstrap : int
        Bootstrap samples; 0 for no intervals.
    confidence : float
        Of the intervals.
    rng : int or Generator
        Seed.

    Returns
    -------
    CollectResult

    Raises
    ------
    DissensusError
        If the items, the task or the plan cannot be read, or the folder has something in it.

    See Also
    --------
    plan_raters : How many items and raters does it take to tell two judges apart?
    rate : Ask a model what people were asked.
    decide : Which judge to use, and how.

    Examples
    --------
    >>> found = collect("items.csv", task="task.toml", raters=6, ratings_per_item=3,
    ...                 output="project")  # doctest: +SKIP
    >>> collect("project").agreement  # doctest: +SKIP
    """
    asked = CollectOptions.given(locals(), seed=seed_of(rng))
    seed = asked.seed or 0
    folder = Path(items)
    if not folder.is_dir():
        if task is None or output is None:
            what = "task file" if task is None else "folder for the project"
            raise OptionError(f"There is no {what}: name it with {named('task') if task is None else OUTPUT}.")
        folder = _made(folder, Path(task), Path(output), asked, plan=plan, chosen=chosen, columns=columns)
    with Collection(folder) as collection:
        return status_of(collection, bootstrap=bootstrap, confidence=confidence, seed=seed)


# ---- A new project


def _made(
    items: Path, task_file: Path, folder: Path, options: CollectOptions, *, plan: str | os.PathLike[str] | None,
    chosen: str | os.PathLike[str] | None, columns: Columns | None,
) -> Path:  # fmt: skip
    """Make the project; the folder is gone again if that fails."""
    task = read_task(task_file)
    check_options(task)
    found, checks = read_for_rating(items, task, columns)
    if chosen is not None:
        drawn, most = _chosen(chosen)
        found = _only(found, drawn, str(chosen))
        options = replace(options, ratings_per_item=options.ratings_per_item or most)
    options, found = _by_plan(options, found, plan)
    if any(item.drawn for item in found):  # later the ratings would be refused
        for item in found:
            chance_of(item.name, item.drawn)
    planned = _plan(options, found, checks, task)
    was_there = os.path.exists(folder)  # noqa: PTH110 - False, too, for a name that no folder can have
    project = create_project(folder, name=task.name or folder.name)
    try:
        shutil.copyfile(task_file, folder / TASK_FILE)
        store(folder, found, checks, kind=task.kind, beside=items.parent)
        save_plan(folder, planned)
        with Collection(folder) as collection:
            collection.add([link_event(rater) for rater in planned.slots])
        save_project(replace(project, files={"task": TASK_FILE, "items": ITEMS_FILE}))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if was_there:
            folder.mkdir()
        raise
    return folder


def _plan(options: CollectOptions, items: Sequence[Item], checks: Sequence[Item], task: Task) -> Plan:
    if options.raters is None or options.ratings_per_item is None:
        missing = "raters" if options.raters is None else "ratings_per_item"
        raise OptionError(f"It is not known how many {missing.replace('_', ' ')}: give {named(missing)}.")
    width = len(str(options.raters))
    slots = assign(
        len(items), [f"rater-{number:0{width}d}" for number in range(1, options.raters + 1)],
        per_item=options.ratings_per_item, n_checks=len(checks), repeat_share=options.repeat_share,
        check_share=options.check_share, waves=1 if options.stop_at is None else options.looks,
        is_pairwise=task.kind == "pairwise", seed=options.seed or 0,
    )  # fmt: skip
    return Plan(settings=options.settings(), slots=slots)


def _chosen(source: str | os.PathLike[str]) -> tuple[dict[str, str], int | None]:
    """The items that people are asked about, with the chance of each to be drawn if the file has it, and by how many.

    All of a file, or those that `route` leaves to raters.
    """
    with open_sheet(source) as sheet:
        item = find_column(sheet, "item") or sheet.columns[0]
        wanted, drawn = find_column(sheet, "raters"), find_column(sheet, DRAWN)
        cells = sheet.load([name for name in (item, wanted, drawn) if name is not None])
    column = {
        role: [""] * len(cells.row) if name is None else [cells.columns[name][i] or "" for i in range(len(cells.row))]
        for role, name in (("item", item), ("raters", wanted), ("drawn", drawn))
    }
    counts = [1 if wanted is None else _raters_of(*cell) for cell in zip(column["item"], column["raters"], strict=True)]
    rows = zip(column["item"], column["drawn"], counts, strict=True)
    kept = {name: chance for name, chance, count in rows if name and count > 0}
    if not kept:
        raise RatingsError(f"{source} leaves no item to people: there is nothing to rate.")
    return kept, None if wanted is None else max(counts)


def _raters_of(item: str, text: str) -> int:
    """How many people are asked about an item; a blank leaves it to the judge."""
    count = number(text or "0")
    if count is None or count != int(count) or count < 0:
        raise RatingsError(f"The item {shortened(item)} has {shortened(text)!r} raters: give a whole number.")
    return int(count)


def _only(items: list[Item], drawn: Mapping[str, str], source: str) -> list[Item]:
    """The items that were chosen, each with its chance of being drawn."""
    known = {item.name for item in items}
    if unknown := [name for name in drawn if name not in known]:
        raise RatingsError(f"{source} names {counted(len(unknown), 'item')} that the items lack: {listed(unknown)}.")
    return [replace(item, drawn=drawn[item.name] or item.drawn) for item in items if item.name in drawn]


def _by_plan(
    options: CollectOptions, items: list[Item], plan: str | os.PathLike[str] | None
) -> tuple[CollectOptions, list[Item]]:
    """The options with what the plan recommends, and as many items, drawn at random; what the user says counts."""
    if plan is None:
        return options, items
    design = _recommended(Path(plan))
    raters = options.raters or design.get("raters_in_all")
    settled = replace(options, raters=raters, ratings_per_item=options.ratings_per_item or design["raters"])
    wanted = design["items"]
    if wanted > len(items):
        raise RatingsError(
            f"The plan asks for {wanted:,} items, and there are {len(items):,}: add items, or plan again."
        )
    kept = np.sort(np.random.default_rng(options.seed).permutation(len(items))[:wanted])
    return settled, [items[place] for place in kept.tolist()]


def _recommended(path: Path) -> dict[str, int]:
    """How many items, raters of each and, if that is known, raters in all."""
    try:
        design = json.loads(small_text(path))["result"]["recommended"]
    except OSError as error:
        raise FileError(f"{path} cannot be opened: {error.strerror}. Check the path.") from error
    except FileError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileError(f"{path} is not a plan: make one with `dissensus plan raters` and its JSON output.") from error
    if not isinstance(design, dict) or None in (design.get("items"), design.get("raters")):
        raise FileError(f"{path} recommends no design: plan again with more items or raters.")
    numbers = {name: design[name] for name in ("items", "raters", "raters_in_all") if design.get(name) is not None}
    if wrong := [name for name, count in numbers.items() if type(count) is not int or count < 1]:
        raise FileError(f"{path} recommends {shortened(str(numbers[wrong[0]]))} {wrong[0]}, not a number: plan again.")
    return numbers


# ---- While it runs


def drop_rater(collection: Collection, rater: str) -> tuple[int, int]:
    """Withdraw a rater's link and give what is left to the others; how many ratings were taken over, and how many not.

    Each goes to the rater with the least left to do who does not have the item.
    """
    standing = collection.standing
    if rater not in standing.raters or standing.raters[rater].is_dropped:
        working = [name for name, one in standing.raters.items() if not one.is_dropped]
        raise OptionError(f"{rater!r} has no link: choose one of {listed(working)}.")
    handed = handed_over(standing, rater)
    left = _left_of(standing.raters[rater])
    collection.add([
        Event(key=new_key(), kind="revoke", rater=rater),
        *(
            Event(key=new_key(), kind="assign", rater=name, body={"item": item, "order": order})
            for name, item, order in handed
        ),
    ])  # fmt: skip
    return len(handed), len(left) - len(handed)


def handed_over(standing: Standing, gone: str) -> list[tuple[str, int, str]]:
    """Who takes over what a rater leaves: the rater, the item, and the side that is shown first."""
    others = {name: one for name, one in standing.raters.items() if name != gone and not one.is_dropped}
    load = {name: len(one.open_slots()) for name, one in others.items()}
    has = {name: {slot.item for slot in one.slots if slot.kind == "rating"} for name, one in others.items()}
    found = []
    for item, order in _left_of(standing.raters[gone]):
        free = [name for name in others if item not in has[name]]
        if not free:
            continue
        taker = min(free, key=lambda name: load[name])
        load[taker] += 1
        has[taker].add(item)
        found.append((taker, item, order and ORDERS[1 - ORDERS.index(order)]))
    return found


def _left_of(rater: RaterStanding) -> list[tuple[int, str]]:
    slots = [rater.slots[number] for number in rater.open_slots()]
    return [(slot.item, slot.order) for slot in slots if slot.kind == "rating"]


def is_collection(path: Path) -> bool:
    """Whether a folder is a project that collects ratings."""
    return (path / PLAN_FILE).is_file()


# ---- How far a collection is

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
    items, checks = read_stored(collection)
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
        for place, slot in enumerate(rater.slots):
            if slot.kind == "rating" and (place in rater.answers or not rater.is_dropped):
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
