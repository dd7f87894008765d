"""Is a judge swayed by what should not matter? Length, place in a pair, its own outputs, a group of items.

What counts is how far a judge's answer lies above people's on an item: where people, too, like longer texts, a judge
that does is not biased. That difference is regressed on the length of the text, on whether the judge wrote it, or on
the group of the item, with errors that may differ from item to item (HC3). Where raters are a sample their noise is
added, as in `decide`. The place in a pair is tested on the judge alone: the same pair in both orders. All p-values are
corrected together (Holm).

References
----------
J. MacKinnon, H. White (1985), "Some heteroskedasticity-consistent covariance matrix estimators with improved finite
sample properties".
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.closeness import ordered_values
from dissensus.data.coding import rows_among
from dissensus.methods.judges.confusion import panels_without
from dissensus.methods.judges.result import Bias, BiasKind, BiasUnit, JudgesOptions
from dissensus.methods.judges.setup import Prepared
from dissensus.sampling.intervals import holm
from dissensus.sampling.raters import rater_pool, rater_stream

FEWEST = 10  # items on each side of a difference, or in both orders: with fewer a bias is not looked for
MOST_GROUPS = 20
PAIRS = (("a", "b"), ("win", "lose"), ("model_a", "model_b"), ("answer_a", "answer_b"), ("first", "second"))
"""Labels that say which of two outputs is better."""
TIES = frozenset({"tie", "draw", "equal", "same", "both", "neither", "tie (both good)", "tie (bothbad)"})
LEAST_LENGTHS = 3
TINY = 1e-12


# ---- What is measured


class Heights(NamedTuple):
    """How high each option is."""

    values: Floats  # (n_options,)
    unit: BiasUnit


def heights_of(prepared: Prepared, ratings: Ratings) -> Heights | None:
    """Wins of the first output of a pair, positive options, or labels in an order; None where labels have no height."""
    options = prepared.space.options
    wins = wins_of(options, is_pairwise=prepared.task.kind == "pairwise")
    if wins is not None:
        return Heights(wins, "wins")
    if prepared.positive.any():
        return Heights(prepared.positive.astype(np.float64), "share")
    strange = [option for option in options if option not in ratings.labels]
    known = ordered_values(ratings, strange)
    if known is None:
        return None
    values = known[rows_among(options, (*ratings.labels, *strange))]
    return Heights(values, "labels") if np.isfinite(values).all() else None


def wins_of(options: Sequence[str], *, is_pairwise: bool = False) -> Floats | None:
    """How much of a win of the first output each option of a pairwise comparison is; None for other options.

    By the names of the options; else a pairwise task has them in order, from a win of the first to one of the second.
    """
    names = [option.strip().lower().replace(" ", "_") for option in options]
    for first, second in PAIRS:
        known = {first: 1.0, second: 0.0}
        rest = set(names) - known.keys()
        if known.keys() <= set(names) and rest <= {tie.replace(" ", "_") for tie in TIES}:
            return np.array([known.get(name, 0.5) for name in names])
    return np.linspace(1.0, 0.0, len(options)) if is_pairwise else None


# ---- One bias: a coefficient of a regression


class Found(NamedTuple):
    """A coefficient, its variance, degrees of freedom, and how it is made of what each item says."""

    value: float
    variance: float
    freedom: float
    weights: Floats  # (n_items,): the coefficient is the sum of these times what each item says


def last_coefficient(design: Floats, y: Floats) -> Found | None:
    """The last coefficient of a least squares fit, with HC3 variance; None where it is not determined.

    `design` (n_items, n_columns): what y may depend on. `y` (n_items,): what each item says.
    """
    n, k = design.shape
    if n <= k or np.linalg.matrix_rank(design) < k:
        return None
    inverse = np.linalg.inv(np.einsum("ik,il->kl", design, design))
    weights = np.einsum("l,il->i", inverse[-1], design)
    fitted = np.einsum("ik,k->i", design, np.einsum("kl,il,i->k", inverse, design, y))
    leverage = np.einsum("ik,kl,il->i", design, inverse, design)
    errors = (y - fitted) / np.maximum(1 - leverage, 1e-9)
    return Found(float(weights @ y), float(np.einsum("i,i->", weights**2, errors**2)), float(n - k), weights)


class Asked(NamedTuple):
    """A bias to look for."""

    kind: BiasKind
    about: str | None  # the group, or the writer
    judge: int | None  # None for all of them
    rows: Codes  # among the items that are compared
    design: Floats  # (n_rows, n_columns): the last column is what should not matter

    @property
    def items(self) -> int:
        """How many items it is about: of own outputs those with one."""
        return int((self.design[:, -1] != 0).sum()) if self.kind == "self" else len(self.rows)

    def on(self, kept: Flags) -> "Asked":
        """The same on some of the items that are compared."""
        own = kept[self.rows]
        return self._replace(rows=self.rows[own], design=self.design[own])


def _column(prepared: Prepared, ratings: Ratings, name: str) -> list[str | None]:
    """What is known of each item that is compared."""
    known: Mapping[str, str] = ratings.about.get(name, {})
    return [known.get(item) for item in prepared.items]


def _lengths(prepared: Prepared, ratings: Ratings, heights: Heights) -> list[Asked]:
    """The length of the text, or of two texts beside each other, in doublings."""
    names = ("text_a", "text_b") if heights.unit == "wins" else ("text",)
    if not ratings.about.keys() >= set(names):
        return []
    texts = [_column(prepared, ratings, name) for name in names]
    rows = np.array([i for i, own in enumerate(zip(*texts, strict=True)) if all(own)], dtype=np.intp)
    logs = [np.log2([max(len(own[i] or ""), 1) for i in rows.tolist()]) for own in texts]
    x = logs[0] - logs[1] if len(logs) > 1 else logs[0]
    if len(np.unique(x)) < LEAST_LENGTHS or len(rows) < 2 * FEWEST:
        return []
    return [Asked("length", None, None, rows, np.column_stack([np.ones(len(x)), x]))]


def _groups(prepared: Prepared, ratings: Ratings) -> list[Asked]:
    """Each group of items against all others, where every item is in one group."""
    of_item = _group_of_items(ratings)
    if not of_item:
        return []
    own = [of_item.get(item) for item in prepared.items]
    sizes = Counter(name for name in own if name is not None)
    rows = np.array([i for i, name in enumerate(own) if name is not None], dtype=np.intp)
    if not 1 < len(sizes) <= MOST_GROUPS:
        return []
    large = [name for name in sorted(sizes) if min(sizes[name], len(rows) - sizes[name]) >= FEWEST]
    # Of two groups one says it all.
    shown = large[:1] if len(sizes) == 2 else large  # noqa: PLR2004
    one = np.ones(len(rows))
    return [
        Asked("group", name, None, rows, np.column_stack([one, [own[i] == name for i in rows.tolist()]]))
        for name in shown
    ]


def _group_of_items(ratings: Ratings) -> Mapping[str, str]:
    """The group of each item; none where groups are those of raters, which `raters` looks at."""
    if ratings.group is None:
        return ratings.about.get("group", {})
    item, group = np.unique(np.stack([ratings.item, ratings.group]), axis=1)
    if len(np.unique(item)) < len(item):
        return {}
    return {ratings.items[i]: ratings.groups[g] for i, g in zip(item.tolist(), group.tolist(), strict=True)}


def _self_preferences(prepared: Prepared, ratings: Ratings, heights: Heights, people: Floats) -> list[Asked]:
    """Each judge's own outputs against those of others that people find as good.

    A judge more certain than people favours everybody whom people favour, so how high people put a writer stands in
    the design, too, where there are three or more.
    """
    names = ("writer_a", "writer_b") if heights.unit == "wins" else ("writer",)
    if not ratings.about.keys() >= set(names):
        return []
    columns = [_column(prepared, ratings, name) for name in names]
    rows = np.array([i for i, own in enumerate(zip(*columns, strict=True)) if all(own)], dtype=np.intp)
    writers = sorted({own[i] or "" for own in columns for i in rows.tolist()})
    sides = np.zeros((len(rows), len(writers)))  # 1 for the writer, -1 for that of the other output
    for own, sign in zip(columns, (1.0, -1.0), strict=False):
        sides[np.arange(len(rows)), [writers.index(own[i] or "") for i in rows.tolist()]] += sign
    middle = 0.5 if heights.unit == "wins" else float(people[rows].mean()) if len(rows) else 0.0
    strength = np.einsum("iw,w->i", sides, np.linalg.lstsq(sides, people[rows] - middle, rcond=None)[0])
    found = []
    for j, judge in enumerate(prepared.judges):
        same = [w for w, writer in enumerate(writers) if is_same(writer, judge)]
        x = sides[:, same].sum(axis=1)
        others = len(rows) if heights.unit == "wins" else len(rows) - int((x != 0).sum())
        if min(int((x != 0).sum()), others) >= FEWEST:
            held = [strength] if len(writers) > len(same) + 1 else []
            design = np.column_stack([np.ones(len(rows)), *held, x])
            found.append(Asked("self", writers[same[0]], j, rows, design))
    return found


def is_same(writer: str | None, judge: str) -> bool:
    """Whether a writer is the judge, by its name or a part of the judge's."""
    name = (writer or "").strip().lower()
    return bool(name) and name in {judge.strip().lower(), *re.split(r"[\s_/:@()]+", judge.strip().lower())}


# ---- All of them


class Row(NamedTuple):
    """A bias before the p-values are corrected."""

    judge: str
    kind: BiasKind
    about: str | None
    value: float
    variance: float
    freedom: float
    items: int
    middle: float  # of the interval


def biases_of(
    prepared: Prepared, ratings: Ratings, judges: Judges, options: JudgesOptions, rng: int | Generator | None
) -> tuple[Bias, ...]:
    """Every bias that the data can show, by judge; none where labels have no height or items were put together."""
    heights = None if ratings.copies is not None else heights_of(prepared, ratings)
    if heights is None:
        return ()
    people = np.einsum("il,l->i", prepared.problem.people.soft, heights.values)
    judged = np.einsum("ijl,l->ij", prepared.answers.soft, heights.values)
    rows: list[Row] = []
    asked = [*_lengths(prepared, ratings, heights), *_groups(prepared, ratings)]
    asked += _self_preferences(prepared, ratings, heights, people)
    asked = [one.on(prepared.problem.is_chosen) for one in asked]
    noise = _noise_of_raters(prepared, ratings, heights, people, asked, options, rng)
    for one, (extra, groups) in zip(asked, noise, strict=True):
        for j in range(len(prepared.judges)) if one.judge is None else (one.judge,):
            found = last_coefficient(one.design, (judged[:, j] - people)[one.rows])
            if found is not None:
                variance, freedom = _with_raters(found, extra, groups)
                name = prepared.judges[j]
                rows.append(Row(name, one.kind, one.about, found.value, variance, freedom, one.items, found.value))
    if heights.unit == "wins":
        rows += _places(prepared, judges, heights)
    return _tested(rows, heights.unit, options)


def _noise_of_raters(
    prepared: Prepared, ratings: Ratings, heights: Heights, people: Floats, asked: Sequence[Asked],
    options: JudgesOptions, rng: int | Generator | None,
) -> list[tuple[float, int]]:  # fmt: skip
    """The variance that raters add to each coefficient, which is the same for all judges, and from how many groups."""
    if options.raters != "sampled" or not asked or not prepared.people.has_choice.all():
        return [(0.0, 1)] * len(asked)
    pool = rater_pool(ratings, rater_stream(rng))
    weights = np.zeros((len(asked), len(people)))
    for place, one in enumerate(asked):
        found = last_coefficient(one.design, people[one.rows])
        weights[place, one.rows] = 0.0 if found is None else found.weights
    values = []
    for everybody in panels_without(prepared, pool):
        counts = prepared.layout.people(everybody).choices
        n = counts.sum(axis=1)
        # An item that nobody else rated stays as it is.
        left = np.where(n > 0, np.einsum("il,l->i", counts, heights.values) / np.maximum(n, 1), people)
        values.append(np.einsum("ci,i->c", weights, left))
    spread = pool.spread(np.stack(values))
    return [(float(extra), spread.groups) for extra in spread.variance]


def _with_raters(found: Found, extra: float, groups: int) -> tuple[float, float]:
    """Variance and degrees of freedom with the noise of raters (Welch and Satterthwaite)."""
    whole = found.variance + extra
    parts = found.variance**2 / found.freedom + extra**2 / max(groups - 1, 1)
    return whole, whole**2 / parts if parts > 0 else found.freedom


def _places(prepared: Prepared, judges: Judges, heights: Heights) -> list[Row]:
    """How much more often an output wins where it is shown first, of judges asked in both orders."""
    if judges.order is None:
        return []
    members = prepared.space.judge_members.astype(np.float64)
    size = members.sum(axis=1)
    by_label = np.einsum("lk,k->l", members, heights.values) / np.where(size > 0, size, np.nan)
    shares = judges.stated()
    value = np.where(shares.label >= 0, by_label[shares.label], np.nan)
    if shares.probability is not None:
        value = np.where(np.isnan(value), np.einsum("al,l->a", np.nan_to_num(shares.probability), by_label), value)
    place = rows_among(judges.items, prepared.items)[judges.item]
    rows = []
    for name in prepared.judges:
        own = (judges.judge == judges.judges.index(name)) & (place >= 0)
        means = []
        for order in (0, 1):
            taken = own & (judges.order == order)
            times = np.bincount(place[taken], minlength=len(prepared.items))
            total = np.bincount(place[taken], weights=value[taken], minlength=len(prepared.items))
            means.append(total / np.where(times > 0, times, np.nan))
        gap = means[0] - means[1]
        rows += _place(name, gap[~np.isnan(gap)])
    return rows


def _place(judge: str, gap: Floats) -> list[Row]:
    """The mean difference of pairs in both orders.

    Two pairs are added that differ as far as can be, one each way, so that a judge that never or always flips has an
    interval, too (Bonett and Price 2012).
    """
    n = len(gap)
    if n < FEWEST:
        return []
    more = np.append(gap, [1.0, -1.0])
    variance = float(more.var(ddof=1) / len(more))
    return [Row(judge, "position", None, float(gap.mean()), variance, n - 1.0, n, float(more.mean()))]


def _tested(rows: Sequence[Row], unit: BiasUnit, options: JudgesOptions) -> tuple[Bias, ...]:
    """The biases with intervals and p-values by t."""
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - takes a while to import

    if not rows:
        return ()
    middle, variance, freedom = (
        np.array([getattr(row, name) for row in rows]) for name in ("middle", "variance", "freedom")
    )
    error = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, np.abs(middle) / error, np.where(np.abs(middle) < TINY, 0.0, np.inf))
    p_values = 2 * stdtr(freedom, -t)
    reach = stdtrit(freedom, (1 + options.confidence) / 2) * error if options.bootstrap else np.full(len(rows), np.nan)
    corrected = holm(p_values.tolist())
    return tuple(
        Bias(
            judge=row.judge, kind=row.kind, about=row.about, value=row.value, low=float(row.middle - own),
            high=float(row.middle + own), p_value=float(p), p_holm=float(p_holm), items=row.items, unit=unit,
        )
        for row, own, p, p_holm in zip(rows, reach, p_values, corrected, strict=True)
    )  # fmt: skip
