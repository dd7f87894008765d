import sys

import pandas as pd
import polars as pl
import pytest

import dissensus
from dissensus.errors import MissingExtraError
from dissensus.report.document import Table
from dissensus.report.envelope import frame_of_rows
from dissensus.report.views.section import section_of

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


@pytest.mark.parametrize("method", [dissensus.equivalence, dissensus.panel])
def test_a_frame_has_the_bits_that_are_printed(method):
    result = method("example:binary", "example:binary", bootstrap=0)
    table = next(block for block in section_of(result).blocks if isinstance(block, Table))
    printed = {row[0].removeprefix("panel, "): row[table.columns.index("Bits")] for row in table.rows}
    frame = result.to_frame()
    own = {row["name" if "name" in row else "judge"]: row["gain"] for row in frame.to_dict("records")}
    shown = {name: printed[name] for name in own if name in printed}  # a constant and a person are no rows of a frame
    assert len(shown) >= len({worth.judge for worth in result.judges})
    assert shown == pytest.approx({name: own[name] for name in shown})
    assert "gain" not in method("example:binary", "example:binary", bootstrap=0, score="agreement").to_frame()


def test_no_rows_are_an_empty_frame():
    assert len(frame_of_rows([])) == 0


def test_a_result_hands_its_rows_over(described):
    assert described().to_frame()["name"].tolist()[:2] == ["pairwise_agreement", "krippendorff_alpha_nominal"]
