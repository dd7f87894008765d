"""Judges and definitions of agreement in words: which judge is closest to people, and how sure that is."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from dissensus.data.labels import number
from dissensus.methods.judges.choice import Choice
from dissensus.methods.judges.definitions import BLIND
from dissensus.methods.judges.result import (
    Bias,
    Constant,
    DefinitionResult,
    FlipPoint,
    JudgeValue,
    Perfect,
    Sensitivity,
)
from dissensus.report.numbers import (
    DASH,
    capital,
    counted,
    decimal,
    listing,
    percent,
    shortened,
    supported_digits,
    with_interval,
)

NAMES = {
    "mae": "mean absolute error",
    "rps": "ranked probability score",
    "emd": "earth mover's distance",
    "weighted_kappa": "weighted kappa",
    "hit_rate": "hit rate",
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "kl_human_judge": "KL(people, judge)",
    "kl_judge_human": "KL(judge, people)",
    "cross_entropy_human_judge": "cross-entropy(people, judge)",
    "cross_entropy_judge_human": "cross-entropy(judge, people)",
    "jsd": "Jensen-Shannon divergence",
    "mse_hard": "squared error of labels",
    "mse_soft": "squared error of shares",
    "mse_response_set": "squared error of response sets",
    "coverage": "coverage",
    BLIND: "size of the judge's set",
    "precision": "precision",
    "recall": "recall",
    "bce": "binary cross-entropy",
}
SIDES = {"hard": "label", "soft": "shares", "hard_response_set": "set", "soft_response_set": "set shares"}
"""What each side's ratings of an item become."""
BRACKETS = (
    "In brackets: what is compared, the judge's side first: the most frequent label, the shares of labels, the set of "
    "options that enough raters endorse, or the shares that endorse each. Definitions that always rank judges the same "
    "way share a row. None: no judge beats the best constant answer."
)
CONFUSION_MEANING = (
    "Every rating counts, so an item needs no true label. Sensitivity: how often the judge gives a label where a "
    "person does. Specificity: how often it does not where a person does not. A person's: the same for another rater."
)


def sides(definition: DefinitionResult) -> str:
    """What is compared with what: the judge's part first."""
    judge, human = SIDES[definition.judge_aggregation], SIDES[definition.human_aggregation]
    return judge if definition.definition == BLIND or judge == human else f"{judge}, {human}"


def name_of(definition: DefinitionResult, *, has_tau: bool = False) -> str:
    """A definition in a sentence; those that come in several forms say what is compared with what."""
    name = NAMES.get(definition.definition, definition.definition)
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
        return f"{plain(best.judge)} looks closest to people, but {plain(second.judge)} may be as close: {numbers}."
    return f"{_standing(choice, best)}: {numbers}."


def _standing(choice: Choice, best: JudgeValue) -> str:
    """The best judge beside the constant, before the numbers of both."""
    constant = None if choice.select_by is None else choice.select_by.first.constant
    always, name = "" if constant is None else always_words(constant), plain(best.judge)
    is_contest = len(choice.ranked) > 1
    if choice.beaten_by is not None:
        return f"No judge beats {always}; the best is {name}" if is_contest else f"{name} does not beat {always}"
    if not choice.is_shown:
        return f"{name} is {'closest to people, but ' if is_contest else ''}not shown to beat {always}"
    tied = () if choice.select_by is None else choice.select_by.best
    who = f"{listing([plain(judge) for judge in tied], most=MOST_NAMES)} are equally close" if len(tied) > 1 else ""
    beats = f", and closer than {always}" if always else ""
    if is_contest:
        return f"{who or f'{name} is closest'} to people{beats}"
    return f"{name} is closer to people than {always}" if always else f"{name} is the only judge"


# ---- Findings of the charts


def consistency_finding(shares: Mapping[str, float], constant: float, tau: float) -> str:
    """The title of the chart of decisions, from the share of items that each judge decides as people do."""
    best = max(shares.values())
    tied = [plain(judge) for judge, share in shares.items() if share == best]
    how = f"{'decides' if len(tied) == 1 else 'decide'} {'most ' * (len(shares) > 1)}like people"
    where = f"on {percent(best, 0)} of the items at tau {tau:g}"
    return f"{listing(tied, most=MOST_NAMES)} {how}, {where}{', no more than a constant' * (best <= constant)}"


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
    if bias.kind == "length":
        return "longer, per doubling"
    if bias.kind == "position":
        return "shown first"
    about = shortened(bias.about or "", 20)
    return f"its own ({about})" if bias.kind == "self" else f"group {about}"


def bias_value(bias: Bias) -> str:
    """How far it does, with the interval: in percentage points, or in labels."""
    times, unit, digits = (1.0, "", 2) if bias.unit == "labels" else (100.0, " pt", 1)
    low, high = (f"{times * end:+.{digits}f}" for end in (bias.low, bias.high))
    ends = f" [{low}, {high}]" if math.isfinite(bias.low) else ""
    return f"{times * bias.value:+.{digits}f}{unit}{ends}"


def bias_sentence(bias: Bias) -> str:
    """A bias that is more than chance."""
    verb = "favours" if bias.value > 0 else "disfavours"
    what = {
        "length": "longer texts",
        "position": "what is shown first",
        "self": "its own outputs",
        "group": f"the group {shortened(bias.about or '', 20)}",
    }[bias.kind]
    each = " for each doubling of the length" if bias.kind == "length" else ""
    beside = "" if bias.kind == "position" else " more than people do" if bias.value > 0 else ", compared with people"
    return f"{plain(bias.judge)} {verb} {what}{beside}: {bias_value(bias)}{each}."
