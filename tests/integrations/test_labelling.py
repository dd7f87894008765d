"""A task becomes what Label Studio and Argilla show people, and what they answer comes back as one question."""

import json
import xml.etree.ElementTree as ET
from unittest.mock import MagicMock

import pytest

from dissensus import DissensusError, Task, read
from dissensus.cli.main import main
from dissensus.data.import_ import argilla_settings, label_studio_config

TASK = Task(
    name="toxicity",
    instructions='Is "this" <rude> & toxic?',
    options=("Not toxic", "Toxic"),
    descriptions={"Toxic": "Rude or disrespectful"},
)
NAMES = ["forced_choice", "response_set"]


def choices(config):
    return {one.get("name"): one for one in ET.fromstring(config).iter("Choices")}  # noqa: S314 - our own text


def test_label_studio_shows_a_choice_and_boxes_with_the_same_options():
    config = label_studio_config(TASK)
    asked = choices(config)
    assert list(asked) == NAMES
    assert [one.get("choice") for one in asked.values()] == ["single-radio", "multiple"]
    assert {tuple(c.get("value") for c in one) for one in asked.values()} == {TASK.options}
    assert {one.get("required") for one in asked.values()} == {"true"}
    tree = ET.fromstring(config)  # noqa: S314 - our own text
    assert tree.find("Header").get("value") == TASK.instructions
    # Each question is about an object that is shown, and the object shows a field of the data.
    assert {one.get("toName") for one in asked.values()} <= {one.get("name") for one in tree.iter("Text")}
    assert [one.get("value") for one in tree.iter("Text")] == ["$text"]


@pytest.mark.parametrize(
    ("sets", "expected"),
    [("single", None), ((("No",), ("No", "Yes")), ["No", "No|Yes"])],
)
def test_a_task_says_which_sets_there_are(sets, expected):
    asked = choices(label_studio_config(Task(options=("No", "Yes"), response_sets=sets)))
    found = [c.get("value") for c in asked["response_set"]] if "response_set" in asked else None
    assert found == expected
    assert len(json.loads(argilla_settings(Task(options=("No", "Yes"), response_sets=sets)))["questions"]) == len(asked)


def test_pairs_are_shown_side_by_side():
    tree = ET.fromstring(label_studio_config(Task(options=("win", "tie", "lose"), kind="pairwise")))  # noqa: S314 - ours
    assert [one.get("value") for one in tree.iter("Text")] == ["$text_a", "$text_b"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Argilla's own
def test_argilla_takes_the_settings(tmp_path, monkeypatch):
    import argilla  # noqa: PLC0415 - warns when it is imported

    monkeypatch.setattr(argilla.Argilla, "_get_default", MagicMock)  # else it looks for a server
    path = tmp_path / "settings.json"
    path.write_text(argilla_settings(TASK))
    settings = argilla.Settings.from_json(path)
    assert settings.guidelines == TASK.instructions
    assert [field.name for field in settings.fields] == ["text"]
    assert [(q.name, tuple(q.labels)) for q in settings.questions] == [(name, TASK.options) for name in NAMES]
    assert [type(q).__name__ for q in settings.questions] == ["LabelQuestion", "MultiLabelQuestion"]


def label_studio_export(folder):
    """What Label Studio exports for one text and one person."""
    result = [
        {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": said}}
        for name, said in zip(NAMES, (["Toxic"], ["Not toxic", "Toxic"]), strict=True)
    ]
    annotations = [{"id": 1, "completed_by": 7, "was_cancelled": False, "result": result}]
    path = folder / "export.json"
    path.write_text(json.dumps([{"id": 1, "data": {"text": "...", "item": "c1"}, "annotations": annotations}]))
    return path


def argilla_export(folder):
    """What Argilla exports for it."""
    said = dict(zip(NAMES, ("Toxic", ["Not toxic", "Toxic"]), strict=True))
    responses = {name: [{"value": value, "user_id": "7"}] for name, value in said.items()}
    path = folder / "records.json"
    path.write_text(json.dumps([{"id": "c1", "fields": {"text": "..."}, "responses": responses, "suggestions": {}}]))
    return path


@pytest.mark.parametrize("export", [label_studio_export, argilla_export])
def test_both_answers_come_back_as_one_question_asked_in_two_ways(export, tmp_path):
    rows = read(export(tmp_path), task=TASK).rows()
    found = [(row["item"], row["rater"], row["label"], row["elicitation"]) for row in rows]
    assert sorted(found) == [("c1", "7", "Not toxic|Toxic", "response_set"), ("c1", "7", "Toxic", "forced_choice")]


def test_the_command_writes_the_file(tmp_path, capsys):
    out = tmp_path / "config.xml"
    assert main(["import", "example:toxicity", "--to", "label-studio", "-o", str(out)]) == 0
    assert list(choices(out.read_text())) == NAMES
    assert main(["import", "example:toxicity", "--to", "prodigy", "-o", str(out)]) == 2
    assert "--to cannot be 'prodigy': choose one of argilla, label-studio." in capsys.readouterr().err
    assert main(["import", "example:toxicity", "--to", "argilla"]) == 2
    assert "needs a file to write" in capsys.readouterr().err


def test_a_task_that_is_none_is_one_line(tmp_path, capsys):
    path = tmp_path / "task.toml"
    path.write_text('options = ["one"]')
    assert main(["import", str(path), "--to", "argilla", "-o", str(tmp_path / "s.json")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    with pytest.raises(DissensusError, match="at least two options"):
        Task(options=("one",))
