"""A report as Markdown: for a pull request, where whatever others wrote must stay text."""

import re

import pytest
from markdown_it import MarkdownIt  # comes with rich

import dissensus
from dissensus.methods.describe.describe import LabelShare
from dissensus.report.document import Figure, Fold, Note, Paragraph, Points, Report, Section, Table
from dissensus.report.files import chart_names, figures_of, write_charts, write_markdown
from dissensus.report.markdown import MOST_ROWS, escaped, markdown_of
from dissensus.report.views.section import report_on

HOSTILE = (
    "<script>alert(1)</script>",
    "![x](https://example.org/x.png)",
    "[click](javascript:alert(1))",
    "a | b | c",
    "`rm -rf`",
    "**bold** _it_ ~~gone~~",
    "# heading",
    "@everyone",
    "https://example.org",
    "www.example.org",
    "$x$",
    "&lt;b&gt;",
    "two\nlines",
    "- point",
    "1. point",
    "===",
)


@pytest.mark.parametrize("label", HOSTILE)
def test_nothing_in_a_label_is_markup(label):
    shown = escaped(label)
    # Whatever Markdown would act on has a backslash before it, and what stands behind the backslashes is the label.
    unescaped = re.sub(r"\\([!-/:-@\[-`{-~])", "", shown)
    assert not re.search(r"[\\`*_{}\[\]<>#|~@!$&\n]|://|www\.|^(-|\d+\.) |^===", unescaped)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown) == label.replace("\n", "\u240a")


@pytest.mark.parametrize("label", HOSTILE)
def test_a_renderer_shows_the_label_as_it_is(label):
    tokens = MarkdownIt("commonmark").enable("table").parse(escaped(label))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert {part.type for part in tokens[1].children} <= {"text", "text_special"}
    assert "".join(part.content for part in tokens[1].children) == label.replace("\n", "\u240a")


def test_a_label_breaks_no_table():
    table = Table(caption="c", columns=["a|b", "n"], rows=[[label, 1] for label in HOSTILE])
    text = markdown_of(
        Report(title="t", verdict=["v"], sections=[Section(title="s", lead="l", blocks=[table])], results=())
    )
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(HOSTILE) + 2
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows)


def test_long_tables_are_cut_and_say_so():
    table = Table(caption="c", columns=["n"], rows=[[i] for i in range(MOST_ROWS + 7)])
    text = markdown_of(
        Report(title="t", verdict=[], sections=[Section(title="s", lead="l", blocks=[table])], results=())
    )
    assert "and 7 more rows, which the JSON output has" in text


def every_block():
    inner = Table(caption="Numbers", columns=["Label", "Share"], rows=[["yes", 0.5]], percent=frozenset({"Share"}))
    figure = Figure(title="Most say yes", caption="All ratings.", spec={"mark": "bar"}, table=inner)
    return Section(
        title="Do they?",
        lead="They do.",
        blocks=[
            Paragraph(text="One sentence."),
            Points(title="Points", texts=["First.", "Second."]),
            figure,
            Fold(title="Detail", parts=[Points(title="", texts=["Third."]), inner]),
            Note(text="Mind this."),
            Note(text="Try that.", kind="hint"),
        ],
    )


def test_every_kind_of_block(golden, monkeypatch):
    monkeypatch.setattr(dissensus, "__version__", "1.2.3")
    report = Report(title="What the ratings say", verdict=["One.", "Two."], sections=[every_block()], results=())
    text = markdown_of(report, command_line="dissensus report 'a b.csv'", link=lambda _: "charts/1-1-do-they.svg")
    assert text == golden("report.md")


def test_the_report_of_describe(described, golden, monkeypatch):
    monkeypatch.setattr(dissensus, "__version__", "1.2.3")
    result = described(warnings=("3 ratings have no label.",))
    text = markdown_of(report_on([result], title="What the ratings say"), command_line="dissensus report ratings.csv")
    assert text == golden("describe_report.md")


def test_what_stands_between_tags_is_escaped_as_html():
    fold = Fold(title=HOSTILE[0], parts=[Paragraph(text="p")])
    report = Report(title="t", verdict=[], sections=[Section(title="s", lead="l", blocks=[fold])], results=())
    assert "<summary>&lt;script&gt;alert(1)&lt;/script&gt;</summary>" in markdown_of(report)


def test_a_command_line_cannot_end_its_block():
    report = Report(title="t", verdict=[], sections=[], results=())
    text = markdown_of(report, command_line="dissensus report '```\n# gone'")
    assert text.count("```") == 2


def test_charts_are_named_by_their_place_and_question(described, tmp_path):
    labels = (LabelShare(label="../../etc", count=3, share=0.75), LabelShare(label="b", count=1, share=0.25))
    report = report_on([described(labels=labels)], title="t")
    written = write_charts(report, tmp_path / "new" / "charts")
    names = ["1-1-do-the-raters-agree", "1-2-do-the-raters-agree", "1-3-do-the-raters-agree"]
    assert [path.name for path in written] == [f"{name}.{end}" for name in names for end in ("png", "svg")]
    assert all(path.read_bytes()[:4] in {b"\x89PNG", b"<svg"} and path.stat().st_size > 2000 for path in written)
    assert sorted(chart_names(report)[id(figure)] for figure in figures_of(report)) == names


def test_pictures_are_linked_from_where_the_markdown_is(described, tmp_path):
    report = report_on([described()], title="t")
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / "report.md"
    write_markdown(report, path, charts=tmp_path / "my charts")
    assert "](<../my charts/1-1-do-the-raters-agree.svg>)" in path.read_text(encoding="utf-8")
    write_markdown(report, path)
    assert "![" not in path.read_text(encoding="utf-8")
