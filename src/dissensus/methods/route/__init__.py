"""Which items the judge can do alone, and on which people are asked."""

from dissensus.methods.route.result import RouteResult
from dissensus.methods.route.route import route

__all__ = ["RouteResult", "route"]
