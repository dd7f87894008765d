"""For MLflow: a decision as metrics, tags and artifacts of a run."""

import math
import re

from dissensus.errors import MissingExtraError
from dissensus.methods.decide import DecideResult

_UNNAMEABLE = re.compile(r"[^\w\-. /]")
"""What MLflow takes in no name of a metric."""


def log_decision(result: DecideResult, *, folder: str = "dissensus") -> None:
    """Log what `decide` says to the active run of MLflow; without one, MLflow starts one.

    Metrics: `worth/JUDGE`, `worth/JUDGE/low` and `worth/JUDGE/high` in raters, and `as_is/JUDGE`; a number that is off
    the curve is left out. Tags: `dissensus.use`, the recommended judges, and `dissensus.how`. Artifacts: the page and
    the JSON.

    Parameters
    ----------
    result : DecideResult
        What to log.
    folder : str
        Where the artifacts go.
    """
    try:
        import mlflow  # noqa: PLC0415 - for those who have it
    except ImportError as error:
        raise MissingExtraError("Logging to MLflow", install="mlflow") from error
    from dissensus.report.html import page_of  # noqa: PLC0415 - jinja2, for those who log

    mlflow.log_metrics(metrics_of(result))
    advice = result.recommendation
    mlflow.set_tags({"dissensus.use": ", ".join(advice.use) or "none", "dissensus.how": advice.how or "none"})
    mlflow.log_text(page_of([result]), f"{folder}/decision.html")
    mlflow.log_text(result.to_json(), f"{folder}/decision.json")


def metrics_of(result: DecideResult) -> dict[str, float]:
    """The numbers of a decision by the names of their metrics, without those that are undefined."""
    found = {}
    for judge in result.judges:
        name = _UNNAMEABLE.sub("_", judge.judge)
        found[f"worth/{name}"] = judge.worth
        found[f"worth/{name}/low"] = judge.worth_low
        found[f"worth/{name}/high"] = judge.worth_high
        if judge.as_is is not None:
            found[f"as_is/{name}"] = judge.as_is.value
    return {name: value for name, value in found.items() if math.isfinite(value)}
