import io
import math

import pytest
from rich.console import Console

from dissensus.methods.describe.describe import Coefficient, LabelShare
from dissensus.report.document import Figure, Section, Table
from dissensus.report.text import print_result, print_section, text_of

HOSTILE = "[red]x[/red] :smile: \x1b[31mESC\x07\nnext"


def printed(result, **console):
    file = io.StringIO()
    print_result(result, Console(file=file, **{"width": 80} | console), details=True)
    return file.getvalue()


def test_the_text_of_describe(described, golden):
    assert text_of(described(warnings=("3 ratings have no label and are left out.",))) == golden("describe.txt")


def test_the_text_of_groups(described, golden):
    groups = (described(group="crowd").whole, described(group="experts", raters=None).whole)
    assert text_of(described(groups=groups)) == golden("describe_groups.txt")


@pytest.mark.parametrize("label", ["x" * 300, "a few words " * 30, "漢字" * 80, HOSTILE])
def test_no_line_is_wider_than_the_terminal(described, label):
    labels = (LabelShare(label=label, count=3, share=1.0), LabelShare(label="b", count=0, share=0.0))
    result = described(labels=labels, groups=(described(group=label, labels=labels).whole,))
    console = Console(width=80)
    assert all(console.measure(line).maximum <= 80 for line in text_of(result).splitlines())


def test_markup_in_a_label_is_shown_as_it_is(described):
    result = described(labels=(LabelShare(label="[red]x[/red] :smile:", count=3, share=1.0),))
    text = printed(result, force_terminal=True, color_system="truecolor")
    assert "[red]x[/red] :smile:" in text


def test_control_characters_of_a_label_or_a_warning_never_reach_the_terminal(described):
    result = described(labels=(LabelShare(label=HOSTILE, count=3, share=1.0),), warnings=(HOSTILE,))
    text = text_of(result, details=True)
    assert "␛[31mESC␇␊next" in text
    assert not set(text) & ({chr(code) for code in (*range(32), *range(127, 160))} - {"\n"})


def test_no_color_means_no_escape_sequences(described, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in printed(described(warnings=("a",)), force_terminal=True)


def test_a_terminal_without_block_characters_gets_the_table_instead_of_the_spark_line():
    table = Table(caption="Items", columns=["Pairs", "Items"], rows=[["all agree", 3]])
    figure = Figure(title="Agreement", caption="", spec={}, table=table, spark="▁█")
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_section(Section(title="", lead="", blocks=[figure]), Console(file=file, width=80, legacy_windows=False))
    file.seek(0)
    text = file.read()
    assert "all agree" in text
    assert text.isascii()


def test_long_tables_are_cut_and_say_so():
    table = Table(caption="Many", columns=["n"], rows=[[i] for i in range(45)])
    file = io.StringIO()
    print_section(Section(title="t", lead="l", blocks=[table]), Console(file=file, width=80))
    assert "29" in file.getvalue()
    assert "and 15 more rows" in file.getvalue()


def test_undefined_numbers_are_dashes_and_no_chart_is_claimed(described):
    undefined = Coefficient(name="krippendorff_alpha_nominal", value=math.nan, low=math.nan, high=math.nan)
    result = described(coefficients=(undefined,), agreement_by_item=(), warnings=("no item has two ratings",))
    text = text_of(result, details=True)
    assert "nan" not in text.lower()
    assert "All raters agree" not in text
    assert "warning: no item has two ratings" in text


def test_numbers_are_never_broken_in_a_narrow_terminal(described):
    groups = tuple(described(group="a group with a very long name " * 3, items=700586).whole for _ in range(2))
    text = printed(described(groups=groups), width=80)
    assert text.count("700,586") == 2
