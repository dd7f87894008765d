"""Whether more items or more raters help, and why."""

import math

from dissensus.planning.raters.predicting import Pair, Predictor
from dissensus.planning.raters.question import Question
from dissensus.planning.raters.result import TradeOff

USUAL_RATERS = 5


def usual_raters(question: Question) -> int:
    """The number of raters considered that is nearest to five."""
    return min(question.raters, key=lambda number: abs(math.log(number / USUAL_RATERS)))


def traded_pairs(question: Question) -> tuple[Pair, Pair]:
    """About five raters per item, and twice as many."""
    raters = usual_raters(question)
    return question.pair(raters), question.pair(2 * raters)


def trade_off(predictor: Predictor, question: Question) -> TradeOff:
    """What twice the ratings bring as twice the items, and as twice the raters, from about five raters per item.

    Twice the items always make a difference stand out by the root of two more. What twice the raters do depends on how
    much of what is seen on an item is noise.
    """
    pair, double = traded_pairs(question)
    gain = predictor.strength(double) / max(predictor.strength(pair), 1e-300)
    shift, noise = predictor.shift_and_noise(pair)
    return TradeOff(
        helps="raters" if gain > math.sqrt(2) else "items",
        raters=pair[0],
        gain_items=math.sqrt(2),
        gain_raters=gain,
        shift=shift,
        noise=noise,
    )
