"""The database of items says what `items` says, filtered and sorted as in plain Python."""

import csv
import io
import math

import pytest

import dissensus
from dissensus.data.paths import example_path

pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

from dissensus.web.item_store import Wanted, as_rows, choices_in, page_of_items, write_items
from dissensus.web.tasks import rows_csv

EVERYTHING = 10_000


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = example_path("toxicity")
    ratings, judges = dissensus.read(folder / "ratings.csv"), dissensus.read_judges(folder / "judges.csv")
    path = tmp_path_factory.mktemp("items") / "items.sqlite"
    result = dissensus.items(ratings, judges, top=EVERYTHING)
    assert write_items(ratings, judges, path) == len(result.items)
    return path, {row.item: row for row in result.items}


def found(store, **wanted):
    return page_of_items(store[0], Wanted(**wanted), 0, size=EVERYTHING)


def test_every_item_has_the_numbers_of_the_method(store):
    total, rows = found(store)
    assert total == len(store[1]) == len(rows)
    for row in rows:
        own = store[1][row["item"]]
        assert row["ratings"] == own.ratings
        assert row["shares"] == pytest.approx(dict(own.shares))
        assert row["kinds"] == list(own.kinds)
        assert [(one["judge"], one["answer"]) for one in row["judges"]] == [(j.judge, j.answer) for j in own.judges]
        assert [one["surprise"] for one in row["judges"]] == pytest.approx([j.surprise for j in own.judges])
    flat = next(as_rows(rows))
    assert flat["item"] == rows[0]["item"]
    assert {"answer_strong", "surprise_strong"} <= set(flat)


def test_filters_and_orders_are_those_of_plain_python(store):
    _, rows = found(store, judge="strong", sort="surprise")
    bits = [next(one["surprise"] for one in row["judges"] if one["judge"] == "strong") for row in rows]
    assert bits == sorted(bits, reverse=True)
    assert found(store, show="split")[0] == sum("split" in row.kinds for row in store[1].values())
    toxic = sum(any(j.judge == "weak" and j.answer == "Toxic" for j in row.judges) for row in store[1].values())
    assert found(store, judge="weak", answer="Toxic")[0] == toxic
    rater = choices_in(store[0])["raters"][0]
    assert all(any(one["rater"] == rater for one in row["given"]) for row in found(store, rater=rater)[1])
    assert found(store, text="item-00")[0] == sum("item-00" in name for name in store[1])
    assert found(store, text="%")[0] == found(store, text="_")[0] == 0  # nothing stands for anything else
    assert found(store, judge="nobody")[0] == 0


def test_the_other_way_round_is_from_the_last_to_the_first(store):
    for sort in ("split", "surprise", "ratings", "item"):
        one, other = ([row["item"] for row in found(store, sort=sort, up=up)[1]] for up in ("", "yes"))
        assert one == other[::-1]


def test_pages_follow_each_other(store):
    pages = [page_of_items(store[0], Wanted(sort="split"), page)[1] for page in range(math.ceil(len(store[1]) / 50))]
    names = [row["item"] for page in pages for row in page]
    assert len(names) == len(set(names)) == len(store[1])


def test_no_download_has_a_cell_that_a_spreadsheet_runs():
    hostile = '=HYPERLINK("http://evil")'
    people = [
        {"item": f"@{i}", "rater": f"+r{r}", "label": hostile if i % 2 else "-x"} for i in range(4) for r in range(3)
    ]
    judges = [{"item": f"@{i}", "judge": "=j", "label": hostile} for i in range(4)]
    result = dissensus.items(people, judges)
    found = {"shares": {hostile: 1.0}, "judges": [{"judge": "=j", "answer": hostile, "surprise": -0.5}], "ratings": 3}
    found |= {"item": "@1", "question": None, "text": "\t=x", "split": 0.0, "surprise": -0.5, "majority": hostile}
    flat = next(as_rows([found]))
    cells = [cell for row in csv.reader(io.StringIO(rows_csv(result))) for cell in row]
    assert (flat["surprise"], flat["item"], flat["answer_=j"]) == (-0.5, "'@1", f"'{hostile}")
    assert f"'{hostile}" in cells
    for cell in (*cells, *map(str, flat.values()), *flat):
        assert not cell.startswith(("=", "+", "@", "\t", "-x"))
