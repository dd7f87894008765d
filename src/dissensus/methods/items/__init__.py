"""Which items are behind a number? What people and judges said about each, and how far that surprises."""

from dissensus.methods.items.items import items
from dissensus.methods.items.result import ItemsResult

__all__ = ["ItemsResult", "items"]
