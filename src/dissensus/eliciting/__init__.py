"""Ask a model: prompts, client, parser, cache."""

from dissensus.eliciting.rate import rate
from dissensus.eliciting.result import RateResult

__all__ = ["RateResult", "rate"]
