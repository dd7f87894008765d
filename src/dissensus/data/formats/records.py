"""Records within records: `{"id": 1, "annotations": [{"annotator": "ann", "label": "yes"}]}`, or a label by rater."""

import json
from collections.abc import Mapping, Sequence

from dissensus.data.columns import called, find_column
from dissensus.data.formats.answers import ID_NAMES, ONLY, Answers, loaded_texts, texts_of
from dissensus.data.formats.plan import Format, RawRatings, ReadPlan
from dissensus.data.layout import is_named, named_otherwise
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, OptionError, listed, named

SAMPLED = 100
HOLDERS = frozenset({"annotations", "annotation", "ratings", "labels", "votes", "judgments", "judgements", "answers",
                     "responses", "scores", "reviews"})  # fmt: skip
"""What a column is called that holds what all raters said of an item."""

WHO = frozenset({"by", "who", "name", "person", "from"})
"""What the rater is called within a rating, where nothing else has a name."""


def _holder(source: Source) -> str | None:
    """The column that holds a record per rating, or a label by rater."""
    if source.kind not in {"json", "jsonl", "frame", "parquet"} or source.sheet is None:
        return None
    cells = source.sheet.load(source.columns)
    for name, column in cells.columns.items():
        first = [text for text in texts_of(column, len(cells.row))[:SAMPLED] if text is not None]
        values = [_parsed(text) for text in first]
        if values and name.strip().lower() in HOLDERS and all(map(_has_ratings, values)):
            return name
    return None


def _parsed(text: str) -> object:
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def _has_ratings(value: object) -> bool:
    if isinstance(value, dict):
        records = [inner for inner in value.values() if isinstance(inner, dict)]
        return bool(value) and (
            not records or (len(records) == len(value) and all(_key(one, "label") for one in records))
        )
    return isinstance(value, list) and all(isinstance(one, dict) and _key(one, "label") for one in value)


def _key(record: Mapping[str, object], role: str) -> str | None:
    """The key of a record that plays a role."""
    named_so = next((key for key in record if is_named(key, role)), None)
    return named_so or next((key for key in record if role == "rater" and key.strip().lower() in WHO), None)


def _recognises(source: Source, plan: ReadPlan) -> bool:
    return plan.label is None and not plan.wide and bool(source.columns) and _holder(source) is not None


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet, holder = source.table(), _holder(source)
    if holder is None:
        raise ColumnError(
            f"{source.name} has no column of records of ratings such as annotations. Name another format."
        )
    item = find_column(sheet, "item", plan.item_path) or named_otherwise(sheet, {"label": holder}, ("item",)).get(
        "item"
    )
    others = [column for column in sheet.columns if column != holder]
    cells, texts = loaded_texts(sheet, [holder, *([item] if item else others)])
    answers = Answers(source.name, "records")
    place = ""
    for i, row in enumerate(cells.row.tolist()):
        place, name = (item, texts[item][i]) if item else _nested_id({name: texts[name][i] for name in others}, row)
        ratings = _entries(_parsed(texts[holder][i] or ""))
        if not ratings:
            answers.tally.add("record without a rating")
        for question, rater, label in ratings:
            answers.add(question, row, {"item": name, "rater": rater, "label": label})
    if not place:
        option = named("item_key", of="read")
        raise OptionError(f"{source.name}: name the key of the items with {option}. Keys found: {listed(others)}.")
    taken = {"item": called(place), "rater": f"in {holder}", "label": f"in {holder}"}
    return answers.ratings(plan, taken, rows=len(cells.row))


def _nested_id(record: Mapping[str, str | None], row: int) -> tuple[str, str | None]:
    """Where the id of a record stands within another one, and the id; an empty place where there is none."""
    for column, text in record.items():
        inner = as_mapping(_parsed(text or ""))
        key = next((key for key in ID_NAMES if key in inner), None)
        if key is not None:
            return f"{column}.{key}", as_text(inner[key])
    return "", str(row)


def _entries(value: object) -> Sequence[tuple[str, str | None, str | None]]:
    """Question, rater and label of each rating in a record."""
    if isinstance(value, dict):
        return [(ONLY, str(rater), as_label(_given(label))) for rater, label in value.items()]
    entries = []
    for one in map(as_mapping, as_list(value)):
        label, rater, question = (_key(one, role) for role in ("label", "rater", "question"))
        who = None if rater is None else one[rater]
        name = as_text(as_mapping(who).get("id")) or as_text(as_mapping(who).get("name")) or as_text(who)
        asked = as_text(one[question]) or ONLY if question else ONLY
        entries.append((asked, name, None if label is None else as_label(one[label])))
    return entries


def _given(answer: object) -> object:
    """The label of a record about one rater, or the label itself."""
    key = _key(as_mapping(answer), "label")
    return answer if key is None else as_mapping(answer)[key]


FORMATS = (
    Format(
        name="records", what="records with a list of ratings in each", recognises=_recognises, ratings=_ratings,
        is_layout=True,
    ),
)  # fmt: skip
