"""What `alt-test` says: can this judge replace a rater."""

import math
from collections.abc import Sequence

from dissensus.errors import DissensusError
from dissensus.methods.alt_test.alt_test import REPLACES_AT
from dissensus.methods.alt_test.options import FEW_ITEMS, Score, Test
from dissensus.methods.alt_test.result import AltTestResult, JudgeTest
from dissensus.options import named
from dissensus.report.document import Cell, Figure, Fold, Section, Table
from dissensus.report.numbers import (
    counted,
    listing,
    p_number,
    percent,
    points,
    sentences,
    short_names,
    shortened,
    with_interval,
)
from dissensus.report.specs import interval_row, intervals, zoomed
from dissensus.report.views.section import asking_texts, how_computed, judge_slots, noted
from dissensus.results import Result

SCORE_WORDS: dict[Score, str] = {
    "accuracy": "Closeness: how many of the other raters gave the same label. A judge counts by its most frequent "
    "label.",
    "rmse": "Closeness: the root mean squared distance to the other raters' numbers. A judge counts by its mean answer "
    "(ordinal scale: rounded).",
    "similarity": "Closeness: the mean Jaccard similarity to the other raters' answers, the options in both over the "
    "options in either. Samples and probabilities of a judge count in proportion.",
}
LEFT_OUT = (
    "Each rater is left out in turn, and judge and rater are compared: who is closer to the other raters of an item? A "
    "tie counts for both."
)
ADVANTAGE = (
    "Advantage: the share of items on which the judge is at least as close as the rater, averaged over raters. Judges "
    "are ranked by it, as it does not depend on epsilon."
)
EPSILON = (
    "A judge wins against a rater if a test shows that it falls behind by less than {size} percentage points of the "
    "items. This allowance ({name}) is for a judge that costs less; the authors take 0.2 for experts, 0.15 for skilled "
    "raters and 0.1 for crowd workers."
)
TEST_WORDS: dict[Test, str] = {
    "t": "a one-sided t-test",
    "sign-flip": "flipping the signs of the differences in every way",
    "exact": "an exact test that keeps its level however few items differ",
}
NO_SKILL = "Passing takes no skill here. `dissensus equivalence` says what a judge is worth beyond a constant answer."
MORE_RATERS = "Ask more raters: {judge} may win against only {low} of raters like these."
MOST_RATERS = 25
"""This number of raters is drawn, those against whom the judge does worst; the table has them all."""
MOST_NAMES = 3
LONGEST = 26
warning_texts = asking_texts


def view(result: Result) -> Section:
    """Whether a judge can replace a rater: the answer, a row for each judge, what to do, and the raters of the best."""
    if not isinstance(result, AltTestResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what alt-test found.")
    best, others = result.judges[0], [judge for judge in result.judges[1:] if judge.raters]
    more = "The other judges, rater by rater"
    return Section(
        title="Can this judge replace a rater?" if len(result.judges) == 1 else "Which judge can replace a rater?",
        lead=lead_sentence(result),
        blocks=[
            _judges_table(result),
            *noted(_notes(result)),
            *([_figure(result, best)] if best.raters else []),
            *([Fold(title=more, parts=[_raters_table(others, caption=more)])] if others else []),
            how_computed(result, _computed(result)),
        ],
    )


def lead_sentence(result: AltTestResult) -> str:
    """Which judges can replace a rater, or why none can."""
    names = short_names((judge.judge for judge in result.judges), LONGEST, has_end=True)
    best, constant = result.judges[0], result.baseline
    if best.replaces is None:
        return f"{names[best.judge]} cannot be tested: no rater shares enough items with it."
    is_alone = len(result.judges) == 1
    nobody = (
        f"{names[best.judge]} is not shown to replace a rater" if is_alone else "No judge is shown to replace a rater"
    )
    passed = [judge for judge in result.judges if judge.replaces]
    able = [judge for judge in passed if judge.beats_constant is not False]
    if passed and not able:
        return (
            f"{nobody}: {_always(result)} wins against {constant.won} of {counted(len(constant.raters), 'rater')}, "
            f"{names[passed[0].judge]} against {passed[0].won}."
        )
    if not able:
        who = "it" if is_alone else f"the best, {names[best.judge]},"
        return f"{nobody}: {who} wins against {_won(best)}, and half are needed."
    who = listing([names[judge.judge] for judge in able], most=MOST_NAMES)
    if constant.replaces:
        passes = "passes" if len(able) == 1 else "pass"
        return f"{who} {passes} the test for replacing a rater, but so does {_always(result)}."
    winner = "it" if len(able) == 1 else names[able[0].judge]
    return f"{who} can replace a rater: {winner} wins against {_won(able[0])}, and half are enough."


def _won(judge: JudgeTest) -> str:
    return f"{judge.won} of {counted(len(judge.raters), 'rater')}"


def _always(result: AltTestResult) -> str:
    return f"always answering {shortened(result.baseline.judge, LONGEST)}"


def _notes(result: AltTestResult) -> list[str]:
    """What to do where the verdict says little."""
    best = result.judges[0]
    texts = [NO_SKILL] if best.replaces and result.baseline.replaces else []
    if best.replaces and best.winning_rate_low < REPLACES_AT:
        low = percent(best.winning_rate_low, 0)
        texts.append(MORE_RATERS.format(judge=shortened(best.judge, LONGEST), low=low))
    return texts


def _judges_table(result: AltTestResult) -> Table:
    """A row for each judge, and one for always giving the same answer."""
    names = short_names((judge.judge for judge in result.judges), LONGEST, has_end=True)
    rows: list[list[Cell]] = [
        [names[judge.judge], replaces_words(judge), _rate(judge), judge.advantage] for judge in result.judges
    ]
    constant = [[f"({_always(result)})", None, _rate(result.baseline), result.baseline.advantage]]
    rows += constant if result.baseline.raters else []
    bounded = any(math.isfinite(judge.winning_rate_low) for judge in result.judges)
    beaten = "Raters beaten, with the interval for raters like these" if bounded else "Raters beaten"
    return Table(
        caption=f"{beaten}; advantage: items on which the judge is at least as close to the others as the rater",
        columns=["Judge", "Replaces a rater", "Raters beaten", "Advantage"],
        rows=rows,
        percent=frozenset({"Advantage"}),
    )


def replaces_words(judge: JudgeTest) -> str:
    """Whether a judge can replace a rater, in a word or two."""
    if judge.replaces and judge.beats_constant is False:
        return "not shown"
    return {True: "yes", False: "not shown", None: "not tested"}[judge.replaces]


def _rate(judge: JudgeTest) -> str | None:
    """How many raters the judge wins against, with the interval of the share."""
    if not judge.raters:
        return None
    bounds = with_interval(0.0, judge.winning_rate_low, judge.winning_rate_high, form=lambda share: percent(share, 0))
    return f"{judge.won} of {len(judge.raters)}{bounds.removeprefix('0%')}"


def _figure(result: AltTestResult, best: JudgeTest) -> Figure:
    """The raters in whose place the best judge stands."""
    ordered = sorted(best.raters, key=lambda rater: -rater.difference)[:MOST_RATERS]
    names, judge = short_names(rater.rater for rater in ordered), shortened(best.judge, LONGEST)
    slot = judge_slots(result, [best.judge])[best.judge]
    rows = [interval_row(names[row.rater], row.difference, row.low, row.high, slot=slot) for row in ordered]
    axis = ["Items on which the rater is closer, less those of the judge"]
    left_out = f"Shown: the {len(rows)} of {len(best.raters)} raters against whom it does worst."
    return Figure(
        title=f"{judge} wins against {_won(best)}",
        caption=sentences(
            f"{judge} wins against a rater if the whole whisker ({percent(1 - 2 * _alpha(result), 0)} interval) lies "
            "left of the dashed line, epsilon. The verdict also corrects for the number of raters.",
            left_out if len(rows) < len(best.raters) else "",
        ),
        spec=zoomed(
            intervals(rows, names="Rater", values=axis, reference=result.epsilon), rows, anchors=(0.0, result.epsilon)
        ),
        table=_raters_table([best], caption=f"{judge} in the place of each rater"),
    )


def _raters_table(judges: Sequence[JudgeTest], *, caption: str) -> Table:
    names = short_names((judge.judge for judge in judges), LONGEST, has_end=True)
    raters = short_names(rater.rater for judge in judges for rater in judge.raters)
    rows: list[list[Cell]] = [
        [names[judge.judge], raters[one.rater], one.items, one.judge_at_least_as_close, one.rater_at_least_as_close,
         p_number(one.p_adjusted), "yes" if one.rejected else "no"]
        for judge in judges
        for one in sorted(judge.raters, key=lambda one: one.p_value)
    ]  # fmt: skip
    columns = ["Judge", "Rater", "Items", "Judge as close", "Rater as close", "p", "Judge wins"]
    first = 0 if len(judges) > 1 else 1
    shares = frozenset({"Judge as close", "Rater as close"})
    return Table(caption=caption, columns=columns[first:], rows=[row[first:] for row in rows], percent=shares)


def _computed(result: AltTestResult) -> list[str]:
    epsilon = EPSILON.format(size=points(result.epsilon).removesuffix(".0"), name=named("epsilon"))
    kinds = dict.fromkeys(rater.test for rater in result.judges[0].raters)
    few = f" for raters with fewer than {FEW_ITEMS} items" if len(kinds) > 1 else ""
    tested = (
        f"p-values: {' or '.join(TEST_WORDS[kind] for kind in kinds)}{few}, corrected for the number of raters "
        f"(Benjamini and Yekutieli): at most {percent(_alpha(result), 0)} of the wins should be wrong."
    )
    return [LEFT_OUT, SCORE_WORDS[result.score], epsilon, tested if kinds else "", ADVANTAGE]


def _alpha(result: AltTestResult) -> float:
    alpha = result.settings.get("alpha")
    return alpha if isinstance(alpha, float) else math.nan
