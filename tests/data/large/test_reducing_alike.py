"""Whatever stands in a file, reading it piece by piece finds what reading it whole finds, or both refuse it."""

import datetime as dt
import decimal
import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from dissensus import read, read_judges, read_reduced
from dissensus.errors import DissensusError

ITEMS = st.sampled_from(["1", "01", "1.0", " 1", "a", "A", "it's", 'say "no"', "100%", "é\u2003x", "x\ny", "a,b", "~/"])
BLANK = st.sampled_from(["", " ", "\t", "\u3000", "\x85 "])
LABELS = st.sampled_from(
    ["1", "1.0", "01", "yes", " yes", "no", "yes|no", "no|yes", '["yes"]', "['no', 'yes']", "it's", "NA", "ja\tnein"]
    + [f"label {i}" for i in range(8)]
)
NO_LABEL = st.sampled_from(["", " ", "\t", "[]", "|", "[null]", "\u2003"])
ELICITATION = st.sampled_from(
    ["forced_choice", "Forced Choice", "forced-choice", "response_set", " response set\t", "", "\t"]
)


def rows_of(**columns):
    """Rows with some of these columns, the same ones in all rows."""
    return st.sets(st.sampled_from(sorted(columns)), min_size=1).flatmap(
        lambda names: st.lists(st.fixed_dictionaries({name: columns[name] for name in sorted(names)}), max_size=14)
    )


def with_needed(rows, **needed):
    """The rows and what every table has."""
    return st.builds(
        lambda some, keys: [{**key, **row} for key, row in zip(keys, some, strict=False)],
        rows,
        st.lists(st.fixed_dictionaries(needed), min_size=14, max_size=14),
    )


RATINGS = with_needed(
    rows_of(
        rater=st.sampled_from(["r1", "r2", "r3", "r4", "r5", "r6", "7", "07"]),
        group=st.one_of(st.sampled_from(["g", "h'", "(none)"]), BLANK),
        elicitation=ELICITATION,
        note=st.just("x"),
    ),
    item=ITEMS,
    label=st.one_of(LABELS, LABELS, NO_LABEL),
)
BARE_RATINGS = with_needed(
    rows_of(rater=st.one_of(st.sampled_from(["r1", "r2", "r3"]), BLANK), note=st.just("x")),
    item=st.one_of(ITEMS, BLANK),
    label=st.one_of(LABELS, NO_LABEL),
)
COUNTS = with_needed(
    rows_of(count=st.sampled_from(["0", "1", "2", "3.0", "1e1", "", " ", "007"]), group=st.sampled_from(["g", ""])),
    item=st.one_of(ITEMS, st.just("")),
    label=st.one_of(LABELS, NO_LABEL),
)
ODD_COUNTS = with_needed(
    rows_of(count=st.sampled_from(["1", "-1", "1.5", "nan", "inf", "1_0", "x", "1e400"])), item=ITEMS, label=LABELS
)
SHARES = st.sampled_from([("1", "0"), ("0.5", ".5"), ("0.25", "0.75"), (" 0.9", "0.1"), ("0.3333", "0.6666")])
ODD_SHARES = st.sampled_from([("", ""), ("1", ""), ("-1", "2"), ("0.5", "0.6"), ("x", "1"), ("nan", "1"), ("1_0", "0")])


def outputs(some):
    return some.map(lambda pair: {"p_yes": pair[0], "p_no": pair[1]})


ANSWER_COLUMNS = {
    "judge": st.sampled_from(["a", "b", "it's"]),
    "sample": st.sampled_from(["0", "1", "2", "10", ""]),
    "label": st.one_of(LABELS, NO_LABEL),
    "elicitation": ELICITATION,
    "order": st.sampled_from(["ab", " BA", ""]),
}


def flat(rows):
    return [{**{k: v for k, v in row.items() if k != "p"}, **row.get("p", {})} for row in rows]


ANSWERS = with_needed(
    rows_of(**ANSWER_COLUMNS, p=outputs(st.one_of(SHARES, SHARES, st.just(("", ""))))), item=ITEMS
).map(flat)
ODD_ANSWERS = with_needed(
    rows_of(
        **ANSWER_COLUMNS | {"judge": st.one_of(st.just("a"), BLANK), "order": st.sampled_from(["3", "1", ""])},
        p=outputs(st.one_of(SHARES, ODD_SHARES)),
    ),
    item=st.one_of(ITEMS, ITEMS, BLANK),
).map(flat)


def write(folder, name, kind, rows):
    """The rows as a file; blanks are missing in some kinds."""
    path = Path(folder) / f"{name}.{kind}"
    frame = pd.DataFrame(rows)
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        frame.astype(str).replace("", None).to_parquet(path)
    return path


def rating_contents(ratings):
    """What was said of each item: label, group and elicitation in plain names, and how often."""
    said = defaultdict(Counter)
    times = np.ones(len(ratings.item), dtype=int) if ratings.times is None else ratings.times
    for row, item in enumerate(ratings.item):
        group = None if ratings.group is None else ratings.groups[ratings.group[row]]
        elicitation = None if ratings.elicitation is None else int(ratings.elicitation[row])
        said[ratings.items[item]][ratings.labels[ratings.label[row]], group, elicitation] += int(times[row])
    return said


def answer_contents(judges):
    """What each judge answered to each item: its labels, and the mean of its probabilities."""
    said = defaultdict(Counter)
    shares = defaultdict(list)
    for row, item in enumerate(judges.item):
        codes = (None if column is None else int(column[row]) for column in (judges.elicitation, judges.order))
        speaker = (judges.judges[judges.judge[row]], *codes)
        has_shares = judges.probability is not None and not np.isnan(judges.probability[row]).any()
        label = None if judges.label[row] < 0 else judges.labels[judges.label[row]]
        said[judges.items[item]][speaker, label, has_shares] += 1
        if has_shares:
            shares[judges.items[item], speaker].append(judges.probability[row])
    for (item, speaker), some in shares.items():
        mean = zip(judges.labels, np.mean(some, axis=0).round(9).tolist(), strict=True)
        said[item][speaker, tuple((name, share) for name, share in mean if share)] += 1
    return said


def contents(ratings, judges=None):
    """How many items of the data were rated and answered in each way."""
    rated = rating_contents(ratings)
    answered = {} if judges is None else answer_contents(judges)
    copies = [1] * ratings.n_items if ratings.copies is None else ratings.copies.tolist()
    found = Counter()
    for item, times in zip(ratings.items, copies, strict=True):
        found[frozenset(rated[item].items()), frozenset(answered.get(item, Counter()).items())] += times
    return found


def facts(ratings, *, knows_raters):
    """What else a reader hands over."""
    return (
        ratings.items_in_all, ratings.n_ratings, ratings.n_raters if knows_raters else None,
        ratings.labels, ratings.options, ratings.scale,
        ratings.groups, [text for text in ratings.warnings if "asked in both ways" not in text],
    )  # fmt: skip


def answer_facts(judges):
    return judges.judges, judges.labels, judges.options


def outcome(find):
    """What a reader finds, or that it refuses."""
    try:
        return find()
    except DissensusError:
        return None


KINDS = st.sampled_from(["csv", "jsonl", "parquet"])
quick = settings(max_examples=settings().max_examples // 3, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check_ratings(kind, rows, *, knows_raters=True, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "r", kind, rows)
        whole = outcome(lambda: read(path, **options))
        reduced = outcome(lambda: read_reduced(path, **options)[0])
        assert (whole is None) == (reduced is None)
        if whole is not None:
            assert contents(reduced) == contents(whole)
            assert facts(reduced, knows_raters=knows_raters) == facts(whole, knows_raters=knows_raters)


@quick
@given(kind=KINDS, rows=RATINGS, repeats=st.sampled_from(["error", "keep"]))
def test_ratings_are_the_same_reduced(kind, rows, repeats):
    check_ratings(kind, rows, repeats=repeats)


@quick
@given(kind=KINDS, rows=BARE_RATINGS)
def test_blank_items_and_raters_are_refused_alike(kind, rows):
    check_ratings(kind, rows)


@quick
@given(kind=KINDS, rows=st.one_of(COUNTS, COUNTS, ODD_COUNTS))
@example(kind="csv", rows=[{"item": "1", "label": "yes", "count": "0"}, {"item": "1", "label": "NA", "count": "2"}])
def test_tables_of_counts_are_the_same_reduced(kind, rows):
    check_ratings(kind, rows)


@quick
@given(kind=KINDS, rows=RATINGS, missing=st.sampled_from(["yes", "1", "NA"]))
def test_labels_that_mean_missing_are_left_out_alike(kind, rows, missing):
    given = [row for row in rows if row["label"].strip("[]| \t\u2003nul")]
    check_ratings(kind, given, label_map={missing: ""}, knows_raters=False)


def check_answers(kind, people, rows):
    assume(rows and {"label", "p_yes"} & rows[0].keys())
    with tempfile.TemporaryDirectory() as folder:
        ratings, answers = write(folder, "r", kind, people), write(folder, "j", kind, rows)
        whole = outcome(lambda: (read(ratings, repeats="keep"), read_judges(answers)))
        reduced = outcome(lambda: read_reduced(ratings, answers, repeats="keep"))
        if whole is None:  # repeats are kept here, and refused there
            return reduced is None
        assert reduced is not None
        assert contents(*reduced) == contents(*whole)
        assert answer_facts(reduced[1]) == answer_facts(whole[1])
        return True


PEOPLE = st.lists(st.fixed_dictionaries({"item": ITEMS, "label": st.sampled_from(["yes", "no"])}), min_size=1)


@quick
@given(kind=KINDS, people=PEOPLE, rows=ANSWERS)
def test_answers_are_the_same_reduced(kind, people, rows):
    check_answers(kind, people, rows)


@quick
@given(kind=KINDS, people=PEOPLE, rows=ODD_ANSWERS)
def test_faulty_answers_are_refused_alike(kind, people, rows):
    rows = [{k: v for k, v in row.items() if k != "sample"} for row in rows]
    assert check_answers(kind, people, rows)


TYPES = {
    "text": pa.string(), "coded": pa.dictionary(pa.int32(), pa.string()), "int8": pa.int8(), "int64": pa.int64(),
    "uint64": pa.uint64(), "float": pa.float32(), "double": pa.float64(), "bool": pa.bool_(), "date": pa.date32(),
    "decimal": pa.decimal128(10, 2), "list": pa.list_(pa.string()),
}  # fmt: skip


def typed(number, kind):
    """A number, or nothing, as a cell of this type."""
    if number is None:
        return None
    if kind in {"text", "coded"}:
        return str(number)
    if kind == "list":
        return [str(number), "x"] if number else []
    made = {"bool": bool, "date": lambda n: dt.date(2024, 1, 1 + n), "decimal": decimal.Decimal}
    return made.get(kind, lambda n: n + (0.1 if kind in {"float", "double"} else 0))(number)


@quick
@given(
    cells=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.none() | st.integers(0, 3)), min_size=1),
    kinds=st.tuples(*[st.sampled_from(sorted(TYPES.keys() - {"list"}))] * 3, st.sampled_from(sorted(TYPES))),
)
def test_columns_of_any_type_are_the_same_reduced(cells, kinds):
    item, item_of_judges, rater, label = kinds
    people = [(typed(i, item), typed(r, rater), typed(value, label)) for i, r, value in cells]
    answers = [(typed(i, item_of_judges), i % 2, 1 - i % 2) for i in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("r.parquet", "j.parquet")]
        columns = (
            {"item": TYPES[item], "rater": TYPES[rater], "label": TYPES[label]},
            {"item": TYPES[item_of_judges], "p_yes": pa.int8(), "p_no": pa.float32()},
        )
        for path, rows, types in zip(paths, (people, answers), columns, strict=True):
            pq.write_table(
                pa.table(
                    {
                        name: pa.array(cells, kind)
                        for (name, kind), cells in zip(types.items(), zip(*rows, strict=True), strict=True)
                    }
                ),
                path,
            )
        whole = outcome(lambda: (read(paths[0], repeats="keep"), read_judges(paths[1])))
        reduced = outcome(lambda: read_reduced(*paths, repeats="keep"))
        assert (whole is None) == (reduced is None)
        if whole is not None:
            assert contents(*reduced) == contents(*whole)
            assert facts(reduced[0], knows_raters=True) == facts(whole[0], knows_raters=True)


def test_numbers_with_a_percent_sign_or_a_comma_are_the_same_reduced(tmp_path):
    for between, texts in ((",", ("10%", "50%", "n/a")), (";", ("1,5", "2,0", "3")), ("\t", ("1,5", "2,0", "3"))):
        rows = [
            ("item", "rater", "label"),
            *((f"i{i}", f"r{r}", texts[(i + r) % 3]) for i in range(9) for r in range(3)),
        ]
        answers = [("item", "judge", "label"), *((f"i{i}", "j", texts[i % 2]) for i in range(9))]
        for name, table in (("ratings.csv", rows), ("judges.csv", answers)):
            (tmp_path / name).write_text("\n".join(map(between.join, table)), encoding="utf-8")
        whole, judges = read(tmp_path / "ratings.csv"), read_judges(tmp_path / "judges.csv")
        reduced, of_judges = read_reduced(tmp_path / "ratings.csv", tmp_path / "judges.csv")
        assert (reduced.labels, reduced.scale) == (whole.labels, whole.scale)
        assert of_judges.labels == judges.labels
        assert set(judges.labels) <= set(whole.labels)
        assert "%" not in "".join(whole.labels) + "".join(judges.labels)
        assert whole.scale != "nominal" or "n/a" in whole.labels
