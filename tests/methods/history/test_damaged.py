"""Histories that are damaged, or that something else made: one line, and the file is as it was."""

import duckdb
import pytest
from tests.methods.history.test_history import AT, made_run

from dissensus.cli.main import main
from dissensus.data.history import last_passed, read_history, record
from dissensus.errors import FileError

FILES = ["example:binary", "example:binary", "--bootstrap", "20"]
READING = {"history": ["history"], "gate": ["gate", *FILES, "--judge", "classifier", "--margin", "1", "--baseline"]}
WRITING = {"record": ["judges", *FILES, "--record"]}
TABLES = {
    "a table is gone": "DROP TABLE people",
    "a view in its place": "CREATE TABLE t AS FROM runs; DROP TABLE runs; CREATE VIEW runs AS FROM t",
    "no version": "DELETE FROM about",
    "a version before the first": "UPDATE about SET version = -1",
    "a column is gone": "ALTER TABLE answers DROP COLUMN output",
    "a column of another name": "ALTER TABLE runs RENAME COLUMN verdict TO said",
    "labels as text": "ALTER TABLE runs ALTER labels TYPE VARCHAR",
    "keys as text": "ALTER TABLE people ALTER key TYPE VARCHAR USING 'x' || key",
}
ROWS = {
    "no labels": "UPDATE runs SET labels = NULL",
    "a label twice": "UPDATE runs SET labels = ['a', 'a']",
    "a label that is none": "UPDATE runs SET labels = ['a', NULL]",
    "labels of another number": "UPDATE runs SET labels = ['a', 'b', 'c']",
    "a run by no command": "INSERT INTO runs (run, recorded_at) VALUES (7, now()::TIMESTAMP)",
    "a run without its rows": "DELETE FROM people",
    "a run without its judges": "DELETE FROM judges",
    "rows without their run": "UPDATE judges SET run = 9",
    "a time that never was": "UPDATE runs SET recorded_at = 'infinity'",
    "no answers": "UPDATE answers SET output = NULL",
    "answers of several lengths": "UPDATE answers SET output = [1] WHERE item = 'i0'",
    "answers that are no shares": "UPDATE answers SET output = [2, -1] WHERE item = 'i0'",
    "answers that are no numbers": "UPDATE answers SET output = ['nan'::DOUBLE, 1] WHERE item = 'i0'",
    "scores that are no numbers": "UPDATE answers SET bits = 'inf' WHERE item = 'i0'",
    "answers twice": "INSERT INTO answers FROM answers",
    "ratings twice": "INSERT INTO people FROM people",
    "counts of no label": "UPDATE people SET counts = [1] WHERE item = 'i0'",
    "fewer than no ratings": "UPDATE people SET counts = [-1, 2] WHERE item = 'i0'",
    "agreement of all and more": "UPDATE people SET agreement = 2 WHERE item = 'i0'",
    "a worth that is not a number": "UPDATE judges SET worth = 'nan'",
}


def damaged(path, statements):
    """A history with a gate that the classifier passed, and then this was done to it."""
    record(path, [made_run(verdict="pass")], recorded_at=AT)
    with duckdb.connect(str(path)) as plain:
        for table in ("answers", "judges"):
            plain.execute(f"UPDATE {table} SET judge = 'classifier'")
        plain.execute(statements)
    return path


def refused_in_one_line(path, command, capsys):
    before = path.read_bytes()
    assert main([*command, str(path)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("dissensus: h.duckdb ")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("command", (READING | WRITING).values(), ids=READING | WRITING)
@pytest.mark.parametrize("damage", TABLES.values(), ids=TABLES)
def test_other_tables_are_one_line_and_stay_as_they_are(tmp_path, capsys, damage, command):
    refused_in_one_line(damaged(tmp_path / "h.duckdb", damage), command, capsys)


@pytest.mark.parametrize("command", (READING | WRITING).values(), ids=READING | WRITING)
def test_a_history_that_was_cut_off_is_one_line(tmp_path, capsys, command):
    path = damaged(tmp_path / "h.duckdb", "CHECKPOINT")
    path.write_bytes(path.read_bytes()[:9000])
    refused_in_one_line(path, command, capsys)


@pytest.mark.parametrize("damage", ROWS.values(), ids=ROWS)
def test_rows_that_cannot_be_are_one_line_and_no_run_is_added(tmp_path, damage):
    path = damaged(tmp_path / "h.duckdb", damage)
    before = path.read_bytes()
    for use in (
        lambda: record(path, [made_run()], recorded_at=AT), lambda: read_history(path),
        lambda: last_passed(path, "classifier"),
    ):  # fmt: skip
        with pytest.raises(FileError, match=r"h\.duckdb is damaged, .* were changed\): take it from a copy"):
            use()
    assert path.read_bytes() == before
