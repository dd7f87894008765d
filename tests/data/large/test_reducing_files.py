"""Large files as other tools leave them: what is read, what is refused in one line, and that no cut changes a byte."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from dissensus import read, read_reduced
from dissensus.cli.flags import flag_of
from dissensus.cli.main import whole_app
from dissensus.data.large import read_large
from dissensus.data.sources import files
from dissensus.errors import DissensusError
from dissensus.methods.equivalence.scores import label_scores
from dissensus.options import spelled

HEADER = "item,rater,label\n"
FRAME = pd.DataFrame({"item": ["1", "2"], "rater": ["a", "a"], "label": ["x", "y"]})


@pytest.fixture
def folder(tmp_path):
    """A function that writes files into a folder, given as text, bytes or frames."""

    def write(**files):
        path = tmp_path / "many"
        path.mkdir()
        for name, content in files.items():
            file = path / name.replace("__", ".")
            if isinstance(content, pd.DataFrame):
                content.to_parquet(file)
            else:
                file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def shape(path, **options):
    ratings, _ = read_reduced(path, **options)
    return ratings.items_in_all, ratings.n_ratings, ratings.labels


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf" + HEADER.encode() + b"1,a,x\n2,a,y\n",
        HEADER.replace("\n", "\r\n") + "1,a,x\r\n2,a,y",
        HEADER.replace(",", ";") + '1;a;x\n"2\n2";"say ""no""";y\n',
        " item , rater ,label\n1,a,x\n\n2,a,y\n",
        gzip.compress((HEADER + "1,a,x\n2,a,y\n").encode()),
    ],
    ids=["byte order mark", "CRLF", "quoted newline", "blanks in the header", "gzip"],
)
def test_text_files_of_other_tools_are_read(folder, text):
    assert shape(folder(a__csv=text)) == (2, 2, ("x", "y"))


def test_names_of_files_and_columns_are_taken_literally(folder):
    path = folder()
    for i, name in enumerate(["it's 100%", "new\nline", 'say "no"', "a; DROP TABLE people"]):
        (path / f"{name}.csv").write_text(f'"it""em",\'r\',label\n{i},a,x\n')
    assert shape(path, item='it"em', rater="'r'") == (4, 4, ("x",))


def test_what_other_tools_leave_beside_the_files_is_passed_over(folder):
    path = folder(a__csv=HEADER + "1,a,x\n", a__csv__md5="00", README__txt="none", _SUCCESS="", b__csv=HEADER)
    (path / "link.csv").symlink_to("a.csv")
    assert shape(path) == (1, 1, ("x",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + "1,a,x\n2,b\n", "a.csv, row 3: it has more or fewer cells than the header. Fix the row, or export "),
        (HEADER + '1,a,"x\n', 'a.csv, row 2: a quote (") is opened and never closed, or text follows a closing one. '),
        (
            (HEADER + "1,a,é\n").encode("latin1"),
            "a.csv, row 2: it is not UTF-8. Fix the row, or export the file again.",
        ),
        ("", "a.csv is empty: it has no content. Export it again."),
        (HEADER + "1,a,x\n1\0,b,x\n", f"a.csv is not a text file: byte {len(HEADER) + 8} is zero. Export the table"),
        ("\n" + HEADER + "1,a,x\n", "a.csv does not begin with its header: delete the lines above it."),
    ],
)
def test_a_faulty_text_file_is_refused_with_its_row(folder, content, message):
    with pytest.raises(DissensusError) as refusal:
        read_reduced(folder(a__csv=content))
    assert str(refusal.value).startswith(message)


def test_files_with_other_delimiters_are_refused(folder):
    path = folder(a__csv=HEADER + "1,a,x\n", b__csv=HEADER.replace(",", ";") + "1;a;x\n")
    with pytest.raises(
        DissensusError,
        match=r"b\.csv has ';' between its cells and a\.csv has ',': export them with the same separator",
    ):
        read_reduced(path)


def test_a_parquet_file_that_was_cut_off_is_named(folder):
    path = folder(a__parquet=FRAME, b__parquet=FRAME)
    (path / "b.parquet").write_bytes((path / "b.parquet").read_bytes()[:-30])
    with pytest.raises(DissensusError, match=r"many cannot be read: .*'b\.parquet'"):
        read_reduced(path)


def test_a_damaged_file_of_judges_is_not_blamed_on_the_ratings(tmp_path):
    FRAME.to_parquet(tmp_path / "r.parquet")
    FRAME.to_parquet(tmp_path / "j.parquet")
    (tmp_path / "j.parquet").write_bytes((tmp_path / "j.parquet").read_bytes()[:-30])
    with pytest.raises(DissensusError, match=r"^j\.parquet cannot be read"):
        read_reduced(tmp_path / "r.parquet", tmp_path / "j.parquet")


def test_numbers_of_several_types_are_one_column(folder):
    # The first file alone would make whole numbers of all labels, and 2.5 a 2.
    more = FRAME.assign(item=pd.array([2**40, 3], "int64"), label=[1.0, 2.5])
    path = folder(a__parquet=FRAME.assign(item=pd.array([1, 2], "int32"), label=[1, 2]), b__parquet=more)
    assert shape(path) == (4, 4, ("1", "2", "2.5"))


def test_whole_numbers_and_texts_are_texts(folder):
    path = folder(a__parquet=FRAME.assign(item=[1, 2]), b__parquet=FRAME.assign(item=["01", "3"]))
    assert shape(path) == (4, 4, ("x", "y"))


def test_columns_may_stand_in_another_order_and_others_may_differ(folder):
    more = FRAME.assign(rater="b", note=["u", "v"])[["note", "label", "rater", "item"]]
    assert shape(folder(a__parquet=FRAME.assign(note=[1, 2]), b__parquet=more)) == (2, 4, ("x", "y"))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            FRAME.assign(item=[1.0, 2.5]),
            "The column item is BIGINT in a.parquet and DOUBLE in b.parquet: export it with",
        ),
        (FRAME.drop(columns="label"), "b.parquet has no column 'label', which a.parquet has: give files of one table."),
    ],
)
def test_files_that_are_not_one_table_are_refused(folder, other, message):
    with pytest.raises(DissensusError) as refusal:
        read_reduced(folder(a__parquet=FRAME.assign(item=[1, 2]), b__parquet=other))
    assert str(refusal.value).startswith(message)


def test_folders_named_like_columns_are_no_columns(tmp_path):
    for year, rater in (("2024", "a"), ("2025", "b")):
        (tmp_path / f"label={year}").mkdir()
        FRAME.assign(rater=rater).to_parquet(tmp_path / f"label={year}" / "part.parquet")
    assert shape(tmp_path) == (2, 4, ("x", "y"))


def test_labels_that_nobody_gave_in_a_table_of_counts_could_have_been_given(tmp_path):
    counts = pd.DataFrame({"item": [1, 1, 2, 3], "label": ["a", "b", "c", "c"], "count": [2, 1, 0, None]})
    counts.to_parquet(tmp_path / "c.parquet")
    ratings, _ = read_reduced(tmp_path / "c.parquet")
    assert ratings.labels == read(tmp_path / "c.parquet").labels == ("a", "b", "c")
    assert ratings.warnings == read(tmp_path / "c.parquet").warnings
    assert ratings.warnings[0] == "Left out 2 items without any label."


def test_an_item_without_a_name_is_refused_however_many_labels_there_are(tmp_path):
    rows = [{"item": None if i == 3 else "a", "rater": f"r{i}", "label": f"label {i}"} for i in range(20)]
    pd.DataFrame(rows).to_parquet(tmp_path / "r.parquet")
    with pytest.raises(DissensusError, match="there are labels but no item"):
        read_reduced(tmp_path / "r.parquet")


def test_elicitations_in_several_spellings_are_the_same_rating_twice(tmp_path):
    frame = FRAME.assign(item="1", label="x", elicitation=["forced choice", "Forced_Choice"])
    frame.to_parquet(tmp_path / "r.parquet")
    with pytest.raises(DissensusError, match="1 rating with the item, rater and elicitation of an earlier one"):
        read_reduced(tmp_path / "r.parquet")


def judged(**columns):
    return pd.DataFrame({"item": ["1", "1", "2"], "judge": "m", **columns})


def write_both(tmp_path, answers):
    FRAME.to_parquet(tmp_path / "r.parquet")
    answers.to_parquet(tmp_path / "j.parquet")
    return tmp_path / "r.parquet", tmp_path / "j.parquet"


def test_a_sample_that_failed_and_was_asked_again_is_no_repeat(tmp_path):
    _, judges = read_reduced(*write_both(tmp_path, judged(sample=[0, 0, 0], label=["", "x", "y"])))
    assert judges.totals == (2, 2)
    assert judges.warnings == ("Left out 1 row without an answer.",)


def test_an_order_column_that_holds_something_else_is_left_alone(tmp_path):
    _, judges = read_reduced(*write_both(tmp_path, judged(order=[1, 2, 3], label=["x", "x", "y"])))
    assert judges.order is None
    assert judges.sample.max() == 1


@pytest.mark.parametrize("column", ["model", "rater"])
def test_several_judges_or_people_are_not_taken_as_samples_of_one_judge(tmp_path, column):
    answers = judged(label=["x", "x", "y"]).drop(columns="judge").assign(**{column: ["a", "b", "a"]})
    with pytest.raises(DissensusError, match=rf"j\.parquet .* no column 'judge'.* judge={column}\.$"):
        read_reduced(*write_both(tmp_path, answers))


def test_an_answer_without_an_item_is_refused(tmp_path):
    answers = judged(label=["x", "x", "y"]).assign(item=["1", None, "2"])
    with pytest.raises(DissensusError, match=r"j\.parquet: there are answers but no item"):
        read_reduced(*write_both(tmp_path, answers))


def test_the_mean_of_several_probabilities_is_that_of_rescaled_ones(tmp_path):
    answers = judged(p_x=[0.4996, 0.1, 0.5], p_y=[0.4996, 0.9, 0.5])
    _, judges = read_reduced(*write_both(tmp_path, answers))
    # (.5 + .1) / 2 = .3: the first row is rescaled to .5, .5 before it counts
    assert np.allclose(judges.probability[judges.item == judges.items.index("1"), 0], 0.3, atol=1e-12)
    assert judges.warnings == (
        "There is no sample column: several rows of one judge and item are taken as its samples.",
        "Where a judge gave probabilities several times for an item, each stands for their mean.",
        "Rescaled 1 row of probabilities that almost sum to 1.",
    )


def test_rounding_says_so_and_must_leave_something(tmp_path):
    paths = write_both(tmp_path, judged(p_x=[0.52, 0.13, 0.5], p_y=[0.48, 0.87, 0.5]))
    assert (
        "Judges' probabilities were rounded to 1 digit, as round_outputs= says."
        in read_reduced(*paths, round_outputs=1)[1].warnings
    )
    many = judged(**{f"p_{i}": 1 / 25 for i in range(25)})
    with pytest.raises(DissensusError) as refusal:
        read_reduced(*write_both(tmp_path, many), round_outputs=1)
    assert str(refusal.value) == "round_outputs= 1 rounds every probability of 3 answers to 0: give more digits."


def test_sums_of_infinite_scores_are_refused_and_of_large_ones_exact(tmp_path, monkeypatch):
    monkeypatch.setattr(read_large, "MOST_SCORED", 1)
    paths = write_both(tmp_path, judged(p_x=[0.0, 0.0, 0.25], p_y=[1.0, 1.0, 0.75]).iloc[1:])
    with pytest.raises(DissensusError, match="score is infinite without a clip: give a clip= above 0"):
        read_reduced(*paths, scored_by=label_scores("cross-entropy", clip=0.0))
    _, judges = read_reduced(*paths, scored_by=label_scores("cross-entropy", clip=2.0**-1000))
    assert judges.moments.mean.min() == -1000
    assert judges.warnings[0].startswith("Judges' probabilities make more than 1 items different")


@pytest.mark.parametrize("memory", ["1KB", "20MB"])
def test_too_little_memory_is_one_line(tmp_path, memory):
    rng = np.random.default_rng(0)
    rows = {"item": np.arange(600_000), "rater": rng.integers(2**60, size=600_000).astype(str), "label": "x"}
    pd.DataFrame(rows).to_parquet(tmp_path / "r.parquet")
    with pytest.raises(DissensusError) as refusal:
        read_reduced(tmp_path / "r.parquet", memory=memory)
    assert str(refusal.value).startswith(f"r.parquet does not fit in memory= {memory} and what is free in ")


def test_an_interrupted_query_is_an_interruption(tmp_path):
    FRAME.to_parquet(tmp_path / "r.parquet")
    code = (
        "import os, signal, sys, tempfile, threading\n"
        "tempfile.tempdir = sys.argv[2]\n"
        "from dissensus.cli.main import main\n"
        "from dissensus.data.large import read_large\n"
        "def forever(connection, *_, **__):\n"
        "    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    connection.execute('SELECT sum(hash(i) % 7) FROM range(1000000000000) t(i)').fetchall()\n"
        "read_large.reduce = lambda wanted, tables, parts, scored_by: parts.map(forever)\n"
        "sys.exit(main(['describe', sys.argv[1], '--reduce']))\n"
    )
    (tmp_path / "temporary").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "r.parquet"), str(tmp_path / "temporary")],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (130, "")
    assert not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--question", "q"], "--question q is for exports that are read whole"),
        (["--scale", "odd"], "--scale cannot be 'odd': choose one of nominal, ordinal, interval."),
        (["--repeats", "odd"], "--repeats cannot be 'odd': choose one of error, first, last, keep."),
        (["--repeats", "first"], "--repeats first needs the order of the rows, which large ratings do not keep"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(folder, options, message):
    done = CliRunner().invoke(whole_app(), ["describe", str(folder(a__parquet=FRAME)), *options])
    assert spelled(done.exception.message, flag_of).startswith(message)


def test_gzipped_text_is_large_before_plain_text_is(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGE_PARQUET", 100)
    for name in ("a.csv", "a.csv.gz", "a.parquet", "a.xlsx"):
        (tmp_path / name).write_bytes(b"x" * 200)
    assert [files.is_large(tmp_path / name) for name in ("a.csv", "a.csv.gz", "a.parquet", "a.xlsx")] == [
        False, True, True, False,
    ]  # fmt: skip


def envelope(people, answers, *options):
    """What a command says, without the names and hashes of the files."""
    done = CliRunner().invoke(whole_app(), ["equivalence", str(people), str(answers), *options, "--json", "--quiet"])
    assert done.exit_code == 0, done.exception
    said = json.loads(done.stdout)
    for data in said["data"].values():
        del data["file"], data["sha256"]
    return json.dumps(said)


@pytest.mark.parametrize("options", [["--round-outputs", "2"], []], ids=["outputs", "sums of scores"])
def test_neither_the_order_of_the_rows_nor_the_cut_into_files_changes_a_byte(tmp_path, monkeypatch, options):
    if not options:
        monkeypatch.setattr(read_large, "MOST_SCORED", 5)
    rng = np.random.default_rng(5)
    people = pd.DataFrame({"item": np.repeat(np.arange(300), 5), "rater": np.tile(np.arange(5), 300)})
    people["label"] = np.where(rng.random(1500) < np.repeat(rng.random(300), 5), "yes", "no")
    answers = pd.DataFrame({"item": np.repeat(np.arange(300), 3), "p_yes": rng.random(900)})
    answers["p_no"] = 1 - answers.p_yes
    found = set()
    for cut in (1, 2, 5):
        for name, frame in (("r", people), ("j", answers)):
            where = tmp_path / f"{name}{cut}"
            where.mkdir()
            for i, part in enumerate(np.array_split(rng.permutation(len(frame)), cut)):
                frame.iloc[part].to_parquet(where / f"{i}.parquet")
        found.add(envelope(tmp_path / f"r{cut}", tmp_path / f"j{cut}", "--bootstrap", "20", *options))
    assert len(found) == 1
