"""One label each for many items, or several for few?"""

from dissensus.methods.plan_labels.designs import label_error
from dissensus.methods.plan_labels.plan_labels import plan_labels
from dissensus.methods.plan_labels.result import PlanLabelsResult

__all__ = ["PlanLabelsResult", "label_error", "plan_labels"]
