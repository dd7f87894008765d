"""Logs of judges, small ones of the same shape as the real ones, give the answers that are in them."""

import json
import math
import struct
import zipfile
import zlib

import pytest

from dissensus import read, read_judges
from dissensus.data.import_ import import_

from tables import jsonl, typed_message_of, write


def answers(judges):
    columns = zip(judges.item, judges.judge, judges.sample, judges.label, strict=True)
    return sorted((judges.items[i], judges.judges[j], int(s), judges.labels[k]) for i, j, s, k in columns)


def sample(name, epoch, **scores):
    filled = {scorer: value if isinstance(value, dict) else {"value": value} for scorer, value in scores.items()}
    return {"id": name, "epoch": epoch, "input": "?", "target": "yes", "scores": filled}


HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "some/model"}}
SAMPLES = [
    sample("q1", 1, match="C", graded=0.5),
    sample("q1", 2, match="I", graded=1),
    sample("q2", 1, match="C", graded=1),
]
EXPECTED = [
    ("q1", "graded", 0, "0.5"), ("q1", "graded", 1, "1"), ("q1", "match", 0, "C"), ("q1", "match", 1, "I"),
    ("q2", "graded", 0, "1"), ("q2", "match", 0, "C"),
]  # fmt: skip


def eval_log(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, json.dumps(content))
    return path


@pytest.mark.parametrize(
    "members",
    [
        {"header.json": HEADER, "summaries.json": SAMPLES},
        {
            "_journal/start.json": HEADER,
            "_journal/summaries/1.json": SAMPLES[:1],
            "_journal/summaries/2.json": SAMPLES[1:],
        },
        {"header.json": HEADER, **{f"samples/{i}.json": one for i, one in enumerate(SAMPLES)}},
    ],
    ids=["summaries", "unfinished", "samples only"],
)
def test_an_inspect_log_gives_scorers_as_judges_and_epochs_as_samples(tmp_path, members):
    assert answers(read_judges(eval_log(tmp_path / "log.eval", members))) == EXPECTED


def test_an_inspect_log_as_json_says_the_same(tmp_path):
    path = write(tmp_path, json.dumps({**HEADER, "samples": SAMPLES}), "log.json")
    assert answers(read_judges(path)) == EXPECTED
    assert "holds judges' answers and no people's ratings: give it as JUDGES" in typed_message_of(lambda: read(path))


def test_scores_that_are_objects_are_questions(tmp_path):
    scored = [sample("q1", 1, rubric={"value": {"tone": 3, "style": "good"}, "answer": "text"}), sample("q2", 1)]
    path = eval_log(tmp_path / "log.eval", {"header.json": HEADER, "summaries.json": scored})
    assert "3 questions: tone (1 answer: 3); style (1 answer: good); answer" in typed_message_of(lambda: import_(path))
    assert list(read_judges(path).questions) == ["tone", "style", "answer"]
    outcome = import_(path, question="tone")
    assert answers(outcome.imported) == [("q1", "rubric", 0, "3")]
    assert [(some.what, some.count) for some in outcome.left_out] == [("sample without a score", 1)]


def test_an_archive_that_is_no_inspect_log_is_refused(tmp_path):
    path = eval_log(tmp_path / "other.eval", {"readme.json": {}})
    assert "is a ZIP archive, but no log of Inspect" in typed_message_of(lambda: read_judges(path))


def test_a_zstandard_log_is_read(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    members = {"header.json": HEADER, "summaries.json": SAMPLES}
    assert answers(read_judges(write(tmp_path, zstandard_zip(members, zstandard), "log.eval"))) == EXPECTED


def zstandard_zip(members, zstandard):
    """A ZIP archive with members of method 93, written by hand."""
    body, directory = b"", b""
    for name, content in members.items():
        text = json.dumps(content).encode()
        frame = zstandard.compress(text)
        sizes = (zlib.crc32(text), len(frame), len(text))
        offset = len(body)
        body += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 93, 0, 0, *sizes, len(name), 0) + name.encode() + frame
        directory += struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 93, 0, 0, *sizes, len(name), 0, 0, 0, 0, 0, offset
        )
        directory += name.encode()
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + end


def promptfoo_result(test, prompt, provider, *, success, score, **named):
    return {
        "testIdx": test, "promptIdx": prompt, "provider": {"id": provider}, "success": success, "score": score,
        "namedScores": named, "response": {"output": f"out {test}"}, "testCase": {"description": f"case {test}"},
    }  # fmt: skip


def test_promptfoo_gives_a_judge_for_each_pair_of_provider_and_prompt(tmp_path):
    results = [
        promptfoo_result(0, 0, "a", success=True, score=1, tone=0.5),
        promptfoo_result(0, 1, "b", success=False, score=0.25),
        promptfoo_result(1, 0, "a", success=False, score=0),
        {"testIdx": 1, "promptIdx": 1, "provider": {"id": "b"}, "error": "timeout", "success": False},
    ]
    path = write(tmp_path, json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}), "out.json")
    expected = [("0", "a prompt 0", 0, "pass"), ("0", "b prompt 1", 0, "fail"), ("1", "a prompt 0", 0, "fail")]
    outcome = import_(path, question="success")
    assert answers(outcome.imported) == expected
    assert [(some.what, some.count) for some in outcome.left_out] == [("result that is an error", 1)]
    assert answers(read_judges(path, question="tone")) == [("0", "a prompt 0", 0, "0.5")]
    assert next(iter(read_judges(path).questions)) == "success"


def test_promptfoo_csv_repeats_its_columns_for_each_prompt(tmp_path):
    parts = "Status,Score,Named Scores,Metric: tone,Grader Reason"
    header = f"Description,q,[a] Say {{{{q}}}},{parts},[b] Say {{{{q}}}},{parts}\n"
    rows = (
        "first,x,out,PASS,1.00,{},0.50,ok,out,FAIL,0.25,{},,no\n"
        "second,y,out,FAIL,0.00,{},,no,out,PASS,1.00,{},1.00,ok\n"
    )
    path = write(tmp_path, header + rows, "out.csv")
    assert answers(read_judges(path, question="success")) == [
        ("0", "a prompt 0", 0, "pass"), ("0", "b prompt 1", 0, "fail"), ("1", "a prompt 0", 0, "fail"),
        ("1", "b prompt 1", 0, "pass"),
    ]  # fmt: skip
    assert read_judges(path, question="tone", item_key="Description").items == ("first", "second")


def lm_eval(number, *logs, answers_=(" yes", " no"), **more):
    return {
        "doc_id": number, "doc": {"key": f"k{number}"}, "target": "0", "filter": "none",
        "arguments": {f"gen_args_{i}": {"arg_0": "?", "arg_1": answer} for i, answer in enumerate(answers_)},
        "resps": [[[log, "False"]] for log in logs], "filtered_resps": [[log, "False"] for log in logs], **more,
    }  # fmt: skip


def test_lm_eval_gives_the_probability_of_each_answer_from_log_probabilities_that_are_text(tmp_path):
    path = write(tmp_path, jsonl(lm_eval(0, "-0.5", "-1.5"), lm_eval(1, "-1000", "-999")), "samples.jsonl")
    judges = read_judges(path, item_key="doc.key")
    # exp(-.5) / (exp(-.5) + exp(-1.5)) = 1 / (1 + exp(-1)), however small the likelihoods are
    assert (judges.items, judges.judges, judges.labels) == (("k0", "k1"), ("samples",), ("no", "yes"))
    likely = 1 / (1 + math.exp(-1))
    assert judges.probability.tolist() == [pytest.approx([1 - likely, likely]), pytest.approx([likely, 1 - likely])]
    assert [judges.labels[k] for k in judges.label] == ["yes", "no"]


def test_lm_eval_calls_the_judge_like_the_folder_of_the_model(tmp_path):
    (tmp_path / "org__model").mkdir()
    name = "samples_task_2026-11-15T17-00-00.jsonl"
    assert read_judges(write(tmp_path / "org__model", jsonl(lm_eval(0, "-1", "-2")), name)).judges == ("org__model",)


def test_lm_eval_documents_with_their_own_answers_get_the_numbers_of_these(tmp_path):
    records = jsonl(
        lm_eval(0, "-1", "-2", answers_=(" red", " blue")), lm_eval(1, "-2", "-1", answers_=(" up", " down"))
    )
    judges = read_judges(write(tmp_path, records, "samples.jsonl"))
    assert judges.labels == ("0", "1")
    assert "The documents have different answers: labels are their numbers, from 0." in judges.warnings


def test_lm_eval_text_that_was_generated_is_the_label(tmp_path):
    record = {
        "doc_id": 0,
        "arguments": {"gen_args_0": {"arg_0": "?"}},
        "resps": [[" yes "]],
        "filtered_resps": [" yes "],
    }
    assert answers(read_judges(write(tmp_path, jsonl(record), "samples.jsonl"))) == [("0", "samples", 0, "yes")]


def test_deepeval_metrics_are_questions_and_their_models_judges(tmp_path):
    metrics = [{"name": "Bias", "score": 0.25, "evaluationModel": "m"}, {"name": "Tone", "score": None}]
    path = write(tmp_path, json.dumps({"testCases": [{"name": "case 1", "metricsData": metrics}]}), "run.json")
    assert answers(read_judges(path)) == [("case 1", "m", 0, "0.25")]


def test_judges_stand_in_columns_beside_each_other(tmp_path):
    path = write(tmp_path, "item,first,second\n1,yes,no\n2,no,\n", "j.csv")
    assert answers(read_judges(path)) == [("1", "first", 0, "yes"), ("1", "second", 0, "no"), ("2", "first", 0, "no")]


def test_a_dict_of_labels_is_one_judge_and_a_dict_of_dicts_several(tmp_path):
    flat = write(tmp_path, json.dumps({"i1": "yes", "i2": "no"}), "gpt.json")
    assert answers(read_judges(flat)) == [("i1", "gpt", 0, "yes"), ("i2", "gpt", 0, "no")]
    nested = write(tmp_path, json.dumps({"a": {"i1": 1}, "b": {"i1": 2}}), "both.json")
    assert answers(read_judges(nested)) == [("i1", "a", 0, "1"), ("i1", "b", 0, "2")]
