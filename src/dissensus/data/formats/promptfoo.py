"""promptfoo's JSON: a result for each test and each pair of provider and prompt."""

from collections.abc import Iterator, Mapping

from dissensus.data.formats.collecting import Answers
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.sources.json_values import as_list, as_mapping, as_text, reach
from dissensus.data.sources.source import Source


def _recognises(source: Source, _: ReadPlan) -> bool:
    results = as_mapping(as_mapping(source.document).get("results"))
    return isinstance(results.get("results"), list) and "version" in results


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    answers = Answers(source.name, FORMAT.name)
    key = plan.item_key or plan.item or "testIdx"
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
        else f"testIdx ({plan.named('item-key')} names another, such as testCase.description)",
        "judge": "provider.id and promptIdx",
        "label": "the question's value",
    }
    return answers.judges(plan, taken)


def judge_name(provider: str, prompt: str) -> str:
    """What a pair of provider and prompt is called."""
    return f"{provider} prompt {prompt}"


def _labels(result: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Whether the test passed, its score, each named score, and what the provider said."""
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


FORMAT = Format(name="promptfoo", what="promptfoo's JSON output", recognises=_recognises, judges=_judges)
