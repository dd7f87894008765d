"""Slices: what judges are worth in each, and tests that a slice which looks bad by chance passes."""

import itertools
import json

import numpy as np
import pytest

from dissensus import Judges, Ratings, compare, decide, describe, equivalence, judges, read, read_judges
from dissensus.cli.main import main
from dissensus.data import as_data
from dissensus.data.slices import sliced, slicing_of, slicing_of_numbers
from dissensus.methods.equivalence.equivalence import run_equivalence
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.slices import leads_of
from dissensus.methods.parts.parts import Leads, slice_differences, trends

from tables import typed_message_of, write

LABELS = ("0", "1", "2")


def population(rng, *, items=200, raters=12, per_item=5, slope=0.0, bad=(), severity=0.3, pools=1):
    """Ratings and a good and a fair judge; where an item is in `bad` judges guess, with `slope` the more the later.

    Raters differ in severity; with several pools items of a pool are rated by its raters only.
    """
    truth = rng.normal(0, 1.2, size=items)
    strict = rng.normal(0, severity, size=raters)
    who = np.stack([rng.permutation(raters // pools)[:per_item] for _ in range(items)])
    who += (np.arange(items) * pools // items)[:, None] * (raters // pools)
    item = np.repeat(np.arange(items), per_item)
    said = _cut(truth[item] + strict[who.ravel()] + rng.normal(0, 0.8, size=len(item)))
    names = tuple(f"i{i:04d}" for i in range(items))
    ratings = Ratings(item=item, items=names, rater=who.ravel(), raters=tuple(f"r{i:02d}" for i in range(raters)),
                      label=said, labels=LABELS, scale="ordinal")  # fmt: skip
    guesses = np.isin(np.arange(items), bad) | (rng.random(items) < slope * np.arange(items) / items)
    answers = []
    for noise in (0.6, 1.2):
        own = _cut(truth + rng.normal(0, noise, size=items))
        answers.append(np.where(guesses, rng.integers(0, 3, size=items), own))
    answered = Judges(
        item=np.tile(np.arange(items), 2), items=names, judge=np.repeat([0, 1], items), judges=("fair", "good"),
        sample=np.zeros(2 * items, dtype=np.intp), label=np.concatenate(answers[::-1]), labels=LABELS, options=LABELS,
    )  # fmt: skip
    return ratings, answered


def _cut(values):
    return (values > -0.6).astype(np.intp) + (values > 0.6)


def in_slices(ratings, n_slices):
    """The ratings in slices of items that follow each other."""
    size = len(ratings.items) // n_slices
    return sliced(ratings, slicing_of("kind", {name: f"k{i // size:02d}" for i, name in enumerate(ratings.items)}))


RATINGS, ANSWERS = population(np.random.default_rng(1))
FEW = {"bootstrap": 40}


# ---- The numbers


def test_slices_are_weighed_means_of_the_whole():
    # Every item counts the same, so the scores of the slices average to that of all items.
    result = equivalence(in_slices(RATINGS, 4), ANSWERS, **FEW)
    for j, judge in enumerate(result.overall.judges):
        parts = [(part.items, part.result.judges[j].score) for part in result.parts]
        mean = sum(items * score for items, score in parts) / sum(items for items, _ in parts)
        assert mean == pytest.approx(judge.score, abs=1e-12)
    for k, point in enumerate(result.overall.curve):
        mean = sum(part.items * part.result.curve[k].score for part in result.parts) / len(RATINGS.items)
        assert mean == pytest.approx(point.score, abs=1e-12)


@pytest.mark.parametrize("score", ["cross-entropy", "spearman"])  # the second does not add up over items
def test_without_samples_slices_have_the_same_numbers(score):
    cut = in_slices(RATINGS, 4)
    with_samples, without = (equivalence(cut, ANSWERS, score=score, bootstrap=n) for n in (20, 0))
    for one, other in zip(with_samples.parts, without.parts, strict=True):
        for judge, same in zip(one.result.judges, other.result.judges, strict=True):
            numbers = (same.score, same.equivalence)
            assert (judge.score, judge.equivalence) == pytest.approx(numbers, abs=1e-12, nan_ok=True)
            assert np.isnan(same.low)
    # What raters add is known from samples only, so nothing is tested without them.
    assert without.differences == ()


def test_the_samples_of_slices_are_those_of_the_whole():
    # One slice of all items but a few that are in none: its samples draw the items that the whole draws.
    whole = equivalence(RATINGS, ANSWERS, raters="fixed", **FEW)
    values = dict.fromkeys(RATINGS.items, "all")
    part = equivalence(sliced(RATINGS, slicing_of("kind", values)), ANSWERS, raters="fixed", **FEW).parts[0].result
    for own, other in zip(part.judges, whole.judges, strict=True):
        # Not to the last digit, since slices do not learn the combiner again in each sample.
        assert (own.low, own.high) == pytest.approx((other.low, other.high), abs=1e-12)
        assert own.equivalence == pytest.approx(other.equivalence, abs=1e-12, nan_ok=True)


def test_the_lead_of_an_item_is_its_score_less_that_of_as_many_raters():
    worked = run_equivalence(RATINGS, ANSWERS, EquivalenceOptions(bootstrap=20, raters="fixed"), rng=0)
    leads = leads_of(worked, np.zeros(len(RATINGS.items), dtype=np.intp))
    # At its worth a judge has no lead over people, on all items together.
    assert np.abs(leads.lead.sum(axis=0)) == pytest.approx(np.zeros(2), abs=1e-9)
    assert leads.judges == ("fair", "good")


def test_the_difference_of_a_slice_is_that_of_two_means():
    rng = np.random.default_rng(0)
    lead, place = rng.normal(size=(30, 2)), np.repeat([0, 1, 2], 10)
    ones = np.ones_like(lead)
    leads = Leads(("a", "b"), lead, ones, place, None, np.zeros(2))
    found = slice_differences(leads, ("x", "y", "z"), confidence=0.95, question=None, rng=rng)
    for one, (s, j) in zip(found, itertools.product(range(3), range(2)), strict=True):
        own, rest = lead[place == s, j], lead[place != s, j]
        error = (own.var(ddof=1) / len(own) + rest.var(ddof=1) / len(rest)) ** 0.5
        assert one.difference == pytest.approx(own.mean() - rest.mean(), abs=1e-12)
        assert one.high - one.difference == pytest.approx(1.959964 * error, rel=1e-6)
        assert 0 < one.p_value <= 1


def test_the_p_value_of_few_items_is_that_of_all_exchanges():
    # Four items in two slices: of the 24 orders those in which the two largest stand together are as far apart.
    lead, place = np.array([[0.0], [1.0], [10.0], [12.0]]), np.array([0, 0, 1, 1])
    leads = Leads(("a",), lead, np.ones_like(lead), place, None, np.zeros(1))
    found = slice_differences(leads, ("x", "y"), confidence=0.95, question=None, rng=np.random.default_rng(0))
    assert found[0].p_value == pytest.approx(8 / 24, abs=0.03)


def test_a_trend_is_the_correlation_with_the_rank():
    rng = np.random.default_rng(0)
    numbers = rng.permutation(40).astype(float)
    lead = np.stack([-numbers + rng.normal(0, 3, size=40), rng.normal(size=40)], axis=1)
    leads = Leads(("a", "b"), lead, np.ones_like(lead), np.zeros(40, dtype=np.intp), None, np.zeros(2))
    first, second = trends(leads, numbers, question=None, rng=rng)
    assert first.correlation == pytest.approx(np.corrcoef(numbers, lead[:, 0])[0, 1], abs=1e-12)
    assert (first.finding, second.finding) == ("worse", None)


def test_a_slice_in_which_judges_guess_is_named_and_others_are_not():
    ratings, answers = population(np.random.default_rng(3), bad=range(40))
    result = equivalence(in_slices(ratings, 5), answers, **FEW)
    worse = {one.value for one in result.differences if one.finding == "worse"}
    assert worse == {"k00"}
    assert json.loads(result.to_json())["result"]["differences"][0].keys() == {
        "question", "value", "judge", "difference", "low", "high", "p_value", "finding",
    }  # fmt: skip


@pytest.mark.parametrize("method", [describe, compare, judges])
def test_other_methods_answer_for_each_slice_as_for_a_file_of_its_own(method):
    needs_judges = method is not describe
    options = {"resamples": 50} if method is compare else FEW
    whole = in_slices(RATINGS, 2)
    result = method(whole, *([ANSWERS] if needs_judges else []), **options)
    assert [(part.by, part.value, part.items) for part in result.parts] == [("kind", "k00", 100), ("kind", "k01", 100)]
    first = RATINGS.where(RATINGS.item < 100)
    alone = method(first, *([ANSWERS.where(ANSWERS.item < 100)] if needs_judges else []), **options)
    # The parts of a file draw from all of it, so only what needs no samples is the same.
    assert result.parts[0].result.rows()[0].keys() == alone.rows()[0].keys()
    if method is describe:
        assert result.parts[0].result.whole.coefficients[0].value == alone.whole.coefficients[0].value


def test_decide_answers_for_all_items_and_for_each_slice():
    result = decide(in_slices(RATINGS, 2), ANSWERS, **FEW)
    assert result.overall.recommendation.use[0] == "good"
    assert [part.result.judges[0].judge for part in result.parts] == ["good", "good"]
    assert result.summary().splitlines()[0].startswith("No slice by kind stands out")


def test_which_judge_to_use_and_where_it_does_worse_are_two_sentences():
    ratings, judges = population(np.random.default_rng(1), bad=range(150, 200))
    said = " ".join(decide(in_slices(ratings, 4), judges, **FEW).summary().split())
    assert said.startswith("Use no judge yet. fair and good do worse where kind is k03. ")


# ---- Attributes


def rows_of(folder):
    texts = ["item,rater,label,language,length\n"]
    for i in range(40):
        texts += [f"s{i},r{k},{(i + k) % 3},{'en' if i % 2 else 'fr'},{100 - i}\n" for k in range(3)]
    answers = "item,judge,label\n" + "".join(f"s{i},gpt,{i % 3}\n" for i in range(40))
    return write(folder, "".join(texts)), write(folder, answers, "j.csv")


def test_a_column_of_the_ratings_or_of_the_items_makes_slices(tmp_path):
    path, _ = rows_of(tmp_path)
    assert read(path, by="language").slicing.order == ("en", "fr")
    assert read(path, by="Length").slicing.order == ("61 to 70", "71 to 80", "81 to 90", "91 to 100")
    items = write(tmp_path, "item,topic,text\n" + "".join(f"s{i},t{i % 4},{'x' * i}\n" for i in range(40)), "items.csv")
    topics = read(path, by="topic", items=items)
    assert (topics.slicing.order, topics.slicing.values["s6"]) == (("t0", "t1", "t2", "t3"), "t2")
    assert [part.items for part in describe(topics, bootstrap=0).parts] == [10, 10, 10, 10]
    plain = write(tmp_path, "item,rater,label\n" + "".join(f"s{i},a,1\n" for i in range(40)), "plain.csv")
    assert read(plain, by="length", items=items).slicing.numbers["s6"] == 6


def test_slices_are_built_in_by_split_number_of_ratings_and_suffix():
    rows = [
        (f"i{i}_{'ab'[i % 2]}", f"r{k}", "yes" if i < 10 or k else "no") for i in range(30) for k in range(2 + i % 2)
    ]
    split = read(rows, by="split").slicing
    # Of two raters one says no: 1 bit; of three: the entropy of a third.
    assert split.order == ("0", "0.918", "1")
    assert split.is_outcome
    assert read(rows, by="ratings").slicing.order == ("2", "3")
    assert read(rows, by="suffix").slicing.order == ("a", "b")


def test_numbers_with_many_values_are_cut_into_quantiles():
    rng = np.random.default_rng(0)
    numbers = {f"i{i}": float(v) for i, v in enumerate(rng.integers(0, 12, size=90))}
    slicing = slicing_of_numbers("n", numbers)
    sizes = [sum(value == name for value in slicing.values.values()) for name in slicing.order]
    assert len(sizes) == 4
    assert min(sizes) > 10
    for name in slicing.order:
        low, high = map(float, name.split(" to "))
        inside = [numbers[item] for item, value in slicing.values.items() if value == name]
        assert (min(inside), max(inside)) == (low, high)


def test_a_rater_attribute_splits_ratings_by_who_gave_them(tmp_path):
    text = "item,rater,label,sex\n" + "".join(f"s{i},r{k},{(i * k) % 3},{'fm'[k % 2]}\n" for i in range(20)
                                              for k in range(6))  # fmt: skip
    ratings = read(write(tmp_path, text), by="sex")
    assert ratings.slicing.of == "rater"
    assert [part.result.whole.raters for part in describe(ratings, bootstrap=0).parts] == [3, 3]


def test_bad_attributes_get_one_line(tmp_path):
    path, answers = rows_of(tmp_path)
    assert typed_message_of(lambda: read(path, by="langauge")).startswith(
        "--by langauge is not a column of r.csv, which has item, rater, label, language, length. "
        "Choose a column, or split"
    )
    text = "item,rater,label,topic\n1,a,x,food\n1,b,x,sport\n2,a,y,food\n2,b,x,food\n"
    assert typed_message_of(lambda: read(write(tmp_path, text, "two.csv"), by="topic")) == (
        "two.csv: topic of the item 1 is food in row 2 and sport in row 3. --by needs one value for each item: correct "
        "the rows, or give the values with --items."
    )
    asked = "item,question,rater,label\n1,tone,a,x\n1,style,a,y\n2,tone,a,y\n2,style,a,x\n"
    assert typed_message_of(lambda: read(write(tmp_path, asked, "asked.csv"), by="question")) == (
        "--by question is not needed: each of the 2 questions is answered alone."
    )
    assert "has no meaning here" in typed_message_of(lambda: as_data(read(path, by="language"), read_judges(answers)))


def test_a_slice_of_two_items_is_left_out_and_named():
    values = {name: "few" if i < 2 else "many" for i, name in enumerate(RATINGS.items)}
    result = equivalence(sliced(RATINGS, slicing_of("kind", values)), ANSWERS, **FEW)
    assert [part.value for part in result.parts] == ["many"]
    assert result.warnings[0] == (
        "Too few items to answer for: few (2 items). A slice needs 10: put slices together, or rate more of their "
        "items."
    )
    assert result.summary().splitlines()[0] == "Only 1 slice by kind has enough items to answer for."
    few = dict(itertools.islice(values.items(), 2))
    assert "--by kind: no slice can be answered for" in typed_message_of(
        lambda: equivalence(sliced(RATINGS, slicing_of("kind", few)), ANSWERS, **FEW)
    )


def test_a_slice_that_judges_did_not_answer_is_left_out_and_named():
    values = {name: "late" if i >= 150 else "early" for i, name in enumerate(RATINGS.items)}
    answered = ANSWERS.where(ANSWERS.item < 155)
    for method in (equivalence, decide):
        result = method(sliced(RATINGS, slicing_of("kind", values)), answered, **FEW)
        assert [part.value for part in result.parts] == ["early"]
        assert "Too few items that all judges answered: late (5). A slice needs 10." in result.warnings


def test_the_command_line_takes_a_column_and_refuses_a_group_that_means_nothing(tmp_path, capsys):
    path, answers = rows_of(tmp_path)
    assert main(["decide", str(path), str(answers), "--by", "language", "--bootstrap", "20", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [(part["by"], part["value"]) for part in made["result"]["parts"]] == [("language", "en"), ("language", "fr")]
    assert made["settings"]["by"] == "language"
    assert made["result"]["overall"]["recommendation"].keys() >= {"use", "how"}
    assert main(["equivalence", str(path), str(answers), "--group", "language"]) == 2
    assert "--by language" in capsys.readouterr().err


# ---- Level and power, by simulation

SETS = 200


def share_named(*, sets=SETS, items=400, n_slices=20, **planted):
    """Share of data sets in which a slice, or a trend, is named."""
    slices = by_trend = 0
    for seed in range(sets):
        ratings, answers = population(np.random.default_rng([23, seed]), items=items, **planted)
        cut = equivalence(in_slices(ratings, n_slices), answers, bootstrap=20)
        slices += any(one.finding for one in cut.differences)
        order = np.arange(items) if planted.get("slope") else np.random.default_rng(seed).permutation(items)
        numbers = {name: float(order[i]) for i, name in enumerate(ratings.items)}
        along = equivalence(sliced(ratings, slicing_of_numbers("length", numbers)), answers, bootstrap=20)
        by_trend += any(one.finding for one in along.trends)
    return slices / sets, by_trend / sets


@pytest.mark.slow
@pytest.mark.parametrize("pools", [1, 2])
def test_of_20_slices_of_equal_truth_one_is_named_in_at_most_5_of_100_data_sets(pools, trust):
    # Two standard errors of a share of .05 in 200 data sets are .03. With two pools each slice has half of the raters.
    sets = trust.sets(SETS)
    slices, by_trend = share_named(sets=sets, pools=pools)
    data = f"400 items, {pools} pool{'s' * (pools > 1)} of raters"
    trust.keep("level", "equivalence: any of 20 slices called different", slices, sets, data=data)
    trust.keep("level", "equivalence: a trend along an attribute", by_trend, sets, data=data)
    assert slices <= 0.08
    assert by_trend <= 0.08


@pytest.mark.slow
def test_a_planted_bad_slice_and_a_planted_trend_are_found():
    assert share_named(sets=40, items=800, n_slices=10, bad=range(160, 240))[0] >= 0.8
    assert share_named(sets=40, slope=0.6)[1] >= 0.8
