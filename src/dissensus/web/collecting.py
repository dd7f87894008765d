"""The collections that a server has open: whose link is whose, and what a rater's screen shows."""

import io
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from urllib.parse import quote

from dissensus.data.collection import (
    LONGEST_KEY,
    LONGEST_REASON,
    Collection,
    CollectionError,
    Event,
    Item,
    RaterStanding,
    Slot,
    answer_body,
)
from dissensus.data.project import list_projects
from dissensus.data.task import Task
from dissensus.errors import DissensusError, one_line
from dissensus.methods.collect.collect import is_collection
from dissensus.methods.collect.items import read_stored
from dissensus.methods.rate.requests import mirror_of, shown_options
from dissensus.web.guard import KEY, LOOPBACK, Settings

AHEAD = 2  # as many items are sent at a time: the one to answer, and the one after it
BURST, PER_SECOND = 60.0, 10.0
"""Requests that a rater may send at once, and how fast that many more may follow; nobody clicks as fast."""
IMAGE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


@dataclass
class Allowance:
    """How many requests somebody may still send; it refills with time."""

    left: float = BURST
    since: float = field(default_factory=time.monotonic)

    def take(self) -> bool:
        """Whether one more request is all right."""
        now = time.monotonic()
        self.left, self.since = min(BURST, self.left + (now - self.since) * PER_SECOND), now
        is_allowed = self.left >= 1
        self.left -= is_allowed
        return is_allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A collection with its items, which never change."""

    collection: Collection
    items: tuple[Item, ...]
    checks: tuple[Item, ...]

    def item_of(self, slot: Slot) -> Item:
        """What a slot asks about."""
        return (self.checks if slot.kind == "check" else self.items)[slot.item]


def folders_of(place: Path) -> list[Path]:
    """The projects that collect ratings: the folder itself, or those in it."""
    if is_collection(place):
        return [place]
    return [project.folder for project in list_projects(place)[0] if is_collection(project.folder)]


class Collections:
    """The collections in a server's folder: a project, or a folder of projects."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._desks: dict[Path, Desk] = {}
        self._opening = Lock()
        self._allowances: dict[tuple[Path, str], Allowance] = {}

    def close(self) -> None:
        """Close their files."""
        for desk in self._desks.values():
            desk.collection.close()

    def folders(self) -> list[Path]:
        """The folders of projects that collect ratings."""
        return folders_of(self._place)

    def open(self, folder: Path) -> Desk:
        """A collection, opened once, however many raters come at the same time."""
        with self._opening:
            if folder not in self._desks:
                collection = Collection(folder)
                items, checks = read_stored(collection)
                self._desks[folder] = Desk(collection=collection, items=tuple(items), checks=tuple(checks))
            return self._desks[folder]

    def by_token(self, token: str) -> tuple[Desk, str] | None:
        """Whose link this is: the collection and the rater; None if it is nobody's."""
        if len(token) > LONGEST_KEY:
            return None
        return self._among(list(self._desks), token) or self._among(self.folders(), token)

    def _among(self, folders: list[Path], token: str) -> tuple[Desk, str] | None:
        for folder in folders:
            try:
                desk = self.open(folder)
            except DissensusError:  # its owner reads why; raters of the other projects go on
                continue
            rater = desk.collection.look(lambda standing: standing.by_token(token))
            if rater is not None:
                return desk, rater
        return None

    def is_allowed(self, desk: Desk, rater: str) -> bool:
        """Whether a rater may send one more request now."""
        return self._allowances.setdefault((desk.collection.folder, rater), Allowance()).take()


# ---- A rater's screen


def task_shown(task: Task) -> dict[str, object]:
    """What every screen of a task has: the question, the options, and how to answer."""
    shown = shown_options(task, range(len(task.options)), is_swapped=False)
    sets = None if task.response_sets == "any" else task.admissible_sets()
    place = {option: i for i, option in enumerate(task.options)}
    return {
        "instructions": task.instructions,
        "isPair": task.kind == "pairwise",
        "asksChoice": task.elicitation != "response-set",
        "asksSet": task.elicitation != "forced-choice",
        "options": [{"name": one.name, "description": one.description} for one in shown],
        "sets": None if sets is None else [[place[option] for option in one] for one in sets],
        "examples": [
            {"texts": [text for text in (one.text, one.text_b) if text is not None], "label": one.label}
            for one in task.examples
        ],
    }


def state_of(desk: Desk, rater: str, address: str) -> dict[str, object]:
    """Where a rater stands, and the items to come; nothing about other raters, and no item's id."""

    def state(own: RaterStanding, is_stopped: bool) -> dict[str, object]:
        open_slots = [] if is_stopped else own.open_slots(AHEAD)
        return {
            "done": len(own.answers),
            "total": len(own.slots),
            "isStopped": is_stopped,
            "canGoBack": not is_stopped and own.last_answered() is not None,
            "last": own.last_answered(),
            "items": [_shown(desk, own, slot, address) for slot in open_slots],
        }

    return desk.collection.look(lambda standing: state(standing.raters[rater], standing.is_stopped))


def _shown(desk: Desk, own: RaterStanding, number: int, address: str) -> dict[str, object]:
    slot = own.slots[number]
    item = desk.item_of(slot)
    sides = [1, 0] if slot.order == "ba" else list(range(max(len(item.texts), len(item.images))))
    before = own.undone.get(number)
    shown: dict[str, object] = {
        "slot": number,
        "texts": [item.texts[side] for side in sides],
        "images": [f"{address}/image/{number}/{side}" if item.images[side] else "" for side in sides],
    }
    if before is not None and before.kind == "answer":
        meanings = meanings_of(desk.collection.task, slot)
        ticked = before.body.get("set")
        shown["before"] = {
            "choice": _place(meanings, before.body.get("choice")),
            "set": [_place(meanings, one) for one in ticked] if isinstance(ticked, list) else [],
        }
    return shown


def meanings_of(task: Task, slot: Slot) -> list[str]:
    """The option that each place means; another one where the sides of a pair changed places."""
    mirror = mirror_of(task) if slot.order == "ba" else {}
    return [mirror.get(option, option) for option in task.options]


def _place(meanings: list[str], option: object) -> int | None:
    return meanings.index(str(option)) if option in meanings else None


def event_of(desk: Desk, rater: str, content: Mapping[str, object]) -> Event:
    """What a browser sent, checked."""
    key, kind, slot = content.get("key"), content.get("kind"), content.get("slot")
    if not isinstance(key, str) or not 1 <= len(key) <= LONGEST_KEY or not key.isascii() or not key.isalnum():
        raise CollectionError("The key is missing.")
    if kind not in ("answer", "skip", "undo") or not isinstance(slot, int) or isinstance(slot, bool):
        raise CollectionError("There is no such item.")
    body: dict[str, object] = {}
    if kind == "skip":
        reason = "".join(char if char.isprintable() else " " for char in str(content.get("reason") or ""))
        body = {"reason": " ".join(reason.split())[:LONGEST_REASON] or "no reason given"}
    elif kind == "answer":
        asked = desk.collection.look(lambda standing: dict(enumerate(standing.raters[rater].slots)).get(slot))
        if asked is None:
            raise CollectionError("There is no such item.")
        body = answer_body(desk.collection.task, asked, content, meanings_of(desk.collection.task, asked))
    return Event(key=key, kind=str(kind), rater=rater, slot=slot, body=body)


def image_of(desk: Desk, rater: str, number: int, side: int) -> Path | None:
    """The image of one side of an item that a rater is asked about; None if there is none."""
    slots = desk.collection.look(lambda standing: list(standing.raters[rater].slots))
    if not 0 <= number < len(slots):
        return None
    images = desk.item_of(slots[number]).images
    if not 0 <= side < len(images) or not images[side]:
        return None
    folder = desk.collection.folder.resolve()
    path = (folder / images[side]).resolve()
    return path if path.is_relative_to(folder / "images") and path.suffix in IMAGE_TYPES else None


ANY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognised, not bound
IN_THE_CLEAR = (
    "These links work for whoever has them, and answers travel in the clear: use them in a network that you trust, "
    "through an ssh tunnel (ssh -L {port}:127.0.0.1:{port} HOST), or behind a proxy with TLS."
)


def link_lines(settings: Settings, port: int, key: str) -> Iterator[str]:
    """What to print about links when the server starts; nothing where no ratings are collected.

    The owner's has the key, unless a token is typed in instead.
    """
    is_open = settings.host not in LOOPBACK
    host = own_address() if settings.host in ANY_ADDRESS else settings.host
    host = f"[{host}]" if ":" in host else host
    has_links = False
    for folder in folders_of(Path(settings.folder)):
        try:
            with Collection(folder) as collection:
                raters = collection.standing.raters
        except DissensusError as error:
            yield str(error)
            continue
        name, query = folder.resolve().name, "" if settings.token else f"?{KEY}={key}"
        yield f"Collecting {one_line(name)}, for you: http://{host}:{port}/p/{quote(name)}/collect{query}"
        yield "For raters, one link each:"
        for rater_name, rater in raters.items():
            if rater.is_dropped:
                continue
            has_links, link = True, f"http://{host}:{port}/r/{rater.token}"
            state = f"{len(rater.answers)} of {len(rater.slots)}"
            yield f"  {one_line(rater_name)}  {link}  ({state})"
            if is_open and (drawn := qr_text(link)):
                yield drawn
    if has_links and is_open:
        yield IN_THE_CLEAR.format(port=port)


def own_address() -> str:
    """The address by which other machines most likely reach this one; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation, which nobody has
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


@cache
def qr_svg(link: str) -> str:
    """A link as an inline SVG; empty without segno."""
    try:
        import segno  # noqa: PLC0415 - an extra
    except ImportError:
        return ""
    made = io.BytesIO()
    segno.make(link, micro=False).save(made, kind="svg", xmldecl=False, svgns=False, scale=4, dark="#000", light="#fff")
    return made.getvalue().decode()


def qr_text(link: str) -> str:
    """The same for a terminal."""
    try:
        import segno  # noqa: PLC0415 - an extra
    except ImportError:
        return ""
    made = io.StringIO()
    segno.make(link, micro=False).terminal(out=made, compact=True)
    return made.getvalue()
