"""Is A better than B? Metrics, tests."""

from dissensus.methods.compare.compare import compare
from dissensus.methods.compare.result import CompareResult, NonInferiority, PairComparison

__all__ = ["CompareResult", "NonInferiority", "PairComparison", "compare"]
