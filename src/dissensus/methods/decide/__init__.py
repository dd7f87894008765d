"""So which judge do I use, and how?"""

from dissensus.methods.decide.decide import decide
from dissensus.methods.decide.result import DecideResult

__all__ = ["DecideResult", "decide"]
