"""Plain tables: a row per rating or per judge's answer, a row per count, a column per rater."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dissensus.arrays import Codes
from dissensus.data.coding import Cells, Sheet, TextColumn, stack
from dissensus.data.columns import (
    INDEX,
    called,
    columns_by_role,
    find_column,
    is_nameless,
    like_pattern,
    likely_match,
    missing_columns,
    shown_columns,
)
from dissensus.data.formats.plan import NO_RATER, Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.labels import number, probability_columns
from dissensus.data.layout import (
    about_names,
    answer_columns,
    are_judges,
    is_judge,
    is_named,
    judges_by_content,
    named_otherwise,
    people_among,
    questions_among,
    rater_columns,
)
from dissensus.data.sources.source import Source
from dissensus.errors import ColumnError, counted, listed, named, shortened
from dissensus.options import parts_of

ROLES = ("item", "label", "rater", "group", "elicitation")
JUDGE_ROLES = ("item", "judge", "sample", "label", "elicitation", "order")
SHARES = "Judges may give probabilities instead, in columns called p_<label>."
LARGEST_COUNT = 2**53  # past this a float does not hold every whole number
FEWEST_RATERS = 2
COUNT_IGNORED = (
    "The column count was not used, because each row has a rater and is one rating. If a row stands for that many "
    "ratings, leave the rater column out; rows with 0 are read as ratings."
)
AMONG_RATERS = "Counted as raters, and judges by their names"
WIDE_MARKS = frozenset("*?,")
SUMS = frozenset(  # what the first cell of a row says that sums up the others, without blanks and signs
    """total totals sum average mean avg median mode sd std stdev variance min max count n agreement kappa alpha
    grandtotal stddev standarddeviation minimum maximum summe gesamt mittelwert durchschnitt anzahl somme moyenne suma
    promedio media""".split()  # noqa: SIM905 - easier to read
)
_NO_WORD = re.compile(r"[\W_]+")


def read_table(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """Ratings from a table: wide, counts or tidy."""
    if is_wide(sheet, plan):
        return read_wide(sheet, plan)
    return read_counts(sheet, plan) if has_counts(sheet, plan) else read_tidy(sheet, plan)


def read_tidy(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per rating: item, rater, label, and perhaps group and elicitation."""
    raw = _tidy_columns(sheet, plan)[0]
    ignored = () if raw.rater is None or find_column(sheet, "count", None) is None else (COUNT_IGNORED,)
    everybody = () if raw.rater is None else raw.rater.texts
    is_handled = any(called(column) == raw.taken.get("rater") for column, _ in plan.drop)
    judges = [] if is_handled else [name for name in everybody if is_judge(name)]
    remedy = f"To leave them out, import the file with {named('drop', of='import_')}."
    among = (f"{AMONG_RATERS}: {listed(judges)}. {remedy}",) if 0 < len(judges) < len(everybody) else ()
    model = find_column(sheet, "judge") if raw.rater is None else None
    answered = about_judges_only(sheet, [] if model is None else sheet.load([model]).columns[model].texts, column=model)
    return replace(raw, warnings=(*answered, *raw.warnings, *ignored, *among))


def about_judges_only(sheet: Sheet, raters: Sequence[str], *, column: str | None = None) -> tuple[str, ...]:
    """Say so where all who are read as people are judges, in this column or in columns of their own."""
    if not raters or (column is None and not are_judges(raters)):
        return ()
    remedy = "" if column is None else f"; if they are the raters, add {named('rater', of='read', value=column)}"
    looks = f"{sheet.name} looks like judges' answers, by {listed(raters)}, and was read as people's ratings"
    return (f"{looks}: name it after a file of people's ratings{remedy}.",)


def _tidy_columns(sheet: Sheet, plan: ReadPlan, *, also: Sequence[str] = ()) -> tuple[RawRatings, Cells]:
    """The ratings, and all cells that were loaded, further columns included."""
    names = columns_by_role(sheet, {role: getattr(plan, role) for role in ROLES})
    guessed = named_otherwise(sheet, {**names, **{name: name for name in also}}, ("rater", "label", "item"))
    names |= guessed
    item, label, rater = names["item"], names["label"], names["rater"]
    if item is None or label is None:
        optional = ["rater"] if rater is None else []
        raise missing_columns(sheet, [role for role in ("item", "label") if names[role] is None], also=optional)
    cells, about = without_headers(sheet.load([*(name for name in names.values() if name is not None), *also]))
    nobody = () if rater else (no_rater(likely_match(sheet.columns, "rater")),)
    raw = RawRatings(
        format="tidy", row=cells.row, item=cells.columns[item], label=cells.columns[label], rater=cells.column(rater),
        group=cells.column(names["group"]), elicitation=cells.column(names["elicitation"]), rows=len(cells.row),
        blank_rows=cells.blank_rows,
        warnings=(*about, *about_names(guessed), *nobody),
        taken={role: called(name) for role, name in names.items() if name is not None},
    )  # fmt: skip
    return raw, cells


def without_headers(cells: Cells) -> tuple[Cells, tuple[str, ...]]:
    """The cells without rows that repeat the header, as in tables that were pasted below each other."""
    again = np.logical_and.reduce([own.having(name.__eq__) for name, own in cells.columns.items()])
    if not again.any():
        return cells, ()
    left_out = counted(int(again.sum()), "row that repeats", "rows that repeat")
    return cells.at(np.flatnonzero(~again)), (f"Left out {left_out} the header.",)


def no_rater(likely: str | None) -> str:
    """What to say of a table without raters; `likely` is a column that may hold them."""
    if likely is None:
        return NO_RATER
    return f"{NO_RATER} If {likely} says who rated, add {named('rater', of='read', value=likely)}."


def read_tidy_judges(source: Source, plan: ReadPlan) -> RawJudges:
    """Judges' answers from a table with a row for each of them."""
    sheet = source.table()
    given = {role: getattr(plan, role) for role in JUDGE_ROLES}
    names = columns_by_role(sheet, given, of=plan.of)
    guessed = named_otherwise(sheet, names, ("judge", "label", "item"))
    shares = probability_columns(sheet)
    if shares:
        guessed.pop("label", None)
    names |= guessed
    needed = ("item",) if shares else ("item", "label")
    missing = [role for role in needed if names[role] is None]
    found = judges_by_content(sheet) if missing and not shares and not any(given.values()) else {}
    if found:
        names, guessed, missing = {**names, **found}, found, []
    if missing:
        also = [] if names["judge"] is not None else ["judge"]
        known = {role: name for role, name in given.items() if name is not None}
        raise missing_columns(sheet, missing, also=also, given=known, of=plan.of, otherwise=SHARES)
    taken = {role: f"column {name}" for role, name in names.items() if name is not None}
    if "sample" in taken:
        taken["repeat"] = taken.pop("sample")
    if shares:
        taken["probabilities"] = f"{counted(len(shares), 'column')} p_<label>"
    return RawJudges(
        format="judges", sheet=sheet, names={**given, **guessed}, taken=taken, warnings=about_names(guessed, found)
    )


# ---- A row per item and label, with a count


def has_counts(sheet: Sheet, plan: ReadPlan) -> bool:
    """Whether this is a table of counts: a column `count` and nobody's name."""
    has_rater = find_column(sheet, "rater", plan.rater) is not None
    has_count = find_column(sheet, "count", plan.count) is not None
    if has_rater and plan.count is not None:
        raise ColumnError(f"{sheet.name} has raters and counts: name a rater column or a count column, not both.")
    return has_count and not has_rater


def read_counts(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per item and label: item, label, count. Who rated is not known; rows of the same label add up."""
    count = find_column(sheet, "count", plan.count or "count")
    assert count is not None  # noqa: S101 - find_column raises where a named column is missing
    raw, cells = _tidy_columns(sheet, plan, also=[count])
    times = whole_numbers(cells.columns[count], name=sheet.name, row=raw.row)
    return replace(raw, format="counts", times=times, taken={**raw.taken, "count": called(count)})


def whole_numbers(column: TextColumn, *, name: str, row: Codes) -> Codes:
    """The counts in a column; an empty cell is 0, anything but a whole number an error."""
    values = [number(text) for text in column.texts]
    is_count = [v is not None and 0 <= v < LARGEST_COUNT and v == int(v) for v in values]
    bad = np.flatnonzero(~np.array([*is_count, True])[column.codes])
    if bad.size:
        text = shortened(str(column[int(bad[0])]))
        raise ColumnError(
            f"{name}, row {row[bad[0]]}: the count is {text!r}. Give a whole number, 0 or more; an empty cell is 0."
        )
    return np.array([*(int(v or 0) for v in values), 0], dtype=np.intp)[column.codes]


# ---- A row per item and a column per rater


def is_wide(sheet: Sheet, plan: ReadPlan) -> bool:
    """Whether each column besides the item is a rater.

    Recognised if there is no label, rater or count column and at least two of the other columns share their labels. A
    `rater` with wildcards says so, too.
    """
    if plan.wide is not None:
        return plan.wide
    if plan.rater is not None and plan.rater not in sheet.columns and WIDE_MARKS & set(plan.rater):
        return True
    if any(find_column(sheet, role, getattr(plan, role)) is not None for role in ("label", "rater", "count")):
        return False
    names, _ = _named(sheet, plan)
    if names["item"] is None or any(is_named(column, "rater") for column in sheet.columns):
        return False
    others = [column for column in sheet.columns if column not in names.values() and not is_nameless(column)]
    return len(rater_columns(sheet.load(sheet.columns), others)) >= FEWEST_RATERS


def read_wide(sheet: Sheet, plan: ReadPlan) -> RawRatings:
    """One row per item and one column per rater."""
    names, guessed = _named(sheet, plan)
    if names["item"] is None:
        raise missing_columns(sheet, ["item"])
    raters, cells = _raters(sheet, plan, names)
    cells, about = without_totals(cells, names["item"], raters)
    item, n_rows = cells.columns[names["item"]], len(cells.row)
    label = stack([cells.columns[rater] for rater in raters])
    # An empty cell of a wide file is a rater who was not asked, not a rating with a missing label.
    asked = np.flatnonzero(label.codes >= 0)
    who, position = np.divmod(asked, max(1, n_rows))
    is_empty = (item.codes < 0) & (label.codes.reshape(len(raters), n_rows) < 0).all(axis=0)
    group, elicitation = cells.column(names["group"]), cells.column(names["elicitation"])
    return RawRatings(
        format="wide",
        row=cells.row[position],
        item=item.take(position),
        label=label.take(asked),
        rater=TextColumn(who, tuple(raters)),
        group=None if group is None else group.take(position),
        elicitation=None if elicitation is None else elicitation.take(position),
        rows=n_rows,
        blank_rows=cells.blank_rows + int(is_empty.sum()),
        warnings=(
            *about,
            *about_names(guessed),
            *about_judges_only(sheet, raters),
            *about_questions(raters),
            *_passed_over(cells, {*raters, *names.values()}),
        ),
        taken={
            **{role: called(name) for role, name in names.items() if name is not None},
            "rater": f"the names of {counted(len(raters), 'column')}: {listed(raters)}",
            "label": "the cells of these columns",
        },
    )


def about_questions(raters: Sequence[str]) -> tuple[str, ...]:
    """Say so where columns that are read as raters seem to answer several questions."""
    found = questions_among(raters)
    if found is None:
        return ()
    questions, who, pattern = found
    alone = f"If they are, read each alone, such as with {named('rater', of='read', value=pattern)}."
    are_named = f"The raters' columns are named like {len(questions)} questions ({listed(questions)}) to {listed(who)}"
    return (f"{are_named}, and were read as one question to {len(raters)} raters. {alone}",)


def without_totals(cells: Cells, item: str, raters: Sequence[str]) -> tuple[Cells, tuple[str, ...]]:
    """The cells without the last rows that sum up the columns, as spreadsheets have."""
    is_rated = np.logical_or.reduce([cells.columns[rater].codes >= 0 for rater in raters])
    known = np.flatnonzero(is_rated & (cells.columns[item].codes >= 0)).tolist()
    sums: list[str] = []
    while known and _NO_WORD.sub("", (last := str(cells.columns[item][known[-1]])).casefold()) in SUMS:
        sums.insert(0, shortened(last.strip()))
        known.pop()
    if not sums or not known:
        return cells, ()
    which = f"the last row, {sums[0]}, which sums" if len(sums) == 1 else f"the last rows, {listed(sums)}, which sum"
    return cells.at(np.arange(known[-1] + 1)), (f"Left out {which} up the others.",)


def _named(sheet: Sheet, plan: ReadPlan) -> tuple[dict[str, str | None], dict[str, str]]:
    """The columns that are no raters, and those among them that were taken by their names."""
    names = columns_by_role(sheet, {role: getattr(plan, role) for role in ("item", "group", "elicitation")})
    guessed = named_otherwise(sheet, names, ("item",))
    return names | guessed, guessed


def _raters(sheet: Sheet, plan: ReadPlan, names: dict[str, str | None]) -> tuple[list[str], Cells]:
    """The columns that hold one rater each: those that `rater` names or matches, else those that look like raters."""
    others = [column for column in sheet.columns if column not in names.values()]
    known = [name for name in names.values() if name is not None]
    if plan.rater is not None:
        others = like_pattern(others, plan.rater)
        plain, exact = people_among(others), {plan.rater, *parts_of(plan.rater)}
        raters = [name for name in others if name in plain or name in exact]
        cells = sheet.load([*known, *others])
    else:
        cells = sheet.load([*known, *others])
        own = [column for column in others if not is_nameless(column)]
        alike = [] if plan.wide else rater_columns(cells, own)
        raters = people_among(alike or answer_columns(cells, own) or own)
    if not raters:
        like = "besides the item" if plan.rater is None else f"like {plan.rater!r}"
        raise ColumnError(
            f"{sheet.name} has no column {like}. Columns found: {shown_columns(sheet)}. A wide file has one column per "
            f"rater; name them with {named('rater', of='read')}, with * for any letters and commas between, or leave "
            f"{named('wide', of='read')} out."
        )
    return raters, cells


def _passed_over(cells: Cells, used: set[str | None]) -> tuple[str, ...]:
    """Say which columns were not read as raters, unless they are empty."""
    passed = [name for name, column in cells.columns.items() if name not in used and name != INDEX and column.texts]
    judges = [name for name in passed if is_judge(name)]
    others = [name for name in passed if name not in judges]
    by_name = f"Taken for judges by their names, and not for raters: {listed(judges)}."
    unread = f"Not read as raters: {listed(others)}. If one is a rater, name all with {named('rater', of='read')}."
    return (*([by_name] if judges else []), *([unread] if others else []))


def _has_index(source: Source, plan: ReadPlan) -> bool:
    """Whether the first column has no name and tells rows apart, as the index of a frame does, and the rest is wide."""
    first = source.columns[0] if source.columns else ""
    is_named = any(getattr(plan, role) is not None for role in ("item", "rater", "label", "count"))
    if source.sheet is None or is_named or plan.wide is not None or not is_nameless(first):
        return False
    if _named(source.sheet, plan)[0]["item"] is not None:
        return False
    column = source.sheet.load([first]).columns[first]
    is_distinct = bool((column.codes >= 0).all()) and len(column.texts) == len(column.codes) > 0
    return is_distinct and is_wide(source.sheet, replace(plan, item=first))


def _wide_ratings(source: Source, plan: ReadPlan) -> RawRatings:
    return read_wide(source.table(), replace(plan, item=source.columns[0]) if _has_index(source, plan) else plan)


def _never(_source: Source, _plan: ReadPlan) -> bool:
    """Whether a format is asked at all: these are recognised at a glance, before any format is."""
    return False


FORMATS = (
    Format(
        name="tidy", what="a table with a row per rating", recognises=_never, is_layout=True,
        ratings=lambda source, plan: read_tidy(source.table(), plan),
    ),
    Format(
        name="judges", what="a table with a row per judge's answer", recognises=_never, is_layout=True,
        judges=read_tidy_judges,
    ),
    Format(
        name="counts", what="a table with a count for each item and label", recognises=_never, is_layout=True,
        ratings=lambda source, plan: read_counts(source.table(), plan),
    ),
    Format(
        name="wide", what="a table with a row per item and a column per rater", recognises=_has_index, is_layout=True,
        ratings=_wide_ratings,
    ),
)  # fmt: skip
