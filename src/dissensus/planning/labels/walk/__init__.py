"""Chances of the sign of a walk: who of two classifiers is ahead after so many labelled items."""

from dissensus.planning.labels.walk.chances import TIES, LogChances, Ties, log_chances

__all__ = ["TIES", "LogChances", "Ties", "log_chances"]
