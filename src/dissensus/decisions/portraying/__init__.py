"""Who are the raters? How each agrees with the rest, how lenient and how consistent each is, and how groups differ."""

from dissensus.decisions.portraying.portraits import portraits
from dissensus.decisions.portraying.result import PortraitsResult

__all__ = ["PortraitsResult", "portraits"]
