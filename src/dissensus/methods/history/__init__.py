"""What judges were worth over time, and which changes are real."""

from dissensus.methods.history.history import HistoryResult, history

__all__ = ["HistoryResult", "history"]
