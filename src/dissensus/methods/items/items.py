"""Which items are behind a number? People's shares, how far they split, each judge's answer and its surprise.

The surprise of a judge at an item is the number of bits that people's labels there cost whoever expects what the
judge's answer means in people's terms. It is the item's part of the judge's score in `equivalence`, `compare` and
`decide`, with the other sign: learned on the same folds, its mean over items is that score.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, as_data, as_ratings
from dissensus.data.align import answers_of, are_points_of_a_measure, asked_in_one_way
from dissensus.data.labels import number, option_name
from dissensus.data.ratings import Elicitation, Slicing
from dissensus.errors import OptionError, RatingsError, counted, listed, named
from dissensus.methods.equivalence.calibration import fold_stream, rows_in_folds, scores_of_labels
from dissensus.methods.equivalence.options import MOST_LABELS, EquivalenceOptions
from dissensus.methods.items.result import SHOWN, ItemsOptions, ItemsResult, ItemTable, JudgeSurprise, Kind, Show
from dissensus.methods.parts.parts import Cut, in_parts, together
from dissensus.methods.parts.result import Part, PartsResult
from dissensus.options import default_of
from dissensus.sampling import Progress, seed_of

AGREED = 2 / 3
"""People agree on an item if at least this share of them, and two or more, gave one label; else they split."""
TIE = 1e-9  # shares that differ by less are equal
DECIMALS = 9  # of what items are sorted by: what comes after them is rounding
SORTS = ("split", "surprise", "ratings", "item")
FEWEST = 2  # ratings: with one nobody can split or agree


def _in_slices(
    cut: Cut, slices: Sequence[Cut], slicing: Slicing, *, rng: int | Generator | None = 0,
    progress: Progress | None = None, **given: Any,  # noqa: ANN401 - the keywords of `items`
) -> PartsResult:  # fmt: skip
    """The items of each slice, and all: answers are put into people's terms by what all items teach."""
    options = ItemsOptions.given(given, seed=seed_of(rng))
    whole = items_of(cut.ratings, cut.judges, options, rng=rng, progress=progress)
    parts = []
    for one in slices:
        rows = np.array([i for i, name in enumerate(whole.table.items) if slicing.values.get(name) == one.value])
        own = _within_options(whole.table.take(rows.astype(np.intp)), options, whole.data, warnings=whole.warnings)
        parts.append(Part(question=cut.question, by=slicing.by, value=one.value, items=len(rows), result=own))
    return replace(together(parts), overall=whole)


@in_parts(_in_slices, needs_judges=False)
def items(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    judge: str | Sequence[str] | None = None,
    show: Show = "all",
    sort: str | None = None,
    majority: str | None = None,
    answer: str | None = None,
    top: int | None = None,
    elicitation: Elicitation | None = None,
    rng: int | Generator | None = 0,
    progress: Progress | None = None,
) -> ItemsResult:
    """Every item with people's shares, how far they split, each judge's answer and its surprise.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered; without them items show how far people split.
    judge : str or sequence of str, optional
        Which judges to look at; all if not given.
    show : {"all", "telling", "split", "alone", "judges"}
        All items; those where people split (no label has two thirds of them); where a judge is alone against people who
        agree; where judges disagree; or the most telling of the three in turn.
    sort : str, optional
        `split`, `surprise` (the mean of the judges), `ratings`, `item`, or a column that says something of each item
        (numbers from the largest). If not given what fits the view.
    majority, answer : str, optional
        Only items where most people gave this label; where one of the judges gave this answer.
    top : int, optional
        How many items; if not given 20 are shown and all are written.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way; forced choices where there are both, unless judges give
        response sets.
    rng : int or Generator
        Seed of the folds on which answers are put into people's terms; that of `equivalence` for the same numbers.
    progress : callable, optional
        Told how many judges are done, and of how many.

    Returns
    -------
    ItemsResult

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have.

    See Also
    --------
    describe : Do the raters agree?
    equivalence : How many raters a judge is worth.

    Examples
    --------
    >>> import pandas as pd
    >>> table = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "label": ["no", "no", "no", "yes"]}
    >>> [(row.item, row.shares, row.split) for row in items(pd.DataFrame(table)).items]
    [('2', {'no': 0.5, 'yes': 0.5}, 1.0), ('1', {'no': 1.0}, 0.0)]
    """
    options = ItemsOptions.given(locals(), seed=seed_of(rng))
    rated, answered = (as_ratings(ratings), None) if judges is None else as_data(ratings, judges)
    return items_of(rated, answered, options, rng=rng, progress=progress)


def items_of(
    rated: Ratings,
    answered: Judges | None,
    options: ItemsOptions,
    *,
    known: Mapping[str, Mapping[str, float]] | None = None,
    rng: int | Generator | None = 0,
    progress: Progress | None = None,
) -> ItemsResult:
    """The same from data that were read, and options; `known` are surprises by judge and item, learned elsewhere."""
    if rated.copies is not None:
        raise RatingsError("Items that nobody can tell apart were put together, so none can be shown: read them whole.")
    chosen = None if answered is None else answered.only(options.judge)
    asked, about_kinds = asked_in_one_way(rated, chosen, options.elicitation)
    table, warnings = _table(asked, chosen, fold_stream(rng), known=known, progress=progress)
    data = {"ratings": rated.describe_data(), **({} if answered is None else {"judges": answered.describe_data()})}
    return _within_options(table, options, data, warnings=dict.fromkeys([*rated.warnings, *about_kinds, *warnings]))


def _within_options(
    table: ItemTable, options: ItemsOptions, data: Mapping[str, Mapping[str, object]], *, warnings: Iterable[str]
) -> ItemsResult:
    """What the options leave of a table."""
    order = _in_order(table, options)
    return ItemsResult(
        settings=options.settings() | {"judge": list(table.answers) or None},
        data=data,
        warnings=tuple(warnings),
        items=tuple(map(table.row, order[: options.top or SHOWN].tolist())),
        found=len(order),
        judges=tuple(_summary(table, name) for name in table.answers),
        kinds={kind: int(own.sum()) for kind, own in table.kinds.items()},
        table=table,
        chosen=order,
    )


def _summary(table: ItemTable, judge: str) -> JudgeSurprise:
    """A judge on all items that it answered."""
    bits = table.surprise[judge]
    known = bits[~np.isnan(bits)]
    if not known.size:
        n_answered = sum(answer is not None for answer in table.answers[judge])
        return JudgeSurprise(judge=judge, items=n_answered, surprise=float("nan"))
    return JudgeSurprise(judge=judge, items=len(known), surprise=float(known.mean()))


# ---- The columns


def _table(
    ratings: Ratings,
    judges: Judges | None,
    stream: Generator,
    *,
    known: Mapping[str, Mapping[str, float]] | None,
    progress: Progress | None,
) -> tuple[ItemTable, list[str]]:
    """Every item in columns, and what there is to say about them."""
    counts = ratings.counts()
    total = counts.sum(axis=1)
    is_interval = ratings.scale == "interval"
    split = np.where((total >= FEWEST) & (not is_interval), entropy(counts / total[:, None]), np.nan)
    warnings = _about_split(total, is_interval=is_interval)
    answers: dict[str, list[str | None]] = {}
    tops: dict[str, Flags] = {}
    surprise: dict[str, Floats] = {}
    if judges is not None:
        shared = judges.on_items_of(ratings)
        is_measure = are_points_of_a_measure(ratings, shared)
        everybody, labels, about_labels = answers_of(shared, ratings, as_numbers=is_measure)
        why = "" if known is not None else _no_surprise(ratings, shared, labels)
        warnings = [*shared.warnings, *about_labels, *warnings, *([why] if why else [])]
        shares = np.pad(counts / total[:, None], ((0, 0), (0, len(labels) - ratings.n_labels)))
        for place, own in enumerate(everybody):
            if is_measure:
                answers[own.judge] = _measured(own.values)
            else:
                tops[own.judge] = _top(own.stated)
                answers[own.judge] = _answers(tops[own.judge], labels)
            bits = {} if known is None else known.get(own.judge, {})
            learns = known is None and not why
            surprise[own.judge] = (
                surprises(own.predictions, shares, stream)
                if learns
                else np.array([bits.get(item, np.nan) for item in ratings.items])
            )
            if progress is not None:
                progress(place + 1, len(everybody))
    kinds = _kinds(counts * (not is_interval), tops)
    return ItemTable(
        items=ratings.items, labels=ratings.labels, counts=counts, split=split, kinds=kinds, answers=answers,
        surprise=surprise, texts=texts_of(ratings), about=ratings.about,
    ), warnings  # fmt: skip


def texts_of(ratings: Ratings) -> list[str | None] | None:
    """The text of each item, both of a pair below each other; None where no text is known."""
    columns = [ratings.about[name] for name in ("text", "text_a", "text_b") if name in ratings.about]
    if not columns:
        return None
    found = [[own[item] for own in columns if item in own] for item in ratings.items]
    return ["\n---\n".join(texts) or None for texts in found]


def entropy(shares: Floats) -> Floats:
    """Entropy of each row of shares, in bits."""
    logs = np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
    return np.asarray(np.maximum(-np.einsum("il,il->i", shares, logs), 0.0))


def surprises(outputs: Floats, shares: Floats, stream: Generator) -> Floats:
    """Bits that people's labels cost whoever expects what the judge's answers mean; NaN in items without an answer."""
    rows = np.flatnonzero(~np.isnan(outputs).any(axis=1))
    split = rows_in_folds(len(rows), None, deepcopy(stream))
    clip = float(default_of(EquivalenceOptions, "clip"))  # type: ignore[arg-type] # a number
    scores = scores_of_labels(outputs[rows], shares[rows], split, clip=clip)
    bits = np.full(len(shares), np.nan)
    bits[rows] = -np.einsum("il,il->i", scores, shares[rows])
    return bits


def _no_surprise(ratings: Ratings, judges: Judges, labels: Sequence[str]) -> str:
    """Why there is no surprise; empty if there is."""
    rounding = "Round labels and answers to a few to see it."
    if are_points_of_a_measure(ratings, judges):
        return f"Surprise is not shown, as answers are measurements. {rounding}"
    too_many = f"{len(labels):,} labels are too many to recalibrate"
    return f"Surprise is not shown: {too_many}. {rounding}" if len(labels) > MOST_LABELS else ""


def _about_split(total: Codes, *, is_interval: bool) -> list[str]:
    if is_interval:
        return ["How far people split is not shown, as their labels are measurements."]
    once = int((total < FEWEST).sum())
    return [f"Get a second rating of {counted(once, 'item')} to see how far people split there."] if once else []


def _top(stated: Floats) -> Flags:
    """Which labels each answer is: the most frequent one, several where they tie, none without an answer."""
    with np.errstate(invalid="ignore"):
        return np.asarray(stated >= stated.max(axis=1, keepdims=True) - TIE)


def _answers(top: Flags, labels: Sequence[str]) -> list[str | None]:
    """The answers as labels, `A or B` where two tie."""
    found: list[str | None] = [labels[label] for label in top.argmax(axis=1).tolist()]
    times = top.sum(axis=1)
    for row in np.flatnonzero(times != 1).tolist():
        found[row] = " or ".join(labels[one] for one in np.flatnonzero(top[row]).tolist()) or None
    return found


def _measured(values: Floats) -> list[str | None]:
    """The answers as numbers, where they are points of a measure."""
    return [None if np.isnan(value) else f"{value:g}" for value in values.tolist()]


def _kinds(counts: Codes, tops: Mapping[str, Flags]) -> dict[Kind, Flags]:
    """Which items people split on, where a judge is alone against people, and where judges disagree."""
    total, most = counts.sum(axis=1), counts.max(axis=1)
    several = total >= FEWEST
    agreed = several & (most >= AGREED * total - TIE)
    usual = counts.argmax(axis=1)
    alone, differ = np.zeros_like(several), np.zeros_like(several)
    shared: Flags | None = None  # the labels that all judges so far gave
    for own in tops.values():
        silent = np.asarray(~own.any(axis=1, keepdims=True))
        alone |= agreed & ~silent[:, 0] & ~own[np.arange(len(own)), usual]
        allowed = np.asarray(own | silent)
        shared = allowed if shared is None else np.asarray(shared & allowed)
        differ |= ~shared.any(axis=1)
    return {"split": several & ~agreed, "alone": alone, "judges": differ}


# ---- Which of them, and in which order


def _in_order(table: ItemTable, options: ItemsOptions) -> Codes:
    """The rows that the view and the filters leave, in order."""
    kept = _filtered(table, options)
    if options.show == "telling":
        return _telling(table, kept)
    if options.show != "all":
        _check_view(table, options)
        kept &= table.kinds[options.show]
    name = options.sort or _usual_sort(table, options.show)
    if options.sort is not None and name not in {*SORTS, *table.about}:
        raise OptionError.unknown(named("sort"), name, (*SORTS, *table.about))
    if name == "surprise" and not table.surprise:
        raise OptionError(f"{named('sort')} surprise needs judges: give their answers, or choose split.")
    return _sorted(table, np.flatnonzero(kept), name)


def _check_view(table: ItemTable, options: ItemsOptions) -> None:
    needed = {"alone": 1, "judges": 2}.get(options.show, 0)
    if len(table.answers) < needed:
        judges = "answers of a judge" if needed == 1 else "two judges"
        raise OptionError(f"{named('show')} {options.show} needs {judges}: choose split, or give them.")


def _filtered(table: ItemTable, options: ItemsOptions) -> Flags:
    kept = np.ones(len(table.items), dtype=np.bool_)
    if options.majority is not None:
        name = option_name(options.majority)
        if name not in table.labels:
            labels = listed(table.labels)
            raise OptionError(f"{named('majority')} {options.majority!r} is not a label: the labels are {labels}.")
        kept &= 2 * table.counts[:, table.labels.index(name)] > table.counts.sum(axis=1)
    if options.answer is not None:
        name = option_name(options.answer)
        given = np.zeros_like(kept)
        for answers in table.answers.values():
            given |= np.array([answer == name for answer in answers], dtype=np.bool_)
        if not given.any() and name not in table.labels:
            raise OptionError(
                f"{named('answer')} {options.answer!r} is neither a judge's answer nor a label that people gave."
            )
        kept &= given
    return kept


def _usual_sort(table: ItemTable, show: Show) -> str:
    """What a view is sorted by."""
    has_surprise = any(bool(np.isfinite(bits).any()) for bits in table.surprise.values())
    if show == "split" or not has_surprise:
        return "split"
    return "gap" if show == "judges" else "surprise"


def _sorted(table: ItemTable, rows: Codes, name: str) -> Codes:
    """The rows by a measure, the largest first; where it is the same, the item with more ratings, then by name."""
    if name == "item":
        return rows
    if name not in SORTS and name in table.about:
        return _by_column(table, rows, table.about[name])
    total = table.counts.sum(axis=1)
    key = np.round(np.nan_to_num(_measure(table, name), nan=-np.inf), DECIMALS)
    return np.asarray(rows[np.lexsort((rows, -total[rows], -key[rows]))])


def _by_column(table: ItemTable, rows: Codes, column: Mapping[str, str]) -> Codes:
    """The rows by what a table says about the items: numbers from the largest, texts by the alphabet, nothing last."""
    values = [column.get(table.items[row]) for row in rows.tolist()]
    numbers = [None if value is None else number(value) for value in values]
    are_numbers = all(one is not None for one, value in zip(numbers, values, strict=True) if value is not None)
    keys = [
        (value is None, -(one or 0.0) if are_numbers else 0.0, value or "")
        for one, value in zip(numbers, values, strict=True)
    ]
    return np.asarray(rows[sorted(range(len(keys)), key=keys.__getitem__)], dtype=np.intp)


def _measure(table: ItemTable, name: str) -> Floats:
    """What items are sorted by; NaN where it is not known."""
    if name == "ratings":
        return np.asarray(table.counts.sum(axis=1), dtype=np.float64)
    if name == "split":
        return table.split
    bits = np.stack(list(table.surprise.values()))
    known = ~np.isnan(bits)
    high, low = np.where(known, bits, -np.inf).max(axis=0), np.where(known, bits, np.inf).min(axis=0)
    if name == "gap":
        return np.asarray(np.where(known.any(axis=0), high, np.nan) - low)
    return np.asarray(np.where(known, bits, 0).sum(axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan))


def _telling(table: ItemTable, kept: Flags) -> Codes:
    """The first items of each view in turn, no item twice: a judge alone, judges that disagree, people who split."""
    shows: tuple[Kind, ...] = ("alone", "judges", "split")
    views = [
        _sorted(table, np.flatnonzero(kept & table.kinds[kind]), _usual_sort(table, kind)).tolist() for kind in shows
    ]
    rank = [(place, which, row) for which, rows in enumerate(views) for place, row in enumerate(rows)]
    return np.array(list(dict.fromkeys(row for *_, row in sorted(rank))), dtype=np.intp)
