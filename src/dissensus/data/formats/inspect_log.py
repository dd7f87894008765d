"""Inspect's logs, `.eval` or JSON: scores of one or several scorers, for one or several epochs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from dissensus.data.formats.answers import Answers
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.labels import SEPARATOR
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text, parsed_json, reach
from dissensus.data.sources.source import Source
from dissensus.data.sources.workbooks import Archive
from dissensus.errors import FileError

VALUE, ANSWER = "value", "answer"
"""The questions of a log: what the scorers say, and what the model under test answered."""


def _recognises(source: Source, _: ReadPlan) -> bool:
    return source.kind == "archive" or {"eval", "version"} <= as_mapping(source.document).keys()


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
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
    for name, inner in as_mapping(value).items():
        label = as_label(inner)
        if label is not None:
            yield name, label
        else:
            answers.tally.add("score without a value", why=f"{name} is empty or NaN")
    label = as_label(value)
    if label is not None:
        yield VALUE, label
    elif not as_mapping(value):
        answers.tally.add("score without a value", why="it is empty or NaN")


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
    if "header.json" not in names and "_journal/start.json" not in names:
        raise FileError(
            f"{source.name} is a ZIP archive, but no log of Inspect: it has no header.json. Export it again."
        )
    header = _member(archive, "header.json" if "header.json" in names else "_journal/start.json")
    return header, _samples(archive, names)


def _samples(archive: Archive, names: list[str]) -> Iterator[Mapping[str, object]]:
    """The samples: in the small file of summaries, in the journal of an unfinished log, or one by one."""
    journal = [name for name in names if name.startswith("_journal/summaries/")]
    single = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    for name in ["summaries.json"] if "summaries.json" in names else journal or single:
        content = _member(archive, name)
        yield from map(as_mapping, content if isinstance(content, list) else [content])


def _member(archive: Archive, name: str) -> object:
    return parsed_json(archive.read(name).decode("utf-8", errors="replace"), f"{archive.name}, {name}")


FORMATS = (Format(name="inspect", what="a log of Inspect", recognises=_recognises, judges=_judges),)
