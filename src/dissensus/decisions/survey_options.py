"""How judges are compared with surveys where the user leaves it to us."""

from typing import TypedDict

from dissensus.ratings import Judges, Ratings
from dissensus.ratings.labels import number
from dissensus.survey.calibration import Calibration
from dissensus.survey.combiners import Combiner
from dissensus.survey.scores import ScoreName

MOST_LABELS = 40
"""With more labels than that probabilities cannot be kept 2% away from certainty, as cross-entropy needs."""


class SurveyOptions(TypedDict, total=False):
    """Options of `equivalence` that depend on the data."""

    score: ScoreName
    combiner: Combiner
    calibrate: Calibration


def survey_options(ratings: Ratings, judges: Judges) -> SurveyOptions:
    """Options of `equivalence` under which any data can be compared.

    Cross-entropy of calibrated judges, since most judges sound surer than they are: by a table where every judge gave
    one label per item, by isotonic regression where they gave probabilities or several answers. Numbers with distances
    are correlated, and very many labels only compared for equality.
    """
    if are_measures(ratings, judges):
        return {"score": "pearson", "combiner": "frequency"}
    if len({*ratings.labels, *judges.labels}) > MOST_LABELS:
        return {"score": "agreement", "combiner": "plurality"}
    is_hard = judges.probability is None and not judges.sample.any()
    return {"calibrate": "table" if is_hard else "isotonic"}


def are_measures(ratings: Ratings, judges: Judges) -> bool:
    """Whether answers are points of a measure, of which two are near but seldom equal.

    So they are on an interval scale, and where judges answer with numbers between or beyond those that raters gave.
    """
    if ratings.scale == "interval":
        return True
    others = set(judges.labels) - set(ratings.labels)
    return bool(others) and all(number(label) is not None for label in (*ratings.labels, *others))
