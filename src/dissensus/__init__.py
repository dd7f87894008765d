"""Measure classifiers and AI judges against people who disagree."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dissensus.agreement import DescribeResult
    from dissensus.agreement.describe import describe
    from dissensus.comparison import CompareResult
    from dissensus.comparison.compare import compare
    from dissensus.decisions.annotators import AltTestResult
    from dissensus.decisions.annotators.alt_test import alt_test
    from dissensus.decisions.combining import PanelsResult
    from dissensus.decisions.combining.panels import panels
    from dissensus.decisions.gating import GateResult
    from dissensus.decisions.gating.gate import gate
    from dissensus.decisions.portraying import PortraitsResult
    from dissensus.decisions.portraying.portraits import portraits
    from dissensus.decisions.prevalences import PrevalenceResult
    from dissensus.decisions.prevalences.prevalence import prevalence
    from dissensus.eliciting import RateResult
    from dissensus.eliciting.rate import rate
    from dissensus.engine.reading import read_reduced
    from dissensus.errors import DissensusError
    from dissensus.judges import JudgesResult
    from dissensus.judges.rank_judges import rank_judges
    from dissensus.planning import PlanLabelsResult, PlanRatersResult
    from dissensus.planning.labels.plan_labels import plan_labels
    from dissensus.planning.raters.plan_raters import plan_raters
    from dissensus.ratings import Judges, Ratings, Task, read, read_judges, read_task
    from dissensus.survey import EquivalenceResult
    from dissensus.survey.equivalence import equivalence

__version__ = "0.1.0"

_HOME = {
    "AltTestResult": "decisions.annotators",
    "CompareResult": "comparison",
    "DescribeResult": "agreement",
    "DissensusError": "errors",
    "EquivalenceResult": "survey",
    "GateResult": "decisions.gating",
    "Judges": "ratings",
    "JudgesResult": "judges",
    "PanelsResult": "decisions.combining",
    "PlanLabelsResult": "planning",
    "PlanRatersResult": "planning",
    "PortraitsResult": "decisions.portraying",
    "PrevalenceResult": "decisions.prevalences",
    "RateResult": "eliciting",
    "Ratings": "ratings",
    "Task": "ratings",
    "alt_test": "decisions.annotators",
    "compare": "comparison",
    "describe": "agreement",
    "equivalence": "survey",
    "gate": "decisions.gating",
    "panels": "decisions.combining",
    "plan_labels": "planning",
    "plan_raters": "planning",
    "portraits": "decisions.portraying",
    "prevalence": "decisions.prevalences",
    "rank_judges": "judges",
    "rate": "eliciting",
    "read": "ratings",
    "read_judges": "ratings",
    "read_reduced": "engine.reading",
    "read_task": "ratings",
}

__all__ = [
    "AltTestResult",
    "CompareResult",
    "DescribeResult",
    "DissensusError",
    "EquivalenceResult",
    "GateResult",
    "Judges",
    "JudgesResult",
    "PanelsResult",
    "PlanLabelsResult",
    "PlanRatersResult",
    "PortraitsResult",
    "PrevalenceResult",
    "RateResult",
    "Ratings",
    "Task",
    "__version__",
    "alt_test",
    "compare",
    "describe",
    "equivalence",
    "gate",
    "panels",
    "plan_labels",
    "plan_raters",
    "portraits",
    "prevalence",
    "rank_judges",
    "rate",
    "read",
    "read_judges",
    "read_reduced",
    "read_task",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import dissensus` is instant (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'dissensus' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dissensus.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
