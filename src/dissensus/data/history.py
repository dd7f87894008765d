"""Runs kept in a file of duckdb: what was measured, on which data, and each item's answers and scores.

One process writes at a time and others wait; a run is there as a whole or not at all, whatever kills the process. The
tables are documented in docs/reference/history.md and can be read with plain duckdb.
"""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.judges import Judges
from dissensus.errors import DissensusError, FileError, listed

if TYPE_CHECKING:
    import duckdb

VERSION = 1
"""Of the tables; raised with an entry in `MIGRATIONS` whenever they change."""
SUFFIX = ".duckdb"
WAIT = 30.0
"""Seconds until a file that another process writes is given up."""
PAUSE = 0.1
TABLES = (
    "CREATE TABLE about (version INTEGER NOT NULL)",
    """CREATE TABLE runs (run INTEGER PRIMARY KEY, recorded_at TIMESTAMP NOT NULL, dissensus VARCHAR, command VARCHAR,
       question VARCHAR, by_column VARCHAR, by_value VARCHAR, ratings_file VARCHAR, ratings_sha256 VARCHAR,
       judges_file VARCHAR, judges_sha256 VARCHAR, labels VARCHAR[], items INTEGER, raters INTEGER, verdict VARCHAR,
       settings VARCHAR, result VARCHAR)""",
    """CREATE TABLE judges (run INTEGER NOT NULL, judge VARCHAR NOT NULL, worth DOUBLE, worth_low DOUBLE,
       worth_high DOUBLE, worth_verdict VARCHAR, bits DOUBLE, bits_low DOUBLE, bits_high DOUBLE)""",
    """CREATE TABLE answers (run INTEGER NOT NULL, judge VARCHAR NOT NULL, item VARCHAR NOT NULL, key UBIGINT NOT NULL,
       output DOUBLE[], bits DOUBLE)""",
    """CREATE TABLE people (run INTEGER NOT NULL, item VARCHAR NOT NULL, key UBIGINT NOT NULL, counts INTEGER[],
       agreement DOUBLE)""",
)
MOST_SHARES = 5
"""Labels up to which the share of each is followed over time."""
MIGRATIONS: dict[int, tuple[str, ...]] = {}
"""From each older version: what makes its tables those of the next one, without losing a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJudge:
    """A judge in one run; NaN where a number is not known."""

    judge: str
    worth: float  # in raters
    worth_low: float
    worth_high: float
    worth_verdict: str | None
    bits: float  # gained over asking nobody, with an interval for other items
    bits_low: float
    bits_high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewRun:
    """What a run found, and the items behind it."""

    version: str  # of dissensus
    command: str
    question: str | None
    by: str | None
    value: str | None
    data: Mapping[str, Mapping[str, object]]
    settings: Mapping[str, object]
    result: Mapping[str, object]
    verdict: str | None
    labels: tuple[str, ...]
    items: tuple[str, ...]
    counts: Codes  # (n_items, n_labels): people's
    judges: tuple[RunJudge, ...]
    outputs: Mapping[str, Floats]  # by judge, each (n_items, n_labels); NaN where it did not answer
    bits: Mapping[str, Floats]  # by judge, each (n_items,): gained over asking nobody; NaN where unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as it was kept."""

    run: int
    recorded_at: str  # UTC
    command: str
    question: str | None
    by: str | None
    value: str | None
    labels: tuple[str, ...]
    items: int
    raters: int | None
    verdict: str | None
    ratings_sha256: str | None
    judges_sha256: str | None
    judges: tuple[RunJudge, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class History:
    """The runs of a file, and the scores of their items as columns."""

    path: str
    runs: tuple[Run, ...]
    scores: Mapping[str, tuple[Codes, Codes, Floats]]  # by judge: run, key of item and people's labels, bits
    people: tuple[Codes, Codes, Floats]  # run, key of the item, agreement of its raters
    shares: Mapping[tuple[str, ...], Floats]  # by labels: (n_rows of people, n_labels), NaN in runs with other labels


# ---- Opening

COLUMNS = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
IMPOSSIBLE = {
    "runs": """SELECT run FROM runs WHERE (run > 0 AND isfinite(recorded_at) AND command IS NOT NULL AND len(labels) > 0
       AND list_unique(labels) = len(labels) AND items = (SELECT count(*) FROM people p WHERE p.run = runs.run)
       AND EXISTS (SELECT 1 FROM judges j WHERE j.run = runs.run)) IS NOT TRUE""",
    "judges": """SELECT j.run FROM judges j LEFT JOIN runs r ON j.run = r.run GROUP BY j.run, judge
       HAVING (count(r.run) = 1 AND bool_and(isfinite(coalesce(worth, 0)) AND isfinite(coalesce(worth_low, 0))
       AND isfinite(coalesce(worth_high, 0)) AND isfinite(coalesce(bits, 0)) AND isfinite(coalesce(bits_low, 0))
       AND isfinite(coalesce(bits_high, 0)))) IS NOT TRUE""",
    "answers": """SELECT a.run FROM answers a LEFT JOIN runs r ON a.run = r.run GROUP BY a.run, judge
       HAVING (count(*) <= any_value(items) AND bool_and((isfinite(coalesce(bits, 0)) AND len(output) = len(labels)
       AND list_count(output) = len(labels) AND list_min(output) >= 0 AND abs(list_sum(output) - 1) < 1e-6) IS TRUE)
       AND EXISTS (SELECT 1 FROM judges j WHERE j.run = a.run AND j.judge = a.judge)) IS NOT TRUE""",
    "people": """SELECT p.run FROM people p LEFT JOIN runs r ON p.run = r.run WHERE (len(counts) = len(labels)
       AND list_count(counts) = len(labels) AND list_min(counts) >= 0 AND coalesce(agreement, 0) BETWEEN 0 AND 1)
       IS NOT TRUE""",
}
"""By table, rows that we never write."""
WHERE = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"


@contextmanager
def opened(path: Path, *, writes: bool) -> Iterator["duckdb.DuckDBPyConnection"]:
    """A connection to a history; waits while another process writes, and says so if that takes too long."""
    place = path.resolve()  # `:memory:` and `md:x` are names of files, too
    if place.exists() and not place.is_file():
        raise FileError(f"{path} is a folder, a device or a pipe, not a file: name another one.")
    connection = _waited(place, writes=writes)
    try:
        if connection.execute(WHERE).fetchone() == (None,):
            raise _no_history(path)  # duckdb shows a table of this name, and what is written goes nowhere
        yield connection
    finally:
        connection.close()


def _waited(path: Path, *, writes: bool) -> "duckdb.DuckDBPyConnection":
    import duckdb  # noqa: PLC0415 - takes a while to import

    until = time.monotonic() + WAIT
    while True:
        try:
            return duckdb.connect(str(path), read_only=not writes, config={"enable_external_access": "false"})
        except duckdb.IOException as error:
            if "lock" not in str(error).lower():
                raise _refused(path, error) from error
            if time.monotonic() > until:
                raise FileError(f"{path.name} is written by another process: try again when it is done.") from error
            time.sleep(PAUSE)
        except duckdb.Error as error:
            raise _refused(path, error) from error


def _refused(path: Path, error: Exception) -> FileError:
    """What duckdb says, in one line."""
    said = _said(error, path)
    if any(word in said.lower() for word in ("not a valid", "magic", "in-memory")):
        return _no_history(path)
    return FileError(f"{path.name} cannot be opened as a history: {said}")


def _no_history(path: Path) -> FileError:
    return FileError(f"{path.name} is not a history: it is not a DuckDB file. Name one in which runs were recorded.")


def _said(error: Exception, path: Path) -> str:
    """The first line of what duckdb says, without its own name for it and without the folder."""
    line = str(error).splitlines()[0].replace(str(path), path.name)
    return line.partition("Error: ")[2] or line


def _version_of(connection: "duckdb.DuckDBPyConnection", path: Path) -> int | None:
    """The version of the tables; None where there are none yet."""
    names = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if not names:
        return None
    if not {"about", "runs"} <= names:
        raise FileError(f"{path.name} is not a history: its tables are {listed(sorted(names))}. Name another file.")
    if missing := _columns_of_tables() - set(connection.execute(COLUMNS).fetchall()):
        raise _damaged(path, f"its table {min(missing)[0]} is missing or was changed")
    (version,) = connection.execute("SELECT max(version) FROM about").fetchone() or (0,)
    if version > VERSION:
        raise FileError(
            f"{path.name} was written by a newer dissensus (tables of version {version}, here {VERSION}): update "
            "dissensus to use it."
        )
    if version == VERSION:
        for table, rows in IMPOSSIBLE.items():
            found = connection.execute(f"SELECT min(run) FROM ({rows})").fetchone()
            if found is not None and found[0] is not None:
                raise _damaged(path, f"rows of run {found[0]} in its table {table} were changed")
    return int(version)


def _columns_of_tables() -> set[tuple[str, str, str]]:
    """Table, name and type of each column that a history has."""
    import duckdb  # noqa: PLC0415 - as above

    with duckdb.connect() as empty:
        for statement in TABLES:
            empty.execute(statement)
        return set(empty.execute(COLUMNS).fetchall())


# ---- Writing


def record(path: Path, runs: Sequence[NewRun], *, recorded_at: str) -> int:
    """Keep runs, all of them or none, and return the number of the first; `recorded_at` is an ISO time in UTC.

    The history is made if it is not there, and brought to this version of the tables if it is older.
    """
    import duckdb  # noqa: PLC0415 - takes a while to import

    _make(path)
    with _understood(path), opened(path, writes=True) as connection:
        try:
            connection.execute("BEGIN")
            _prepare(connection, path)
            (last,) = connection.execute("SELECT coalesce(max(run), 0) FROM runs").fetchone() or (0,)
            for number, run in enumerate(runs, start=last + 1):
                _insert(connection, number, run, recorded_at)
            connection.execute("COMMIT")
        except duckdb.Error as error:
            kept = "the run was not recorded, and earlier ones are kept"
            raise FileError(f"{path.name}: {kept}: {_said(error, path)}") from error
    return int(last) + 1


def _make(path: Path) -> None:
    """A new history appears with its tables, or not at all: whatever kills the process, no half of a file is left."""
    import duckdb  # noqa: PLC0415 - as above

    place = path.resolve()
    if place.exists() or not place.parent.is_dir():
        return
    try:
        with tempfile.TemporaryDirectory(prefix=f".{place.name[:30]}.", suffix=".part", dir=place.parent) as folder:
            beside = Path(folder) / place.name
            with opened(beside, writes=True) as connection:
                _prepare(connection, path)
            with suppress(OSError):  # another process was first, or the disk has no links: then it is made in place
                os.link(beside, place)
    except (OSError, duckdb.Error) as error:
        said = error.strerror if isinstance(error, OSError) else _said(error, path)
        raise FileError(f"{path.name} cannot be made: {said}. Name another place.") from error


def _prepare(connection: "duckdb.DuckDBPyConnection", path: Path) -> None:
    """Make the tables, or bring older ones to this version."""
    version = _version_of(connection, path)
    if version is None:
        for statement in TABLES:
            connection.execute(statement)
        connection.execute("INSERT INTO about VALUES (?)", [VERSION])
        return
    for older in range(version, VERSION):
        for statement in MIGRATIONS[older]:
            connection.execute(statement)
        connection.execute("INSERT INTO about VALUES (?)", [older + 1])


def _insert(connection: "duckdb.DuckDBPyConnection", number: int, run: NewRun, recorded_at: str) -> None:
    ratings, judges = run.data.get("ratings", {}), run.data.get("judges", {})
    row = [
        number, recorded_at, run.version, run.command, run.question, run.by, run.value, ratings.get("file"),
        ratings.get("sha256"), judges.get("file"), judges.get("sha256"), list(run.labels), len(run.items),
        ratings.get("raters"), run.verdict, _json(run.settings), _json(run.result),
    ]  # fmt: skip
    connection.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(row))})", row)
    for judge in run.judges:
        cells = [_known(getattr(judge, name)) for name in RunJudge.__slots__]
        connection.execute(f"INSERT INTO judges VALUES (?, {', '.join('?' * len(cells))})", [number, *cells])
    counts = run.counts.tolist()
    keys = [_key(item) for item in run.items]
    connection.execute(
        "INSERT INTO people SELECT ?, unnest(?), unnest(?), unnest(?), unnest(?)",
        [number, list(run.items), keys, counts, [_known(one) for one in agreements(run.counts).tolist()]],
    )
    rated = [_key(item, *run.labels, *map(str, own)) for item, own in zip(run.items, counts, strict=True)]
    for judge_name, outputs in run.outputs.items():
        given = np.flatnonzero(~np.isnan(outputs).any(axis=1)).tolist()
        bits = run.bits[judge_name].tolist()
        if given:
            connection.execute(
                "INSERT INTO answers SELECT ?, ?, unnest(?), unnest(?), unnest(?), unnest(?)",
                [number, judge_name, [run.items[i] for i in given], [rated[i] for i in given],
                 outputs[given].tolist(), [_known(bits[i]) for i in given]],
            )  # fmt: skip


def agreements(counts: Codes) -> Floats:
    """Share of pairs of each item's raters who gave the same label; NaN with one rating.

    >>> agreements(np.array([[2, 1], [1, 0]]))
    array([0.33333333,        nan])
    """
    total = counts.sum(axis=1)
    pairs = (total * (total - 1)).astype(np.float64)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / np.where(pairs > 0, pairs, np.nan))


def _key(*parts: str) -> int:
    """A number for an item, or for an item and people's labels: equal where these are."""
    joined = "\x1f".join(part.replace("\x1f", "\x1f\x1f") for part in parts)
    return int.from_bytes(hashlib.blake2b(joined.encode(), digest_size=8).digest(), "big")


def _known(value: object) -> object:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _json(value: object) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, default=str)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return _known(value)


# ---- Reading


@contextmanager
def _current(path: Path) -> Iterator["duckdb.DuckDBPyConnection"]:
    """A connection to read from, to tables of this version."""
    if not path.is_file():
        raise FileError(f"There is no history {path}: record a run of decide, judges or gate there first.")
    with _understood(path), opened(path, writes=False) as connection:
        version = _version_of(connection, path)
        if version is None:
            raise _empty(path)
        if version == VERSION:
            yield connection
            return
    record(path, (), recorded_at="")  # brings the tables to this version
    with _understood(path), opened(path, writes=False) as connection:
        yield connection


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    """An error in one line where the tables of a file are not as we write them."""
    import duckdb  # noqa: PLC0415 - as above

    try:
        yield
    except FileError:
        raise
    except duckdb.Error as error:
        raise _damaged(path, _said(error, path)) from error
    except DissensusError as error:
        raise _damaged(path, str(error).rstrip(".")) from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise _damaged(path, type(error).__name__) from error


def _empty(path: Path) -> FileError:
    return FileError(f"{path.name} holds no run yet: record one of decide, judges or gate there first.")


def _damaged(path: Path, reason: str) -> FileError:
    return FileError(f"{path.name} is damaged, or not a history of ours ({reason}): take it from a copy.")


def read_history(path: Path) -> History:
    """The runs of a history; a FileError if there is none, or no run in it."""
    with _current(path) as connection:
        of_run: dict[int, list[RunJudge]] = {}
        for run, *cells in connection.execute("SELECT * FROM judges ORDER BY run").fetchall():
            of_run.setdefault(run, []).append(RunJudge(**_judge(cells)))
        columns = (
            "run, strftime(recorded_at, '%Y-%m-%d %H:%M:%S'), command, question, by_column, by_value, labels, items, "
            "raters, verdict, ratings_sha256, judges_sha256"
        )
        rows = connection.execute(f"SELECT {columns} FROM runs ORDER BY run").fetchall()
        names = [name for name in Run.__slots__ if name != "judges"]
        runs = [dict(zip(names, row, strict=True)) for row in rows]
        made = tuple(
            Run(**(own | {"labels": tuple(own["labels"]), "judges": tuple(of_run.get(own["run"], ()))})) for own in runs
        )
        if not made:
            raise _empty(path)
        return History(path=path.name, runs=made, scores=_scores(connection), **_people(connection, made))


def _judge(cells: Sequence[Any]) -> dict[str, Any]:
    """The fields of a judge; a number that is missing is NaN."""
    own = dict(zip(RunJudge.__slots__, cells, strict=True))
    return {name: np.nan if value is None and name != "worth_verdict" else value for name, value in own.items()}


def _scores(connection: "duckdb.DuckDBPyConnection") -> dict[str, tuple[Codes, Codes, Floats]]:
    names = [row[0] for row in connection.execute("SELECT DISTINCT judge FROM answers ORDER BY judge").fetchall()]
    wanted = "SELECT run, key, bits FROM answers WHERE judge = ? AND bits IS NOT NULL"
    found = {}
    for name in names:
        columns = connection.execute(wanted, [name]).fetchnumpy()
        found[name] = (_codes(columns["run"]), _codes(columns["key"]), np.asarray(columns["bits"], dtype=np.float64))
    return found


def _people(connection: "duckdb.DuckDBPyConnection", runs: Sequence[Run]) -> dict[str, Any]:
    each = ", ".join(f"counts[{i + 1}] / list_sum(counts) AS share_{i}" for i in range(MOST_SHARES))
    columns = connection.execute(f"SELECT run, key, agreement, {each} FROM people").fetchnumpy()
    run, shares = _codes(columns["run"]), dict[tuple[str, ...], Floats]()
    for labels in dict.fromkeys(own.labels for own in runs):
        if len(labels) > MOST_SHARES:
            continue
        table = np.stack([_floats(columns[f"share_{i}"]) for i in range(len(labels))], axis=1)
        others = [own.run for own in runs if own.labels != labels]
        shares[labels] = np.where(np.isin(run, others)[:, None], np.nan, table) if others else table
    return {"people": (run, _codes(columns["key"]), _floats(columns["agreement"])), "shares": shares}


def _codes(column: object) -> Codes:
    return np.asarray(column).astype(np.uint64).view(np.int64).astype(np.intp)


def _floats(column: object) -> Floats:
    return np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan)


def last_passed(path: Path, judge: str) -> tuple[Judges, str]:
    """The answers of a judge in the last run whose gate it passed, and what to call that run."""
    with _current(path) as connection:
        found = connection.execute(
            "SELECT r.run, strftime(r.recorded_at, '%Y-%m-%d'), r.labels FROM runs r WHERE r.verdict = 'pass' AND "
            "r.by_value IS NULL AND EXISTS (SELECT 1 FROM answers a WHERE a.run = r.run AND a.judge = ?) "
            "ORDER BY r.run DESC LIMIT 1", [judge],
        ).fetchone()  # fmt: skip
        if found is None:
            raise FileError(
                f"{path.name} has no gate that {judge} passed: record one there first, "
                "or give the earlier answers as a file."
            )
        run, day, labels = found
        rows = connection.execute(
            "SELECT item, output FROM answers WHERE run = ? AND judge = ? ORDER BY item", [run, judge]
        ).fetchall()
        places, number = np.arange(len(rows)), np.zeros(len(rows), dtype=np.intp)
        return Judges(
            item=places, judge=number, sample=number, label=number - 1, items=tuple(item for item, _ in rows),
            judges=(judge,), labels=tuple(labels), options=tuple(labels),
            probability=np.array([out for _, out in rows]),
        ), f"run {run} of {day}"  # fmt: skip
