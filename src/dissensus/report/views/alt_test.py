"""What `alt-test` says: can this judge replace a rater."""

import math

from dissensus.errors import DissensusError
from dissensus.methods.alt_test.alt_test import REPLACES_AT
from dissensus.methods.alt_test.options import FEW_ITEMS, Score, Test
from dissensus.methods.alt_test.result import AltTestResult, JudgeTest, RaterTest
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, decimal, percent, quoted, told_apart
from dissensus.report.specs import Row, intervals
from dissensus.report.specs.shapes import zoomed
from dissensus.results import Result

# ---- Whether a judge can replace a rater, in words

SCORE_WORDS: dict[Score, str] = {
    "accuracy": "Closeness is accuracy: how many of the other raters gave the same label. Of a judge with several "
    "samples or with probabilities it is the most frequent label that counts.",
    "rmse": "Closeness is the root mean squared distance to the numbers of the other raters. Of a judge it is the mean "
    "answer that counts, on an ordinal scale the label nearest to it.",
    "similarity": "Closeness is the mean Jaccard similarity to the answers of the other raters: the options in both "
    "answers over the options in either. Samples and probabilities of a judge count in proportion.",
}
LEFT_OUT = (
    "Each rater is left out in turn; judge and rater are compared on how close they are to the remaining raters of "
    "each item. As close counts ties for both."
)
ADVANTAGE = (
    "The advantage is the mean over raters of the share of items on which the judge is at least as close; it does not "
    "depend on epsilon, so judges are compared by it."
)
TEST_WORDS: dict[Test, str] = {
    "t": "a one-sided t-test",
    "sign-flip": "flipping the signs of the differences in every way",
    "exact": "an exact test that keeps its level however few items differ",
}


def lead_sentence(result: AltTestResult) -> str:
    """The answer: of the one judge, or of all and the best one."""
    best = result.judges[0]
    if best.replaces and result.baseline.replaces:
        return _no_skill(result)
    said = judge_sentence(best)
    if len(result.judges) > 1:
        able = sum(judge.replaces is True for judge in result.judges) or "none"
        said = (
            f"Of {counted(len(result.judges), 'judge')}, {able} can replace a rater as far as is shown; the largest "
            f"advantage is that of {quoted(best.judge)}. {said}"
        )
    return said


def _no_skill(result: AltTestResult) -> str:
    """The answer where a constant passes the test as well, which then tells nothing of a judge."""
    best = result.judges[0]
    able = sum(judge.replaces is True for judge in result.judges)
    many = f"Of {counted(len(result.judges), 'judge')}, {able} {'passes' if able == 1 else 'pass'}"
    who = f"{quoted(best.judge)} passes" if len(result.judges) == 1 else many
    won = f"wins against {best.won} of {counted(len(best.raters), 'rater')}"
    constant = f"somebody who says {quoted(result.baseline.judge)} of every item"
    return (
        f"{who} the test for replacing a rater, but so would {constant}, so passing takes no skill here: "
        f"{quoted(best.judge)} {won}, that constant against {result.baseline.won}."
    )


def judge_sentence(judge: JudgeTest) -> str:
    """Whether one judge can replace a rater, and on what that rests."""
    name = quoted(judge.judge)
    if judge.replaces is None:
        return f"Nothing can be said of {name}: no rater shares enough items with it."
    won = f"it wins against {judge.won} of {counted(len(judge.raters), 'rater')}"
    close = f"is at least as close to the others as the rater in whose place it stands on {percent(judge.advantage)}"
    if judge.replaces:
        return f"{name} can replace a rater: {won} ({percent(REPLACES_AT, 0)} are enough) and {close} of the items."
    return (
        f"It is not shown that {name} can replace a rater: {won}, fewer than {percent(REPLACES_AT, 0)}, and {close} of "
        "the items."
    )


def epsilon_sentence(result: AltTestResult) -> str:
    """What winning against a rater means."""
    points = f"{decimal(100 * result.epsilon, 1).removesuffix('.0')} percentage points"
    return (
        "A judge wins against a rater if it is shown that the share of items on which the rater is closer to the "
        f"others is less than {points} above the judge's. So much is granted to the judge (--epsilon), since it costs "
        "less: the authors take 0.2 for experts, 0.15 for skilled raters and 0.1 for crowd workers."
    )


def baseline_sentence(result: AltTestResult) -> str:
    """How somebody fares who does not look at the items; empty where nobody can be compared."""
    constant = result.baseline
    if constant.replaces is None:
        return ""
    who = f"somebody who says {quoted(constant.judge)} of every item, without looking,"
    fares = (
        f"against {constant.won} of {counted(len(constant.raters), 'rater')} (advantage {percent(constant.advantage)})"
    )
    if not constant.replaces:
        return f"For comparison: {who} wins {fares}."
    return (
        f"Winning takes no skill here: {who} would win {fares}. Most ratings are alike, or raters hardly agree, so ask "
        "what a judge is worth beyond that with `dissensus equivalence`."
    )


def finding_sentence(judge: JudgeTest) -> str:
    """What the chart of the raters shows."""
    return f"{quoted(judge.judge)} wins against {judge.won} of {counted(len(judge.raters), 'rater')}"


def p_value_sentence(judge: JudgeTest, alpha: float) -> str:
    """Where the p-values come from, and how they are corrected."""
    kinds = dict.fromkeys(rater.test for rater in judge.raters)
    how = " or ".join(TEST_WORDS[kind] for kind in kinds)
    few = f" where a rater has fewer than {FEW_ITEMS} items" if len(kinds) > 1 else ""
    return (
        f"p-values come from {how}{few}, and are corrected for the number of raters by Benjamini and Yekutieli, since "
        f"raters are compared with each other: of the wins, {percent(alpha, 0)} are expected to be wrong at most."
    )


def p_text(rater: RaterTest) -> str:
    """A corrected p-value in a table.

    Examples
    --------
    >>> rater = RaterTest(rater="ann", items=40, p_value=0.0001, p_adjusted=0.0002, rejected=True,
    ...     judge_at_least_as_close=0.9, rater_at_least_as_close=0.8, difference=-0.1, low=-0.2, high=0.0, test="t")
    >>> p_text(rater)
    '< 0.001'
    """
    if not math.isfinite(rater.p_adjusted):
        return "-"
    return decimal(rater.p_adjusted, 3) if rater.p_adjusted >= 0.001 else "< 0.001"  # noqa: PLR2004 - three decimals


# ---- What `alt-test` says: can this judge replace a rater

MOST_SENTENCES = 6
MOST_RATERS = 25
"""So many raters are drawn, those in whose place the judge stands worst; the table has them all."""


def view(result: Result) -> Section:
    """Whether a judge can replace a rater: the answer, all judges, the raters one by one, and how it was computed."""
    if not isinstance(result, AltTestResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what alt-test found.")
    return Section(
        title="Can this judge replace a rater?" if len(result.judges) == 1 else "Which judge can replace a rater?",
        lead=lead_sentence(result),
        blocks=[
            Paragraph(text=epsilon_sentence(result)),
            *_judges(result),
            *_baseline(result),
            *_figure(result),
            *_others(result),
            _computed(result),
        ],
    )


def _judges(result: AltTestResult) -> list[Block]:
    """All judges in a table, and some in words."""
    names = told_apart(judge.judge for judge in result.judges)
    rows: list[list[Cell]] = [
        [
            names[judge.judge],
            {True: "yes", False: "not shown", None: "unknown"}[judge.replaces],
            judge.winning_rate,
            f"{judge.won} of {len(judge.raters)}",
            judge.advantage,
        ]
        for judge in result.judges
    ]
    table = Table(
        caption="Judges in the place of raters, by advantage",
        columns=["Judge", "Replaces a rater", "Winning rate", "Raters won", "Advantage"],
        rows=rows,
        percent=frozenset({"Winning rate", "Advantage"}),
    )
    said = [judge_sentence(judge) for judge in result.judges[1 : MOST_SENTENCES + 1]]
    more = len(result.judges) - 1 - len(said)
    said += [f"{counted(more, 'more judge')} {'is' if more == 1 else 'are'} in the table."] if more else []
    return [table, *([Points(title="", texts=said)] if said else [])]


def _baseline(result: AltTestResult) -> list[Block]:
    said = baseline_sentence(result)
    if not said:
        return []
    return [Note(text=said) if result.baseline.replaces else Paragraph(text=said)]


def _figure(result: AltTestResult) -> list[Block]:
    """The raters in whose place the best judge stands."""
    best = result.judges[0]
    if not best.raters:
        return []
    rows = _rows(best)
    spec = intervals(
        rows, names="Rater", values=["Items on which the rater is closer, less those of the judge"],
        reference=result.epsilon,
    )  # fmt: skip
    more = len(best.raters) - len(rows)
    drawn = f" The {len(rows)} least favourable of {len(best.raters)} raters are drawn." if more else ""
    return [
        Figure(
            title=finding_sentence(best),
            caption=f"Each line is a rater: the share of items on which the rater is closer to the others than "
            f"{quoted(best.judge)} is, less the share on which the judge is closer. The dashed line is epsilon; where "
            f"the whole whisker, a {percent(1 - 2 * _alpha(result), 0)} interval, lies to its left, the judge would "
            f"win if this were the only rater.{drawn}",
            spec=zoomed(spec, rows, anchors=(0.0, result.epsilon)),
            table=_raters_table(best),
        )
    ]


def _rows(judge: JudgeTest) -> list[Row]:
    ordered = sorted(judge.raters, key=lambda rater: -rater.difference)[:MOST_RATERS]
    names = told_apart(rater.rater for rater in ordered)
    return [
        {
            "name": names[rater.rater],
            "value": rater.difference,
            "low": rater.low if math.isfinite(rater.low) else None,
            "high": rater.high if math.isfinite(rater.high) else None,
        }
        for rater in ordered
    ]


def _raters_table(judge: JudgeTest) -> Table:
    names = told_apart(rater.rater for rater in judge.raters)
    rows: list[list[Cell]] = [
        [
            names[rater.rater],
            rater.items,
            rater.judge_at_least_as_close,
            rater.rater_at_least_as_close,
            p_text(rater),
            "yes" if rater.rejected else "no",
        ]
        for rater in sorted(judge.raters, key=lambda rater: rater.p_value)
    ]
    return Table(
        caption=f"{quoted(judge.judge)} in the place of each rater",
        columns=["Rater", "Items", "Judge as close", "Rater as close", "p", "Judge wins"],
        rows=rows,
        percent=frozenset({"Judge as close", "Rater as close"}),
    )


def _others(result: AltTestResult) -> list[Block]:
    tables = [_raters_table(judge) for judge in result.judges[1:] if judge.raters]
    return [Fold(title="The other judges, rater by rater", parts=tables)] if tables else []


def _computed(result: AltTestResult) -> Block:
    best = result.judges[0]
    tested = [p_value_sentence(best, _alpha(result))] if best.raters else []
    return Fold(
        title="How this was computed",
        parts=[Points(title="", texts=[LEFT_OUT, SCORE_WORDS[result.score], *tested, ADVANTAGE])],
    )


def _alpha(result: AltTestResult) -> float:
    alpha = result.settings.get("alpha")
    return alpha if isinstance(alpha, float) else math.nan
