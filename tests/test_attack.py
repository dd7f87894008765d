"""What an attack found, case by case: nothing silent, nothing lost, no traceback."""

import gzip
import importlib
import importlib.util
import json
import os
import pickle
import random
import re
import shlex
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

import pytest

import dissensus
from dissensus.cli.flags import flag_of
from dissensus.cli.main import COMMANDS, main
from dissensus.data.sources.workbooks import _grid_size
from dissensus.data.writers import write_ratings
from dissensus.errors import named, spelled
from dissensus.methods.rate.cache import Cache

RATINGS = "item,rater,label\n" + "".join(
    f"i{i},r{r},{'y' if (i * (r + 2)) % 3 else 'n'}\n" for i in range(20) for r in range(3)
)
JUDGES = "item,judge,label\n" + "".join(f"i{i},j,{'y' if i % 3 else 'n'}\n" for i in range(20))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text(RATINGS)
    (tmp_path / "j.csv").write_text(JUDGES)
    return tmp_path


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def refused(capsys, *arguments):
    """The one line with which a command refuses."""
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, ""), (status, out, err)
    assert err.count("\n") == 1
    return err


# ---- Files that are written


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "r.csv", "-o", "r.csv"),
        ("report", "r.csv", "-o", "link.csv"),
        ("report", "r.csv", "j.csv", "-o", "./j.csv"),
        ("report", "src", "-o", "src/r.csv"),
        ("report", "[r]*.csv", "-o", "r.csv"),
        ("import", "src", "-o", "src/r.csv"),
        ("decide", "r.csv", "j.csv", "-o", "r.csv"),
        ("gate", "r.csv", "j.csv", "--judge", "j", "--min-equivalence", ".1", "--junit", "r.csv"),
        ("gate", "r.csv", "j.csv", "--judge", "j", "--min-equivalence", ".1", "--summary", "j.csv"),
    ],
)
def test_no_output_takes_the_place_of_an_input(here, capsys, arguments):
    (here / "link.csv").symlink_to("r.csv")
    (here / "src").mkdir()
    os.link(here / "r.csv", here / "src" / "r.csv")
    assert "would be lost" in refused(capsys, *arguments)
    assert ((here / "r.csv").read_text(), (here / "j.csv").read_text()) == (RATINGS, JUDGES)


def test_a_report_that_nobody_named_takes_the_place_of_no_input(here, capsys):
    rows = [dict(zip(("item", "rater", "label"), line.split(","), strict=True)) for line in RATINGS.split()[1:]]
    (here / "report.json").write_text(json.dumps(rows))
    assert "would be lost" in refused(capsys, "report", "report.json", "--format", "json")
    assert json.loads((here / "report.json").read_text()) == rows


@pytest.mark.usefixtures("here")
def test_two_outputs_are_two_files(capsys):
    gate = ("gate", "r.csv", "j.csv", "--judge", "j", "--min-equivalence", ".1")
    assert "named twice" in refused(capsys, *gate, "--junit", "x", "--summary", "./x")


def test_simulate_keeps_files_that_it_did_not_write_and_renews_its_own(here, capsys):
    (here / "README.md").write_text("mine")
    assert "would be lost" in refused(capsys, "simulate", "urn", "-o", ".", "--items", 20)
    assert ((here / "README.md").read_text(), (here / "r.csv").read_text()) == ("mine", RATINGS)
    for _ in range(2):
        assert run(capsys, "simulate", "urn", "-o", "new", "--items", 20)[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        "import r.csv -o out.csv",
        "report r.csv --bootstrap 0 -o out.html",
        "report r.csv --bootstrap 0 -o out.md",
        "items r.csv j.csv -o out.csv",
        "gate r.csv j.csv --judge j --min-equivalence .1 --bootstrap 5 --junit out.xml",
        "gate r.csv j.csv --judge j --min-equivalence .1 --bootstrap 5 --summary out.md",
        "apply p.csv j.csv -o out.csv",
    ],
)
def test_a_full_disk_leaves_the_older_file(here, capsys, monkeypatch, arguments):
    def full(_handle):
        raise OSError(28, "No space left on device")

    out = arguments.split()[-1]
    (here / out).write_text("old")
    (here / "p.csv").write_text("judge,answer,p_n,p_y\nj,n,.8,.2\nj,y,.1,.9\n")
    before = {path.name for path in here.iterdir()}
    monkeypatch.setattr("os.fsync", full)
    status, _, err = run(capsys, *arguments.split())
    assert (status, err.count("\n")) == (2, 1), err
    assert "No space left on device" in err
    assert (here / out).read_text() == "old"
    assert {path.name for path in here.iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk is always full here")
@pytest.mark.parametrize("option", ["--json", "--details"])
@pytest.mark.usefixtures("here")
def test_an_answer_that_cannot_be_printed_ends_in_one_line(option):
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, "-m", "dissensus", "describe", "r.csv", "--bootstrap", "0", option]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "No space left" in done.stderr


@pytest.mark.usefixtures("here")
def test_no_name_that_is_typed_reaches_the_terminal_as_it_is(capsys):
    for words in (("describe", "r.csv", "--quiet", "\x1b[31m"), ("report", "r.csv", "-o", "\x1b[31m.html")):
        _, out, err = run(capsys, *words)
        assert "\x1b" not in out + err
        assert "\\x1b[31m" in err


TO_CSV = {
    "import": "r.csv", "apply": "p.csv j.csv", "items": "r.csv j.csv", "decide": "r.csv j.csv --bootstrap 5",
    "route": "r.csv j.csv --judge j --bootstrap 5", "rate": "r.csv --text label --task t.toml --model m",
}  # fmt: skip
"""Commands that write CSV to the file that `-o` names."""


@pytest.mark.parametrize("name", ["x.xlsx", "x.csv.gz", "x.parquet", "x.json", "x", ""])
@pytest.mark.parametrize("command", TO_CSV)
def test_no_csv_is_written_under_a_name_that_is_read_otherwise(here, capsys, command, name):
    (here / "p.csv").write_text("judge,answer,p_n,p_y\nj,n,.8,.2\nj,y,.1,.9\n")
    (here / "t.toml").write_text('name = "t"\ninstructions = "?"\noptions = ["y", "n"]\n')
    before = {path.name for path in here.iterdir()}
    wanted = "name a file that ends in .csv" if name else "the name is empty"
    assert wanted in refused(capsys, command, *TO_CSV[command].split(), "-o", name)
    assert {path.name for path in here.iterdir()} == before


@pytest.mark.usefixtures("here")
def test_a_file_without_a_name_is_not_this_folder(capsys):
    for command in ("simulate urn --items 5 -o", "report r.csv -o", "decide r.csv j.csv --record", "history"):
        assert "the name is empty" in refused(capsys, *command.split(), "")


@pytest.mark.parametrize("name", ["x" * 300, "loop/x", "r.csv/x"])
def test_a_collection_in_a_folder_that_cannot_be_is_refused_in_one_line(here, capsys, name):
    (here / "loop").symlink_to("loop")
    (here / "t.toml").write_text('name = "t"\ninstructions = "?"\noptions = ["y", "n"]\n')
    (here / "items.csv").write_text("item,text\na,b\n")
    command = ("collect", "items.csv", "--task", "t.toml", "--raters", 1, "--ratings-per-item", 1, "-o")
    assert "Cannot create a project" in refused(capsys, *command, name)
    assert "1 item is ready for 1 rater: 1 rating" in run(capsys, *command, "new")[1]


SRC = Path(dissensus.__file__).parent
WRITES = re.compile(r"""open\([^)\n]*["'](?:[wax][b+]*|rb?\+)["']|[\w)]\.write_(?:text|bytes)\(""")
IN_A_FOLDER_OF_OURS = {
    "web/uploads.py", "web/tasks.py", "data/sources/files.py", "sampling/dask_reduction.py",
    "methods/reproduce/dont_label_twice_sweep.py",
}  # fmt: skip
"""They write copies in temporary folders, or add lines to a log of their own."""


def test_files_of_the_user_are_written_in_one_place():
    found = {str(path.relative_to(SRC)) for path in SRC.rglob("*.py") if WRITES.search(path.read_text())}
    assert found == IN_A_FOLDER_OF_OURS | {"data/paths.py"}


@pytest.mark.parametrize("name", ["r.pkl", "r.csv", "r.json", "r.parquet", "r.npy", "r.eval", "r.yaml", "r.xlsx"])
def test_nothing_that_a_file_holds_is_unpickled(here, capsys, name):
    class Harmful:
        def __reduce__(self):
            return Path.touch, (here / "X",)

    (here / name).write_bytes(pickle.dumps(Harmful()))
    for command in ("describe", "doctor"):
        run(capsys, command, name)
    assert not (here / "X").exists()
    users = [
        path.name for path in SRC.rglob("*.py") if re.search(r"pickle\.|allow_pickle|read_pickle", path.read_text())
    ]
    assert users == ["dask_cluster.py"]  # tasks for a cluster, which are ours


@pytest.fixture
def cases():
    """What is thrown at the commands."""
    spec = importlib.util.spec_from_file_location("attack_cases", Path(__file__).parent / "fuzz" / "attack_cases.py")
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_is_attacked_or_excused(cases):
    assert cases.attacked() | set(cases.NOT_ATTACKED) == set(COMMANDS)
    assert not cases.attacked() & set(cases.NOT_ATTACKED)


def test_what_is_attacked_is_answered_where_the_files_are_sound(cases, here, capsys):
    for case in cases.file_cases(random.Random(0), here, is_sound=True):  # noqa: S311 - no secret
        status, _, err = run(capsys, *case.words)
        assert status == (case.words[0] == "gate"), (case.words, err)  # a share of .5 is more than this judge reaches


@pytest.mark.parametrize("value", ["\N{SUPERSCRIPT TWO}", "1,\N{SUPERSCRIPT TWO}", "9" * 5000, "", "1,,2", "x"])
@pytest.mark.parametrize("option", ["--items", "--raters", "--labels-per-item"])
def test_digits_that_are_no_number_are_refused_in_one_short_line(capsys, option, value):
    plan = ("raters", "--effect", 0.1) if option != "--labels-per-item" else ("labels", "--accuracy", 0.8)
    assert len(refused(capsys, "plan", *plan, option, value)) < 250


# ---- Files that were read otherwise than they are


@pytest.mark.parametrize("orient", ["columns", "index", "split", "table", "records"])
def test_a_table_as_pandas_writes_it_in_json_is_the_table(here, orient):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(here / "r.csv")
    frame.to_json(here / "r.json", orient=orient)
    found = dissensus.read(here / "r.json")
    assert (found.n_items, len(found.raters), found.n_ratings) == (20, 3, 60)
    assert found.rows() == dissensus.read(here / "r.csv").rows()


def test_a_dict_of_dicts_stays_one(here):
    (here / "d.json").write_text('{"ann": {"a": "y", "b": "n"}, "bob": {"a": "y", "b": "y"}}')
    found = dissensus.read(here / "d.json")
    assert (found.n_items, found.raters, found.n_ratings) == (2, ("ann", "bob"), 4)


ONE, OTHER = "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ONE, OTHER),
        ("no", "no\N{ZERO WIDTH SPACE}"),
        ("no", "no\N{SOFT HYPHEN}"),
        ("not toxic", "not\N{NO-BREAK SPACE}toxic"),
        ("no", "n\N{ZERO WIDTH JOINER}o"),
        ("no", "n\N{ZERO WIDTH NO-BREAK SPACE}o"),
    ],
)
def test_labels_that_look_the_same_are_found_told_apart_and_merged(here, capsys, one, other):
    (here / "l.csv").write_text(f"item,rater,label\na,x,{one}\na,y,{other}\nc,x,{one}\nb,x,yes\nb,y,yes\n")
    [warning] = [text for text in dissensus.read(here / "l.csv").warnings if "may be the same" in text]
    assert ascii(other)[1:-1] in warning
    assert dissensus.read(here / "l.csv", merge_case=True).labels == (one, "yes")
    assert "similar-labels" in run(capsys, "doctor", "l.csv", "--json")[1]


PILOT = "--pilot {r} --pilot-judges {j} --a j --b k --bootstrap 5"
READS = {
    "import": "{r} -o x.csv", "doctor": "{r}", "describe": "{r} --bootstrap 0",
    "raters": "{r} --bootstrap 0 --resamples 20",
    "items": "{r} {j}", "decide": "{r} {j} --bootstrap 5", "equivalence": "{r} {j} --bootstrap 0",
    "judges": "{r} {j} --bootstrap 0", "compare": "{r} {j} --bootstrap 0 --resamples 20",
    "panel": "{r} {j} --bootstrap 0",
    "alt-test": "{r} {j} --min-items 2", "prevalence": "{r} {j} --positive yes",
    "gate": "{r} {j} --judge j --min-equivalence 0.1 --bootstrap 5", "route": "{r} {j} --judge j --bootstrap 5",
    "report": "{r} {j} --bootstrap 0 -o x.html", "plan raters": PILOT, "plan labels": f"{PILOT} --budget 500",
    "apply": "p.csv {j} -o x.csv",
}  # fmt: skip
"""Commands that read labels, and how they are asked."""
READ_NO_LABELS = {"collect", "history", "rate", "demo", "serve", "reproduce", *(c for c in COMMANDS if "simulate" in c)}


def test_every_command_reads_labels_or_is_known_not_to():
    assert set(READS) | READ_NO_LABELS == set(COMMANDS)


@pytest.mark.parametrize("command", READS)
def test_every_command_warns_of_labels_that_look_the_same(here, capsys, command):
    people, judges = ("yes", "no", "no\N{ZERO WIDTH SPACE}"), ("yes", "no", "yes\N{SOFT HYPHEN}")
    rows = [f"i{i},r{r},{people[(i + (i % 7 == r)) % 3]}\n" for i in range(90) for r in range(3)]
    (here / "l.csv").write_text("item,rater,label\n" + "".join(rows))
    told = [f"i{i},{j},{judges[(i + (i % s == 0)) % 3]}\n" for i in range(90) for s, j in ((9, "j"), (2, "k"))]
    (here / "a.csv").write_text("item,judge,label\n" + "".join(told))
    (here / "p.csv").write_text("judge,answer,p_no,p_yes\nj,no,.8,.2\nj,yes,.1,.9\n")
    status, out, err = run(capsys, *command.split(), *READS[command].format(r="l.csv", j="a.csv").split(), "--json")
    assert status in {0, 1}, err
    wanted = [people[2]] * (command != "apply") + [judges[2]] * ("{j}" in READS[command])
    said = out if command == "doctor" else " ".join(json.loads(out)["warnings"])
    assert "similar-labels" in said or [label for label in wanted if ascii(label)[1:-1] not in said] == []


def test_a_count_beside_raters_is_said_to_be_ignored(here):
    (here / "c.csv").write_text("item,rater,label,count\na,x,y,3\na,z,n,0\nb,x,n,2\n")
    assert any(text.startswith("The column count was not used") for text in dissensus.read(here / "c.csv").warnings)


@pytest.mark.parametrize("is_large", [False, True])
def test_a_file_that_is_written_while_it_is_read_is_refused(here, capsys, monkeypatch, is_large):
    home = "dissensus.data.large.tables.tables_of" if is_large else "dissensus.data.readers.read_table"
    module, _, name = home.rpartition(".")
    reading = getattr(importlib.import_module(module), name)

    def meanwhile(*arguments, **keywords):
        with (here / "r.csv").open("a") as stream:
            stream.write("i99,r0,y\n")
        return reading(*arguments, **keywords)

    monkeypatch.setattr(home, meanwhile)
    command = ("describe", "r.csv", "--bootstrap", 0, *["--reduce"] * is_large)
    assert "r.csv changed while it was read" in refused(capsys, *command)


@pytest.mark.parametrize("number", [-2, 2, 10**9])
def test_a_number_that_no_class_has_is_no_class(here, number):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    features = {"info": {"features": {"label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}}}
    table = pa.table({"item": ["1", "1", "2"], "rater": ["a", "b", "a"], "label": [0, 1, number]})
    pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(features)}), here / "train.parquet")
    try:
        found = dissensus.read(here / "train.parquet")
    except dissensus.DissensusError:
        return
    assert [row["label"] for row in found.rows()][:2] == ["neg", "pos"]
    assert set(found.labels) <= {"neg", "pos", str(number)}


HOSTILE = "$(touch X)`touch X`;'\"|touch X"


def test_advice_about_a_hostile_name_runs_nothing_in_a_shell(here, capsys):
    names = (HOSTILE, "other")
    result = [{"from_name": name, "to_name": "t", "type": "choices", "value": {"choices": ["y"]}} for name in names]
    tasks = [{"id": i, "data": {"t": "?"}, "annotations": [{"completed_by": 1, "result": result}]} for i in range(3)]
    (here / "tasks.json").write_text(json.dumps(tasks))
    message = refused(capsys, "import", "tasks.json", "-o", "x.csv")
    [advice] = re.findall(r"--question .*?(?=, or|\. |\.$| \(|$)", message)[:1]
    done = subprocess.run(["sh", "-c", f"echo {advice}"], cwd=here, check=True, capture_output=True, timeout=20)
    assert done.stdout.decode() == f"--question {HOSTILE}\n"
    assert not (here / "X").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("import", "r.csv", "-o", "x.csv", "--map", "y=Y", "--split", ""),
        ("describe", "r.csv", "--map", "y=\udcff"),
        ("rate", "r.csv", "--task", "t.toml", "--model", "m", "--base-url", "http://["),
        ("rate", "r.csv", "--task", "t.toml", "--model", "m", "--base-url", "http://a b"),
        ("rate", "r.csv", "--task", "t.toml", "--model", "m", "--base-url", "http://x:99999999"),
        ("rate", "r.csv", "--task", "t.toml", "--model", "m", "--base-url", "http://\udcff"),
        ("describe", "counts.csv"),
        ("describe", "half.csv"),
    ],
)
def test_odd_values_end_without_a_traceback(here, capsys, arguments):
    (here / "t.toml").write_text('name = "t"\ninstructions = "?"\noptions = ["y", "n"]\n')
    (here / "counts.csv").write_text("item,y,n\na,1000000000,1\nb,1,1000000000\n")
    (here / "half.csv").write_bytes(b"item,rater,label\na,x,\xed\xa0\x80\na,y,n\n")
    status, _, err = run(capsys, *arguments)
    assert status in {0, 2}, err
    assert status == 0 or err.count("\n") == 1


# ---- Limits, and cells that spreadsheets run


def test_a_gzip_bomb_is_refused_and_a_table_is_not(here, capsys, monkeypatch):
    (here / "ok.csv.gz").write_bytes(gzip.compress(RATINGS.encode()))
    (here / "bomb.csv.gz").write_bytes(gzip.compress(RATINGS.encode() + b"a,b,c\n" * 500_000))
    monkeypatch.setattr("dissensus.data.sources.files.SMALL", 1 << 20)
    assert dissensus.read(here / "ok.csv.gz").n_ratings == 60
    message = refused(capsys, "describe", "bomb.csv.gz")
    assert "our limit for ratio is 200" in message
    assert "--limit ratio=" in message


def test_a_table_of_too_many_columns_is_refused_and_500_pass(here, capsys):
    for n in (500, 20_000):
        names = ",".join(f"x{i}" for i in range(n))
        (here / f"{n}.csv").write_text(f"item,rater,label,{names}\n" + "".join(f"{i},r,y{',' * n}\n" for i in range(3)))
    assert dissensus.read(here / "500.csv").n_ratings == 3
    assert "20,003 columns" in refused(capsys, "describe", "20000.csv")


def test_a_row_of_very_many_cells_is_refused_at_once(here, capsys):
    (here / "wide.csv").write_text("item,rater,label\n" + "a,b,c" * 100_000)
    began = time.process_time()
    assert "200,001 cells where the header has 3" in refused(capsys, "describe", "wide.csv")
    assert time.process_time() - began < 20  # it took minutes: each name was counted among all names


def write_packed(path, table, *, packing):
    """A table that unpacks to more than 64 MB, as gzip, as a workbook and as a log of Inspect have it."""
    if packing == "gzip":
        return path.with_suffix(".csv.gz").write_bytes(gzip.compress(table, 1))
    method = {"zip": zipfile.ZIP_DEFLATED, "zstd": 93}[packing]
    if packing == "zstd":
        zstandard = pytest.importorskip("zstandard")
        return path.with_suffix(".eval").write_bytes(zip_of("header.json", zstandard.compress(table), table, method))
    packed = zlib.compressobj(wbits=-15)
    content = packed.compress(table) + packed.flush()
    return path.with_suffix(".eval").write_bytes(zip_of("header.json", content, table, method))


def zip_of(name, packed, plain, method):
    """A ZIP archive of one member, whatever it is packed with."""
    fields = (20, 0, method, 0, 33, zlib.crc32(plain), len(packed), len(plain), len(name), 0)
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", *fields) + name.encode() + packed
    central = b"PK\1\2" + struct.pack("<H", 20) + struct.pack("<HHHHHIIIHH", *fields)
    central += struct.pack("<HHHII", 0, 0, 0, 0, 0) + name.encode()
    return local + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


@pytest.mark.parametrize("packing", ["gzip", "zip", "zstd"])
def test_whatever_packs_a_file_the_limits_are_the_same(here, capsys, packing):
    write_packed(here / "bomb", b" \n" * (65 << 19), packing=packing)
    [bomb] = here.glob("bomb*")
    command = ("import", bomb.name, "-o", "x.csv")
    assert "our limit for ratio is 200" in refused(capsys, *command)
    message = refused(capsys, *command, "--limit", "ratio=10000000", "--limit", "bytes=66MB")
    assert "limit" not in message  # it is read to its end, and holds nothing
    assert "our limit for bytes is 1,048,576" in refused(capsys, *command, "--limit=ratio=10000000,bytes=1MB")


LIMITED = {
    "columns": ("r.csv", "2"),
    "rows": ("r.csv", "50"),
    "cell": ("r.csv", "3"),
    "document": ("d.json", "40"),
    "depth": ("d.json", "1"),
    "labels": ("r.csv", "1"),
    "samples": ("r.csv", "400"),
    "cells": ("w.xlsx", "100"),
}


def write_limited(here):
    rows = [dict(zip(("item", "rater", "label"), line.split(","), strict=True)) for line in RATINGS.split()[1:]]
    people = {f"r{r}": {row["item"]: row["label"] for row in rows if row["rater"] == f"r{r}"} for r in range(3)}
    (here / "d.json").write_text(json.dumps(people))
    book = pytest.importorskip("openpyxl").Workbook()
    for line in RATINGS.split():
        book.active.append(line.split(","))
    book.save(here / "w.xlsx")


@pytest.mark.parametrize("limit", LIMITED)
def test_each_limit_is_named_with_what_raises_it_and_holds_in_python_too(here, capsys, monkeypatch, limit):
    write_limited(here)
    (file, low), command = LIMITED[limit], ("describe", LIMITED[limit][0], "--bootstrap", 500)
    message = refused(capsys, *command, f"--limit={limit}={low}")
    [advised] = re.findall(rf"--limit {limit}=(\d+)", message)
    assert run(capsys, *command, f"--limit={limit}={max(int(advised), 20_000)}")[0] == 0
    with (
        dissensus.limits(**{limit: low}),
        pytest.raises(dissensus.DissensusError, match=f"`{limit}={advised}` of `lim"),
    ):
        dissensus.describe(file, bootstrap=500)
    monkeypatch.setenv("DISSENSUS_LIMITS", f"{limit}={low}")
    refused(capsys, *command)


@pytest.mark.parametrize("typed", ["columns", "columns=", "columns=-1", "columns=0", "colums=3", "columns=1e5", "?"])
@pytest.mark.usefixtures("here")
def test_a_limit_that_is_none_is_refused(capsys, typed):
    refused(capsys, "describe", "r.csv", "--limit", typed)
    assert run(capsys, "describe", "r.csv", "--bootstrap", 0)[0] == 0  # and leaves nothing behind


@pytest.mark.parametrize("value", ["rows=x", "foo", "=", "memory=-1", "memory=250MB"])
@pytest.mark.usefixtures("here")
def test_limits_of_the_environment_that_are_none_are_refused_in_one_line(capsys, monkeypatch, value):
    monkeypatch.setenv("DISSENSUS_LIMITS", value)
    assert "imit" in refused(capsys, "describe", "r.csv")


def test_every_sample_of_a_real_export_is_within_the_limits(shared, capsys):
    for path in (path for path in (shared / "samples").rglob("*") if path.is_file()):
        main(["doctor", str(path)])
        assert "our limit" not in capsys.readouterr().err, path


@pytest.mark.parametrize("name", ["long.csv", "long.csv.gz"])
def test_a_very_long_last_row_is_refused_and_not_dropped(here, capsys, name):
    text = f"{RATINGS}last,r0,{'y' * 40_000_000}".encode()
    (here / name).write_bytes(gzip.compress(text, 1) if name.endswith("gz") else text)
    assert "our limit for cell" in refused(capsys, "describe", name, "--limit", "ratio=1000000")


@pytest.mark.usefixtures("here")
def test_a_number_too_large_for_a_float_is_refused_in_one_line(capsys):
    assert "cannot be inf" in refused(capsys, "describe", "r.csv", "--bootstrap", "9" * 400)


@pytest.mark.parametrize("cell", [b'r="XFD1048576"', b"r='XFD1048576'", b'r = " xfd1048576"', b'r="XFD0000001048576"'])
def test_a_cell_in_the_last_corner_counts_however_it_is_written(cell):
    assert _grid_size(b"<c " + cell + b"/>") == 16_384 * 1_048_576


LABELS = ("=1+1", "-", "+x", "@sum", "'=x", "''", "'plain", "-1", "\tx")


@pytest.mark.parametrize("rows", [1, 2000])  # few rows are read by Python's parser, many by duckdb
def test_no_file_that_we_write_has_a_formula_and_labels_come_back(here, rows):
    records = [{"item": f"={i}", "rater": "@r", "label": label} for i in range(rows) for label in LABELS[:-1]]
    ratings = dissensus.read(records, repeats="keep", labels=LABELS[:-1])
    write_ratings(ratings, here / "f.csv")
    cells = (here / "f.csv").read_text().replace('"', "").replace("\n", ",").split(",")
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@")) or cell == "-"]
    assert dissensus.read(here / "f.csv", repeats="keep", labels=LABELS[:-1]).rows() == ratings.rows()


def test_json_carries_no_character_that_turns_or_moves_text(here, capsys):
    (here / "b.csv").write_text("item,rater,label\na,x,y\u202eevil\na,z,n\x9b31m\nb,x,n\x9b31m\nb,z,n\x9b31m\n")
    out = run(capsys, "describe", "b.csv", "--json", "--bootstrap", 0)[1]
    assert not set(out) & {"\u202e", "\x9b"}
    assert {one["label"] for one in json.loads(out)["result"]["labels"]} == {"y\u202eevil", "n\x9b31m"}


@pytest.mark.parametrize("path", ["", "no\0file.csv", "x" * 300, "loop.csv", "\udcff.csv", "."])
def test_a_name_that_no_file_has_is_refused_in_one_line(here, capsys, path):
    (here / "loop.csv").symlink_to("loop.csv")
    (here / "r.csv").unlink()
    (here / "j.csv").unlink()
    refused(capsys, "describe", path)
    refused(capsys, "doctor", path)


def test_json_that_is_very_deep_is_refused_in_one_line(here, capsys):
    (here / "deep.json").write_text("[" * 100_000)
    refused(capsys, "describe", "deep.json")
    (here / "deep.jsonl").write_text('{"item": 1, "label": ' + "[" * 100_000 + "\n")
    refused(capsys, "describe", "deep.jsonl")


def test_a_column_of_texts_is_not_compared_label_by_label(here, capsys):
    (here / "t.csv").write_text("item,rater,label\n" + "".join(f"i{i // 3},r{i % 3},text {i}\n" for i in range(3000)))
    for command in ("describe", "raters"):
        assert "3,000 different labels" in refused(capsys, command, "t.csv")
    assert "3,000 different labels" in refused(capsys, "decide", "t.csv", "j.csv")
    (here / "n.csv").write_text("item,rater,label\n" + "".join(f"i{i // 3},r{i % 3},{i / 7}\n" for i in range(3000)))
    assert run(capsys, "describe", "n.csv", "--bootstrap", 0)[0] == 0  # measurements are no texts


def test_a_proposed_option_runs_nothing_when_it_is_pasted():
    text = spelled(named("question", of="read", value="$(touch X)"), flag_of)
    assert shlex.split(text)[1:] == ["$(touch X)"]
    assert "'$(touch X)'" in text


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes by name")
def test_a_pipe_or_a_device_is_no_cache(here):
    os.mkfifo(here / "pipe")
    before = Path("/dev/null").stat().st_mode
    for path in (here / "pipe", "/dev/null"):
        with pytest.raises(dissensus.DissensusError, match="a device or a pipe"):
            Cache(path)
    assert Path("/dev/null").stat().st_mode == before
