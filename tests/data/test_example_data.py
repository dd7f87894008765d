import importlib.util
import json
from pathlib import Path

import krippendorff
import numpy as np
import pytest

from dissensus.data import read, read_judges, read_task
from dissensus.data.paths import EXAMPLES, example_path
from dissensus.errors import OptionError

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {"README.md", "judges.csv", "ratings.csv", "truth.json"}


def load(name):
    folder = example_path(name)
    task = read_task(folder / "task.toml")
    return read(folder / "ratings.csv", task=task), read_judges(folder / "judges.csv", task=task), task


def maker():
    spec = importlib.util.spec_from_file_location("make_example_data", ROOT / "examples" / "make_example_data.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_bundled_data_are_what_their_script_makes(name, tmp_path):
    written = maker().make(name, tmp_path)
    assert {path.name for path in written} == GENERATED
    for path in written:
        assert path.read_bytes() == (example_path(name) / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_bundled_data_are_read_without_a_warning(name):
    ratings, judges, task = load(name)
    assert not ratings.warnings
    assert not judges.warnings
    assert ratings.options == judges.labels == task.options
    assert judges.items == ratings.items


def test_the_binary_task_has_ten_raters_and_two_judges():
    ratings, judges, _ = load("binary")
    assert (ratings.n_items, ratings.n_raters, ratings.n_ratings) == (300, 10, 3000)
    assert judges.judges == ("classifier", "keywords")
    has_label = judges.label >= 0
    has_probabilities = ~np.isnan(judges.probability).any(axis=1)
    assert (has_label == (judges.judge == 1)).all()
    assert (has_probabilities == (judges.judge == 0)).all()


def test_the_three_label_task_has_ragged_raters_response_sets_and_four_judges_sampled_five_times():
    ratings, judges, _ = load("toxicity")
    chosen = ratings.of_elicitation("forced_choice")
    per_item = np.bincount(chosen.item)
    assert (per_item.min(), per_item.max()) == (3, 9)
    assert ratings.scale == "ordinal"
    assert ratings.groups == ("crowd", "expert")
    assert not ratings.of_group("crowd").has_response_sets
    sets = ratings.of_elicitation("response_set")
    assert sets.has_response_sets
    assert sets.groups == ("expert",)
    assert judges.judges == ("good", "lenient", "strong", "weak")
    assert (np.bincount(judges.judge * 300 + judges.item) == 5).all()


def test_an_expert_gave_a_response_set_with_the_own_choice_to_every_item_that_the_expert_rated():
    ratings, *_ = load("toxicity")
    answers = {0: {}, 1: {}}
    experts = ratings.of_group("expert")
    for row in range(experts.n_ratings):
        key = experts.items[experts.item[row]], experts.raters[experts.rater[row]]
        answers[experts.elicitation[row]][key] = set(experts.labels[experts.label[row]].split("|"))
    assert answers[0].keys() == answers[1].keys()
    assert all(choice <= answers[1][key] for key, choice in answers[0].items())


def forced_alpha(ratings):
    matrix = np.full((len(ratings.raters), ratings.n_items), np.nan)
    matrix[ratings.rater, ratings.item] = ratings.label
    return krippendorff.alpha(reliability_data=matrix, level_of_measurement="nominal")


def test_raters_agree_as_raters_do():
    # Real ratings of such tasks have alphas of .3 to .6; these were drawn from urns whose limits are .476 and .417.
    binary, toxicity = load("binary")[0], load("toxicity")[0].of_elicitation("forced_choice")
    for ratings, name in ((binary, "binary"), (toxicity, "toxicity")):
        limit = json.loads((example_path(name) / "truth.json").read_text())["exact"]["krippendorff_alpha_nominal"]
        assert 0.3 < forced_alpha(ratings) < 0.6
        assert forced_alpha(ratings) == pytest.approx(limit, abs=0.06)


def test_judges_agree_with_raters_as_often_as_their_truth_says():
    ratings, judges, _ = load("toxicity")
    counts = ratings.of_elicitation("forced_choice").counts()
    share = counts / counts.sum(axis=1, keepdims=True)
    told = json.loads((example_path("toxicity") / "truth.json").read_text())["classifiers"]
    by_judge = {}
    for code, judge in enumerate(judges.judges):
        rows = judges.judge == code
        by_judge[judge] = share[judges.item[rows], judges.label[rows]].mean()
    for truth in told:
        # 300 items, an agreement per item with a standard deviation below .4: a standard error below .025
        assert by_judge[truth["judge"]] == pytest.approx(truth["agreement"], abs=0.07)
    assert by_judge["strong"] > by_judge["lenient"] > by_judge["weak"] + 0.1
    assert by_judge["strong"] > by_judge["good"] > by_judge["weak"] + 0.1


def test_the_bundled_data_stay_small():
    assert sum(path.stat().st_size for name in EXAMPLES for path in example_path(name).iterdir()) < 600_000


def test_an_unknown_example_is_refused():
    with pytest.raises(OptionError, match="The example cannot be 'cats': choose one of binary, toxicity"):
        example_path("cats")
