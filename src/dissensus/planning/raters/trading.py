"""Whether more items or more raters help, and why."""

import math

import numpy as np

from dissensus.planning.raters.nodes import Nodes
from dissensus.planning.raters.predicting import FromMoments, row_of
from dissensus.planning.raters.question import Question
from dissensus.planning.raters.result import TradeOff

USUAL_RATERS = 5


def trade_off(predictor: FromMoments, question: Question) -> TradeOff:
    """What twice the ratings bring as twice the items, and as twice the raters, from about five raters per item.

    Twice the items always make a difference stand out by the root of two more. What twice the raters do depends on how
    much of what is seen on an item is noise.
    """
    raters = min(question.raters, key=lambda number: abs(math.log(number / USUAL_RATERS)))
    pair, double = question.pair(raters), question.pair(2 * raters)
    gain = predictor.strength(double) / max(predictor.strength(pair), 1e-300)
    nodes = predictor.nodes if predictor.nodes.weight.ndim == 1 else row_of(predictor.nodes, 0)
    shift, noise = _shift_and_noise(nodes, *pair)
    return TradeOff(
        helps="raters" if gain > math.sqrt(2) else "items",
        raters=raters,
        gain_items=math.sqrt(2),
        gain_raters=gain,
        shift=shift,
        noise=noise,
    )


def _shift_and_noise(nodes: Nodes, raters: int, samples: int) -> tuple[float, float]:
    shift = (nodes.shift_b - nodes.shift_a) ** 2
    noise = nodes.people**2 / raters + nodes.machine**2 / samples
    return float(np.sqrt(nodes.weight @ shift)), float(np.sqrt(nodes.weight @ noise))
