"""Logs of tools that evaluate models: DeepEval, Inspect, lm-eval, MLflow, promptfoo."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dissensus.data.formats.answers import ONLY, Answers, ItemKeys
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.labels import SEPARATOR, number
from dissensus.data.sources.csv_rows import csv_rows
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text, parsed_json, reach
from dissensus.data.sources.source import TRACES, Source
from dissensus.errors import FileError, OptionError, counted

if TYPE_CHECKING:
    from dissensus.data.sources.workbooks import Archive

# ---- DeepEval's test runs: each test case with the scores that metrics gave it


def _cases(source: Source) -> list[object]:
    document = as_mapping(source.document)
    return as_list(document.get("testCases")) or as_list(document.get("test_cases"))


def _metrics(case: object) -> list[object]:
    return as_list(as_mapping(case).get("metricsData")) or as_list(as_mapping(case).get("metrics_data"))


def _deepeval_recognises(source: Source, _: ReadPlan) -> bool:
    cases = _cases(source)
    return bool(cases) and bool(_metrics(cases[0]))


def _deepeval_judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers = Answers(source.name, "deepeval")
    key = plan.item_path or "name"
    for row, case in enumerate(_cases(source), start=1):
        item = as_text(reach(case, key)) or str(row)
        for metric in map(as_mapping, _metrics(case)):
            judge = as_text(metric.get("evaluationModel")) or as_text(metric.get("evaluation_model")) or "deepeval"
            question = as_text(metric.get("name")) or "metric"
            label = as_text(metric.get("score"))
            if label is None:
                answers.tally.add("metric without a score")
            else:
                answers.add(question, row, {"item": item, "judge": judge, "label": label})
    taken = {"item": key, "judge": "evaluationModel", "label": "score"}
    return answers.judges(plan, taken)


# ---- Inspect's logs, `.eval` or JSON: scores of one or several scorers, for one or several epochs

VALUE, ANSWER = "value", "answer"
"""The questions of a log: what the scorers say, and what the model under test answered."""


def _inspect_recognises(source: Source, _: ReadPlan) -> bool:
    return source.kind == "archive" or {"eval", "version"} <= as_mapping(source.document).keys()


def _inspect_judges(source: Source, plan: ReadPlan) -> RawJudges:
    header, samples = _log(source)
    model = as_text(reach(header, "eval.model")) or "model"
    answers = Answers(source.name, "inspect")
    asks_value = False
    for row, sample in enumerate(samples, start=1):
        item = as_text(reach(sample, plan.item_path or "id"))
        scores = as_mapping(sample.get("scores"))
        if not scores:
            answers.tally.add("sample without a score")
        for scorer, given in scores.items():
            score = as_mapping(given)
            who = {"item": item, "sample": as_text(sample.get("epoch"))}
            for question, label in _values(score.get("value"), answers):
                asks_value = asks_value or question == VALUE
                answers.add(question, row, {**who, "judge": scorer, "label": label})
            answer = _chosen(as_text(score.get("answer")), sample)
            if answer is not None:
                judge = model if len(scores) == 1 else f"{model} ({scorer})"
                answers.add(ANSWER, row, {**who, "judge": judge, "label": answer})
    taken = {
        "item": plan.item_path or "id of the sample",
        "judge": f"the model {model}" if plan.question == ANSWER else "the name of the scorer",
        "label": "scores.answer" if plan.question == ANSWER else "scores.value",
        "repeat": "epoch",
    }
    # What a scorer says is the label unless the user wants what the model answered.
    chosen = VALUE if plan.question is None and asks_value else plan.question
    return answers.judges(replace(plan, question=chosen), taken)


def _values(value: object, answers: Answers) -> Iterator[tuple[str, str]]:
    """A score, or each of the scores in an object."""
    for name, inner in (as_mapping(value) or {VALUE: value}).items():
        label = as_label(inner)
        if label is not None:
            yield name, label
        else:
            what = "it" if inner is value else name
            answers.tally.add("score without a value", why=f"{what} is empty or NaN")


def _chosen(answer: str | None, sample: Mapping[str, object]) -> str | None:
    """The answer; letters of a multiple choice become the choices they stand for."""
    choices = [as_text(choice) for choice in as_list(sample.get("choices"))]
    if answer is None or not choices:
        return answer
    letters = [part.strip() for part in answer.split(",")]
    places = [ord(letter) - ord("A") if len(letter) == 1 else -1 for letter in letters]
    if not all(0 <= place < len(choices) for place in places):
        return answer
    return SEPARATOR.join(choices[place] or letter for place, letter in zip(places, letters, strict=True))


def _log(source: Source) -> tuple[object, Iterator[Mapping[str, object]]]:
    """Header and samples of a log."""
    if source.kind != "archive":
        return source.document, map(as_mapping, as_list(as_mapping(source.document).get("samples")))
    archive = source.archive()
    names = archive.names()
    header = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
    if header is None:
        raise FileError(
            f"{source.name} is a ZIP archive, but no log of Inspect: it has no header.json. Export it again."
        )
    return _member(archive, header), _samples(archive, names)


def _samples(archive: "Archive", names: list[str]) -> Iterator[Mapping[str, object]]:
    """The samples: in the small file of summaries, in the journal of an unfinished log, or one by one."""
    journal = [name for name in names if name.startswith("_journal/summaries/")]
    single = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    for name in ["summaries.json"] if "summaries.json" in names else journal or single:
        content = _member(archive, name)
        yield from map(as_mapping, content if isinstance(content, list) else [content])


def _member(archive: "Archive", name: str) -> object:
    return parsed_json(archive.read(name).decode("utf-8", errors="replace"), f"{archive.name}, {name}")


# ---- lm-eval's samples: the log-probability of each answer, written as text, or the text that was generated

_DATED = re.compile(r"samples_.*_\d{4}-\d\d-\d\dT.*")


def _lm_eval_recognises(source: Source, _: ReadPlan) -> bool:
    return {"doc_id", "resps", "filtered_resps"} <= as_mapping(source.first).keys()


def _lm_eval_judges(source: Source, plan: ReadPlan) -> RawJudges:
    path = source.given_file().path
    stem = path.name.partition(".json")[0]
    # lm-eval puts the samples of each model into a folder of its own, named like the model.
    judge = path.resolve().parent.name if _DATED.fullmatch(stem) else stem
    key = plan.item_path or "doc_id"
    records = [(row, as_mapping(record)) for row, record in source.records()]
    choices = {_choices(record) for _, record in records}
    filters = {as_text(record.get("filter")) for _, record in records}
    answers = Answers(source.name, "lm-eval")
    for row, record in records:
        question = (as_text(record.get("filter")) or "none") if len(filters) > 1 else ONLY
        who = {"item": as_text(reach(record, key)), "judge": judge}
        if _choices(record):
            options = _choices(record) if len(choices) == 1 else tuple(map(str, range(len(_choices(record)))))
            cells = _probabilities(record, options)
            if cells is None:
                answers.tally.add("document without log-probabilities")
            else:
                answers.add(question, row, {**who, "sample": "0", **cells})
        else:
            for sample, text in enumerate(_generated(record)):
                answers.add(question, row, {**who, "sample": str(sample), "label": text})
    taken = {
        "item": key,
        "judge": "the name of the folder" if _DATED.fullmatch(stem) else "the name of the file",
        "label": "filtered_resps: the most likely answer, and the probability of each",
    }
    several = "The documents have different answers: labels are their numbers, from 0."
    return answers.judges(plan, taken, warnings=(several,) if len(choices - {()}) > 1 else ())


def _choices(record: Mapping[str, object]) -> tuple[str, ...]:
    """The answers whose probability was asked for; none if the model was to generate text."""
    asked = [as_mapping(request) for request in as_mapping(record.get("arguments")).values()]
    answers = [as_text(request.get("arg_1")) for request in asked]
    is_scored = any(isinstance(response, list) for response in as_list(record.get("filtered_resps")))
    return tuple((answer or "").strip() for answer in answers) if is_scored and len(answers) > 1 else ()


def _probabilities(record: Mapping[str, object], options: tuple[str, ...]) -> dict[str, str] | None:
    """The probability of each answer among those that were asked for, and the most likely one."""
    logs = [number(as_text(next(iter(as_list(r)), None)) or "") for r in as_list(record.get("filtered_resps"))]
    if len(logs) != len(options) or any(log is None for log in logs):
        return None
    known = [log for log in logs if log is not None]
    highest = max(known)
    weights = [math.exp(log - highest) for log in known]
    shares = [weight / math.fsum(weights) for weight in weights]
    return {"label": options[known.index(highest)], **{f"p_{o}": repr(p) for o, p in zip(options, shares, strict=True)}}


def _generated(record: Mapping[str, object]) -> list[str | None]:
    return [text.strip() if text is not None else None for text in map(as_text, as_list(record.get("filtered_resps")))]


# ---- MLflow's traces: assessments of people are ratings, those of LLM judges and of code are judges' answers

PEOPLE = frozenset({"HUMAN"})
JUDGES = frozenset({"LLM_JUDGE", "AI_JUDGE", "CODE"})
NOBODY = frozenset({"default", "unknown"})  # what MLflow writes where nobody says who it was


def _mlflow_recognises(source: Source, _: ReadPlan) -> bool:
    first = _trace(next(iter(as_list(as_mapping(source.first).get(TRACES))), source.first))
    return "trace_id" in first and isinstance(first.get("assessments"), list)


def _trace(record: object) -> Mapping[str, object]:
    """What a trace says about itself, with or without its spans beside it."""
    found = as_mapping(record)
    return as_mapping(found["info"]) if "info" in found and "trace_id" not in found else found


def _traces(source: Source) -> Iterator[tuple[int, Mapping[str, object]]]:
    if source.is_document:
        records: Iterator[tuple[int, object]] = enumerate(as_list(as_mapping(source.document).get(TRACES)), start=1)
    else:
        records = source.records()
    for row, record in records:
        yield row, _trace(record)


class _Taken:
    """The assessments of some kinds of source, with what is said about them."""

    def __init__(self, source: Source, plan: ReadPlan, kinds: frozenset[str], who: str) -> None:
        self.answers = Answers(source.name, "mlflow")
        self.items = ItemKeys(source.name, plan, own=["client_request_id"], fallback="trace_id")
        self._of_spans, self._kinds, self._who = 0, kinds, who
        for row, trace in _traces(source):
            item = self.items.add(trace)
            given = map(as_mapping, as_list(trace.get("assessments")))
            for assessment in sorted(given, key=lambda one: str(one.get("create_time"))):
                self._add(row, item, assessment)

    def _add(self, row: int, item: str, assessment: Mapping[str, object]) -> None:
        source = as_mapping(assessment.get("source"))
        if as_text(source.get("source_type")) not in self._kinds:
            return
        given = as_mapping(assessment.get("feedback")) or as_mapping(assessment.get("expectation"))
        label = as_label(given.get("value"))
        if as_text(assessment.get("valid")) == "false":
            self.answers.tally.add("assessment that a later one replaces")
        elif label is None:
            self.answers.tally.add("assessment without a label", why="it failed, or its value is not a label")
        else:
            self._of_spans += as_text(assessment.get("span_id")) is not None
            name = as_text(source.get("source_id"))
            who = None if self._who == "rater" and name in NOBODY else name
            cells = {"item": item, self._who: who, "label": label}
            self.answers.add(as_text(assessment.get("assessment_name")) or "", row, cells)

    def warnings(self) -> tuple[str, ...]:
        about = counted(self._of_spans, "assessment is about a span", "assessments are about spans")
        return (f"{about}: taken as about the whole trace.",) if self._of_spans else ()

    def words(self) -> dict[str, str]:
        return {"item": self.items.taken, self._who: "source.source_id", "label": "feedback.value"}


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    found = _Taken(source, plan, PEOPLE, "rater")
    return found.answers.ratings(plan, found.words(), warnings=found.warnings(), items=found.items)


def _mlflow_judges(source: Source, plan: ReadPlan) -> RawJudges:
    found = _Taken(source, plan, JUDGES, "judge")
    return found.answers.judges(plan, found.words(), warnings=found.warnings(), items=found.items)


# ---- promptfoo's output, as JSON or CSV: a result for each test and each pair of provider and prompt


def _promptfoo_recognises(source: Source, _: ReadPlan) -> bool:
    results = as_mapping(as_mapping(source.document).get("results"))
    return isinstance(results.get("results"), list) and "version" in results


def _promptfoo_judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers = Answers(source.name, "promptfoo")
    key = plan.item_path or "testIdx"
    for row, result in enumerate(map(as_mapping, as_list(reach(source.document, "results.results"))), start=1):
        if as_text(result.get("error")) is not None and "gradingResult" not in result:
            answers.tally.add("result that is an error", several="results that are errors")
            continue
        judge = judge_name(as_text(reach(result, "provider.id")) or "provider", as_text(result.get("promptIdx")) or "0")
        for question, label in _labels(result):
            answers.add(question, row, {"item": as_text(reach(result, key)), "judge": judge, "label": label})
    other = f" ({plan.named('item_key')} names another, such as testCase.description)"
    taken = {
        "item": f"{key}{other * (key == 'testIdx')}",
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
    number = f"the number of the test ({plan.named('item_key')} names a column)"
    taken = {
        "item": number if key is None else f"column {key}",
        "judge": "the provider in the header, and the number of the prompt",
        "label": "the question's column",
    }
    return answers.judges(plan, taken)


def _csv_labels(names: list[str], cells: list[str]) -> Iterator[tuple[str, str]]:
    for i, (name, cell) in enumerate(zip(names, cells, strict=False)):
        metric = name.removeprefix(METRIC) if name.startswith(METRIC) else ""
        question = "output" if i == 0 else _PARTS.get(name, metric)
        if question and cell:
            yield question, cell.lower() if question == "success" else cell


FORMATS = (
    Format(name="deepeval", what="a test run of DeepEval", recognises=_deepeval_recognises, judges=_deepeval_judges),
    Format(name="inspect", what="a log of Inspect", recognises=_inspect_recognises, judges=_inspect_judges),
    Format(name="lm-eval", what="samples of lm-eval", recognises=_lm_eval_recognises, judges=_lm_eval_judges),
    Format(
        name="mlflow", what="MLflow's traces", recognises=_mlflow_recognises, ratings=_ratings, judges=_mlflow_judges
    ),
    Format(
        name="promptfoo", what="promptfoo's JSON output", recognises=_promptfoo_recognises, judges=_promptfoo_judges
    ),
    Format(name="promptfoo-csv", what="promptfoo's CSV output", recognises=_recognises_csv, judges=_csv_judges),
)
