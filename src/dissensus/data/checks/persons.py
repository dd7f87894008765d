"""Checks of raters and judges: who always answers the same, far from the others, or with labels or scale reversed."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from glob import escape
from itertools import combinations
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.checks.table import Finding, Table
from dissensus.data.coding import TextColumn, stack
from dissensus.data.fixes import dropping, renaming
from dissensus.data.labels import label_values
from dissensus.errors import SHOWN, counted, named, shortened

MOST_LABELS = 30  # past this many different labels they are text or a fine scale, and have no rate
FEWEST = 10  # with fewer answers nobody can be told apart from chance
FEWEST_EQUAL = 5  # fewer equal answers of a judge are no surprise


def constant_judges(table: Table) -> Iterator[Finding]:
    """Judges that give every item the same label."""
    for name, mine in table.answers_of_each() if table.holds == "judges" else ():
        if len(mine) < FEWEST_EQUAL or len(np.unique(table.answer.codes[mine])) > 1:
            continue
        label = shortened(table.answer.texts[int(table.answer.codes[mine[0]])])
        every = f"{label} in all of its {counted(len(mine), 'answer')}"
        varies = _varies(table, mine)
        yield Finding(
            check="constant-judges",
            severity="note" if varies else "warning",
            message=f"The most likely label of the judge {shortened(name)} is {every}, but its probabilities differ."
            if varies
            else f"The judge {shortened(name)} says {every}: it distinguishes nothing.",
            count=len(mine),
            rows=tuple(table.row[mine].tolist()),
            option="" if varies else dropping("judge", [escape(name)]),
        )


def _varies(table: Table, mine: Codes) -> bool:
    """Whether the judge gives probabilities, and not the same ones every time."""
    if table.shares is None:
        return False
    shares = table.shares[mine]
    given = shares[~np.isnan(shares).any(axis=1)]
    return len(given) > 0 and bool(np.ptp(given, axis=0).max() > 0)


# ---- Raters who always answer the same, or give a label far more or less often than the others on the same items

FEWEST_RATERS = 3  # of two who differ, nobody knows which is the odd one
VERY_IMPROBABLE = 1e-6  # so rarely would a rater who answers like the others do it; divided by the number of raters
LARGE = 0.3  # a smaller difference from the others' rate, however sure, is taste and no fault
NORMAL = 1.4826  # the standard deviation of a normal distribution over the median of its absolute values
WHAT = {
    "one-answer": ("with one answer only",) * 2,
    "improbable-rate": (
        "who answers differently from the rest, which may be an honest view",
        "who answer differently from the rest, which may be their honest view",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rates:
    """What each rater answered, and what the others would on the same items, of shape (n_raters, n_labels)."""

    given: Floats  # how often each rater gave each label
    expected: Floats  # how often the others would have
    surprise: Floats  # log of the probability that one who answers like the others does so


def improbable_raters(table: Table) -> Iterator[Finding]:
    """Raters with one answer only, and raters whose rate of a label is far from the others'."""
    if table.holds != "ratings" or table.who is None or not 2 <= len(table.answer.texts) <= MOST_LABELS:  # noqa: PLR2004
        return
    rates = _rates(table, table.who)
    n = rates.given.sum(axis=1)
    limit = VERY_IMPROBABLE / max(1, len(n))
    is_known = n >= FEWEST
    is_constant = is_known & (rates.given.max(axis=1, initial=0) == n)
    lazy = np.flatnonzero(is_constant & (rates.surprise < math.log(limit)))
    yield from _odd_raters(table, "one-answer", lazy, rates, np.argmax(rates.given, axis=1))
    if int(is_known.sum()) >= FEWEST_RATERS:
        far, label = _far(rates, is_known, limit)
        yield from _odd_raters(table, "improbable-rate", np.setdiff1d(far, lazy), rates, label)


def _rates(table: Table, raters: TextColumn) -> _Rates:
    """A label's share on an item is that among its other raters, and one rater more who answers as all do."""
    known = (table.answer.codes >= 0) & (raters.codes >= 0) & (table.item.codes >= 0)
    item, label, who = (c[known] for c in (table.item.codes, table.answer.codes, raters.codes))
    shape = (len(raters.texts), len(table.answer.texts))
    on_item = _counts(item, label, np.ones_like(item), (len(table.item.texts), shape[1]))
    others = on_item.sum(axis=1)[item]  # one of them is the rater, for whom the average one stands in
    overall = (on_item.sum(axis=0) + 0.5) / (on_item.sum() + 0.5 * shape[1])
    given, expected, surprise = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])
    for code in range(shape[1]):
        mine = label == code
        share = (on_item[item, code] - mine + overall[code]) / others
        given[:, code] = np.bincount(who, weights=mine, minlength=shape[0])
        expected[:, code] = np.bincount(who, weights=share, minlength=shape[0])
        surprise += np.bincount(who[mine], weights=np.log(share[mine]), minlength=shape[0])
    return _Rates(given=given, expected=expected, surprise=surprise)


def _far(rates: _Rates, is_known: npt.NDArray[np.bool_], limit: float) -> tuple[Codes, Codes]:
    """Raters whose rate of some label is further from the others' than raters of this file differ, and that label.

    Real raters differ by more than chance. So the distance is measured from the median rater, and in units of how far
    the raters are from there (by the median, which a few odd ones do not move), never of less than chance would do.
    """
    n = np.maximum(rates.given.sum(axis=1, keepdims=True), 1)
    share = rates.expected / n
    apart = (rates.given - rates.expected) / n
    apart -= np.median(apart[is_known], axis=0)
    chance = np.sqrt(np.maximum(share * (1 - share), 1e-12) / n)
    spread = np.maximum(1, NORMAL * np.median(np.abs(apart / chance)[is_known], axis=0))
    z = np.abs(apart) / (chance * spread)
    is_far = (np.abs(apart) > LARGE) & (z > -NormalDist().inv_cdf(limit / 2)) & is_known[:, None]
    return np.flatnonzero(is_far.any(axis=1)), np.argmax(np.where(is_far, z, 0), axis=1)


def _odd_raters(table: Table, check: str, raters: Codes, rates: _Rates, label: Codes) -> Iterator[Finding]:
    """One finding about all of these raters, those with the most answers first."""
    if not raters.size or table.who is None:
        return
    n = rates.given.sum(axis=1)
    raters = raters[np.argsort(-n[raters], kind="stable")]
    described = []
    for code in raters[:SHOWN].tolist():
        text, times = table.answer.texts[label[code]], rates.given[code, label[code]]
        share = "all" if times == n[code] else f"{times / n[code]:.0%}"
        others = rates.expected[code, label[code]] / n[code]
        described.append(
            f"{shortened(table.who.texts[code])} answers {shortened(text)} to {share} of "
            f"{counted(int(n[code]), 'item')}, on which the others do so in {others:.0%}"
        )
    if len(raters) > SHOWN:
        drop = f"{named('drop', of='import_')} rater=NAME leaves one out"
        described.append(f"and {len(raters) - SHOWN:,} more, whom {named('names', of='doctor')} names; {drop}")
    rows = table.row[np.isin(table.who.codes, raters)].tolist()
    names = tuple(table.who.texts[code] for code in raters.tolist())
    yield Finding(
        check=check,
        severity="warning",
        message=f"Look at {counted(len(raters), 'rater')} {WHAT[check][len(raters) > 1]}: {'; '.join(described)}.",
        count=len(rows),
        rows=tuple(rows),
        option=dropping("rater", map(escape, names)) if len(names) <= SHOWN else "",
        is_choice=True,
        names=names,
    )


# ---- A judge or a rater who seems to have two labels the wrong way round

HIGH = 0.7  # agreement that we call high once two labels are swapped
GAIN = 0.3  # by so much the swap must raise agreement: one between labels that are hardly used changes nothing
IMPROBABLE = 0.01  # so rarely would anybody of the file do so by chance; divided by how many they are


def polarity(table: Table) -> Iterator[Finding]:
    """Whose agreement with the others is below chance, and high once two labels are swapped."""
    people = table.people or table
    label = stack([table.answer, people.answer])
    item = stack([table.item, people.item])
    n, n_labels = len(table.row), len(label.texts)
    if table.who is None or not 1 < n_labels <= MOST_LABELS:
        return
    counts = _counts(item.codes[n:], label.codes[n:], people.weight, (len(item.texts), n_labels))
    for code, mine in _by_person(table.who, (label.codes[:n] >= 0) & (item.codes[:n] >= 0)):
        others = counts[item.codes[mine]]
        if people is table:
            others[np.arange(len(mine)), label.codes[mine]] -= 1
        top = np.sort(others, axis=1)[:, -2:]
        has_most = top[:, 1] > top[:, 0]  # where the others are divided, there is nothing to agree with
        answer, truth = label.codes[mine][has_most], np.argmax(others, axis=1)[has_most]
        swap = _swap(answer, truth, n_labels, IMPROBABLE / len(table.who.texts))
        if swap is not None:
            name, rows = table.who.texts[code], table.row[mine].tolist()
            yield _inverted(table, name, (label.texts[swap[0]], label.texts[swap[1]], *swap[2:]), rows, len(answer))


def _by_person(who: TextColumn, is_given: npt.NDArray[np.bool_]) -> Iterator[tuple[int, Codes]]:
    """Each person with enough answers, and their positions; all persons are told apart in one go."""
    given = np.flatnonzero(is_given & (who.codes >= 0))
    order = given[np.argsort(who.codes[given], kind="stable")]
    codes, start = np.unique(who.codes[order], return_index=True)
    for code, mine in zip(codes.tolist(), np.split(order, start[1:]), strict=False):
        if len(mine) >= FEWEST:
            yield code, mine


def _counts(item: Codes, label: Codes, weight: Codes, shape: tuple[int, int]) -> Codes:
    """How often each item got each label."""
    counts: Codes = np.zeros(shape, dtype=np.intp)
    given = (item >= 0) & (label >= 0)
    np.add.at(counts, (item[given], label[given]), weight[given])
    return counts


def _swap(answer: Codes, truth: Codes, n_labels: int, limit: float) -> tuple[int, int, float, float] | None:
    """The two labels whose swap makes agreement high, with the agreement before and after; None if none does."""
    if len(answer) < FEWEST:
        return None
    table: Floats = np.zeros((n_labels, n_labels))
    np.add.at(table, (answer, truth), 1 / len(answer))
    mine, others = table.sum(axis=1), table.sum(axis=0)
    agreement, chance = float(np.trace(table)), float(mine @ others)
    if agreement >= chance:
        return None
    best = None
    for a, b in combinations(range(n_labels), 2):
        after = agreement - table[a, a] - table[b, b] + table[a, b] + table[b, a]
        by_chance = chance + (mine[b] - mine[a]) * (others[a] - others[b])
        deviation = math.sqrt(max(by_chance * (1 - by_chance), 1e-12) / len(answer))
        tail = math.erfc((after - by_chance) / deviation / math.sqrt(2)) / 2  # by the normal curve
        if after >= max(HIGH, agreement + GAIN) and tail < limit and (best is None or after > best[3]):
            best = (a, b, agreement, float(after))
    return best


def _inverted(table: Table, name: str, swap: tuple[str, str, float, float], rows: list[int], n: int) -> Finding:
    a, b, before, after = swap
    is_alone = table.who is not None and len(table.who.texts) == 1
    whom = "people's most common label" if table.people is not None else "the others' most common label"
    return Finding(
        check="inverted-polarity",
        severity="warning",
        message=f"The {table.person} {shortened(name)} agrees with {whom} on {before:.0%} of {counted(n, 'item')}, "
        f"less than by chance, and on {after:.0%} once {shortened(a)} and {shortened(b)} are swapped.",
        count=n,
        rows=tuple(rows),
        option=renaming({a: b, b: a}) if is_alone else dropping(table.person, [escape(name)]),
    )


# ---- Judges whose numbers fall where people's rise

TWO_STEPS = 2


def opposite_numbers(table: Table) -> Iterator[Finding]:
    """Judges whose correlation with the items' mean ratings is below 0 by more than chance."""
    people = table.people
    if people is None or table.shares is not None:
        return
    value, theirs = label_values(table.answer.texts), label_values(people.answer.texts)
    is_binary = set(table.answer.texts) <= set(people.answer.texts) and len(theirs) <= TWO_STEPS
    if is_binary or not len(value) or np.isnan(value).any() or np.isnan(theirs).any():
        return  # the check of polarity reports two labels that are swapped
    item = stack([table.item, people.item])
    n, n_items, who = len(table.row), len(item.texts), table.persons
    rating = _means(item.codes[n:], people.answer.codes, theirs, people.weight, n_items)
    for code, name in enumerate(who.texts):
        answer = _means(item.codes[:n], table.answer.codes, value, table.weight * (who.codes == code), n_items)
        both = ~np.isnan(rating) & ~np.isnan(answer)
        shared = int(both.sum())
        correlation = _correlation(rating[both], answer[both]) if shared >= FEWEST else math.nan
        # By the normal curve; a comparison with NaN is false.
        if math.erfc(-correlation * math.sqrt(max(0, shared - 1)) / math.sqrt(2)) / 2 < IMPROBABLE / len(who.texts):
            yield Finding(
                check="opposite-numbers",
                severity="warning",
                message=f"The numbers of the judge {shortened(name)} fall where people's rise: their correlation "
                f"is {correlation:.2f} over {counted(shared, 'item')}. If its scale is reversed, multiply "
                f"them by -1 in the file, or name it with {named('reverse', of='compare')}.",
                count=shared,
            )


def _means(item: Codes, label: Codes, value: Floats, weight: Codes, n_items: int) -> Floats:
    """The mean number of each item, NaN where there is none."""
    given = (item >= 0) & (label >= 0)
    total = np.bincount(item[given], weights=value[label[given]] * weight[given], minlength=n_items)
    count = np.bincount(item[given], weights=weight[given], minlength=n_items)
    means: Floats = np.divide(total, count, out=np.full(n_items, math.nan), where=count > 0)
    return means


def _correlation(one: Floats, two: Floats) -> float:
    """Pearson's correlation, by which `decide` goes; NaN if one of them is the same throughout."""
    a, b = one - one.mean(), two - two.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0 else math.nan


CHECKS = (constant_judges, improbable_raters, polarity, opposite_numbers)
