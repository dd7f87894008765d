"""What the benchmarks are made of: fitted exponents, records, the page, the history, and alternatives that are missing.

Nothing is timed here.
"""

import ast
import importlib
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
ABOUT = {"version": "1.2", "commit": "abc1234", "date": "2026-01-02", "python": "3.11.7", "cores": 2, "load": 0.25}
RATIO = {
    "kind": "ratio", "what": "alpha / krippendorff", "against": "krippendorff", "ours": 0.001, "theirs": 0.25,
    "limit": 0.1, "difference": 2e-16, "tolerance": 1e-9, "kept": True,
}  # fmt: skip
GROWTH = {
    "kind": "growth", "question": "describe", "grows": "items", "sizes": [1, 2, 4], "seconds": [0.1, 0.2, 0.4],
    "exponent": 1.0, "limit": 1.3, "kept": True, "usual": {"items": 500, "raters": 5},
}  # fmt: skip
QUALITY = {
    "kind": "quality", "population": "people differ", "what": "ABC", "bits": -1.25, "against_ours": -0.5,
    "standard_error": 0.01,
}  # fmt: skip
FIGURES = [RATIO, GROWTH, QUALITY, {"kind": "skipped", "name": "irrCAC", "reason": "/home/me: no such package"}]


@pytest.fixture(scope="module")
def bench():
    """The modules of benchmarks/ by name; they find each other as they do when a script runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield importlib.import_module
        for name in [name for name, module in sys.modules.items() if is_in_folder(module)]:
            patch.delitem(sys.modules, name)


def is_in_folder(module):
    return str(getattr(module, "__file__", None) or "").startswith(str(FOLDER))


@pytest.mark.parametrize("power", [0, 0.5, 1, 1.7, 2])
def test_the_exponent_of_a_power_is_that_power(bench, power):
    sizes = bench("growth").doubled(100)
    assert len(sizes) == 6
    assert sizes[-1] == 3200
    assert bench("growth").exponent(sizes, [3e-4 * size**power for size in sizes]) == pytest.approx(power)


def test_fixed_costs_at_small_sizes_do_not_hide_the_growth(bench):
    # Quadratic with a fixed cost as large as the work at 8 times the smallest size: over all six points the slope is
    # far from 2, over the last three it is near.
    sizes = bench("growth").doubled(1)
    seconds = [64 + size**2 for size in sizes]
    assert bench("growth").exponent(sizes, seconds, fitted=6) < 1
    assert bench("growth").exponent(sizes, seconds) == pytest.approx(1.54, abs=0.01)


def test_the_exponent_is_the_slope_of_least_squares(bench):
    rng = np.random.default_rng(0)
    sizes, seconds = [1, 2, 4, 8], rng.uniform(1, 2, 4)
    expected = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    assert bench("growth").exponent(sizes, seconds, fitted=4) == pytest.approx(expected)


def test_a_benchmark_run_by_itself_records_nothing(bench, monkeypatch, tmp_path):
    recording = bench("recording")
    monkeypatch.delenv(recording.FILE, raising=False)
    recording.record("ratio", what="a")
    assert recording.recorded(tmp_path / "none.jsonl") == []


def test_what_is_recorded_is_read_again_in_order(bench, monkeypatch, tmp_path):
    recording, path = bench("recording"), tmp_path / "records.jsonl"
    monkeypatch.setenv(recording.FILE, str(path))
    recording.record("ratio", what="a", ours=0.5)
    recording.record("growth", exponent=1.25)
    assert recording.recorded(path) == [
        {"kind": "ratio", "what": "a", "ours": 0.5},
        {"kind": "growth", "exponent": 1.25},
    ]


@pytest.mark.parametrize(
    ("ours", "difference", "is_kept"), [(1.0, 0.0, True), (3.0, 0.0, False), (1.0, 1e-3, False), (1.0, math.nan, False)]
)
def test_a_promise_is_kept_if_ours_is_fast_enough_and_the_answer_is_the_same(bench, capsys, ours, difference, is_kept):
    report = bench("timing").report
    assert report("a / b", ours, 1.0, limit=2, difference=difference, tolerance=1e-9) is is_kept
    assert ("NOT" in capsys.readouterr().out) is not is_kept


def test_the_time_is_the_shortest_of_several_runs(bench):
    ticks = iter([0, 5, 10, 12, 20, 29])
    assert bench("timing").answer_and_seconds(lambda: "x", times=3, clock=lambda: next(ticks)) == ("x", 2)


def test_the_page_says_how_many_times_as_fast_and_whether_the_answers_are_the_same(bench):
    text = bench("benchmark_page").page(FIGURES, ABOUT)
    # .25 s against .001 s is 250 times; promised were 10 times, which is a ratio of .1.
    assert "| alpha | krippendorff | 1 ms | 250 ms | 250 (at least 10) | 2e-16 |" in text
    assert "| `describe` | items | 1 | 4 | 400 ms | 1.00 | 1.3 |" in text
    assert "| people differ | ABC | -1.250 | -0.500 ± 0.010 |" in text
    assert "dissensus 1.2 (abc1234) on Python 3.11.7, 2 cores, load 0.2" in text


def test_the_page_names_what_was_skipped_but_not_why(bench):
    # The reason may hold a path of the machine.
    text = bench("benchmark_page").page(FIGURES, ABOUT)
    assert "did not answer: irrCAC." in text
    assert "/home/me" not in text


def test_the_page_says_what_was_not_kept(bench):
    slow = {**RATIO, "limit": 1e-3, "kept": False}
    other = {**RATIO, "difference": 1e-3, "kept": False}
    superlinear = {**GROWTH, "exponent": 1.8, "kept": False}
    text = bench("benchmark_page").page([slow, other, superlinear], ABOUT)
    assert "| 250 (at least 1,000: **not kept**) |" in text
    assert "| 1e-03: **not the same**, at most 1e-09 |" in text
    assert "| 1.80 | 1.3: **not kept** |" in text


def test_the_page_only_counts_other_promises_that_are_kept(bench):
    kept, broken = {**RATIO, "against": None}, {**RATIO, "against": None, "what": "b", "limit": 1e-3}
    text = bench("benchmark_page").page([kept, broken], ABOUT)
    assert "1 of 2 other promises are kept" in text
    assert "| alpha |" not in text
    assert "| b | 1 ms | 250 ms | 250 (at least 1,000: **not kept**) |" in text


def test_the_quick_way_has_a_table_of_its_own(bench):
    quick = {**RATIO, "what": "tweets, seed 0 / --exact", "against": "--exact", "limit": None}
    far = {**quick, "difference": 0.2, "tolerance": 0.1, "kept": False}
    text = bench("benchmark_page").page([RATIO, quick, far], ABOUT)
    assert "| tweets, seed 0 | 1 ms | 250 ms | 250 | 2e-16 |" in text
    assert "| tweets, seed 0 | 1 ms | 250 ms | 250 | 2e-01: **not the same**, at most 1e-01 |" in text
    assert "| --exact |" not in text


@pytest.mark.parametrize(
    ("moved", "apart"),
    [
        ({}, 0.0),
        ({"score": 0.51}, 0.05),
        ({"high": 0.63}, 0.15),
        ({"equivalence_high": 2.4}, 0.2),
        ({"equivalence_low": None, "low_verdict": "below 0"}, 0.0),  # as good as the end of the curve, which it is at
        ({"equivalence_high": None, "high_verdict": "above 3"}, 0.5),
    ],
)
def test_the_quick_way_is_off_by_widths_of_the_interval(bench, moved, apart):
    judge = {"score": 0.5, "low": 0.4, "high": 0.6}
    judge |= {"equivalence": 1.0, "equivalence_low": 0.0, "equivalence_high": 2.0}
    judge |= dict.fromkeys(("verdict", "low_verdict", "high_verdict"), "within")
    points = [{"raters": k, "score": 0.0, "low": -1.0, "high": 1.0} for k in range(4)]
    exact, quick = {"curve": points, "judges": [judge]}, {"curve": points, "judges": [judge | moved]}
    assert math.isclose(bench("bench_exact").furthest(quick, exact), apart)


def test_sizes_that_exact_samples_itself_are_no_measure_of_the_quick_way(bench):
    points = [{"raters": k, "score": 0.0, "low": -1.0, "high": 1.0, "standard_error": None} for k in range(3)]
    moved = [*points[:2], points[2] | {"score": 0.4}]
    sampled = [*points[:2], points[2] | {"standard_error": 0.3}]
    for exact, apart in ((points, 0.2), (sampled, 0.0)):
        off = bench("bench_exact").furthest({"curve": moved, "judges": []}, {"curve": exact, "judges": []})
        assert math.isclose(off, apart)


def test_every_table_of_the_page_has_as_many_cells_in_each_row(bench):
    text = bench("benchmark_page").page([*FIGURES, {**RATIO, "against": None, "what": "a | b", "limit": 1e-3}], ABOUT)
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(tables) == 4
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1, table


def test_the_page_is_not_run_again_by_the_docs(bench):
    text = bench("benchmark_page").page(FIGURES, ABOUT)
    assert text.startswith("<!-- Written by `make bench`")
    assert not re.search(r"^<!-- (?:file|run|fails): ", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("value", "shown"), [(12.34, "12.3 s"), (250, "250 s"), (0.0042, "4.2 ms"), (0.25, "250 ms"), (3e-5, "30 µs")]
)
def test_times_have_a_unit_that_suits_them(bench, value, shown):
    assert bench("benchmark_page").seconds(value) == shown


def test_the_history_has_a_line_for_each_run(bench, tmp_path):
    history, path = bench("benchmark_history"), tmp_path / "history.jsonl"
    line = history.line_of(FIGURES, ABOUT)
    history.append(path, line)
    history.append(path, line)
    assert history.runs(path) == [line, line]
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[0]) == {
        **ABOUT, "ratios": {"alpha / krippendorff": 0.004}, "exponents": {"describe by items": 1.0},
        "bits": {"people differ: ABC": -1.25}, "not_kept": [],
    }  # fmt: skip


def test_the_history_names_what_was_not_kept(bench):
    figures = [{**RATIO, "kept": False}, {**GROWTH, "kept": False}]
    line = bench("benchmark_history").line_of(figures, ABOUT)
    assert line["not_kept"] == ["alpha / krippendorff", "describe by items"]


def test_what_became_slower_is_named(bench):
    before, now = {"ratios": {"a": 0.1, "b": 0.1, "old": 1}}, {"ratios": {"a": 0.16, "b": 0.14, "new": 9}}
    assert bench("benchmark_history").changes(before, now, factor=1.5) == [("a", 0.1, 0.16)]


def test_the_kept_history_is_one_run_a_line():
    path = FOLDER / "history.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    assert all({"version", "date", "ratios", "exponents"} <= json.loads(line).keys() for line in lines)


def test_an_alternative_that_cannot_be_installed_is_skipped_with_a_line(bench, capsys, monkeypatch, tmp_path):
    environments = bench("environments")
    monkeypatch.setattr(environments, "CACHE", tmp_path)
    missing = environments.Alternative("missing", ("missing==1",), "none.py", python="2.99")
    monkeypatch.setitem(environments.ALTERNATIVES, "missing", missing)
    assert environments.answers_of("missing", {}) is None
    assert "missing: skipped, it needs Python 2.99, which is not here" in capsys.readouterr().out


def test_an_environment_is_made_once_and_anew_where_the_pins_changed(bench, capsys, monkeypatch, tmp_path):
    environments = bench("environments")
    ran = []
    monkeypatch.setattr(environments, "CACHE", tmp_path)

    def run(command, *_, **__):
        ran.append(command)
        (tmp_path / "a").mkdir(exist_ok=True)

    monkeypatch.setattr(environments, "_run", run)
    for version in (1, 1, 2):
        environments.ready(environments.Alternative("a", (f"a=={version}",), "a.py"))
    # A folder and what is installed into it, twice.
    assert [command[-1] for command in ran] == [str(tmp_path / "a"), "a==1", str(tmp_path / "a"), "a==2"]
    assert capsys.readouterr().out.count("Installing") == 2


def test_an_answer_is_the_last_line_that_was_printed(bench):
    parsed = bench("environments").parsed
    assert parsed("a", 'Welcome!\n{"answers": {}}\n') == {"answers": {}}
    for printed in ("", "Welcome!\n"):
        with pytest.raises(bench("environments").NotAvailableError, match="a gave no answer"):
            parsed("a", printed)


def test_every_alternative_has_pinned_versions_and_a_script(bench):
    for alternative in bench("environments").ALTERNATIVES.values():
        assert re.search(r"==\d", alternative.pins[0])
        assert (FOLDER / "alternatives" / alternative.script).is_file()


def test_drawn_people_have_as_many_of_everything_as_asked_for(bench):
    ratings, judges = bench("populations").drawn(
        np.random.default_rng(0), items=7, raters=4, labels=3, judges=2, samples=5
    )
    assert (ratings.n_items, ratings.n_raters, ratings.labels) == (7, 4, ("1", "2", "3"))
    assert (len(judges.label), judges.judges) == (70, ("judge-0", "judge-1"))


@pytest.mark.parametrize("population", ["disagreeing_people", "erring_raters"])
def test_hidden_raters_are_seen_by_no_combiner(bench, population):
    held_out = bench("held_out")
    data = getattr(held_out, population)(np.random.default_rng(0), items=40, raters=5, labels=3)
    assert np.allclose(data.chance.sum(axis=2), 1)
    assert data.seen.sum(axis=1).tolist() == [5] * 20 + [4] * 20
    changed = data.given.copy()
    changed[data.tested] = (changed[data.tested] + 1) % 3
    other = held_out.HeldOut(changed, data.chance, data.hidden)
    assert np.array_equal(held_out.abc_predictions(data), held_out.abc_predictions(other))


def test_the_abc_is_what_such_items_went_on_with(bench):
    # Learned from aab, abb and aaa. aab is ab, then a, with chance 2/3, and aa, then b, with 1/3; abb is ab, then b,
    # with 2/3, and bb, then a, with 1/3; aaa is aa, then a. So after ab a and b are alike, after aa comes a with
    # chance 1 / (1 + 1/3) = 3/4, and after bb comes a.
    held_out = bench("held_out")
    given = np.array([[0, 0, 1], [0, 1, 1], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    data = held_out.HeldOut(given, np.full((6, 3, 2), 0.5), np.array([2, 2, 0]))
    expected = [[1 / 2, 1 / 2], [3 / 4, 1 / 4], [1, 0]]  # after ab, aa and bb
    assert np.allclose(held_out.abc_predictions(data), expected)


def test_dawid_skene_predicts_through_the_errors_of_the_hidden_rater(bench):
    held_out = bench("held_out")
    data = held_out.HeldOut(np.zeros((2, 2), dtype=int), np.full((2, 2, 2), 0.5), np.array([1]))
    posterior = np.array([[1, 0], [0.25, 0.75]])
    errors = np.array([[[1, 0], [0, 1]], [[0.8, 0.2], [0.4, 0.6]]])
    # The second rater says 0 with chance .25 x .8 + .75 x .4 = .5.
    assert np.allclose(held_out.dawid_skene_predictions(data, posterior, errors), [[0.5, 0.5]])


def test_only_the_scripts_that_are_named_run(bench):
    run = bench("run")
    assert [path.stem for path in run.chosen(["growth"])] == ["bench_growth"]
    assert len(run.chosen([])) == len(list(FOLDER.glob("bench_*.py")))
    assert run.main(["nothing-like-this"]) == 2


@pytest.mark.parametrize("script", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_takes_from_the_package_is_there(script):
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dissensus"):
            module = importlib.import_module(node.module)
            missing = [name.name for name in node.names if not hasattr(module, name.name)]
            assert missing == []


def test_the_page_about_trust_shows_the_figures_that_were_measured(bench):
    trust = bench("trust")
    figures = json.loads(trust.FIGURES.read_text(encoding="utf-8"))
    text = trust.PAGE.read_text(encoding="utf-8")
    assert trust.page_of(text, figures) == text, "renew it: python benchmarks/trust.py --page"
    assert {row["kind"] for row in figures["measured"]} == {*trust.AIMS, "advice"}
    assert "never rely on a judge\n  that knows nothing" in text
    assert all(row["share"] == 0 for row in figures["measured"] if row["number"].endswith(": useless"))
    assert [why for why in trust.WHY.values() if why not in text] == []  # no reason outlives what it explains


def test_shares_on_the_page_about_trust_have_their_standard_errors(bench):
    trust = bench("trust")
    # .9 of 100: sqrt(.9 * .1 / 100) = .03; .9 of 200: sqrt(.9 * .1 / 200) = .0212; sqrt(2) * .01 * 100 / 200 = .0071.
    row = {"share": 0.9, "sets": 100}
    assert trust.percent(row) == "90.0% ± 3.0%"
    assert trust.percent(trust.pooled([row, row])) == "90.0% ± 2.1%"
    assert trust.percent({"share": 1.0, "sets": 98}) == "100.0% ± 1.0%"  # as if 1 of 100 had come out otherwise
    assert trust.percent(trust.pooled([row | {"error": 0.01}] * 2)) == "90.0% ± 0.7%"


def test_a_share_outside_its_band_stands_on_the_page_with_a_reason(bench, monkeypatch):
    # .7 of 100 has a standard error of .046, so it is 4.8 of them below .92; .9 with .03 is not 2 below.
    trust = bench("trust")
    monkeypatch.setattr(trust, "WHY", {"judge: a": "Because."})
    cells = [
        {"kind": "coverage", "number": "judge: a", "data": d, "share": s, "sets": 100}
        for d, s in (("x", 0.7), ("y", 0.9))
    ]
    assert list(trust.outside(cells)) == [["`judge`: a", "70.0%", "x", "Because."]]
    with pytest.raises(LookupError, match=r"judge: b is outside its bounds \(70.0% ± 4.6%\)"):
        list(trust.outside([cells[0] | {"number": "judge: b"}]))
    # .91 of 100 is less than half a standard error below .92: a number in one population stands there, too.
    assert list(trust.outside([cells[0] | {"share": 0.91}])) == [["`judge`: a", "91.0%", "all together", "Because."]]


def test_intervals_of_several_judges_on_the_same_data_sets_count_once(bench):
    trust = bench("trust")
    row = {"kind": "coverage", "number": "judge: a", "data": "x", "sets": 100}
    assert trust.cells_of([row | {"share": 0.9}, row | {"share": 1.0}, row | {"number": "b"}], "judge: a") == [
        row | {"share": 0.95}
    ]


def test_how_many_shares_are_outside_by_chance_is_counted(bench):
    trust = bench("trust")
    row = {"kind": "coverage", "number": "judge: a", "data": "x", "sets": 10, "share": 0.9}
    # Of 10 data sets no share is from 92 to 98%: whatever is drawn is outside. Of 2,000 hardly any is.
    assert trust.chance_outside(row) == pytest.approx(1)
    assert trust.chance_outside(row | {"sets": 2000}) < 1e-6
    # 20 data sets: within are 0.95 alone, C(20, 19) .95^19 .05 = .3774.
    assert trust.chance_outside(row | {"sets": 20}) == pytest.approx(1 - 0.3773536)
    text = trust.by_chance([row, row | {"data": "y", "share": 0.5}, row | {"data": "z", "sets": 5000}])
    assert text.startswith("2 shares of intervals and tests come from 1,000 data sets or fewer. 1 of them are outside")
    assert text.endswith("about 2 would be outside by chance.")
