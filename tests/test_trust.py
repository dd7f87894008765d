"""Names and labels are only text, and a connection reaches nothing but its file."""

import gzip

import duckdb
import pyarrow as pa
import pytest

from dissensus.data import read
from dissensus.data.sources.source import open_sheet

from tables import COLUMNS, HEADER, PLAIN, ROWS, TRIPLES, jsonl, parquet, triples, write

FILE_NAMES = [
    "it's.csv", 'a"b.csv', "a b.csv", "*.csv", "r[12].csv", "what?.csv", "rätsel-评分.csv", "~.csv", "-x.csv",
    "'; DROP TABLE loaded; --.csv", "x') UNION SELECT * FROM read_csv('s.csv.csv", "{a,b}.csv", "$HOME.csv", "a\nb.csv",
]  # fmt: skip


@pytest.mark.parametrize("name", FILE_NAMES)
def test_a_file_name_is_taken_literally(tmp_path, name):
    write(tmp_path, HEADER + "other,o,z\n", "r1.csv")  # what the patterns would match
    write(tmp_path, HEADER + "other,o,z\n", "whatx.csv")
    assert triples(read(write(tmp_path, PLAIN, name))) == TRIPLES


def test_a_file_name_that_is_no_unicode_is_read(tmp_path):
    path = tmp_path / "r\udcff.csv"  # the byte 0xff
    try:
        path.write_text(PLAIN)
    except (OSError, UnicodeError):
        pytest.skip("this file system wants Unicode")
    assert triples(read(path)) == TRIPLES


def test_a_folder_that_looks_like_a_partition_adds_no_column(tmp_path):
    # duckdb would take label=z for a column of every row.
    folder = tmp_path / "label=z" / "rater=r"
    folder.mkdir(parents=True)
    for name, content in (("r.csv", PLAIN), ("r.jsonl", jsonl(*ROWS)), ("r.parquet", parquet(**COLUMNS))):
        assert triples(read(write(folder, content, name))) == TRIPLES


def test_a_link_is_followed_and_keeps_its_name(tmp_path):
    write(tmp_path, PLAIN, "target.csv")
    (tmp_path / "link.csv").symlink_to("target.csv")
    ratings = read(tmp_path / "link.csv")
    assert triples(ratings) == TRIPLES
    assert ratings.provenance.name == "link.csv"


COLUMN_NAMES = [
    'a"b', "it's", "c0", "loaded", "a/b~c", "json", "keys", "$.x", "select", "x\ny", "Ü", "a b", "*",
    '"; DROP TABLE loaded; --', "' || (SELECT content FROM read_text('secret.txt')) || '", "filename",
    "file_row_number",
]  # fmt: skip


@pytest.mark.parametrize("name", COLUMN_NAMES)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_column_name_is_taken_literally(tmp_path, name, kind):
    columns = {"item": ["1", "2"], name: ["x", "y"]}
    if kind == "csv":
        quoted = name.replace('"', '""')
        content = f'item,"{quoted}"\n1,x\n2,y\n'
    else:
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        content = jsonl(*rows) if kind == "jsonl" else parquet(**columns)
    ratings = read(write(tmp_path, content, f"r.{kind}"), label=name)
    assert triples(ratings) == [("1", None, "x"), ("2", None, "y")]


def test_a_nested_or_endless_label_is_only_a_text(tmp_path):
    deep, long = "[" * 100_000 + "]" * 100_000, "9" * 100_000
    lines = f'{{"item":1,"label":{deep}}}\n{{"item":2,"label":{long}}}\n{{"item":3,"label":"{long}"}}\n'
    ratings = read(write(tmp_path, lines, "r.jsonl"))
    assert set(ratings.labels) == {deep, long}


@pytest.mark.parametrize(
    "label", ["__import__('os').abort()", "[__import__('os').abort()]", "['a', print('b')]", "=1+1", "{{ 7 * 7 }}"]
)
def test_a_label_is_never_evaluated(tmp_path, label):
    assert read(write(tmp_path, jsonl({"item": 1, "label": label}), "r.jsonl")).labels == (label,)


FORBIDDEN = [
    "SELECT * FROM read_csv('{other}')",
    "SELECT * FROM read_text('{other}')",
    "SELECT * FROM '{other}'",
    "SELECT * FROM glob('{folder}/*')",
    "COPY (SELECT 1) TO '{folder}/made.csv'",
    "ATTACH '{folder}/made.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET allowed_paths = ['{other}']",
    "SELECT * FROM secret",  # a variable of the Python program
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_connection_reaches_nothing_but_the_file(tmp_path, monkeypatch, statement):
    monkeypatch.setattr("dissensus.data.sources.source.FEW_BYTES", 0)  # or Python would read it
    secret = pa.table({"x": [1]})
    assert secret.num_rows == 1
    other = write(tmp_path, PLAIN, "other.csv")
    with open_sheet(write(tmp_path, PLAIN)) as sheet:
        assert len(sheet.load(["item"]).row) == 3
        with pytest.raises(duckdb.Error):
            sheet._connection.execute(statement.format(other=other, folder=tmp_path)).fetchall()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.csv", "r.csv"]


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    read(write(tmp_path, gzip.compress(parquet(**COLUMNS)), "r.parquet.gz"))
    read(write(tmp_path, PLAIN, "[r].csv"))
    assert list(scratch.iterdir()) == []
