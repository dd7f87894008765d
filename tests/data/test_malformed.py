"""Malformed files of ratings, each with the whole message that its reader gets."""

import gzip
import os
import pickle
import re
import zlib

import pytest

from dissensus.data import read
from dissensus.errors import MissingExtraError, OptionError, RepeatedRatingsError

from tables import CHECK_LABELS, HEADER, LISTED, REPEATS, bad, parquet, typed_message_of

KNOWN = (
    ".csv, .eval, .json, .jsonl, .ndjson, .ods, .parquet, .pq, .tab, .tsv, .txt, .xls, .xlsm, .xlsx, .yaml, .yml "
    "(text and Parquet also with .gz)"
)
EXPORT = "Export the table as CSV, JSONL or Parquet."
WIDE = (
    "A wide file has one column per rater; name them with --rater, with * for any letters and commas between, "
    "or leave --wide out."
)
CUT_GZIP = (
    "cannot be unpacked: Compressed file ended before the end-of-stream marker was reached. "
    "Gzip it again, or give it unpacked."
)
PARQUET = parquet(item=["a", "b"], rater=["r", "r"], label=["x", "y"])
ONE_ROW = b"item,rater,label\n1,a,x\n"
DEEP = "[" * 100_000


MALFORMED_RATINGS = [
    bad(
        "label column missing", "r.csv", "item,annotator,rating,score\n1,a,x,y\n",
        "r.csv has no column 'label'. Columns found: item, annotator, rating, score. "
        "The likely match is rating: add --label rating.",
    ),
    bad(
        "likely match with a blank", "r.csv", "item,rater,The Label\n1,a,x\n",
        "r.csv has no column 'label'. Columns found: item, rater, The Label. "
        'The likely match is The Label: add --label "The Label".',
    ),
    bad(
        "two columns missing", "r.csv", "itm,annotator,rating,score\n1,a,x,y\n",
        "r.csv has no column 'item' and no column 'label'. Columns found: itm, annotator, rating, score. "
        "The likely matches are itm and rating: add --item itm --label rating.",
    ),
    bad(
        "two columns missing, nothing like them", "r.csv", "thing,who,what\n1,a,x\n",
        "r.csv has no column 'item' and no column 'label'. Columns found: thing, who, what. "
        "Name them with --item COLUMN --label COLUMN. If each column is a rater, add --wide.",
    ),
    bad(
        "many columns", "r.csv", "item,rater," + ",".join(f"c{i}" for i in range(20)) + "\n",
        "r.csv has no column 'label'. Columns found: item, rater, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 10 more. "
        "Name it with --label COLUMN. If each column is a rater, add --wide.",
    ),
    bad(
        "misspelt option", "r.csv", HEADER + "1,a,x\n",
        "r.csv has no column 'lable'. Columns found: item, rater, label. The likely match is label.", label="lable",
    ),
    bad(
        "option names no column", "r.csv", HEADER + "1,a,x\n",
        "r.csv has no column 'zzz'. Columns found: item, rater, label. Name one of them with --group COLUMN.",
        group="zzz",
    ),
    bad(
        "line break in a column name", "r.csv", '"it\nem",rater,label\n1,a,x\n',
        r"r.csv has no column 'item'. Columns found: it\nem, rater, label. "
        r"The likely match is it\nem: add --item 'it\nem'.",
    ),
    bad("column twice", "r.csv", "item,rater,label, label \n1,a,x,y\n",
        "r.csv has two columns called 'label': rename one of them."),
    bad("empty file", "r.csv", "", "r.csv is empty: it has no content. Export it again."),
    bad("blanks only", "r.csv", " \n\r\n\t\n", "r.csv is empty: it has nothing but blanks. Export it again."),
    bad("byte order mark only", "r.csv", b"\xef\xbb\xbf\n",
        "r.csv is empty: it has nothing but blanks. Export it again."),
    bad("header only", "r.csv", HEADER,
        "r.csv has columns but no rows below them: there is nothing to read. Export it again."),
    bad("Parquet without rows", "r.parquet", parquet(item=[], label=[]),
        "r.parquet has columns but no rows below them: there is nothing to read. Export it again."),
    bad("all labels missing", "r.csv", HEADER + "1,a,\n2,b, \n", f"r.csv has 2 rows and not one label. {CHECK_LABELS}"),
    bad("all cells of a wide file empty", "r.csv", "item,r1,r2\n1,,\n",
        f"r.csv has 1 row and not one label. {CHECK_LABELS}", wide=True),
    bad("all counts 0", "r.csv", "item,label,count\n1,x,0\n2,x,\n",
        f"r.csv has 2 rows and not one label. {CHECK_LABELS}"),
    bad("binary garbage", "r.csv", bytes(range(1, 256)),
        "r.csv, row 3: byte 0x80 after 'tuvwxyz{|}~\\x7f' is not UTF-8. "
        "Save the file in UTF-8."),
    bad("binary garbage with zeros", "r.csv", b"item\0\0\xff", f"r.csv is not a text file: byte 5 is zero. {EXPORT}"),
    bad("PNG", "r.csv", b"\x89PNG\r\n\x1a\n\0\0", f"r.csv is a PNG image, whatever its suffix says. {EXPORT}"),
    bad("Excel", "r.csv", b"PK\x03\x04\x14\0",
        f"r.csv is an Excel workbook or a ZIP archive, whatever its suffix says. {EXPORT}"),
    bad("Parquet called CSV", "r.csv", PARQUET,
        "r.csv is a Parquet file, whatever its suffix says. Rename it to end in .parquet."),
    bad("UTF-16 without a mark", "r.csv", HEADER.encode("utf-16-le"),
        f"r.csv is not a text file: byte 2 is zero. {EXPORT}"),
    # The header is row 1, a cell with a line break is one row, a blank row counts: the é stands in row 5.
    bad("UTF-8 with a byte of Latin-1", "r.csv", 'item,rater,label\n1,ä,"x\ny"\n2,a,x\n\n3,b,caf'.encode() + b"\xe9\n",
        "r.csv, row 5: byte 0xe9 after 'caf' is not UTF-8. Save the file in UTF-8."),
    bad("the same in a column that is not needed", "r.csv", "item,label,text\n1,ä,".encode() + b"\xe9\n",
        "r.csv, row 2: byte 0xe9 is not UTF-8. Save the file in UTF-8."),
    bad("Latin-1 in JSONL", "r.jsonl", '{"item":1}\n{"item":"café"}\n'.encode("latin-1"),
        "r.jsonl, row 2: byte 0xe9 after '{\"item\":\"caf' is not UTF-8. Save the file in UTF-8."),
    bad("UTF-8 cut within a letter", "r.csv", (HEADER + "1,a,é").encode()[:-1],
        "r.csv, row 2: byte 0xc3 is not UTF-8. Save the file in UTF-8."),
    bad("truncated gzip", "r.csv.gz", gzip.compress(HEADER.encode() + b"1,a,x\n" * 50)[:-12], f"r.csv.gz {CUT_GZIP}"),
    bad("truncated gzip of Parquet", "r.parquet.gz", gzip.compress(PARQUET)[:-30], f"r.parquet.gz {CUT_GZIP}"),
    bad("damaged gzip", "r.csv.gz", gzip.compress(ONE_ROW)[:-8] + b"\0" * 8,
        f"r.csv.gz cannot be unpacked: CRC check failed 0x0 != {zlib.crc32(ONE_ROW):#x}. "
        "Gzip it again, or give it unpacked."),
    bad("ZIP called gzip", "r.csv.gz", b"PK\x03\x04\x14\0",
        f"r.csv.gz is an Excel workbook or a ZIP archive, whatever its suffix says. {EXPORT}"),
    bad("gzipped twice", "r.csv.gz", gzip.compress(gzip.compress(b"x")), "r.csv.gz is gzipped twice. Unpack it once."),
    bad("text called Parquet", "r.parquet", HEADER,
        "r.parquet is not a Parquet file, whatever its suffix says. Export it again, or rename it."),
    bad("truncated Parquet", "r.parquet", PARQUET[:-20],
        "r.parquet is cut off: a Parquet file ends in PAR1. Copy or export it again."),
    bad("damaged Parquet", "r.parquet", b"PAR1" + b"\0" * 100 + b"\x10\0\0\0PAR1",
        "r.parquet is a damaged Parquet file (TProtocolException: Invalid data). Export it again."),
    bad("one repeated rating", "r.csv", HEADER + "1,a,x\n\n1,a,y\n",
        f"r.csv: 1 rating with the item and rater of an earlier one: item 1 rater a (row 4). {REPEATS}"),
    bad("nine repeated ratings", "r.csv", HEADER + "".join(f"i{i},a,x\ni{i},a,y\n" for i in range(9)),
        "r.csv: 9 ratings with the item and rater of an earlier one: item i0 rater a (row 3), item i1 rater a (row 5), "
        f"item i2 rater a (row 7), item i3 rater a (row 9), item i4 rater a (row 11) and 4 more. {REPEATS}"),
    bad("repeated elicitation, spelled in two ways", "r.csv",
        "item,rater,label,elicitation\n1,a,x,forced_choice\n1,a,y,response_set\n1,a,z,Forced-Choice\n",
        "r.csv: 1 rating with the item, rater and elicitation of an earlier one: "
        f"item 1 rater a elicitation forced_choice (row 4). {REPEATS}"),
    bad("item twice in a wide file", "r.csv", "item,r1,r2\n1,a,b\n1,b,\n",
        f"r.csv: 1 rating with the item and rater of an earlier one: item 1 rater r1 (row 3). {REPEATS}"),
    bad("row too short", "r.csv", HEADER + "1,a,x\n2,b\n",
        "r.csv, row 3: 2 cells where the header has 3. Fix the row, or quote cells that hold a ','."),
    bad("row too long", "r.csv", HEADER + "1,a,x\n2,b,y,z\n",
        "r.csv, row 3: 4 cells where the header has 3. Fix the row, or quote cells that hold a ','."),
    bad("row too long with tabs", "r.tsv", "item\trater\tlabel\n1\ta\tx\n\n2\tb\ty\tz\n",
        r"r.tsv, row 4: 4 cells where the header has 3. Fix the row, or quote cells that hold a '\t'."),
    bad("unclosed quote", "r.csv", HEADER + '1,a,x\n2,b,"y\n3,c,z\n',
        'r.csv, row 3: a quote (") is opened and never closed. Fix the quotes in that row.'),
    bad("text after a quote", "r.csv", HEADER + '1,a,"x" y\n2,b,y\n',
        'r.csv, row 2: text follows a closing quote ("). Fix the quotes in that row.'),
    bad("bad JSON line", "r.jsonl", '{"item":1,"label":"x"}\n\n{"item":2,"label":\n',
        "r.jsonl, row 3: not valid JSON (Expecting value at character 19). Write one JSON object per line."),
    bad("JSON list line", "r.jsonl", '{"item":1,"label":"x"}\n[1,2]\n',
        "r.jsonl, row 2: a list, where an object {...} is needed. Write one JSON object per line."),
    bad("JSON text line", "r.jsonl", '{"item":1,"label":"x"}\n"hello"\n',
        "r.jsonl, row 2: a single value, where an object {...} is needed. Write one JSON object per line."),
    bad("JSON key twice", "r.jsonl", '{"item":1,"label":"x"}\n{"item":1,"item":2,"label":"x"}\n',
        "r.jsonl, row 2: the key 'item' comes twice. Delete one of them."),
    bad("one JSON list over several lines", "r.jsonl", '[\n{"item":1,"label":"x"}\n]\n',
        "r.jsonl, row 1: not valid JSON (Expecting value at character 2). Write one JSON object per line."),
    bad("JSON nested without end", "r.jsonl", f'{{"item":1,"label":{DEEP}\n',
        "r.jsonl, row 1 is nested more deeply than Python can read. Check that it is the right file."),
    bad("label without item", "r.csv", HEADER + "1,a,x\n,b,y\n,c,z\n",
        "r.csv, row 3: a label but no item (2 such rows). Fill it in or delete the row."),
    bad("label without rater", "r.csv", HEADER + "1,a,x\n\n2,,y\n",
        "r.csv, row 4: a label but no rater. Fill it in or delete the row."),
    bad("unknown elicitation", "r.csv", "item,rater,label,elicitation\n1,a,x,\n1,b,x,free\n",
        "r.csv, row 3: the elicitation is 'free'. Write forced_choice or response_set, or nothing."),
    bad("negative count", "r.csv", "item,label,count\n1,x,3\n1,y,-1\n",
        "r.csv, row 3: the count is '-1'. Give a whole number, 0 or more; an empty cell is 0."),
    bad("fractional count", "r.csv", "item,label,count\n1,x,1.5\n",
        "r.csv, row 2: the count is '1.5'. Give a whole number, 0 or more; an empty cell is 0."),
    bad("count in words", "r.csv", "item,label,count\n1,x,many\n",
        "r.csv, row 2: the count is 'many'. Give a whole number, 0 or more; an empty cell is 0."),
    bad("astronomic count", "r.csv", "item,label,count\n1,x,1e30\n",
        "r.csv, row 2: the count is '1e30'. Give a whole number, 0 or more; an empty cell is 0."),
    bad("raters and counts", "r.csv", "item,rater,label,n\n1,a,x,2\n",
        "r.csv has raters and counts: name a rater column or a count column, not both.", count="n"),
    bad("wide without raters", "r.csv", "item\n1\n",
        f"r.csv has no column besides the item. Columns found: item. {WIDE}", wide=True),
    bad("no rater like that", "r.csv", "item,r1,r2\n1,a,b\n",
        f"r.csv has no column like 's*'. Columns found: item, r1, r2. {WIDE}", rater="s*"),
    bad("wide without item", "r.csv", "itm,r1,r2\n1,a,b\n",
        "r.csv has no column 'item'. Columns found: itm, r1, r2. The likely match is itm: add --item itm.", wide=True),
    bad("unknown suffix", "r.docx", b"PK", f"r.docx ends in .docx, and we read {KNOWN}: save it as one of these, "
        "or rename it if it is one."),
    bad("no suffix", "ratings", "x", f"ratings has no suffix, and we read {KNOWN}: save it as one of these, "
        "or rename it if it is one."),
    bad("nothing but gzip", "r.gz", "x", f"r.gz ends in .gz, and we read {KNOWN}: save it as one of these, "
        "or rename it if it is one."),
    bad("unknown scale", "r.csv", HEADER + "1,a,x\n",
        "--scale cannot be 'ratio': choose one of nominal, ordinal, interval.",
        scale="ratio"),
    bad("unknown repeats", "r.csv", HEADER + "1,a,x\n",
        "--repeats cannot be 'all': choose one of error, first, last, keep.",
        repeats="all"),
    bad("label that was not listed", "r.csv", HEADER + "1,a,x\n1,b,maybe\n2,b,no\n",
        f"r.csv, row 3: the label maybe is not among those given (x, y). {LISTED}", labels=["x", "y"]),
    bad("options that were not listed", "r.csv", HEADER + "1,a,x|b|c\n",
        f"r.csv, row 2: the labels b, c are not among those given (x, y). {LISTED}", labels=["x", "y"]),
    bad("labels in one text", "r.csv", HEADER + "1,a,x\n", "The labels are one text, 'x,y': give a list of them.",
        labels="x,y"),
    bad("response set among the labels", "r.csv", HEADER + "1,a,x\n",
        "The label 'x|y' has a '|' in it: list the single options only.", labels=["x", "x|y"]),
    bad("interval scale of words", "r.csv", HEADER + "1,a,3\n1,b,x\n",
        "An interval scale needs numbers, and these labels are words: x. Choose --scale ordinal or --scale nominal.",
        scale="interval"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "options", "message"), MALFORMED_RATINGS)
def test_malformed_ratings_get_one_line(tmp_path, name, content, options, message):
    (tmp_path / name).write_bytes(content)
    assert typed_message_of(lambda: read(tmp_path / name, **options)) == message


def test_a_folder_is_refused(tmp_path):
    assert (
        typed_message_of(lambda: read(tmp_path)) == f"{tmp_path} is a folder, not a file: name one of the files in it."
    )


def test_a_missing_file_is_refused(tmp_path):
    path = tmp_path / "no.csv"
    assert typed_message_of(lambda: read(path)) == f"There is no file {path}: check the path."


def test_a_link_to_nowhere_is_refused(tmp_path):
    path = tmp_path / "link.csv"
    path.symlink_to(tmp_path / "gone.csv")
    assert typed_message_of(lambda: read(path)) == f"There is no file {path}: check the path."


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    expected = f"{path} is a device or a pipe, not a file: save its content to a file first."
    assert typed_message_of(lambda: read(path)) == expected


def test_a_path_that_no_file_can_have_is_refused():
    expected = r"a\\x00b\.csv cannot be opened: .*embedded null .*\. Check the path and who may read it\."
    assert re.fullmatch(expected, typed_message_of(lambda: read("a\0b.csv")))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_refused(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(HEADER)
    path.chmod(0)
    expected = f"{path} cannot be opened: Permission denied. Check the path and who may read it."
    assert typed_message_of(lambda: read(path)) == expected


def test_a_fault_far_down_a_large_file_is_found(tmp_path):
    # The file is read in pieces of a million bytes; the fault and its row lie beyond the first.
    rows = "".join(f"{i},a,x\n" for i in range(200_000))
    (tmp_path / "r.csv").write_bytes((HEADER + "first,ä,x\n" + rows + "last,a,").encode() + b"\xe9\n")
    expected = "r.csv, row 200003: byte 0xe9 is not UTF-8. Save the file in UTF-8."
    assert typed_message_of(lambda: read(tmp_path / "r.csv")) == expected


def test_a_long_value_is_cut_in_the_message(tmp_path):
    (tmp_path / "r.csv").write_text(f"item,label,count\n1,x,{'9' * 1000}\n")
    assert typed_message_of(lambda: read(tmp_path / "r.csv")) == (
        f"r.csv, row 2: the count is '{'9' * 117}...'. Give a whole number, 0 or more; an empty cell is 0."
    )


def test_control_characters_of_the_data_do_not_reach_the_terminal(tmp_path):
    (tmp_path / "r.csv").write_text("item,rater,\x1b[31mred\n1,a,x\n")
    assert "\x1b" not in typed_message_of(lambda: read(tmp_path / "r.csv"))


@pytest.mark.parametrize(
    "error",
    [
        RepeatedRatingsError(["item 1"], total=1, source="r.csv", key=["item"]),
        OptionError.unknown("--scale", "ratio", ["nominal"]),
        MissingExtraError("The web app", install="dissensus[web]"),
    ],
)
def test_an_error_survives_the_way_back_from_a_worker_process(error):
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), str(again)) == (type(error), str(error))
