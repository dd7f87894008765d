"""promptfoo's output, as JSON or CSV: a result for each test and each pair of provider and prompt."""

import re
from collections.abc import Iterator, Mapping

from dissensus.data.formats.answers import Answers
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.sources.csv_rows import csv_rows
from dissensus.data.sources.documents import as_list, as_mapping, as_text, reach
from dissensus.data.sources.source import Source
from dissensus.errors import FileError, OptionError, counted


def _recognises(source: Source, _: ReadPlan) -> bool:
    results = as_mapping(as_mapping(source.document).get("results"))
    return isinstance(results.get("results"), list) and "version" in results


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers = Answers(source.name, "promptfoo")
    key = plan.item_path or "testIdx"
    for row, result in enumerate(map(as_mapping, as_list(reach(source.document, "results.results"))), start=1):
        if as_text(result.get("error")) is not None and "gradingResult" not in result:
            answers.tally.add("result that is an error", several="results that are errors")
            continue
        judge = judge_name(as_text(reach(result, "provider.id")) or "provider", as_text(result.get("promptIdx")) or "0")
        for question, label in _labels(result):
            answers.add(question, row, {"item": as_text(reach(result, key)), "judge": judge, "label": label})
    taken = {
        "item": key
        if key != "testIdx"
        else f"testIdx ({plan.named('item_key')} names another, such as testCase.description)",
        "judge": "provider.id and promptIdx",
        "label": "the question's value",
    }
    return answers.judges(plan, taken)


def judge_name(provider: str, prompt: str) -> str:
    """What a pair of provider and prompt is called."""
    return f"{provider} prompt {prompt}"


def _labels(result: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Whether the test passed, its score, each named score, and the provider's output."""
    success = result.get("success")
    if isinstance(success, bool):
        yield "success", "pass" if success else "fail"
    score = as_text(result.get("score"))
    if score is not None:
        yield "score", score
    for name, value in as_mapping(result.get("namedScores")).items():
        label = as_text(value)
        if label is not None:
            yield name, label
    output = as_text(reach(result, "response.output"))
    if output is not None:
        yield "output", output


# ---- CSV: a row per test, and the same few columns again for each pair of provider and prompt

METRIC = "Metric: "
_PROVIDER = re.compile(r"\[(?P<provider>[^\]]*)\] ")
_PARTS = {"Status": "success", "Score": "score"}


def _header(source: Source) -> list[str]:
    rows = source.head_rows()
    return rows[0] if rows else []


def _recognises_csv(source: Source, _: ReadPlan) -> bool:
    header = _header(source)
    return {"Status", "Score", "Grader Reason"} <= set(header) and any(_PROVIDER.match(cell) for cell in header)


def _csv_judges(source: Source, plan: ReadPlan) -> RawJudges:
    header = _header(source)
    starts = [i for i, cell in enumerate(header) if _PROVIDER.match(cell)]
    if not starts:
        raise FileError(f"{source.name} has no column such as '[provider] prompt', as promptfoo's CSV has. Check it.")
    key = plan.item_path
    if key is not None and key not in header[: starts[0]]:
        raise OptionError(
            f"{source.name} has no column {key!r} before the outputs: it has {', '.join(header[: starts[0]])}."
        )
    answers = Answers(source.name, "promptfoo-csv")
    with csv_rows(source.given_file(), ",") as rows:
        numbered = ((row, cells) for row, cells in enumerate(rows, start=1) if row > 1 and any(cells))
        for test, (row, cells) in enumerate(numbered):
            if len(cells) < len(header):
                raise FileError(
                    f"{source.name}, row {row}: {counted(len(cells), 'cell')} where the header has {len(header)}. Fix "
                    "the row, or export it again."
                )
            item = str(test) if key is None else cells[header.index(key)]
            for prompt, (start, end) in enumerate(zip(starts, [*starts[1:], len(header)], strict=True)):
                match = _PROVIDER.match(header[start])
                judge = judge_name(match["provider"] if match else "provider", str(prompt))
                for question, label in _csv_labels(header[start:end], cells[start:end]):
                    answers.add(question, row, {"item": item, "judge": judge, "label": label})
    taken = {
        "item": f"column {key}"
        if key is not None
        else f"the number of the test ({plan.named('item_key')} names a column)",
        "judge": "the provider in the header, and the number of the prompt",
        "label": "the question's column",
    }
    return answers.judges(plan, taken)


def _csv_labels(names: list[str], cells: list[str]) -> Iterator[tuple[str, str]]:
    for i, (name, cell) in enumerate(zip(names, cells, strict=False)):
        question = (
            "output" if i == 0 else _PARTS.get(name, name.removeprefix(METRIC) if name.startswith(METRIC) else "")
        )
        if question and cell:
            yield question, cell.lower() if question == "success" else cell


FORMATS = (
    Format(name="promptfoo", what="promptfoo's JSON output", recognises=_recognises, judges=_judges),
    Format(name="promptfoo-csv", what="promptfoo's CSV output", recognises=_recognises_csv, judges=_csv_judges),
)
