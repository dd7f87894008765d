"""Which designs to look at, and which of them to recommend."""

from collections.abc import Iterable, Sequence

from dissensus.planning.raters.predicting import FromMoments, Predictor
from dissensus.planning.raters.question import FEWEST_ITEMS, ITEMS, Question
from dissensus.planning.raters.result import Design

ROUNDING = 1e-9


def design_of(predictor: Predictor, question: Question, items: int, raters: int) -> Design:
    """A design and what it will show."""
    pair = question.pair(raters)
    return Design(
        items=items,
        raters=raters,
        machine_samples=pair[1],
        p_value=predictor.p_value(items, pair),
        power=predictor.power(items, pair),
        cost=question.cost(items, raters),
    )


def grid_of(predictor: Predictor, question: Question) -> tuple[Design, ...]:
    """Every number of items with every number of raters."""
    sizes = question.items or ITEMS
    return tuple(design_of(predictor, question, items, raters) for items in sizes for raters in question.raters)


def solved_designs(predictor: FromMoments, question: Question) -> list[Design]:
    """For each number of raters the fewest items that reach the power, and the most that the budget pays for."""
    found = []
    for raters in question.raters:
        sizes = {predictor.items_needed(question.pair(raters), question.power)}
        if question.budget is not None:
            sizes.add(int(question.budget / question.cost(1, raters) + ROUNDING))
        possible = sorted(size for size in sizes if size is not None and size >= FEWEST_ITEMS)
        found += [design_of(predictor, question, size, raters) for size in possible]
    return found


def sufficient(designs: Iterable[Design], question: Question) -> list[Design]:
    """Designs that reach the power within the budget, the cheapest first, then those with most power."""
    enough = [design for design in designs if design.power >= question.power and is_affordable(design, question)]
    return sorted(enough, key=lambda design: (design.cost, -design.power))


def is_affordable(design: Design, question: Question) -> bool:
    """Whether the budget, if there is one, pays for it."""
    return question.budget is None or design.cost <= question.budget * (1 + ROUNDING)


def frontier_of(designs: Sequence[Design]) -> tuple[Design, ...]:
    """Designs that have more power than every cheaper one, by cost."""
    best: list[Design] = []
    for design in sorted(designs, key=lambda design: (design.cost, -design.power)):
        if not best or design.power > best[-1].power:
            best.append(design)
    return tuple(best)
