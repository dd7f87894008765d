"""One file per command: what its result says, as a Section.

Words or charts that are long to tell have files of their own: `worth`, `judge_*`, `plan_*_charts`.
"""

from dissensus.report.views.section import (
    main_chart,
    report_on,
    section_of,
    unspelled_section,
    warning_texts,
    with_warnings,
)

__all__ = ["main_chart", "report_on", "section_of", "unspelled_section", "warning_texts", "with_warnings"]
