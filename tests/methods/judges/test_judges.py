import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data import Judges, Ratings, read, read_judges
from dissensus.errors import ColumnError, JudgesError, OptionError

from tables import PLAIN, as_typed, write

quick = settings(max_examples=50, deadline=None)

LABELS = ("no", "yes", "no|yes")
weights = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)
# Judge, item, label and weights: an answer has a label, weights, or both.
answers = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2), st.none() | weights)
    | st.tuples(st.integers(0, 2), st.integers(0, 3), st.just(-1), weights),
    min_size=1,
    max_size=30,
)


def judges_of(given_answers, *, with_probability=True):
    judge, item, label, weight = zip(*given_answers, strict=True)
    judges, items = sorted(set(judge)), sorted(set(item))
    rows = [[np.nan] * 3 if w is None else np.array(w) / sum(w) for w in weight]
    return Judges(
        judge=np.array([judges.index(j) for j in judge]),
        judges=tuple(f"j{j}" for j in judges),
        item=np.array([items.index(i) for i in item]),
        items=tuple(f"i{i}" for i in items),
        sample=np.zeros(len(judge), dtype=int),
        label=np.array(label),
        labels=LABELS,
        options=("no", "yes"),
        probability=np.array(rows) if with_probability else None,
    )


def mean_answers(given_answers, *, with_probability=True):
    """Each judge's mean answer to each item, in plain Python."""
    samples = {}
    for judge, item, label, weight in given_answers:
        is_bare = weight is None or not with_probability
        answer = [float(k == label) for k in range(3)] if is_bare else [w / sum(weight) for w in weight]
        samples.setdefault((f"j{judge}", f"i{item}"), []).append(answer)
    return {pair: [sum(column) / len(rows) for column in zip(*rows, strict=True)] for pair, rows in samples.items()}


def named_distributions(judges):
    judge, item, probability = judges.distributions()
    pairs = [(judges.judges[j], judges.items[i]) for j, i in zip(judge, item, strict=True)]
    assert pairs == sorted(set(pairs))
    return dict(zip(pairs, probability.tolist(), strict=True))


@quick
@given(answers)
def test_distributions_are_the_means_that_plain_python_computes(given_answers):
    found, expected = named_distributions(judges_of(given_answers)), mean_answers(given_answers)
    assert found.keys() == expected.keys()
    for pair, mean in expected.items():
        assert found[pair] == pytest.approx(mean)


@quick
@given(answers.map(lambda rows: [(j, i, max(0, label), w) for j, i, label, w in rows]))
def test_distributions_of_labels_alone_are_shares(given_answers):
    found = named_distributions(judges_of(given_answers, with_probability=False))
    expected = mean_answers(given_answers, with_probability=False)
    for pair, mean in expected.items():
        assert found[pair] == pytest.approx(mean)


@quick
@given(answers, st.lists(st.integers(0, 1), min_size=3, max_size=3), st.lists(st.floats(-9, 9), min_size=3, max_size=3))
def test_distributions_on_other_labels_and_mean_numbers_follow_from_those_on_the_own(given_answers, places, numbers):
    judges = judges_of(given_answers)
    judge, item, own = judges.distributions()
    other_judge, other_item, found = judges.distributions(np.array(places), 2)
    assert (other_judge.tolist(), other_item.tolist()) == (judge.tolist(), item.tolist())
    for place in range(2):
        np.testing.assert_allclose(found[:, place], own[:, np.array(places) == place].sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(judges.mean_numbers(np.array(numbers)), own @ np.array(numbers), atol=1e-9)


@quick
@given(answers)
def test_distributions_sum_to_one(given_answers):
    probability = judges_of(given_answers).distributions()[2]
    np.testing.assert_allclose(probability.sum(axis=1), 1)


@quick
@given(answers, st.randoms())
def test_answers_in_any_order_have_the_same_distributions(given_answers, random):
    one = named_distributions(judges_of(given_answers))
    other = named_distributions(judges_of(random.sample(given_answers, len(given_answers))))
    assert one.keys() == other.keys()
    for pair, mean in one.items():
        assert other[pair] == pytest.approx(mean)


@quick
@given(answers)
def test_one_judge_has_the_answers_of_that_judge(given_answers):
    judges = judges_of(given_answers)
    whole = named_distributions(judges)
    parts = {}
    for name in judges.judges:
        assert judges[name].judges == (name,)
        parts |= named_distributions(judges[name])
    assert parts == whole
    assert sum(judges[name].n_answers for name in judges.judges) == judges.n_answers


@quick
@given(answers, st.sets(st.integers(0, 3), min_size=1))
def test_answers_on_rated_items_are_all_there_and_alone(given_answers, rated):
    names = tuple(f"i{i}" for i in sorted(rated))
    ratings = Ratings(item=range(len(names)), items=names, label=[0] * len(names), labels=("no", "yes"))
    judges = judges_of(given_answers)
    shared = set(names) & set(judges.items)
    if not shared:
        with pytest.raises(JudgesError, match="The judges share no item with the ratings"):
            judges.on_items_of(ratings)
        return
    if {judge for judge, *_ in given_answers} != {judge for judge, item, *_ in given_answers if item in rated}:
        with pytest.raises(JudgesError, match="answered none of the rated items"):
            judges.on_items_of(ratings)
        return
    kept = judges.on_items_of(ratings)
    assert set(kept.items) == shared
    expected = {pair: mean for pair, mean in named_distributions(judges).items() if pair[1] in shared}
    assert named_distributions(kept) == expected
    assert len(kept.warnings) == (set(judges.items) != shared) + (set(names) != shared)


def test_an_unknown_judge_is_refused_with_the_known_ones():
    with pytest.raises(OptionError) as caught:
        judges_of([(0, 0, 0, None), (1, 0, 1, None)])["gpt"]
    assert str(caught.value) == "There is no judge 'gpt': the judges are j0, j1."


def test_no_answers_have_no_distributions():
    judges = judges_of([(0, 0, 0, None)])
    judge, item, probability = judges.where(np.array([False])).distributions()
    assert (judge.tolist(), item.tolist(), probability.shape) == ([], [], (0, 3))


def test_judges_survive_the_way_to_a_worker_process():
    judges = judges_of([(0, 0, 0, [1, 2, 3]), (1, 0, -1, [1, 1, 0])])
    again = pickle.loads(pickle.dumps(judges))  # noqa: S301 - our own bytes
    assert named_distributions(again) == named_distributions(judges)


def test_arrays_are_read_only_copies():
    judges = judges_of([(0, 0, 0, [1, 2, 3])])
    with pytest.raises(ValueError, match="read-only"):
        judges.probability[0, 0] = 1


def test_the_shape_is_described_for_the_json():
    assert judges_of([(0, 0, 0, None), (0, 0, 1, None)], with_probability=False).describe_data() == {
        "items": 1, "judges": ["j0"], "answers": 2, "labels": list(LABELS), "has_probabilities": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"judge": [0, 0]}, "1 item but 2 entries in judge: each row needs one of each."),
        ({"label": [3]}, "The codes of label run from 3 to 3: they must be -1 or more and less than 3."),
        ({"sample": [-1]}, "The codes of sample run from -1 to -1: they must be 0 or more."),
        ({"options": ("yes", "no")},
         "The labels must start with the options, in the same order, and name each label once."),
        ({"label": [-1]}, "1 answer with neither a label nor probabilities: leave them out."),
        ({"label": [-1], "probability": [[np.nan] * 3]},
         "1 answer with neither a label nor probabilities: leave them out."),
        ({"probability": [[1.0]]}, "Probabilities of shape (1, 1): 1 answer and 3 labels need (1, 3)."),
        ({"probability": [[0.5, 0.6, -0.1]]},
         "Each row of probabilities must be 0 or more and sum to 1, or be NaN throughout."),
        ({"probability": [[0.5, 0.6, 0.1]]},
         "Each row of probabilities must be 0 or more and sum to 1, or be NaN throughout."),
        ({"probability": [[0.5, 0.5, np.nan]]},
         "Each row of probabilities must be 0 or more and sum to 1, or be NaN throughout."),
    ],
)  # fmt: skip
def test_what_cannot_be_answers_is_refused(changes, message):
    fields = {"item": [0], "items": ("a",), "judge": [0], "judges": ("j",), "sample": [0], "label": [0],
              "labels": LABELS, "options": ("no", "yes"), **changes}  # fmt: skip
    with pytest.raises(JudgesError) as caught:
        Judges(**fields)
    assert str(caught.value) == message


def test_judges_are_read_with_labels_probabilities_and_samples(tmp_path):
    text = "item,judge,sample,label,p_no,p_yes\n1,g,10,yes,,\n1,g,9,,.25,.75\n2,h,0,no,1,0\n"
    judges = read_judges(write(tmp_path, text))
    assert (judges.items, judges.judges, judges.labels) == (("1", "2"), ("g", "h"), ("no", "yes"))
    assert judges.sample.tolist() == [1, 0, 0]  # 9 comes before 10
    assert judges.label.tolist() == [1, -1, 0]
    np.testing.assert_array_equal(judges.probability, [[np.nan, np.nan], [0.25, 0.75], [1, 0]])
    assert judges.warnings == ()


def test_judges_need_neither_a_judge_nor_a_sample_column(tmp_path):
    judges = read_judges(write(tmp_path, "item,label\n1,x\n1,y\n2,x\n"))
    assert (judges.judges, judges.sample.tolist()) == (("judge",), [0, 1, 0])
    assert judges.warnings == (
        "There is no sample column: several rows of one judge and item are taken as its samples.",
    )


SEVERAL_JUDGES = (
    "j.csv has several rows of one item and no column 'judge'. Columns found: item, judges, label. "
    "The likely match is judges: add --judge-columns judge=judges."
)
PEOPLE = (
    "j.csv looks like people's ratings: it has a column 'rater' and no column 'judge'. Give the judges' answers, "
    "a table with item, judge and label; if the raters are judges, add --judge-columns judge=rater."
)


@pytest.mark.parametrize(("header", "said"), [("item,judges,label", SEVERAL_JUDGES), ("item,rater,label", PEOPLE)])
def test_several_judges_or_people_are_not_taken_as_samples_of_one_judge(tmp_path, header, said):
    path = write(tmp_path, f"{header}\n1,a,x\n1,b,y\n2,a,x\n", name="j.csv")
    with pytest.raises(ColumnError) as refused:
        read_judges(path)
    assert as_typed(refused.value) == said
    name = header.split(",")[1]
    assert read_judges(path, judge=name).judges == ("a", "b")
    alone = write(tmp_path, f"{header}\n1,a,x\n2,b,y\n", name="k.csv")
    assert read_judges(alone).judges == ("judge",)  # one row per item: nothing is mixed up


def test_a_column_called_model_names_the_judges(tmp_path):
    judges = read_judges(write(tmp_path, "item,model,label\n1,a,x\n1,b,y\n2,a,x\n", name="j.csv"))
    assert judges.judges == ("a", "b")
    assert judges.warnings == ("Columns taken by their names: model as judge.",)


def test_what_is_left_out_or_rescaled_among_judges_is_counted(tmp_path):
    text = "item,judge,sample,p_a,p_b\n1,g,0,.3333,.6666\n\n1,g,1,,\n2,g,0,.5,.5\n2,g,0,.1,.9\n3,g,0,.50005,.5\n"
    judges = read_judges(write(tmp_path, text), repeats="last")
    assert judges.warnings == (
        "Left out 2 rows without an answer.",
        "Left out 1 repeated sample: the last of each was kept.",
        "Rescaled 2 rows of probabilities that almost sum to 1.",
    )
    np.testing.assert_allclose(judges.probability, [[0.3333 / 0.9999, 0.6666 / 0.9999], [0.1, 0.9],
                                                    [0.50005 / 1.00005, 0.5 / 1.00005]], rtol=1e-12)  # fmt: skip


def test_judges_on_other_items_are_left_out_and_counted(tmp_path):
    ratings = read(write(tmp_path, PLAIN))
    judges = read_judges(write(tmp_path, "item,label\n2,x\n3,x\n4,x\n", "j.csv")).on_items_of(ratings)
    assert judges.items == ("2",)
    assert judges.warnings == (
        "Left out 2 items that judges answered and nobody rated.",
        "No judge answered 1 of the 2 rated items.",
    )


def test_the_delimiter_is_the_one_that_all_rows_agree_on(tmp_path):
    # The bars of the response sets split the header into more cells than the commas do.
    judges = read_judges(write(tmp_path, "item,p_a|b|c|d,p_b\n1,.5,.5\n2,.1,.9\n"))
    assert judges.labels == ("a", "b", "c", "d", "a|b|c|d")
