"""Measure classifiers and AI judges against people who disagree."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings, Task, read, read_both, read_judges, read_task
    from dissensus.data.doctor import DoctorResult, doctor
    from dissensus.data.large.read_large import read_reduced
    from dissensus.errors import DissensusError
    from dissensus.methods.alt_test import AltTestResult
    from dissensus.methods.alt_test.alt_test import alt_test
    from dissensus.methods.apply import ApplyResult
    from dissensus.methods.apply.apply import apply
    from dissensus.methods.collect import CollectResult
    from dissensus.methods.collect.collect import collect
    from dissensus.methods.compare import CompareResult
    from dissensus.methods.compare.compare import compare
    from dissensus.methods.decide import DecideResult
    from dissensus.methods.decide.decide import decide
    from dissensus.methods.describe import DescribeResult
    from dissensus.methods.describe.describe import describe
    from dissensus.methods.equivalence import EquivalenceResult
    from dissensus.methods.equivalence.equivalence import equivalence
    from dissensus.methods.gate import GateResult
    from dissensus.methods.gate.gate import gate
    from dissensus.methods.history import HistoryResult
    from dissensus.methods.history.history import history
    from dissensus.methods.items import ItemsResult
    from dissensus.methods.items.items import items
    from dissensus.methods.judges import JudgesResult
    from dissensus.methods.judges.judges import judges
    from dissensus.methods.panel import PanelResult
    from dissensus.methods.panel.panel import panel
    from dissensus.methods.parts import PartsResult
    from dissensus.methods.plan_labels import PlanLabelsResult
    from dissensus.methods.plan_labels.designs import label_error
    from dissensus.methods.plan_labels.plan_labels import plan_labels
    from dissensus.methods.plan_raters import PlanRatersResult
    from dissensus.methods.plan_raters.plan_raters import plan_raters
    from dissensus.methods.prevalence import PrevalenceResult
    from dissensus.methods.prevalence.prevalence import prevalence
    from dissensus.methods.rate import RateResult
    from dissensus.methods.rate.rate import rate
    from dissensus.methods.raters import RatersResult
    from dissensus.methods.raters.raters import raters
    from dissensus.methods.route import RouteResult
    from dissensus.methods.route.route import route
    from dissensus.sizes import limits

__version__ = "0.2.0"

_NAMES = {
    "data": "Judges Ratings Task read read_both read_judges read_task",
    "data.doctor": "DoctorResult doctor",
    "data.large.read_large": "read_reduced",
    "errors": "DissensusError",
    "methods.alt_test": "AltTestResult alt_test",
    "methods.apply": "ApplyResult apply",
    "methods.collect": "CollectResult collect",
    "methods.compare": "CompareResult compare",
    "methods.decide": "DecideResult decide",
    "methods.describe": "DescribeResult describe",
    "methods.equivalence": "EquivalenceResult equivalence",
    "methods.gate": "GateResult gate",
    "methods.history": "HistoryResult history",
    "methods.items": "ItemsResult items",
    "methods.judges": "JudgesResult judges",
    "methods.panel": "PanelResult panel",
    "methods.parts": "PartsResult",
    "methods.plan_labels": "PlanLabelsResult label_error plan_labels",
    "methods.plan_raters": "PlanRatersResult plan_raters",
    "methods.prevalence": "PrevalenceResult prevalence",
    "methods.rate": "RateResult rate",
    "methods.raters": "RatersResult raters",
    "methods.route": "RouteResult route",
    "sizes": "limits",
}
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AltTestResult",
    "ApplyResult",
    "CollectResult",
    "CompareResult",
    "DecideResult",
    "DescribeResult",
    "DissensusError",
    "DoctorResult",
    "EquivalenceResult",
    "GateResult",
    "HistoryResult",
    "ItemsResult",
    "Judges",
    "JudgesResult",
    "PanelResult",
    "PartsResult",
    "PlanLabelsResult",
    "PlanRatersResult",
    "PrevalenceResult",
    "RateResult",
    "RatersResult",
    "Ratings",
    "RouteResult",
    "Task",
    "__version__",
    "alt_test",
    "apply",
    "collect",
    "compare",
    "decide",
    "describe",
    "doctor",
    "equivalence",
    "gate",
    "history",
    "items",
    "judges",
    "label_error",
    "limits",
    "panel",
    "plan_labels",
    "plan_raters",
    "prevalence",
    "rate",
    "raters",
    "read",
    "read_both",
    "read_judges",
    "read_reduced",
    "read_task",
    "route",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import dissensus` is instant (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'dissensus' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dissensus.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
