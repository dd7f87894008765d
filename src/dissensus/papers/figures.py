"""Which figures belong to which group of claims: they are drawn where their numbers are computed."""

from collections.abc import Callable, Mapping

from dissensus.papers.data import MissingDataError, PaperData
from dissensus.papers.dont_label_twice import figures as label_figures
from dissensus.papers.drawings import Drawing
from dissensus.papers.how_many_raters import figures as raters_figures
from dissensus.papers.judges_without_gold import figures as judges_figures
from dissensus.papers.survey_equivalence import figures as survey_figures

Draw = Callable[[PaperData], list[Drawing]]

FIGURES: Mapping[tuple[str, str], Draw] = {
    ("survey-equivalence", "running example, 1,000 items"): survey_figures.running_figures,
    ("survey-equivalence", "Wikipedia attacks"): survey_figures.wikipedia_figures,
    ("survey-equivalence", "CredBank"): survey_figures.credbank_figures,
    ("survey-equivalence", "GuessTheKarma"): survey_figures.karma_figures,
    ("judges-without-gold", "figures 4, 10 and 13"): judges_figures.selection_figures,
    ("judges-without-gold", "figures 5 and 14"): judges_figures.ranking_figures,
    ("judges-without-gold", "figure 11"): judges_figures.error_figures,
    ("judges-without-gold", "figures 6, 12 and 15"): judges_figures.people_figures,
    **{("how-many-raters", group): draw for group, draw in raters_figures.FIGURES.items()},
    ("dont-label-twice", "sections 3 and 4"): label_figures.exact_figures,
}


def drawings_of(paper: str, group: str, data: PaperData) -> list[Drawing]:
    """The figures of a group of claims; none if it has none, or if their data are not here."""
    draw = FIGURES.get((paper, group))
    try:
        return [] if draw is None else draw(data)
    except MissingDataError:
        return []
