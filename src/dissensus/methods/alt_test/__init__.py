"""Can this judge replace a rater? The alternative annotator test."""

from dissensus.methods.alt_test.alt_test import alt_test
from dissensus.methods.alt_test.result import AltTestResult, Dropped, JudgeTest, RaterTest

__all__ = ["AltTestResult", "Dropped", "JudgeTest", "RaterTest", "alt_test"]
