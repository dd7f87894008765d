"""Is A better than B? Metrics, tests."""

from dissensus.comparison.compare import compare
from dissensus.comparison.result import CompareResult, NonInferiority, PairComparison

__all__ = ["CompareResult", "NonInferiority", "PairComparison", "compare"]
