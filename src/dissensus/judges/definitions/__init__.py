"""Every definition of performance in Table 1 of "Judges without gold labels": small families, one per file."""

from dissensus.judges.definitions.categorical import COEFFICIENTS, Margins
from dissensus.judges.definitions.definition import Better, Definition
from dissensus.judges.definitions.listing import PER_ITEM, definitions_at

__all__ = ["COEFFICIENTS", "PER_ITEM", "Better", "Definition", "Margins", "definitions_at"]
