"""General sentences of the docs that no command computes hold where they are simulated or counted."""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtr

import dissensus
from dissensus.data.collection import UNDO_MOST
from dissensus.data.labels import MOST_ORDINAL_LABELS, SUM_TOLERANCE
from dissensus.data.paths import example_path
from dissensus.data.sources.files import LARGE_PARQUET, LARGE_TEXT
from dissensus.methods.decide.gains import LEVEL, RATERS_LEVEL
from dissensus.methods.decide.reasons import LARGE_SHIFT
from dissensus.methods.decide.result import DecideOptions
from dissensus.methods.equivalence.ceiling import FEWEST_RATINGS
from dissensus.methods.gate.result import GateOptions
from dissensus.methods.history.changes import FEWEST_SHARED
from dissensus.methods.items.items import AGREED
from dissensus.methods.panel.result import MOST_LABELS
from dissensus.methods.parts.parts import FEWEST_ITEMS as SLICE_ITEMS
from dissensus.sizes import NAMES, Limits
from dissensus.web.guard import MEGABYTE, Settings

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


def test_the_hit_rate_and_kl_prefer_different_judges_in_the_example():
    assert says("explanation/forced-choice-and-response-sets.md", "(.058 nats against .157)")
    people, z, w = (0.6, 0.3, 0.1), (0.8, 0.1, 0.1), (0.44, 0.46, 0.10)
    kl_w, kl_z = (sum(p * math.log(p / q) for p, q in zip(people, judge, strict=True)) for judge in (w, z))
    assert (round(kl_w, 3), round(kl_z, 3)) == (0.058, 0.157)
    assert np.argmax(z) == np.argmax(people) != np.argmax(w)


def test_the_threshold_of_beta_where_a_third_of_the_raters_say_yes():
    assert says("how-to/choose-a-judge.md", "/ .667 = .25 and positive beyond")
    assert pytest.approx(0.5) == 1 / 3 + 0.25 * 2 / 3


def test_exact_numbers_of_items_beside_the_bounds():
    page = "explanation/one-label-or-several.md"
    assert says(
        page, "asks for 2,397 items to keep the error at 5%, and Cramér's bound for 773. In fact 369 are enough"
    )
    plan = dissensus.plan_labels(accuracy=0.75, margin=0.1, label_accuracy=0.75, error=0.05, labels_per_item=(1,))
    needed = plan.needed[0]
    assert (needed.hoeffding_items, needed.cramer_items, needed.items) == (2397, 773, 369)
    assert says(page, "that makes 142 models with one label per item, and 14 with three")
    designs = dissensus.plan_labels(accuracy=0.75, margin=0.1, label_accuracy=0.75, budget=1500).designs
    assert [round(design.models_testable) for design in designs[:2]] == [142, 14]


def test_three_labels_pay_above_the_costs_of_an_item_that_the_page_lists():
    assert says("explanation/one-label-or-several.md", ".68, 1.25 and 4.1 labels for q = .6, .75 and .9")
    gains = [1 + 2 * q * (1 - q) for q in (0.6, 0.75, 0.9)]
    # For small margins, n items of m labels tell as much as r^2 n items of one: r^2 / (c + 3) = 1 / (c + 1).
    costs = [(3 - r**2) / (r**2 - 1) for r in gains]
    assert [r**2 / (c + 3) for r, c in zip(gains, costs, strict=True)] == pytest.approx([1 / (c + 1) for c in costs])
    assert costs == pytest.approx([0.68, 1.25, 4.1], abs=0.05)


def test_fewer_than_six_items_never_reach_5_percent_by_sign_flips():
    assert says("explanation/which-p-value.md", "fewer than six items can never reach .05")
    assert 2 / 2**5 > 0.05 > 2 / 2**6  # all items for one judge, and the mirror image


def test_different_items_are_counted_as_the_page_says():
    assert says("explanation/scale.md", "Two labels and ten raters make 11 of them, five labels 1,001, and twenty")
    kinds = [math.comb(raters + labels - 1, labels - 1) for labels, raters in ((2, 10), (5, 10), (20, 50))]
    assert kinds[:2] == [11, 1001]
    assert kinds[2] > 10**9


def test_a_t_test_errs_18_times_in_100_where_judge_and_rater_hardly_differ():
    assert says("how-to/replace-an-annotator.md", "the t-test at 5% errs 18 times in 100")
    # The rater is closer on each of 30 items with a chance of .1, which is epsilon, so a rejection is an error.
    wrong = 0.0
    for closer in range(31):
        values = np.repeat([1.0, 0.0], [closer, 30 - closer])
        spread = values.std(ddof=1) / math.sqrt(30)
        t = (values.mean() - 0.1) / spread if spread else -math.inf if closer == 0 else math.inf
        wrong += math.comb(30, closer) * 0.1**closer * 0.9 ** (30 - closer) * (stdtr(29, t) <= 0.05)
    assert wrong == pytest.approx(0.18, abs=0.005)


def test_the_truth_behind_the_examples_is_what_the_page_says():
    truth = json.loads((example_path("binary") / "truth.json").read_text(encoding="utf-8"))
    worth = {judge["judge"]: judge["equivalent_raters"] for judge in truth["classifiers"]}
    assert says("explanation/example-data.md", "The classifier is truly worth 1.5 raters, the keywords 0.4.")
    assert {name: round(value, 1) for name, value in worth.items()} == {"classifier": 1.5, "keywords": 0.4}


GATE, DECIDE = GateOptions(judge=("j",), min_equivalence=1.0), DecideOptions()
SERVER = Settings()
NUMBERS = {
    ("read-large-files", "Parquet and gzipped text above 40 MB, and other text above 400 MB"): (
        LARGE_PARQUET,
        LARGE_TEXT,
    )
    == (40 * MEGABYTE, 400 * MEGABYTE),
    ("questions-and-slices", "Slices of fewer than 10 items are left out"): SLICE_ITEMS == 10,
    ("collect-ratings", "They can undo their last ten answers"): UNDO_MOST == 10,
    ("watch-a-judge", "If fewer than 20 are left, all items count"): FEWEST_SHARED == 20,
    ("combine-judges", "takes at most 40 labels"): MOST_LABELS == 40,
    ("choose-a-judge", "below .001 for these raters and below .025 for others"): (LEVEL, RATERS_LEVEL)
    == (0.001, 0.025),
    ("choose-a-judge", "a third of the distance between two raters"): LARGE_SHIFT == 1 / 3,
    ("choose-a-judge", "by more than a tenth of that person's lead"): DECIDE.margin == 0.1,
    ("find-the-items-behind-a-number", "no label has two thirds of them"): AGREED == 2 / 3,
    ("use-it-in-ci", "with 500 bootstrap samples. On fewer than 30 items"): (GATE.bootstrap, GATE.min_items)
    == (500, 30),
    ("get-your-data-in", "or more than 20 different ones | interval"): MOST_ORDINAL_LABELS == 20,
    ("get-your-data-in", "must sum to 1, give or take 0.001"): SUM_TOLERANCE == 0.001,
    ("how-many-raters-is-my-judge-worth", "With eight or more ratings per item, `--ceiling`"): FEWEST_RATINGS == 8,
    ("use-it-in-a-browser", "up to 200 MB"): SERVER.largest_upload == 200 * MEGABYTE,
    ("use-it-in-a-browser", "deleted an hour after its last use"): SERVER.keep_seconds == 3600,
    ("use-it-in-a-browser", "at most half an hour"): SERVER.longest_job == 1800,
}


@pytest.mark.parametrize(("page", "sentence"), NUMBERS)
def test_a_number_in_a_guide_is_the_one_in_the_code(page, sentence):
    assert says(f"how-to/{page}.md", sentence)
    assert NUMBERS[page, sentence]


def test_the_limits_listed_are_those_of_the_code():
    page = (DOCS / "how-to" / "read-large-files.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([a-z]+)` \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE))
    own = {name: getattr(Limits(), name) for name in NAMES}
    assert listed.pop("memory") == "nine tenths of the machine's"
    assert listed.pop("bytes") == f"{own['bytes'] / 2**30:.0f} GB"
    assert {name: int(number.replace(",", "")) for name, number in listed.items()} == {
        name: number for name, number in own.items() if name in listed
    }
    assert {*listed, "memory", "bytes"} == set(NAMES)


def test_learned_on_all_items_a_calibration_scores_too_well_and_on_other_items_too_badly_by_as_much():
    sentence = (
        "Learned on all items, the translation scores too well; learned on *other* items, it scores too badly, by about"
    )
    assert says("explanation/survey-equivalence.md", sentence)
    rng = np.random.default_rng(0)
    chance = np.linspace(0.2, 0.8, 10)  # of a yes, for each of ten answers of a judge, 100 items each
    fold = np.tile(np.arange(10), 10)  # ten items of each answer in each of ten folds
    yes = rng.random((2000, 10, 100)) < chance[:, None]

    def score(share):
        return np.where(yes, np.log2(share), np.log2(1 - share)).mean(axis=(1, 2))

    inside = yes.mean(axis=2, keepdims=True)
    by_fold = np.stack([yes[:, :, fold == one].sum(axis=2) for one in range(10)], axis=2)
    outside = ((by_fold.sum(axis=2, keepdims=True) - by_fold) / 90)[:, :, fold]
    best = score(chance[:, None])
    too_well, too_badly = (score(inside) - best).mean(), (best - score(outside)).mean()
    assert too_well == pytest.approx(10 / 2 / 1000 / math.log(2), rel=0.1)  # half a parameter per item, in bits
    assert too_badly == pytest.approx(too_well, rel=0.2)


def test_the_table_of_the_toxicity_judges_is_their_truth():
    page = (DOCS / "explanation" / "example-data.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| ([\d.]+)% \| ([\d.]+) \|", page, re.MULTILINE)
    truth = json.loads((example_path("toxicity") / "truth.json").read_text(encoding="utf-8"))["classifiers"]
    assert sorted((name, float(agrees), float(worth)) for name, agrees, worth in listed) == sorted(
        (own["judge"], round(100 * own["agreement"], 1), round(own["equivalent_raters"], 2)) for own in truth
    )


def test_where_items_cost_money_five_labels_each_are_best_for_300_items():
    assert says("how-to/spend-a-label-budget.md", "recommends five labels for each of 300 items")
    costs = {"item_cost": 0.5, "label_cost": 0.1, "budget": 300}
    plan = dissensus.plan_labels(accuracy=0.75, margin=0.1, label_accuracy=0.75, **costs)
    assert [design.items for design in plan.designs if design.labels_per_item == plan.best == 5] == [300]
    assert 300 * (0.5 + 5 * 0.1) == 300
