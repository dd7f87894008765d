"""What "Survey Equivalence" prints about its running example and the model determines: no data are needed."""

import itertools
import math

import numpy as np

from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.methods.reproduce.survey_equivalence.authors_files import PAPER
from dissensus.simulation.urn import RUNNING_EXAMPLE, SOFT_CLASSIFIER, reports_of
from dissensus.simulation.urn_draws import ceiling, omniscient_score, prior_score, survey_information

AGREED_ON_CAT, AGREED_ON_DOG, JUDGE_DOG_RATER_CAT = 7, 2, 1
"""Hard classifier against the last rater in the ten items of Figure 1: the counts in the formula of section 3.1."""
SEQUENCE = (math.comb(2, 2) * math.factorial(2)) * (math.comb(7, 3) * math.factorial(3))
SEQUENCES = math.comb(9, 5) * math.factorial(5)
"""Section 4: of how many sequences of five of nine raters how many read (D, C, D, C, C); formulas as printed."""


def soft_output(output: int) -> float:
    """Probability of C that the soft classifier reports where the hard one says C (0) or D (1)."""
    return float(reports_of(RUNNING_EXAMPLE, SOFT_CLASSIFIER)[output, 0])


def last_rater_agreement() -> float:
    """Share of the ten items of Figure 1 on which the hard classifier agrees with the last rater."""
    return (AGREED_ON_CAT + AGREED_ON_DOG) / (AGREED_ON_CAT + AGREED_ON_DOG + JUDGE_DOG_RATER_CAT)


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


def sequence_share() -> float:
    """Share of the sequences of five of nine raters, two of them D, that read (D, C, D, C, C): by listing them."""
    wanted = tuple("DCDCC")
    return float(np.mean([drawn == wanted for drawn in itertools.permutations("DDCCCCCCC", 5)]))


PART = Part(paper=PAPER, group="running example, the model")
COUNTED = "; the counts are those of the printed formula"
CLAIMS: tuple[Claim, ...] = (
    PART.printed(
        "section 2, soft classifier after C",
        "What the calibrated soft classifier outputs where the hard classifier says C.",
        0.77,
        lambda _: soft_output(0),
        decimals=2,
    ),
    PART.printed(
        "section 2, soft classifier after D",
        "What the calibrated soft classifier outputs where the hard classifier says D.",
        0.32,
        lambda _: soft_output(1),
        decimals=2,
    ),
    PART.printed(
        "section 3.1, agreement with the last rater",
        "Share of the ten items of Figure 1 on which the hard classifier agrees with the last rater.",
        0.90,
        lambda _: last_rater_agreement(),
        decimals=2,
        why=COUNTED,
    ),
    PART.printed(
        "section 3.1, prior",
        "Prior probability of a C label under the model of Figure 2.",
        0.63,
        lambda _: float(RUNNING_EXAMPLE.prior[0]),
        decimals=2,
    ),
    PART.printed(
        "section 3.1, soft classifier against the last rater",
        "Cross-entropy score, in bits, of the soft classifier against the last column of ratings in Figure 1.",
        -0.54,
        lambda _: last_rater_score(),
        decimals=2,
        why=COUNTED,
    ),
    PART.printed(
        "section 3.1, baseline against the last rater",
        "Cross-entropy score, in bits, of always predicting .63 against the last column of ratings in Figure 1.",
        -0.82,
        lambda _: last_rater_baseline(),
        decimals=2,
        why=COUNTED,
    ),
    PART.printed(
        "section 3.1, improvement over the baseline",
        "Bits that the soft classifier gains over the baseline against the last rater.",
        0.28,
        lambda _: last_rater_score() - last_rater_baseline(),
        decimals=2,
        why=COUNTED,
    ),
    PART.within(
        "section 4, one sequence of labels",
        "Chance that five of nine raters, two of whom say D, answer D, C, D, C, C.",
        SEQUENCE / SEQUENCES,
        lambda _: sequence_share(),
        1e-12,
        "The printed formula; ours lists all sequences.",
    ),
    PART.printed(
        "section 4, omniscient classifier",
        "Expected cross-entropy score, in bits, of a classifier that knows the state of each item.",
        -0.699,
        lambda _: omniscient_score(RUNNING_EXAMPLE),
        decimals=3,
    ),
    PART.printed(
        "section 4, c_0",
        "Expected cross-entropy score, in bits, of always predicting the prior.",
        -0.951,
        lambda _: prior_score(RUNNING_EXAMPLE),
        decimals=3,
    ),
    PART.printed(
        "section 4, information gain of very many raters",
        "Bits that knowing the state of an item tells about a rater's label: the asymptote of the power curve.",
        0.252,
        lambda _: ceiling(RUNNING_EXAMPLE),
        decimals=3,
    ),
    PART.printed(
        "section 4, room beyond nine raters",
        "Bits that very many raters tell beyond what nine raters tell.",
        0.029,
        lambda _: ceiling(RUNNING_EXAMPLE) - survey_information(RUNNING_EXAMPLE, 9),
        decimals=3,
        differs="The paper takes the gain of nine raters (.223) from 1,000 simulated items and the asymptote (.252) "
        "from the model; ours takes both from the model, where nine raters gain .226.",
    ),
)
"""In the order of the paper."""
