"""A dict of dicts, as JSON or YAML: `{rater: {item: label}}`; for judges `{judge: {item: label}}`, `{item: label}`."""

from collections.abc import Iterator, Mapping

from dissensus.data.formats.collecting import ONLY, Answers
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.sources.json_values import as_label, as_mapping
from dissensus.data.sources.source import Source
from dissensus.errors import OptionError

OUTER, INNER = "outer", "inner"


def _is_flat(value: Mapping[str, object]) -> bool:
    return bool(value) and not any(isinstance(inner, dict) for inner in value.values())


def _recognises(source: Source, plan: ReadPlan) -> bool:
    document = as_mapping(source.document)
    if plan.wants == "judges" and _is_flat(document):
        return True
    inner = list(document.values())
    return (
        bool(inner)
        and all(isinstance(value, dict) and (not value or _is_flat(value)) for value in inner)
        and any(inner)
    )


def _labels(document: Mapping[str, object]) -> Iterator[tuple[str, str, str | None]]:
    for outer, labels in document.items():
        for inner, label in as_mapping(labels).items():
            yield str(outer), str(inner), as_label(label)


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    if plan.item not in {None, OUTER, INNER}:
        raise OptionError(f"{source.name} is a dict of dicts: --item says which keys are items, outer or inner.")
    answers = Answers(source.name, FORMAT.name)
    document = as_mapping(source.document)
    rows = 0
    for row, (outer, inner, label) in enumerate(_labels(document), start=1):
        rows = row
        item, rater = (outer, inner) if plan.item == OUTER else (inner, outer)
        answers.add(ONLY, row, {"item": item, "rater": rater, "label": label})
    turned = "" if plan.item == OUTER else " (--item outer if it is the other way round)"
    taken = {
        "item": f"the {'outer' if plan.item == OUTER else 'inner'} keys{turned}",
        "rater": f"the {'inner' if plan.item == OUTER else 'outer'} keys",
        "label": "the values",
    }
    return answers.ratings(plan, taken, rows=rows)


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    document = as_mapping(source.document)
    stem = source.name.partition(".")[0]
    nested: Mapping[str, object] = {stem: document} if _is_flat(document) else document
    answers = Answers(source.name, FORMAT.name)
    for row, (judge, item, label) in enumerate(_labels(nested), start=1):
        answers.add(ONLY, row, {"item": item, "judge": judge, "label": label})
    taken = {
        "item": "the keys" if nested is not document else "the inner keys",
        "judge": "the name of the file" if nested is not document else "the outer keys",
        "label": "the values",
    }
    return answers.judges(plan, taken)


FORMAT = Format(
    name="dict-of-dicts",
    what="a dict of dicts",
    recognises=_recognises,
    ratings=_ratings,
    judges=_judges,
    is_layout=True,
)
