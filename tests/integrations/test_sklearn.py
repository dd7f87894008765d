"""A classifier's worth in raters, with the real scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import LinearSVC

import dissensus
from dissensus import DissensusError
from dissensus.sklearn import worth_scorer

N_ITEMS = 120


@pytest.fixture(scope="module")
def data():
    """Features, people's labels as a frame with items in its index, and what to train on."""
    rng = np.random.default_rng(3)
    leaning = rng.normal(size=N_ITEMS)
    chance = 1 / (1 + np.exp(-2 * leaning))
    items = [f"item {i}" for i in range(N_ITEMS)]
    labels = np.where(rng.random((N_ITEMS, 6)) < chance[:, None], "yes", "no")
    people = pd.DataFrame(labels, index=items, columns=[f"r{j}" for j in range(6)])
    signal, noise = leaning + rng.normal(0, 1.5, N_ITEMS), rng.normal(size=N_ITEMS)
    features = pd.DataFrame({"signal": signal, "noise": noise}, index=items)
    return features, people, people["r0"]


def test_a_scorer_gives_what_equivalence_gives(data):
    features, people, target = data
    model = LogisticRegression().fit(features, target)
    shares = model.predict_proba(features)
    answers = pd.DataFrame({"item": features.index, "judge": "m", "p_no": shares[:, 0], "p_yes": shares[:, 1]})
    result = dissensus.equivalence(people, answers, bootstrap=0)
    expected = result.ranked[0]
    assert expected.verdict == "within"
    assert worth_scorer(people)(model, features, target) == pytest.approx(expected.equivalence)


def test_cross_validation_and_grid_search_prefer_the_better_classifier(data):
    features, people, target = data
    scorer = worth_scorer(people)
    good = cross_val_score(LogisticRegression(), features, target, scoring=scorer, cv=3)
    constant = cross_val_score(DummyClassifier(), features, target, scoring=scorer, cv=3)
    assert np.isfinite(good).all()
    assert good.mean() > constant.mean() + 0.5
    search = GridSearchCV(LogisticRegression(), {"C": [1e-6, 1.0]}, scoring=scorer, cv=3).fit(features, target)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_classifier_without_probabilities_is_scored_by_its_labels(data):
    features, people, target = data
    model = LinearSVC().fit(features, target)
    answers = {"m": pd.Series(model.predict(features), index=features.index)}
    expected = dissensus.equivalence(people, answers, bootstrap=0).ranked[0].equivalence
    assert worth_scorer(people)(model, features) == pytest.approx(expected)


def test_a_judge_below_the_curve_scores_nothing_and_one_above_it_its_end(data):
    features, people, _ = data

    class Knows:
        classes_ = ("no", "yes")

        def predict_proba(self, rows):
            shares = (people.loc[rows.index] == "yes").mean(axis=1).to_numpy()
            return np.column_stack([1 - shares, shares])

    class Inverted(Knows):
        def predict_proba(self, rows):
            return super().predict_proba(rows)[:, ::-1]

    scorer = worth_scorer(people, calibrate="none", max_raters=2)
    assert scorer(Knows(), features) == 2.0
    assert scorer(Inverted(), features) == 0.0


def test_the_ids_of_items_may_stand_in_a_column(data):
    features, people, target = data
    model = DummyClassifier(strategy="prior").fit(features, target)
    numbered = features.rename_axis("id").reset_index()
    assert worth_scorer(people, item="id")(model, numbered) == worth_scorer(people)(model, features)
    with pytest.raises(DissensusError, match="X has no column 'key'"):
        worth_scorer(people, item="key")(model, numbered)


def test_rows_without_ids_are_refused_with_what_to_do(data):
    features, people, target = data
    model = DummyClassifier().fit(features, target)
    with pytest.raises(DissensusError, match="give X as a pandas DataFrame with the items' ids as its index"):
        worth_scorer(people)(model, features.to_numpy())


def test_a_scorer_can_be_sent_to_another_process(data):
    features, people, target = data
    scorer, model = worth_scorer(people), LogisticRegression().fit(features, target)
    assert pickle.loads(pickle.dumps(scorer))(model, features) == scorer(model, features)  # noqa: S301 - our own bytes
