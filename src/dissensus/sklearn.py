"""For scikit-learn: how many raters a classifier is worth, as a scorer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.data import Ratings
from dissensus.data.inputs import RatingsLike, as_ratings
from dissensus.errors import JudgesError
from dissensus.methods.equivalence.equivalence import equivalence
from dissensus.methods.equivalence.options import Calibration
from dissensus.methods.equivalence.scores import ScoreName

JUDGE = "classifier"


@dataclass(frozen=True, kw_only=True)
class WorthScorer:
    """What `worth_scorer` returns: a function of a fitted classifier and the rows of its features."""

    ratings: Ratings
    item: str | None = None
    score: ScoreName = "cross-entropy"
    calibrate: Calibration = "auto"
    max_raters: int | None = None

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:  # noqa: ANN401, N803 - as scikit-learn has it
        """How many raters the classifier is worth on these items; `y` is not looked at."""
        del y
        items = _items(X, self.item)
        answers = [
            {"item": item, "judge": JUDGE, **said} for item, said in zip(items, _answers(estimator, X), strict=True)
        ]
        result = equivalence(
            self.ratings, answers, score=self.score, calibrate=self.calibrate, max_raters=self.max_raters, bootstrap=0
        )
        return result.bounded_worth(JUDGE)


def worth_scorer(
    ratings: RatingsLike, *, item: str | None = None, score: ScoreName = "cross-entropy",
    calibrate: Calibration = "auto", max_raters: int | None = None,
) -> WorthScorer:  # fmt: skip
    """A scorer for `cross_val_score` and `GridSearchCV`: how many raters a classifier is worth.

    A score is between 0 (no better than asking nobody) and the largest survey that the ratings allow, which means at
    least that many raters; higher is better. It asks how well the classifier predicts what another person says, so it
    needs no gold labels: `y` is only for training.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item. The classes of the classifier are labels of the ratings.
    item : str, optional
        The column of X that holds the items' ids; the index of X if not given.
    score, calibrate, max_raters
        As in `equivalence`.

    Returns
    -------
    WorthScorer
        Called with a fitted classifier and a frame of features; takes probabilities where the classifier has them.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> people = {"ann": list("yynnyynn"), "bob": list("yynnynnn"), "cyd": list("ynnnyynn")}
    >>> X = pd.DataFrame({"length": range(8)})
    >>> scorer = worth_scorer(people)
    >>> scorer(DummyClassifier(strategy="prior").fit(X, people["ann"]), X)
    0.0
    """
    return WorthScorer(
        ratings=as_ratings(ratings), item=item, score=score, calibrate=calibrate, max_raters=max_raters
    )  # fmt: skip


def _items(features: Any, column: str | None) -> Sequence[object]:  # noqa: ANN401 - whatever people hold
    """The id of the item in each row."""
    if column is not None and hasattr(features, "columns"):
        if column not in list(features.columns):
            raise JudgesError(f"X has no column {column!r}, where the items' ids should be. Name another with item=.")
        return list(features[column])
    if not hasattr(features, "index") or callable(features.index):
        raise JudgesError(
            f"X is a {type(features).__name__} without an index, so we cannot tell which row is which item: give X as "
            "a pandas DataFrame with the items' ids as its index, or name a column of a frame with item=."
        )
    return list(features.index)


def _answers(estimator: Any, features: Any) -> list[Mapping[str, object]]:  # noqa: ANN401 - as above
    """What the classifier says about each row: a probability for each class, or a label."""
    if hasattr(estimator, "predict_proba"):
        names = [f"p_{label}" for label in estimator.classes_]
        return [dict(zip(names, map(float, row), strict=True)) for row in estimator.predict_proba(features)]
    return [{"label": label} for label in estimator.predict(features)]
