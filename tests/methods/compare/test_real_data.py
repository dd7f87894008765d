"""Real judges on real ratings: what was known of them beforehand comes out, and what makes no sense is refused."""

import pytest

from dissensus import read, read_judges
from dissensus.methods.compare import compare
from dissensus.methods.compare.metrics import METRICS

from tables import typed_message_of as message_of


@pytest.fixture(scope="module")
def data(shared):
    def load(name):
        folder = shared / "data" / name
        return read(folder / "ratings.csv"), read_judges(folder / "judges.csv")

    return load


def found(data, name, **options):
    return compare(*data(name), bootstrap=200, resamples=1000, **options)


def test_the_ranks_of_three_lexicons_are_those_of_the_data_sets_description(data):
    # Its README: Spearman of afinn .768, textblob .704, vader .84 with the raters' mean.
    result = found(data, "vader_tweets", metric="spearman")
    scores = {p.judge_a: p.score_a for p in result.pairs} | {p.judge_b: p.score_b for p in result.pairs}
    assert scores == pytest.approx({"afinn": 0.768, "textblob": 0.704, "vader": 0.84}, abs=0.0005)
    assert {(p.judge_a, p.judge_b): p.better for p in result.pairs} == {
        ("afinn", "textblob"): "a",
        ("afinn", "vader"): "b",
        ("textblob", "vader"): "b",
    }


def test_the_lexicon_that_ranks_best_errs_most(data):
    # vader's compound times 4 runs to the ends of the scale: best order, largest errors.
    pair = found(data, "vader_tweets", metric="mae", a="vader", b="afinn").pairs[0]
    assert (pair.better, pair.items) == ("b", 4200)
    assert found(data, "vader_tweets", metric="spearman", a="vader", b="afinn").pairs[0].better == "a"


def test_two_classifiers_of_abuse_win_most_items_or_err_less(data):
    # tfidf_nb is surer of the most frequent label: nearer on most items, far off on the rest.
    assert found(data, "convabuse", metric="wins", raters="fixed").pairs[0].better == "b"
    assert found(data, "convabuse", metric="mae", raters="fixed").pairs[0].better == "a"
    assert found(data, "convabuse", metric="cross-entropy", raters="fixed").pairs[0].better == "a"


@pytest.mark.parametrize("metric", METRICS)
def test_scores_on_another_scale_are_compared_by_ranks_only(data, metric):
    ratings, judges = data("wmt23_mqm_ende")
    if metric != "spearman":
        message = message_of(lambda: compare(ratings, judges, metric=metric))
        assert message.startswith(
            f"--metric {metric} compares answers with labels, but chrF_vs_refA is on another scale"
        )
        assert "is on another scale" in message_of(
            lambda: compare(ratings, judges, metric=metric, b="sentBLEU_vs_refA")
        )
        return
    reverse = ("chrF_vs_refA", "sentBLEU_vs_refA")
    pair = found(data, "wmt23_mqm_ende", metric=metric, reverse=reverse).pairs[0]
    # Its README: -.192 and -.063, since higher penalties are worse and higher chrF and BLEU better.
    assert (pair.score_a, pair.score_b) == pytest.approx((0.192, 0.063), abs=0.0006)
    assert (pair.better, pair.items) == ("a", 936)


@pytest.mark.parametrize("metric", METRICS)
def test_nominal_labels_are_compared_by_their_distributions(data, metric):
    ratings, judges = data("dices_350")
    if metric in {"mae", "rmse", "emd-binned", "spearman"}:
        assert "needs numbers" in message_of(lambda: compare(ratings, judges, metric=metric))
        return
    result = found(data, "dices_350", metric=metric)
    # Both almost always say No, so their labels tie; tfidf_nb is surer of it, which people are not.
    if metric == "accuracy":
        assert (result.pairs[0].p_value, result.pairs[0].better) == (1, "neither")
        assert "score the same on every item" in result.warnings[-1]
    elif metric == "information":  # calibrated, neither is surer than people: they tell the same
        assert result.pairs[0].better == "neither"
        assert result.pairs[0].p_value > 0.5
    else:
        assert result.pairs[0].better == "a"
