"""Who are the raters? How each agrees with the rest, how lenient and how consistent each is, and how groups differ."""

from dissensus.methods.raters.raters import raters
from dissensus.methods.raters.result import RatersResult

__all__ = ["RatersResult", "raters"]
