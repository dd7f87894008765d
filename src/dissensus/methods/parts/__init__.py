"""The parts of a file: every question and every slice answered by one method, and what they say together."""

from dissensus.methods.parts.result import Overall, OverallJudge, Part, PartsResult, SliceDifference, Trend

__all__ = ["Overall", "OverallJudge", "Part", "PartsResult", "SliceDifference", "Trend"]
