"""Files with one column per rater, and tables of counts."""

import gzip

import pytest

from dissensus.data import read

from tables import NO_RATER, jsonl, parquet, triples, write

WIDE = "item,r1,r2,r3\n1,x,y,\n2,,x,x\n3,y,,x\n"
WIDE_TRIPLES = [
    ("1", "r1", "x"),
    ("1", "r2", "y"),
    ("2", "r2", "x"),
    ("2", "r3", "x"),
    ("3", "r1", "y"),
    ("3", "r3", "x"),
]


def test_a_wide_file_is_recognised(tmp_path):
    ratings = read(write(tmp_path, WIDE))
    assert triples(ratings) == WIDE_TRIPLES
    assert ratings.provenance.format == "wide"
    assert (ratings.provenance.rows, ratings.warnings) == (3, ())


def test_a_wide_file_can_be_asked_for(tmp_path):
    # Every rater has words of their own, so nothing tells that these are raters.
    text = "item,r1,r2\n1,a,b\n2,c,d\n"
    assert triples(read(write(tmp_path, text), wide=True)) == [
        ("1", "r1", "a"), ("1", "r2", "b"), ("2", "r1", "c"), ("2", "r2", "d"),
    ]  # fmt: skip


@pytest.mark.parametrize("rater", ["r*", "r1,r2,r3", "r?", "r1, r[23]"])
@pytest.mark.parametrize("wide", [None, True])
def test_patterns_choose_the_raters_of_a_wide_file(tmp_path, rater, wide):
    text = "item,text,r1,r2,r3,gold\n1,long,x,y,,x\n2,longer,,x,x,x\n3,longest,y,,x,y\n"
    assert triples(read(write(tmp_path, text), rater=rater, wide=wide)) == WIDE_TRIPLES


def test_a_wide_file_can_have_a_group_and_an_elicitation(tmp_path):
    text = "item,group,elicitation,r1,r2\n1,g,forced_choice,x,y\n2,h,response_set,x|y,x\n"
    ratings = read(write(tmp_path, text))
    assert ratings.of_group("h").items == ("2",)
    assert triples(ratings.of_elicitation("forced_choice")) == [("1", "r1", "x"), ("1", "r2", "y")]


def test_a_wide_file_says_which_columns_and_items_it_leaves_out(tmp_path):
    text = ",item,r1,r2,\n0,1,1,0,\n1,2,,,\n2,,,,\n3,3,0,1,\n"
    ratings = read(write(tmp_path, text))
    # The nameless first column holds the row numbers of somebody's frame; the last one is empty.
    assert ratings.raters == ("r1", "r2")
    assert ratings.warnings == (
        "Left out 1 blank row.",
        "Left out 1 item without any label.",
        "Not read as raters: column 1. If one is a rater, name all with `rater=` of `read`.",
    )


def test_a_file_with_labels_is_not_wide_unless_asked(tmp_path):
    text = "item,label,r1\n1,x,x\n2,y,x\n"
    assert read(write(tmp_path, text)).provenance.format == "tidy"
    assert read(write(tmp_path, text), wide=True).raters == ("label", "r1")


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet", "r.csv.gz"])
def test_wide_files_come_in_every_format(tmp_path, name):
    header, *rows = (line.split(",") for line in WIDE.splitlines())
    columns = {title: [row[i] or None for row in rows] for i, title in enumerate(header)}
    records = [dict(zip(header, (cell or None for cell in row), strict=True)) for row in rows]
    content = {"r.jsonl": jsonl(*records), "r.parquet": parquet(**columns), "r.csv.gz": gzip.compress(WIDE.encode())}
    assert triples(read(write(tmp_path, content[name], name))) == WIDE_TRIPLES


def test_a_table_of_counts_is_read(tmp_path):
    ratings = read(write(tmp_path, "item,label,count\n1,x,3\n1,y,1.0\n2,y,2\n2,x,\n3,x,0\n1,x,2\n"))
    assert ratings.counts().tolist() == [[5, 1], [0, 2]]
    assert (ratings.n_ratings, ratings.n_raters, ratings.provenance.format) == (8, None, "counts")
    assert ratings.warnings == ("Left out 1 item without any label.", NO_RATER)


def test_a_count_without_a_label_counts_in_the_warnings(tmp_path):
    ratings = read(write(tmp_path, "item,label,n\n1,x,3\n1,,4\n"), count="n")
    assert ratings.warnings == ("Left out 4 ratings without a label.", NO_RATER)
