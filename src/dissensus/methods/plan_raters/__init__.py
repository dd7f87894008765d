"""How many items and raters does it take to tell two judges apart?"""

from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.plan_raters.result import PlanRatersResult

__all__ = ["PlanRatersResult", "plan_raters"]
