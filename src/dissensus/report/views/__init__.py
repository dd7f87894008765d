"""One file per command: what its result says, as a Section.

Charts that are long to tell have files of their own: `judge_*`, `power_curve`, `plan_*_charts` and `reproduce_figures`.
"""

from dissensus.report.views.finding import main_chart, section_of

__all__ = ["main_chart", "section_of"]
