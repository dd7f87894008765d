"""What `equivalence` says: how many raters is each judge worth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.errors import DissensusError
from dissensus.methods.equivalence.result import (
    AmateurPoint,
    Ceiling,
    CurvePoint,
    EquivalenceResult,
    JudgeDifference,
    JudgeWorth,
)
from dissensus.report.document import Block, Cell, Fold, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, decimal, percent, quoted, told_apart, with_interval
from dissensus.report.views.intervals import interval_sentence
from dissensus.report.views.power_curve import curve_figure
from dissensus.report.views.surveys import (
    Settings,
    Terms,
    calibration_sentence,
    clip_sentence,
    combiner_sentence,
    exactness_sentence,
    items_sentence,
    reference_sentence,
    score_sentence,
    score_words,
    terms_of,
)
from dissensus.report.views.worth import (
    CALIBRATION_MATTERS,
    FLAT,
    below_hint,
    curve_sentence,
    decision_sentence,
    falling_sentence,
    fraction_sentence,
    is_flat,
    judge_name,
    judge_sentence,
    nearly_flat_sentence,
    reach_sentence,
    samples,
    shares_sentence,
    worth_in_short,
    worth_text,
)
from dissensus.results import Result

# ---- What stands beside a judge's worth: other judges, the ceiling of what can be known, and amateurs against experts


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One judge against another: how much more it is worth, and in which share of the samples it is better."""

    judge: JudgeWorth
    other: JudgeWorth
    difference: float
    low: float
    high: float
    share_better: float


def compared(judge: JudgeWorth, other: JudgeWorth, differences: Sequence[JudgeDifference]) -> Comparison | None:
    """The comparison of two judges, whichever of them the result names first."""
    for found in differences:
        if (found.judge_a, found.judge_b) == (judge.name, other.name):
            ends, share = (found.difference, found.low, found.high), found.share_a_better
        elif (found.judge_a, found.judge_b) == (other.name, judge.name):
            ends, share = (-found.difference, -found.high, -found.low), 1 - found.share_a_better
        else:
            continue
        return Comparison(judge=judge, other=other, difference=ends[0], low=ends[1], high=ends[2], share_better=share)
    return None


def difference_sentence(found: Comparison, terms: Terms) -> str:
    """How much more one judge is worth than another, and how sure it is that it is better at all."""
    one, other = judge_name(found.judge), judge_name(found.other)
    share = f" in {samples(found.share_better)}" if math.isfinite(found.share_better) else ""
    if not math.isfinite(found.difference):
        far = f"; how many {terms.raters} apart they are is unknown, since they are not both on the curve"
        return f"{one} predicts people better than {other}{share}{far if terms.largest else ''}."
    if found.difference == found.low == found.high == 0:
        return f"{one} and {other} are worth the same in every bootstrap sample."
    more = "more" if found.difference >= 0 else "less"
    ends = (found.low, found.high) if found.difference >= 0 else (-found.high, -found.low)
    said = f"{one} is worth {with_interval(abs(found.difference), *ends)} {terms.raters} {more} than {other}"
    return f"{said}; it predicts people better{share}." if share else f"{said}."


def ceiling_sentence(ceiling: Ceiling, curve: Sequence[CurvePoint], terms: Terms) -> str:
    """What no survey and no judge can exceed."""
    gain = with_interval(ceiling.gain, ceiling.low, ceiling.high, form=lambda value: decimal(value, 3))
    reached = (curve[-1].score - curve[0].score) / ceiling.gain if ceiling.gain > 0 else math.nan
    part = (
        f" Asking {terms.people(terms.largest)} reaches {percent(reached, 0)} of it." if math.isfinite(reached) else ""
    )
    return (
        f"However many people are asked, nobody and nothing can tell more than {gain} bits about {terms.target}: the "
        f"rest is disagreement among people.{part}"
    )


def ratio_sentence(worth: JudgeWorth) -> str:
    """A judge's information as a share of the ceiling; empty where there is none."""
    if worth.performance_ratio is None or not math.isfinite(worth.performance_ratio):
        return ""
    low, high = (
        math.nan if end is None else end for end in (worth.performance_ratio_low, worth.performance_ratio_high)
    )
    ratio = with_interval(worth.performance_ratio, low, high, form=lambda share: percent(share, 0))
    return f"{judge_name(worth)} reaches {ratio} of it."


def amateurs_sentence(point: AmateurPoint, curve: Sequence[CurvePoint], settings: Settings, terms: Terms) -> str:
    """How many experts so many amateurs are worth."""
    who = quoted(str(settings.get("amateurs", "amateur")))
    asked = f"{counted(point.raters, f'{who} rater')} {'is' if point.raters == 1 else 'are'} worth"
    if math.isfinite(point.worth_experts):
        return f"{asked} {decimal(point.worth_experts)} {terms.raters}."
    if point.score < curve[0].score:
        return f"{asked} less than asking nobody: {terms.nobody} does better."
    return f"{asked} more than {terms.largest} {terms.raters}, the largest survey of them here."


# ---- What `equivalence` says: how many raters is each judge worth

MOST_SENTENCES = 6


def view(result: Result) -> Section:
    """How many raters each judge is worth: the answer, each judge, the power curve, and how it was computed."""
    if not isinstance(result, EquivalenceResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what equivalence found.")
    terms = terms_of(result.settings, largest=result.curve[-1].raters)
    ranked = best_first(result.judges)
    return Section(
        title="How many raters is each judge worth?",
        lead=_lead(result, ranked, terms),
        blocks=[
            *_meaning(result, ranked, terms),
            *_judges(result, ranked, terms),
            *_curve(result, ranked, terms),
            *_others(result, ranked, terms),
            *_amateurs(result, terms),
            *_computed(result, terms),
        ],
    )


def best_first(judges: Sequence[JudgeWorth]) -> list[JudgeWorth]:
    """One entry for each judge, calibrated if it was calibrated, the best first."""
    by_name = {worth.judge: worth for worth in judges}  # calibrated judges come after themselves raw
    return sorted(by_name.values(), key=lambda w: -w.score if math.isfinite(w.score) else math.inf)


def _lead(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> str:
    if not ranked:
        return "There is no judge to compare with people."
    if ranked[0].verdict == "within" and is_flat(result.curve):
        return FLAT
    return worth_in_short(ranked[0], result.settings, terms, judges=len(ranked))


def _meaning(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """What the best judge's number means, and what is to be done with it."""
    if not ranked or is_flat(result.curve):
        return []
    best = ranked[0]
    said = [fraction_sentence(best, terms), decision_sentence(best, result.settings, terms)]
    said += [reach_sentence(best, terms), shares_sentence(best, terms)]
    text = " ".join(filter(None, [*said, nearly_flat_sentence(result.curve, result.settings, terms)]))
    return [Paragraph(text=text)] if text else []


def _judges(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """Every judge: raw and calibrated beside each other, in a table."""
    if not ranked:
        return []
    blocks: list[Block] = [_judges_table(result, ranked, terms)]
    if any(worth.calibrated for worth in ranked):
        blocks.append(Paragraph(text=CALIBRATION_MATTERS))
    if any(worth.verdict == "below 0" for worth in ranked):
        blocks.append(Note(text=below_hint(result.settings, terms), kind="hint"))
    return blocks


def _in_words(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Points]:
    """The judges after the best one, in words."""
    said = [judge_sentence(worth, result.settings, terms) for worth in ranked[1 : MOST_SENTENCES + 1]]
    if not said:
        return []
    more = len(ranked) - 1 - len(said)
    said += [f"{counted(more, 'more judge')} {'is' if more == 1 else 'are'} in the table."] if more else []
    return [Points(title="", texts=said)]


def _judges_table(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> Table:
    words, origin = score_words(result.settings), _origin(result)
    names = told_apart(worth.judge for worth in ranked)
    raw = {worth.judge: worth for worth in result.judges if not worth.calibrated}
    is_calibrated = any(worth.calibrated for worth in ranked)
    has_ratio = any(worth.performance_ratio is not None for worth in ranked)
    rows: list[list[Cell]] = []
    for worth in ranked:
        kinds = [raw[worth.judge], worth] if worth.calibrated else [worth]
        said = [worth_text(kind, result.settings, terms) for kind in kinds]
        rows.append(
            [names[worth.judge], *said, worth.score - origin, *([worth.performance_ratio] if has_ratio else [])]
        )
    worths = ["Worth, raw", "Worth, calibrated"] if is_calibrated else ["Worth"]
    return Table(
        caption=f"What each judge is worth, in {terms.raters}",
        columns=["Judge", *worths, words.heading, *(["Of ceiling"] if has_ratio else [])],
        rows=rows,
        percent=frozenset({"Of ceiling", *words.percent_columns}),
    )


def _origin(result: EquivalenceResult) -> float:
    """What is taken off every score that is shown: that of asking nobody, where the score is shown as a gain."""
    return result.curve[0].score if score_words(result.settings).is_gain else 0.0


def _curve(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """The power curve with what it says, and the ceiling."""
    known = [point for point in result.curve if math.isfinite(point.score)]
    if not known[1:]:  # one point is no curve
        return []
    words = score_words(result.settings)
    said = curve_sentence(result.curve, terms, words)
    blocks: list[Block] = [curve_figure(result, ranked, terms), Paragraph(text=said)]
    if result.ceiling is not None:
        parts = [ceiling_sentence(result.ceiling, result.curve, terms), *(ratio_sentence(w) for w in ranked[:1])]
        blocks.append(Paragraph(text=" ".join(filter(None, parts))))
    falling = falling_sentence(result.curve, result.settings)
    return [*blocks, Note(text=falling, kind="hint")] if falling else blocks


def _others(result: EquivalenceResult, ranked: Sequence[JudgeWorth], terms: Terms) -> list[Block]:
    """The judges after the best one, in words, and the best one against each of them."""
    found = [compared(ranked[0], other, result.differences) for other in ranked[1 : MOST_SENTENCES + 1]]
    said = [difference_sentence(comparison, terms) for comparison in found if comparison is not None]
    against = [Points(title="Is the best really better?", texts=said)] if said else []
    parts = [*_in_words(result, ranked, terms), *against]
    return [Fold(title="The other judges, and how the best compares with them", parts=parts)] if parts else []


def _amateurs(result: EquivalenceResult, terms: Terms) -> list[Block]:
    """How many experts amateurs are worth."""
    if not result.amateurs:
        return []
    said = amateurs_sentence(result.amateurs[-1], result.curve, result.settings, terms)
    words, origin = score_words(result.settings), _origin(result)
    rows = [[p.raters, p.worth_experts, p.score - origin, p.low - origin, p.high - origin] for p in result.amateurs]
    table = Table(
        caption="What surveys of amateurs are worth",
        columns=["Asked", f"Worth {terms.raters}", words.heading, "Low", "High"],
        rows=rows,
        percent=words.percent_columns,
    )
    return [Paragraph(text=said), table]


def _computed(result: EquivalenceResult, terms: Terms) -> list[Block]:
    """How the numbers came about."""
    settings = result.settings
    said = [
        reference_sentence(settings, terms),
        score_sentence(settings),
        f"{combiner_sentence(settings)} {exactness_sentence(result.curve)}",
        clip_sentence(settings),
        calibration_sentence(settings),
        items_sentence(result.curve),
        interval_sentence(settings),
    ]
    return [Fold(title="How this was computed", parts=[Points(title="", texts=[text for text in said if text])])]
