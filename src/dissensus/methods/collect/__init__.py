"""Collect ratings: who rates what, and how far it is."""

from dissensus.methods.collect.collect import collect
from dissensus.methods.collect.result import CollectResult

__all__ = ["CollectResult", "collect"]
