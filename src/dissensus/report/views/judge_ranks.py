"""The charts of ranks: each judge by each definition, and how alike definitions rank."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from dissensus.methods.judges.result import JudgeValue
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import DASH, counted, decimal, percent, quoted, told_apart
from dissensus.report.specs import Row, likeness, rank_lines
from dissensus.report.text import sparkline
from dissensus.report.views.judge_choice import Choice, Kind, chart_name, short_interval, value_digits

MOST_LINES = 8
"""As many lines as there are colours."""
LONGEST_NAME = 25
APART = 0.14
"""How far judges that share a rank stand apart."""
SAME = 1 - 1e-9
"""A rank correlation of 1, but for rounding."""
ENOUGH_JUDGES = 3
"""Of two judges there is one pair only, which the table of definitions tells already."""


def rank_correlation(first: Kind, second: Kind) -> float:
    """Kendall's tau of two kinds: pairs of judges ranked alike less those ranked the other way round, as a share.

    Pairs that either kind ties or leaves undefined count as neither; NaN where there is no pair at all.
    """
    pairs = list(combinations(zip(_ranks(first), _ranks(second), strict=True), 2))
    ways = [_way(a[0], b[0]) * _way(a[1], b[1]) for a, b in pairs]
    return sum(ways) / len(ways) if ways else math.nan


def _ranks(kind: Kind) -> list[int | None]:
    return [value.rank for value in kind.first.values]


def _way(a: int | None, b: int | None) -> int:
    return 0 if a is None or b is None else (a < b) - (a > b)


def most_alike_first(choice: Choice) -> list[Kind]:
    """The kinds with a best judge: the one to select by first, then those that rank most as it does."""
    defined = [kind for kind in choice.kinds if kind.best]
    main = choice.select_by
    return sorted(
        defined, key=lambda kind: -2.0 if kind is main else 0.0 if main is None else -rank_correlation(main, kind)
    )


def drawn_judges(choice: Choice) -> list[str]:
    """The judges that the charts have room for: those that some definition picks, then the best of the others."""
    names = [value.judge for value in choice.ranked]
    wanted = {judge for kind in choice.voting for judge in kind.best}
    kept = sorted(names, key=lambda name: (name not in wanted, names.index(name)))[:MOST_LINES]
    return [name for name in names if name in kept]


def left_out_sentence(choice: Choice, drawn: Sequence[str]) -> str:
    """How many judges are not drawn; empty if all are."""
    left = len(choice.ranked) - len(drawn)
    return f"{counted(left, 'more judge')} {'is' if left == 1 else 'are'} in the table only." if left else ""


def judge_names(choice: Choice) -> dict[str, str]:
    """A short name for each judge, no two alike."""
    return told_apart((value.judge for value in choice.ranked), LONGEST_NAME, has_end=True)


def ranks_figure(choice: Choice) -> Figure:
    """The bump chart: a line for each judge through its ranks."""
    kinds, names, drawn = most_alike_first(choice), judge_names(choice), drawn_judges(choice)
    rows: list[Row] = []
    for kind in kinds:
        for judge in drawn:
            value = kind.first.of(judge)
            if value.rank is not None:
                rows.append(_rank_row(kind, value, names, chart_name(kind), is_main=judge == drawn[0]))
    caption = (
        "From left to right in each line: the judges from best to worst by one definition. The first line is the "
        "definition to select by; below it those come first that rank judges most as it does. Judges that tie stand "
        f"beside each other. {left_out_sentence(choice, drawn)}"
    )
    return Figure(
        title=_ranks_finding(choice, kinds),
        caption=caption.strip(),
        spec=rank_lines(
            rows,
            names="Definition",
            series="Judge",
            ranks="Rank (1 is best)",
            values="Value",
            last=len(choice.ranked),
        ),
        table=_ranks_table(choice, kinds, names),
        spark=_ranks_spark(choice, kinds),
    )


def _rank_row(kind: Kind, value: JudgeValue, names: Mapping[str, str], title: str, *, is_main: bool) -> Row:
    tied = [other.judge for other in kind.first.values if other.rank == value.rank]
    offset = APART * (tied.index(value.judge) - (len(tied) - 1) / 2)
    share = DASH if math.isnan(value.share_best) else f"{percent(value.share_best)} of the samples"
    return {
        "name": title,
        "series": names[value.judge],
        "rank": value.rank,
        "shown": (value.rank or 0) + max(min(offset, 0.4), -0.4),
        "value": short_interval(value, value_digits(kind.first.values)),
        "share": share,
        "is_main": is_main,
    }


def _ranks_finding(choice: Choice, kinds: Sequence[Kind]) -> str:
    picked = choice.picked
    if picked is None:
        return "Ranks of the judges by each definition"
    ranks = [kind.first.of(picked.judge).rank for kind in kinds if kind.looks_at_people]
    agreeing = choice.agreeing(picked.judge)
    tied = sum(len(kind.best) > 1 for kind in agreeing)
    if len(agreeing) == len(ranks):
        alone = f", {'always' if tied == len(ranks) else f'by {tied} of them'} with another judge" if tied else ""
        return f"{quoted(picked.judge)} comes first by every definition that looks at people{alone}"
    last = max(filter(None, ranks))
    worst = f"and in place {last} by the one that ranks it lowest" if last > 1 else "and has no place by the others"
    alone = f" and ties for first by {tied}" if tied else ""
    return f"{quoted(picked.judge)} comes first by {len(agreeing) - tied} of {len(ranks)} definitions{alone}, {worst}"


def _ranks_table(choice: Choice, kinds: Sequence[Kind], names: Mapping[str, str]) -> Table:
    rows: list[list[Cell]] = []
    for kind in kinds:
        for value in sorted(kind.first.values, key=lambda value: value.rank or math.inf):
            said = short_interval(value, value_digits(kind.first.values))
            rows.append([kind.name, names[value.judge], value.rank, said, value.share_best])
    return Table(
        caption=f"Every judge by every definition, at tau {choice.tau:g}",
        columns=["Definition", "Judge", "Rank", "Value", "Best in"],
        rows=rows,
        percent=frozenset({"Best in"}),
    )


def _ranks_spark(choice: Choice, kinds: Sequence[Kind]) -> str | None:
    if choice.picked is None:
        return None
    judge, last = choice.picked.judge, len(choice.ranked)
    heights = [last + 1.0 - (kind.first.of(judge).rank or last + 1) for kind in kinds]
    return f"place of {quoted(judge)} by each definition |{sparkline(heights)}| full: first of {last}"


def likeness_figures(choice: Choice) -> list[Figure]:
    """The heat map of rank correlations; none where there are too few judges or definitions."""
    kinds = [kind for kind in most_alike_first(choice) if kind.looks_at_people]
    if len(choice.ranked) < ENOUGH_JUDGES or len(kinds) < 2:  # noqa: PLR2004 - there is nothing to compare
        return []
    names = [f"{i} {chart_name(kind)}" for i, kind in enumerate(kinds, start=1)]
    found = {(i, j): rank_correlation(a, b) for i, a in enumerate(kinds) for j, b in enumerate(kinds)}
    rows: list[Row] = [
        {"first": names[i], "second": names[j], "across": j + 1, "value": value} for (i, j), value in found.items()
    ]
    pairs = sorted(((value, i, j) for (i, j), value in found.items() if i < j), key=lambda pair: pair[0])
    table: list[list[Cell]] = [[kinds[i].name, kinds[j].name, value] for value, i, j in pairs]
    return [
        Figure(
            title=_likeness_finding(kinds, pairs),
            caption="Kendall's rank correlation of the judges by two definitions: 1 is the same order, -1 the opposite "
            "one, 0 as many pairs of judges one way as the other. The fuller the colour the more alike; the other "
            "colour and a minus mark opposite orders. The numbers across are those of the names.",
            spec=likeness(rows, names, values="Rank correlation"),
            table=Table(
                caption="Rank correlation of each two definitions, the least alike first",
                columns=["One", "Other", "Rank correlation"],
                rows=table,
                digits=2,
            ),
            spark=_likeness_spark(kinds, [found[0, j] for j in range(len(kinds))]),
        )
    ]


def _likeness_finding(kinds: Sequence[Kind], pairs: Sequence[tuple[float, int, int]]) -> str:
    value, i, j = pairs[0]
    if value > SAME:
        return "All definitions put the judges in the same order"
    share = sum(pair[0] > SAME for pair in pairs) / len(pairs)
    return (
        f"{percent(share, 0)} of the pairs of definitions put the judges in the same order; {kinds[i].name} and "
        f"{kinds[j].name} agree least ({decimal(value)})"
    )


def _likeness_spark(kinds: Sequence[Kind], values: Sequence[float]) -> str:
    heights = [(value + 1) / 2 for value in values]
    return f"order of {kinds[0].name} |{sparkline(heights)}| full: same"
