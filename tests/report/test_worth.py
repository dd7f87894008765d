"""What a number of raters means, in words that are true of the score."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dissensus.methods.equivalence.scores import SCORES, Score
from dissensus.report.views.worth import fraction_sentence, terms_of

SETTINGS = {"score": "cross-entropy", "combiner": "abc"}
TERMS = terms_of(SETTINGS, largest=9)


def worth(equivalence=math.nan, verdict="within"):
    return SimpleNamespace(
        equivalence=equivalence, verdict=verdict, equivalence_low=math.nan, equivalence_high=math.nan
    )


def test_a_fraction_is_explained_as_in_the_paper():
    # Section 1: 4.77 = .77 * 5 + .23 * 4, so 77% of the items are asked of five raters and the rest of four.
    assert fraction_sentence(worth(4.77), SETTINGS, TERMS) == (
        "4.77 raters means: the judge's score equals that of asking 5 people about 77% of the items and 4 people about "
        "the rest."
    )


def test_less_than_one_rater_is_explained_as_in_the_paper():
    # Section 6.1, CredBank: one label for 48% of the items, the baseline prediction for the others.
    assert fraction_sentence(worth(0.48), SETTINGS, TERMS) == (
        "0.48 raters means: the judge's score equals that of asking 1 person about 48% of the items and predicting "
        "from how common each label is for the rest."
    )


@pytest.mark.parametrize("judge", [worth(2.0), worth(verdict="below 0"), worth(verdict="above K"), worth(verdict=None)])
def test_there_is_no_fraction_to_explain_in_a_whole_number_or_off_the_curve(judge):
    assert fraction_sentence(judge, SETTINGS, TERMS) == ""


@pytest.mark.parametrize("name", SCORES)
def test_a_share_of_the_items_is_claimed_only_where_asking_about_it_brings_that_share(name):
    # One person's label predicts another's. Asked about a share of the items, else predicting from the labels' shares:
    masses = np.array([[[8.0, 2.0, 1.0], [2.0, 6.0, 3.0], [1.0, 3.0, 9.0]]]) / 35
    hers, nobody = np.eye(3), np.tile(masses[0].sum(axis=0), (3, 1))
    score = Score(name=name, values=np.array([1.0, 2.0, 4.0]), order=(0, 1, 2))

    def asking(share):
        both = np.concatenate([share * masses, (1 - share) * masses], axis=1)
        return score.of_joint(np.concatenate([hers, nobody]), both)[0]

    none = asking(0) if name not in {"pearson", "spearman"} else 0.0
    is_linear = np.isclose(asking(0.5), (none + asking(1)) / 2)
    said = fraction_sentence(worth(0.5), {"score": name}, TERMS)
    assert is_linear or "of the items" not in said
    assert said != ""
    if name == "pearson":  # the covariance grows with the share, and the prediction's spread with its root
        assert np.isclose(asking(0.25), asking(1) / 2)
        assert said == (
            "0.50 raters means: the judge's score lies 50% of the way from asking nobody to asking 1 person."
        )
