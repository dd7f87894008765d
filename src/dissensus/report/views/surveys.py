"""What a survey is in words: whom it asks, what it predicts, how that is scored and computed."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dissensus.methods.equivalence.result import CurvePoint
from dissensus.report.numbers import counted, decimal, percent, quoted, whole

# ---- What a survey is in words: whom it asks, what it predicts, how that is scored and computed

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
    form : callable
        A score as text.
    d3_form : str
        The same for a chart.
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
        meaning="The score is agreement: how often the predicted label is the one that the other person gave. More is "
        "better.",
        form=percent,
        d3_form=".1%",
    ),
    "brier": ScoreWords(
        heading="Brier",
        axis="Brier score with its sign turned",
        meaning="The score is the Brier score with its sign turned, so that more is better: minus the squared distance "
        "between the predicted probabilities and the label that the other person gave. 0 would be perfect.",
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
    "leave-one-out": "What is learned for an item never comes from the item itself.",
    "in-sample": "It is learned from all items, the predicted one included, which flatters large surveys a little.",
    "cross-fit": "It is learned on nine tenths of the items and used on the last tenth, in turn.",
}


def combiner_sentence(settings: Settings) -> str:
    """How a survey's answers become a prediction."""
    combiner, learn = str(settings.get("combiner", "abc")), str(settings.get("learn"))
    said = _COMBINERS.get(combiner, f"A survey's answers become a prediction by the combiner {quoted(combiner)}.")
    return f"{said} {_LEARN[learn]}" if combiner in {"abc", "npmle"} and learn in _LEARN else said


def exactness_sentence(curve: Sequence[CurvePoint]) -> str:
    """Whether every possible survey was counted."""
    sampled = [point.raters for point in curve if not math.isnan(point.standard_error)]
    if sampled:
        return f"Up to {sampled[0] - 1} raters every possible survey is counted, none is sampled."
    return "Every possible survey is counted, by its exact probability; none is sampled."


def reference_sentence(settings: Settings, terms: Terms) -> str:
    """What the other person is."""
    references = settings.get("reference_raters", 1)
    who = "That rater is" if references == 1 else "Those raters are"
    weights = " A judge's score is the mean over raters, not over items." if settings.get("weights") == "rater" else ""
    return (
        f"Surveys and judges alike predict {terms.target}. {who} never among those asked, and neither one rater nor a "
        f"majority vote is taken for the truth.{weights}"
    )


_CALIBRATIONS = {
    "isotonic": "by isotonic regression, a rising curve from the judge's probability to people's share (for "
    "judges that give probabilities or several answers)",
    "platt": "by Platt's logistic curve from the judge's probability to people's share",
    "table": "by a table: for each distinct answer of the judge, how often people gave each label (for judges that "
    "give one label per item)",
}


def calibration_sentence(settings: Settings) -> str:
    """How judges were calibrated; where they were not, that it matters to cross-entropy."""
    method = _CALIBRATIONS.get(str(settings.get("calibrate", "none")))
    if method is None:
        is_soft = settings.get("score", "cross-entropy") == "cross-entropy"
        return (
            "Judges' probabilities are taken at face value; --calibrate isotonic would show what they know apart from "
            "how sure they sound."
            if is_soft
            else ""
        )
    return f"Judges are calibrated {method}, learned on other items than those it is used on."


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
    "dmi": "mutual information (DMI)", "brier": "the Brier score",
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
