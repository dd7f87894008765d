import gzip
import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data import read
from dissensus.data.sources.source import open_sheet

from tables import COLUMNS, HEADER, NO_RATER, PLAIN, ROWS, TRIPLES, jsonl, parquet, triples, write

SPELLINGS = {
    "plain": ("r.csv", PLAIN),
    "upper-case suffix": ("R.CSV", PLAIN),
    "byte order mark": ("r.csv", b"\xef\xbb\xbf" + PLAIN.encode()),
    "CRLF": ("r.csv", PLAIN.replace("\n", "\r\n")),
    "CR": ("r.csv", PLAIN.replace("\n", "\r")),
    "mixed line ends": ("r.csv", HEADER + "1,a,x\r\n1,b,y\r2,a,x"),
    "no line end at the end": ("r.csv", PLAIN.rstrip()),
    "blank lines at the end": ("r.csv", PLAIN + "\n\n \n"),
    "semicolons": ("r.csv", PLAIN.replace(",", ";")),
    "tabs": ("r.tsv", PLAIN.replace(",", "\t")),
    "tabs in .tab": ("r.tab", PLAIN.replace(",", "\t")),
    "tabs in a CSV file": ("r.csv", PLAIN.replace(",", "\t")),
    "bars": ("r.csv", PLAIN.replace(",", "|")),
    "blanks in the header": ("r.csv", PLAIN.replace(HEADER, " item , rater,\tlabel \n")),
    "quoted header": ("r.csv", PLAIN.replace(HEADER, '"item","rater","label"\n')),
    "capitals in the header": ("r.csv", PLAIN.replace(HEADER, "Item,RATER,Label\n")),
    "blank rows before the header": ("r.csv", "\n\n" + PLAIN),
    "line break in the header": ("r.csv", 'item,"a\nnote",rater,label\n1,,a,x\n1,,b,y\n2,,a,x\n'),
    "delimiter too many in every row": ("r.csv", PLAIN.replace("\n", ",\n")),
    "delimiter too many below the header": ("r.csv", HEADER + "1,a,x,\n1,b,y,\n2,a,x,\n"),
    "delimiter too many and mixed line ends": ("r.csv", HEADER + "1,a,x,\r\n1,b,y,\n2,a,x,\n"),
    "nameless column before": ("r.csv", ",item,rater,label\n0,1,a,x\n1,1,b,y\n2,2,a,x\n"),
    "quoted cells": ("r.csv", HEADER + '"1","a","x"\n1,"b",y\n"2",a,"x"\n'),
    "blanks around labels": ("r.csv", HEADER + "1,a, x\n1,b,y \n2,a,x\n"),
    "other columns": ("r.csv", 'rater,text,label,item\na,"so, so",x,1\nb,,y,1\na,"l1\n\nl2",x,2\n'),
    "gzip": ("r.csv.gz", gzip.compress(PLAIN.encode())),
    "gzip of a TSV file": ("r.tsv.gz", gzip.compress(PLAIN.replace(",", "\t").encode())),
    "gzip that its suffix does not tell": ("r.csv", gzip.compress(PLAIN.encode())),
    "plain text called gzip": ("r.csv.gz", PLAIN),
    "gzip in two members": ("r.csv.gz", gzip.compress(HEADER.encode()) + gzip.compress(b"1,a,x\n1,b,y\n2,a,x\n")),
    "JSONL": ("r.jsonl", jsonl(*ROWS)),
    "JSONL, keys in any order": ("r.ndjson", jsonl(*(dict(reversed(row.items())) for row in ROWS))),
    "JSONL with numbers": ("r.jsonl", jsonl(*({**row, "item": int(row["item"])} for row in ROWS))),
    "JSONL with CRLF": ("r.jsonl", jsonl(*ROWS).replace("\n", "\r\n")),
    "JSONL with a byte order mark": ("r.jsonl", b"\xef\xbb\xbf" + jsonl(*ROWS).encode()),
    "gzip of JSONL": ("r.jsonl.gz", gzip.compress(jsonl(*ROWS).encode())),
    "Parquet": ("r.parquet", parquet(**COLUMNS)),
    "Parquet with numbers": ("r.pq", parquet(**{**COLUMNS, "item": [1, 1, 2]})),
    "Parquet with dictionaries": (
        "r.parquet", parquet(**{name: pa.array(cells).dictionary_encode() for name, cells in COLUMNS.items()})),
    "gzip of Parquet": ("r.parquet.gz", gzip.compress(parquet(**COLUMNS))),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_same_ratings_in_any_spelling_are_the_same(tmp_path, spelling):
    name, content = SPELLINGS[spelling]
    ratings = read(write(tmp_path, content, name))
    assert triples(ratings) == TRIPLES
    assert ratings.warnings == ()
    assert ratings.provenance.name == name
    assert ratings.provenance.rows == 3


def test_the_hash_in_the_provenance_is_that_of_the_file(tmp_path):
    known = "37b1e311c8bbe5b621af4bf74554de5ecaa30fc4092493c40aaed214a44a87ac"  # by sha256sum
    provenance = read(write(tmp_path, "item,label\n1,x\n")).provenance
    assert provenance.sha256 == known


def test_blank_rows_and_missing_labels_are_counted_in_the_warnings(tmp_path):
    text = HEADER + "1,a,x\n\n1,b,\n,,\n2,a,  \n\n3,c,y\n\n"
    ratings = read(write(tmp_path, text))
    assert triples(ratings) == [("1", "a", "x"), ("3", "c", "y")]
    # Rows 3, 5 and 7 are blank; 1 by b and 2 by a have no label, and 2 has none at all. The last blank row is an end.
    assert ratings.warnings == (
        "Left out 3 blank rows.",
        "Left out 2 ratings without a label.",
        "Left out 1 item without any label.",
    )


def test_blank_rows_count_alike_however_the_file_is_read(tmp_path):
    # duckdb refuses mixed line ends, so that one is read by Python.
    quick = read(write(tmp_path, HEADER + "1,a,x\n\n2,a,x\n\n\n3,a,y\n", "quick.csv"))
    slow = read(write(tmp_path, HEADER + "1,a,x\r\n\n2,a,x\r\n\r\n \n3,a,y\n", "slow.csv"))
    lines = '{"item":1,"label":"x"}\n\n \n{"item":2,"label":"x"}\n\n{"item":3,"label":"y"}\n'
    assert quick.warnings == slow.warnings == ("Left out 3 blank rows.",)
    assert read(write(tmp_path, lines, "r.jsonl")).warnings == ("Left out 3 blank rows.", NO_RATER)


def test_a_blank_line_inside_a_quoted_cell_is_no_blank_row(tmp_path):
    ratings = read(write(tmp_path, 'item,text,label\n1,"two\n\nparagraphs",x\n2,,y\n'))
    assert ratings.warnings == (NO_RATER,)


def test_cells_keep_what_is_inside_their_quotes(tmp_path):
    text = HEADER + '"one, two","a ""b""","<b onclick=""x"">bold</b>"\n"l1\nl2","5"" screen",x\n3," c ",é\n'
    assert triples(read(write(tmp_path, text))) == [
        ("3", " c ", "é"),
        ("l1\nl2", '5" screen', "x"),
        ("one, two", 'a "b"', '<b onclick="x">bold</b>'),
    ]


def test_a_quote_inside_a_cell_is_a_character(tmp_path):
    assert triples(read(write(tmp_path, HEADER + '1,5" wide,x\n'))) == [("1", '5" wide', "x")]


def test_labels_are_numbers_and_items_are_text(tmp_path):
    ratings = read(write(tmp_path, HEADER + "1,1,1\n01,01,1.0\n1.0,1.0,01\n1e0,a,+1\n"))
    assert ratings.items == ("01", "1", "1.0", "1e0")
    assert ratings.raters == ("01", "1", "1.0", "a")
    assert ratings.labels == ("1",)


def test_labels_are_ordered_as_numbers_then_words(tmp_path):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(["b", "10", "9", "-1.5", "a", "2"]))
    ratings = read(write(tmp_path, "item,label\n" + rows))
    assert ratings.labels == ("-1.5", "2", "9", "10", "a", "b")
    assert ratings.scale == "nominal"


@pytest.mark.parametrize(
    ("labels", "options", "scale"),
    [
        (["1", "2", "3"], {}, "ordinal"),
        (["1", "2.5"], {}, "interval"),
        ([str(i) for i in range(20)], {}, "ordinal"),
        ([str(i) for i in range(21)], {}, "interval"),
        (["no", "yes"], {}, "nominal"),
        (["no", "yes"], {"labels": ["no", "yes"]}, "ordinal"),
        (["1", "2"], {"scale": "nominal"}, "nominal"),
        (["1", "2"], {"scale": "interval"}, "interval"),
        (["no", "yes"], {"scale": "ordinal"}, "ordinal"),
        (["1", "yes"], {}, "nominal"),
    ],
)
def test_the_scale_is_inferred_or_given(tmp_path, labels, options, scale):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels))
    assert read(write(tmp_path, "item,label\n" + rows), **options).scale == scale


def test_labels_in_the_order_given_include_those_nobody_used(tmp_path):
    ratings = read(write(tmp_path, PLAIN), labels=["y", "maybe", "x"])
    assert ratings.labels == ("y", "maybe", "x")
    assert ratings.counts().tolist() == [[1, 0, 1], [0, 0, 1]]


def test_response_sets_have_no_order_and_no_repeats(tmp_path):
    cells = ["A|B", "B|A", "A| B|A", '["B", "A"]', "['A', 'B', 'B']", "A", "[]", '["A"]']
    rows = [{"item": i, "label": cell} for i, cell in enumerate(cells)]
    ratings = read(write(tmp_path, jsonl(*rows), "r.jsonl"))
    assert ratings.labels == ("A", "B", "A|B")
    assert [ratings.labels[i] for i in ratings.label] == ["A|B"] * 5 + ["A", "A"]
    assert ratings.warnings[0] == "Left out 1 rating without a label."


def test_lists_are_response_sets_in_jsonl_and_parquet(tmp_path):
    sets = [["B", "A"], ["A"], [], None, [2.0, 1.0]]
    as_json = read(write(tmp_path, jsonl(*({"item": i, "label": s} for i, s in enumerate(sets))), "r.jsonl"))
    texts = pa.array([None if s is None else [str(v) for v in s] for s in sets], pa.list_(pa.string()))
    as_parquet = read(write(tmp_path, parquet(item=list(range(5)), label=texts), "r.parquet"))
    for ratings in (as_json, as_parquet):
        assert triples(ratings) == [("0", None, "A|B"), ("1", None, "A"), ("4", None, "1|2")]
        assert ratings.warnings[:2] == ("Left out 2 ratings without a label.", "Left out 2 items without any label.")


def test_nan_and_null_are_missing_labels(tmp_path):
    numbers = pa.array([1.0, float("nan"), None, 2.5])
    as_parquet = read(write(tmp_path, parquet(item=list("abcd"), label=numbers), "r.parquet"))
    lines = '{"item":"a","label":1}\n{"item":"b","label":NaN}\n{"item":"c","label":null}\n{"item":"d","label":2.5}\n'
    as_json = read(write(tmp_path, lines, "r.jsonl"))
    for ratings in (as_parquet, as_json):
        assert triples(ratings) == [("a", None, "1"), ("d", None, "2.5")]
        assert ratings.warnings[0] == "Left out 2 ratings without a label."


def test_a_key_that_a_line_lacks_is_an_empty_cell(tmp_path):
    ratings = read(
        write(tmp_path, '{"item":1,"label":"x"}\n{"item":2}\n{"item":3,"label":"y","group":"g"}\n', "r.jsonl")
    )
    assert triples(ratings) == [("1", None, "x"), ("3", None, "y")]
    assert ratings.groups == ("(none)", "g")


def test_words_for_missing_are_labels_and_the_reader_is_told(tmp_path):
    path = write(tmp_path, "item,label\n1,NA\n2,NA\n3,none\n")
    ratings = read(path)
    assert ratings.labels == ("NA", "none")
    remedy = "leave it out with `label_map=` of `read` NA=."
    warning = f"'NA' was read as a label (2 times): if it means that there is none, {remedy}"
    assert ratings.warnings == (NO_RATER, warning)
    assert read(path, labels=["NA", "none"]).warnings == (NO_RATER,)
    german = read(write(tmp_path, "item,label\n1,ja\n2,k. A.\n"))
    german_words = warning.replace("'NA'", "'k. A.'").replace("2 times", "1 time").replace("NA=", '"k. A.="')
    assert german.warnings == (NO_RATER, german_words)


def test_a_thousand_labels_are_read(tmp_path):
    rows = "".join(f"{i % 7},{i},label {i:04}\n" for i in range(1000))
    ratings = read(write(tmp_path, HEADER + rows))
    assert ratings.labels == tuple(f"label {i:04}" for i in range(1000))


def test_one_row_is_enough(tmp_path):
    ratings = read(write(tmp_path, HEADER + "1,a,x\n"))
    assert (ratings.n_items, ratings.n_raters, ratings.n_ratings, ratings.labels) == (1, 1, 1, ("x",))


def test_without_a_rater_column_every_row_is_a_rater(tmp_path):
    ratings = read(write(tmp_path, "item,label\n1,x\n1,x\n1,y\n"))
    assert (ratings.rater, ratings.n_raters, ratings.n_ratings) == (None, None, 3)
    assert ratings.counts().tolist() == [[2, 1]]
    assert ratings.warnings == (NO_RATER,)


def test_a_column_that_looks_like_raters_is_named(tmp_path):
    ratings = read(write(tmp_path, "item,Worker ID,label\n1,a,x\n"))
    assert (ratings.raters, ratings.warnings) == (("a",), ("Columns taken by their names: Worker ID as rater.",))
    likely = read(write(tmp_path, "item,ratr,label\n1,a,x\n"))
    assert likely.warnings == (f"{NO_RATER} If ratr says who rated, add `rater='ratr'` of `read`.",)


def test_columns_can_be_renamed(tmp_path):
    text = "text id,who,rating,pool,how\n1,a,x,g,forced choice\n1,b,y,h,Response-Set\n2,a,x,g,\n"
    names = {"item": "text id", "rater": "who", "label": "Rating", "group": "pool", "elicitation": "how"}
    ratings = read(write(tmp_path, text), **names)
    assert triples(ratings) == TRIPLES
    assert ratings.groups == ("g", "h")
    assert ratings.elicitation.tolist() == [0, 1, -1]


def test_a_rating_without_a_group_belongs_to_the_group_none(tmp_path):
    ratings = read(write(tmp_path, "item,rater,label,group\n1,a,x,g\n1,b,x,\n2,a,y,g\n2,c,y,(none)\n"))
    assert ratings.groups == ("(none)", "g")
    assert ratings.of_group("(none)").n_ratings == 2


REPEATED = HEADER + "1,a,x\n1,b,y\n1,a,y\n2,a,x\n1,a,z\n"


@pytest.mark.parametrize(
    ("repeats", "labels_of_a", "warnings"),
    [
        ("first", ["x"], ("Left out 2 repeated ratings: the first of each was kept.",)),
        ("last", ["z"], ("Left out 2 repeated ratings: the last of each was kept.",)),
        ("keep", ["x", "y", "z"], ()),
    ],
)
def test_repeats_can_be_resolved(tmp_path, repeats, labels_of_a, warnings):
    ratings = read(write(tmp_path, REPEATED), repeats=repeats)
    assert [label for item, rater, label in triples(ratings) if (item, rater) == ("1", "a")] == labels_of_a
    assert ratings.warnings == warnings


def test_one_rater_may_answer_in_both_elicitations(tmp_path):
    text = "item,rater,label,elicitation\n1,a,x,forced_choice\n1,a,x|y,response_set\n"
    assert read(write(tmp_path, text)).n_ratings == 2


def test_missing_labels_are_no_repeats(tmp_path):
    ratings = read(write(tmp_path, HEADER + "1,a,\n1,a,x\n1,a,\n"))
    assert triples(ratings) == [("1", "a", "x")]


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
def test_columns_can_be_loaded_again_in_any_number(tmp_path, name):
    columns = {f"c{i}": [str(i), "x"] for i in range(12)}
    text = ",".join(columns) + "\n" + ",".join(str(i) for i in range(12)) + "\n" + ",".join("x" * 12) + "\n"
    with open_sheet(write(tmp_path, parquet(**columns) if name == "r.parquet" else text, name)) as sheet:
        for wanted in (["c3"], list(columns), ["c11", "c0"], list(columns)[:9]):
            cells = sheet.load(wanted)
            assert {column: list(map(cells.columns[column].__getitem__, (0, 1))) for column in wanted} == {
                column: columns[column] for column in wanted
            }


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5).filter(
    lambda name: name.strip() and not re.match(r"'+[=+\-@\t\r]", name)  # in CSV an apostrophe keeps off a formula
)
labels = st.sampled_from(["x", "y", "1", "x|y"])
distinct_triples = st.lists(
    st.tuples(names, names, labels), min_size=1, max_size=12, unique_by=lambda triple: triple[:2]
)


def delimited(rows, delimiter):
    return "".join(delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows)


@settings(max_examples=25, deadline=None)
@given(distinct_triples)
def test_every_format_reads_the_same(tmp_path_factory, given_triples):
    folder = tmp_path_factory.mktemp("formats")
    header = ("item", "rater", "label")
    rows = [dict(zip(header, triple, strict=True)) for triple in given_triples]
    contents = {
        "r.csv": delimited([header, *given_triples], ","),
        "semicolons.csv": delimited([header, *given_triples], ";"),
        "r.tsv.gz": gzip.compress(delimited([header, *given_triples], "\t").encode()),
        "r.jsonl": jsonl(*rows),
        "r.parquet": parquet(**{name: [row[name] for row in rows] for name in header}),
    }
    for name, content in contents.items():
        assert triples(read(write(folder, content, name))) == sorted(given_triples), name
