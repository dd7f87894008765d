"""Items behind a number: twins in plain Python, one number with the main methods, order, filters and files."""

import csv
import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import compare, equivalence, items, read, read_judges
from dissensus.cli.main import main
from dissensus.data import Judges, Ratings
from dissensus.data.slices import sliced, slicing_of
from dissensus.errors import FileError, JudgesError, OptionError, RatingsError
from dissensus.methods.equivalence.calibration import calibrated_predictions, draw_folds, fold_stream
from dissensus.methods.items.result import write_items
from dissensus.report.html import fragment_of
from dissensus.report.text import text_of

LABELS = ("no", "maybe", "yes")
people = st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5), min_size=1, max_size=8)
samples = st.lists(st.sampled_from(LABELS), max_size=3)


def ratings_of(by_item):
    rows = [(f"i{i}", f"r{r}", label) for i, own in enumerate(by_item) for r, label in enumerate(own)]
    return read(pd.DataFrame(rows, columns=["item", "rater", "label"]), labels=LABELS, scale="nominal")


def judges_of(by_judge):
    """Judges from lists of samples, by name and item; an empty list is no answer."""
    rows = [
        (f"i{i}", judge, s, label)
        for judge, by_item in by_judge.items()
        for i, own in enumerate(by_item)
        for s, label in enumerate(own)
    ]
    return read_judges(pd.DataFrame(rows, columns=["item", "judge", "sample", "label"]), labels=LABELS)


def simulated(n_items=60, seed=1):
    """Three labels, some items with one rating, judges that answer once, five times and with probabilities."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet([1, 1, 1], n_items)
    draw = lambda i, n: [LABELS[k] for k in rng.choice(3, n, p=truth[i])]  # noqa: E731
    ratings = ratings_of([draw(i, int(rng.integers(1, 6))) for i in range(n_items)])
    rows = [{"item": f"i{i}", "judge": "once", "sample": 0, "label": draw(i, 1)[0]} for i in range(n_items)]
    rows += [
        {"item": f"i{i}", "judge": "often", "sample": s, "label": label}
        for i in range(n_items - 10)
        for s, label in enumerate(draw(i, 5))
    ]
    for i in range(n_items):
        p = 0.7 * truth[i] + 0.3 * rng.dirichlet([1, 1, 1])
        odds = {f"p_{label}": share for label, share in zip(LABELS, p / p.sum(), strict=True)}
        rows.append({"item": f"i{i}", "judge": "odds", "sample": 0, **odds})
    return ratings, read_judges(pd.DataFrame(rows), labels=LABELS)


# ---- Twins


def twin(by_item, by_judge):
    """Shares, split, answers and kinds of each item in plain Python."""
    found = {}
    for i, own in enumerate(by_item):
        times = Counter(own)
        shares = {label: times[label] / len(own) for label in LABELS if times[label]}
        split = sum(-share * math.log2(share) for share in shares.values()) if len(own) > 1 else None
        answers = {}
        for judge, answered in by_judge.items():
            given_ = Counter(answered[i])
            answers[judge] = [label for label in LABELS if given_[label] and given_[label] == max(given_.values())]
        top = max(LABELS, key=lambda label: times[label])
        agree = len(own) > 1 and 3 * times[top] >= 2 * len(own)
        answered = [set(labels) for labels in answers.values() if labels]
        kinds = []
        if len(own) > 1 and not agree:
            kinds.append("split")
        if agree and any(top not in labels for labels in answered):
            kinds.append("alone")
        if answered and not set.intersection(*answered):
            kinds.append("judges")
        found[f"i{i}"] = (len(own), shares, split, {j: " or ".join(a) or None for j, a in answers.items()}, kinds)
    return found


@given(people, st.data())
@settings(max_examples=20)
def test_items_equal_their_twin_in_plain_python(by_item, drawn):
    n = len(by_item)
    by_judge = {name: drawn.draw(st.lists(samples, min_size=n, max_size=n)) for name in ("a", "b", "c")}
    by_judge = {name: [["no"], *own[1:]] for name, own in by_judge.items()}  # everybody answers something
    result = items(ratings_of(by_item), judges_of(by_judge), top=100)
    expected = twin(by_item, by_judge)
    assert {row.item for row in result.items} == set(expected)
    for row in result.items:
        ratings, shares, split, answers, kinds = expected[row.item]
        assert (row.ratings, list(row.kinds), row.question, row.text) == (ratings, kinds, None, None)
        assert row.shares == pytest.approx(shares)
        assert math.isnan(row.split) if split is None else row.split == pytest.approx(split, abs=1e-12)
        assert {one.judge: one.answer for one in row.judges} == answers
        assert all(math.isnan(one.surprise) == (one.answer is None) for one in row.judges)
        # Nobody can expect people's labels better than by their very shares.
        assert not any(one.surprise < row.split - 1e-9 for one in row.judges)
    assert result.kinds == {
        kind: sum(kind in row[-1] for row in expected.values()) for kind in ("split", "alone", "judges")
    }


def test_a_surprise_is_what_peoples_labels_cost_item_by_item():
    ratings, judges = simulated()
    result = items(ratings, judges, judge="once", top=100)
    counts = ratings.counts()
    shares = counts / counts.sum(axis=1, keepdims=True)
    rows = judges["once"].rows()
    label_of = {row["item"]: row["label"] for row in rows}
    outputs = np.array([[float(label_of[item] == label) for label in LABELS] for item in ratings.items])
    made = calibrated_predictions("auto", outputs, shares, fold=draw_folds(len(shares), fold_stream(0)))
    for row in result.items:
        i = ratings.items.index(row.item)
        bits = 0.0
        for learned in (made.inside[i], made.outside[i]):
            kept = [min(max(p, 0.02), 0.98) for p in learned]
            bits -= sum(share * math.log2(p / sum(kept)) for share, p in zip(shares[i], kept, strict=True)) / 2
        assert row.judges[0].surprise == pytest.approx(bits, abs=1e-12)


# ---- One number


@pytest.mark.parametrize("judge", ["once", "often", "odds"])
def test_surprises_sum_to_the_score_of_equivalence(judge):
    ratings, judges = simulated()
    [score] = [own.score for own in equivalence(ratings, judges, judge=judge, bootstrap=0).judges if own.calibrated]
    bits = [one.surprise for row in items(ratings, judges, top=100).items for one in row.judges if one.judge == judge]
    known = [value for value in bits if not math.isnan(value)]
    assert sum(known) == pytest.approx(-score * len(known), abs=1e-9)
    [summary] = [own for own in items(ratings, judges, top=1).judges if own.judge == judge]
    assert (summary.items, summary.surprise) == (len(known), pytest.approx(-score, abs=1e-9))


def test_surprises_are_those_of_compare_and_keep_to_the_seed():
    ratings, judges = simulated()
    for seed in (0, 3):
        [pair] = compare(ratings, judges, a="once", b="odds", bootstrap=0, resamples=20, rng=seed).pairs
        found = {own.judge: own.surprise for own in items(ratings, judges, rng=seed).judges}
        assert found["once"] == pytest.approx(-pair.score_a, abs=1e-9)
        assert found["odds"] == pytest.approx(-pair.score_b, abs=1e-9)


@pytest.mark.parametrize("name", ["dices_350", "mtbench_pairs"])
def test_surprises_sum_to_the_score_on_real_ratings(name, shared):
    folder = shared / "data" / name
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    judge = judges.judges[-1]
    [score] = [own.score for own in equivalence(ratings, judges, judge=judge, bootstrap=0).judges if own.calibrated]
    result = items(ratings, judges, judge=judge, top=10_000)
    assert sum(row.judges[0].surprise for row in result.items) == pytest.approx(-score * len(result.items), abs=1e-9)


# ---- Which items, in which order


def some():
    """People split on i1 and i4; `b` is alone on i0, both judges are against people on i2, `a` has no i3."""
    by_item = [["no"] * 3, ["no", "yes"], ["yes"] * 4, ["no", "no"], ["no", "maybe", "yes"]]
    by_judge = {"a": [["no"], ["no"], ["no"], [], ["yes"]], "b": [["yes"], ["no"], ["no"], ["no"], ["maybe"]]}
    return ratings_of(by_item), judges_of(by_judge)


def names(result):
    return [row.item for row in result.items]


def test_ready_made_views_have_their_items():
    ratings, judges = some()
    assert names(items(ratings, judges, show="split")) == ["i4", "i1"]
    assert sorted(names(items(ratings, judges, show="alone"))) == ["i0", "i2"]
    assert names(items(ratings, judges, show="alone", judge="a")) == ["i2"]
    assert sorted(names(items(ratings, judges, show="judges"))) == ["i0", "i4"]
    telling = items(ratings, judges, show="telling")
    assert sorted(names(telling)) == ["i0", "i1", "i2", "i4"]
    assert "alone" in telling.items[0].kinds


def test_items_are_sorted_by_what_is_asked_for():
    ratings, judges = some()
    assert names(items(ratings, judges, sort="item")) == ["i0", "i1", "i2", "i3", "i4"]
    assert names(items(ratings, judges, sort="ratings")) == ["i2", "i0", "i4", "i1", "i3"]
    assert names(items(ratings, judges, sort="split")) == ["i4", "i1", "i2", "i0", "i3"]
    by_surprise = items(ratings, judges)
    assert [row.surprise for row in by_surprise.items] == sorted(
        (row.surprise for row in by_surprise.items), reverse=True
    )
    gaps = [max(bits) - min(bits) for bits in ([one.surprise for one in row.judges] for row in
            items(ratings, judges, show="judges").items)]  # fmt: skip
    assert gaps == sorted(gaps, reverse=True)


def test_filters_leave_a_cell_of_the_confusion():
    ratings, judges = some()
    assert names(items(ratings, judges, majority="yes", answer="no")) == ["i2"]
    assert names(items(ratings, judges, judge="b", answer="maybe")) == ["i4"]
    assert items(ratings, judges, majority="maybe").found == 0
    cut = items(ratings, judges, top=2)
    assert (len(cut.items), cut.found) == (2, 5)


def test_twenty_are_shown_unless_the_user_says_how_many():
    ratings, judges = simulated()
    assert len(items(ratings, judges).items) == 20
    assert len(items(ratings, judges, top=33).items) == 33


def test_without_judges_items_show_how_far_people_split():
    ratings, _ = some()
    result = items(ratings)
    assert names(result)[:2] == ["i4", "i1"]
    assert (result.judges, result.items[0].judges) == ((), ())


def test_points_of_a_measure_have_answers_and_no_surprise():
    rated = pd.DataFrame({"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "label": [0.5, 1.5, 2.5, 2.25]})
    answers = pd.DataFrame({"item": [1, 2], "judge": "j", "label": [0.75, 2.3]})
    result = items(rated, answers)
    assert [row.judges[0].answer for row in sorted(result.items, key=lambda row: row.item)] == ["0.75", "2.3"]
    assert all(math.isnan(row.judges[0].surprise) and math.isnan(row.split) for row in result.items)
    assert result.kinds == {"split": 0, "alone": 0, "judges": 0}
    assert [*result.warnings] == [
        "How far people split is not shown, as their labels are measurements.",
        "Surprise is not shown, as answers are measurements. Round labels and answers to a few to see it.",
    ]  # fmt: skip


# ---- Files, the command, refusals


def test_a_csv_file_has_every_item_and_is_read_back(tmp_path):
    ratings, judges = simulated()
    result = items(ratings, judges)
    result.write(tmp_path / "items.csv")
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    whole = items(ratings, judges, top=100).rows()
    assert len(written) == len(whole) == 60
    for cells, row in zip(written, whole, strict=True):
        assert list(cells) == list(row)
        for name, value in row.items():
            is_missing = value is None or (isinstance(value, float) and math.isnan(value))
            assert (cells[name] == "") if is_missing else type(value)(cells[name]) == value
    items(ratings, judges, top=3).write(tmp_path / "three.csv")
    assert len((tmp_path / "three.csv").read_text(encoding="utf-8").splitlines()) == 4


def test_a_jsonl_file_has_the_items_as_the_json_has_them(tmp_path):
    ratings, judges = simulated()
    result = items(ratings, judges, top=30)
    result.write(tmp_path / "items.jsonl")
    lines = (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(result.to_json())["result"]["items"]


def test_an_empty_choice_is_written_with_its_header(tmp_path):
    ratings, judges = some()
    items(ratings, judges, majority="maybe").write(tmp_path / "none.csv")
    [header] = (tmp_path / "none.csv").read_text(encoding="utf-8").splitlines()
    assert header.startswith("item,question,ratings,share_no,")


def test_names_that_csv_must_quote_come_back(tmp_path):
    label, judge = 'ja, "wirklich"', "a,b"
    rated = pd.DataFrame({"item": ["x,\n1"] * 2, "rater": ["r", "s"], "label": [label, "no"]})
    answers = pd.DataFrame({"item": ["x,\n1"], "judge": [judge], "label": [label]})
    items(rated, answers).write(tmp_path / "items.csv")
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["item"], row[f"answer_{judge}"], row[f"share_{label}"]) == ("x,\n1", label, "0.5")


def test_the_command_prints_json_and_writes_a_file(tmp_path, capsys):
    out = tmp_path / "items.csv"
    arguments = ["items", "example:toxicity", "example:toxicity", "--show", "alone", "--judge", "strong", "--top", "3"]
    assert main([*arguments, "--json", "-o", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["command"] == "items"
    assert list(answer["result"]) == ["items", "found", "judges", "kinds"]
    first = answer["result"]["items"][0]
    assert list(first) == ["item", "question", "text", "ratings", "shares", "split", "kinds", "judges"]
    assert list(first["judges"][0]) == ["judge", "answer", "surprise"]
    assert all("alone" in row["kinds"] for row in answer["result"]["items"])
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4


def test_the_answer_fits_a_screen(golden):
    text = text_of(items(*simulated(), judge=["once", "odds"]))
    assert len(text.splitlines()) <= 25
    assert max(map(len, text.splitlines())) <= 80
    assert text == golden("items.txt")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judge": "x"}, "There is no judge 'x': the judges are a, b."),
        ({"judge": ()}, "No judge was named"),
        ({"majority": "x"}, "majority= 'x' is not a label: the labels are no, maybe, yes."),
        ({"answer": "x"}, "answer= 'x' is neither a judge's answer nor a label that people gave."),
        ({"sort": "x"}, "sort= cannot be 'x': choose one of split, surprise, ratings, item."),
        ({"show": "x"}, "show= cannot be 'x'"),
        ({"top": 0}, "top= cannot be 0: give the number of items."),
        ({"show": "judges", "judge": "a"}, "show= judges needs two judges"),
        ({"show": "telling", "sort": "split"}, "show= telling has an order of its own"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, message):
    with pytest.raises(OptionError) as refused:
        items(*some(), **options)
    assert str(refused.value).startswith(message)


def test_views_of_judges_need_judges():
    ratings, _ = some()
    for options in ({"show": "alone"}, {"show": "judges"}, {"sort": "surprise"}):
        with pytest.raises(OptionError, match="needs"):
            items(ratings, **options)
    with pytest.raises(JudgesError, match="share no item"):
        items(ratings, pd.DataFrame({"item": ["z"], "judge": "a", "label": "no"}))


def test_items_that_were_put_together_are_refused():
    ratings, _ = some()
    together = Ratings(**{name: getattr(ratings, name) for name in ("item", "label", "items", "labels")},
                       copies=np.full(ratings.n_items, 2))  # fmt: skip
    with pytest.raises(RatingsError, match="none can be shown: read them whole"):
        items(together)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        items(some()[0]).write(tmp_path / "no" / "items.csv")


def with_texts():
    """The same ratings with a text for each item but one, and a number that some have."""
    ratings, judges = some()
    texts = {"i0": "first", "i1": "second, with a comma", "i2": "third", "i3": "fourth"}
    return replace(ratings, about={"text": texts, "size": {"i1": "10", "i3": "9", "i4": "100"}}), judges


def test_texts_are_shown_and_written(tmp_path):
    result = items(*with_texts(), sort="item")
    assert [row.text for row in result.items] == ["first", "second, with a comma", "third", "fourth", None]
    assert "second, with a comma" in text_of(result)
    result.write(tmp_path / "items.csv")
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == ["first", "second, with a comma", "third", "fourth", ""]


def test_a_text_is_no_markup_wherever_it_is_shown():
    ratings, judges = some()
    evil = "<script>alert(1)</script> [red]x[/red] \x1b[31m"
    result = items(replace(ratings, about={"text": dict.fromkeys(ratings.items, evil)}), judges)
    assert "<script>alert" not in fragment_of(result)
    assert "&lt;script&gt;alert" in fragment_of(result)
    assert "\x1b" not in text_of(result)
    assert "[red]x" in "".join(text_of(result, details=True).split())


def test_items_are_sorted_by_a_column_numbers_from_the_largest_and_texts_by_the_alphabet():
    ratings, judges = with_texts()
    assert names(items(ratings, judges, sort="size")) == ["i4", "i1", "i3", "i0", "i2"]
    assert names(items(ratings, judges, sort="text")) == ["i0", "i3", "i1", "i2", "i4"]


def test_a_text_column_of_the_ratings_is_about_the_items():
    rows = [("1", "a text", "ann", "no", "x"), ("1", "a text", "bob", "no", "y"), ("2", "another", "ann", "yes", "x")]
    rated = read(pd.DataFrame(rows, columns=["item", "Text", "rater", "label", "writer"]))
    # Who wrote item 1 differs between its rows, so it is not about the item.
    assert rated.about == {"text": {"1": "a text", "2": "another"}}


def test_columns_of_a_table_about_the_items_are_known(tmp_path, capsys):
    (tmp_path / "ratings.csv").write_text("item,rater,label\na,r,no\na,s,no\nb,r,yes\nb,s,no\n", encoding="utf-8")
    (tmp_path / "items.csv").write_text("item,text,words\nb,Bad.,12\na,Good.,7\n", encoding="utf-8")
    arguments = ["items", str(tmp_path / "ratings.csv"), "--items", str(tmp_path / "items.csv"), "--sort", "words"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["result"]["items"]
    assert [(row["item"], row["text"]) for row in found] == [("b", "Bad."), ("a", "Good.")]
    (tmp_path / "items.csv").write_text("item,words\nx,12\n", encoding="utf-8")
    assert main(arguments) == 2
    refused = "items.csv is about none of the rated items: its column item has x; rated are a, b."
    assert refused in capsys.readouterr().err


def test_items_of_several_questions_are_written_below_each_other(tmp_path):
    rows = [(q, i, r, q[0] if i == "a" else "z") for q in ("one", "two") for i in ("a", "b") for r in ("r", "s")]
    frame = pd.DataFrame(rows, columns=["question", "item", "rater", "label"])
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    assert main(["items", str(tmp_path / "ratings.csv"), "-o", str(tmp_path / "items.csv"), "--sort", "item"]) == 0
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [(row["question"], row["item"]) for row in written] == [
        ("one", "a"), ("one", "b"), ("two", "a"), ("two", "b"),
    ]  # fmt: skip
    assert [row["share_o"] for row in written] == ["1.0", "0.0", "", ""]
    assert main(["items", str(tmp_path / "ratings.csv"), "-o", str(tmp_path / "items.jsonl"), "--sort", "item"]) == 0
    lines = (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["question"] for line in lines] == ["one", "one", "two", "two"]


def test_a_hundred_thousand_items_take_seconds():
    n = 100_000
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, 3 * n)
    ratings = Ratings(item=np.repeat(np.arange(n), 3), label=label, items=tuple(map(str, range(n))), labels=LABELS)
    judges = Judges(
        item=np.arange(n), judge=np.zeros(n, dtype=int), sample=np.zeros(n, dtype=int), label=label[::3],
        items=ratings.items, judges=("j",), labels=LABELS, options=LABELS,
    )  # fmt: skip
    result = items(ratings, judges)
    assert (len(result.items), result.found) == (20, n)


@pytest.mark.parametrize("judge", ["once", "odds"])
def test_surprises_of_a_slice_sum_to_its_score(judge):
    ratings, judges = simulated()
    cut = sliced(ratings, slicing_of("kind", {name: "abc"[i % 3] for i, name in enumerate(ratings.items)}))
    listed = items(cut, judges, judge=judge, top=100).parts
    scored = equivalence(cut, judges, judge=judge, bootstrap=0).parts
    for shown, part in zip(listed, scored, strict=True):
        [score] = [own.score for own in part.result.judges if own.calibrated]
        bits = [row.judges[0].surprise for row in shown.result.items]
        assert (len(bits), sum(bits)) == (20, pytest.approx(-20 * score, abs=1e-9))


def test_items_of_slices_have_the_surprise_that_all_items_teach(tmp_path):
    ratings, judges = simulated()
    kinds = {name: "ab"[i % 2] for i, name in enumerate(ratings.items)}
    sliced_ = items(sliced(ratings, slicing_of("kind", kinds)), judges, top=1000)
    whole = {row.item: row.judges for row in items(ratings, judges, top=1000).items}
    for part in sliced_.parts:
        assert [row.item for row in part.result.items] != []
        assert {row.item for row in part.result.items} == {name for name in kinds if kinds[name] == part.value}
        assert all(str(whole[row.item]) == str(row.judges) for row in part.result.items)
    write_items(sliced_.parts, tmp_path / "items.csv")
    with (tmp_path / "items.csv").open(newline="") as file:
        assert {row["item"]: row["kind"] for row in csv.DictReader(file)} == kinds
