"""One file per source format: each knows its layout and hands over plain columns."""

from dissensus.ratings.formats import counts, tidy, wide
from dissensus.ratings.formats.plan import ReadPlan

FORMATS = {"tidy": tidy.read_tidy, "counts": counts.read_counts, "wide": wide.read_wide}

__all__ = ["FORMATS", "ReadPlan"]
