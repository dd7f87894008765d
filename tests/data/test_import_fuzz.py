"""Whatever stands in a file, reading and examining it end with data or with one line."""

import contextlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dissensus import read, read_judges
from dissensus.data.doctor import doctor
from dissensus.errors import DissensusError

from tables import write

KEYS = st.sampled_from([
    "id", "data", "annotations", "result", "completed_by", "value", "choices", "from_name", "type", "predictions",
    "responses", "fields", "user_id", "suggestions", "status", "_input_hash", "answer", "accept", "options", "label",
    "item", "rater", "judge", "sample", "doc_id", "resps", "filtered_resps", "arguments", "results", "version", "eval",
    "samples", "scores", "epoch", "testCases", "metricsData", "annotator", "annotation_id", "lead_time", "q.responses",
    "q.responses.users", "participant_id", "task_id", "response", "p_yes", "p_no", "count", "HITId", "WorkerId",
])  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["", "yes", "no", "[1", "a|b", " "])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
SHAPES = [
    {"id": 1, "data": {"item_id": "i"}, "annotations": [{"completed_by": 1, "result": []}]},
    {"id": "r", "fields": {"t": 1}, "responses": {"q": [{"value": "a", "user_id": "u"}]}},
    {"_input_hash": 1, "answer": "accept", "accept": ["a"]},
    {"doc_id": 0, "resps": [], "filtered_resps": [["-1", "x"]], "arguments": {"a": {"arg_1": "x"}}},
    {"version": 2, "eval": {}, "samples": [{"id": 1, "epoch": 1, "scores": {"s": {"value": 1}}}]},
    {"results": {"version": 3, "results": [{"testIdx": 0}]}},
    {"testCases": [{"metricsData": [{"name": "m", "score": 1}]}]},
    {"annotation_id": 1, "annotator": 1, "lead_time": 1, "id": 1, "q": "x"},
]


def survives(path):
    for call in (read, read_judges, doctor):
        with contextlib.suppress(DissensusError):
            call(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VALUES, st.sampled_from(["r.json", "r.jsonl"]))
def test_any_json_is_read_or_refused_in_one_line(tmp_path_factory, value, name):
    survives(write(tmp_path_factory.mktemp("fuzz"), json.dumps(value), name))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SHAPES), st.data())
def test_an_export_in_which_anything_is_replaced_is_read_or_refused(tmp_path_factory, shape, data):
    broken = json.loads(json.dumps(shape))
    place = broken
    for _ in range(data.draw(st.integers(0, 3))):
        inner = [v for v in (place.values() if isinstance(place, dict) else place) if isinstance(v, dict | list) and v]
        place = data.draw(st.sampled_from(inner)) if inner else place
    key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else list(range(len(place)))))
    place[key] = data.draw(VALUES)
    is_list = data.draw(st.booleans())
    survives(write(tmp_path_factory.mktemp("fuzz"), json.dumps([shape, broken] if is_list else broken), "r.json"))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_real_export_that_is_damaged_is_read_or_refused(shared, tmp_path_factory, data):
    files = sorted((shared / "samples" / "annotation_tools").iterdir()) + sorted((shared / "samples" / "raw").iterdir())
    path = data.draw(st.sampled_from([file for file in files if file.suffix != ".md"]))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.just(len(content)) | st.integers(1, len(content)))
    survives(write(tmp_path_factory.mktemp("fuzz"), bytes(content[:cut]), path.name))


@pytest.mark.parametrize("name", ["r.json", "r.jsonl", "r.yaml", "r.csv", "r.txt", "r.tsv"])
@pytest.mark.parametrize("content", ["", " ", "\n\n", "[]", "{}", "[{}]", "null", "1", '"x"', "item", "a,b\n", "[[1]]"])
def test_a_file_with_next_to_nothing_in_it_is_refused(tmp_path, name, content):
    survives(write(tmp_path, content, name))
