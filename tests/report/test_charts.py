import base64
import json
import sys
import xml.etree.ElementTree as ET

import pytest

from dissensus.errors import MissingExtraError, OptionError
from dissensus.methods.compare.result import CompareResult, PairComparison
from dissensus.methods.describe.describe import LabelShare
from dissensus.report.charts import Chart, script_safe_json
from dissensus.report.views.section import main_chart, section_of

SCRIPT = "<script>alert(1)</script>"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def chart(described):
    return main_chart(described())


@pytest.fixture(scope="module")
def hostile(described):
    labels = (LabelShare(label=SCRIPT, count=3, share=0.75), LabelShare(label="a\x1bb", count=1, share=0.25))
    return Chart(figure=section_of(described(labels=labels)).figures()[2])


def test_the_specification_is_whole_and_loads_nothing(chart):
    assert chart.spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert {"title", "width", "data", "layer", "config", "description"} <= chart.spec.keys()
    assert '"url"' not in json.dumps(chart.spec)


def test_a_png_is_a_png(chart, tmp_path):
    chart.save(tmp_path / "chart.png")
    content = (tmp_path / "chart.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width = int.from_bytes(content[16:20], "big")
    chart.save(tmp_path / "small.PNG", scale=1.0)
    small = int.from_bytes((tmp_path / "small.PNG").read_bytes()[16:20], "big")
    assert abs(width - 2 * small) <= 2


def test_an_svg_shows_the_names_and_the_finding(chart, tmp_path):
    chart.save(tmp_path / "chart.svg")
    texts = "".join(ET.parse(tmp_path / "chart.svg").getroot().itertext())  # noqa: S314 - our own file
    assert "Fleiss' kappa" in texts
    assert "Corrected for chance, agreement is between" in texts


def test_dark_and_light_drawings_differ(chart):
    assert "#14181f" in chart.to_svg(theme="dark")
    assert "#14181f" not in chart.to_svg()


def test_a_script_in_a_label_is_text_in_the_svg(hostile):
    root = ET.fromstring(hostile.to_svg())  # noqa: S314 - our own drawing; it is not XML if the escape went through
    assert root.find(f".//{SVG}script") is None
    assert any(text.text == SCRIPT for text in root.iter(f"{SVG}text"))


def test_json_is_the_specification(chart, tmp_path):
    chart.save(str(tmp_path / "chart.json"))
    assert json.loads((tmp_path / "chart.json").read_text(encoding="utf-8")) == chart.spec


def test_html_is_the_page_of_the_chart(chart, tmp_path):
    chart.save(tmp_path / "chart.html")
    text = (tmp_path / "chart.html").read_text(encoding="utf-8")
    assert text == chart.to_html()
    assert text.startswith("<!doctype html>")
    assert "Fleiss&#39; kappa" in text  # the table behind the chart


def test_an_unknown_suffix_lists_the_known_ones(chart, tmp_path):
    with pytest.raises(OptionError, match=r"saved as chart.pdf: end its name with one of .html, .svg, .png, .json"):
        chart.save(tmp_path / "chart.pdf")


def test_notebooks_get_vega_lite_in_both_versions_they_know(chart):
    bundle = chart._repr_mimebundle_()
    assert list(bundle) == ["application/vnd.vegalite.v5+json", "application/vnd.vegalite.v6+json", "text/plain"]
    for version in ("v5", "v6"):
        assert bundle[f"application/vnd.vegalite.{version}+json"]["$schema"].endswith(f"/{version}.json")
    assert bundle["text/plain"].startswith("Chart: Corrected for chance")


def test_notebooks_that_know_no_vega_lite_get_a_picture_that_runs_nothing(hostile):
    html = hostile._repr_html_()
    assert html.startswith("<img alt=")
    assert "<script" not in html
    svg = base64.b64decode(html.partition("base64,")[2].removesuffix('">')).decode()
    assert "&lt;script&gt;" in svg


def test_without_the_extra_pictures_are_refused_and_pages_are_not(chart, hostile, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # importing it fails
    for suffix in ("png", "svg"):
        with pytest.raises(MissingExtraError, match=r"PNG or SVG needs .* `pip install 'dissensus\[png\]'`"):
            chart.save(tmp_path / f"chart.{suffix}")
    chart.save(tmp_path / "chart.html")
    html = hostile._repr_html_()
    assert "dissensus[png]" in html
    assert "<script" not in html


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "&lt;", "\u2028", 'quote"'])
def test_json_in_a_script_element_cannot_leave_it(text):
    safe = script_safe_json({"label": text})
    assert not set(safe) & set("<>&\u2028\u2029")
    assert json.loads(safe) == {"label": text}


def test_both_judges_of_a_difference_are_named_on_the_axis():
    names = ("roberta-large-wanli-multilabel", "roberta-large-wanli-set")
    pair = PairComparison(
        judge_a=names[0],
        judge_b=names[1],
        score_a=0.4,
        score_b=0.6,
        difference=-0.2,
        better="b",
        low=-0.3,
        high=-0.1,
        p_value=0.001,
        p_holm=0.001,
        items=100,
    )
    result = CompareResult(
        settings={},
        data={},
        pairs=(pair,),
        metric="wins",
        test="sign-flip",
        better_scores="higher",
        question="equally good",
        is_single=True,
    )
    [name] = {row["name"] for row in section_of(result).figures()[0].spec["data"]["values"]}
    assert name == "rober…ilabel - rober…li-set"
    assert len(name) <= 28  # what the axis has room for
