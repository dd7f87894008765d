"""The theorems of "Survey Equivalence" on data drawn from urns whose information is known exactly."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import comb

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.options import Combiner, OwnCombiner
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.reproduce.claims import ALWAYS, Claim, Part
from dissensus.methods.reproduce.survey_equivalence import PAPER
from dissensus.simulation import RUNNING_EXAMPLE, SOFT_CLASSIFIER, HardClassifier, SoftClassifier, Urn, simulate_urn
from dissensus.simulation.urn_draws import classifier_information, equivalent_raters, survey_information

CLAIMS: list[Claim] = []
ITEMS, DATA_SETS, RATERS = 20_000, 8, 6
PANEL_ITEMS, PANEL_SETS, PANEL_RATERS = 5000, 20, 9
THREE = Urn(
    labels=("a", "b", "c"),
    states=np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]]),
    weights=np.array([0.5, 0.3, 0.2]),
)
BLURRED = SoftClassifier(name="soft classifier", outputs=np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]]))
UNIFORM_NOISE = Urn(labels=("C", "D"), states=np.array([[0.88, 0.12], [0.35, 0.65]]), weights=np.array([0.6, 0.4]))
"""One state per label, 88% and 35% of raters say C: the example of section 6."""
THREE_STATES = Urn(
    labels=("C", "D"), states=np.array([[0.98, 0.02], [0.6, 0.4], [0.4, 0.6]]), weights=np.array([0.4, 0.3, 0.3]),
)  # fmt: skip
HARD = HardClassifier(name="hard", outputs=np.array([[0.85, 0.15], [0.2, 0.8]]))
ABOUT_THE_MAJORITY = HardClassifier(name="hard", outputs=np.array([[0.6, 0.4], [0.9, 0.1], [0.1, 0.9]]))
"""It tells 60% from 40% better than 98% from 60%: a panel rewards it more than one rater does (section 6)."""
CASES: dict[str, tuple[Urn, SoftClassifier]] = {
    "running example": (RUNNING_EXAMPLE, SOFT_CLASSIFIER),
    "three labels": (THREE, BLURRED),
}


@dataclass(frozen=True, eq=False)
class Posterior:
    """The ideal combiner: it knows the urn."""

    urn: Urn

    def __call__(self, counts: npt.NDArray[np.int32]) -> Floats:
        """How likely each label is after each survey."""
        states = np.exp(counts @ np.log(self.urn.states).T) * self.urn.weights
        return np.asarray(states / states.sum(axis=1, keepdims=True) @ self.urn.states)


def smoothed(counts: npt.NDArray[np.int32]) -> Floats:
    """Frequencies with one more rating of every label."""
    return np.asarray((counts + 1) / (counts + 1).sum(axis=1, keepdims=True))


COMBINERS: dict[str, Callable[[Urn], Combiner | OwnCombiner]] = {
    "abc": lambda _: "abc",
    "frequency": lambda _: "frequency",
    "plurality": lambda _: "plurality",
    "npmle": lambda _: "npmle",
    "smoothed frequency": lambda _: smoothed,
    "posterior": Posterior,
}


@cache
def results_of(case: str, combiner: str) -> tuple[EquivalenceResult, ...]:
    """What each data set of a case gives with a combiner."""
    urn, classifier = CASES[case]
    how = COMBINERS[combiner](urn)
    found = []
    for seed in range(DATA_SETS):
        drawn = simulate_urn(urn, items=ITEMS, raters=RATERS, classifiers=[classifier], rng=seed)
        found.append(equivalence(drawn.ratings, drawn.judges, combiner=how, calibrate="none", bootstrap=0))
    return tuple(found)


def curves(case: str, combiner: str = "abc") -> Floats:
    """Scores of surveys, of shape (n_data_sets, RATERS)."""
    return np.array([[point.score for point in result.curve] for result in results_of(case, combiner)])


def cost_of_learning(urn: Urn, k: int) -> float:
    """Bits that are lost by learning from this many items: 1 / (2 n ln 2) for each probability after each survey."""
    surveys = comb(k + len(urn.labels) - 1, k)
    return float(surveys * (len(urn.labels) - 1) / (2 * ITEMS * np.log(2)))


def survey_gap(case: str) -> float:
    """Bits by which the gain of a survey differs from its mutual information with another rater."""
    urn, found = CASES[case][0], curves(case)
    gains = (found - found[:, :1]).mean(axis=0)
    return float(max(abs(gains[k] - survey_information(urn, k)) for k in range(1, RATERS)))


def judge_gap(case: str) -> float:
    """Bits by which the gain of a calibrated classifier differs from its mutual information with a rater."""
    gains = [result.judges[0].score - result.curve[0].score for result in results_of(case, "abc")]
    return float(np.mean(gains) - classifier_information(*CASES[case]))


def others_ahead(case: str) -> float:
    """Bits by which any of five other combiners is ahead of the Bayesian one."""
    abc = curves(case).mean(axis=0)
    return float(max((curves(case, name).mean(axis=0) - abc).max() for name in COMBINERS if name != "abc"))


def others_higher(case: str) -> float:
    """Share of data sets in which counting labels gives a higher survey equivalence."""
    abc = np.array([result.judges[0].equivalence for result in results_of(case, "abc")])
    higher = []
    for name in ("frequency", "smoothed frequency"):
        other = np.array([result.judges[0].equivalence for result in results_of(case, name)])
        higher.append(np.isnan(other) | (other > abc))  # above the curve is higher
    return float(np.mean(higher))


def worth_gap(case: str) -> float:
    """Raters by which the survey equivalence differs from the number that tells as much."""
    urn, classifier = CASES[case]
    found = [result.judges[0].equivalence for result in results_of(case, "abc")]
    return float(np.mean(found) - equivalent_raters(urn, classifier_information(urn, classifier)))


LIMIT = f"A limit; ours is the mean over {DATA_SETS} data sets of {ITEMS:,} items"
LEARNT = max(cost_of_learning(urn, RATERS - 1) for urn, _ in CASES.values())
SLACK = f"{LIMIT}: three standard errors, and what learning the combiner costs, up to {LEARNT:.4f} bits."
NOISE = f"{LIMIT}: three standard errors."
STATEMENTS: tuple[tuple[str, Callable[[str], float], tuple[float, float], str], ...] = (
    ("theorem 1", survey_gap, (0.0034, 0.0026), SLACK),
    ("theorem 2", judge_gap, (0.0033, 0.0013), NOISE),
    ("theorem 3", others_ahead, (0.0003, 0.0017), SLACK),
    ("corollary 1", others_higher, (0.0, 0.0), ALWAYS),
    ("corollary 1, raters with the same information", worth_gap, (0.02, 0.017), NOISE),
)
"""Where, by how much ours differs, how far it may in each case, and why; corollary 1 is a share, which is 1."""
for _number, _case in enumerate(CASES):
    _part = Part(CLAIMS, PAPER, f"theorems, {_case}")
    for _name, _compute, _tolerances, _why in STATEMENTS:
        _add = _part.within(
            f"{_name}, {_case}", float(_compute is others_higher), _tolerances[_number], _why,
            what=str(_compute.__doc__),
        )  # fmt: skip
        _add(partial(_compute, _case))


Part(CLAIMS, PAPER, "theorems, running example").always(
    "corollary 2", what="Share of the steps of the power curves that go up.",
)(lambda: float(np.mean([np.diff(curves(case).mean(axis=0)) > 0 for case in CASES])))  # fmt: skip


# ---- Reference raters

PANELS = Part(CLAIMS, PAPER, "theorems, reference raters")
OVER_PANELS = f"A limit; ours is the mean over {PANEL_SETS} data sets of {PANEL_ITEMS:,} items: three standard errors."


def panel_results(urn: Urn, classifier: HardClassifier, sets: int) -> list[tuple[EquivalenceResult, EquivalenceResult]]:
    """By determinant mutual information, against one reference rater and against the plurality of three."""
    found = []
    for seed in range(sets):
        ratings, judges, _ = simulate_urn(
            urn, items=PANEL_ITEMS, raters=PANEL_RATERS, classifiers=[classifier], rng=seed
        )
        one, three = (
            equivalence(
                ratings, judges, combiner="plurality", score="dmi", reference_raters=r, calibrate="none", bootstrap=0
            )
            for r in (1, 3)
        )
        found.append((one, three))
    return found


@cache
def _uniform_noise() -> tuple[tuple[EquivalenceResult, EquivalenceResult], ...]:
    return tuple(panel_results(UNIFORM_NOISE, HARD, PANEL_SETS))


@PANELS.within("lemma 1", 0, 0.003, OVER_PANELS)
def scaling_gap() -> float:
    """By how much the factor between scores against three and against one rater differs from judge to survey."""
    factors = [
        (three.judges[0].score / one.judges[0].score) / (three.curve[5].score / one.curve[5].score)
        for one, three in _uniform_noise()
    ]
    return float(np.mean(factors) - 1)


@PANELS.within("theorem 5", 0, 0.009, OVER_PANELS)
def reference_gap() -> float:
    """Raters by which the survey equivalence changes if three raters are the reference, under uniform noise."""
    return float(np.mean([one.judges[0].equivalence - three.judges[0].equivalence for one, three in _uniform_noise()]))


@PANELS.always("section 6, more than two states")
def panel_rewards() -> float:
    """Whether a panel rewards a judge that knows majorities more than one rater does (1 is yes)."""
    found = panel_results(THREE_STATES, ABOUT_THE_MAJORITY, 5)
    gain = float(np.mean([three.judges[0].equivalence - one.judges[0].equivalence for one, three in found]))
    return float(gain > 0)
