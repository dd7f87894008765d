"""A figure of a paper, drawn anew: what it shows, before it is known how."""

from dataclasses import dataclass
from typing import Literal

from dissensus.survey.result import EquivalenceResult

Kind = Literal["lines", "logarithms", "cells", "power curve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A number of a series.

    Attributes
    ----------
    series : str
        Which line it belongs to; the row of a cell.
    x : float
        Where; the column of a cell.
    y : float
        What; a decimal logarithm in a drawing of logarithms.
    printed : float, optional
        The paper's number there, where it prints one.
    """

    series: str
    x: float
    y: float
    printed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One figure or table.

    Attributes
    ----------
    paper, place : str
        Where it stands, such as "figure 4".
    title : str
        What it shows, in a sentence.
    caption : str
        How it was computed.
    kind : str
        How it is drawn.
    points : tuple of Point
        What is drawn, series by series; empty for a power curve.
    series, x_title, y_title : str
        What they are, in words.
    is_log_x : bool
        Whether x grows by factors.
    curve : EquivalenceResult, optional
        What a power curve is drawn from.
    """

    paper: str
    place: str
    title: str
    caption: str
    kind: Kind
    points: tuple[Point, ...] = ()
    series: str = ""
    x_title: str = ""
    y_title: str = ""
    is_log_x: bool = False
    curve: EquivalenceResult | None = None
