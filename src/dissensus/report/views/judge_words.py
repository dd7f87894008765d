"""Judges and definitions of agreement in words and charts: which judge is closest to people, and how sure that is."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dissensus.data.labels import number
from dissensus.methods.judges.advice import Choice, Kind
from dissensus.methods.judges.definitions import BLIND
from dissensus.methods.judges.result import (
    BASELINES,
    Bias,
    Constant,
    DefinitionResult,
    FlipPoint,
    JudgesResult,
    JudgeValue,
    Perfect,
    Sensitivity,
)
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.numbers import (
    DASH,
    are,
    capital,
    counted,
    decimal,
    listing,
    percent,
    sentences,
    short_names,
    shortened,
    supported_digits,
    with_interval,
)
from dissensus.report.specs.lines import LineChart, line_chart, line_row, rank_lines
from dissensus.report.specs.shapes import Row, interval_row, intervals
from dissensus.report.views.section import interval_sentence, judge_slots

NAMES = {
    "mae": "mean absolute error from people's mean",
    "rps": "ranked probability score",
    "emd": "earth mover's distance",
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "kl_human_judge": "KL (people, judge)",
    "kl_judge_human": "KL (judge, people)",
    "cross_entropy_human_judge": "cross-entropy (people, judge)",
    "cross_entropy_judge_human": "cross-entropy (judge, people)",
    "jsd": "Jensen-Shannon divergence",
    "mse_hard": "squared error of labels",
    "mse_soft": "squared error of shares",
    "mse_response_set": "squared error of response sets",
    BLIND: "size of the judge's set",
    "bce": "binary cross-entropy",
}
SIDES = {"hard": "label", "soft": "shares", "hard_response_set": "set", "soft_response_set": "set shares"}
"""What each side's ratings of an item become."""
BRACKETS = (
    "In brackets: what is compared, the judge's side first. Definitions that always rank judges the same way share a "
    "row."
)
NONE = "'None' means that no judge beats the best constant answer."


def sides(definition: DefinitionResult) -> str:
    """What is compared with what: the judge's part first."""
    judge, human = SIDES[definition.judge_aggregation], SIDES[definition.human_aggregation]
    return judge if definition.definition == BLIND or judge == human else f"{judge}, {human}"


def name_of(definition: DefinitionResult, *, has_tau: bool = False) -> str:
    """A definition in a sentence; those that come in several forms say what is compared with what."""
    name = NAMES.get(definition.definition, definition.definition.replace("_", " "))
    if definition.id == definition.definition:
        return name
    at = f", tau {definition.tau:g}" if has_tau and definition.tau is not None else ""
    return f"{name} ({sides(definition)}{at})" if definition.definition != BLIND else f"{name}{at}"


def in_words(text: str, definitions: Sequence[DefinitionResult]) -> str:
    """A sentence with ids of definitions replaced by their names."""
    names = {definition.id: name_of(definition, has_tau=True) for definition in definitions}
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    ids = rf"(?<![\w-])({'|'.join(map(re.escape, longest_first))})(?![\w-])"

    def name_at(match: re.Match[str]) -> str:
        before = text[: match.start()]
        return capital(names[match[1]]) if not before or before.endswith(". ") else names[match[1]]

    return re.sub(ids, name_at, text)


def value_digits(values: Sequence[JudgeValue]) -> int:
    """Decimals that the intervals support; without intervals as many as give about three digits."""
    largest = max((abs(value.value) for value in values if math.isfinite(value.value)), default=0.0)
    usual = 3 if largest < 1 else 2 if largest < 10 else 1  # noqa: PLR2004 - ten has one digit more
    return max(supported_digits([(value.low, value.high) for value in values], usual=usual), 1)


def short_interval(value: JudgeValue, digits: int = 3) -> str:
    """A value with its interval, or a dash."""
    if math.isnan(value.value):
        return DASH
    return with_interval(value.value, value.low, value.high, form=lambda number: decimal(number, digits))


def range_text(perfect: Perfect, form: Callable[[float], str]) -> str:
    """What a perfect judge would reach, by two models."""
    low, high = form(perfect.low), form(perfect.high)
    return low if low == high else f"{low} to {high}" if perfect.low < 0 else f"{low.removesuffix('%')}-{high}"


# ---- The answer

SURE = 0.95
AS_IS = "Without recalibration"
MOST_NAMES = 3
LONGEST_NAME = 30


def plain(judge: str) -> str:
    """A judge's name in a sentence."""
    return shortened(judge, LONGEST_NAME)


def always_words(constant: Constant) -> str:
    """A constant answer in a sentence."""
    if not isinstance(constant.answer, str):
        return "always answering the overall shares"
    return f"always answering {constant.answer if number(constant.answer) is not None else plain(constant.answer)}"


def pick_in_short(choice: Choice) -> str:
    """The answer: which judge is closest to people, and whether that is more than chance or a constant."""
    if choice.select_by is None or not any(value.rank is not None for value in choice.ranked):
        return "No judge can be ranked here; the warnings say why."
    if choice.is_hopeless:
        return "Judges cannot be ranked this way: they almost never give a label that people gave."
    main, best = choice.select_by.first, choice.picked or choice.ranked[0]
    second = choice.ranked[1] if len(choice.ranked) > 1 else None
    is_open = choice.is_shown and second is not None and best.share_best < SURE and len(choice.select_by.best) == 1
    other = second.value if is_open and second is not None else main.constant.value if main.constant else math.nan
    digits = value_digits(main.values)
    against = f" against {decimal(other, digits)}" if math.isfinite(other) else ""
    numbers = f"{name_of(main)} {decimal(best.value, digits)}{against} ({main.better} is better)"
    if is_open and second is not None:
        rival = plain(second.judge)
        return f"{AS_IS}, {plain(best.judge)} looks closest to people, but {rival} may be as close: {numbers}."
    return f"{AS_IS}, {_standing(choice, best)}: {numbers}."


def _standing(choice: Choice, best: JudgeValue) -> str:
    """The best judge beside the constant, before the numbers of both."""
    constant = None if choice.select_by is None else choice.select_by.first.constant
    always, name = "" if constant is None else always_words(constant), plain(best.judge)
    is_contest = len(choice.ranked) > 1
    if choice.beaten_by is not None:
        return f"no judge beats {always}; the best is {name}" if is_contest else f"{name} does not beat {always}"
    if not choice.is_shown:
        return f"{name} is {'closest to people, but ' if is_contest else ''}not shown to beat {always}"
    tied = () if choice.select_by is None else choice.select_by.best
    who = f"{listing([plain(judge) for judge in tied], most=MOST_NAMES)} are equally close" if len(tied) > 1 else ""
    beats = f", and closer than {always}" if always else ""
    if is_contest:
        return f"{who or f'{name} is closest'} to people{beats}"
    return f"{name} is closer to people than {always}" if always else f"{name} has nothing to be compared with"


# ---- Findings of the charts


def sweep_finding(rows: Sequence[Sensitivity], flips: Sequence[FlipPoint]) -> str:
    """The title of the chart of the sweep, at one threshold."""
    first, last = rows[0], rows[-1]
    name = plain(first.best)
    if len(first.consistency) == 1:
        shares = [row.consistency[first.best] for row in rows]
        spread = f"on {percent(min(shares), 0)} to {percent(max(shares), 0)} of the items"
        return f"{name} decides as people do {spread}, depending on beta"
    if flips:
        more = f", with {counted(len(flips) - 1, 'more change')} after that" if len(flips) > 1 else ""
        change = f"up to beta {decimal(flips[0].beta_to)}, then {plain(str(flips[0].judge_to))}"
        return f"{name} decides most like people {change}{more}"
    return f"No judge decides more like people than {name}, at any beta from {first.beta:g} to {last.beta:g}"


# ---- Biases

BIAS_MEANING = (
    "Compared with people: a judge that prefers longer texts is not biased if people do too. Shown first: from pairs "
    "asked in both orders. Own outputs: compared with others that people rate as high."
)


def bias_name(bias: Bias) -> str:
    """What a judge may favour."""
    about = shortened(bias.about or "", 20)
    names = {"length": "longer texts (per doubling)", "position": "what is shown first"}
    return names.get(bias.kind, f"its own outputs ({about})" if bias.kind == "self" else f"the group {about}")


def bias_value(bias: Bias) -> str:
    """How far it does, with the interval: in percentage points, or in labels."""
    times, unit, digits = (1.0, "", 2) if bias.unit == "labels" else (100.0, " pt", 1)
    low, high = (f"{times * end:+.{digits}f}" for end in (bias.low, bias.high))
    ends = f" [{low}, {high}]" if math.isfinite(bias.low) else ""
    return f"{times * bias.value:+.{digits}f}{unit}{ends}"


def bias_sentence(bias: Bias) -> str:
    """A bias that is more than chance."""
    name, people = bias_name(bias), "" if bias.kind == "position" else " than people do"
    others = ", set against other items" if bias.kind == "group" else ""
    if bias.value > 0:
        return f"{plain(bias.judge)} favours {name}{people and f' more{people}'}{others}: {bias_value(bias)}."
    turned = replace(bias, value=-bias.value, low=-bias.high, high=-bias.low)
    return f"{plain(bias.judge)} scores {name} lower{people}{others}: by {bias_value(turned).replace('+', '')}."


# ---- The charts: ranks by each definition, decisions, and the sweep over beta

MOST_LINES = 8
"""As many lines as there are colours."""
LONGEST_SHORT = 25
APART = 0.14
"""How far judges that share a rank stand apart."""
BETA = "Beta: share of hidden positives"
AS_PEOPLE = "Items decided as people do"
DASHED = "Dashed: a constant answer."
CONSTANT_NAMES = dict(zip(BASELINES, ("always positive", "always negative"), strict=True))


def drawn_judges(choice: Choice) -> list[str]:
    """The judges that the charts have room for: those that some definition picks, then the best of the others."""
    names = [value.judge for value in choice.ranked]
    wanted = {judge for kind in choice.kinds if kind.looks_at_people for judge in kind.best}
    kept = sorted(names, key=lambda name: (name not in wanted, names.index(name)))[:MOST_LINES]
    return [name for name in names if name in kept]


def judge_names(choice: Choice, longest: int = LONGEST_SHORT) -> dict[str, str]:
    """A short name for each judge, no two the same."""
    return short_names((value.judge for value in choice.ranked), longest, has_end=True)


def _slots(result: JudgesResult, drawn: Sequence[str], names: Mapping[str, str]) -> dict[str, int]:
    """The place of each judge that is drawn among all, by its short name."""
    return {names[judge]: slot for judge, slot in judge_slots(result, drawn).items()}


def _left_out(choice: Choice) -> str:
    """How many judges are not drawn; empty if all are."""
    left = len(choice.ranked) - len(drawn_judges(choice))
    return f"{counted(left, 'more judge')} {are(left)} in the table only." if left else ""


# ---- Ranks: each judge by each definition


def ranks_figure(result: JudgesResult, choice: Choice, table: Table) -> Figure:
    """The bump chart: a line for each judge through its ranks; the table has what each definition picks."""
    kinds, names, drawn = choice.closest_first(), judge_names(choice), drawn_judges(choice)
    rows = [
        _rank_row(kind, kind.first.of(judge), names, is_main=judge == drawn[0])
        for kind in kinds
        for judge in drawn
        if kind.first.of(judge).rank is not None
    ]
    first = choice.ranked[0].judge
    ranks = [kind.first.of(first).rank for kind in kinds if kind.looks_at_people]
    titles = {"names": "Definition", "series": "Judge", "ranks": "Rank (1 is best)", "values": "Value"}
    spec = rank_lines(rows, **titles, last=len(choice.ranked), slots=_slots(result, drawn, names))
    return Figure(
        title=f"{plain(first)} comes first by {ranks.count(1)} of {counted(len(ranks), 'definition')}",
        caption=sentences(
            "Each line ranks the judges by one definition, the best on the left; the first is the definition to select "
            "by, then those that rank most like it.",
            _left_out(choice),
        ),
        spec=spec,
        table=table,
    )


def _rank_row(kind: Kind, value: JudgeValue, names: Mapping[str, str], *, is_main: bool) -> Row:
    tied = [other.judge for other in kind.first.values if other.rank == value.rank]
    offset = APART * (tied.index(value.judge) - (len(tied) - 1) / 2)
    return {
        "name": name_of(kind.first),
        "series": names[value.judge],
        "rank": value.rank,
        "shown": (value.rank or 0) + max(min(offset, 0.4), -0.4),
        "value": short_interval(value, value_digits(kind.first.values)),
        "share": DASH if math.isnan(value.share_best) else f"{percent(value.share_best)} of the samples",
        "is_main": is_main,
    }


# ---- Decisions: how often judges decide as people do


def decision_figure(result: JudgesResult, choice: Choice) -> Figure:
    """How often judges decide as people do at the main threshold; the table has every threshold."""
    names = judge_names(choice)
    judged = [row for row in choice.downstream.values() if row.judge not in BASELINES]
    judged.sort(key=lambda row: -row.consistency)
    slots = judge_slots(result, (row.judge for row in judged))
    rows = [
        interval_row(names[j.judge], j.consistency, j.consistency_low, j.consistency_high, slot=slots[j.judge])
        for j in judged
    ]
    constant = None if choice.constant is None else choice.constant.consistency
    best, most = judged[0], "most " * (len(judged) > 1)
    where = f"on {percent(best.consistency, 0)} of the items at tau {choice.tau:g}"
    no_more = ", no more than a constant" * (constant is not None and best.consistency <= constant)
    return Figure(
        title=f"{plain(best.judge)} decides {most}like people, {where}{no_more}",
        caption=sentences(DASHED, interval_sentence(result.settings, "Whiskers hold")),
        spec=intervals(rows, names="Judge", values=[AS_PEOPLE], reference=constant),
        table=_downstream_table(result, names | CONSTANT_NAMES),
    )


def _downstream_table(result: JudgesResult, names: Mapping[str, str]) -> Table:
    rows: list[list[Cell]] = []
    for row in result.downstream:
        same = with_interval(row.consistency, row.consistency_low, row.consistency_high, form=lambda x: percent(x, 0))
        bias = with_interval(row.bias, row.bias_low, row.bias_high, form=lambda share: f"{100 * share:+.0f}")
        rows.append([row.tau, names.get(row.judge, row.judge), same, bias, row.kappa])
    caption = "Same decisions as people, bias in percentage points, kappa"
    return Table(caption=caption, columns=["Tau", "Judge", "Same decision", "Bias", "Kappa"], rows=rows, digits=2)


# ---- The sweep: what would follow if forced choices hid positive options


def sweep_figure(result: JudgesResult, choice: Choice, points: Sequence[Sensitivity]) -> Figure:
    """How often judges decide as people do over beta, and how many items are positive."""
    names, drawn = judge_names(choice), drawn_judges(choice)
    rows = [
        line_row(names[judge], point.beta, point.consistency[judge], is_main=judge == drawn[0])
        for judge in drawn
        for point in points
    ]
    flips = [flip for flip in result.flip_points if flip.definition is None and math.isclose(flip.tau, choice.tau)]
    turns: list[Row] = [{"x": flip.beta_to, "text": names.get(str(flip.judge_to), "")} for flip in flips]
    positive, negative = CONSTANT_NAMES.values()
    # Calling every item positive is right on those that people call positive.
    constants: list[Row] = [
        {"name": name, "x": point.beta, "y": share, "is_rising": name == positive}
        for point in points
        for name, share in ((positive, point.prevalence), (negative, 1 - point.prevalence))
    ]
    dotted = "Dotted: another judge becomes the best." if turns else ""
    chart = LineChart(
        rows=rows, constants=constants, turns=turns, series="Judge", x_title=BETA, y_title=AS_PEOPLE,
        slots=_slots(result, drawn, names),
    )  # fmt: skip
    return Figure(
        title=sweep_finding(points, flips),
        caption=sentences(f"At tau {choice.tau:g}. {DASHED}", dotted, _left_out(choice)),
        spec=line_chart(chart),
        table=Table(
            caption="The judge that decides most like people at each beta",
            columns=["Beta", "Positive items", "Best judge", "Same decision"],
            rows=[
                [point.beta, point.prevalence, names.get(point.best, point.best), point.consistency[point.best]]
                for point in points
            ],
            digits=2,
            percent=frozenset({"Positive items", "Same decision"}),
        ),
    )
