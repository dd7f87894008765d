"""What a number of raters means, in words that are true of the score."""

import numpy as np
import pytest

from dissensus.methods.equivalence.scores import ADDITIVE_SCORES, SCORES, SPECS, Score
from dissensus.report.views import worth


@pytest.mark.parametrize("name", SCORES)
def test_asking_about_a_share_of_the_items_brings_that_share_of_a_score_that_is_a_mean(name):
    # One person's label predicts another's. Asked about a share of the items, else predicting from the labels' shares:
    masses = np.array([[[8.0, 2.0, 1.0], [2.0, 6.0, 3.0], [1.0, 3.0, 9.0]]]) / 35
    hers, nobody = np.eye(3), np.tile(masses[0].sum(axis=0), (3, 1))
    score = Score(name=name, values=np.array([1.0, 2.0, 4.0]), order=(0, 1, 2))

    def asking(share):
        both = np.concatenate([share * masses, (1 - share) * masses], axis=1)
        return score.of_joint(np.concatenate([hers, nobody]), both)[0]

    none = asking(0) if name not in {"pearson", "spearman"} else 0.0
    is_linear = np.isclose(asking(0.5), (none + asking(1)) / 2)
    assert is_linear or name not in ADDITIVE_SCORES
    if name == "pearson":  # the covariance grows with the share, and the prediction's spread with its root
        assert np.isclose(asking(0.25), asking(1) / 2)


def test_every_score_has_words_and_a_range():
    assert tuple(SPECS) == SCORES, "give each score its line in SPECS, in the order of ScoreName"
    assert set(worth._SCORES) == set(SCORES), "give each score its words in report/views/worth.py"
