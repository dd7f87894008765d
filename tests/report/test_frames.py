import sys

import pandas as pd
import polars as pl
import pytest

from dissensus.errors import MissingExtraError
from dissensus.report.envelope import frame_of_rows

ROWS = [{"name": "a", "value": 1.0}, {"name": "b", "value": None}]


def test_rows_become_a_pandas_frame():
    frame = frame_of_rows(ROWS)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["name", "value"]
    assert frame["value"].isna().tolist() == [False, True]


def test_rows_become_a_polars_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame = frame_of_rows(ROWS)
    assert isinstance(frame, pl.DataFrame)
    assert frame.rows() == [("a", 1.0), ("b", None)]


def test_without_either_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"A DataFrame needs a package .* `pip install 'pandas'`"):
        frame_of_rows(ROWS)


def test_no_rows_are_an_empty_frame():
    assert len(frame_of_rows([])) == 0


def test_a_result_hands_its_rows_over(described):
    assert described().to_frame()["name"].tolist()[:2] == ["pairwise_agreement", "krippendorff_alpha_nominal"]
