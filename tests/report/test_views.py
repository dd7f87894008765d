import ast
import dataclasses
import importlib
import json
import math
import pkgutil
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest

import dissensus
from dissensus.errors import DissensusError
from dissensus.methods.describe.describe import Coefficient, LabelShare
from dissensus.report import views
from dissensus.report.document import Figure, Fold, Note, Table
from dissensus.report.text import text_of
from dissensus.report.views.section import FACTS, MISREAD, WRONG, main_chart, section_of
from dissensus.results import Result


@dataclasses.dataclass(frozen=True, kw_only=True)
class Claims(Result):
    command: ClassVar[str] = "reproduce"
    claims: tuple[dict, ...] = ()

    def as_dict(self):
        return {"claims": list(self.claims)}

    def rows(self):
        return list(self.claims)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Unheard(Claims):
    command: ClassVar[str] = "unheard-of"


def claim(**changes):
    return {
        "paper": "Survey equivalence",
        "claim": "Table 1: pairs that agree",
        "published": 0.59,
        "ours": 0.588,
        "difference": -0.002,
        "tolerance": 0.005,
        "status": "reproduced",
        "reason": "Printed to two decimals.",
    } | changes


def figures(result):
    return section_of(result).figures()


def values_of(figure):
    return figure.spec["data"]["values"]


def labels(counts):
    total = sum(counts.values())
    return tuple(LabelShare(label=label, count=n, share=n / total) for label, n in counts.items())


def test_describe_shows_coefficients_items_and_labels(described):
    assert [figure.table.caption for figure in figures(described())] == [
        "Agreement in 5,000 ratings of 1,000 items by 12 raters",
        "Items by how many pairs of raters agree",
        "How often each label was given",
    ]


def test_the_chart_of_items_adds_up_to_all_of_them(described):
    # by hand: (0.0, 100), (0.3, 200), (0.6, 300), (1.0, 400)
    values = values_of(figures(described())[1])
    found = {value["name"]: value["count"] for value in values}
    assert found == {"all agree": 400, "60%": 300, "30%": 200, "no pair": 100}
    assert math.isclose(sum(value["share"] for value in values), 1)
    bins = values_of(figures(described(agreement_step=0.1))[1])
    assert [value["name"] for value in bins] == ["all agree", "60% to 70%", "30% to 40%", "0% to 10%"]


def test_the_main_chart_is_that_of_the_coefficients(described):
    chart = main_chart(described())
    assert chart.figure.title == "Corrected for chance, agreement is between 0.13 and 0.42"
    assert [value["name"] for value in values_of(chart.figure)] == ["Alpha (nominal)", "Fleiss' kappa", "Gwet's AC1"]


def test_undefined_coefficients_are_not_drawn(described):
    undefined = Coefficient(name="fleiss_kappa", value=math.nan, low=math.nan, high=math.nan)
    drawn = described().whole.coefficients[0]
    assert len(values_of(figures(described(coefficients=(drawn, undefined)))[0])) == 1
    section = section_of(described(coefficients=(undefined,)))
    assert isinstance(section.blocks[0], Table)


def test_a_result_without_a_chart_says_what_to_do():
    with pytest.raises(DissensusError, match=r"reproduce has no chart: print its summary\(\) instead"):
        main_chart(Claims(settings={}, data={}))


def test_no_interval_is_drawn_without_a_bootstrap(described):
    point = Coefficient(name="fleiss_kappa", value=0.5, low=math.nan, high=math.nan)
    [value] = values_of(figures(described(coefficients=(point,), settings={"bootstrap": 0}))[0])
    assert (value["low"], value["high"]) == (None, None)


def test_many_labels_share_one_bar_for_the_rest(described):
    # 30 labels with 30, 29, ... 1 ratings: the 19 most common have 30 + ... + 12 = 399, the other 11 have 66
    counts = {f"label {i}": 30 - i for i in range(30)}
    values = values_of(figures(described(labels=labels(counts)))[2])
    assert len(values) == 20
    assert (values[-1]["name"], values[-1]["count"]) == ("11 others together", 66)
    assert sum(value["count"] for value in values[:-1]) == 399


def test_many_numbers_make_a_histogram(described):
    counts = {str(i / 10): i + 1 for i in range(60)}
    # How often two numbers are exactly the same is no finding, and has no chart.
    _, figure = figures(described(labels=labels(counts), settings={"scale": "interval"}))
    assert figure.title == "The ratings lie between 0 and 5.9"
    assert figure.spec["encoding"]["x"]["bin"]
    assert [value["value"] for value in values_of(figure)] == [i / 10 for i in range(60)]


def test_labels_that_begin_alike_stay_apart(described):
    counts = {"x" * 100 + "a": 1, "x" * 100 + "b": 2}
    names = [value["name"] for value in values_of(figures(described(labels=labels(counts)))[2])]
    assert len(set(names)) == 2


def test_groups_share_one_coefficient_and_one_table_of_labels(described):
    crowd = described(group="crowd").whole
    experts = described(group="experts", labels=labels({"Toxic": 1, "Very toxic": 1})).whole
    found = figures(described(groups=(crowd, experts)))
    assert [row[:2] for row in found[3].table.rows][-2:] == [["experts", "Toxic"], ["experts", "Very toxic"]]
    assert [value["name"] for value in values_of(found[0])] == ["crowd", "experts"]
    assert [row[0] for row in found[0].table.rows] == ["crowd", "experts", "(all together)"]


def test_too_many_groups_to_tell_apart_are_left_to_the_table(described):
    groups = tuple(described(group=f"g{i}").whole for i in range(40))
    section = section_of(described(groups=groups))
    assert all("series" not in figure.spec.get("encoding", {}) for figure in section.figures())
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    assert len(table.rows) == 41


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_what_others_wrote_is_never_more_than_data(described, scale):
    hostile = 'datum.x || "</script>" + {signal: width}'
    many = {hostile: 3} | {f"{hostile} {i}": 1 for i in range(30)}
    for counts in ({hostile: 3}, many):
        parts = (described(group=hostile, labels=labels(counts)).whole, described(group="b").whole)
        result = described(labels=labels(counts), groups=parts, settings={"scale": scale})
        for figure in figures(result):
            rest = {key: value for key, value in figure.spec.items() if key != "data"}
            assert "datum.x ||" not in json.dumps(rest)


def test_warnings_come_last_with_their_controls_made_visible(described):
    *_, last = section_of(described(warnings=("one", "two\x1b[2J"))).blocks
    assert last == Note(text="two␛[2J", kind="warning")


def test_claims_are_counted_by_status_and_shown_paper_by_paper(golden):
    claims = (
        claim(),
        claim(claim="Figure 2: raters a judge is worth", published="between 3 and 4", status="differs", reason="seed"),
        claim(paper="Judges", claim="[bold]alpha[/bold]", ours=None, difference=None, status="not run", reason=""),
    )
    result = Claims(settings={}, data={}, claims=claims)
    section = section_of(result)
    assert [type(block) for block in section.blocks] == [Table, Fold, Fold]
    assert text_of(result) == golden("reproduce.txt")


def test_no_claims_are_no_claims():
    assert section_of(Claims(settings={}, data={})).lead == "No published number was recomputed."


def test_a_command_without_a_view_shows_its_rows():
    section = section_of(Unheard(settings={}, data={}, claims=({"a_b": 1, "c": "x\x07"}, {"c": None, "d": [1]})))
    assert section.title == "Unheard-of"
    table = section.main_table()
    assert table.columns == ["a b", "c", "d"]
    assert table.rows == [[1, "x␇", None], [None, None, "[1]"]]


def test_every_figure_has_a_title_a_caption_and_the_data_behind_it(described):
    groups = (described(group="crowd").whole, described(group="experts").whole)
    for figure in figures(described(groups=groups)):
        assert isinstance(figure, Figure)
        assert figure.title
        assert figure.caption.endswith(".")
        assert figure.table.rows


def texts_of(path):
    """The texts of a file that are no docstrings; what is filled in is `{}`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    skipped |= {id(part) for node in formatted for part in node.values}
    yield from ("".join(getattr(part, "value", "") if isinstance(part, ast.Constant) else "{}" for part in node.values)
                for node in formatted)  # fmt: skip
    plain = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in skipped]
    yield from (node.value for node in plain if isinstance(node.value, str))


@cache
def texts_of_methods():
    """Every text of data, methods and what they use: the warnings are among them."""
    rooms = [Path(dissensus.__file__).parent / name for name in ("data", "methods", "sampling", "simulation")]
    return [text for room in rooms for path in room.rglob("*.py") for text in texts_of(path)]


@pytest.mark.parametrize("beginning", [*FACTS, *MISREAD])
def test_a_beginning_that_sorts_warnings_is_that_of_a_text_somebody_writes(beginning):
    # A warning in other words would move to another place of the page without anybody noticing.
    assert any(text.startswith(beginning) for text in texts_of_methods())


def parts_that_sort():
    """Where a part of a warning decides whether or where it is shown, and the part."""
    modules = [
        importlib.import_module(f"{views.__name__}.{found.name}") for found in pkgutil.iter_modules(views.__path__)
    ]
    silent = [(module.__name__, part) for module in modules for part in getattr(module, "SILENT", ())]
    return [*silent, *(("section", part) for part in WRONG)]


@pytest.mark.parametrize(("view", "part"), parts_that_sort())
def test_a_part_that_sorts_warnings_is_in_a_text_somebody_writes(view, part):
    assert any(part in text for text in texts_of_methods()), view
