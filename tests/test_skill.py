"""The skill for coding agents: it is a skill, and its commands and its Python run as they stand."""

import csv
import re
import shlex
from pathlib import Path

import pytest
import yaml

from dissensus.cli.main import COMMANDS, main
from dissensus.data.paths import example_path

SKILL = Path(__file__).resolve().parents[1] / "skills" / "dissensus" / "SKILL.md"
TEXT = SKILL.read_text(encoding="utf-8")
LINES = sorted(
    set(re.findall(r"^ *(dissensus .+)$", TEXT, re.MULTILINE)) | set(re.findall(r"\| `(dissensus .+)` \|", TEXT))
)
FEW_ITEMS = 80
QUICK = ("--bootstrap", "10")
WITHOUT = {"alt-test", "doctor", "plan", "items", "prevalence"}
"""Commands without intervals by bootstrap."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that the skill speaks of: bundled ones, and one with people and judges side by side."""
    where = tmp_path_factory.mktemp("skill")
    for name in ("ratings.csv", "judges.csv"):
        header, *rows = (example_path("binary") / name).read_text(encoding="utf-8").splitlines(keepends=True)
        few = sorted({row.split(",")[0] for row in rows})[:FEW_ITEMS]
        (where / name).write_text(header + "".join(row for row in rows if row.split(",")[0] in few), encoding="utf-8")
    with (where / "both.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "human_1", "human_2", "human_3", "gpt-4o"])
        for i in range(30):
            said = ["yes" if (i * j) % 3 else "no" for j in (1, 2, 4)]
            writer.writerow([i, *said, said[i % 3]])
    return where


@pytest.mark.parametrize("line", LINES)
def test_a_command_of_the_skill_runs(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    words = shlex.split(line)[1:]
    quick = () if words[0] in WITHOUT else QUICK
    assert main([*words, *quick]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out


def test_the_python_of_the_skill_runs(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    [code] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(code.replace('"judges.csv")', '"judges.csv", bootstrap=20)'), {})  # noqa: S102 - our own skill
    assert capsys.readouterr().out.strip()


def test_the_head_says_its_name_and_when_to_use_it():
    head = yaml.safe_load(TEXT.split("---\n")[1])
    assert head["name"] == SKILL.parent.name
    assert 50 < len(head["description"]) <= 1024
    assert set(head) == {"name", "description"}


def test_every_command_that_answers_a_question_is_named():
    others = {
        "apply",
        "collect",
        "demo",
        "doctor",
        "history",
        "import",
        "rate",
        "report",
        "reproduce",
        "serve",
        "simulate",
    }
    named = {line.split()[1] for line in LINES}
    assert {name.split()[0] for name in COMMANDS} - others <= named
