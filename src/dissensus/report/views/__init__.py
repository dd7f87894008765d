"""One file per command: what its result says, as a Section.

Words or charts that are long to tell have files of their own: `worth` and `judge_words`.
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
