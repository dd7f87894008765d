"""How many items, raters and labels?"""

from dissensus.planning.labels.plan_labels import plan_labels
from dissensus.planning.labels.result import Absolute, BreakEven, LabelDesign, Needed, PlanLabelsResult
from dissensus.planning.raters.plan_raters import plan_raters
from dissensus.planning.raters.result import Design, PilotFindings, PlanRatersResult, TradeOff

__all__ = [
    "Absolute",
    "BreakEven",
    "Design",
    "LabelDesign",
    "Needed",
    "PilotFindings",
    "PlanLabelsResult",
    "PlanRatersResult",
    "TradeOff",
    "plan_labels",
    "plan_raters",
]
