"""Files larger than memory become the same items as files that are read whole."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from dissensus import read, read_judges, read_reduced
from dissensus.cli.main import whole_app
from dissensus.data.large import read_large
from dissensus.errors import DissensusError
from dissensus.methods.equivalence.scores import label_scores

LABELS = ("no", "maybe", "yes")


def made(seed=0, *, n_items=60, labels=LABELS, with_groups=False):
    """Ragged ratings with missing labels, as a frame."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        for rater in rng.choice(12, size=rng.integers(1, 7), replace=False):
            label = labels[rng.integers(len(labels))] if rng.random() > 0.1 else ""
            rows.append({"item": f"i{item}", "rater": f"r{rater}", "label": label, "team": f"t{rater % 2}"})
    frame = pd.DataFrame(rows)
    return frame if with_groups else frame.drop(columns="team")


def judged(seed=0, *, n_items=70, judges=("a", "b"), digits=1):
    """Probabilities of each judge on items, some of which nobody rated, and some unanswered."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(5, n_items):
        for judge in judges:
            if rng.random() < 0.9:
                p = rng.dirichlet(np.ones(3)).round(digits)
                p[-1] = round(1 - p[:-1].sum(), digits)
                rows.append(
                    {"item": f"i{item}", "judge": judge, **dict(zip(("p_no", "p_maybe", "p_yes"), p, strict=True))}
                )
    return pd.DataFrame(rows)


def contents(ratings, judges=None):
    """How many items of the data were rated and answered in each way, in plain names."""
    copies = np.ones(ratings.n_items, dtype=int) if ratings.copies is None else ratings.copies
    times = np.ones(len(ratings.item), dtype=int) if ratings.times is None else ratings.times
    said = {name: (Counter(), Counter()) for name in ratings.items}
    for row, item in enumerate(ratings.item):
        group = None if ratings.group is None else ratings.groups[ratings.group[row]]
        kind = None if ratings.elicitation is None else int(ratings.elicitation[row])
        said[ratings.items[item]][0][ratings.labels[ratings.label[row]], group, kind] += int(times[row])
    for row, item in enumerate([] if judges is None else judges.item):
        if judges.items[item] in said:
            label = None if judges.label[row] < 0 else judges.labels[judges.label[row]]
            p = () if judges.probability is None else tuple(np.round(judges.probability[row], 12).tolist())
            named = tuple(sorted(zip(judges.labels, p, strict=False)))
            said[judges.items[item]][1][judges.judges[judges.judge[row]], label, str(named)] += 1
    found = Counter()
    for name, times_there in zip(ratings.items, copies.tolist(), strict=True):
        found[frozenset(said[name][0].items()), frozenset(said[name][1].items())] += times_there
    return found


@pytest.fixture(params=["parquet", "csv", "jsonl", "several parquets"])
def saved(request, tmp_path):
    """A function that writes a frame in one of the ways in which large data come."""

    def write(frame, name):
        if request.param == "parquet":
            frame.to_parquet(tmp_path / f"{name}.parquet")
            return tmp_path / f"{name}.parquet"
        if request.param == "csv":
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
            return tmp_path / f"{name}.csv"
        if request.param == "jsonl":
            frame.to_json(tmp_path / f"{name}.jsonl", orient="records", lines=True)
            return tmp_path / f"{name}.jsonl"
        folder = tmp_path / name
        folder.mkdir()
        for i, part in enumerate(np.array_split(np.random.default_rng(1).permutation(len(frame)), 3)):
            frame.iloc[part].to_parquet(folder / f"part-{i}.parquet")
        return folder

    return write


def test_reduced_ratings_and_judges_are_those_of_the_files(saved):
    people, answers = made(), judged()
    ratings, judges = read_reduced(saved(people, "ratings"), saved(answers, "judges"))
    assert contents(ratings, judges) == contents(read(people), read_judges(answers))
    assert ratings.items_in_all == read(people).n_items
    assert ratings.n_raters == people.rater.nunique()
    assert judges.totals == (answers.item.nunique(), len(answers))


def test_what_was_left_out_is_counted_as_in_a_file_that_is_read_whole(saved):
    people, answers = made(), judged()
    ratings, judges = read_reduced(saved(people, "ratings"), saved(answers, "judges"))
    assert ratings.warnings == read(people).warnings
    unrated = len(set(answers.item) - set(read(people).items))
    assert judges.warnings == (f"Left out {unrated} items that judges answered and nobody rated.",)


@pytest.mark.parametrize("n_labels", [2, 12, 13, 40])
def test_many_labels_are_told_apart_like_few(tmp_path, n_labels):
    labels = [f"label {i}" for i in range(n_labels)]
    people = made(1, n_items=300, labels=labels)
    people.to_parquet(tmp_path / "r.parquet")
    assert contents(read_reduced(tmp_path / "r.parquet")[0]) == contents(read(people))


def test_groups_and_elicitations_are_kept_apart(tmp_path):
    people = made(2, with_groups=True)
    people["elicitation"] = np.where(np.arange(len(people)) % 3 == 0, "response_set", "forced choice")
    people.to_parquet(tmp_path / "r.parquet")
    ratings, _ = read_reduced(tmp_path / "r.parquet", group="team")
    assert contents(ratings) == contents(read(people, group="team"))
    assert ratings.groups == ("t0", "t1")


def test_labels_of_judges_and_their_samples_are_kept(tmp_path):
    people, rng = made(3), np.random.default_rng(3)
    rows = [
        {"item": f"i{item}", "judge": judge, "sample": sample, "label": LABELS[rng.integers(3)]}
        for item in range(50)
        for judge in "abcde"
        for sample in range(3)
    ]
    answers = pd.DataFrame(rows)
    people.to_parquet(tmp_path / "r.parquet")
    answers.to_parquet(tmp_path / "j.parquet")
    ratings, judges = read_reduced(tmp_path / "r.parquet", tmp_path / "j.parquet")
    assert contents(ratings, judges) == contents(read(people), read_judges(answers))


def test_whole_numbers_as_items_are_the_same_items_as_their_texts(tmp_path):
    people, answers = made(4), judged(4)
    people["item"] = people.item.str[1:].astype(int)
    answers["item"] = answers.item.str[1:].astype(int)
    for name, frame in (("r", people), ("j", answers)):
        frame.to_parquet(tmp_path / f"{name}.parquet")
        frame.astype({"item": str}).to_parquet(tmp_path / f"{name}-text.parquet")
    as_numbers = read_reduced(tmp_path / "r.parquet", tmp_path / "j.parquet")
    as_texts = read_reduced(tmp_path / "r-text.parquet", tmp_path / "j.parquet")
    assert contents(*as_numbers) == contents(*as_texts) == contents(read(people), read_judges(answers))


def test_a_table_of_counts_is_reduced_too(tmp_path):
    people = made(5)
    people = people[people.label != ""]
    counts = people.groupby(["item", "label"]).size().rename("count").reset_index()
    counts.to_parquet(tmp_path / "c.parquet")
    ratings, _ = read_reduced(tmp_path / "c.parquet")
    assert contents(ratings) == contents(read(people))
    assert ratings.n_ratings == len(people)


def test_rounded_outputs_are_those_of_rounded_probabilities(tmp_path):
    people, answers = made(6), judged(6, digits=6)
    people.to_parquet(tmp_path / "r.parquet")
    answers.to_parquet(tmp_path / "j.parquet")
    _, judges = read_reduced(tmp_path / "r.parquet", tmp_path / "j.parquet", round_outputs=1)
    rounded = answers[["p_no", "p_maybe", "p_yes"]].round(1)
    expected = {tuple(np.round(row / row.sum(), 9)) for row in rounded.to_numpy()}
    columns = [judges.labels.index(label) for label in LABELS]
    assert {tuple(np.round(row[columns], 9)) for row in judges.probability} <= expected


@pytest.mark.parametrize("n_parts", [1, 3])
def test_moments_are_the_means_and_covariances_of_the_scores(tmp_path, monkeypatch, n_parts):
    monkeypatch.setattr(read_large, "MOST_SCORED", 5)
    people, answers = made(7, n_items=400), judged(7, n_items=420, digits=6)
    for name, frame in (("r", people), ("j", answers)):
        (tmp_path / name).mkdir()
        for i, part in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
            frame.iloc[part].to_parquet(tmp_path / name / f"{i}.parquet")
    scores = label_scores("cross-entropy")
    ratings, judges = read_reduced(tmp_path / "r", tmp_path / "j", scored_by=scores)
    assert judges.moments is not None

    whole, said = read(people), read_judges(answers)
    judge, item, p = said.distributions()
    output = {(said.items[i], said.judges[j]): row for i, j, row in zip(item, judge, p, strict=True)}
    counts = {name: tuple(row) for name, row in zip(whole.items, whole.counts().tolist(), strict=True)}
    of_type = {}
    for name in whole.items:
        if all((name, j) in output for j in judges.judges):
            rows = [
                scores(output[name, j][[said.labels.index(label) for label in whole.labels]]) for j in judges.judges
            ]
            of_type.setdefault(counts[name], []).append(np.concatenate(rows))
    own = {name: tuple(row) for name, row in zip(ratings.items, ratings.counts().tolist(), strict=True)}
    assert judges.moments.labels == whole.labels
    assert len(judges.items) == len(of_type)
    for i, name in enumerate(judges.items):
        expected = np.array(of_type[own[name]])
        np.testing.assert_allclose(judges.moments.mean[i].ravel(), expected.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(judges.moments.covariance[i], np.cov(expected.T, bias=True), atol=1e-8)
        assert ratings.copies[ratings.items.index(name)] == len(expected)
    assert ratings.items_in_all == whole.n_items


def test_a_folder_gives_the_same_numbers_as_one_file(tmp_path):
    people = made(8)
    (tmp_path / "many").mkdir()
    people.iloc[:100].to_csv(tmp_path / "many" / "a.csv", index=False)
    people.iloc[100:].to_csv(tmp_path / "many" / "b.csv", index=False)
    people.to_csv(tmp_path / "one.csv", index=False)
    run = CliRunner().invoke
    many, one = (
        json.loads(run(whole_app(), ["describe", str(tmp_path / name), "--json", "--bootstrap", "0"]).stdout)["result"]
        for name in ("many", "one.csv")
    )
    assert many == one


def test_a_pattern_names_several_files(tmp_path):
    people = made(9)
    people.iloc[:50].to_parquet(tmp_path / "2025-01.parquet")
    people.iloc[50:].to_parquet(tmp_path / "2025-02.parquet")
    pd.DataFrame({"other": [1]}).to_parquet(tmp_path / "notes.parquet")
    assert contents(read_reduced(tmp_path / "2025-*.parquet")[0]) == contents(read(people))


def refusal(tmp_path, people, answers=None, **options):
    people.to_parquet(tmp_path / "r.parquet")
    if answers is not None:
        answers.to_parquet(tmp_path / "j.parquet")
    with pytest.raises(DissensusError) as caught:
        read_reduced(tmp_path / "r.parquet", None if answers is None else tmp_path / "j.parquet", **options)
    return str(caught.value)


def test_a_repeated_rating_is_refused_and_named(tmp_path):
    people = made(10, n_items=500)
    twice = pd.concat([people, people[people.label != ""].iloc[[7]].assign(label="no")])
    name = people[people.label != ""].iloc[7]
    said = refusal(tmp_path, twice)
    assert said.startswith(f"r.parquet: 1 rating with the item and rater of an earlier one: item {name['item']} rater ")
    assert read_reduced(tmp_path / "r.parquet", repeats="keep")[0].n_ratings == (twice.label != "").sum()


def test_no_repeated_rating_is_missed(tmp_path):
    # 40 raters per item collide in 126 slots almost surely, so every item is a suspect and looked at closely.
    rows = [{"item": i, "rater": r, "label": "x"} for i in range(50) for r in range(40)]
    frame = pd.DataFrame([*rows, {"item": 3, "rater": 17, "label": "y"}])
    assert "1 rating with the item and rater of an earlier one: item 3 rater 17" in refusal(tmp_path, frame)
    frame.iloc[:-1].to_parquet(tmp_path / "r.parquet")
    assert read_reduced(tmp_path / "r.parquet")[0].n_ratings == len(rows)


def test_a_repeated_sample_of_a_judge_is_refused(tmp_path):
    answers = judged(11).assign(sample=0)
    said = refusal(tmp_path, made(11), pd.concat([answers, answers.iloc[[0]]]))
    assert said.startswith("j.parquet: 1 answer with the item, judge and sample of an earlier one: item i5 judge a")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"item": None}, "r.parquet: there are labels but no item. Fill it in or delete the rows."),
        ({"rater": " "}, "r.parquet: 1 label but no rater. Fill it in or delete the rows."),
    ],
)
def test_a_label_without_item_or_rater_is_refused(tmp_path, change, message):
    people = made(12)
    people = people[people.label != ""].reset_index(drop=True)
    for column, value in change.items():
        people.loc[3, column] = value
    assert refusal(tmp_path, people) == message


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("p_no", [None], "1 answer lacks some of its probabilities. Give all of them, or none and a label."),
        ("p_no", [None] * 2, "2 answers lack some of their probabilities. Give all of them, or none and a label."),
        (
            "p_no",
            [-0.5],
            "1 answer has a negative probability. Give numbers from 0 to 1; logarithms must be exponentiated first.",
        ),
        ("p_no", [7.0], "1 answer has probabilities that do not sum to 1. Give one for every label, or rescale them."),
        (
            "p_no",
            [7.0, 8.0],
            "2 answers have probabilities that do not sum to 1. Give one for every label, or rescale them.",
        ),
        ("p_no", ["x"], "1 answer has a probability that is not a number. Write it like 0.25."),
    ],
)
def test_probabilities_that_cannot_be_are_refused(tmp_path, column, value, message):
    answers = judged(13)
    answers[column] = answers[column].astype(object)
    answers.loc[: len(value) - 1, column] = value
    if isinstance(value[0], str):
        answers[column] = answers[column].astype(str)
    assert refusal(tmp_path, made(13), answers) == f"j.parquet, item {answers.item[0]}: {message}"


def test_the_item_that_is_named_has_the_fault_that_is_told(tmp_path):
    answers = judged(13)
    first, last = answers.item.min(), answers.item.max()
    answers.loc[answers.item == first, "p_no"] = -0.5
    answers.loc[answers.item == last, "p_no"] = None
    assert refusal(tmp_path, made(13), answers).startswith(f"j.parquet, item {last}: ")


def test_too_many_different_outputs_ask_for_rounding(tmp_path, monkeypatch):
    monkeypatch.setattr(read_large, "MOST_PROFILES", 5)
    said = refusal(tmp_path, made(14), judged(14, digits=6))
    assert said == (
        "There are more than 5 different items, because judges gave many different probabilities: round them with "
        "round_outputs= 2, or choose fewer judges with judge=."
    )


def test_files_of_different_kinds_or_columns_are_refused(tmp_path):
    people = made(15)
    people.to_csv(tmp_path / "a.csv", index=False)
    people.rename(columns={"label": "other"}).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(DissensusError, match=r"b\.csv has other columns than a\.csv"):
        read_reduced(tmp_path)
    people.to_parquet(tmp_path / "c.parquet")
    with pytest.raises(DissensusError, match="files of different kinds"):
        read_reduced(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DissensusError, match="There is no Parquet, CSV or JSONL file in"):
        read_reduced(tmp_path / "empty")


def test_an_unknown_judge_is_refused_and_a_known_one_is_read_alone(tmp_path):
    people, answers = made(16), judged(16)
    assert refusal(tmp_path, people, answers, judge="c") == "There is no judge 'c': the judges are a, b."
    _, judges = read_reduced(tmp_path / "r.parquet", tmp_path / "j.parquet", judge="b")
    assert judges.judges == ("b",)


@pytest.mark.parametrize("memory", ["lots", "2", "-1GB"])
def test_an_amount_of_memory_is_written_with_its_unit(tmp_path, memory):
    assert refusal(tmp_path, made(17), memory=memory) == (f"memory= cannot be {memory!r}: write it like 500MB or 2GB.")
