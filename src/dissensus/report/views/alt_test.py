"""What `alt-test` says: can this judge replace a rater."""

import math

from dissensus.methods.alt_test.alt_test import REPLACES_AT
from dissensus.methods.alt_test.result import AltTestResult, JudgeTest, Score
from dissensus.options import named
from dissensus.report.document import Cell, Figure, Section, Table
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
from dissensus.report.specs.shapes import interval_row, intervals, zoomed
from dissensus.report.views.judge_words import AS_IS
from dissensus.report.views.section import how_computed, judge_slots, noted, setting

SCORE_WORDS: dict[Score, str] = {
    "accuracy": "Closeness: how many other raters gave the same label; a judge counts by its most frequent label.",
    "rmse": "Closeness: the root mean squared distance between the judge's mean answer and the raters' numbers.",
    "similarity": "Closeness: the mean Jaccard similarity to the other raters' answers.",
}
LEFT_OUT = "Each rater is left out in turn: who is closer to the other raters of an item, judge or rater?"
EPSILON = "A judge wins if a test shows that it is behind the rater by less than {size} percentage points ({name})."
NO_SKILL = "Passing takes no skill here. `dissensus equivalence` says what a judge is worth beyond a constant answer."
CHOOSE = "Choose a judge with `dissensus decide`: this test compares answers as they are, not what a judge knows."
MORE_RATERS = "Ask more raters to show that {judge} wins: it may win against only {low} of raters like these."
MOST_RATERS = 25
"""This number of raters is drawn, those against whom the judge does worst; the table has them all."""
MOST_NAMES = 3
LONGEST = 26


def view(result: AltTestResult) -> Section:
    """Whether a judge can replace a rater: the answer, a row for each judge, what to do, and the raters of the best."""
    best = result.judges[0]
    return Section(
        title="Can this judge replace a rater?" if len(result.judges) == 1 else "Which judge can replace a rater?",
        lead=lead_sentence(result),
        blocks=[
            _judges_table(result),
            *noted(_notes(result)),
            *([_figure(result, best)] if best.raters else []),
            how_computed(_computed(result)),
        ],
    )


def lead_sentence(result: AltTestResult) -> str:
    """Which judges can replace a rater, or why none can."""
    names = short_names((judge.judge for judge in result.judges), LONGEST, has_end=True)
    best, constant = result.judges[0], result.baseline
    if best.replaces is None:
        return f"{names[best.judge]} cannot be tested: no rater shares enough items with it."
    is_alone = len(result.judges) == 1
    nobody = f"{AS_IS}, {f'{names[best.judge]} is not' if is_alone else 'no judge is'} shown to replace a rater"
    passed = [judge for judge in result.judges if judge.replaces]
    able = [judge for judge in passed if judge.beats_constant is not False]
    if passed and not able:
        return (
            f"{nobody}: {names[passed[0].judge]} beats {_won(passed[0])}, and {_always(result)} beats {constant.won}."
        )
    if not able and not (is_alone or best.won):
        return f"{nobody}: none beats a single rater, where half are needed."
    if not able:
        wins = "it beats" if is_alone else f"{names[best.judge]} beats the most,"
        return f"{nobody}: {wins} {_won(best)}, where half are needed."
    who = listing([names[judge.judge] for judge in able], most=MOST_NAMES)
    if constant.replaces:
        passes = "passes" if len(able) == 1 else "pass"
        return f"{AS_IS}, {who} {passes} the test for replacing a rater, but so does {_always(result)}."
    winner = "it" if len(able) == 1 else names[able[0].judge]
    return f"{AS_IS}, {who} can replace a rater: {winner} beats {_won(able[0])}, and half are enough."


def _won(judge: JudgeTest) -> str:
    return f"{judge.won} of {counted(len(judge.raters), 'rater')}"


def _always(result: AltTestResult) -> str:
    return f"always answering {shortened(result.baseline.judge, LONGEST)}"


def _notes(result: AltTestResult) -> list[str]:
    """What to do where the verdict says little."""
    best = result.judges[0]
    texts = [NO_SKILL] if best.replaces and result.baseline.replaces else []
    texts += [CHOOSE] if not best.won and sum(judge.replaces is not None for judge in result.judges) > 1 else []
    if best.replaces and best.winning_rate_low < REPLACES_AT:
        low = percent(best.winning_rate_low, 0)
        texts.append(MORE_RATERS.format(judge=shortened(best.judge, LONGEST), low=low))
    return texts


def _judges_table(result: AltTestResult) -> Table:
    """A row for each judge, and one for always giving the same answer."""
    names = short_names((judge.judge for judge in result.judges), LONGEST, has_end=True)
    rows: list[list[Cell]] = [
        [names[judge.judge], replaced_by(result)[judge.judge], _rate(judge), judge.advantage] for judge in result.judges
    ]
    passes = "yes" if result.baseline.replaces else "no"
    constant = [[f"({_always(result)})", passes, _rate(result.baseline), result.baseline.advantage]]
    rows += constant if result.baseline.raters else []
    bounded = any(math.isfinite(judge.winning_rate_low) for judge in result.judges)
    beaten = "Raters beaten, with the interval for raters like these" if bounded else "Raters beaten"
    return Table(
        caption=f"{beaten}; advantage: items on which the judge is at least as close to the others as the rater",
        columns=["Judge", "Replaces a rater", "Raters beaten", "Advantage"],
        rows=rows,
        percent=frozenset({"Advantage"}),
    )


def replaced_by(result: AltTestResult | None) -> dict[str, str]:
    """Whether each judge can replace a rater, in a few words; where a constant passes too, that."""
    passes = "so does a constant" if result is not None and result.baseline.replaces else "yes"
    words = {True: passes, False: "not shown", None: "not tested"}
    judges = () if result is None else result.judges
    return {own.judge: words[own.replaces and own.beats_constant is not False] for own in judges}


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
    spec = intervals(rows, names="Rater", values=axis, reference=result.epsilon)
    left_out = f"Shown: the {len(rows)} of {len(best.raters)} raters against whom it does worst."
    width = percent(1 - 2 * setting(result.settings, "alpha", math.nan), 0)
    return Figure(
        title=f"{judge} wins against {_won(best)}",
        caption=sentences(
            f"{judge} wins against a rater if the whole whisker ({width} interval) lies left of the dashed line, "
            "epsilon. The verdict also corrects for the number of raters.",
            left_out if len(rows) < len(best.raters) else "",
        ),
        spec=zoomed(spec, rows, anchors=(0.0, result.epsilon)),
        table=_raters_table(best),
    )


def _raters_table(judge: JudgeTest) -> Table:
    names = short_names(one.rater for one in judge.raters)
    return Table(
        caption=f"{shortened(judge.judge, LONGEST)} in the place of each rater",
        columns=["Rater", "Items", "Judge as close", "Rater as close", "p", "Judge wins"],
        rows=[
            [names[one.rater], one.items, one.judge_at_least_as_close, one.rater_at_least_as_close,
             p_number(one.p_adjusted), "yes" if one.rejected else "no"]
            for one in sorted(judge.raters, key=lambda one: one.p_value)
        ],
        percent=frozenset({"Judge as close", "Rater as close"}),
    )  # fmt: skip


def _computed(result: AltTestResult) -> list[str]:
    epsilon = EPSILON.format(size=points(result.epsilon).removesuffix(".0"), name=named("epsilon"))
    wrong = f"at most {percent(setting(result.settings, 'alpha', math.nan), 0)} of the wins should be wrong"
    corrected = f"p-values are corrected for the number of raters (Benjamini and Yekutieli): {wrong}."
    return [LEFT_OUT, SCORE_WORDS[result.score], epsilon, corrected]
