"""How many items are positive, when a judge looked at all and people at some?"""

from dissensus.decisions.prevalences.prevalence import prevalence
from dissensus.decisions.prevalences.result import Estimate, JudgePrevalence, PrevalenceResult, SystemScore

__all__ = ["Estimate", "JudgePrevalence", "PrevalenceResult", "SystemScore", "prevalence"]
