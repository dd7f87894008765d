"""lm-eval's samples: the log-probability of each answer, written as text, or the text that was generated."""

import math
import re
from collections.abc import Mapping

from dissensus.data.formats.answers import ONLY, Answers
from dissensus.data.formats.plan import Format, RawJudges, ReadPlan
from dissensus.data.labels import number
from dissensus.data.sources.documents import as_list, as_mapping, as_text, reach
from dissensus.data.sources.source import Source

_DATED = re.compile(r"samples_.*_\d{4}-\d\d-\d\dT.*")


def _recognises(source: Source, _: ReadPlan) -> bool:
    return {"doc_id", "resps", "filtered_resps"} <= as_mapping(source.first).keys()


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
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


FORMATS = (Format(name="lm-eval", what="samples of lm-eval", recognises=_recognises, judges=_judges),)
