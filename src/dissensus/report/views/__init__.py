"""One file per command: what its result says, as a Section."""

from dissensus.report.views.finding import main_chart, section_of

__all__ = ["main_chart", "section_of"]
