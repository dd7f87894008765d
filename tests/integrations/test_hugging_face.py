"""Hugging Face's datasets, as the real package makes them."""

import datasets
import pytest

import dissensus
from dissensus import DissensusError, read, read_judges

ROWS = {"item": ["a", "a", "b", "b"], "rater": ["ann", "bob", "ann", "bob"], "label": [0, 1, 1, -1]}
EXPECTED = [("a", "ann", "no"), ("a", "bob", "yes"), ("b", "ann", "yes")]


@pytest.fixture
def rated():
    kinds = {"item": datasets.Value("string"), "rater": datasets.Value("string")}
    features = datasets.Features({**kinds, "label": datasets.ClassLabel(names=["no", "yes"])})
    return datasets.Dataset.from_dict(ROWS, features=features)


def rows(ratings):
    return [(row["item"], row["rater"], row["label"]) for row in ratings.rows()]


def test_a_dataset_is_read_with_the_names_of_its_classes(rated):
    assert rows(read(rated)) == EXPECTED  # -1 is a missing label


def test_a_dataset_of_a_file_and_a_part_of_one_are_read(rated, tmp_path):
    rated.to_csv(tmp_path / "rated.csv")
    loaded = datasets.Dataset.from_csv(str(tmp_path / "rated.csv"), cache_dir=str(tmp_path))
    assert len(read(loaded.select(range(3)))) == 3


def test_a_dataset_of_judges_and_a_column_per_rater_are_read():
    wide = datasets.Dataset.from_dict({"id": ["a", "b"], "ann": ["no", "yes"], "bob": ["yes", "yes"]})
    judges = datasets.Dataset.from_dict({"item": ["a", "b"], "judge": ["m", "m"], "label": ["no", "yes"]})
    assert read(wide).raters == ("ann", "bob")
    assert read_judges(judges).judges == ("m",)
    assert dissensus.judges(wide, judges, bootstrap=0).definitions


def test_labels_in_a_list_are_a_response_set():
    nested = datasets.Dataset.from_dict({"item": ["a"], "rater": ["ann"], "label": [["no", "yes"]]})
    assert [row["label"] for row in read(nested).rows()] == ["no|yes"]


def test_splits_are_refused_with_their_names(rated):
    with pytest.raises(DissensusError, match=r"several tables \(train, test\): give one of them"):
        read(datasets.DatasetDict({"train": rated, "test": rated}))
