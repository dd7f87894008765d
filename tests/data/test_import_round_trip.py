"""What is written as tidy, wide, counts or Label Studio JSON reads back the same."""

import csv
import io
import json
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import read
from dissensus.data.import_ import import_
from dissensus.data.layout import JUDGES, NO_RATERS, words_of
from dissensus.data.writers import write_ratings

from tables import triples, write

NAMES = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="|[]"), min_size=1, max_size=6).filter(
    lambda text: not text.isspace() and not (NO_RATERS | JUDGES) & set(words_of(text))
)
"""Names of items and raters; a column called SD or GPT is taken for no rater, and a warning says so."""
WORDS = st.sampled_from(["yes", "no", "it's", "a, b", 'quo"te', "=1+1", "7", "0.5", "ü", "n/a"])
SETS = st.lists(WORDS, min_size=1, max_size=3, unique=True).map(tuple)
TABLES = st.dictionaries(st.tuples(NAMES, NAMES), SETS, min_size=1, max_size=12)


def expected(table):
    """Item, rater and label of each rating; a response set is in the order in which its options are read."""
    ratings = {key: frozenset(label) for key, label in table.items()}
    return sorted((item, rater, tuple(sorted(label))) for (item, rater), label in ratings.items())


def read_triples(ratings):
    return sorted((item, rater, tuple(sorted(label.split("|")))) for item, rater, label in triples(ratings))


def to_csv(rows):
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(rows)
    return stream.getvalue()


@settings(max_examples=25, deadline=None)
@given(TABLES)
def test_an_imported_file_reads_back_as_it_was_imported(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("tidy")
    rows = [[item, rater, "|".join(label)] for (item, rater), label in table.items()]
    source = write(folder, to_csv([["item", "rater", "label"], *rows]))
    result = import_(source, output=folder / "out.csv")
    assert read_triples(result.imported) == expected(table)
    assert read_triples(read(folder / "out.csv")) == expected(table)


@settings(max_examples=25, deadline=None)
@given(TABLES)
def test_a_wide_file_reads_back_the_same(tmp_path_factory, table):
    items, raters = sorted({item for item, _ in table}), sorted({rater for _, rater in table})
    rows = [[item, *("|".join(table.get((item, rater), ())) for rater in raters)] for item in items]
    source = write(tmp_path_factory.mktemp("wide"), to_csv([["the item", *(f"r {rater}" for rater in raters)], *rows]))
    ratings = read(source, item="the item", wide=True)
    assert read_triples(ratings) == sorted((item, f"r {rater}", label) for item, rater, label in expected(table))


@settings(max_examples=25, deadline=None)
@given(TABLES)
def test_counts_read_back_the_same(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("counts")
    count = Counter((item, "|".join(sorted(label))) for (item, _), label in table.items())
    source = write(folder, to_csv([["item", "label", "count"], *([*key, n] for key, n in count.items())]))
    ratings = read(source)
    write_ratings(ratings, folder / "out.csv")
    for again in (ratings, read(folder / "out.csv")):
        found = {
            (again.items[i], "|".join(sorted(again.labels[k].split("|")))): int(n)
            for i, k, n in zip(again.item, again.label, again.times, strict=True)
        }
        assert found == dict(count)


def label_studio(table):
    """The export of a project with these ratings."""
    items = list(dict.fromkeys(item for item, _ in table))
    return [
        {
            "id": number,
            "data": {"item_id": item},
            "annotations": [
                {
                    "completed_by": {"id": rater},
                    "was_cancelled": False,
                    "result": [{"from_name": "q", "type": "choices", "value": {"choices": list(label)}}],
                }
                for (other, rater), label in table.items()
                if other == item
            ],
        }
        for number, item in enumerate(items, start=1)
    ]


@settings(max_examples=25, deadline=None)
@given(TABLES)
def test_label_studio_json_reads_back_the_same(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("label-studio")
    source = write(folder, json.dumps(label_studio(table)), "export.json")
    result = import_(source, output=folder / "out.csv")
    assert result.format == "label-studio"
    assert read_triples(result.imported) == expected(table)
    assert read_triples(read(folder / "out.csv")) == expected(table)
