"""How many raters a judge is worth, in words."""

import math
from collections.abc import Sequence

from dissensus.methods.equivalence.crossing import Verdict
from dissensus.methods.equivalence.result import CurvePoint, EquivalenceResult, JudgeWorth
from dissensus.report.numbers import counted, decimal, listing, percent, quoted, spelled
from dissensus.report.views.surveys import ORDERS, ScoreWords, Settings, Terms, by_words

# ---- How many raters a judge is worth, in words

CALIBRATION_MATTERS = (
    "Why calibrated and raw differ: a judge that sounds surer than it should scores badly however much it knows. "
    "Calibration replaces each of its answers by what people said on other items where it answered alike, so what is "
    "left is what it knows. Raw is what you get by taking its probabilities at face value; a bare label counts as "
    "certain."
)
FLAT = (
    "Asking people tells nothing here, however many: no survey predicts better than asking nobody, so there is nothing "
    "to measure judges by."
)
"""Of a curve that does not rise, as where every rating says the same."""
FLATTEST = 1e-9
TURNED = "The judge's order runs against people's: if its scale is turned, turn its numbers round."


def judge_name(worth: JudgeWorth) -> str:
    """A judge in a sentence, and whether it was calibrated."""
    return f"{quoted(worth.judge)} (calibrated)" if worth.calibrated else quoted(worth.judge)


def place_of(worth: JudgeWorth, terms: Terms) -> Verdict | None:
    """Where a judge lies on the curve; None if that is undefined.

    On a curve that ends with nobody asked a judge that is better has no number, but it is known to be better.
    """
    is_above_nobody = worth.verdict is None and not terms.largest and math.isfinite(worth.score)
    return "above K" if is_above_nobody else worth.verdict


def value_text(worth: JudgeWorth, terms: Terms) -> str:
    """What a judge is worth without its interval: a number, or the end of the curve that it is beyond."""
    if worth.verdict == "within":
        return decimal(worth.equivalence)
    return off_curve(place_of(worth, terms), terms)


def off_curve(verdict: str | None, terms: Terms) -> str:
    """The end of the curve."""
    return {"below 0": "below 0", "above K": f"above {terms.largest}"}.get(str(verdict), "undefined")


def bounds_text(worth: JudgeWorth, settings: Settings, terms: Terms) -> tuple[str, str] | None:
    """The ends of the interval of a judge on the curve, an end off the curve in words; None if there is no interval."""
    if not settings.get("bootstrap") or worth.verdict != "within":
        return None
    low, high = worth.equivalence_low, worth.equivalence_high
    return (
        decimal(low) if math.isfinite(low) else off_curve("below 0", terms),
        decimal(high) if math.isfinite(high) else off_curve("above K", terms),
    )


def worth_text(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """What a judge is worth with its interval, without a unit; of a judge off the curve the end that is on it."""
    value, bounds = value_text(worth, terms), bounds_text(worth, settings, terms)
    if bounds is not None:
        return f"{value} [{bounds[0]}, {bounds[1]}]"
    reach = reach_of(worth)
    return value if reach is None else f"{value} ({'up to' if worth.verdict == 'below 0' else 'from'} {decimal(reach)})"


def reach_of(worth: JudgeWorth) -> float | None:
    """The end of the interval of a judge off the curve that lies on it, if one does."""
    end = {"below 0": worth.equivalence_high, "above K": worth.equivalence_low}.get(str(worth.verdict), math.nan)
    return end if math.isfinite(end) else None


def reach_sentence(worth: JudgeWorth, terms: Terms) -> str:
    """How far the interval of a judge off the curve comes back to it; empty if it does not."""
    reach = reach_of(worth)
    if reach is None:
        return ""
    how = "reaches up to" if worth.verdict == "below 0" else "begins at"
    return f"Its interval {how} {decimal(reach)} {terms.raters}."


def raters_text(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """What a judge is worth with its interval, in raters."""
    value = value_text(worth, terms)
    bounds = worth_text(worth, settings, terms).removeprefix(value)
    return f"{value} {terms.raters}{bounds}{by_words(settings.get('score'))}"


def is_flat(curve: Sequence[CurvePoint]) -> bool:
    """Whether surveys of any size predict the same, so that a judge's place among them means nothing."""
    known = [point.score for point in curve if math.isfinite(point.score)]
    return len(known) > 1 and max(known) - min(known) < FLATTEST


def runs_against(result: EquivalenceResult, best: JudgeWorth) -> bool:
    """Whether even the best judge puts items in the opposite order, so that judges' scales may be turned."""
    return best.verdict == "below 0" and result.settings.get("score") in ORDERS


def worth_in_short(best: JudgeWorth, settings: Settings, terms: Terms, *, judges: int) -> str:
    """The answer: what the best judge is worth, and which surveys are worse and better than it."""
    name, place = judge_name(best), place_of(best, terms)
    if place is None:
        return f"How many {terms.raters} judge {name} is worth is undefined here (the warnings say why)."
    by = by_words(settings.get("score"))
    subject = f"Judge {name}" if judges == 1 else f"Of {judges} judges, {name}"
    if place == "below 0":
        even = "" if judges == 1 else " comes closest to people, and even it"
        return f"{subject}{even} is worth less than asking nobody{by}: {terms.nobody} foretells {terms.target} better."
    if place == "above K":
        return f"{subject} {_above(terms, by)}"
    most = "" if judges == 1 else " the most,"
    return f"{subject} is worth{most} {raters_text(best, settings, terms)}: {_between(best, settings, terms)}."


def reaches_beyond(worth: JudgeWorth, settings: Settings) -> bool:
    """Whether the interval of a judge on the curve ends beyond it, so that no survey here is surely better."""
    return bool(settings.get("bootstrap")) and worth.verdict == "within" and not math.isfinite(worth.equivalence_high)


def _above(terms: Terms, by: str) -> str:
    """That a judge is better than the largest survey, which may be asking nobody."""
    if not terms.largest:
        return (
            f"predicts {terms.target} better than {terms.nobody}; how many {terms.raters} that is worth the data "
            "cannot tell, because fewer than half of the items have a second rating."
        )
    return (
        f"is worth more than {terms.raters_of(terms.largest)}{by}: it predicts {terms.target} better than asking "
        f"{terms.people(terms.largest)}, the largest survey here; how much better is unknown."
    )


def _between(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """Which surveys a judge lies between; what leftmost crossing means, so that it holds for every smaller survey."""
    k = math.ceil(worth.equivalence)
    if worth.equivalence == k:
        return f"it predicts {terms.target} exactly as well as asking {terms.people(k)}"
    if reaches_beyond(worth, settings):
        fewer = f"a survey of {terms.people(k - 1)}" if k > 1 else "asking nobody"
        return f"{fewer} predicts {terms.target} less well; that more people predict better is not shown"
    is_sure = not settings.get("bootstrap") or math.isfinite(worth.equivalence_low)
    if k == 1 and is_sure:
        return f"asking nobody predicts {terms.target} less well, asking {terms.people(1)} better"
    if k == 1:
        return f"asking {terms.people(1)} predicts {terms.target} better; that asking nobody is worse is not shown"
    said = f"a survey of {terms.people(k - 1)} predicts {terms.target} less well, one of {k} better"
    return said if is_sure else f"{said}; that even asking nobody is worse is not shown"


def fraction_sentence(worth: JudgeWorth, terms: Terms) -> str:
    """A fractional value as the paper explains it; empty if there is nothing to explain."""
    if worth.verdict != "within" or worth.equivalence == math.floor(worth.equivalence):
        return ""
    k = math.ceil(worth.equivalence)
    rest = f"{terms.people(k - 1)} about the rest" if k > 1 else f"{terms.nobody} for the rest"
    return (
        f"What {decimal(worth.equivalence)} means: the judge predicts as well as asking {terms.people(k)} about "
        f"{percent(worth.equivalence - (k - 1), 0)} of the items and {rest}."
    )


def decision_sentence(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """Would asking people be better than this judge? With the interval: what the data do not decide."""
    if worth.verdict != "within":
        return ""
    fewer = math.floor(worth.equivalence)
    asked = f"asking {terms.people(fewer)}"
    rest = f"{asked} or fewer tells less" if fewer > 1 else f"{asked} tells less"
    if fewer == worth.equivalence:
        rest = f"{asked} tells as much"
    if reaches_beyond(worth, settings):
        opened = _open_question(worth, settings, terms)
        return f"The judge or people? By this estimate {rest} than the judge. {opened}".replace(
            "tells as much than", "tells as much as"
        )
    return (
        f"The judge or people? By this estimate asking {terms.people(fewer + 1)} or more about each item tells more "
        f"than the judge, {rest}. {_open_question(worth, settings, terms)}"
    ).strip()


def _open_question(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """Which sizes the interval leaves open."""
    if bounds_text(worth, settings, terms) is None:
        return ""
    low, high = worth.equivalence_low, worth.equivalence_high
    first = math.ceil(low) if math.isfinite(low) else 0
    last = math.ceil(high) - 1 if math.isfinite(high) else terms.largest
    if first > last:
        return "Its interval does not change that."
    fewer = [f"asking {'nobody' if first == 1 else 'fewer'} tells less"] if first > 0 else []
    more = [f"asking {last + 1} or more tells more"] if last < terms.largest else []
    rest = f"; {', '.join([*fewer, *more])}" if fewer or more else ""
    return (
        f"Its interval leaves open whether asking {_sizes(first, last, terms)} tells more or less than the judge{rest}."
    )


def _sizes(first: int, last: int, terms: Terms) -> str:
    if first == last:
        return terms.people(first)
    first_word = "nobody" if first == 0 else str(first)
    return f"{first_word} {'or' if last == first + 1 else 'to'} {terms.people(last)}"


def shares_sentence(worth: JudgeWorth, terms: Terms) -> str:
    """In how many bootstrap samples the judge is off the curve; empty if in none."""
    said = []
    if worth.share_below > 0:
        said.append(f"In {samples(worth.share_below)} it is worse than asking nobody.")
    if worth.share_above > 0 and terms.largest:
        said.append(f"In {samples(worth.share_above)} it is better than {terms.people(terms.largest)}.")
    return " ".join(said)


def samples(share: float) -> str:
    """So many of the bootstrap samples."""
    words = {0.0: "no bootstrap sample", 1.0: "every bootstrap sample"}
    return words.get(share, f"{percent(share)} of the bootstrap samples")


def judge_sentence(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """One judge in a list: what it is worth, and how sure that is."""
    name, place = judge_name(worth), place_of(worth, terms)
    if place is None:
        said = f"{name}: undefined (the warnings say why)."
    elif place == "below 0":
        said = f"{name} is worth less than asking nobody: {terms.nobody} does better."
    elif place == "above K" and not terms.largest:
        said = f"{name} predicts people better than asking nobody."
    elif place == "above K":
        said = f"{name} is worth more than {terms.raters_of(terms.largest)}, the largest survey here."
    else:
        said = f"{name} is worth {raters_text(worth, settings, terms)}: {_between(worth, settings, terms)}."
    return " ".join(filter(None, [said, reach_sentence(worth, terms), shares_sentence(worth, terms)]))


def below_hint(settings: Settings, terms: Terms) -> str:
    """What `below 0` means and what to try."""
    meaning = f"Below 0 means worse than {terms.nobody}, without asking anybody."
    score = settings.get("score", "cross-entropy")
    if score in ORDERS:
        return f"{meaning} {TURNED}"
    if score != "cross-entropy":
        return meaning
    if settings.get("calibrate", "none") == "none":
        return (
            f"{meaning} With cross-entropy that is often a sign of overconfidence, not of ignorance: try --calibrate "
            "isotonic, or --calibrate table for judges that give one label per item."
        )
    return f"{meaning} A calibrated judge that is there tells, as far as these data show, nothing about people."


def curve_finding(best: JudgeWorth | None, terms: Terms) -> str:
    """The title of the chart."""
    if best is None or best.verdict is None:
        return "What a survey of people tells, by its size"
    name = judge_name(best)
    if best.verdict == "below 0":
        return f"No judge reaches what is known without asking anybody; {name} comes closest"
    if best.verdict == "above K":
        return f"{name} predicts people better than asking {terms.people(terms.largest)}"
    return f"{name} predicts people as well as {decimal(best.equivalence)} {terms.raters} do"


NEARLY_FLAT = 0.1
"""A curve that takes off a smaller share than that of what is unknown makes large numbers of raters of small gains."""


def nearly_flat_sentence(curve: Sequence[CurvePoint], settings: Settings, terms: Terms) -> str:
    """That even many people tell little, so that many raters are a small gain; empty where they tell more.

    What is unknown with nobody asked is the cross-entropy of that prediction, which only bits are a share of.
    """
    known = [point for point in curve if math.isfinite(point.score)]
    if settings.get("score", "cross-entropy") != "cross-entropy" or len(known) < 2:  # noqa: PLR2004 - no curve
        return ""
    first, last = known[0], known[-1]
    gain, unknown = last.score - first.score, -first.score
    if not 0 < gain < NEARLY_FLAT * unknown:
        return ""
    return (
        f"The whole curve is nearly flat: even asking {terms.people(last.raters)} tells {decimal(gain, 3)} of the "
        f"{decimal(unknown, 3)} bits that are unknown with nobody asked, so a large number of raters is a small gain."
    )


def curve_sentence(curve: Sequence[CurvePoint], terms: Terms, words: ScoreWords) -> str:
    """What asking people brings."""
    shown = [p for p in curve if p.raters in {0, 1, 2, curve[-1].raters} and math.isfinite(p.score)]
    if words.is_gain:
        parts = [f"{terms.people(p.raters)} {words.form(p.score - curve[0].score)}" for p in shown if p.raters]
        return f"What asking brings, over asking nobody: {listing(parts)}."
    return f"What asking brings: {listing([f'{terms.people(p.raters)} {words.form(p.score)}' for p in shown])}."


def falling_sentence(curve: Sequence[CurvePoint], settings: Settings) -> str:
    """That the curve falls although more people cannot know less; empty if it does not, beyond a hair."""
    known = [p for p in curve if math.isfinite(p.score)]
    top = max(known, key=lambda p: p.score)
    is_learned = settings.get("combiner", "abc") == "abc"
    if not is_learned or top.score - known[-1].score <= 0.05 * (top.score - known[0].score):
        return ""
    return (
        f"The curve falls after {counted(top.raters, 'rater')}. More people do not know less: the larger a survey, the "
        "fewer other items show the same answers, and the combiner has too little to learn from. Try --combiner npmle, "
        f"or --max-raters {top.raters}."
    )


def asking(best: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """Which surveys are worse and which are better than a judge on the curve; without an interval by the estimate."""
    if not settings.get("bootstrap") or best.equivalence_low == best.equivalence_high:
        return _by_estimate(best.equivalence, terms)
    worse, better = surely_worse(best), surely_better(best, terms)
    if worse is None and better is None:
        return f"Whether asking people, up to {spelled(terms.largest)}, would be better or worse is open."
    if worse is None:
        asked = people_in_words(better or 0, terms)
        return f"Asking {asked} would be better; that the judge is better than asking nobody is not shown."
    said = f"Asking {people_in_words(worse, terms)} would be worse"
    if better is not None:
        return f"{said}, {_more(better, terms, worse=worse)} would be better."
    first, last = worse + 1, terms.largest
    most = spelled(last) if worse else people_in_words(last, terms)
    span = "" if first == last else f"{spelled(first)} {'or' if last == first + 1 else 'to'} "
    return f"{said}; whether asking {span}{most} would be better is open."


def surely_worse(worth: JudgeWorth) -> int | None:
    """The largest survey below the whole interval; None if even asking nobody is not."""
    low = worth.equivalence_low
    return math.ceil(low) - 1 if math.isfinite(low) and low > 0 else None


def surely_better(worth: JudgeWorth, terms: Terms) -> int | None:
    """The smallest survey beyond the whole interval; None if the data allow none."""
    high = worth.equivalence_high
    found = max(math.ceil(high), 1) if math.isfinite(high) else terms.largest + 1
    return found if found <= terms.largest else None


def people_in_words(number: int, terms: Terms) -> str:
    """So many people, small numbers spelled out."""
    return terms.people(number).replace(str(number), spelled(number), 1) if number else "nobody"


def _by_estimate(equivalence: float, terms: Terms) -> str:
    k = math.ceil(equivalence)
    if equivalence == k:
        return f"Asking {people_in_words(k, terms)} would be exactly as good."
    return f"Asking {people_in_words(k - 1, terms)} would be worse, {_more(k, terms, worse=k - 1)} would be better."


def _more(better: int, terms: Terms, *, worse: int) -> str:
    """The larger survey; the noun stands with the smaller one, unless that asks nobody."""
    return spelled(better) if worse else f"asking {people_in_words(better, terms)}"
