"""Resnick, Kong, Schoenebeck, Weninger: "Survey Equivalence", a procedure to measure classifiers against human labels.

Printed values are typed from the paper; the place is in the name of each claim.
"""

import csv
import io
import math
from collections.abc import Callable

import numpy as np

from dissensus.agreement.alpha import nominal_alpha
from dissensus.papers.claims import Claim
from dissensus.papers.data import PaperData
from dissensus.ratings import types_of_matrix
from dissensus.simulation.classifiers import reports_of
from dissensus.simulation.running_example import RUNNING_EXAMPLE, SOFT_CLASSIFIER
from dissensus.simulation.truths import ceiling, omniscient_score, prior_score, survey_information

PAPER = "survey-equivalence"
REQUIREMENT = "surveyequivalence==0.1.3"
WHEEL = "surveyequivalence-0.1.3-py3-none-any.whl"
WHEEL_SHA256 = "9a86ad31ac5feacc3e31c617bbd0a0b90142e94f645ef77340b0362090286f84"
REMEDY = (
    f"Run `pip download --no-deps {REQUIREMENT}` and then `dissensus reproduce {PAPER} --data {WHEEL}`, "
    f"or let `dissensus reproduce {PAPER} --download` do both."
)

AGREED_ON_CAT, AGREED_ON_DOG, JUDGE_DOG_RATER_CAT = 7, 2, 1
"""Hard classifier against the last rater in the ten items of Figure 1: the counts in the formula of section 3.1."""


def running_example_alpha(data: PaperData) -> float:
    """Krippendorff's alpha of the authors' 1,000 items and ten raters."""
    text = data.text("surveyequivalence/data/running_example/ref_rater_labels.csv", remedy=REMEDY)
    _, *rows = csv.reader(io.StringIO(text))
    # The first column numbers the items; the others are raters.
    counts = [[row[1:].count(label) for label in ("pos", "neg")] for row in rows]
    return float(nominal_alpha(types_of_matrix(np.array(counts)))[0])


def soft_output(output: int) -> float:
    """Probability of C that the soft classifier reports where the hard one says C (0) or D (1)."""
    return float(reports_of(RUNNING_EXAMPLE, SOFT_CLASSIFIER)[output, 0])


def last_rater_score() -> float:
    """Cross-entropy of the soft classifier against the last rater of Figure 1, with its outputs not rounded."""
    cat, dog = soft_output(0), soft_output(1)
    bits = AGREED_ON_CAT * math.log2(cat) + AGREED_ON_DOG * math.log2(1 - dog) + JUDGE_DOG_RATER_CAT * math.log2(dog)
    return bits / (AGREED_ON_CAT + AGREED_ON_DOG + JUDGE_DOG_RATER_CAT)


def last_rater_baseline() -> float:
    """Cross-entropy of always predicting the prior against the last rater of Figure 1."""
    cats, dogs = AGREED_ON_CAT + JUDGE_DOG_RATER_CAT, AGREED_ON_DOG
    prior = RUNNING_EXAMPLE.prior
    return float(cats * np.log2(prior[0]) + dogs * np.log2(prior[1])) / (cats + dogs)


def _claim(
    claim: str,
    what: str,
    published: float,
    compute: Callable[[PaperData], float],
    *,
    decimals: int = 2,
    counted: bool = False,
    differs: str | None = None,
    needs_data: bool = False,
) -> Claim:
    """A claim whose tolerance is half of the last printed digit."""
    printed = {2: "two decimals", 3: "three decimals"}[decimals]
    counts = "; the counts are those of the printed formula" if counted else ""
    return Claim(
        paper=PAPER,
        claim=claim,
        what=what,
        published=published,
        compute=compute,
        tolerance=0.5 * 10**-decimals,
        tolerance_reason=f"Printed to {printed}{counts}.",
        reason_if_differs=differs,
        needs_data=needs_data,
    )


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "section 2, alpha",
        "Krippendorff's alpha of the synthetic data set with 1,000 items and ten ratings per item.",
        0.33,
        running_example_alpha,
        needs_data=True,
    ),
    _claim(
        "section 2, soft classifier after C",
        "What the calibrated soft classifier outputs where the hard classifier says C.",
        0.77,
        lambda _: soft_output(0),
    ),
    _claim(
        "section 2, soft classifier after D",
        "What the calibrated soft classifier outputs where the hard classifier says D.",
        0.32,
        lambda _: soft_output(1),
    ),
    _claim(
        "section 3.1, prior",
        "Prior probability of a C label under the model of Figure 2.",
        0.63,
        lambda _: float(RUNNING_EXAMPLE.prior[0]),
    ),
    _claim(
        "section 3.1, soft classifier against the last rater",
        "Cross-entropy score, in bits, of the soft classifier against the last column of ratings in Figure 1.",
        -0.54,
        lambda _: last_rater_score(),
        counted=True,
    ),
    _claim(
        "section 3.1, baseline against the last rater",
        "Cross-entropy score, in bits, of always predicting .63 against the last column of ratings in Figure 1.",
        -0.82,
        lambda _: last_rater_baseline(),
        counted=True,
    ),
    _claim(
        "section 3.1, improvement over the baseline",
        "Bits that the soft classifier gains over the baseline against the last rater.",
        0.28,
        lambda _: last_rater_score() - last_rater_baseline(),
        counted=True,
    ),
    _claim(
        "section 4, omniscient classifier",
        "Expected cross-entropy score, in bits, of a classifier that knows the state of each item.",
        -0.699,
        lambda _: omniscient_score(RUNNING_EXAMPLE),
        decimals=3,
    ),
    _claim(
        "section 4, c_0",
        "Expected cross-entropy score, in bits, of always predicting the prior.",
        -0.951,
        lambda _: prior_score(RUNNING_EXAMPLE),
        decimals=3,
    ),
    _claim(
        "section 4, information gain of very many raters",
        "Bits that knowing the state of an item tells about a rater's label: the asymptote of the power curve.",
        0.252,
        lambda _: ceiling(RUNNING_EXAMPLE),
        decimals=3,
    ),
    _claim(
        "section 4, room beyond nine raters",
        "Bits that very many raters tell beyond what nine raters tell.",
        0.029,
        lambda _: ceiling(RUNNING_EXAMPLE) - survey_information(RUNNING_EXAMPLE, 9),
        decimals=3,
        differs="The paper takes the gain of nine raters (.223) from 1,000 simulated items and the asymptote (.252) "
        "from the model; ours takes both from the model, where nine raters gain .226.",
    ),
)
"""The claims that can be checked so far, in the order of the paper."""
