"""Each interval holds the truth as often as it says, and ppi++ is never much wider than people alone: by simulation."""

from dataclasses import dataclass

import numpy as np
import pytest

from dissensus.decisions.prevalences.estimators import Sample
from dissensus.decisions.prevalences.question import Question
from dissensus.decisions.prevalences.summing_up import estimates_of

RUNS = 1000


@dataclass(frozen=True)
class World:
    """Items whose raters say yes with a chance from Beta(a, b), and a judge that sees the chance through noise."""

    rated: int
    others: int
    raters: int
    a: float
    b: float
    noise: float
    is_decision: bool = False

    def drawn(self, rng, rated=None, others=None):
        n, m = self.rated if rated is None else rated, self.others if others is None else others
        chance = np.clip(rng.beta(self.a, self.b, n + m), 1e-12, 1 - 1e-12)
        people = rng.binomial(self.raters, chance[:n]) / self.raters
        seen = np.log(chance / (1 - chance)) + 0.5 + self.noise * rng.standard_normal(n + m)  # half a unit too high
        judge = 1 / (1 + np.exp(-seen))
        if self.is_decision:
            people, judge = (people >= 0.5).astype(float), (judge >= 0.5).astype(float)
        return Sample(people=people, judge=judge[:n], judge_only=judge[n:])


WORLDS = {
    "soft": World(100, 1000, 3, 1, 2, 1.0),
    "decisions": World(100, 1000, 3, 1, 2, 1.0, is_decision=True),
    "few and rare": World(50, 500, 5, 0.5, 4, 1.0),
    "one rater": World(60, 600, 1, 0.3, 3, 0.7, is_decision=True),
    "2.5 percent": World(200, 2000, 3, 0.2, 4, 0.5, is_decision=True),
    "a judge that guesses": World(200, 400, 3, 1, 1, 8.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_each_interval_holds_what_it_is_about_in_95_of_100_runs(name):
    world = WORLDS[name]
    large = world.drawn(np.random.default_rng(9), rated=2_000_000, others=0)
    truth, judged = float(large.people.mean()), float(large.judge.mean())
    asked = Question(
        judge=None, positive=("yes",), half=(), target="share", tau=0.5, interval="wilson", confidence=0.95
    )
    rng = np.random.default_rng(1)
    runs = [estimates_of(world.drawn(rng), asked).estimates for _ in range(RUNS)]
    widths = {}
    for place, method in enumerate(estimate.method for estimate in runs[0]):
        own = [run[place] for run in runs if np.isfinite(run[place].low)]
        about = judged if method == "naive" else truth  # the judge alone knows how often it says yes, no more
        coverage = np.mean([estimate.low <= about <= estimate.high for estimate in own])
        assert 0.92 <= coverage <= 0.98, (method, coverage)
        widths[method] = np.mean([estimate.high - estimate.low for estimate in own])
    assert widths["ppi++"] <= 1.02 * widths["people"]


@pytest.mark.slow
def test_the_judge_alone_misses_the_truth_and_does_not_know():
    world = WORLDS["soft"]
    truth = float(world.drawn(np.random.default_rng(9), rated=2_000_000, others=0).people.mean())
    asked = Question(
        judge=None, positive=("yes",), half=(), target="share", tau=0.5, interval="wilson", confidence=0.95
    )
    rng = np.random.default_rng(2)
    naive = [estimates_of(world.drawn(rng), asked).estimates[0] for _ in range(200)]
    assert not any(estimate.low <= truth <= estimate.high for estimate in naive)
