"""How many items, raters and labels?"""

from dissensus.planning.raters.plan_raters import plan_raters
from dissensus.planning.raters.result import Design, PilotFindings, PlanRatersResult, TradeOff

__all__ = ["Design", "PilotFindings", "PlanRatersResult", "TradeOff", "plan_raters"]
