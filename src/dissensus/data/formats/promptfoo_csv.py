"""promptfoo's CSV: a row per test, and the same few columns again for each pair of provider and prompt."""

import re
from collections.abc import Iterator

from dissensus.data.formats.collecting import Answers
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.formats.promptfoo import judge_name
from dissensus.data.sources.csv_rows import csv_rows
from dissensus.data.sources.source import Source
from dissensus.errors import FileError, OptionError, counted

METRIC = "Metric: "
_PROVIDER = re.compile(r"\[(?P<provider>[^\]]*)\] ")
_PARTS = {"Status": "success", "Score": "score"}


def _header(source: Source) -> list[str]:
    rows = source.head_rows()
    return rows[0] if rows else []


def _recognises(source: Source, _: ReadPlan) -> bool:
    header = _header(source)
    return {"Status", "Score", "Grader Reason"} <= set(header) and any(_PROVIDER.match(cell) for cell in header)


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    header = _header(source)
    starts = [i for i, cell in enumerate(header) if _PROVIDER.match(cell)]
    if not starts:
        raise FileError(f"{source.name} has no column such as '[provider] prompt', as promptfoo's CSV has. Check it.")
    key = plan.item_key or plan.item
    if key is not None and key not in header[: starts[0]]:
        raise OptionError(
            f"{source.name} has no column {key!r} before the outputs: it has {', '.join(header[: starts[0]])}."
        )
    answers = Answers(source.name, FORMAT.name)
    with csv_rows(source.given_file(), ",") as rows:
        numbered = ((row, cells) for row, cells in enumerate(rows, start=1) if row > 1 and any(cells))
        for test, (row, cells) in enumerate(numbered):
            if len(cells) < len(header):
                raise FileError(
                    f"{source.name}, row {row}: {counted(len(cells), 'cell')} where the header has {len(header)}. Mend "
                    "the row, or export it again."
                )
            item = str(test) if key is None else cells[header.index(key)]
            for prompt, (start, end) in enumerate(zip(starts, [*starts[1:], len(header)], strict=True)):
                match = _PROVIDER.match(header[start])
                judge = judge_name(match["provider"] if match else "provider", str(prompt))
                for question, label in _labels(header[start:end], cells[start:end]):
                    answers.add(question, row, {"item": item, "judge": judge, "label": label})
    taken = {
        "item": f"column {key}"
        if key is not None
        else f"the number of the test ({plan.named('item-key')} names a column)",
        "judge": "the provider in the header, and the number of the prompt",
        "label": "the question's column",
    }
    return answers.judges(plan, taken)


def _labels(names: list[str], cells: list[str]) -> Iterator[tuple[str, str]]:
    for i, (name, cell) in enumerate(zip(names, cells, strict=False)):
        question = (
            "output" if i == 0 else _PARTS.get(name, name.removeprefix(METRIC) if name.startswith(METRIC) else "")
        )
        if question and cell:
            yield question, cell.lower() if question == "success" else cell


FORMAT = Format(name="promptfoo-csv", what="promptfoo's CSV output", recognises=_recognises, judges=_judges)
