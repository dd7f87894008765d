"""How many items, raters and labels?"""

from dissensus.planning.plan_raters import plan_raters
from dissensus.planning.result import Design, PilotFindings, PlanRatersResult, TradeOff

__all__ = ["Design", "PilotFindings", "PlanRatersResult", "TradeOff", "plan_raters"]
