"""What surveys and judges are worth, in words: whom a survey asks, how it is scored, how many raters a judge is worth.

`equivalence`, `panel`, `gate` and the report use these words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dissensus.methods.equivalence.result import CurvePoint, JudgeWorth, Verdict, worth_decimals
from dissensus.options import named
from dissensus.report.numbers import counted, decimal, quoted, spelled

# ---- Whom a survey asks, what it predicts, how that is scored and computed

Settings = Mapping[str, object]
ORDERS = frozenset({"auc", "pearson", "spearman"})
"""Scores that ask whether items come in the right order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The words that depend on what was asked for."""

    raters: str  # whom a judge is measured in
    group: str | None  # the group they are of, if there is one
    target: str  # what surveys and judges predict
    nobody: str  # what is predicted with nobody asked
    largest: int  # the size of the largest survey

    @property
    def above(self) -> str:
        """A number of raters beyond the largest survey."""
        return f">{self.largest}"

    def people(self, n: int) -> str:
        """A number of people, in a sentence.

        Examples
        --------
        >>> [terms_of({}, largest=9).people(n) for n in (0, 1, 3)]
        ['nobody', '1 person', '3 people']
        """
        if n == 0:
            return "nobody"
        return counted(n, "person", "people") if self.group is None else f"{n} {self.group} rater{'s' * (n > 1)}"

    def people_in_words(self, n: int) -> str:
        """The same, small numbers spelled out."""
        return self.people(n).replace(str(n), spelled(n), 1) if n else "nobody"


def terms_of(settings: Settings, *, largest: int) -> Terms:
    """The words for a question."""
    experts, references = settings.get("experts"), settings.get("reference_raters", 1)
    group = None if experts is None else quoted(str(experts))
    raters = "raters" if group is None else f"{group} raters"
    target = f"another {raters.removesuffix('s')}'s label"
    if isinstance(references, int) and references > 1:
        target = f"the most frequent label of {references} other {raters}"
    return Terms(raters=raters, group=group, target=target, nobody=_nobody(settings), largest=largest)


def _nobody(settings: Settings) -> str:
    combiner, prior = settings.get("combiner", "abc"), settings.get("prior", "uniform")
    if settings.get("score") in ORDERS:
        return "predicting the same for every item"
    if combiner in {"abc", "npmle"} or (combiner == "frequency" and prior == "data"):
        return "predicting from how common each label is"
    if combiner in {"frequency", "plurality"}:
        return "giving every label the same chance"
    return "what the combiner predicts without any label"


@dataclass(frozen=True, slots=True)
class ScoreWords:
    """How a score is called, explained and shown."""

    heading: str
    axis: str
    digits: int = 2
    is_share: bool = False
    is_gain: bool = False  # whether it is shown as the gain over asking nobody, in bits

    @property
    def d3_form(self) -> str:
        """A score in a chart."""
        return ".1%" if self.is_share else f".{self.digits}f"

    @property
    def percent_columns(self) -> frozenset[str]:
        """The columns of a table that hold shares, where the score is one."""
        return frozenset({self.heading, "Low", "High"}) if self.is_share else frozenset()

    def origin(self, curve: Sequence[CurvePoint]) -> float:
        """What is taken off every score that is shown: that of asking nobody, where the score is shown as a gain."""
        return curve[0].score if self.is_gain else 0.0


_SCORES: Mapping[str, ScoreWords] = {
    "cross-entropy": ScoreWords("Bits", "Bits gained over asking nobody", digits=3, is_gain=True),
    "agreement": ScoreWords("Agreement", "How often the prediction is another rater's label", is_share=True),
    "brier": ScoreWords("Brier", "Minus the Brier score", 3),
    "rps": ScoreWords("RPS", "Minus the ranked probability score", 3),
    "auc": ScoreWords("AUC", "AUC against another rater's label", 3),
    "f1": ScoreWords("F1", "F1 against another rater's label", 3),
    "precision": ScoreWords("Precision", "Precision against another rater's label", is_share=True),
    "recall": ScoreWords("Recall", "Recall against another rater's label", is_share=True),
    "dmi": ScoreWords("DMI", "Determinant-based mutual information", 4),
    "pearson": ScoreWords("Pearson", "Correlation with another rater's number", 3),
    "spearman": ScoreWords("Spearman", "Rank correlation with another rater's number", 3),
}
OF_A_LABEL = frozenset({"auc", "f1", "precision", "recall"})


def score_words(settings: Settings) -> ScoreWords:
    """The words for the score; for one that has none its name."""
    name = str(settings.get("score", "cross-entropy"))
    return _SCORES.get(name) or ScoreWords(name, name)


def score_sentence(settings: Settings) -> str:
    """What the score is, and which direction is better."""
    positive = settings.get("positive")
    label = "averaged over the labels" if positive is None else f"for {quoted(str(positive))}"
    of = f", {label}" if settings.get("score") in OF_A_LABEL else ""
    return f"The score: {score_words(settings).axis}{of}; more is better."


_COMBINERS = {
    "abc": "what the next rater said about other items with the same labels (Anonymous Bayesian Combiner)",
    "npmle": "by Bayes' rule, from the mixture of kinds of items that fits all ratings best",
    "frequency": "the shares of these labels",
    "plurality": "the most frequent one; tied labels share the point",
}


def combiner_sentence(settings: Settings) -> str:
    """How a survey's answers become a prediction."""
    combiner = str(settings.get("combiner", "abc"))
    return f"Prediction from people's labels: {_COMBINERS.get(combiner, f'by the combiner {quoted(combiner)}')}."


def reference_sentence(settings: Settings, terms: Terms) -> str:
    """What surveys and judges predict."""
    mean = " A judge's score is the mean over raters, not over items." if settings.get("weights") == "rater" else ""
    return f"People and judges predict {terms.target}; no rater and no majority vote is taken as the truth.{mean}"


def calibration_sentence(settings: Settings) -> str:
    """How judges were calibrated; empty where they were not."""
    method = settings.get("calibrate", "none")
    means = "each answer is replaced by what people said where the judge gave it or a similar one"
    return "" if method == "none" else f"Recalibrated ({method}): {means}."


_BY = {
    "pearson": "correlation (Pearson)", "spearman": "rank correlation (Spearman)", "auc": "AUC", "f1": "F1",
    "dmi": "mutual information (DMI)", "brier": "the Brier score", "rps": "the ranked probability score",
}  # fmt: skip


def by_words(score: object) -> str:
    """By what a number of raters was found, as the end of a clause; empty for cross-entropy, which is the rule.

    >>> f"worth 1.2 raters{by_words('pearson')}", f"worth 1.2 raters{by_words('cross-entropy')}"
    ('worth 1.2 raters by correlation (Pearson)', 'worth 1.2 raters')
    """
    name = "cross-entropy" if score is None else str(score)
    return "" if name == "cross-entropy" else f" by {_BY.get(name, name)}"


# ---- How many raters a judge is worth

FLAT = "Judges cannot be measured here: asking people does not predict another rater better than asking nobody."
"""For a curve that does not rise, as where every rating is the same."""


def place_of(worth: JudgeWorth, terms: Terms) -> Verdict | None:
    """Where a judge lies on the curve; None if that is undefined.

    On a curve that ends with nobody asked a judge that is better has no number, but it is known to be better.
    """
    is_above_nobody = worth.verdict is None and not terms.largest and math.isfinite(worth.score)
    return "above K" if is_above_nobody else worth.verdict


def end_text(value: float, place: Verdict | None, above: str, digits: int = 2) -> str:
    """One end of an interval: a number, or the end of the curve that it is beyond.

    >>> end_text(1.5, "within", ">4"), end_text(math.nan, "above K", ">4")
    ('1.50', '>4')
    """
    return decimal(value, digits) if place == "within" else "<0" if place == "below 0" else above


def place_text(value: float, least: int, most: int | None, digits: int) -> str:
    """A number of raters, or the end of the curve that it is infinitely far beyond."""
    if math.isnan(value):
        return "undefined"
    return decimal(value, digits) if math.isfinite(value) else f"<{least}" if value < 0 else f">{most}"


def _digits(worth: JudgeWorth) -> int:
    return worth_decimals(worth.equivalence, worth.equivalence_low, worth.equivalence_high)


def bounds_text(worth: JudgeWorth, above: str) -> str:
    """The interval of a judge; empty without one, or where all of it is off one end."""
    ends = (worth.low_verdict, worth.high_verdict)
    if None in ends or (worth.low_verdict == worth.high_verdict and worth.low_verdict != "within"):
        return ""
    values, digits = (worth.equivalence_low, worth.equivalence_high), _digits(worth)
    low, high = (end_text(value, place, above, digits) for value, place in zip(values, ends, strict=True))
    return f" [{low}, {high}]"


def value_text(worth: JudgeWorth, terms: Terms) -> str:
    """What a judge is worth without its interval: a number, or the end of the curve that it is beyond."""
    place = place_of(worth, terms)
    return "undefined" if place is None else end_text(worth.equivalence, place, terms.above, _digits(worth))


def worth_text(worth: JudgeWorth, terms: Terms) -> str:
    """What a judge is worth with its interval, without a unit."""
    return value_text(worth, terms) + bounds_text(worth, terms.above)


def raters_text(worth: JudgeWorth, terms: Terms) -> str:
    """What a judge is worth in a sentence: `1.5 raters [1.2, 1.9]`, `more than 1 rater`, `less than asking nobody`."""
    place, bounds = place_of(worth, terms), bounds_text(worth, terms.above)
    bounds = bounds.replace("<", "below ").replace(">", "above ")
    if place == "below 0" or (place == "above K" and not terms.largest):
        return f"{'less' if place == 'below 0' else 'more'} than asking nobody{bounds}"
    value = f"more than {terms.largest}" if place == "above K" else value_text(worth, terms)
    is_one = value.removeprefix("more than ") in {"1", "1.0", "1.00"}
    return f"{value} {terms.raters.removesuffix('s') if is_one else terms.raters}{bounds}"


def worth_in_short(best: JudgeWorth, settings: Settings, terms: Terms, *, judges: int) -> str:
    """The answer: what the best judge is worth, and which surveys are worse and better than it."""
    name, place = quoted(best.judge), place_of(best, terms)
    subject = name if judges == 1 else f"{name}, the best of {judges} judges,"
    if place is None:
        return f"How many {terms.raters} {name} is worth is undefined here: the warnings say why."
    if not terms.largest and place == "above K":
        does = "predicts" if best.low_verdict in {None, "above K"} else "is not shown to predict"
        few = "most items have one rating, too few to count raters"
        return f"{subject} {does} another rater better than asking nobody; {few}."
    by = by_words(settings.get("score"))
    how = "Recalibrated, " if best.calibrated and not by else ""
    value = f"{how}{subject} is worth {raters_text(best, terms)}{by}"
    if place == "within" or bounds_text(best, terms.above):
        return f"{value}: {asking(best, terms)}."
    return (
        f"{value}, the most that can be asked here." if place == "above K" else f"{value}: {terms.nobody} does better."
    )


def asking(best: JudgeWorth, terms: Terms) -> str:
    """Which surveys are worse and which are better than a judge; without an interval by the estimate."""
    people, largest = terms.people_in_words, terms.largest
    worse = largest if best.low_verdict == "above K" else None  # the largest survey below the whole interval
    worse = math.ceil(best.equivalence_low) - 1 if best.equivalence_low > 0 else worse
    high = best.equivalence_high
    above = 0 if best.high_verdict == "below 0" else max(math.ceil(high), 1) if math.isfinite(high) else largest + 1
    better = above if above <= largest else None  # the smallest one above it, if the data allow one
    if best.low_verdict is None or (best.equivalence_low == best.equivalence_high and best.verdict == "within"):
        better = math.ceil(best.equivalence)
        worse = better - 1
        if best.equivalence == better:
            return f"as good as asking {people(better)}"
    if worse is None and better is None:
        return "too uncertain to say how many people it equals"
    if worse is None:
        return f"worse than asking {people(better or 0)}, not shown to be better than asking nobody"
    if better is not None:
        return f"better than asking {people(worse)}, worse than asking {people(better)}"
    if worse >= largest:
        return f"better than asking {people(largest)}"
    span = people(largest) if worse + 1 == largest else f"{spelled(worse + 1)} to {people(largest)}"
    return f"better than asking {people(worse)}; asking {span} may be better"


# ---- What the curve says, and what to do about it


def below_note(worth: JudgeWorth, settings: Settings) -> str:
    """What to try with a judge that is worse than asking nobody; empty where nothing helps."""
    if settings.get("score") in ORDERS:
        remedy = "if its scale is reversed, multiply its numbers by -1 in the file"
        return f"{quoted(worth.judge)} orders items against people: {remedy}."
    if settings.get("score", "cross-entropy") != "cross-entropy" or worth.calibrated:
        return ""
    return f"{quoted(worth.judge)} is below 0, which is often overconfidence: try {named('calibrate')} auto."


def curve_finding(best: JudgeWorth | None, terms: Terms) -> str:
    """The title of the chart."""
    if best is None or best.verdict is None:
        return "How well people predict another rater, by how many are asked"
    if best.verdict == "below 0":
        return f"No judge predicts people better than asking nobody; {quoted(best.judge)} comes closest"
    if best.verdict == "above K":
        return f"{quoted(best.judge)} predicts people better than asking {terms.people(terms.largest)}"
    return f"{quoted(best.judge)} predicts people as well as {raters_text(best, terms).split(' [')[0]} can"


def falling_note(curve: Sequence[CurvePoint], settings: Settings) -> str:
    """What to try where the curve falls although more people cannot know less; empty if it does not, beyond a hair."""
    known = [p for p in curve if math.isfinite(p.score)]
    if not known or settings.get("combiner", "abc") != "abc":
        return ""
    top = max(known, key=lambda p: p.score)
    if top.score - known[-1].score <= 0.05 * (top.score - known[0].score):
        return ""
    return (
        f"The curve falls after {counted(top.raters, 'rater')}, because the combiner has too few items to learn from "
        f"for more: try {named('combiner')} npmle or {named('max_raters')} {top.raters}."
    )
