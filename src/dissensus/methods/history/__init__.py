"""What judges were worth over time, and which changes are real."""

from dissensus.methods.history.history import history
from dissensus.methods.history.result import HistoryResult

__all__ = ["HistoryResult", "history"]
