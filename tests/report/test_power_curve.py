"""The chart of the power curve on real results."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dissensus
from dissensus.data.paths import example_path
from dissensus.report.specs.lines import spread_apart
from dissensus.report.views.section import section_of


@pytest.fixture(scope="module")
def real():
    """The bundled ratings with a ceiling: everything that the chart can show."""
    folder = example_path("binary")
    ratings, judges = dissensus.read(folder / "ratings.csv"), dissensus.read_judges(folder / "judges.csv")
    return dissensus.equivalence(ratings, judges, calibrate="isotonic", ceiling=True, bootstrap=40)


def layers(figure):
    return figure.spec["layer"]


def values(layer):
    return layer["data"]["values"]


def judge_rows(figure):
    """The rows of the judges' lines: they alone say what a judge is worth."""
    return next(values(layer) for layer in layers(figure) if "worth" in values(layer)[0])


def figure_of(result):
    [figure] = section_of(result).figures()
    return figure


def test_the_chart_shows_the_gain_over_asking_nobody(real):
    points = next(values(layer) for layer in layers(figure_of(real)) if "items" in values(layer)[0])
    assert [point["raters"] for point in points] == list(range(10))
    assert points[0]["score"] == 0
    assert points[9]["score"] == pytest.approx(real.curve[9].score - real.curve[0].score)


def test_each_judge_meets_the_curve_at_what_it_is_worth(real):
    curve = [point.score - real.curve[0].score for point in real.curve]
    rows = judge_rows(figure_of(real))
    assert [row["text"] for row in rows] == ["1.9 classifier", "0.3 keywords", "1.4 classifier (raw)"]
    for row in rows:
        assert np.interp(row["raters"], range(10), curve) == pytest.approx(row["score"])


def test_the_curve_beyond_the_data_starts_where_they_end(real):
    [dashed] = [layer for layer in layers(figure_of(real)) if layer["mark"].get("strokeDash") == [6, 4]]
    assert [row["raters"] for row in values(dashed)] == list(range(9, 19))
    assert values(dashed)[0]["score"] == pytest.approx(real.curve[9].score - real.curve[0].score)
    assert values(dashed)[-1]["score"] == real.ceiling.curve[-1].score


def test_the_table_behind_the_chart_has_its_numbers(real):
    table = figure_of(real).table
    assert len(table.rows) == 10 + len(real.ceiling.curve)
    assert table.rows[3][:2] == [3, real.curve[3].score - real.curve[0].score]
    assert table.rows[-1][-1] is None  # no items beyond the data


def test_the_chart_draws_itself_without_a_word_from_vega(real, capfd):
    svg = real.plot().to_svg()
    for text in ("1.9 classifier", "people asked", "ceiling 0.36", "Bits gained over asking nobody"):
        assert text in svg
    assert capfd.readouterr().err == ""


def test_plot_and_report_share_one_chart(real):
    assert real.plot().figure == figure_of(real)


def test_every_number_of_raters_has_its_place_on_a_short_axis(real):
    axis = figure_of(real).spec["encoding"]["x"]["axis"]
    # 18 raters with the estimate beyond the data: steps of 5, as many ticks as Vega is to show
    assert axis["values"] == [0, 5, 10, 15]
    assert axis["tickCount"] == 4


sorted_places = st.lists(st.floats(-10, 10), min_size=1, max_size=9).map(sorted)


@given(sorted_places, st.floats(0.01, 3))
def test_names_never_overlap_and_keep_their_order(places, gap):
    moved = spread_apart(places, gap=gap)
    assert all(b - a >= gap - 1e-9 for a, b in itertools.pairwise(moved))


@given(sorted_places, st.floats(0.01, 3))
def test_names_move_as_little_as_can_be(places, gap):
    # least squares, so their mean stays where it was, and those already apart do not move
    moved = spread_apart(places, gap=gap)
    assert np.mean(moved) == pytest.approx(np.mean(places), abs=1e-9)
    if all(b - a >= gap for a, b in itertools.pairwise(places)):
        assert moved == pytest.approx(places, abs=1e-9)
