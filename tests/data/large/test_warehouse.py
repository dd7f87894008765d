"""The SQL in the how-to makes, in every database, the table of counts that the commands take for the ratings."""

import csv
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from dissensus.cli.main import main
from dissensus.data.paths import example_path

from warehouses import Duckdb, Sqlite, running_postgresql

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "count-ratings-in-a-warehouse.md"
BLOCK = re.compile(r"^<!-- sql: (?P<name>[^\n]+) -->\n```sql\n(?P<query>.*?)^```$", re.MULTILINE | re.DOTALL)
SQL = {block["name"]: block["query"] for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))}

COLUMNS = ("item", "rater", "label", "panel", "rated_at")
ANSWERS = {
    "q1": ['say "no"', "it's, fine", "naïve 😀", 'say "no"', None, ""],
    "q2": [" yes ", "yes", "1", "1.0", "01", "  "],
    "q3": ["A|B", "B|A", "A", "two\nlines", "NULL", "A|B"],
    "q;4": ["yes", "yes", "it's, fine", "; DROP TABLE ratings; --", "A", "\\N"],
    "unseen": [None, "", None],
}
HOSTILE = [
    (item, f"r{place}", label, ("east", "west", None)[place % 3], place)
    for item, labels in ANSWERS.items()
    for place, label in enumerate(labels)
]
AGAIN = [("q1", "r0", "yes", "east", 10), ("q1", "r1", None, "west", 11), ("q3", "r2", "B|A", None, 12)]
"""Raters who come back; the second one without a label."""
JUDGED = ["No", "Yes"]
KEYS = ("items", "ratings", "ratings_per_item", "labels", "pairwise_agreement", "coefficients")
"""What `describe` says that does not ask who rated."""
FIXED = ("--raters", "fixed")
"""Counts do not say who rated: their intervals are for these raters, as those of the rows can be."""


@pytest.fixture(scope="session")
def postgresql():
    with running_postgresql() as server:
        yield server


@pytest.fixture(params=["duckdb", "sqlite", "postgresql"])
def database(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgresql")
    return {"duckdb": Duckdb, "sqlite": Sqlite}[request.param](tmp_path)


def write_csv(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return path


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def run(capsys):
    """Run a command: its whole JSON."""

    def call(*arguments):
        status = main([*map(str, arguments), "--json", "--quiet"])
        printed = capsys.readouterr()
        assert (status, printed.err) == (0, "")
        return json.loads(printed.out)

    return call


def described(envelope):
    return {key: envelope["result"][key] for key in KEYS}


WAREHOUSES = ("bigquery", "snowflake", "databricks", "redshift", "postgres", "duckdb")
BACKTICKS = ("bigquery", "databricks")
PLAIN = ("counts", "repeated", "last", "groups")
JUDGES = ("judges from labels", "judges from probabilities")


def query_for(name, dialect):
    """The query that the page has for a database."""
    return SQL[f"{name}, backticks" if name in JUDGES and dialect in BACKTICKS else name]


def test_the_page_has_its_queries():
    assert set(SQL) == {
        *PLAIN, *JUDGES, *(f"{name}, backticks" for name in JUDGES), *(f"export, {name}" for name in WAREHOUSES)
    }  # fmt: skip
    assert all(query.count("GROUP BY") == 1 for query in SQL.values())


@pytest.mark.parametrize("dialect", WAREHOUSES)
@pytest.mark.parametrize("name", [*PLAIN, *JUDGES])
def test_a_query_means_the_same_in_every_warehouse(name, dialect):
    # Parsed as that warehouse parses it: what it averages are columns and cases, never a text in quotes.
    tree = sqlglot.parse_one(query_for(name, dialect), read=dialect)
    assert all(isinstance(mean.this, exp.Column | exp.Case) for mean in tree.find_all(exp.Avg))
    assert {column.name for column in tree.find_all(exp.Column)} <= {*COLUMNS, "judge", "place", "p_No", "p_Yes"}
    # ... and answers as the query of duckdb does, once it is written in duckdb's words.
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE ratings (item TEXT, rater TEXT, label TEXT, panel TEXT, rated_at INTEGER)")
        connection.executemany("INSERT INTO ratings VALUES (?, ?, ?, ?, ?)", [*HOSTILE, *AGAIN])
        connection.execute(
            'CREATE TABLE answers (item TEXT, judge TEXT, label TEXT, "p_No" DOUBLE, "p_Yes" DOUBLE);'
            "INSERT INTO answers VALUES ('q', 'j', 'No', 0.25, 0.75), ('q', 'j', 'Yes', 0.5, 0.5)"
        )
        theirs = sqlglot.transpile(query_for(name, dialect), read=dialect, write="duckdb")[0]
        names, rows = [], []
        for query in (theirs, query_for(name, "duckdb")):
            answer = connection.execute(query)
            names.append([column[0] for column in answer.description])
            rows.append(sorted(answer.fetchall(), key=str))
    assert names[0] == names[1]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_the_way_out_is_sql_of_its_warehouse_around_the_same_query(dialect):
    statement = SQL[f"export, {dialect}"]
    if dialect == "redshift":  # sqlglot does not know UNLOAD, which holds its query as a text
        inner = re.fullmatch(r"UNLOAD \('([^']+)'\)\nTO '[^']+' IAM_ROLE default FORMAT AS PARQUET\n", statement)[1]
        found = sqlglot.parse_one(inner, read=dialect)
    else:
        found = sqlglot.parse_one(statement, read=dialect).find(exp.Select)
    assert found.sql() == sqlglot.parse_one(SQL["counts"]).sql()


def test_duckdb_writes_the_counts_as_the_page_says(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    database = Duckdb(tmp_path)
    database.load("ratings", COLUMNS, HOSTILE)
    database.connection.execute(SQL["export, duckdb"])
    assert run("describe", "counts.parquet", "--bootstrap", 0)["result"]["ratings"] == 21  # as above, by hand


def test_counts_are_what_plain_python_counts(database, tmp_path):
    database.load("ratings", COLUMNS, HOSTILE)
    database.export(SQL["counts"], tmp_path / "counts.csv")
    # A CSV file does not tell a label that is NULL from an empty one: both are missing.
    expected = Counter((item, label or "") for item, _, label, *_ in HOSTILE)
    found = Counter()
    for row in read_csv(tmp_path / "counts.csv"):
        found[row["item"], row["label"]] += int(row["count"])
    assert found == expected


def test_hostile_labels_are_described_as_from_the_rows(database, tmp_path, run):
    database.load("ratings", COLUMNS, HOSTILE)
    database.export(SQL["counts"], tmp_path / "counts.csv")
    rows = write_csv(tmp_path / "rows.csv", COLUMNS[:3], [row[:3] for row in HOSTILE])
    one, other = run("describe", rows, *FIXED), run("describe", tmp_path / "counts.csv")
    assert described(one) == described(other)
    # By hand: q2 has yes twice and the number 1 three times; q3 the set of A and B three times.
    shown = {row["label"]: row["count"] for row in other["result"]["labels"]}
    assert (shown["yes"], shown["1"], shown["A|B"], shown["A"]) == (4, 3, 3, 2)
    assert (other["result"]["items"], other["result"]["ratings"]) == (4, 21)
    assert one["warnings"][:2] == ["Left out 6 ratings without a label.", "Left out 1 item without any label."]
    assert set(one["warnings"]) < set(other["warnings"])  # which also say that nobody knows who rated


def test_repeated_ratings_are_found_and_counted_or_dropped(database, tmp_path, run):
    database.load("ratings", COLUMNS, [*HOSTILE, *AGAIN])
    rows = write_csv(tmp_path / "rows.csv", COLUMNS[:3], [row[:3] for row in [*HOSTILE, *AGAIN]])
    database.export(SQL["repeated"], tmp_path / "repeated.csv")
    found = [tuple(row.values()) for row in read_csv(tmp_path / "repeated.csv")]
    assert found == [("q1", "r0", "2"), ("q3", "r2", "2")]  # the second rater came back without a label
    for query, repeats in (("counts", "keep"), ("last", "last")):
        database.export(SQL[query], tmp_path / "counts.csv")
        kept = run("describe", rows, "--repeats", repeats, *FIXED)
        assert described(run("describe", tmp_path / "counts.csv")) == described(kept)
    database.export(SQL["last"].replace(" DESC", ""), tmp_path / "counts.csv")
    kept = run("describe", rows, "--repeats", "first", *FIXED)
    assert described(run("describe", tmp_path / "counts.csv")) == described(kept)


def test_groups_are_described_as_from_the_rows(database, tmp_path, run):
    database.load("ratings", COLUMNS, HOSTILE)
    database.export(SQL["groups"], tmp_path / "counts.csv")
    rows = write_csv(tmp_path / "rows.csv", COLUMNS, HOSTILE)
    one, other = (
        run("describe", path, "--group", "panel")["result"]["groups"] for path in (rows, tmp_path / "counts.csv")
    )
    assert [part["group"] for part in one] == ["(none)", "east", "west"]
    assert [{key: part[key] for key in KEYS} for part in one] == [{key: part[key] for key in KEYS} for part in other]


YES = [0, 1, 2, 3, 4, 5] * 5
"""How many of five raters say yes to each of 30 items."""
RATED = [(f"q{i}", f"r{r}", JUDGED[r < yes]) for i, yes in enumerate(YES) for r in range(5)]
SAID = [
    (f"q{i}", "many", str(s), None if (i, s) == (2, 3) else JUDGED[s < yes])
    for i, yes in enumerate(YES)
    for s in range(4)
]
SURE = [
    (f"q{i}", "sure", str(s), 0.875 - 0.125 * yes - 0.0625 * s, 0.125 + 0.125 * yes + 0.0625 * s)
    for i, yes in enumerate(YES)
    for s in range(2)
]


@pytest.mark.parametrize(
    ("kind", "columns", "rows"),
    [
        ("labels", ("item", "judge", "sample", "label"), SAID),
        ("probabilities", ("item", "judge", "sample", "p_No", "p_Yes"), SURE),
    ],
    ids=["labels", "probabilities"],
)
def test_judges_averaged_by_the_query_are_worth_what_their_samples_are(database, kind, columns, rows, tmp_path, run):
    ratings, whole = tmp_path / "ratings.csv", tmp_path / "whole.csv"
    write_csv(ratings, COLUMNS[:3], RATED)
    write_csv(whole, columns, rows)
    database.load("answers", columns, rows)
    database.export(SQL[f"judges from {kind}"], tmp_path / "averaged.csv")
    one, other = (
        run("equivalence", ratings, path, "--bootstrap", 20)["result"] for path in (whole, tmp_path / "averaged.csv")
    )
    assert other["curve"] == one["curve"]
    assert other["judges"][0]["verdict"] == one["judges"][0]["verdict"]
    for key in ("score", "low", "high"):  # thirds are rounded on their way through a file
        assert other["judges"][0][key] == pytest.approx(one["judges"][0][key], rel=1e-9)


def test_real_ratings_counted_give_the_same_numbers_to_the_last_digit(database, shared, tmp_path, run):
    folder = shared / "data" / "wiki_attacks"
    cells = duckdb.sql(f"SELECT item, rater, label FROM read_csv('{folder}/ratings.csv.gz', all_varchar = true)")
    database.load("ratings", ("item", "rater", "label"), cells.fetchall())
    paths = [tmp_path / "counts.csv"]
    database.export(SQL["counts"], paths[0])
    if isinstance(database, Duckdb):
        paths.append(tmp_path / "counts.parquet")
        database.export(SQL["counts"], paths[1])
    rows, judges = folder / "ratings.csv.gz", folder / "judges.csv"
    options = ("--bootstrap", 20, "--max-raters", 5)
    worth = run("equivalence", rows, judges, *options, *FIXED)["result"]
    expected = described(run("describe", rows, "--bootstrap", 20, *FIXED)), worth
    for path in paths:
        assert described(run("describe", path, "--bootstrap", 20)) == expected[0]
        assert run("equivalence", path, judges, *options)["result"] == expected[1]


@pytest.mark.parametrize(
    "command", re.findall(r"^\| (?:PostgreSQL|SQLite) \| `([^`]+)`", PAGE.read_text(), re.MULTILINE)
)
def test_the_way_out_is_the_command_of_the_page(command, request, tmp_path):
    program = command.split()[0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    database = request.getfixturevalue("postgresql") if program == "psql" else Sqlite(tmp_path)
    database.load("ratings", COLUMNS, HOSTILE)
    (tmp_path / "counts.sql").write_text(SQL["counts"], encoding="utf-8")
    environment = database.environment if program == "psql" else None
    subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, env=environment, check=True)
    assert sum(int(row["count"]) for row in read_csv(tmp_path / "counts.csv")) == len(HOSTILE)


# Which commands take counts


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Counts of the bundled ratings, and their judges."""
    folder, example = tmp_path_factory.mktemp("counts"), example_path("binary")
    database = Duckdb(folder)
    database.connection.execute(
        f"CREATE TABLE ratings AS FROM read_csv('{example / 'ratings.csv'}', all_varchar = true)"
    )
    database.export(SQL["counts"], folder / "counts.csv")
    return {"COUNTS": str(folder / "counts.csv"), "JUDGES": str(example / "judges.csv"), "OUT": str(folder)}


@pytest.mark.parametrize(
    "command",
    [
        "describe COUNTS --bootstrap 10",
        "equivalence COUNTS JUDGES --judge classifier --bootstrap 10",
        "judges COUNTS JUDGES --bootstrap 10",
        "compare COUNTS JUDGES --resamples 100 --bootstrap 10",
        "report COUNTS JUDGES -o OUT/report.html --bootstrap 10",
        "gate COUNTS JUDGES --judge classifier --min-equivalence 0 --bootstrap 20",
        "prevalence COUNTS JUDGES --positive Yes",
        "panel COUNTS JUDGES --bootstrap 10",
        "plan raters --pilot COUNTS --pilot-judges JUDGES --a classifier --b keywords --items 20 --raters 3",
        "plan labels --pilot COUNTS --pilot-judges JUDGES --a classifier --b keywords --budget 100",
        "doctor COUNTS",
        "import COUNTS -o OUT/imported.csv",
    ],
    ids=lambda command: command.split(" COUNTS")[0],
)
def test_a_command_takes_counts(command, files, run):
    name = command.partition(" COUNTS")[0].removesuffix(" --pilot")
    assert f"`{name}`" not in PAGE.read_text().partition("## What needs the rater")[2]
    words = [re.sub("COUNTS|JUDGES|OUT", lambda found: files[found[0]], word) for word in command.split()]
    assert run(*words)["command"] == name


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("raters COUNTS", "The ratings do not say who rated what: add a rater column."),
        ("alt-test COUNTS JUDGES", "these ratings do not say who gave them"),
        (
            "equivalence COUNTS JUDGES --judge classifier --weights rater",
            "--weights rater needs to know who rated: the ratings have no rater column.",
        ),
    ],
    ids=["raters", "alt-test", "equivalence"],
)
def test_a_command_that_needs_the_rater_says_so_in_one_line(command, message, files, capsys):
    assert main([files.get(word, word) for word in command.split()]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("dissensus: ")
    assert printed.err.count("\n") == 1
    assert message in printed.err
