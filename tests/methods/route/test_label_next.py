"""Items drawn to be rated next: their chances, weights from there to `decide`, and what a known truth says of both."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.route.populations import make

from dissensus import compare, decide, equivalence, gate, read, read_judges, route
from dissensus.cli.main import main
from dissensus.data.collection import Collection, Event, new_key
from dissensus.data.ratings import DRAWN
from dissensus.errors import ColumnError, OptionError, RatingsError
from dissensus.methods.equivalence.curve import crossings
from dissensus.methods.route.policies import EVEN, chances_of, drawn_items

POPULATIONS = {
    "rare": make(
        [0.75, 0.15, 0.1],
        [[0.97, 0.03], [0.6, 0.4], [0.1, 0.9]],
        [[0.8, 0.15, 0.05], [0.15, 0.6, 0.25], [0.05, 0.15, 0.8]],
    ),
    "four labels": make(
        [0.4, 0.25, 0.2, 0.15],
        [[0.9, 0.05, 0.03, 0.02], [0.1, 0.75, 0.1, 0.05], [0.05, 0.1, 0.8, 0.05], [0.2, 0.3, 0.2, 0.3]],
        [[0.85, 0.05, 0.05, 0.05], [0.1, 0.65, 0.1, 0.15], [0.05, 0.1, 0.7, 0.15], [0.1, 0.2, 0.1, 0.6]],
    ),
}
INFINITE = {"below 0": -np.inf, "above K": np.inf}


# ---- Drawing


@given(st.lists(st.floats(0, 10), min_size=3, max_size=40), st.data())
@settings(max_examples=50, deadline=None)
def test_chances_sum_to_the_number_and_are_never_0(information, data):
    number = data.draw(st.integers(1, len(information)))
    chances = chances_of(np.array(information), number)
    assert chances.sum() == pytest.approx(number)
    assert chances.min() >= EVEN * number / len(information) - 1e-9
    assert chances.max() <= 1
    drawn = drawn_items(chances, np.random.default_rng(0))
    assert len(set(drawn.tolist())) == number
    error = np.array(information) ** 2  # of a mean whose standard deviation per item was known
    assert (error / chances).sum() <= (error * len(error) / number).sum() * (1 + 1e-9)


def test_items_come_as_often_as_their_chances_say():
    chances = chances_of(np.array([0.0, 1.0, 2.0, 5.0, 0.5, 0.0]), 3)
    rng = np.random.default_rng(1)
    times = sum(np.bincount(drawn_items(chances, rng), minlength=6) for _ in range(4000))
    assert np.abs(times / 4000 - chances).max() < 4 * 0.5 / np.sqrt(4000)


# ---- Weights


def weighted(ratings, weights):
    return replace(
        ratings, about={DRAWN: {item: repr(float(w)) for item, w in zip(ratings.items, weights, strict=True)}}
    )


def leave_one_out_by_hand(ratings, weight, k):
    """Mean log2 of what is predicted for one rater from k others, learned from the other items; by pairs of ratings."""
    counts = ratings.counts()
    own = []
    for i, n in enumerate(counts):
        masses = {}
        for j, m in enumerate(counts):
            if j != i:
                for label in range(2):
                    for following in range(2):
                        left = m[following] - (label == following) * k
                        chance = (m[label] / m.sum() if k else 0.5) * left / (m.sum() - k)
                        masses[label, following] = masses.get((label, following), 0) + weight[j] * chance
        score = 0.0
        for label in range(2):
            whole = masses[label, 0] + masses[label, 1]
            for following in range(2):
                left = n[following] - (label == following) * k
                chance = (n[label] / n.sum() if k else 0.5) * left / (n.sum() - k)
                score += chance * np.log2(np.clip(masses[label, following] / whole, 0.02, 0.98))
        own.append(score)
    return np.average(own, weights=weight)


def test_weighted_scores_are_those_computed_by_hand():
    ratings, judges = POPULATIONS["rare"].draw(40, 12, 4, np.random.default_rng(2))
    chances = np.random.default_rng(3).uniform(0.1, 0.9, 40)
    weight = 1 / chances / np.mean(1 / chances)
    found = equivalence(weighted(ratings, chances), judges, learn="leave-one-out", calibrate="none", bootstrap=0)
    for k in (0, 1):
        assert found.curve[k].score == pytest.approx(leave_one_out_by_hand(ratings, weight, k), abs=1e-12)
    shares = ratings.counts() / 4
    q = np.log2(np.clip(judges.probability, 0.02, 0.98))
    assert found.judges[0].score == pytest.approx(np.average((shares * q).sum(axis=1), weights=weight))
    plain = decide(weighted(ratings, chances), judges, bootstrap=0).judges[0].as_is.value
    right = np.take_along_axis(shares, judges.probability.argmax(axis=1)[:, None], axis=1)[:, 0]
    assert plain == pytest.approx(np.average(right, weights=weight))


def test_nearly_equal_weights_change_nearly_nothing():
    ratings, judges = POPULATIONS["four labels"].draw(80, 9, 4, np.random.default_rng(4))
    plain = decide(ratings, judges, bootstrap=60).judges[0]
    even = decide(weighted(ratings, np.full(80, 0.3)), judges, bootstrap=60, positive="a")
    same = even.judges[0]
    near = decide(weighted(ratings, 0.3 + 1e-8 * np.arange(80)), judges, bootstrap=60).judges[0]
    assert same == plain
    assert even.decisions is not None  # equal chances are no weights, so nothing is left out
    assert not [text for text in even.warnings if DRAWN in text]
    for name in ("worth", "worth_low", "worth_high"):
        assert getattr(near, name) == pytest.approx(getattr(plain, name), abs=1e-3, nan_ok=True)
    assert near.as_is.low == pytest.approx(plain.as_is.low, abs=1e-5)


def test_a_method_without_weights_says_so_and_counts_items_the_same():
    ratings, judges = POPULATIONS["rare"].draw(40, 9, 4, np.random.default_rng(5))
    answers = list(zip(judges.items, judges.probability[:, 0].tolist(), strict=True))
    rows = [
        {"item": i, "judge": name, "p_a": p * y, "p_b": 1 - p * y}
        for name, y in (("x", 1), ("y", 0.9))
        for i, p in answers
    ]
    two = read_judges(rows)
    result = compare(weighted(ratings, np.linspace(0.1, 0.9, 40)), two, a="x", b="y", resamples=100)
    assert result.as_dict() == compare(ratings, two, a="x", b="y", resamples=100).as_dict()
    assert [text for text in result.warnings if DRAWN in text] == [
        f"All items count the same here: only `decide` and `equivalence` use the column {DRAWN}."
    ]


def test_gates_and_histories_refuse_items_with_different_chances(tmp_path, capsys, monkeypatch):
    ratings, judges = POPULATIONS["rare"].draw(40, 9, 4, np.random.default_rng(5))
    drawn = weighted(ratings, np.linspace(0.1, 0.9, 40))
    with pytest.raises(
        RatingsError, match=r"A gate counts every item the same, and these items have different chances"
    ):
        gate(drawn, judges, judge="judge", baseline=judges, margin=0.1)
    assert gate(weighted(ratings, np.full(40, 0.5)), judges, judge="judge", baseline=judges, margin=0.1).checks
    write(tmp_path / "r.csv", [row | {DRAWN: 0.2 + int(row["item"][1:]) % 3 / 4} for row in ratings.rows()])
    write(tmp_path / "j.csv", judges.rows())
    monkeypatch.setattr("dissensus.cli.inputs.Output.run", None)  # it is refused before any work
    for command in ("decide", "judges"):
        typed = [command, str(tmp_path / "r.csv"), str(tmp_path / "j.csv"), "--record", str(tmp_path / "h.duckdb")]
        assert main([*typed, "--bootstrap", "20"]) == 2
        assert "A history counts every item the same" in capsys.readouterr().err
    assert not (tmp_path / "h.duckdb").exists()


def test_slices_of_weighted_items_are_not_compared_and_that_is_said():
    ratings, judges = POPULATIONS["rare"].draw(40, 9, 4, np.random.default_rng(5))
    rows = [
        row | {"half": int(row["item"][1:]) // 20, DRAWN: 0.2 + int(row["item"][1:]) % 3 / 4} for row in ratings.rows()
    ]
    found = equivalence(read(rows, by="half"), judges, bootstrap=20)
    assert (len(found.parts), found.overall, found.differences) == (2, None, ())
    assert any(f"With {DRAWN} slices are not compared" in text for text in found.warnings)


@pytest.mark.parametrize("chance", ["0", "1.5", "often", ""])
def test_a_chance_that_is_none_is_refused(chance):
    rows = [
        {"item": i, "rater": r, "label": "ab"[(i + r) % 2], DRAWN: chance if i == 3 else "0.5"}
        for i in range(6) for r in range(3)
    ]  # fmt: skip
    judges = [{"item": i, "judge": "j", "label": "a"} for i in range(6)]
    with pytest.raises(RatingsError, match=r"The item 3 has (no|the) inclusion_probability"):
        equivalence(read(rows), read_judges(judges), bootstrap=0)


def test_two_chances_of_one_item_are_refused():
    rows = [{"item": 1, "rater": r, "label": "a", DRAWN: 0.1 * r} for r in (1, 2)]
    with pytest.raises(ColumnError, match="an item has two values of inclusion_probability"):
        read(rows)


# ---- From new items to a decision


def test_new_items_are_drawn_rated_and_weighed_from_command_to_command(tmp_path, capsys):
    ratings, judges = POPULATIONS["rare"].draw(400, 9, 3, np.random.default_rng(6))
    for name, rows, first in (("old", ratings.rows(), 0), ("new", [], 200)):
        if rows:
            write(tmp_path / f"{name}.csv", [row for row in rows if int(row["item"][1:]) < 200])
        write(tmp_path / f"{name}_judge.csv", [row for row in judges.rows() if 0 <= int(row["item"][1:]) - first < 200])
    out = tmp_path / "next.csv"
    typed = ["route", "old.csv", "old_judge.csv", "--new", "new_judge.csv", "--label-next", "60", "-o", "next.csv"]
    typed = [str(tmp_path / one) if one.endswith(".csv") else one for one in typed]
    assert main([*typed, "--bootstrap", "20"]) == 0
    assert "Of 200 items without ratings 60 were drawn to be rated next: 180 ratings." in " ".join(
        capsys.readouterr().out.split()
    )
    drawn = {row["item"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert len(drawn) == 60
    assert {row["raters"] for row in drawn.values()} == {"3"}
    write(tmp_path / "items.csv", [{"item": f"i{i}", "text": f"text {i}"} for i in range(200, 400)])
    (tmp_path / "task.toml").write_text('instructions = "Which?"\noptions = ["a", "b"]\n')
    asked = ["collect", str(tmp_path / "items.csv"), "--task", str(tmp_path / "task.toml"), "--from", str(out)]
    assert main([*asked, "--raters", "5", "-o", str(tmp_path / "project")]) == 0
    with Collection(tmp_path / "project") as collection:
        collection.add([
            Event(key=new_key(), kind="answer", rater=rater, slot=number,
                  body={"choice": "ab"[(slot.item + number) % 3 == 0], "seconds": 1.0, "order": ""})
            for rater, slots in collection.plan.slots.items() for number, slot in enumerate(slots)
        ])  # fmt: skip
    assert main(["collect", str(tmp_path / "project"), "--bootstrap", "0"]) == 0
    capsys.readouterr()
    exported = tmp_path / "project" / "data" / "ratings.csv"
    rows = list(csv.DictReader(exported.read_text().splitlines()))
    assert {row["item"]: row[DRAWN] for row in rows} == {item: row[DRAWN] for item, row in drawn.items()}
    assert main(["decide", str(exported), str(tmp_path / "new_judge.csv"), "--bootstrap", "20", "--json"]) == 0
    assert f"Items count by the inverse of their {DRAWN}." in json.loads(capsys.readouterr().out)["warnings"]


def write(path, rows):
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_no_more_items_than_there_are_can_be_drawn():
    ratings, judges = POPULATIONS["rare"].draw(60, 9, 3, np.random.default_rng(7))
    with pytest.raises(OptionError, match="label_next= 50 is more than the 10 items that the judge answered"):
        route(ratings.where(ratings.item < 50), judges, label_next=50, bootstrap=0)


# ---- A known truth


def truth(population):
    """Score and worth of the judge for all items there could ever be."""
    _, by_signal, chance = population.bits(0)
    score = float(by_signal @ chance)
    curve = np.array([[population.bits(k)[0] for k in range(4)]])
    return score, float(crossings(curve, np.array([score]))[0])


def estimates(population, seed):
    """From a pilot and 1,500 new items, 250 of them rated: weighted, not weighted, drawn evenly; each with its lead."""
    rng = np.random.default_rng([191, seed])
    ratings, judges = population.draw(1800, 40, 4, rng)
    name = np.array(ratings.items)[ratings.item]
    drawn = route(ratings.where(ratings.item < 300), judges, bootstrap=0, label_next=250, rng=seed).assignments
    rated = ratings.where(np.isin(name, [one.item for one in drawn]))
    chances = {one.item: one.inclusion_probability for one in drawn}
    even = ratings.where(np.isin(name, [f"i{300 + i}" for i in rng.choice(1500, 250, replace=False)]))
    sets = (weighted(rated, [chances[item] for item in rated.items]), rated, even)
    found = [equivalence(one, judges, bootstrap=200, rng=seed) for one in sets]
    return [(own.judges[-1], own.judges[-1].score - own.curve[1].score) for own in found]


def ends(worth):
    low = INFINITE.get(worth.low_verdict, worth.equivalence_low)
    return low, INFINITE.get(worth.high_verdict, worth.equivalence_high)


def test_weights_undo_the_draws():
    population = POPULATIONS["rare"]
    how = {"calibrate": "none", "bootstrap": 0, "max_raters": 1}
    off = []
    for seed in range(10):
        rng = np.random.default_rng([23, seed])
        ratings, judges = population.draw(200, 12, 3, rng)
        chances = np.where(judges.probability.max(axis=1) > 0.9, 0.2, 0.8)  # items of which the judge is sure come less
        rated = ratings.where((rng.random(200) < chances)[ratings.item])
        drawn = weighted(rated, [chances[int(item[1:])] for item in rated.items])
        every, with_weights, without = (equivalence(one, judges, **how) for one in (ratings, drawn, rated))
        off.append([own.judges[0].score - every.judges[0].score for own in (with_weights, without)])
    error = np.std(off, axis=0) / np.sqrt(10)
    mean = np.mean(off, axis=0)
    assert abs(mean[0]) < 3 * error[0]
    assert mean[1] < -5 * error[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_weighted_intervals_hold_the_truth(name, trust):
    population = POPULATIONS[name]
    score, worth = truth(population)
    runs = trust.sets(200)
    found = [estimates(population, seed) for seed in range(runs)]
    scores = np.array([[one.score for one, _ in own] for own in found])
    leads = np.array([[lead for _, lead in own] for own in found])
    held = np.mean([own[0][0].low <= score <= own[0][0].high for own in found])
    worth_held = np.mean([low <= worth <= high for low, high in (ends(own[0][0]) for own in found)])
    trust.keep("coverage", "label-next: score", held, runs, data=name)
    trust.keep("coverage", "label-next: worth", worth_held, runs, data=name)
    assert 0.92 <= held <= 0.98
    assert worth_held >= 0.92
    error = scores.std(axis=0) / np.sqrt(runs)
    assert abs(scores[:, 0].mean() - score) < 3 * error[0]
    assert leads[:, 0].std() < (1 + 3 / np.sqrt(runs)) * leads[:, 2].std()  # at worst as good as even draws
