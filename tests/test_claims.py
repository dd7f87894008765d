"""General sentences of the docs that no command computes hold where they are simulated or counted."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


def says(page: str, sentence: str) -> bool:
    return sentence in " ".join((DOCS / page).read_text(encoding="utf-8").split())


def test_asking_one_person_about_a_quarter_of_the_items_gives_half_of_a_persons_correlation():
    sentence = "asking one person about a quarter of the items already gives half of one person's correlation"
    assert says("explanation/survey-equivalence.md", sentence)
    rng = np.random.default_rng(0)
    quality = rng.standard_normal(400_000)
    one, other = (quality + rng.standard_normal(len(quality)) for _ in range(2))
    asked = np.where(rng.random(len(quality)) < 0.25, one, 0.0)  # elsewhere the mean is all that is known
    whole, quarter = (np.corrcoef(known, other)[0, 1] for known in (one, asked))
    assert quarter == pytest.approx(whole / 2, abs=0.006)  # four standard errors


def test_one_draw_of_three_raters_in_three_flips_a_comment_that_four_of_ten_call_toxic():
    assert says("explanation/why-majority-vote-misleads.md", "in (36 + 4) of the 120 possible draws")
    draws = list(itertools.combinations([True] * 4 + [False] * 6, 3))
    assert (sum(sum(draw) >= 2 for draw in draws), len(draws)) == (40, 120)


def test_a_majority_of_three_gains_less_than_three_times_the_items():
    assert says("explanation/one-label-or-several.md", "never gains more than a factor of 1.5, which is less than 1.73")
    right = np.linspace(0.5001, 1, 5000)
    gain = (2 * (right**3 + 3 * right**2 * (1 - right)) - 1) / (2 * right - 1)
    assert gain.max() <= 1.5 < math.sqrt(3)


def test_of_ten_pairs_of_equal_judges_one_is_below_5_percent_in_four_of_ten_studies():
    assert says("explanation/which-p-value.md", "one of them has p below .05 in four of ten studies")
    assert pytest.approx(0.4, abs=0.005) == 1 - 0.95**10


def test_people_who_answer_at_random_agree_on_82_percent_where_nine_in_ten_answers_are_no():
    assert says("explanation/reading-the-report.md", "agree 82% of the time")
    assert pytest.approx(0.82) == 0.9**2 + 0.1**2
