"""MLflow's traces with what people and judges say of them: from an experiment, a list of traces or their frame.

MLflow is imported for `mlflow:EXPERIMENT` only: who holds its traces already has it.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.data.sources.documents import parsed_json
from dissensus.errors import FileError, MissingExtraError, listed

EXPERIMENT = "mlflow:"
TRACES = "traces"
"""The key of the document that holds them."""
KEPT = ("trace_id", "client_request_id", "request_id", "tags", "trace_metadata", "request", "assessments")
"""What is taken of a row of `mlflow.search_traces()`; spans may be large."""
MOST_SHOWN = 50


def experiment_of(source: object) -> str | None:
    """The experiment that the user names with `mlflow:NAME`; None for anything else."""
    name = str(source) if isinstance(source, str | os.PathLike) else ""
    return name.removeprefix(EXPERIMENT) if name.startswith(EXPERIMENT) else None


def traces_of_experiment(name: str) -> Mapping[str, object]:
    """The traces of an experiment, by its name or its number, as one document."""
    try:
        import mlflow  # noqa: PLC0415 - for those who have it
    except ImportError as error:
        raise MissingExtraError(f"Reading {EXPERIMENT}{name}", install="mlflow") from error
    try:
        found = mlflow.get_experiment_by_name(name) or (mlflow.get_experiment(name) if name.isdigit() else None)
        known = [] if found else [one.name for one in mlflow.search_experiments(max_results=MOST_SHOWN)]
    except mlflow.MlflowException as error:
        raise FileError(f"MLflow at {mlflow.get_tracking_uri()} does not answer: {error}") from error
    if found is None:
        raise FileError(
            f"MLflow at {mlflow.get_tracking_uri()} has no experiment {name!r}. It has {listed(known) or 'none'}; "
            "MLFLOW_TRACKING_URI says where to look."
        )
    return _document([trace.info.to_dict() for trace in _all_traces(mlflow.MlflowClient(), found.experiment_id)])


def _all_traces(client: Any, experiment: str) -> list[Any]:  # noqa: ANN401 - mlflow is not required
    traces, token = [], None
    while True:
        page = client.search_traces([experiment], page_token=token, include_spans=False)
        traces += page
        token = page.token
        if not token:
            return traces


def traces_held(source: Any) -> Mapping[str, object] | None:  # noqa: ANN401 - whatever people hold
    """The same of a list of traces or of the frame of `mlflow.search_traces()`; None for anything else."""
    if isinstance(source, list) and source and all(_is_trace(one) for one in source):
        return _document([one.info.to_dict() for one in source])
    is_frame = type(source).__module__.startswith("pandas") and hasattr(source, "columns")
    if is_frame and {"trace_id", "assessments"} <= set(source.columns):
        rows = source[[name for name in KEPT if name in source.columns]].to_dict("records")
        return _document([{**row, "assessments": list(map(_as_dict, row["assessments"]))} for row in rows])
    return None


def _is_trace(one: object) -> bool:
    info = getattr(one, "info", None)
    return hasattr(info, "trace_id") and hasattr(info, "assessments") and hasattr(info, "to_dict")


def _as_dict(assessment: Any) -> object:  # noqa: ANN401 - a dict, or an object in older versions
    return assessment.to_dictionary() if hasattr(assessment, "to_dictionary") else assessment


def _document(traces: Sequence[object]) -> Mapping[str, object]:
    """The traces as they are when they are read from a file: numbers are texts."""
    return {TRACES: parsed_json(json.dumps(list(traces), default=str), "the traces")}
