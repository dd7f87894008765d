"""What several judges together are worth, and how many raters a judge saves beside people."""

from dissensus.decisions.combining.panels import panels
from dissensus.decisions.combining.result import PanelsResult

__all__ = ["PanelsResult", "panels"]
