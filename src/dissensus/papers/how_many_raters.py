"""Homan, Wein, Welty, Aroyo: "How Many Raters Do You Need? Power Analysis for Foundation Models"."""

from dissensus.papers import how_many_raters_cells, how_many_raters_words
from dissensus.papers.claims import Claim
from dissensus.papers.how_many_raters_cells import PAPER

__all__ = ["CLAIMS", "PAPER"]

CLAIMS: tuple[Claim, ...] = (
    *how_many_raters_words.CLAIMS,
    *how_many_raters_cells.DIFFERENCE_CLAIMS,
    *how_many_raters_cells.CELL_CLAIMS,
    *how_many_raters_words.MEMD_CLAIMS,
)
"""What the paper concludes, Table 3, and every cell of Tables 4 to 15."""
