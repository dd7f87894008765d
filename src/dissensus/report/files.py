"""Reports on disk: a page, Markdown, and the charts as files of their own."""

import os
import re
from pathlib import Path

from dissensus.data.paths import save_bytes
from dissensus.errors import DissensusError
from dissensus.report.charts import Chart
from dissensus.report.document import Figure, Report
from dissensus.report.html import page_of_report
from dissensus.report.markdown import markdown_of
from dissensus.sampling import Progress


def write_page(report: Report, path: Path, *, command_line: str = "") -> None:
    """Write a whole report as one page of HTML."""
    save_bytes(path, page_of_report(report, command_line=command_line).encode())


def write_markdown(report: Report, path: Path, *, command_line: str = "", charts: Path | None = None) -> None:
    """Write a whole report as Markdown, with pictures where the charts were saved."""
    names = chart_names(report)

    def link(figure: Figure) -> str | None:
        if charts is None:
            return None
        drawing = charts / f"{names[id(figure)]}.svg"
        # pathlib cannot walk up before Python 3.12.
        return Path(os.path.relpath(drawing.resolve(), path.parent.resolve())).as_posix()

    save_bytes(path, markdown_of(report, command_line=command_line, link=link).encode())


def write_charts(report: Report, folder: Path, *, progress: Progress | None = None) -> list[Path]:
    """Write each chart of a report as PNG and as SVG; the paths, in reading order."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DissensusError(f"Cannot make the folder {folder}: {error.strerror}. Choose another place.") from error
    names, written, figures = chart_names(report), [], figures_of(report)
    for done, figure in enumerate(figures, start=1):
        for suffix in (".png", ".svg"):
            path = folder / f"{names[id(figure)]}{suffix}"
            Chart(figure=figure).save(path)
            written.append(path)
        if progress is not None:
            progress(done, len(figures))
    return written


def figures_of(report: Report) -> list[Figure]:
    """The charts of a report, in reading order."""
    front = () if report.front is None else report.front.figures
    return [*front, *(figure for section in report.sections for figure in section.figures())]


def chart_names(report: Report) -> dict[int, str]:
    """A file name for each chart, by the figure's identity: its place, and the question that it answers."""
    front = () if report.front is None else report.front.figures
    names = {id(figure): f"0-{j}-the-answer" for j, figure in enumerate(front, start=1)}
    for i, section in enumerate(report.sections, start=1):
        question = re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")[:40].strip("-")
        for j, figure in enumerate(section.figures(), start=1):
            names[id(figure)] = f"{i}-{j}-{question}"
    return names
