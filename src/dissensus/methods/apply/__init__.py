"""What do a judge's answers mean in people's terms?"""

from dissensus.methods.apply.apply import apply, recalibration_of
from dissensus.methods.apply.result import ApplyResult

__all__ = ["ApplyResult", "apply", "recalibration_of"]
