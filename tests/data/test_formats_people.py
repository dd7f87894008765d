"""Annotation tools' exports, small ones of the same shape as the real ones, give the ratings that are in them."""

import json

import pytest

from dissensus import read, read_judges
from dissensus.data.import_ import import_

from tables import jsonl, parquet, triples, typed_message_of, write


def annotation(who, *results, **more):
    return {"completed_by": who, "result": list(results), "was_cancelled": False, "ground_truth": False, **more}


def result(name, kind, **value):
    return {"from_name": name, "to_name": "text", "type": kind, "value": value}


def task(number, *annotations, data=None, **more):
    filled = {"item_id": f"i{number}", "text": f"message {number}"} if data is None else data
    return {"id": number, "annotations": list(annotations), "data": filled, "drafts": [], "predictions": [], **more}


def label_studio(folder, *tasks):
    return write(folder, json.dumps(tasks), "export.json")


def toxic(label):
    return result("label", "choices", choices=[label])


def test_a_rater_is_an_id_in_a_plain_export_and_an_object_in_a_snapshot(tmp_path):
    plain = label_studio(tmp_path, task(1, annotation(7, toxic("ok")), annotation(8, toxic("toxic"))))
    expected = [("i1", "7", "ok"), ("i1", "8", "toxic")]
    assert triples(read(plain)) == expected
    people = [annotation({"id": who, "email": f"{who}@x.org"}, toxic(label)) for _, who, label in expected]
    assert triples(read(label_studio(tmp_path, task(1, *people)))) == expected


def test_every_kind_of_control_that_gives_a_label_is_read(tmp_path):
    results = [
        result("single", "choices", choices=["a"]),
        result("several", "choices", choices=["b", "a"]),
        result("stars", "rating", rating=4),
        result("slider", "number", number=0.5),
        result("side", "pairwise", selected="left"),
        result("tree", "taxonomy", taxonomy=[["animal", "bird"], ["plant"]]),
        result("spans", "labels", labels=["PER"], start=0, end=3),
    ]
    path = label_studio(tmp_path, task(1, annotation(1, *results)))
    said = {
        name: read(path, question=name).labels[-1] for name in ("single", "several", "stars", "slider", "side", "tree")
    }
    assert said == {
        "single": "a", "several": "a|b", "stars": "4", "slider": "0.5", "side": "left", "tree": "animal / bird|plant",
    }  # fmt: skip
    left_out = import_(path, question="stars").left_out
    assert [(some.what, some.count) for some in left_out] == [("result of type labels", 1)]
    assert "has no question 'spans': its questions are single, several" in typed_message_of(
        lambda: read(path, question="spans")
    )


def test_what_label_studio_keeps_beside_answers_is_counted(tmp_path):
    path = label_studio(
        tmp_path,
        task(
            1,
            annotation(1, toxic("ok"), was_cancelled=True),
            annotation(2, toxic("ok"), ground_truth=True),
            drafts=[{}],
        ),
        task(2, annotation(1, toxic("toxic")), annotation(2)),
    )
    outcome = import_(path)
    assert {(some.what, some.count) for some in outcome.left_out} == {
        ("draft", 1), ("skipped annotation", 1), ("annotation without an answer", 1),
    }  # fmt: skip
    assert outcome.warnings == ("1 annotation marked as ground truth counted like any other.",)
    assert triples(outcome.imported) == [("i1", "2", "ok"), ("i2", "1", "toxic")]


def test_the_users_own_ids_are_taken_if_each_task_has_another(tmp_path):
    own = label_studio(tmp_path, task(10, annotation(1, toxic("ok"))), task(11, annotation(1, toxic("ok"))))
    assert read(own).items == ("i10", "i11")
    assert import_(own).taken["item"] == "data.item_id (`item_key=` of `import_` names another)"
    same = [task(n, annotation(1, toxic("ok")), data={"item_id": "same", "key": f"k{n}"}) for n in (10, 11)]
    path = label_studio(tmp_path, *same)
    assert read(path).items == ("10", "11")
    assert read(path, item_key="data.key").items == ("k10", "k11")
    assert "nothing stands at data.kez" in typed_message_of(lambda: read(path, item_key="data.kez"))


def test_predictions_are_judges_and_ids_without_a_prediction_are_counted(tmp_path):
    full = {"id": 5, "model_version": "m", "result": [toxic("toxic")]}
    path = label_studio(
        tmp_path,
        task(1, annotation(1, toxic("ok")), predictions=[full]),
        task(2, annotation(1, toxic("ok"), prediction={**full, "id": 6}), predictions=[6, 7]),
    )
    outcome = import_(path, judges=True)
    assert [(some.what, some.count) for some in outcome.left_out] == [("prediction", 1)]
    assert (outcome.imported.judges, outcome.imported.items) == (("m",), ("i1", "i2"))


MIN = [
    {"text": "t", "item_id": "i1", "id": 1, "label": "a", "tags": "x", "annotator": 1, "annotation_id": 1,
     "lead_time": 1.0},
    {"text": "t", "item_id": "i1", "id": 1, "label": "b", "tags": {"choices": ["x", "y"]}, "annotator": 2,
     "annotation_id": 2, "lead_time": 1.0, "severity": [{"rating": 3}]},
]  # fmt: skip


def test_a_multiple_choice_in_the_short_export_is_a_text_or_an_object(tmp_path):
    path = write(tmp_path, json.dumps(MIN), "min.json")
    assert triples(read(path, question="tags")) == [("i1", "1", "x"), ("i1", "2", "x|y")]
    assert triples(read(path, question="severity")) == [("i1", "2", "3")]
    message = typed_message_of(lambda: import_(path))
    assert "asks 3 questions: label (2 answers: a, b); tags (2 answers: x, x|y); severity (1 answer: 3)" in message
    assert "text" not in message.partition("Choose")[0]  # what stands in the data is no question


def test_the_csv_export_of_label_studio_reads_like_the_short_json(tmp_path):
    header = "annotation_id,annotator,id,item_id,label,lead_time,tags,text\n"
    cells = '1,1,1,i1,a,1.0,x,t\n2,2,1,i1,b,1.0,"{""choices"":[""x"",""y""]}",t\n'
    path = write(tmp_path, header + cells, "export.csv")
    assert triples(read(path, question="tags")) == [("i1", "1", "x"), ("i1", "2", "x|y")]
    assert "people's ratings and no judges' answers" in typed_message_of(lambda: read_judges(path))


def argilla_record(number, **responses):
    return {"id": f"r{number}", "fields": {"text": "t"}, "metadata": {}, "responses": responses, "suggestions": {}}


def test_argilla_warns_that_plain_json_has_no_status_and_uses_it_where_it_is(tmp_path):
    plain = argilla_record(1, q=[{"value": "a", "user_id": "u1"}, {"value": ["a", "b"], "user_id": "u2"}])
    ratings = read(write(tmp_path, json.dumps([plain]), "records.json"))
    assert triples(ratings) == [("r1", "u1", "a"), ("r1", "u2", "a|b")]
    assert "discarded or are drafts: all are taken" in ratings.warnings[0]
    known = argilla_record(
        1,
        q=[
            {"value": "a", "user_id": "u1", "status": "submitted"},
            {"value": "b", "user_id": "u2", "status": "discarded"},
        ],
    )
    path = write(tmp_path, json.dumps([known]), "records.json")
    assert triples(read(path)) == [("r1", "u1", "a")]
    assert read(path).warnings == (
        "Left out 1 discarded response: its status says so (`skipped=` of `read` keeps them).",
    )
    assert read(path, skipped="keep").n_ratings == 2


FLAT = {
    "id": ["r1", "r2"],
    "text": ["one", "two"],
    "q.responses": [["a", "b"], ["b"]],
    "q.responses.users": [["u1", "u2"], ["u1"]],
    "q.responses.status": [["submitted", "discarded"], ["submitted"]],
    "q.suggestion": ["a", "b"],
    "q.suggestion.agent": ["m", "m"],
}


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "json"])
def test_a_flattened_argilla_data_set_keeps_the_status(tmp_path, suffix):
    rows = [dict(zip(FLAT, cells, strict=True)) for cells in zip(*FLAT.values(), strict=True)]
    content = {"parquet": parquet(**FLAT), "jsonl": jsonl(*rows), "json": json.dumps(rows)}[suffix]
    path = write(tmp_path, content, f"flat.{suffix}")
    assert triples(read(path)) == [("r1", "u1", "a"), ("r2", "u1", "b")]
    assert read(path, skipped="keep").n_ratings == 3
    assert read_judges(path).judges == ("m",)


def test_a_data_set_of_argilla_1_has_a_list_of_objects_in_each_cell(tmp_path):
    row = {
        "external_id": "e1", "text": "t", "q-suggestion": "a", "q-suggestion-metadata": None,
        "q": [{"value": "a", "user_id": "u1", "status": "submitted"},
              {"value": "b", "user_id": "u2", "status": "discarded"}],
    }  # fmt: skip
    path = write(tmp_path, jsonl(row), "old.jsonl")
    assert triples(read(path)) == [("e1", "u1", "a")]


def prodigy(number, who, **more):
    return {"text": "t", "_input_hash": number, "_task_hash": number, "_session_id": f"set-{who}", **more}


def test_prodigy_choices_are_the_ids_that_were_accepted(tmp_path):
    options = [{"id": "a"}, {"id": "b"}]
    path = write(
        tmp_path,
        jsonl(
            prodigy(1, "ann", options=options, accept=["a"], answer="accept", _annotator_id="ann"),
            prodigy(1, "bob", options=options, accept=["b", "a"], answer="accept"),
            prodigy(2, "ann", options=options, accept=["a"], answer="ignore", _annotator_id="ann"),
            prodigy(2, "bob", options=options, accept=[], answer="reject"),
        ),
        "p.jsonl",
    )
    outcome = import_(path)
    assert triples(outcome.imported) == [("1", "ann", "a"), ("1", "set-bob", "a|b")]
    assert {(some.what, some.count) for some in outcome.left_out} == {("ignored record", 1), ("rejected record", 1)}
    assert read(path, skipped="keep").n_ratings == 3


def test_prodigy_labels_that_are_accepted_or_rejected_are_questions(tmp_path):
    records = [
        prodigy(1, "ann", label="TOXIC", answer="accept"),
        prodigy(1, "bob", label="TOXIC", answer="reject"),
        prodigy(1, "ann", label="SPAM", answer="reject"),
    ]
    path = write(tmp_path, jsonl(*records), "p.jsonl")
    assert triples(read(path, question="TOXIC")) == [("1", "set-ann", "accept"), ("1", "set-bob", "reject")]
    assert list(read(path).questions) == ["TOXIC", "SPAM"]


MTURK = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.id,Input.text,Answer.tone,Answer.tags.a,Answer.tags.b,Answer.set\n"
    "H1,A1,W1,Approved,i1,t,good,true,false,x|y\n"
    "H1,A2,W2,Rejected,i1,t,bad,false,true,y\n"
    "H2,A3,W1,Submitted,i2,t,bad,true,true,y|x\n"
)


def test_mechanical_turk_checkboxes_and_joined_options_are_response_sets(tmp_path):
    path = write(tmp_path, MTURK, "batch.csv")
    assert triples(read(path, question="tone")) == [("i1", "W1", "good"), ("i2", "W1", "bad")]
    assert triples(read(path, question="tags")) == [("i1", "W1", "a"), ("i2", "W1", "a|b")]
    assert triples(read(path, question="set")) == [("i1", "W1", "x|y"), ("i2", "W1", "x|y")]
    assert triples(read(path, question="tone", skipped="keep"))[1] == ("i1", "W2", "bad")
    assert read(path, question="tone", item_key="HITId").items == ("H1", "H2")
    assert "Left out 1 rejected assignment" in read(path, question="tone").warnings[0]


def test_answers_of_mechanical_turks_own_widgets_are_in_one_cell(tmp_path):
    answers = json.dumps([{"tone": {"label": "good"}, "tags": {"a": True, "b": False}}]).replace('"', '""')
    path = write(tmp_path, f'HITId,WorkerId,Input.x,Answer.taskAnswers\nH1,W1,t,"{answers}"\n', "batch.csv")
    assert triples(read(path, question="tone")) == [("H1", "W1", "good")]
    assert triples(read(path, question="tags")) == [("H1", "W1", "a")]


QUALTRICS = (
    "StartDate,EndDate,Status,Finished,ResponseId,PROLIFIC_PID,1_tone,2_tone,3_tone,1_clear,2_clear,3_clear\n"
    "Start Date,End Date,Response Type,Finished,Response ID,PID,Tone,Tone,Tone,Clear,Clear,Clear\n"
    '"{""ImportId"":""startDate""}",x,x,x,x,x,x,x,x,x,x,x\n'
    "d,d,IP Address,True,R_1,p1,good,bad,,1,2,\n"
    "d,d,IP Address,False,R_2,p2,good,,,,,\n"
    "d,d,Survey Preview,True,R_3,p3,good,good,good,1,1,1\n"
)


def test_qualtrics_has_three_header_rows_and_a_column_per_item(tmp_path):
    path = write(tmp_path, QUALTRICS, "survey.csv")
    outcome = import_(path, question="tone")
    assert triples(outcome.imported) == [("1", "p1", "good"), ("2", "p1", "bad")]
    assert {(some.what, some.count, some.why) for some in outcome.left_out} == {
        ("response", 1, "Finished is false"),
        ("response", 1, "Status says that it is a preview, a test or spam"),
    }
    assert read(path, question="clear").labels == ("1", "2")
    assert read(path, question="tone", rater="ResponseId").raters == ("R_1",)
    assert read(path, question="tone", skipped="keep").n_ratings == 6


def test_qualtrics_columns_can_be_items_themselves(tmp_path):
    header = "StartDate,ResponseId,Q1,Q2\nStart,Id,First?,Second?\n"
    path = write(tmp_path, header + '"{""ImportId"":""startDate""}",x,x,x\nd,R_1,yes,no\nd,R_2,no,no\n', "survey.csv")
    expected = [("Q1", "R_1", "yes"), ("Q1", "R_2", "no"), ("Q2", "R_1", "no"), ("Q2", "R_2", "no")]
    assert triples(read(path)) == expected
    assert triples(read(path, item="Q1")) == expected[:2]


def test_prolifics_list_of_participants_is_refused_with_what_to_give_instead(tmp_path):
    path = write(tmp_path, "Submission id,Participant id,Status,Age\ns1,p1,APPROVED,30\n", "prolific.csv")
    assert "survey's own export" in typed_message_of(lambda: read(path))


def test_responses_of_prolifics_task_builder_are_ratings(tmp_path):
    records = [
        {
            "id": "x",
            "participant_id": "p1",
            "task_id": "t1",
            "response": {"instruction_id": "q", "answer": [{"value": "yes"}]},
        },
        {
            "id": "y",
            "participant_id": "p2",
            "task_id": "t1",
            "response": {"instruction_id": "q", "answer": [{"value": "no"}]},
        },
        {"id": "z", "participant_id": "p2", "task_id": "t1", "response": {"instruction_id": "w", "text": "why not"}},
    ]
    expected = [("t1", "p1", "yes"), ("t1", "p2", "no")]
    assert triples(read(write(tmp_path, jsonl(*records), "responses.jsonl"))) == expected
    assert triples(read(write(tmp_path, json.dumps({"results": records}), "responses.json"))) == expected


def test_the_names_of_a_hugging_face_class_label_are_read_instead_of_its_numbers(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    features = {"info": {"features": {"label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}}}
    table = pa.table({"item": ["1", "1", "2"], "rater": ["a", "b", "a"], "label": [0, 1, -1]})
    pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(features)}), tmp_path / "train.parquet")
    ratings = read(tmp_path / "train.parquet")
    assert triples(ratings) == [("1", "a", "neg"), ("1", "b", "pos")]
    assert "The numbers in label are shown as the names that the data set gives them: neg, pos." in ratings.warnings
