"""What do a judge's answers mean in people's terms?"""

from dissensus.methods.apply.apply import ApplyResult, apply, recalibration_of

__all__ = ["ApplyResult", "apply", "recalibration_of"]
