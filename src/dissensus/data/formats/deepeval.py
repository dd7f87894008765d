"""DeepEval's test runs: each test case with the scores that metrics gave it."""

from dissensus.data.formats.answers import Answers
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.sources.documents import as_list, as_mapping, as_text, reach
from dissensus.data.sources.source import Source


def _cases(source: Source) -> list[object]:
    document = as_mapping(source.document)
    return as_list(document.get("testCases")) or as_list(document.get("test_cases"))


def _metrics(case: object) -> list[object]:
    return as_list(as_mapping(case).get("metricsData")) or as_list(as_mapping(case).get("metrics_data"))


def _recognises(source: Source, _: ReadPlan) -> bool:
    cases = _cases(source)
    return bool(cases) and bool(_metrics(cases[0]))


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
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


FORMATS = (Format(name="deepeval", what="a test run of DeepEval", recognises=_recognises, judges=_judges),)
