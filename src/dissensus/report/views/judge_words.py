"""Judges and definitions of agreement in words: which judge to pick, how sure that is, and what follows from it.

`judges` and the verdict of a report use these words.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from dissensus.data.labels import number
from dissensus.methods.judges.choice import Choice, Kind, beaten_by_constant, best_constant
from dissensus.methods.judges.definitions import BLIND
from dissensus.methods.judges.result import (
    ALWAYS_POSITIVE,
    BASELINES,
    Bias,
    Constant,
    DecisionRulers,
    DefinitionResult,
    Downstream,
    FlipPoint,
    JudgesResult,
    JudgeValue,
    OrderFlips,
    OwnBeta,
    Perfect,
    Sensitivity,
)
from dissensus.report.numbers import (
    DASH,
    are,
    capital,
    counted,
    decimal,
    listing,
    percent,
    points,
    quoted,
    sentences,
    shortened,
    with_interval,
)
from dissensus.report.views.worth import samples

# ---- The definitions of agreement in words

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
SHORT = NAMES | {
    "bce": "BCE",
    "cross_entropy_human_judge": "CE(people, judge)",
    "cross_entropy_judge_human": "CE(judge, people)",
    "jsd": "Jensen-Shannon",
    "mse_response_set": "error of response sets",
    "mse_soft": "error of shares",
}
"""Names that fit on the axis of a chart."""
SIDES = {"hard": "label", "soft": "shares", "hard_response_set": "set", "soft_response_set": "set shares"}
"""What each side's ratings of an item become."""
BRACKETS = (
    "In brackets what is compared, the judge's part first: the most frequent label, the shares of the labels, the "
    "set of options that enough raters endorse, or the shares that endorse each."
)
CONFUSION_MEANING = (
    "Each rating counts as what a person says, so nobody has to settle on one label for an item. Sensitivity: where a "
    "person gives a label, how often the judge does, too. Specificity: where a person does not, how often the judge "
    "does not. Beside it stands one more person, another rater of the same item."
)


def sides(definition: DefinitionResult) -> str:
    """What is compared with what: the judge's part first."""
    judge, human = SIDES[definition.judge_aggregation], SIDES[definition.human_aggregation]
    return judge if definition.definition == BLIND or judge == human else f"{judge}, {human}"


def name_of(definition: DefinitionResult, *, has_tau: bool = False, names: Mapping[str, str] = NAMES) -> str:
    """A definition in a sentence; those that come in several forms say what is compared with what."""
    name = names.get(definition.definition, definition.definition)
    if definition.id == definition.definition:
        return name
    at = f", tau {definition.tau:g}" if has_tau and definition.tau is not None else ""
    return f"{name} ({sides(definition)}{at})" if definition.definition != BLIND else f"{name}{at}"


def kind_name(kind: Kind) -> str:
    """A kind in a sentence."""
    return name_of(kind.first)


def kind_names(kinds: Sequence[Kind], most: int = 3) -> str:
    """Some kinds in a sentence."""
    return listing([kind_name(kind) for kind in kinds], most=most)


def titled(kind: Kind) -> str:
    """A kind in a table: all its definitions, and what they compare."""
    names = [NAMES.get(definition.definition, definition.definition) for definition in kind.definitions]
    title = capital("; ".join(names))
    is_told = kind.first.definition in {BLIND, "mse_soft", "mse_response_set"}
    return title if is_told else f"{title} ({sides(kind.first)})"


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
    """So many decimals that the largest number has about three digits."""
    ends = [abs(number) for value in values for number in (value.value, value.high) if math.isfinite(number)]
    largest = max(ends, default=0.0)
    return 3 if largest < 1 else 2 if largest < 10 else 1  # noqa: PLR2004 - ten has one digit more


def short_interval(value: JudgeValue, digits: int = 3) -> str:
    """A value with its interval, or a dash."""
    if math.isnan(value.value):
        return DASH
    return with_interval(value.value, value.low, value.high, form=lambda number: decimal(number, digits))


# ---- Which judge to pick, and how sure that is

SURE = 0.95
MOST_NAMES = 4
SMALLEST = 0.0005
"""A smaller share is nothing that a percentage with one decimal would show."""


def pick_in_short(choice: Choice, *, is_decided: bool = False) -> str:
    """The answer: which judge to pick and what a constant would do.

    No judge is one to pick where a constant does as well, or where which judge to use is decided elsewhere.
    """
    picked, select_by = choice.picked, choice.select_by
    if choice.is_hopeless and len(choice.ranked) > 1:
        return nothing_told(choice)
    if choice.beaten_by is not None:
        return none_beats(choice)
    if picked is None or select_by is None:
        return "Which judge can stand in for people is undefined here (the warnings say why)."
    name, by = quoted(picked.judge), kind_name(select_by)
    if len(choice.ranked) == 1:
        alone = f"There is one judge only, {name}: nothing to choose between."
        mine = choice.decided
        decides = "" if mine is None else f"It decides as people do on {percent(mine.consistency)} of the items."
        return sentences(alone, against_constant(choice), decides, constant_warning(choice))
    if len(select_by.best) > 1:
        tied = listing([quoted(judge) for judge in select_by.best], most=MOST_NAMES)
        first = f"By {by} {tied} are equally near to people."
    elif is_decided or choice.is_beaten:
        first = f"Of these, {name} comes closest to people by {by}."
    else:
        verb = "Lean towards" if picked.share_best < SURE or not choice.is_shown else "Pick"
        first = f"{verb} {name}: by {by} it stands in for people best{sure_words(picked)}."
    decider = "" if is_decided else decider_sentence(choice)
    return sentences(first, against_constant(choice), decider, constant_warning(choice))


def sure_words(picked: JudgeValue) -> str:
    """How often the judge to pick is best; empty where nothing was resampled."""
    return "" if math.isnan(picked.share_best) else f", and is the best in {samples(picked.share_best)}"


def always_words(constant: Constant) -> str:
    """A constant answer in a sentence."""
    if constant.answer in BASELINES:
        return "calling every item positive" if constant.answer == ALWAYS_POSITIVE else "calling no item positive"
    if not isinstance(constant.answer, str):
        return "always answering the overall shares"
    return f"always answering {constant.answer if number(constant.answer) is not None else quoted(constant.answer)}"


def none_beats(choice: Choice) -> str:
    """That no judge beats a constant by the definition to select by."""
    constant, select_by = choice.beaten_by, choice.select_by
    if constant is None or select_by is None:
        return ""
    digits = value_digits(select_by.first.values)
    best, always = choice.ranked[0], decimal(constant.value, digits)
    person = select_by.first.person
    other = "" if person is None else f", one more person {decimal(person.value, digits)}"
    what = f"{kind_name(select_by)} {always}, {quoted(best.judge)} {decimal(best.value, digits)}{other}"
    way = f"{select_by.first.better} is better"
    if len(choice.ranked) == 1:
        return f"{quoted(best.judge)} does not beat {always_words(constant)} ({what}; {way})."
    return f"No judge beats {always_words(constant)} ({what}; {way})."


def against_constant(choice: Choice) -> str:
    """The judge to pick beside the best constant and a person; empty where there is no constant."""
    picked, select_by = choice.picked, choice.select_by
    if picked is None or select_by is None or select_by.first.constant is None:
        return ""
    constant, digits = select_by.first.constant, value_digits(select_by.first.values)
    shown = "" if choice.is_shown else " That it beats the constant is not shown."
    return (
        f"It has {decimal(picked.value, digits)}, {always_words(constant)} {decimal(constant.value, digits)} "
        f"({select_by.first.better} is better).{shown}"
    )


def nothing_told(choice: Choice) -> str:
    """That judges never gave a label that people gave, and what to ask instead."""
    remedy = "See whether judges spell the labels as people do."
    if choice.has_numbers:
        remedy = "Of numbers ask how near they are: `compare` them by mae or spearman, or `equivalence` by pearson."
    return (
        "By these definitions nothing can be told: they ask whether judges give the labels that people gave, and next "
        f"to no answer does (hit rate 0, Jensen-Shannon divergence at its maximum, {decimal(math.log(2), 3)}). {remedy}"
    )


def decider_sentence(choice: Choice) -> str:
    """Whom to take for decisions alone; empty if the judge to pick decides as well as any."""
    best, mine = choice.better_decider, choice.decided
    if best is None or mine is None:
        return ""
    shares = f"on {percent(best.consistency)} of the items instead of {percent(mine.consistency)}"
    return f"For decisions alone take {quoted(best.judge)}, which decides as people do {shares}."


def constant_warning(choice: Choice) -> str:
    """That a constant decides as people do at least as often as the judge to pick; empty if it does not."""
    constant, mine = choice.constant, choice.decided
    if not choice.is_beaten or constant is None or mine is None:
        return ""
    return (
        f"Mind that {constant_words(constant)}, without looking, decides as people do on "
        f"{percent(constant.consistency)} of the items, this judge on {percent(mine.consistency)}."
    )


def definitions_sentence(choice: Choice) -> str:
    """How the table of definitions is to be read."""
    merged = any(len(kind.definitions) > 1 for kind in choice.kinds)
    blind = any(not kind.looks_at_people for kind in choice.kinds)
    return sentences(
        BRACKETS,
        "Definitions that always rank judges the same way share a row." if merged else "",
        "The size of the judge's set does not look at people." if blind else "",
        "A definition by which no judge beats the best constant picks none.",
    )


# ---- What follows from a judge's decisions


def options_words(settings: Mapping[str, object]) -> str:
    """The positive options in a sentence."""
    positive = settings.get("positive")
    names = [quoted(str(name)) for name in positive] if isinstance(positive, Sequence) else []
    return listing(names, most=MOST_NAMES)


def decision_meaning(settings: Mapping[str, object], choice: Choice) -> str:
    """When an item is decided positive, and by how many raters."""
    rulers = choice.rulers
    panel = "" if rulers is None else f" People are the raters of each item, a panel of {rulers.panel:g}."
    return (
        f"An item counts as positive where at least {percent(choice.tau, 0)} of the raters endorse "
        f"{options_words(settings)}; a judge's own answers are counted in the same way.{panel}"
    )


def rulers_sentence(rulers: DecisionRulers) -> str:
    """What a constant, a person and a perfect judge reach in decisions."""
    texts = [f"{always_words(rulers.constant)} {percent(rulers.constant.value)}"]
    if rulers.person is not None:
        texts.append(f"one more person {percent(rulers.person.value)}")
    if rulers.perfect is not None:
        texts.append(f"a perfect judge {range_text(rulers.perfect, percent)}")
    return f"Beside it, with a panel of {rulers.panel:g}: {listing(texts)}."


def range_text(perfect: Perfect, form: Callable[[float], str]) -> str:
    """What a perfect judge would reach, by two models."""
    low, high = form(perfect.low), form(perfect.high)
    return low if low == high else f"{low} to {high}"


def constant_words(row: Downstream) -> str:
    """A constant in a sentence."""
    return "calling every item positive" if row.judge == ALWAYS_POSITIVE else "calling no item positive"


def consistency_sentence(row: Downstream) -> str:
    """How a judge decides beside people."""
    alike = with_interval(row.consistency, row.consistency_low, row.consistency_high, form=percent)
    bias = "calls as many of them positive as people do"
    if abs(row.bias) >= SMALLEST:
        low, high = (row.bias_low, row.bias_high) if row.bias > 0 else (-row.bias_high, -row.bias_low)
        size = with_interval(abs(row.bias), low, high, form=points)
        bias = f"calls {size} points {_more(row.bias)} of them positive than people do"
    return f"{quoted(row.judge)} decides as people do on {alike} of the items and {bias}."


def _more(bias: float) -> str:
    return "more" if bias > 0 else "fewer"


def below_constant(rows: Collection[Downstream]) -> str:
    """Which judges a constant equals or beats at one threshold; empty if none."""
    constant, beaten = best_constant(rows), beaten_by_constant(rows)
    if constant is None or not beaten:
        return ""
    names = listing([f"{quoted(row.judge)} ({percent(row.consistency)})" for row in beaten], most=MOST_NAMES)
    return (
        f"At tau {constant.tau:g} {names} {are(len(beaten))} no better than a constant: {constant_words(constant)}, "
        f"without looking, decides as people do on {percent(constant.consistency)} of the items."
    )


def elsewhere_sentence(rows: Collection[Downstream], tau: float) -> str:
    """Of how many judges the same holds at other thresholds; empty if of none."""
    texts = []
    for other in dict.fromkeys(row.tau for row in rows if row.tau != tau):
        here = [row for row in rows if row.tau == other]
        beaten, judges = len(beaten_by_constant(here)), sum(row.judge not in BASELINES for row in here)
        texts += [f"at tau {other:g} as {beaten} of {counted(judges, 'judge')}"] if beaten else []
    return f"Without looking, a constant does at least as well {listing(texts)}." if texts else ""


def consistency_finding(judged: Sequence[Downstream], constant: Downstream | None) -> str:
    """The title of the chart of decisions."""
    best = max(judged, key=lambda row: row.consistency)
    tied = [quoted(row.judge) for row in judged if abs(row.consistency - best.consistency) < SMALLEST]
    how = "decide most like people:" if len(tied) > 1 else "decides most like people:"
    who = f"{listing(tied, most=MOST_NAMES)} {how if len(judged) > 1 else 'decides as people do'}"
    beaten = constant is not None and best.consistency <= constant.consistency
    worse = ", and a constant does no worse" if beaten else ""
    return f"{who} on {percent(best.consistency, 0)} of the items at tau {best.tau:g}{worse}"


def bias_finding(rows: Collection[Downstream]) -> str:
    """The title of the chart of prevalence bias."""
    judged = [row for row in rows if row.judge not in BASELINES]
    worst = max(judged, key=lambda row: abs(row.bias))
    size = f"{points(abs(worst.bias))} points {_more(worst.bias)}"
    if abs(worst.bias) < SMALLEST:
        text = f"{quoted(worst.judge) if len(judged) == 1 else 'Every judge'} calls as many items positive as people do"
    elif len(judged) == 1:
        text = f"{quoted(worst.judge)} calls {size} items positive than people do"
    else:
        text = f"{quoted(worst.judge)} is furthest from people's prevalence: {size}"
    return f"{text}, at tau {worst.tau:g}"


# ---- What follows from what forced choices do not tell


def sweep_meaning(settings: Mapping[str, object]) -> str:
    """What beta is."""
    instead = ", instead of it" if settings.get("mapping") == "paper" else ""
    return (
        f"A forced choice hides what else a rater would have endorsed. Beta is the share of those who chose another "
        f"option who would also endorse {options_words(settings)}{instead}; it cannot be known from forced choices, so "
        "it is tried out."
    )


def sweep_finding(rows: Sequence[Sensitivity], flips: Sequence[FlipPoint]) -> str:
    """The title of the chart of the sweep, at one threshold."""
    first, last = rows[0], rows[-1]
    name = quoted(first.best)
    if len(first.consistency) == 1:
        shares = [row.consistency[first.best] for row in rows]
        spread = f"on {percent(min(shares), 0)} to {percent(max(shares), 0)} of the items"
        return f"{name} decides as people do {spread}, depending on beta"
    if flips:
        more = f", with {counted(len(flips) - 1, 'more change')} after that" if len(flips) > 1 else ""
        change = f"up to beta {decimal(flips[0].beta_to)}, from there on {quoted(str(flips[0].judge_to))}"
        return f"{name} decides most like people {change}{more}"
    most = f"{name} decides most like people"
    if not all(_is_ahead(row, first.best) for row in rows):
        most = f"No judge decides more like people than {name}"
    return f"{most} whatever beta is, from beta {first.beta:g} to {last.beta:g}"


def _is_ahead(row: Sensitivity, judge: str) -> bool:
    """Whether a judge decides more like people than every other one at this beta."""
    return row.consistency[judge] > SMALLEST + max(value for name, value in row.consistency.items() if name != judge)


def prevalence_finding(rows: Sequence[Sensitivity]) -> str:
    """The title of the chart of prevalence over beta."""
    first, last = percent(rows[0].prevalence, 0), percent(rows[-1].prevalence, 0)
    return f"Between {first} and {last} of the items are positive at tau {rows[0].tau:g}, depending on beta"


def own_beta_sentence(row: OwnBeta) -> str:
    """What share of a judge's negative choices hide a positive option, by its own account."""
    if math.isnan(row.beta):
        return f"{quoted(row.judge)} never chose a negative option, so it has no beta of its own."
    return (
        f"{quoted(row.judge)}: beta {with_interval(row.beta, row.low, row.high)}, from "
        f"{counted(row.items, 'item')} that it answered in both ways."
    )


BIAS_MEANING = (
    "Compared with people: where people, too, prefer longer texts, a judge that does is not biased. What is shown "
    "first is told by the same pair in both orders. Own outputs are compared with those of writers whom people put as "
    "high."
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
        "group": f"the group {quoted(bias.about or '')}",
    }[bias.kind]
    each = " for each doubling of the length" if bias.kind == "length" else ""
    beside = "" if bias.kind == "position" else " more than people do" if bias.value > 0 else ", compared with people"
    return f"{quoted(bias.judge)} {verb} {what}{beside}: {bias_value(bias)}{each}."


def order_sentence(flips: OrderFlips) -> str:
    """How often the order decides."""
    return (
        f"{quoted(flips.judge)} answers otherwise on {percent(flips.share)} of the {counted(flips.items, 'pair')} when "
        "the two are shown in the other order."
    )


def selections_sentence(result: JudgesResult, tau: float, most: int = 5) -> str:
    """Which definitions would select another judge in the sweep, and from which beta on."""
    flips = [flip for flip in result.flip_points if flip.definition is not None and flip.tau == tau]
    if not flips:
        return "No definition would select another judge."
    first = {str(flip.definition): flip for flip in reversed(flips)}  # the lowest beta of each definition
    texts = [
        f"{name_of(result.definition(id_))} from {decimal(flip.beta_to)} on {quoted(str(flip.judge_to))}"
        for id_, flip in sorted(first.items(), key=lambda pair: pair[1].beta_to)
    ]
    return f"Definitions that would select another judge: {listing(texts, most=most)}."
