"""For Inspect: how many raters a scorer is worth, as a metric."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Literal

from dissensus.data.inputs import RatingsLike
from dissensus.errors import JudgesError, MissingExtraError
from dissensus.methods.equivalence.equivalence import equivalence
from dissensus.methods.equivalence.options import Calibration
from dissensus.methods.equivalence.scores import ScoreName

try:
    from inspect_ai.scorer import Metric, SampleScore, metric
except ImportError as error:
    raise MissingExtraError("The metric of dissensus.inspect", install="inspect-ai") from error

JUDGE = "scorer"
# Each epoch is a sample of the scorer. Older versions hand over what is left of the epochs.
_registered = metric(scores="unreduced") if "scores" in inspect.signature(metric).parameters else metric


@_registered  # type: ignore[untyped-decorator] # inspect_ai is not required
def worth(
    ratings: RatingsLike | None = None,
    *,
    labels: str = "labels",
    of: Literal["value", "answer"] = "value",
    score: ScoreName = "cross-entropy",
    calibrate: Calibration = "auto",
) -> Metric:
    """How many raters the scorer is worth: a number from 0 to the largest survey that people's labels allow.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes, optional
        People's labels by the sample's id. If not given, they stand in the samples' metadata.
    labels : str
        The key of the metadata that holds people's labels of a sample: a list, or a dict of rater to label.
    of : {"value", "answer"}
        What of a score is the scorer's label; several epochs are several answers.
    score, calibrate
        As in `equivalence`.
    """

    def compute(scores: list[SampleScore]) -> float:
        people = ratings if ratings is not None else _people(scores, labels)
        answers = [
            {"item": one.sample_id, "judge": JUDGE, "label": one.score.value if of == "value" else one.score.answer}
            for one in scores
        ]
        result = equivalence(people, answers, score=score, calibrate=calibrate, bootstrap=0)
        return result.bounded_worth(JUDGE)

    return compute


def _people(scores: Sequence[SampleScore], key: str) -> list[dict[str, object]]:
    """People's labels in the metadata of the samples, each sample once."""
    found: dict[object, Mapping[str, object]] = {}
    for one in scores:
        given = (one.sample_metadata or {}).get(key)
        if isinstance(given, Mapping):
            found[one.sample_id] = given
        elif isinstance(given, list | tuple):
            found[one.sample_id] = {f"rater {i}": label for i, label in enumerate(given, start=1)}
    if not found:
        raise JudgesError(
            f"No sample has people's labels under {key!r} in its metadata: name the key with labels=, or give the "
            "ratings to worth(...)."
        )
    return [
        {"item": item, "rater": rater, "label": label} for item, said in found.items() for rater, label in said.items()
    ]
