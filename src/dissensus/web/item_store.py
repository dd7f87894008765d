"""Every item of a project in a small database, so that a page of them is found at once, however many there are."""

import json
import math
import os
import sqlite3
import tempfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from dissensus.data import Judges, Ratings
from dissensus.data.sources.csv_rows import guarded
from dissensus.methods.items.items import items_of
from dissensus.methods.items.result import ItemsOptions, ItemTable
from dissensus.sampling import Progress

PAGE = 50
LAYOUT = 2  # of the tables: a database that an earlier version wrote is written again
MOST_JUDGES, MOST_SORTED, MOST_CHOICES, MOST_MARKS = 200, 20, 500, 500
SHOW = (("", "all items"), ("split", "people split"), ("alone", "a judge is alone"), ("judges", "judges disagree"))
SORTS = (("split", "how far people split"), ("surprise", "how wrong judges are"), ("ratings", "number of ratings"),
         ("item", "name"))  # fmt: skip
COLUMNS, LONG = "n, item, ratings, split, surprise, majority, kinds", "n, question, text, shares"
"""What is sorted and filtered by, and what is only shown; apart, since the second is long to read past."""
NAMES = (*COLUMNS.split(", "), *LONG.split(", ")[1:])
REMEMBERED = 8  # orders of items that are kept, so that no page of one takes longer than the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which items, and in which order; empty is any."""

    show: str = ""
    sort: str = ""
    judge: str = ""
    answer: str = ""
    majority: str = ""
    rater: str = ""
    label: str = ""
    slice: str = ""
    text: str = ""
    up: str = ""


# ---- Written once


def write_items(ratings: Ratings, judges: Judges | None, path: Path, progress: Progress | None = None) -> int:
    """Write all items to a database, there as a whole or not at all; how many there are."""
    handle, name = tempfile.mkstemp(prefix=".items-", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        with closing(sqlite3.connect(name)) as db, db:
            n = _write(db, ratings, judges, progress)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
    return n


def _write(db: sqlite3.Connection, ratings: Ratings, judges: Judges | None, progress: Progress | None) -> int:
    names = [] if judges is None else list(judges.judges)[:MOST_JUDGES]
    more = "".join(f", a{i} TEXT, s{i} REAL" for i in range(len(names)))
    db.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
        "CREATE TABLE meta (name TEXT PRIMARY KEY, content TEXT);"
        f"CREATE TABLE items ({COLUMNS.replace('n,', 'n INTEGER PRIMARY KEY,', 1)}{more});"
        f"CREATE TABLE long ({LONG.replace('n,', 'n INTEGER PRIMARY KEY,', 1)});"
        "CREATE TABLE given (n, rater, label);"
        "CREATE TABLE about (n, slice);"
    )
    first = 0
    found: dict[str, list[str]] = {"judges": names, "labels": [], "raters": [], "slices": []}
    for question, own in (ratings.questions or {"": ratings}).items():
        theirs = None if judges is None else (judges.questions.get(question) if judges.questions else judges)
        table = items_of(own, theirs, ItemsOptions(top=1), rng=0, progress=progress).table
        _write_table(db, table, own, question, first, names)
        found["slices"] += _write_about(db, table, first)
        found["labels"] += table.labels
        found["raters"] += own.raters
        first += len(table.items)
    db.executescript(
        "CREATE INDEX by_split ON items (split DESC, kinds, majority);"
        "CREATE INDEX by_surprise ON items (surprise DESC, kinds, majority);"
        "CREATE INDEX by_ratings ON items (ratings DESC); CREATE INDEX by_item ON items (item);"
        + "".join(f"CREATE INDEX by_judge_{i} ON items (s{i} DESC, a{i});" for i in range(len(names[:MOST_SORTED])))
        + "CREATE INDEX given_n ON given (n); CREATE INDEX by_rater ON given (rater, label, n);"
        "CREATE INDEX by_label ON given (label, n); CREATE INDEX by_slice ON about (slice, n);"
    )
    for name, content in found.items():
        db.execute("INSERT INTO meta VALUES (?, ?)", (name, json.dumps(list(dict.fromkeys(content))[:MOST_CHOICES])))
    return first


def _write_table(
    db: sqlite3.Connection, table: ItemTable, ratings: Ratings, question: str, first: int, names: Sequence[str]
) -> None:
    silent: Sequence[str | None] = [None] * len(table.items)
    unknown = [float("nan")] * len(table.items)
    answers = [(table.answers.get(name, silent), list(table.surprise.get(name, unknown))) for name in names]
    most = table.counts.argmax(axis=1)

    shown: list[tuple[object, ...]] = []

    def rows() -> Iterator[tuple[object, ...]]:
        for place in range(len(table.items)):
            row = table.row(place)
            shown.append((first + place, question, row.text, json.dumps(row.shares, ensure_ascii=False)))
            yield (
                first + place, row.item, row.ratings, _number(row.split), _number(row.surprise),
                table.labels[int(most[place])], f" {' '.join(row.kinds)} ",
                *(own for given, bits in answers for own in (given[place], _number(float(bits[place])))),
            )  # fmt: skip

    marks = ", ".join("?" * (len(COLUMNS.split(",")) + 2 * len(names)))
    db.executemany(f"INSERT INTO items VALUES ({marks})", rows())
    db.executemany("INSERT INTO long VALUES (?, ?, ?, ?)", shown)
    who = [None] * len(ratings.item) if ratings.rater is None else ratings.rater.tolist()
    db.executemany(
        "INSERT INTO given VALUES (?, ?, ?)",
        (
            (first + item, None if rater is None else ratings.raters[rater], ratings.labels[label])
            for item, rater, label in zip(ratings.item.tolist(), who, ratings.label.tolist(), strict=True)
        ),
    )


def _write_about(db: sqlite3.Connection, table: ItemTable, first: int) -> list[str]:
    """What is known of items, as `column: value`; columns with a value for every item are no slices."""
    found: list[str] = []
    for name, values in table.about.items():
        if name.startswith("text") or len(set(values.values())) > max(20, len(values) // 5):
            continue
        pairs = [(first + n, f"{name}: {values[item]}") for n, item in enumerate(table.items) if item in values]
        db.executemany("INSERT INTO about VALUES (?, ?)", pairs)
        found += sorted({text for _, text in pairs})
    return found


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


# ---- Read page by page


def choices_in(path: Path) -> dict[str, list[str]]:
    """What can be filtered by: judges, labels, raters, slices."""
    with closing(_open(path)) as db:
        return {name: json.loads(content) for name, content in db.execute("SELECT name, content FROM meta")}


def page_of_items(path: Path, wanted: Wanted, page: int, *, size: int = PAGE) -> tuple[int, list[dict[str, object]]]:
    """How many items there are, and those of one page, each with what judges and raters gave."""
    judges = choices_in(path)["judges"]
    numbers = _in_order(path, path.stat().st_mtime_ns, wanted, tuple(judges))
    ids = list(numbers[page * size : (page + 1) * size])
    columns = NAMES + tuple(f"{kind}{i}" for i in range(len(judges)) for kind in "as")
    with closing(_open(path)) as db:
        query = f"SELECT {', '.join(columns)} FROM items JOIN long USING (n) WHERE n IN "
        rows = {row[0]: _item(row, judges) for row in _of_items(db, query, ids)}
        found = [rows[n] for n in ids]
        _add_raters(db, found)
    return len(numbers), found


@lru_cache(maxsize=REMEMBERED)
def _in_order(path: Path, changed: int, wanted: Wanted, judges: tuple[str, ...]) -> "array[int]":
    """The numbers of the items that are wanted, in their order; `changed` is when the file was."""
    del changed
    where, values = _conditions(wanted, judges)
    with closing(_open(path)) as db:
        rows = db.execute(f"SELECT n FROM items WHERE {where} ORDER BY {_order(wanted, judges)}", values)
        return array("q", chain.from_iterable(rows))


def _of_items(db: sqlite3.Connection, query: str, ids: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query about some items, asked for a few of them at a time."""
    for start in range(0, len(ids), MOST_MARKS):
        some = ids[start : start + MOST_MARKS]
        yield from db.execute(f"{query} ({', '.join('?' * len(some))})", some)


def _item(row: Sequence[object], judges: Sequence[str]) -> dict[str, object]:
    found = dict(zip(NAMES, row, strict=False))
    answers = row[len(NAMES) :]
    own = [{"judge": judge, "answer": answers[2 * i], "surprise": answers[2 * i + 1]} for i, judge in enumerate(judges)]
    return {**found, "shares": json.loads(str(found["shares"])), "kinds": str(found["kinds"]).split(), "judges": own}


def _add_raters(db: sqlite3.Connection, found: Sequence[dict[str, object]]) -> None:
    given: dict[int, list[dict[str, object]]] = {int(str(row["n"])): [] for row in found}
    for n, rater, label in _of_items(db, "SELECT n, rater, label FROM given WHERE n IN", list(given)):
        given[n].append({"rater": rater, "label": label})
    for row in found:
        row["given"] = given[int(str(row["n"]))]


def _conditions(wanted: Wanted, judges: Sequence[str]) -> tuple[str, dict[str, object]]:
    found, values = ["1"], dict[str, object]()

    def add(name: str, value: str, condition: str) -> None:
        if value:
            found.append(condition)
            values[name] = value

    places = [i for i, name in enumerate(judges) if wanted.judge in {"", name}]
    if wanted.judge:
        found.append(f"a{places[0]} IS NOT NULL" if places else "0")
    add("answer", wanted.answer, f"({' OR '.join(f'a{i} = :answer' for i in places) or '0'})")
    add("show", f"% {wanted.show} %" if wanted.show else "", "kinds LIKE :show")
    add("majority", wanted.majority, "majority = :majority")
    add("slice", wanted.slice, "n IN (SELECT n FROM about WHERE slice = :slice)")
    if wanted.rater or wanted.label:
        both = " AND ".join(f"{name} = :{name}" for name in ("rater", "label") if getattr(wanted, name))
        found.append(f"n IN (SELECT n FROM given WHERE {both})")
        values |= {name: getattr(wanted, name) for name in ("rater", "label") if getattr(wanted, name)}
    like = "(item LIKE :text ESCAPE '!' OR n IN (SELECT n FROM long WHERE text LIKE :text ESCAPE '!'))"
    add("text", f"%{_plain(wanted.text)}%" if wanted.text else "", like)
    return " AND ".join(found), values


def _plain(text: str) -> str:
    """A text in which nothing stands for anything else."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _order(wanted: Wanted, judges: Sequence[str]) -> str:
    """The order, the most telling first; reversed, it runs from the last to the first."""
    sort = wanted.sort if wanted.sort in dict(SORTS) else "split"
    way, ties = ("ASC" if bool(wanted.up) != (sort == "item") else "DESC"), "DESC" if wanted.up else "ASC"
    if sort == "surprise" and wanted.judge in judges:
        return f"s{judges.index(wanted.judge)} {way}, n {ties}"
    return f"{sort} {way}, n {ties}"


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def as_rows(found: Sequence[Mapping[str, object]]) -> Iterator[dict[str, object]]:
    """Items as flat rows, a column for each label and two for each judge; no text is a formula to a spreadsheet."""
    for row in found:
        shares, judges = row["shares"], row["judges"]
        assert isinstance(shares, dict)  # noqa: S101 - we wrote it
        assert isinstance(judges, list)  # noqa: S101 - we made it
        flat = {name: row[name] for name in ("item", "question", "text", "ratings", "split", "surprise", "majority")}
        flat |= {f"share_{label}": share for label, share in shares.items()}
        for own in judges:
            flat |= {f"answer_{own['judge']}": own["answer"], f"surprise_{own['judge']}": own["surprise"]}
        yield {name: guarded(value) if isinstance(value, str) else value for name, value in flat.items()}
