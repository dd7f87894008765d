"""Homan, Wein, Welty, Aroyo: "How Many Raters Do You Need? Power Analysis for Foundation Models"."""

from dissensus.methods.reproduce.claims import Claim
from dissensus.methods.reproduce.how_many_raters import cells, words
from dissensus.methods.reproduce.how_many_raters.cells import PAPER

__all__ = ["CLAIMS", "PAPER"]

CLAIMS: tuple[Claim, ...] = (
    *words.CLAIMS,
    *cells.DIFFERENCE_CLAIMS,
    *cells.CELL_CLAIMS,
    *words.MEMD_CLAIMS,
)
"""What the paper concludes, Table 3, and every cell of Tables 4 to 15."""
