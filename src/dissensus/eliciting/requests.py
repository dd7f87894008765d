"""Every request of a run, made when it is its turn: each item in each order, elicitation and sample."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dissensus.eliciting.items import Item
from dissensus.eliciting.prompts import prompt_of
from dissensus.eliciting.question import TOP_TOKENS, Question
from dissensus.eliciting.schema import response_format
from dissensus.eliciting.shown import ShownOption, option_order, shown_options
from dissensus.ratings.judges import ORDERS
from dissensus.ratings.table import Elicitation
from dissensus.ratings.task import Task

LengthKey = Literal["max_tokens", "max_completion_tokens"]
KEY_VERSION = 1
"""To be raised when the same key would mean another request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the model.

    Attributes
    ----------
    item, sample, elicitation, order
        What it is about; the order is ab or ba for a pair, else empty.
    shown : tuple of ShownOption
        The options in the order in which they are shown.
    body : mapping
        What is sent.
    key : str
        The same for the same endpoint, model, parameters, prompt and sample, and for nothing else.
    """

    item: str
    sample: int
    elicitation: Elicitation
    order: str
    shown: tuple[ShownOption, ...]
    body: Mapping[str, object]
    key: str

    @property
    def prompt(self) -> str:
        """The message."""
        messages = self.body["messages"]
        return str(messages[0]["content"]) if isinstance(messages, list) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All requests, by number: the items one after the other, each with all of its samples.

    Attributes
    ----------
    items, task, question
        What to ask, and how.
    as_json : bool
        Whether answers are JSON objects or letters.
    length_key : {"max_tokens", "max_completion_tokens"}
        What the server calls the limit of an answer's length.
    """

    items: tuple[Item, ...]
    task: Task
    question: Question
    as_json: bool
    length_key: LengthKey = "max_tokens"

    def __len__(self) -> int:
        return len(self.items) * self.per_item

    @property
    def orders(self) -> tuple[str, ...]:
        """A pair is shown in both orders."""
        return ORDERS if self.task.kind == "pairwise" else ("",)

    @property
    def per_item(self) -> int:
        """How many requests there are about an item."""
        return len(self.orders) * len(self.question.elicitations) * self.question.samples

    def request(self, number: int) -> Request:
        """The request with this number."""
        place, sample = divmod(number, self.question.samples)
        place, which = divmod(place, len(self.question.elicitations))
        at, order = divmod(place, len(self.orders))
        item, elicitation = self.items[at], self.question.elicitations[which]
        shuffled = option_order(len(self.task.options), seed=self.question.seed, item=item.name, sample=sample)
        is_swapped = self.orders[order] == "ba"
        shown = shown_options(self.task, shuffled, is_swapped=is_swapped)
        body = self._body(item, shown, elicitation, is_swapped=is_swapped)
        return Request(
            item=item.name,
            sample=sample,
            elicitation=elicitation,
            order=self.orders[order],
            shown=shown,
            body=body,
            key=key_of(self.question.base_url, body, sample, item.twin),
        )

    def _body(
        self, item: Item, shown: tuple[ShownOption, ...], elicitation: Elicitation, *, is_swapped: bool
    ) -> dict[str, object]:
        texts = item.texts[::-1] if is_swapped else item.texts
        prompt = prompt_of(self.task, texts, shown, elicitation=elicitation, as_json=self.as_json)
        body: dict[str, object] = {
            "model": self.question.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.question.temperature,
            self.length_key: self.question.max_tokens,
        }
        if self.as_json:
            body["response_format"] = response_format(self.task, shown, elicitation)
        if self.question.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP_TOKENS}
        return body


def key_of(url: str, body: Mapping[str, object], sample: int, twin: int) -> str:
    """Hash of everything that the answer depends on, and of which draw it is."""
    whole = json.dumps([KEY_VERSION, url, body, sample, twin], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()
