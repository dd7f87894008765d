"""What `reproduce` shows: one paper number by number, several in brief, and a page with every number and figure."""

import importlib
from dataclasses import replace

import pytest

from dissensus.cli.main import main
from dissensus.methods.equivalence import equivalence
from dissensus.methods.reproduce.claims import ClaimOutcome, Drawing, Part, Point, ReproduceResult
from dissensus.options import named
from dissensus.report.document import Fold, Table
from dissensus.report.html import page_of_report
from dissensus.report.views.reproduce import figure_of, page_report
from dissensus.report.views.section import section_of
from dissensus.simulation import RUNNING_EXAMPLE, SOFT_CLASSIFIER, simulate_urn

CLAIMS = []
TABLE, TEXT = Part(CLAIMS, "first", "table 4"), Part(CLAIMS, "first", "the text")
for items in range(1, 37):
    TABLE.within(f"table 4, {items} items", 0.5, 0.1, "Noise.", what="A cell.")(lambda: 0.0)
TEXT.printed("section 1, half", 0.5, decimals=2, what="One half.")(lambda: 0.502)
TEXT.printed("section 3, a third", 0.3, decimals=2, differs="Cut off.", what="One third.")(lambda: 1 / 3)
for i in range(9):
    TABLE.out_of_reach(f"table 3, {i}", "Lost.", i / 10, "The dog ate it.")
Part(CLAIMS, "second", "all").printed("lemma 1", 23_179, decimals=0, what="Many.")(lambda: 23_178.0)
CELLS, (HALF, THIRD), LOST, OTHER = CLAIMS[:36], CLAIMS[36:38], CLAIMS[38:47], CLAIMS[47]


def outcome(claim, ours, status):
    reason = claim.reason_if_differs if status in {"differs", "not reproducible"} else claim.tolerance_reason
    return ClaimOutcome(claim=claim, ours=ours, status=status, reason=reason or "")


FIRST = (
    outcome(HALF, 0.502, "reproduced"),
    outcome(THIRD, 1 / 3, "differs"),
    *(outcome(claim, float("nan"), "not reproducible") for claim in LOST),
    *(outcome(claim, 0.5 + i / 1000, "reproduced") for i, claim in enumerate(CELLS)),
)


def drawing(kind="lines", **more):
    points = tuple(Point(series=s, x=x, y=x / 10) for s in ("a", "b") for x in (1, 3, 10))
    fields = {"paper": "first", "place": "figure 2", "title": "It rises", "caption": "Made up.", "points": points}
    return Drawing(**fields, kind=kind, series="Kind", x_title="Ratings", y_title="Score", **more)


def result_of(*claims, drawings=()):
    return ReproduceResult(settings={"paper": "all"}, data={}, claims=claims, drawings=drawings)


def test_one_paper_is_shown_part_by_part_and_then_number_by_number():
    result = result_of(*FIRST)
    text = result.summary()
    assert text.startswith("47 published numbers: 37 reproduced, 9 not reproducible and 1 differs.")
    assert [row[:5] for row in section_of(result).main_table().rows] == [
        ["the text", 2, 1, 1, 0],
        ["table 4", 45, 36, 0, 9],
    ]
    detailed = result.summary(details=True)
    assert "Cut off." in detailed
    assert "The dog ate it." in detailed


def test_several_papers_are_a_row_each_and_what_failed_is_to_be_reported():
    result = result_of(*FIRST, outcome(OTHER, 23_178.0, "failed"))
    text = result.summary()
    assert text.startswith("48 published numbers: 37 reproduced, 9 not reproducible, 1 differs and 1 failed.")
    assert [row[:2] for row in section_of(result).main_table().rows] == [["first", 47], ["second", 1]]
    assert "- Report what failed as a bug: 1 number should be the same." in text
    assert len(text.splitlines()) < 25


def test_the_page_has_every_number_and_every_reason():
    report = page_report(result_of(*FIRST, drawings=(drawing(),)))
    [section] = report.sections
    shown, *folds, figure = section.blocks
    assert isinstance(shown, Table)
    assert shown.caption == "Differ (1)"
    assert [fold.title for fold in folds if isinstance(fold, Fold)] == [
        "Not reproducible (9)",
        "Reproduced (37)",
    ]
    assert sum(len(fold.parts[0].rows) for fold in folds) + len(shown.rows) == len(FIRST)
    assert figure.caption.startswith("Figure 2. Made up.")
    html = page_of_report(report)
    assert "The dog ate it." in html
    assert "36 items" in html


def test_a_page_without_figures_says_what_they_need():
    section = page_report(result_of(FIRST[0])).sections[0]
    assert named("data") in section.blocks[-1].text


def test_figures_stand_in_the_order_of_their_numbers():
    drawn = (drawing(), drawing(is_log_x=True), drawing("cells"))
    places = ("figure 12", "figure 2", "table 4")
    renamed = [Drawing(**{**_fields(d), "place": place}) for d, place in zip(drawn, places, strict=True)]
    section = page_report(result_of(FIRST[0], drawings=tuple(renamed))).sections[0]
    assert [f.caption.split(".")[0] for f in section.figures()] == ["Figure 2", "Table 4", "Figure 12"]


def _fields(drawn):
    return {name: getattr(drawn, name) for name in drawn.__dataclass_fields__}


@pytest.mark.parametrize("kind", ["lines", "logarithms", "cells"])
def test_every_kind_of_drawing_has_a_chart_and_its_numbers(kind):
    figure = figure_of(drawing(kind))
    assert figure.spec["layer"]
    assert len(figure.table.rows) == 6
    assert figure.table.rows[0][2] == pytest.approx(10**0.1 if kind == "logarithms" else 0.1)


def test_cells_with_printed_numbers_show_both():
    points = (Point(series="25", x=1, y=0.548, printed=0.533),)
    figure = figure_of(Drawing(paper="p", place="table 4", title="t", caption="c", kind="cells", points=points))
    assert figure.spec["data"]["values"][0]["choice"] == "0.548 (0.533)"
    assert figure.table.rows[0] == ["25", "1", 0.548, 0.533]


def test_a_scale_that_grows_by_factors_is_one():
    x = figure_of(drawing(is_log_x=True)).spec["encoding"]["x"]["scale"]
    assert x["type"] == "log"
    assert "zero" not in x
    assert "type" not in figure_of(drawing()).spec["encoding"]["x"]["scale"]


def test_a_power_curve_is_drawn_as_equivalence_draws_it():
    ratings, judges, _ = simulate_urn(RUNNING_EXAMPLE, items=50, raters=4, classifiers=[SOFT_CLASSIFIER], rng=0)
    curve = equivalence(ratings, judges, bootstrap=0)
    figure = figure_of(
        Drawing(paper="p", place="figure 5", title="Worth two", caption="Drawn.", kind="power curve", curve=curve)
    )
    assert figure.title == "Worth two"
    assert figure.caption.startswith("Figure 5. Drawn. Dots:")
    assert figure.spec == section_of(curve).figures()[0].spec


# The command


@pytest.fixture
def made_up(monkeypatch):
    papers = {"first": (HALF, THIRD), "second": (OTHER,)}
    module = importlib.import_module("dissensus.methods.reproduce.reproduce")
    monkeypatch.setattr(module, "PAPERS", papers)
    monkeypatch.setattr(module, "FIGURES", {("first", "the text"): lambda _: [drawing()]})


@pytest.mark.usefixtures("made_up")
def test_the_command_writes_a_page_and_fails_only_where_a_claim_failed(tmp_path, capsys):
    page = tmp_path / "reproduce.html"
    assert main(["reproduce", "first", "-o", str(page)]) == 0
    assert "It rises" in page.read_text(encoding="utf-8")
    out, err = capsys.readouterr()
    assert "2 published numbers: 1 reproduced and 1 differs." in out
    assert err == f"Wrote {page}\n"
    assert main(["reproduce", "all", "--quiet"]) == 1
    assert "failed" in capsys.readouterr().out


@pytest.mark.usefixtures("made_up")
def test_the_same_claims_give_the_same_page(tmp_path):
    page = tmp_path / "a.html"
    main(["reproduce", "first", "-o", str(page), "--quiet"])
    first = page.read_bytes()
    main(["reproduce", "first", "-o", str(page), "--quiet"])
    assert page.read_bytes() == first


def test_a_page_without_a_place_is_refused_before_anything_is_computed(tmp_path, monkeypatch, capsys):
    def compute():
        pytest.fail("computed for nothing")

    papers = {"first": (replace(HALF, compute=compute),)}
    monkeypatch.setattr(importlib.import_module("dissensus.methods.reproduce.reproduce"), "PAPERS", papers)
    assert main(["reproduce", "first", "-o", str(tmp_path / "nowhere" / "page.html")]) == 2
    assert "nowhere does not exist. Create it first." in capsys.readouterr().err
