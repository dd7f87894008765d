"""What to ask, of whom, how often and at what cost: the options of `rate`, checked."""

import math
from dataclasses import dataclass
from typing import Literal

from dissensus.eliciting.endpoints import OPENAI, checked_url
from dissensus.errors import OptionError
from dissensus.ratings.table import ELICITATIONS, Elicitation
from dissensus.ratings.task import ASKINGS, Asking, Task

Structured = Literal["auto", "json-schema", "letters"]
STRUCTURED: tuple[Structured, ...] = ("auto", "json-schema", "letters")
TOP_TOKENS = 20
"""How many tokens servers tell the log-probabilities of at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How to ask.

    Attributes
    ----------
    model, base_url : str
        Whom, and where.
    asking : {"forced-choice", "response-set", "both"}
        Which elicitations.
    samples : int
        Answers to each item in each elicitation and order.
    temperature : float
        How much the model's answers vary.
    max_tokens : int
        How long an answer may be.
    logprobs : bool
        Whether to ask for log-probabilities.
    structured : {"auto", "json-schema", "letters"}
        Whether to hold the model to a JSON schema; auto tries.
    seed : int
        Of the order of the options and of the waits between tries.
    concurrency, timeout, retries
        Requests at a time, seconds for each, and tries after the first.
    max_requests, max_tokens_total : int, optional
        What this run may spend.
    """

    model: str
    base_url: str = OPENAI
    asking: Asking = "forced-choice"
    samples: int = 10
    temperature: float = 1.0
    max_tokens: int = 64
    logprobs: bool = False
    structured: Structured = "auto"
    seed: int = 0
    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 5
    max_requests: int | None = None
    max_tokens_total: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", checked_url(self.base_url))
        if not self.model.strip():
            raise OptionError("--model is empty: name the model as the server knows it.")
        if self.asking not in ASKINGS:
            raise OptionError.unknown("--elicitation", self.asking, ASKINGS)
        if self.structured not in STRUCTURED:
            raise OptionError.unknown("--structured", self.structured, STRUCTURED)
        for name in ("samples", "max_tokens", "concurrency", "max_requests", "max_tokens_total"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"--{name.replace('_', '-')} cannot be {value}: give 1 or more.")
        if self.retries < 0:
            raise OptionError(f"--retries cannot be {self.retries}: give 0 or more.")
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise OptionError(f"--temperature cannot be {self.temperature}: give a number from 0 on, such as 1.")
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise OptionError(f"--timeout cannot be {self.timeout}: give a number of seconds, such as 60.")

    @property
    def elicitations(self) -> tuple[Elicitation, ...]:
        """The elicitations to ask in, forced choices first."""
        if self.asking == "both":
            return ELICITATIONS
        return ("forced_choice",) if self.asking == "forced-choice" else ("response_set",)

    def check_against(self, task: Task) -> None:
        """An error where the task leaves nothing to ask for."""
        if self.asking != "forced-choice" and task.response_sets == "single":
            raise OptionError(
                'The task says response_sets = "single", so that a response set is no more than a forced choice: ask '
                "with --elicitation forced-choice, or change the task."
            )

    def settings(self) -> dict[str, object]:
        """The options for the `settings` part of the JSON."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {"elicitation" if name == "asking" else name: value for name, value in fields.items()}
