"""How many items are positive, when a judge looked at all and people at some?"""

from dissensus.methods.prevalence.prevalence import prevalence
from dissensus.methods.prevalence.result import Estimate, JudgePrevalence, PrevalenceResult, SystemScore

__all__ = ["Estimate", "JudgePrevalence", "PrevalenceResult", "SystemScore", "prevalence"]
