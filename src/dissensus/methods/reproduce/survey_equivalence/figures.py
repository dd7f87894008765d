"""Figures 4 to 8 of "Survey Equivalence", from the authors' data."""

from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.reproduce.claims import Drawing
from dissensus.methods.reproduce.data import PaperData
from dissensus.methods.reproduce.survey_equivalence.authors_files import PAPER
from dissensus.methods.reproduce.survey_equivalence.cases import credbank_curve, karma_curve
from dissensus.methods.reproduce.survey_equivalence.running import bayesian_curve, majority_curve
from dissensus.methods.reproduce.survey_equivalence.wikipedia import wikipedia_curve


def _drawing(place: str, title: str, caption: str, curve: EquivalenceResult) -> Drawing:
    return Drawing(paper=PAPER, place=place, title=title, caption=caption, kind="power curve", curve=curve)


def running_figures(data: PaperData) -> list[Drawing]:
    """Figures 4 and 5."""
    return [
        _drawing(
            "figure 4",
            "By majority vote and agreement the hard classifier seems worth more than four raters",
            "The authors' 1,000 items; all surveys of each size, where the paper draws 200.",
            majority_curve(data),
        ),
        _drawing(
            "figure 5",
            "By the Bayesian combiner and cross-entropy its information is that of two raters",
            "The authors' 1,000 items; the soft classifier that the hard one induces.",
            bayesian_curve(data),
        ),
    ]


def wikipedia_figures(data: PaperData) -> list[Drawing]:
    """Figure 6, top left."""
    title = "The classifier of attacks is worth three to four raters, if blank cells are no raters"
    caption = "The first 2,000 comments of the authors' file, Bayesian combiner and cross-entropy."
    return [_drawing("figure 6, first panel", title, caption, wikipedia_curve(data))]


def credbank_figures(data: PaperData) -> list[Drawing]:
    """Figure 7."""
    title = "The classifier of news is worth half a rater"
    caption = "1,377 events, Bayesian combiner learnt with the item left out."
    return [_drawing("figure 7", title, caption, credbank_curve(data, "leave-one-out"))]


def karma_figures(data: PaperData) -> list[Drawing]:
    """Figure 8, the panels with cross-entropy."""
    bayesian, frequency = karma_curve(data, coin=0, samples=200), karma_curve(data, coin=0, combiner="frequency")
    caption = "400 pairs of images, one coin for left and right."
    return [
        _drawing("figure 8, first panel", "Reddit's scores are worth one to two raters", caption, bayesian),
        _drawing(
            "figure 8, second panel", "Counting labels is worse than guessing with few raters", caption, frequency
        ),
    ]
