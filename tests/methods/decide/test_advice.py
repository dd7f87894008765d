"""How often the advice is right, on populations of which it is known which judge is the right one."""

import pytest

from dissensus import decide, read, read_judges

from decision_populations import POPULATIONS

DATA_SETS = 100
MOST_WRONG = 0.05


def advice(population) -> str:
    """Right, wrong or undecided; `useless` where a judge that knows nothing is recommended."""
    result = decide(read(population.ratings), read_judges(population.judges), bootstrap=100)
    use = result.recommendation.use
    if population.useless & set(use):
        return "useless"
    if not use:
        return "right" if not population.right else "undecided"
    if use[0] not in population.right:
        return "wrong"
    return "right" if set(use) <= population.right else "undecided"


@pytest.mark.slow
@pytest.mark.parametrize("make", POPULATIONS, ids=lambda make: make.__name__)
def test_the_advice_is_seldom_wrong_and_never_a_judge_that_knows_nothing(make, trust):
    sets = trust.sets(DATA_SETS)
    given = [advice(make(1000 + seed)) for seed in range(sets)]
    counts = {word: given.count(word) for word in ("right", "undecided", "wrong", "useless")}
    for word, count in counts.items():
        trust.keep("advice", f"decide: {word}", count / sets, sets, data=make.__name__.replace("_", " "))
    assert counts["useless"] == 0
    assert counts["wrong"] <= MOST_WRONG * sets
