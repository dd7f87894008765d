"""Ratings while they are collected: the plan, the log of what happened, and where each rater stands.

The log is an SQLite file to which rows are only ever added; each is on the disk before anybody hears that it is saved.
What stands is what the rows come to, one after the other. Nothing depends on a clock.
"""

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Self, TypeVar

from dissensus.data.judges import ORDERS
from dissensus.data.labels import SEPARATOR
from dissensus.data.paths import save_bytes
from dissensus.data.project import ANSWERS
from dissensus.data.ratings import DRAWN
from dissensus.data.task import Task, read_task
from dissensus.data.writers import quoted, write_table
from dissensus.errors import DissensusError, FileError

FORMAT = 1
PLAN_FILE, TASK_FILE, ITEMS_FILE, CHECKS_FILE, IMAGES = "plan.json", "task.toml", "items.csv", "checks.csv", "images"
RATINGS_FILE, ALL_ANSWERS_FILE = "data/ratings.csv", "data/answers.csv"
UNDO_MOST = 10
TOKEN_BYTES = 16
LONGEST_KEY, LONGEST_REASON, LONGEST_SECONDS = 64, 200, 86_400.0
OWNER_ONLY = 0o600
BUSY_SECONDS = 30.0
T = TypeVar("T")
EVERYBODY = ""
"""The rater of an event that is about the collection as a whole."""


class CollectionError(DissensusError, ValueError):
    """An answer, or a change of the collection, cannot be taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One thing that a rater is asked: an item (its number in its file), why, and for pairs which side comes first."""

    item: int
    kind: str = "rating"  # or repeat, check
    order: str = ""

    def __post_init__(self) -> None:
        if self.order not in ("", *ORDERS):
            raise ValueError(f"the order {self.order!r} is none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What is rated: id, texts and images (one, or a pair's two), a check's right answer, the chance to be drawn."""

    name: str
    texts: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    right: str = ""
    drawn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What was fixed before the first rating: the settings, and what each rater is asked in which order."""

    settings: Mapping[str, object]
    slots: Mapping[str, tuple[Slot, ...]]

    def to_json(self) -> str:
        """The same plan is the same text."""
        slots = {rater: [[s.item, s.kind, s.order] for s in own] for rater, own in self.slots.items()}
        content = {"format": FORMAT, "settings": dict(self.settings), "slots": slots}
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """The plan that `to_json` wrote."""
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise ValueError(f"it has format {content['format']}, and this version reads {FORMAT}")
        slots = {
            str(rater): tuple(Slot(item=int(i), kind=str(k), order=str(o)) for i, k, o in own)
            for rater, own in content["slots"].items()
        }
        return cls(settings=content["settings"], slots=slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A row of the log: what happened, to which slot of which rater; `key` is the same when it is sent again."""

    key: str
    kind: str  # answer, skip, undo, link, revoke, assign, stop, reopen
    rater: str = EVERYBODY
    slot: int = -1
    body: Mapping[str, object] = field(default_factory=dict)
    number: int = 0
    at: str = ""


# ---- Where everybody stands


@dataclass(slots=True)
class RaterStanding:
    """One rater: what was asked, what stands of the answers, by slot, and which slots were opened again."""

    slots: list[Slot]
    answers: dict[int, Event] = field(default_factory=dict)
    undone: dict[int, Event] = field(default_factory=dict)
    token: str = ""
    is_dropped: bool = False

    def open_slots(self, most: int | None = None) -> list[int]:
        """The slots without an answer, in order."""
        found = (slot for slot in range(len(self.slots)) if slot not in self.answers)
        return [slot for slot, _ in zip(found, range(len(self.slots) if most is None else most), strict=False)]

    def last_answered(self) -> int | None:
        """The slot that can be opened again: the last one, and no more than ten in a row."""
        if not self.answers or len(self.undone) >= UNDO_MOST:
            return None
        return max(self.answers, key=lambda slot: self.answers[slot].number)


@dataclass(slots=True)
class Standing:
    """What the log comes to: each rater, and whether the owner has ended the collection."""

    raters: dict[str, RaterStanding]
    is_stopped: bool = False
    last: int = 0

    def by_token(self, token: str) -> str | None:
        """The rater whose link this is; None if there is none, or it was withdrawn."""
        match = None
        for name, rater in self.raters.items():  # all of them, so that the time says nothing
            is_same = bool(rater.token) and secrets.compare_digest(rater.token.encode(), token.encode())
            match = name if is_same and not rater.is_dropped else match
        return match

    def apply(self, event: Event) -> None:
        """Take in the next row of the log; an error of Python where no collection writes such a row."""
        if not isinstance(event.body, Mapping) or not isinstance(event.at, str):
            raise TypeError
        self.last = event.number
        if event.rater == EVERYBODY:
            self.is_stopped = event.kind == "stop"
            return
        rater = self.raters[event.rater]
        if event.kind in {"answer", "skip"}:
            seconds = event.body.get("seconds")
            if event.slot not in range(len(rater.slots)) or _seconds(seconds) != seconds:
                raise ValueError
            rater.answers[event.slot] = event
            rater.undone.pop(event.slot, None)
        elif event.kind == "undo":
            rater.undone[event.slot] = rater.answers.pop(event.slot)
        elif event.kind == "link":
            rater.token, rater.is_dropped = str(event.body["token"]), False
        elif event.kind == "revoke":
            rater.is_dropped = True
        elif event.kind == "assign":
            rater.slots.append(Slot(item=int(str(event.body["item"])), order=str(event.body["order"])))

    def refusal(self, event: Event) -> str:
        """Why an event of a rater cannot be taken; empty if it can."""
        rater = self.raters[event.rater]
        if rater.is_dropped:
            return "This link was withdrawn."
        if self.is_stopped:
            return "The collection has ended."
        if event.kind == "undo":
            return "" if event.slot == rater.last_answered() else "This answer cannot be changed any more."
        if not 0 <= event.slot < len(rater.slots):
            return "There is no such item."
        return "This item has an answer already." if event.slot in rater.answers else ""


# ---- The log

_TABLE = """
CREATE TABLE IF NOT EXISTS log (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,   -- made by the browser, so that a request that is sent twice counts once
    kind TEXT NOT NULL,
    rater TEXT NOT NULL,
    slot INTEGER NOT NULL,
    body TEXT NOT NULL,         -- JSON
    at TEXT NOT NULL            -- for people to read; nothing is decided by it
)
"""
_FORBID = (
    "CREATE TRIGGER IF NOT EXISTS keep_{what} BEFORE {what} ON log "
    "BEGIN SELECT RAISE(ABORT, 'rows are only ever added'); END"
)


class Collection:
    """A collection of ratings in a project's folder, used by any number of threads and processes."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.plan = _read_plan(self.folder)
        self.task = read_task(self.folder / TASK_FILE)
        self._lock = Lock()
        self._standing = _replayed(self.plan, [])
        with self._explained():
            self._database = _connect(self.folder / ANSWERS)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def standing(self) -> Standing:
        """Where everybody stands now; a copy that nobody changes."""
        with self._lock, self._explained():
            return _replayed(self.plan, self._after(0))

    def look(self, use: Callable[[Standing], T]) -> T:
        """What `use` makes of where everybody stands now, while nobody changes it."""
        with self._lock, self._explained():
            self._catch_up()
            return use(self._standing)

    def add(self, events: Sequence[Event]) -> None:
        """Add what the owner decided: all of it or nothing."""
        with self._lock, self._explained(), self._transaction():
            self._catch_up()
            self._insert(events)

    def post(self, event: Event) -> str:
        """Add what a rater did, once; empty, or why it is not taken.

        It is on the disk when this returns. An event with the key of an earlier one is that one, sent again.
        """
        with self._lock, self._explained(), self._transaction():
            self._catch_up()
            same = self._database.execute("SELECT kind, rater, slot FROM log WHERE key = ?", (event.key,)).fetchone()
            if same is not None:
                return "" if same == (event.kind, event.rater, event.slot) else "This key was used before."
            if refusal := self._standing.refusal(event):
                return refusal
            self._insert([event])
        return ""

    def _insert(self, events: Iterable[Event]) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [(e.key, e.kind, e.rater, e.slot, json.dumps(dict(e.body)), now) for e in events]
        query = "INSERT INTO log (key, kind, rater, slot, body, at) VALUES (?, ?, ?, ?, ?, ?)"
        self._database.executemany(query, rows)

    def _catch_up(self) -> None:
        """Take in what was written since; a row that is not committed yet is never taken in."""
        _take_in(self._standing, self._after(self._standing.last))

    def _after(self, number: int) -> Iterator[Event]:
        query = "SELECT key, kind, rater, slot, body, number, at FROM log WHERE number > ? ORDER BY number"
        for key, kind, rater, slot, body, at_number, at in self._database.execute(query, (number,)).fetchall():
            yield Event(
                key=key, kind=kind, rater=rater, slot=slot, body=json.loads(body), number=at_number, at=at
            )  # fmt: skip

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of SQLite and of the disk in one line."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise FileError(
                f"{self.folder / ANSWERS} cannot be used: {reason}. Nothing was half-written; make room or restore it."
            ) from error


def _replayed(plan: Plan, events: Iterable[Event]) -> Standing:
    standing = Standing({rater: RaterStanding(list(slots)) for rater, slots in plan.slots.items()})
    _take_in(standing, events)
    return standing


def _take_in(standing: Standing, events: Iterable[Event]) -> None:
    try:
        for event in events:
            standing.apply(event)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        where = f"after row {standing.last} of {ANSWERS}"
        raise FileError(f"There is a row {where} that no collection writes: take the file from a copy.") from error


def _connect(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY))
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    with ExitStack() as opened:
        opened.enter_context(closing(database))
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")  # a commit survives a power cut, too
        database.execute(_TABLE)
        for what in ("UPDATE", "DELETE"):
            database.execute(_FORBID.format(what=what))
        opened.pop_all()
    return database


def _read_plan(folder: Path) -> Plan:
    path = folder / PLAN_FILE
    try:
        return Plan.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FileError(
            f"{folder} is not a collection: it has no {PLAN_FILE}. Make one with `dissensus collect`."
        ) from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileError(f"{path} cannot be read: {error}. Take it from a copy.") from error


def new_key() -> str:
    """A key for an event of the owner."""
    return secrets.token_hex(TOKEN_BYTES)


def link_event(rater: str) -> Event:
    """A new link for a rater; the one before no longer works."""
    return Event(key=new_key(), kind="link", rater=rater, body={"token": secrets.token_urlsafe(TOKEN_BYTES)})


# ---- An answer, as a browser sends it


def answer_body(task: Task, slot: Slot, content: Mapping[str, object], meanings: Sequence[str]) -> dict[str, object]:
    """What the log keeps of an answer: in `content`, places of options, which stand for these `meanings`."""
    asks_choice, asks_set = task.elicitation != "response-set", task.elicitation != "forced-choice"
    body: dict[str, object] = {"seconds": _seconds(content.get("seconds")), "order": slot.order}
    choice = _places([content.get("choice")], meanings)[0] if asks_choice else None
    if asks_choice:
        body["choice"] = choice
    if asks_set:
        ticked = content.get("set")
        chosen = set(_places(ticked if isinstance(ticked, list) else [], meanings))
        sets = {frozenset(one) for one in task.admissible_sets()} if task.response_sets != "any" else None
        if not chosen or (sets is not None and frozenset(chosen) not in sets):
            raise CollectionError("These options cannot be ticked together.")
        if choice is not None and choice not in chosen and (sets is None or any(choice in one for one in sets)):
            raise CollectionError("Your own choice must be ticked, too.")
        body["set"] = [option for option in task.options if option in chosen]
    return body


def _places(given: Sequence[object], meanings: Sequence[str]) -> list[str]:
    if not all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one < len(meanings) for one in given):
        raise CollectionError("There is no such option.")
    return [meanings[int(str(one))] for one in given]


def _seconds(given: object) -> float | None:
    """How long an answer took, as the browser measured it; None where it says nothing that can be."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= LONGEST_SECONDS
    return round(float(str(given)), 1) if is_number else None


# ---- The ratings as files


def labels_of(event: Event) -> dict[str, str]:
    """The label of each elicitation in an answer."""
    found = {}
    if event.body.get("choice") is not None:
        found["forced_choice"] = str(event.body["choice"])
    ticked = event.body.get("set")
    if isinstance(ticked, list):
        found["response_set"] = SEPARATOR.join(map(str, ticked))
    return found


def answer_rows(standing: Standing, items: Sequence[Item], checks: Sequence[Item]) -> list[dict[str, str]]:
    """What stands, one row for each answer in each elicitation, rater by rater in the order in which it was asked."""
    rows = []
    for name, rater in standing.raters.items():
        for slot in sorted(rater.answers):
            event, asked = rater.answers[slot], rater.slots[slot]
            item = (checks if asked.kind == "check" else items)[asked.item]
            seconds = event.body.get("seconds")
            shared = {
                "item": item.name, "rater": name, "kind": asked.kind, "order": asked.order,
                "seconds": "" if seconds is None else str(seconds), "right": item.right, DRAWN: item.drawn,
                "skipped": str(event.body.get("reason", "")) if event.kind == "skip" else "", "at": event.at,
                "number": str(event.number),
            }  # fmt: skip
            labels = labels_of(event) or {"": ""}
            first = next(iter(labels))
            rows += [
                {**shared, "label": label, "elicitation": kind, "is_first": "yes" if kind == first else ""}
                for kind, label in labels.items()
            ]
    return rows


_COLUMNS = ("item", "rater", "label", "elicitation")
_ALL_COLUMNS = (*_COLUMNS, "kind", "order", "seconds", "right", "skipped", "at")


def export(folder: Path, rows: Sequence[Mapping[str, str]]) -> int:
    """Write the ratings (`item, rater, label, elicitation`) and, beside them, everything; how many ratings there are.

    Repeats, checks and skipped items are in the second file only.
    """
    ratings = [row for row in rows if row["kind"] == "rating" and row["label"]]
    (folder / "data").mkdir(exist_ok=True)
    further = (DRAWN,) if any(row[DRAWN] for row in ratings) else ()  # where items were drawn with other chances
    for name, chosen, columns in (
        (RATINGS_FILE, ratings, (*_COLUMNS, *further)), (ALL_ANSWERS_FILE, rows, (*_ALL_COLUMNS, *further)),
    ):  # fmt: skip
        write_table(folder / name, {column: [quoted(row[column]) for row in chosen] for column in columns})
    return len(ratings)


def save_plan(folder: Path, plan: Plan) -> None:
    """Write the plan."""
    save_bytes(folder / PLAN_FILE, plan.to_json().encode())
