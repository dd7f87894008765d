"""What `alt-test` says: can this judge replace a rater."""

import math

from dissensus.errors import DissensusError
from dissensus.methods.alt_test.alt_test import REPLACES_AT
from dissensus.methods.alt_test.options import FEW_ITEMS, Score, Test
from dissensus.methods.alt_test.result import AltTestResult, JudgeTest
from dissensus.options import named
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import (
    are,
    counted,
    p_number,
    percent,
    points,
    quoted,
    sentences,
    short_names,
    with_interval,
)
from dissensus.report.specs import interval_row, intervals, zoomed
from dissensus.results import Result

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
MOST_SENTENCES = 6
MOST_RATERS = 25
"""So many raters are drawn, those in whose place the judge stands worst; the table has them all."""


def view(result: Result) -> Section:
    """Whether a judge can replace a rater: the answer, all judges, the raters one by one, and how it was computed."""
    if not isinstance(result, AltTestResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what alt-test found.")
    tables = [_raters_table(judge) for judge in result.judges[1:] if judge.raters]
    best, baseline, beyond = result.judges[0], baseline_sentence(result), raters_sentence(result)
    tested = [p_value_sentence(best, _alpha(result))] if best.raters else []
    computed = Points(title="", texts=[LEFT_OUT, SCORE_WORDS[result.score], *tested, ADVANTAGE])
    return Section(
        title="Can this judge replace a rater?" if len(result.judges) == 1 else "Which judge can replace a rater?",
        lead=lead_sentence(result),
        blocks=[
            Paragraph(text=epsilon_sentence(result)),
            *([Paragraph(text=beyond)] if beyond else []),
            *_judges(result),
            *([Note(text=baseline) if result.baseline.replaces else Paragraph(text=baseline)] if baseline else []),
            *([_figure(result, best)] if best.raters else []),
            *([Fold(title="The other judges, rater by rater", parts=tables)] if tables else []),
            Fold(title="How this was computed", parts=[computed]),
        ],
    )


def lead_sentence(result: AltTestResult) -> str:
    """The answer: of the one judge, or of all and the best one."""
    best, able = result.judges[0], sum(judge.replaces is True for judge in result.judges)
    of = f"Of {counted(len(result.judges), 'judge')},"
    if best.replaces and best.beats_constant is False:
        beats, it = f"{quoted(best.judge)} does not beat", "it"
        if len(result.judges) > 1:
            beats, it = "No judge beats", "none"
        shown = f"{it} is {'' if it == 'none' else 'not '}shown to replace a rater"
        return (
            f"{beats} always answering {quoted(result.baseline.judge)}, so {shown}: that constant wins against "
            f"{result.baseline.won} of {counted(len(best.raters), 'rater')}, "
            f"{quoted(best.judge)} against {best.won}."
        )
    if best.replaces and result.baseline.replaces:
        # A constant passes the test as well, which then tells nothing of a judge.
        who = quoted(best.judge) if len(result.judges) == 1 else f"{of} {able}"
        passes = "pass" if len(result.judges) > 1 and able > 1 else "passes"
        constant = f"somebody who says {quoted(result.baseline.judge)} of every item"
        return (
            f"{who} {passes} the test for replacing a rater, but so would {constant}, so passing takes no skill here: "
            f"{quoted(best.judge)} wins against {best.won} of {counted(len(best.raters), 'rater')}, that constant "
            f"against {result.baseline.won}."
        )
    if len(result.judges) == 1:
        return judge_sentence(best)
    return (
        f"{of} {able or 'none'} can replace a rater as far as is shown; the largest advantage is that of "
        f"{quoted(best.judge)}. {judge_sentence(best)}"
    )


def judge_sentence(judge: JudgeTest) -> str:
    """Whether one judge can replace a rater, and on what that rests."""
    name, enough = quoted(judge.judge), percent(REPLACES_AT, 0)
    if judge.replaces is None:
        return f"Nothing can be said of {name}: no rater shares enough items with it."
    won = f"it wins against {judge.won} of {counted(len(judge.raters), 'rater')}"
    close = f"is at least as close to the others as the rater in whose place it stands on {percent(judge.advantage)}"
    if judge.replaces:
        return f"{name} can replace a rater: {won} ({enough} are enough) and {close} of the items."
    return f"It is not shown that {name} can replace a rater: {won}, fewer than {enough}, and {close} of the items."


def epsilon_sentence(result: AltTestResult) -> str:
    """What winning against a rater means."""
    size = f"{points(result.epsilon).removesuffix('.0')} percentage points"
    return (
        "A judge wins against a rater if it is shown that the share of items on which the rater is closer to the "
        f"others is less than {size} above the judge's. So much is granted to the judge ({named('epsilon')}), since it "
        "costs less: the authors take 0.2 for experts, 0.15 for skilled raters and 0.1 for crowd workers."
    )


def baseline_sentence(result: AltTestResult) -> str:
    """How somebody fares who does not look at the items; empty where nobody can be compared."""
    constant = result.baseline
    if constant.replaces is None:
        return ""
    who = f"somebody who says {quoted(constant.judge)} of every item, without looking,"
    raters = counted(len(constant.raters), "rater")
    fares = f"against {constant.won} of {raters} (advantage {percent(constant.advantage)})"
    if not constant.replaces:
        return f"For comparison: {who} wins {fares}."
    return (
        f"Winning takes no skill here: {who} would win {fares}. Most ratings are alike, or raters hardly agree, so ask "
        "what a judge is worth beyond that with `dissensus equivalence`."
    )


def p_value_sentence(judge: JudgeTest, alpha: float) -> str:
    """Where the p-values come from, and how they are corrected."""
    kinds = dict.fromkeys(rater.test for rater in judge.raters)
    how = " or ".join(TEST_WORDS[kind] for kind in kinds)
    few = f" where a rater has fewer than {FEW_ITEMS} items" if len(kinds) > 1 else ""
    return (
        f"p-values come from {how}{few}, and are corrected for the number of raters by Benjamini and Yekutieli, since "
        f"raters are compared with each other: of the wins, {percent(alpha, 0)} are expected to be wrong at most."
    )


def _judges(result: AltTestResult) -> list[Block]:
    """All judges in a table, and some in words."""
    names = short_names(judge.judge for judge in result.judges)
    rows: list[list[Cell]] = [
        [names[row.judge], _able(row), _rate(row), f"{row.won} of {len(row.raters)}", row.advantage]
        for row in result.judges
    ]
    constant = result.baseline
    if constant.raters:
        won = f"{constant.won} of {len(constant.raters)}"
        rows.append([f"always {constant.judge}", "-", _rate(constant), won, constant.advantage])
    table = Table(
        caption="Judges in the place of raters, by advantage, and always giving the same answer",
        columns=["Judge", "Replaces a rater", "Winning rate", "Raters won", "Advantage"],
        rows=rows,
        percent=frozenset({"Advantage"}),
    )
    texts = [judge_sentence(judge) for judge in result.judges[1 : MOST_SENTENCES + 1]]
    more = len(result.judges) - 1 - len(texts)
    texts += [f"{counted(more, 'more judge')} {are(more)} in the table."] if more else []
    return [table, *([Points(title="", texts=texts)] if texts else [])]


def _able(judge: JudgeTest) -> str:
    if judge.replaces and judge.beats_constant is False:
        return "not shown"
    return {True: "yes", False: "not shown", None: "unknown"}[judge.replaces]


def _rate(judge: JudgeTest) -> str:
    """The winning rate, with its interval for raters like these."""
    if math.isnan(judge.winning_rate):
        return "-"
    return with_interval(judge.winning_rate, judge.winning_rate_low, judge.winning_rate_high, form=percent)


def raters_sentence(result: AltTestResult) -> str:
    """What the winning rate says of other raters; empty where raters are fixed."""
    best = result.judges[0]
    if math.isnan(best.winning_rate_low):
        return ""
    low, high = percent(best.winning_rate_low, 0), percent(best.winning_rate_high, 0)
    enough = "" if best.winning_rate_low >= REPLACES_AT else ", so the verdict is about these raters"
    return f"Of raters like these, {quoted(best.judge)} would win against {low} to {high}{enough}."


def _figure(result: AltTestResult, best: JudgeTest) -> Figure:
    """The raters in whose place the best judge stands."""
    ordered = sorted(best.raters, key=lambda rater: -rater.difference)[:MOST_RATERS]
    names = short_names(rater.rater for rater in ordered)
    rows = [interval_row(names[row.rater], row.difference, row.low, row.high) for row in ordered]
    axis = ["Items on which the rater is closer, less those of the judge"]
    spec = intervals(rows, names="Rater", values=axis, reference=result.epsilon)
    left_out = f"The {len(rows)} least favourable of {len(best.raters)} raters are drawn."
    return Figure(
        title=f"{quoted(best.judge)} wins against {best.won} of {counted(len(best.raters), 'rater')}",
        caption=sentences(
            "Each line is a rater: the share of items on which the rater is closer to the others than "
            f"{quoted(best.judge)} is, less the share on which the judge is closer. The dashed line is epsilon; where "
            f"the whole whisker, a {percent(1 - 2 * _alpha(result), 0)} interval, lies to its left, the judge would "
            "win if this were the only rater.",
            left_out if len(rows) < len(best.raters) else "",
        ),
        spec=zoomed(spec, rows, anchors=(0.0, result.epsilon)),
        table=_raters_table(best),
    )


def _raters_table(judge: JudgeTest) -> Table:
    names = short_names(rater.rater for rater in judge.raters)
    rows: list[list[Cell]] = [
        [
            names[rater.rater],
            rater.items,
            rater.judge_at_least_as_close,
            rater.rater_at_least_as_close,
            p_number(rater.p_adjusted),
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


def _alpha(result: AltTestResult) -> float:
    alpha = result.settings.get("alpha")
    return alpha if isinstance(alpha, float) else math.nan
