"""Values within values: records in a record, a list of labels in a cell, a dict of dicts."""

import json
from collections.abc import Iterator, Mapping, Sequence

from dissensus.data.columns import called, find_column, likely_match, shown_columns
from dissensus.data.formats.answers import ID_NAMES, ONLY, Answers, loaded_texts, texts_of
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.layout import is_named, named_otherwise
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text, entries_in, list_in
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, OptionError, listed, named

# ---- Values within values: a list of labels in a cell, a dict of dicts

NESTED_SAMPLED = 200
LABELS = frozenset({"label", "labels", "annotations", "ratings"})
RATERS = ("rater", "worker", "annotator", "user", "coder", "labeler")
"""What the names of columns of raters have in them."""

Lists = dict[str, list[list[object] | None]]


def list_columns(source: Source, names: Sequence[str]) -> Lists:
    """The columns whose first filled cells are all lists, with these lists; asked of the first rows only."""
    if source.sheet is None:
        return {}
    cells = source.sheet.load(names)
    columns = {}
    for name, column in cells.columns.items():
        texts = texts_of(column, len(cells.row))[:NESTED_SAMPLED]
        if any(texts) and all(text is None or text.lstrip().startswith("[") for text in texts):
            lists = [list_in(text) for text in texts]
            if all(entry is not None for entry, text in zip(lists, texts, strict=True) if text is not None):
                columns[name] = lists
    return columns


def _has_lists(source: Source, plan: ReadPlan) -> bool:
    """Lists of labels, and not response sets: a label comes twice in a cell, or another column lists the raters."""
    has_header = bool(source.columns) and not any(column.startswith("[") for column in source.columns)
    if not has_header or plan.wide:
        return False
    columns = list_columns(source, _candidates(source, plan))
    label = _label_column(plan, columns)
    if label is None:
        return False
    has_twice = any(len({str(e) for e in cell}) < len(cell) for cell in columns[label] if cell)
    return has_twice or _rater_column(plan, columns, label) is not None


def _candidates(source: Source, plan: ReadPlan) -> list[str]:
    """The columns to look into: where one is the label's, it and those named like raters; a long text stays unread."""
    lower = {column.strip().lower(): column for column in source.columns}
    label = plan.label or lower.get("label")
    if label is None:
        return list(source.columns)
    return [column for column in source.columns if column in {label, plan.rater} or _names_raters(column)]


def _label_column(plan: ReadPlan, columns: Lists) -> str | None:
    if plan.label is not None:
        return plan.label if plan.label in columns else None
    names = [name for name in columns if not _names_raters(name)] or list(columns)
    exact = [name for name in names if name.lower() in LABELS]
    likely = likely_match(names, "label")
    return exact[0] if exact else likely or (names[0] if len(names) == 1 else None)


def _names_raters(name: str) -> bool:
    return any(word in name.lower() for word in RATERS)


def _rater_column(plan: ReadPlan, columns: Lists, label: str) -> str | None:
    """The column whose lists are as long as those of the labels in every row: named like raters, or nobody twice."""
    if plan.rater is not None:
        return plan.rater if plan.rater in columns else None
    for name in sorted((name for name in columns if name != label), key=_names_raters, reverse=True):
        pairs = list(zip(columns[name], columns[label], strict=True))
        is_as_long = all(len(a or []) == len(b or []) for a, b in pairs)
        if is_as_long and (_names_raters(name) or all(len(set(map(str, a))) == len(a) for a, _ in pairs if a)):
            return name
    return None


def _listed_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    sheet = source.table()
    columns = list_columns(source, _candidates(source, plan))
    label = _label_column(plan, columns)
    if label is None:
        hint = f"Columns found: {shown_columns(sheet)}. Name it with {named('label', of='read')}."
        raise ColumnError(f"{source.name} has no column of lists of labels. {hint}")
    rater = _rater_column(plan, columns, label)
    others = [column for column in sheet.columns if column != label]
    item = find_column(sheet, "item", plan.item or plan.item_key) or likely_match(others, "item")
    if item is None:
        hint = f"{named('item', of='read')}. Columns found: {shown_columns(sheet)}."
        raise ColumnError(f"{source.name}: name the column of the items with {hint}")
    cells, texts = loaded_texts(sheet, [item, label, *([] if rater is None else [rater])])
    answers = Answers(source.name, "lists")
    for i, row in enumerate(cells.row.tolist()):
        where = f"{source.name}, row {row}"
        labels = entries_in(texts[label][i], f"{where}: {label}")
        raters = [None] * len(labels) if rater is None else entries_in(texts[rater][i], f"{where}: {rater}")
        if len(raters) != len(labels):
            raise ColumnError(
                f"{where}: {len(labels)} labels in {label} and {len(raters)} raters in {rater}. Fix "
                f"the row, or name another column with {named('rater', of='read')}."
            )
        if not labels:
            answers.tally.add("row without a label in its list", several="rows without a label in their list")
        for who, answer in zip(raters, labels, strict=True):
            answers.add(ONLY, row, {"item": texts[item][i], "rater": as_text(who), "label": as_label(answer)})
    taken = {"item": called(item), "label": f"each entry of the lists in column {label}"}
    taken |= {} if rater is None else {"rater": f"the entries of the lists in column {rater}"}
    others = [name for name in columns if name not in {label, rater}]
    notes = (f"Not read, though they hold lists, too: {listed(others)}.",) if others else ()
    return answers.ratings(plan, taken, rows=len(cells.row), warnings=notes)


# ---- A dict of dicts

OUTER, INNER = "outer", "inner"


def _is_flat(value: Mapping[str, object]) -> bool:
    return bool(value) and not any(isinstance(inner, dict) for inner in value.values())


def _has_dicts(source: Source, plan: ReadPlan) -> bool:
    document = as_mapping(source.document)
    if plan.wants == "judges" and _is_flat(document):
        return True
    inner = list(document.values())
    return any(inner) and all(isinstance(value, dict) and (not value or _is_flat(value)) for value in inner)


def _labels(document: Mapping[str, object]) -> Iterator[tuple[str, str, str | None]]:
    for outer, labels in document.items():
        for inner, label in as_mapping(labels).items():
            yield str(outer), str(inner), as_label(label)


def _dict_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    if plan.item not in {None, OUTER, INNER}:
        raise OptionError(
            f"{source.name} is a dict of dicts: {named('item', of='read')} says which keys are items, outer or inner."
        )
    answers = Answers(source.name, "dict-of-dicts")
    document = as_mapping(source.document)
    found = list(_labels(document))
    # Items outnumber raters nearly always.
    most = OUTER if len({row[0] for row in found}) > len({row[1] for row in found}) else INNER
    keys = plan.item or most
    for row, (outer, inner, label) in enumerate(found, start=1):
        item, rater = (outer, inner) if keys == OUTER else (inner, outer)
        answers.add(ONLY, row, {"item": item, "rater": rater, "label": label})
    rows, others = len(found), INNER if keys == OUTER else OUTER
    turned = "" if plan.item is not None else f" ({named('item', of='read')} {others} if it is reversed)"
    taken = {"item": f"the {keys} keys{turned}", "rater": f"the {others} keys", "label": "the values"}
    return answers.ratings(plan, taken, rows=rows)


def _dict_judges(source: Source, plan: ReadPlan) -> RawJudges:
    document = as_mapping(source.document)
    stem = source.name.partition(".")[0]
    nested: Mapping[str, object] = {stem: document} if _is_flat(document) else document
    answers = Answers(source.name, "dict-of-dicts")
    for row, (judge, item, label) in enumerate(_labels(nested), start=1):
        answers.add(ONLY, row, {"item": item, "judge": judge, "label": label})
    taken = {
        "item": "the keys" if nested is not document else "the inner keys",
        "judge": "the name of the file" if nested is not document else "the outer keys",
        "label": "the values",
    }
    return answers.judges(plan, taken)


# ---- Records within records: `{"id": 1, "annotations": [{"annotator": "ann", "label": "yes"}]}`, or by rater

RECORDS_SAMPLED = 100
HOLDERS = frozenset({"annotations", "annotation", "ratings", "labels", "votes", "judgments", "judgements", "answers",
                     "responses", "scores", "reviews"})  # fmt: skip
"""What a column is called that holds what all raters said about an item."""

WHO = frozenset({"by", "who", "name", "person", "from"})
"""What the rater is called within a rating, where nothing else has a name."""


def _holder(source: Source) -> str | None:
    """The column that holds a record per rating, or a label by rater."""
    if source.kind not in {"json", "jsonl", "frame", "parquet"} or source.sheet is None:
        return None
    cells = source.sheet.load(source.columns)
    for name, column in cells.columns.items():
        first = [text for text in texts_of(column, len(cells.row))[:RECORDS_SAMPLED] if text is not None]
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
        are_all = len(records) == len(value) and all(_key(one, "label") for one in records)
        return bool(value) and (not records or are_all)
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
    guessed = named_otherwise(sheet, {"label": holder}, ("item",))
    item = find_column(sheet, "item", plan.item_path) or guessed.get("item")
    others = [column for column in sheet.columns if column != holder]
    cells, texts = loaded_texts(sheet, [holder, *([item] if item else others)])
    answers = Answers(source.name, "records")
    place = ""
    for i, row in enumerate(cells.row.tolist()):
        place, name = (item, texts[item][i]) if item else _nested_id({name: texts[name][i] for name in others})
        if not place:
            option = named("item_key", of="read")
            raise OptionError(
                f"{source.name}, record {row}: it does not say which item it is about. Give it an id, or name the key "
                f"of the items with {option}. Keys found: {listed(others)}."
            )
        ratings = _entries(_parsed(texts[holder][i] or ""))
        if not ratings:
            answers.tally.add("record without a rating")
        for question, rater, label in ratings:
            answers.add(question, row, {"item": name, "rater": rater, "label": label})
    taken = {"item": called(place), "rater": f"in {holder}", "label": f"in {holder}"}
    return answers.ratings(plan, taken, rows=len(cells.row))


def _nested_id(record: Mapping[str, str | None]) -> tuple[str, str | None]:
    """Where the id of a record stands within another one, and the id; an empty place where there is none."""
    for column, text in record.items():
        inner = as_mapping(_parsed(text or ""))
        key = next((key for key in ID_NAMES if key in inner), None)
        if key is not None:
            return f"{column}.{key}", as_text(inner[key])
    return "", None


def _entries(value: object) -> Sequence[tuple[str, str | None, str | None]]:
    """Question, rater and label of each rating in a record."""
    if isinstance(value, dict):
        return [(ONLY, str(rater), as_label(_label_of(label))) for rater, label in value.items()]
    entries = []
    for one in map(as_mapping, as_list(value)):
        label, rater, question = (_key(one, role) for role in ("label", "rater", "question"))
        who = None if rater is None else one[rater]
        name = as_text(as_mapping(who).get("id")) or as_text(as_mapping(who).get("name")) or as_text(who)
        asked = as_text(one[question]) or ONLY if question else ONLY
        entries.append((asked, name, None if label is None else as_label(one[label])))
    return entries


def _label_of(answer: object) -> object:
    """The label of a record about one rater, or the label itself."""
    key = _key(as_mapping(answer), "label")
    return answer if key is None else as_mapping(answer)[key]


FORMATS = (
    Format(
        name="lists",
        what="a table with a list of labels in a cell",
        recognises=_has_lists,
        is_layout=True,
        ratings=_listed_ratings,
    ),
    Format(
        name="dict-of-dicts",
        what="a dict of dicts",
        recognises=_has_dicts,
        is_layout=True,
        ratings=_dict_ratings,
        judges=_dict_judges,
    ),
    Format(
        name="records",
        what="records with a list of ratings in each",
        recognises=_recognises,
        ratings=_ratings,
        is_layout=True,
    ),
)
