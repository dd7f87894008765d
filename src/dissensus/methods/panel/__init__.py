"""What several judges together are worth, and how many raters a judge saves beside people."""

from dissensus.methods.panel.panel import panel
from dissensus.methods.panel.result import PanelResult

__all__ = ["PanelResult", "panel"]
