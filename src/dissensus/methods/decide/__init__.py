"""So which judge do I use, and how? And what all the methods together say about one data set."""

from dissensus.methods.decide.decide import decide
from dissensus.methods.decide.result import DecideResult

__all__ = ["DecideResult", "decide"]
