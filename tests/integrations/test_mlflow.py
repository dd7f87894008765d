"""MLflow's traces come in, and a decision goes out, with the real package and a store in a folder."""

import json
import math

import numpy as np
import pytest

import dissensus
from dissensus import DissensusError, read, read_judges
from dissensus.cli.main import main
from dissensus.data.import_ import import_
from dissensus.mlflow import log_decision, metrics_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")  # MLflow's own
RATERS, JUDGES = ("ann", "bob", "cyd", "dee"), ("openai:/gpt-4o", "keywords")
SKILLS = dict(zip(JUDGES, (0.85, 0.6), strict=True))


def said(rng, is_toxic, skill):
    return "toxic" if (rng.random() < skill) == is_toxic else "fine"


@pytest.fixture(scope="module")
def labelled():
    """Who says what of forty answers; two judges, one of them good."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(40):
        is_toxic = rng.random() < 0.5
        rows += [(f"item {i}", rater, said(rng, is_toxic, 0.8)) for rater in RATERS]
        rows += [(f"item {i}", judge, said(rng, is_toxic, skill)) for judge, skill in SKILLS.items()]
    return rows


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory):
    """MLflow with a store of its own; it prints and calls home unless told not to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patch.setenv("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false")
        patch.setenv("MLFLOW_TRACKING_URI", tmp_path_factory.mktemp("mlruns").as_uri())
        import mlflow  # noqa: PLC0415 - after its settings

        yield mlflow


@pytest.fixture(scope="module")
def experiment(mlflow, labelled):
    """The number of an experiment with a trace for each item, and an assessment for each label."""
    number = mlflow.create_experiment("toxicity")
    traces = {}
    for item, who, label in labelled:
        if item not in traces:
            span = mlflow.start_span_no_context("answer", experiment_id=number)
            span.end()
            traces[item] = span.trace_id
        kind = "HUMAN" if who in RATERS else "LLM_JUDGE" if who == JUDGES[0] else "CODE"
        source = mlflow.entities.AssessmentSource(source_type=kind, source_id=who)
        mlflow.log_feedback(trace_id=traces[item], name="toxicity", value=label, source=source)
    return number


@pytest.fixture(scope="module")
def expected(labelled):
    """The same as plain tables."""
    people = [row for row in labelled if row[1] in RATERS]
    judges = [{"item": item, "judge": who, "label": label} for item, who, label in labelled if who in JUDGES]
    return read(people), read_judges(judges)


def shape(data):
    """What is in ratings or judges, whatever the items are called."""
    who = data.raters if hasattr(data, "raters") else data.judges
    counts = [who, data.labels, len(data.items), len(data)]
    return [*counts, sorted(row["label"] + str(row.get("rater", row.get("judge"))) for row in data.rows())]


def forms(mlflow, number, folder):
    """The ways in which people hold traces."""
    traces = mlflow.search_traces(locations=[number], return_type="list")
    frame = mlflow.search_traces(locations=[number])
    frame[["trace_id", "assessments"]].to_json(folder / "traces.jsonl", orient="records", lines=True)
    (folder / "traces.json").write_text(json.dumps([trace.to_dict() for trace in traces]))
    return ["mlflow:toxicity", f"mlflow:{number}", traces, frame, folder / "traces.jsonl", folder / "traces.json"]


def test_every_form_of_traces_gives_the_labels_of_people_and_of_judges(mlflow, experiment, expected, tmp_path):
    for form in forms(mlflow, experiment, tmp_path):
        assert shape(read(form)) == shape(expected[0])
        assert shape(read_judges(form)) == shape(expected[1])


def test_a_decision_is_that_of_the_same_labels_in_a_table(experiment, expected):
    assert experiment
    options = {"score": "agreement", "calibrate": "none", "bootstrap": 0}  # whatever the order of the items
    ours = dissensus.equivalence(read("mlflow:toxicity"), read_judges("mlflow:toxicity"), **options)
    theirs = dissensus.equivalence(*expected, **options)
    assert [j.score for j in ours.judges] == pytest.approx([j.score for j in theirs.judges])
    assert [j.verdict for j in ours.judges] == [j.verdict for j in theirs.judges]


def test_the_command_line_reads_an_experiment(experiment, capsys):
    assert experiment
    assert main(["judges", "mlflow:toxicity", "mlflow:toxicity", "--bootstrap", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["ratings"]["ratings"] == 160


def test_the_ids_of_items_may_stand_in_a_tag(mlflow, experiment):
    traces = mlflow.search_traces(locations=[experiment], return_type="list")
    for number, trace in enumerate(traces):
        mlflow.set_trace_tag(trace.info.trace_id, "item", f"q{number}")
    assert sorted(read("mlflow:toxicity", item_key="tags.item").items)[:2] == ["q0", "q1"]


def test_what_is_no_label_is_left_out_and_counted(mlflow):
    number = mlflow.create_experiment("odd")
    span = mlflow.start_span_no_context("answer", experiment_id=number)
    span.end()
    person = mlflow.entities.AssessmentSource(source_type="HUMAN", source_id="ann")
    judge = mlflow.entities.AssessmentSource(source_type="LLM_JUDGE", source_id="gpt")
    kept = mlflow.log_feedback(trace_id=span.trace_id, name="ok", value=False, source=person)
    mlflow.override_feedback(trace_id=span.trace_id, assessment_id=kept.assessment_id, value=True, source=person)
    mlflow.log_feedback(trace_id=span.trace_id, name="ok", source=judge, error=RuntimeError("no answer"))
    mlflow.log_feedback(trace_id=span.trace_id, name="ok", value=True, source=judge, span_id=span.span_id)
    imported = import_("mlflow:odd")
    assert imported.imported.labels == ("true",)
    assert [(one.what, one.count) for one in imported.left_out] == [("assessment that a later one replaces", 1)]
    judges = import_("mlflow:odd", judges=True)
    assert [(one.what, one.count) for one in judges.left_out] == [("assessment without a label", 1)]
    assert "1 assessment is about a span: taken as about the whole trace." in judges.warnings


def test_an_unknown_experiment_is_one_line_that_names_those_there_are(experiment):
    assert experiment
    with pytest.raises(DissensusError, match=r"has no experiment 'toxcity'\. It has .*toxicity.*MLFLOW_TRACKING_URI"):
        read("mlflow:toxcity")


def test_without_mlflow_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mlflow", None)
    with pytest.raises(DissensusError, match=r"pip install 'mlflow'"):
        read("mlflow:toxicity")


def test_a_decision_is_logged_as_metrics_tags_and_artifacts(mlflow, experiment, expected):
    result = dissensus.decide(*expected, bootstrap=50)
    with mlflow.start_run(experiment_id=experiment) as run:
        log_decision(result)
    logged = mlflow.get_run(run.info.run_id).data
    best = result.judges[0]
    assert logged.metrics == pytest.approx(metrics_of(result))
    as_is = {judge.judge: judge.as_is.value for judge in result.judges}
    assert logged.metrics["as_is/openai_/gpt-4o"] == pytest.approx(as_is[JUDGES[0]])
    assert all(math.isfinite(value) for value in logged.metrics.values())
    assert ("worth/" + best.judge.replace(":", "_") in logged.metrics) == math.isfinite(best.worth)
    assert logged.tags["dissensus.use"] == (", ".join(result.recommendation.use) or "none")
    page = mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/dissensus/decision.html")
    assert page.startswith("<!doctype html>")
    found = mlflow.artifacts.load_dict(f"runs:/{run.info.run_id}/dissensus/decision.json")
    assert found == json.loads(result.to_json())


def test_one_source_gives_people_and_judges_on_the_question_that_both_answered(mlflow, experiment, expected):
    ratings, judges = dissensus.read_both("mlflow:toxicity")
    assert (shape(ratings), shape(judges)) == (shape(expected[0]), shape(expected[1]))
    traces = mlflow.search_traces(locations=[experiment], return_type="list")
    person = mlflow.entities.AssessmentSource(source_type="HUMAN", source_id="ann")
    code = mlflow.entities.AssessmentSource(source_type="CODE", source_id="len")
    mlflow.log_expectation(trace_id=traces[0].info.trace_id, name="expected", value="nothing", source=person)
    mlflow.log_feedback(trace_id=traces[0].info.trace_id, name="length", value=7, source=code)
    ratings, judges = dissensus.read_both("mlflow:toxicity")
    assert (shape(ratings), shape(judges)) == (shape(expected[0]), shape(expected[1]))
