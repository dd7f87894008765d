"""Ask a model: prompts, client, parser, cache."""

from dissensus.methods.rate.rate import rate
from dissensus.methods.rate.result import RateResult

__all__ = ["RateResult", "rate"]
