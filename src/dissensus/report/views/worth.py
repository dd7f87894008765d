"""What surveys and judges are worth, in words: whom a survey asks, how it is scored, how many raters a judge is worth.

`equivalence`, `panel`, `gate` and the verdict of a report use these words.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dissensus.methods.equivalence.result import CurvePoint, JudgeWorth, Verdict
from dissensus.methods.equivalence.scores import ADDITIVE_SCORES
from dissensus.options import named
from dissensus.report.numbers import counted, decimal, listing, percent, quoted, sentences, spelled, whole

# ---- Whom a survey asks, what it predicts, how that is scored and computed

Settings = Mapping[str, object]
ORDERS = frozenset({"auc", "pearson", "spearman"})
"""Scores that ask whether items come in the right order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The words that depend on what was asked for.

    Attributes
    ----------
    raters : str
        Whom a judge is measured in, in the plural.
    group : str, optional
        The group they are of.
    target : str
        What surveys and judges predict.
    nobody : str
        What is predicted with nobody asked, as what one does.
    largest : int
        The size of the largest survey.
    """

    raters: str
    group: str | None
    target: str
    nobody: str
    largest: int

    @property
    def above(self) -> str:
        """A number of raters beyond the largest survey."""
        return f"above {self.largest}"

    def people(self, n: int) -> str:
        """So many people, in a sentence.

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

    def raters_of(self, n: int) -> str:
        """So many of whom a judge is measured in.

        Examples
        --------
        >>> [terms_of({}, largest=9).raters_of(n) for n in (1, 3)]
        ['1 rater', '3 raters']
        """
        return f"{n} {self.raters.removesuffix('s') if n == 1 else self.raters}"


def terms_of(settings: Settings, *, largest: int) -> Terms:
    """The words for a question."""
    experts = settings.get("experts")
    group = None if experts is None else quoted(str(experts))
    references = settings.get("reference_raters", 1)
    other = "another person's label" if group is None else f"a further {group} rater's label"
    if isinstance(references, int) and references > 1:
        other = f"the most frequent label of {references} other {'people' if group is None else f'{group} raters'}"
    raters = "raters" if group is None else f"{group} raters"
    return Terms(raters=raters, group=group, target=other, nobody=_nobody(settings), largest=largest)


def _nobody(settings: Settings) -> str:
    combiner, prior = settings.get("combiner", "abc"), settings.get("prior", "uniform")
    if settings.get("score") in ORDERS:
        return "predicting the same for every item"
    if combiner in {"abc", "npmle"} or (combiner == "frequency" and prior == "data"):
        return "predicting from how common each label is"
    if combiner in {"frequency", "plurality"}:
        return "giving every label the same chance"
    return "what the combiner predicts without any label"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWords:
    """How a score is called, shown and explained.

    Attributes
    ----------
    heading, axis : str
        Above a column, and on an axis.
    meaning : str
        What it is, and which direction is better; `{label}` stands for the positive label.
    is_gain : bool
        Whether it is shown as the gain over asking nobody.
    form, d3_form : callable, str
        A score as text, and the same for a chart.
    """

    heading: str
    axis: str
    meaning: str
    is_gain: bool = False
    form: Callable[[float], str] = lambda value: decimal(value, 3)
    d3_form: str = ".3f"

    @property
    def percent_columns(self) -> frozenset[str]:
        """The columns of a table that hold shares, where the score is one."""
        return frozenset({self.heading, "Low", "High"}) if self.form is percent else frozenset()

    def origin(self, curve: Sequence[CurvePoint]) -> float:
        """What is taken off every score that is shown: that of asking nobody, where the score is shown as a gain."""
        return curve[0].score if self.is_gain else 0.0


_SCORES: Mapping[str, ScoreWords] = {
    "cross-entropy": ScoreWords(
        heading="Bits",
        axis="Bits gained over asking nobody",
        meaning="The score is cross-entropy: the mean base-2 logarithm of the probability that was given to what the "
        "other person then said. It is shown as the gain over asking nobody, which is information: so many bits does a "
        "survey or a judge tell about the other person's label. More is better; below 0 it misleads.",
        is_gain=True,
        form=lambda value: f"{decimal(value, 3)} bits",
    ),
    "agreement": ScoreWords(
        heading="Agreement",
        axis="How often the prediction is what another person said",
        meaning="The score is agreement: how often the predicted label is the one that the other person gave. A "
        "prediction counts as its most likely label, and labels that tie share it. More is better.",
        form=percent,
        d3_form=".1%",
    ),
    "brier": ScoreWords(
        heading="Brier",
        axis="Brier score with its sign turned",
        meaning="The score is the Brier score with its sign turned, so that more is better: minus the squared distance "
        "between the predicted probabilities and the label that the other person gave. 0 would be perfect.",
    ),
    "rps": ScoreWords(
        heading="RPS",
        axis="Ranked probability score with its sign turned",
        meaning="The score is the ranked probability score with its sign turned, so that more is better: minus the "
        "squared error of the chance that the other person's label is at or below a step of the scale, averaged over "
        "the steps. A near miss costs less than a far one. 0 would be perfect, -1 is as wrong as can be.",
    ),
    "auc": ScoreWords(
        heading="AUC",
        axis="AUC against another person's label",
        meaning="The score is AUC {label}: how often an item that the other person gave the label is ranked above one "
        "that got another label. 0.5 is chance, 1 is perfect.",
    ),
    "f1": ScoreWords(
        heading="F1",
        axis="F1 against another person's label",
        meaning="The score is F1 {label}, the harmonic mean of precision and recall. More is better, 1 is perfect.",
    ),
    "precision": ScoreWords(
        heading="Precision",
        axis="Precision against another person's label",
        meaning="The score is precision {label}: of the items for which the label is predicted, the share to which the "
        "other person gave it. More is better.",
        form=percent,
        d3_form=".1%",
    ),
    "recall": ScoreWords(
        heading="Recall",
        axis="Recall against another person's label",
        meaning="The score is recall {label}: of the items to which the other person gave the label, the share for "
        "which it is predicted. More is better.",
        form=percent,
        d3_form=".1%",
    ),
    "dmi": ScoreWords(
        heading="DMI",
        axis="Determinant-based mutual information",
        meaning="The score is the determinant-based mutual information of prediction and label: 0 if the prediction "
        "tells nothing about what the other person says, and more is better. Only comparisons of it mean something.",
        form=lambda value: decimal(value, 4),
        d3_form=".4f",
    ),
    "pearson": ScoreWords(
        heading="Pearson",
        axis="Correlation with another person's number",
        meaning="The score is Pearson's correlation between the predicted number and the one that the other person "
        "gave. 0 is no relation, 1 is perfect.",
    ),
    "spearman": ScoreWords(
        heading="Spearman",
        axis="Rank correlation with another person's number",
        meaning="The score is Spearman's rank correlation between the predicted number and the one that the other "
        "person gave. 0 is no relation, 1 is the same order.",
    ),
}


def score_words(settings: Settings) -> ScoreWords:
    """The words for the score; for one that has none its name."""
    name = str(settings.get("score", "cross-entropy"))
    return _SCORES.get(name) or ScoreWords(heading=name, axis=name, meaning=f"The score is {name}; more is better.")


def score_sentence(settings: Settings) -> str:
    """What the score is, and which direction is better."""
    positive = settings.get("positive")
    label = "averaged over the labels" if positive is None else f"for {quoted(str(positive))}"
    return score_words(settings).meaning.replace("{label}", label)


_COMBINERS = {
    "abc": "A survey's answers become a prediction by the Anonymous Bayesian Combiner: among the other items on which "
    "so many people gave the same labels, what did the next person say?",
    "npmle": "A survey's answers become a prediction by Bayes' rule: the mixture of kinds of items that explains all "
    "ratings best says which kind this item is likely to be.",
    "frequency": "A survey predicts each label with the share of the asked people who gave it.",
    "plurality": "A survey predicts the label that most of the asked people gave; labels that tie share it.",
}
_LEARN = {
    "midpoint": "It is learned once from all items and once without the item, and the mean of both scores counts: the "
    "first gains by learning what the second loses.",
    "leave-one-out": "What is learned for an item never comes from the item itself.",
    "in-sample": "It is learned from all items, the predicted one included, which flatters large surveys a little.",
    "cross-fit": "It is learned on nine tenths of the items and used on the last tenth, in turn.",
}


def combiner_sentence(settings: Settings) -> str:
    """How a survey's answers become a prediction."""
    combiner, learn = str(settings.get("combiner", "abc")), str(settings.get("learn"))
    how = _COMBINERS.get(combiner, f"A survey's answers become a prediction by the combiner {quoted(combiner)}.")
    return f"{how} {_LEARN[learn]}" if combiner in {"abc", "npmle"} and learn in _LEARN else how


def exactness_sentence(curve: Sequence[CurvePoint]) -> str:
    """Whether every possible survey was counted."""
    sampled = [point.raters for point in curve if not math.isnan(point.standard_error)]
    if sampled:
        return f"Up to {sampled[0] - 1} raters every possible survey is counted, none is sampled."
    return "Every possible survey is counted, by its exact probability; none is sampled."


def reference_sentence(settings: Settings, terms: Terms) -> str:
    """What the other person is."""
    who = "That rater is" if settings.get("reference_raters", 1) == 1 else "Those raters are"
    weights = "A judge's score is the mean over raters, not over items." if settings.get("weights") == "rater" else ""
    return sentences(
        f"Surveys and judges alike predict {terms.target}. {who} never among those asked, and neither one rater nor a "
        "majority vote is taken for the truth.",
        weights,
    )


_CALIBRATIONS = {
    "auto": "one by one, by the mixture of simple curves that predicts other items best, and where an answer comes "
    "often by what people said after it",
    "multinomial": "by softmax regression of people's shares on the judge's probabilities of all labels",
    "isotonic": "by isotonic regression, a rising curve from the judge's probability to people's share (for "
    "judges that give probabilities or several answers)",
    "platt": "by Platt's logistic curve from the judge's probability to people's share",
    "table": "by a table: for each distinct answer of the judge, how often people gave each label (for judges that "
    "give one label per item)",
}


def calibration_sentence(settings: Settings) -> str:
    """How judges were calibrated; where they were not, that it matters to cross-entropy."""
    method = _CALIBRATIONS.get(str(settings.get("calibrate", "none")))
    if method is not None:
        return (
            f"Judges are calibrated {method}. Their score is the mean of two: learned on all items, and on other items "
            "than those it is used on; what learning adds to the first it takes from the second. Bootstrap samples do "
            "not learn it again."
        )
    if settings.get("score", "cross-entropy") != "cross-entropy":
        return ""
    return (
        f"Judges' probabilities are taken at face value; {named('calibrate')} auto would show what they know apart "
        "from how sure they sound."
    )


def clip_sentence(settings: Settings) -> str:
    """How far from certainty predictions are kept; empty where they are not."""
    clip = settings.get("clip")
    if settings.get("score", "cross-entropy") != "cross-entropy" or not isinstance(clip, float):
        return ""
    low, high = percent(clip, 0), percent(1 - clip, 0)
    return f"No prediction, of a survey or a judge, is taken to be surer than {low} or {high}."


def items_sentence(curve: Sequence[CurvePoint]) -> str:
    """How many items each point rests on."""
    first, last = curve[0].items, curve[-1].items
    if first == last:
        return f"Every point rests on the same {counted(first, 'item')}."
    full = max(point.raters for point in curve if point.items == first)
    return (
        f"Some items have few ratings: up to {counted(full, 'rater')} the curve rests on {counted(first, 'item')}, at "
        f"{curve[-1].raters} on {whole(last)}. A blank is never counted as a rater."
    )


_BY = {
    "pearson": "correlation (Pearson)", "spearman": "rank correlation (Spearman)", "auc": "AUC", "f1": "F1",
    "dmi": "mutual information (DMI)", "brier": "the Brier score", "rps": "the ranked probability score",
}  # fmt: skip


def by_words(score: object) -> str:
    """By what a number of raters was found, as the end of a clause; empty of cross-entropy, which is the rule.

    Examples
    --------
    >>> f"worth 1.23 raters{by_words('pearson')}", f"worth 1.23 raters{by_words('cross-entropy')}"
    ('worth 1.23 raters by correlation (Pearson)', 'worth 1.23 raters')
    """
    name = "cross-entropy" if score is None else str(score)
    return "" if name == "cross-entropy" else f" by {_BY.get(name, name)}"


# ---- How many raters a judge is worth

CALIBRATED = (
    "Judges are calibrated: each answer is replaced by what people said where the judge gave the same or a similar "
    "answer, so what counts is what it knows, not how sure it sounds."
)
CALIBRATION_MATTERS = (
    "Why calibrated and raw differ: a judge that sounds surer than it should scores badly however much it knows. "
    "Calibration replaces each of its answers by what people said where the judge gave the same or a similar answer, "
    "so what is left is what it knows. Raw is what you get by taking its probabilities at face value; bare labels have "
    "none."
)
FLAT = (
    "Asking people tells nothing here, however many: no survey predicts better than asking nobody, so there is nothing "
    "to measure judges by."
)
"""Of a curve that does not rise, as where every rating says the same."""
TURNED = "The judge's order runs against people's: if its scale is reversed, flip it."
NEARLY_FLAT = 0.1
"""A curve that takes off a smaller share than that of what is unknown makes large numbers of raters of small gains."""


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
    place = place_of(worth, terms)
    return "undefined" if place is None else end_text(worth.equivalence, place, terms.above)


def bounds_text(worth: JudgeWorth, above: str) -> str:
    """The interval of a judge, ends off the curve in words; empty without one, or where all of it is off one end."""
    ends = (worth.low_verdict, worth.high_verdict)
    if None in ends or (worth.low_verdict == worth.high_verdict and worth.low_verdict != "within"):
        return ""
    values = (worth.equivalence_low, worth.equivalence_high)
    low, high = (end_text(value, place, above) for value, place in zip(values, ends, strict=True))
    return f" [{low}, {high}]"


def end_text(value: float, place: Verdict | None, above: str) -> str:
    """One end of an interval: a number, or the end of the curve that it is beyond.

    Examples
    --------
    >>> end_text(1.5, "within", "above 4"), end_text(math.nan, "above K", "above 4")
    ('1.50', 'above 4')
    """
    return decimal(value) if place == "within" else "below 0" if place == "below 0" else above


def worth_text(worth: JudgeWorth, terms: Terms) -> str:
    """What a judge is worth with its interval, without a unit."""
    return value_text(worth, terms) + bounds_text(worth, terms.above)


def raters_text(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """What a judge is worth with its interval, in raters."""
    value, bounds = value_text(worth, terms), bounds_text(worth, terms.above)
    return f"{value} {terms.raters}{bounds}{by_words(settings.get('score'))}"


def worth_in_short(best: JudgeWorth, settings: Settings, terms: Terms, *, judges: int) -> str:
    """The answer: what the best judge is worth, and which surveys are worse and better than it."""
    name = judge_name(best)
    return worth_sentence(
        best, settings, terms, subject=f"Judge {name}" if judges == 1 else f"The best of {judges} judges, {name},"
    )


def judge_sentence(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """One judge in a list: what it is worth, and which surveys are worse and better than it."""
    return worth_sentence(worth, settings, terms, subject=judge_name(worth))


def worth_sentence(worth: JudgeWorth, settings: Settings, terms: Terms, *, subject: str) -> str:
    """What a judge is worth, and which surveys are worse and better than it."""
    place, by = place_of(worth, terms), by_words(settings.get("score"))
    if place is None:
        return f"How many {terms.raters} judge {judge_name(worth)} is worth is undefined here (the warnings say why)."
    if place == "below 0" and worth.high_verdict in {None, "below 0"}:
        return f"{subject} is worth less than asking nobody{by}: {terms.nobody} does better."
    if not terms.largest:
        better = "predicts" if worth.low_verdict in {None, "above K"} else "is not shown to predict"
        return (
            f"{subject} {better} {terms.target} better than {terms.nobody}; how many {terms.raters} that is worth is "
            "unknown, because fewer than half of the items have a second rating."
        )
    if place == "above K" and worth.low_verdict in {None, "above K"}:
        return f"{subject} is worth more than {terms.raters_of(terms.largest)}{by}, the largest survey here."
    value = f"{subject} is worth {raters_text(worth, settings, terms)} at predicting {terms.target}."
    return f"{value} {asking(worth, terms)}"


def asking(best: JudgeWorth, terms: Terms) -> str:
    """Which surveys are worse and which are better than a judge; without an interval by the estimate."""
    low, high = best.equivalence_low, best.equivalence_high
    if best.low_verdict is None or (low == high and best.verdict == "within"):
        k = math.ceil(best.equivalence)
        if best.equivalence == k:
            return f"Asking {terms.people_in_words(k)} would be exactly as good."
        return _worse_and_better(k - 1, k, terms)
    worse, better = surely_worse(best, terms), surely_better(best, terms)
    if worse is None and better is None:
        return f"Whether asking people, up to {spelled(terms.largest)}, would be better or worse is open."
    if worse is None:
        asked = terms.people_in_words(better or 0)
        return f"Asking {asked} would be better; that the judge is better than asking nobody is not shown."
    if better is not None:
        return _worse_and_better(worse, better, terms)
    first, last = worse + 1, terms.largest
    most = spelled(last) if worse else terms.people_in_words(last)
    span = "" if first == last else f"{spelled(first)} {'or' if last == first + 1 else 'to'} "
    return f"Asking {terms.people_in_words(worse)} would be worse; whether asking {span}{most} would be better is open."


def _worse_and_better(worse: int, better: int, terms: Terms) -> str:
    """A survey on each side; the noun stands with the smaller one, unless that asks nobody."""
    more = spelled(better) if worse else f"asking {terms.people_in_words(better)}"
    return f"Asking {terms.people_in_words(worse)} would be worse, {more} would be better."


def surely_worse(worth: JudgeWorth, terms: Terms) -> int | None:
    """The largest survey below the whole interval; None if even asking nobody is not."""
    if worth.low_verdict == "above K":
        return terms.largest
    return math.ceil(worth.equivalence_low) - 1 if worth.equivalence_low > 0 else None


def surely_better(worth: JudgeWorth, terms: Terms) -> int | None:
    """The smallest survey beyond the whole interval; None if the data allow none."""
    if worth.high_verdict == "below 0":
        return 0
    high = worth.equivalence_high
    size = max(math.ceil(high), 1) if math.isfinite(high) else terms.largest + 1
    return size if size <= terms.largest else None


def fraction_sentence(worth: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """A fractional value as the paper explains it; empty if there is nothing to explain.

    Asking about a share of the items brings that share of the gain where a score is a mean over items. It does not
    elsewhere: a quarter of the items is enough for half of one person's correlation.
    """
    if worth.verdict != "within" or worth.equivalence == math.floor(worth.equivalence):
        return ""
    k = math.ceil(worth.equivalence)
    value, share = decimal(worth.equivalence), percent(worth.equivalence - (k - 1), 0)
    if settings.get("score", "cross-entropy") not in ADDITIVE_SCORES:
        return (
            f"What {value} means: the judge's score lies {share} of the way from that of asking {terms.people(k - 1)} "
            f"to that of asking {terms.people(k)}."
        )
    rest = f"{terms.people(k - 1)} about the rest" if k > 1 else f"{terms.nobody} for the rest"
    return (
        f"What {value} means: the judge predicts as well as asking {terms.people(k)} about {share} of the items and "
        f"{rest}."
    )


def samples(share: float) -> str:
    """So many of the bootstrap samples."""
    words = {0.0: "no bootstrap sample", 1.0: "every bootstrap sample"}
    return words.get(share, f"{percent(share)} of the bootstrap samples")


def below_hint(settings: Settings, terms: Terms) -> str:
    """What `below 0` means and what to try."""
    meaning = f"Below 0 means worse than {terms.nobody}, without asking anybody."
    score = settings.get("score", "cross-entropy")
    if score in ORDERS:
        return f"{meaning} {TURNED}"
    if score != "cross-entropy":
        return meaning
    if settings.get("calibrate", "none") != "none":
        return f"{meaning} A calibrated judge there tells, on this evidence, nothing about people."
    return (
        f"{meaning} With cross-entropy that is often a sign of overconfidence, not of ignorance: try "
        f"{named('calibrate')} auto."
    )


# ---- What the curve says


def curve_finding(best: JudgeWorth | None, terms: Terms) -> str:
    """The title of the chart."""
    if best is None or best.verdict is None:
        return "What a survey of people tells, by its size"
    name, low, high = judge_name(best), best.low_verdict, best.high_verdict
    if best.verdict == "below 0":
        does = "reaches" if high in {None, "below 0"} else "is shown to reach more than"
        return f"No judge {does} what is known without asking anybody; {name} comes closest"
    if best.verdict == "above K" and low in {None, "above K"}:
        return f"{name} predicts people better than asking {terms.people(terms.largest)}"
    bounds = "" if best.verdict == "within" else bounds_text(best, terms.above)
    return f"{name} predicts people as well as {value_text(best, terms)} {terms.raters} do{bounds}"


def nearly_flat_sentence(curve: Sequence[CurvePoint], settings: Settings, terms: Terms) -> str:
    """That even many people tell little, so that many raters are a small gain; empty where they tell more.

    What is unknown with nobody asked is the cross-entropy of that prediction, which only bits are a share of.
    """
    known = [point for point in curve if math.isfinite(point.score)]
    if settings.get("score", "cross-entropy") != "cross-entropy" or len(known) < 2:  # noqa: PLR2004 - no curve
        return ""
    gain, unknown = known[-1].score - known[0].score, -known[0].score
    if not 0 < gain < NEARLY_FLAT * unknown:
        return ""
    return (
        f"The whole curve is nearly flat: even asking {terms.people(known[-1].raters)} tells {decimal(gain, 3)} of the "
        f"{decimal(unknown, 3)} bits that are unknown with nobody asked, so a large number of raters is a small gain."
    )


def curve_sentence(curve: Sequence[CurvePoint], terms: Terms, words: ScoreWords) -> str:
    """What asking people brings."""
    shown = [p for p in curve if p.raters in {0, 1, 2, curve[-1].raters} and math.isfinite(p.score)]
    origin = words.origin(curve)
    parts = [f"{terms.people(p.raters)} {words.form(p.score - origin)}" for p in shown if p.raters or not words.is_gain]
    return f"What asking brings{', over asking nobody' * words.is_gain}: {listing(parts)}."


def falling_sentence(curve: Sequence[CurvePoint], settings: Settings) -> str:
    """That the curve falls although more people cannot know less; empty if it does not, beyond a hair."""
    known = [p for p in curve if math.isfinite(p.score)]
    top = max(known, key=lambda p: p.score)
    is_learned = settings.get("combiner", "abc") == "abc"
    if not is_learned or top.score - known[-1].score <= 0.05 * (top.score - known[0].score):
        return ""
    return (
        f"The curve falls after {counted(top.raters, 'rater')}. More people do not know less: the larger a survey, the "
        f"fewer other items show the same answers, and the combiner has too little to learn from. Try "
        f"{named('combiner')} npmle, or {named('max_raters')} {top.raters}."
    )
