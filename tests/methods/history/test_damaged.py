"""Histories that are damaged, or that something else made: one line, and the file is as it was."""

import duckdb
import pytest
from tests.methods.history.test_history import AT, made_run

from dissensus.cli.main import main
from dissensus.data.history import record

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
    "no answers": "UPDATE answers SET output = NULL",
    "answers of several lengths": "UPDATE answers SET output = [1] WHERE item = 'i0'",
}


def damaged(path, statements):
    """A history with a gate that the classifier passed, and then this was done to it."""
    record(path, [made_run(verdict="pass")], recorded_at=AT)
    with duckdb.connect(str(path)) as plain:
        plain.execute("UPDATE answers SET judge = 'classifier'")
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
def test_rows_that_cannot_be_are_no_baseline(tmp_path, capsys, damage):
    refused_in_one_line(damaged(tmp_path / "h.duckdb", damage), READING["gate"], capsys)
