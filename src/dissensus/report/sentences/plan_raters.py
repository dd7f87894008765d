"""A plan of items and raters, in words."""

import math

from dissensus.planning.raters.result import Design, PilotFindings, PlanRatersResult, TradeOff
from dissensus.report.numbers import counted, decimal, percent, whole
from dissensus.report.sentences.surveys import Settings
from dissensus.report.untrusted import quoted

METRIC_WORDS = {
    "wins": "on how many items it is the nearer one (wins)",
    "mae": "the mean absolute error of its mean answer (MAE)",
    "emd": "the earth mover's distance of its answers from people's",
    "emd-binned": "the paper's distance of sorted counts in five bins, which ignores where the bins lie",
}
P_IS_NO_P_VALUE = (
    'p is the number that "How Many Raters Do You Need?" tabulates: how often a test set without a difference shows as '
    "large a one. It is no p-value of a test: p = .05 means a power of about 75% one-sided. Go by power."
)


def design_words(design: Design) -> str:
    """A design in a sentence."""
    samples = counted(design.machine_samples, "answer")
    raters = counted(design.raters, "rater")
    return f"{counted(design.items, 'item')} with {raters} each and {samples} of each judge to each item"


def recommendation(result: PlanRatersResult) -> str:
    """The recommended design with its power and cost, or that there is none."""
    best, target = result.recommended, _number(result.settings, "power", 0.8)
    if best is None:
        return f"None of the designs considered finds the difference {percent(target, 0)} of the time."
    return (
        f"Collect {design_words(best)}: the cheapest design that finds the difference at least {percent(target, 0)} of "
        f"the time (power {percent(best.power)}, cost {whole(round(best.cost, 1))})."
    )


def assumptions(result: PlanRatersResult) -> str:
    """What the plan rests on."""
    settings = result.settings
    metric = METRIC_WORDS.get(str(settings.get("metric")), str(settings.get("metric")))
    test = f"the two-sided item sign-flip test at level {_number(settings, 'alpha', 0.05):g}, which `compare` runs"
    said = f"Near to people means: {metric}. Power is that of {test}."
    if result.pilot is not None:
        return f"{said} {_learnt(result)}"
    spread = settings.get("spread")
    low, high = spread if isinstance(spread, tuple) else (0.0, 0.3)
    return (
        f"{said} Assumed, on a scale from 0 to 1: responses to an item are normal with a standard deviation between "
        f"{low:g} and {high:g}; one judge answers as people do; the other's mean is off by up to "
        f"{_number(settings, 'effect', 0.0):g} either way."
    )


def _learnt(result: PlanRatersResult) -> str:
    """How the pilot was used."""
    if result.settings.get("method") == "closed":
        return "How judges and raters differ was learnt from the pilot, its own noise taken out."
    return (
        "Test sets were drawn from the pilot: its items, and of each some of its ratings; raters beyond those of the "
        "pilot answer as a model of it predicts."
    )


def trade_off_sentence(trade: TradeOff) -> str:
    """Whether more items or more raters help, and why."""
    gains = (
        f"from {counted(trade.raters, 'rater')} per item, twice the raters make the difference stand out "
        f"{decimal(trade.gain_raters)} times as much, twice the items {decimal(trade.gain_items)} times"
    )
    sizes = f"(the judges are {decimal(trade.shift, 3)} apart on an item, its noise is {decimal(trade.noise, 3)})"
    if trade.helps == "raters":
        return (
            f"More raters help more than more items here: {gains}. On most items the noise of a few responses hides "
            f"which judge is nearer {sizes}."
        )
    return (
        f"More items help more than more raters here: {gains}. The items that can tell the judges apart do so already "
        f"{sizes}."
    )


def pilot_sentence(pilot: PilotFindings, settings: Settings) -> str:
    """What the pilot said and left open."""
    a, b = quoted(pilot.a), quoted(pilot.b)
    found = f"The pilot has {counted(pilot.items, 'item')} with ratings and answers of {a} and {b}; it finds "
    found += f"{quoted(pilot.better)} nearer to people"
    if settings.get("bootstrap"):
        found += f" (the other one in {percent(pilot.share_other, 0)} of its bootstrap samples)"
    said = [found]
    if math.isfinite(pilot.spread):
        spreads = [decimal(value) for value in (pilot.spread_low, pilot.spread, pilot.spread_high)]
        said.append(f"Ratings of an item have a standard deviation of {spreads[1]} (half of the items: {spreads[0]} to "
                    f"{spreads[2]})")  # fmt: skip
    if math.isfinite(pilot.items_low):
        is_bounded = math.isfinite(pilot.items_high)
        many = (
            f"{whole(pilot.items_low)} to {whole(pilot.items_high)}"
            if is_bounded
            else f"{whole(pilot.items_low)} or more"
        )
        said.append(
            f"With as many raters as recommended, {many} items may be needed "
            f"({percent(_number(settings, 'confidence', 0.95), 0)} interval): a larger pilot would narrow it"
        )
    if math.isfinite(pilot.simulated_power):
        said.append(
            f"In data simulated from a model of the pilot the design has power {percent(pilot.simulated_power)}"
        )
    return ". ".join(said) + "."


def grid_finding(result: PlanRatersResult) -> str:
    """The title of the heat map."""
    best = result.recommended
    if best is None:
        return "No design reaches the power"
    return f"{counted(best.items, 'item')} with {counted(best.raters, 'rater')} each are enough"


def _number(settings: Settings, name: str, default: float) -> float:
    value = settings.get(name)
    return float(value) if isinstance(value, int | float) else default
