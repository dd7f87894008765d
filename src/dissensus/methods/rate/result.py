"""What `rate` returns: how the asking went. The answers themselves are in the judges file."""

from dataclasses import dataclass
from typing import ClassVar

from dissensus.data.ratings import Elicitation
from dissensus.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What came of the requests in one elicitation.

    Attributes
    ----------
    elicitation : {"forced_choice", "response_set"}
        How was asked.
    requests : int
        How many there are.
    ok, invalid, refused, failed : int
        Answers among the options, other answers, refusals, and requests without an answer.
    unasked : int
        Requests that were not made, because a limit was reached or the server did not answer any more.
    """

    elicitation: Elicitation
    requests: int
    ok: int
    invalid: int
    refused: int
    failed: int
    unasked: int

    @property
    def asked(self) -> int:
        """Requests that were made, now or earlier."""
        return self.requests - self.unasked

    def share(self, count: int) -> float:
        """A count as a share of the requests that were made; NaN if there was none."""
        return count / self.asked if self.asked else float("nan")

    def as_dict(self) -> dict[str, object]:
        """The counts, and the shares of what went wrong."""
        counts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        shares = {f"share_{name}": self.share(getattr(self, name)) for name in ("ok", "invalid", "refused", "failed")}
        return {**counts, **shares}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCount:
    """How often a label was given in one elicitation, out of all labels."""

    elicitation: Elicitation
    label: str
    count: int
    total: int

    @property
    def share(self) -> float:
        """Share of all labels; NaN if there is none."""
        return self.count / self.total if self.total else float("nan")

    def as_dict(self) -> dict[str, object]:
        """As the JSON has it."""
        return {"elicitation": self.elicitation, "label": self.label, "count": self.count, "share": self.share}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCount:
    """How often a forced choice fell on the option that stood at this place, from 1."""

    place: int
    count: int
    total: int

    @property
    def share(self) -> float:
        """Share of all forced choices."""
        return self.count / self.total

    def as_dict(self) -> dict[str, object]:
        """As the JSON has it."""
        return {"place": self.place, "count": self.count, "share": self.share}


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubledAnswer:
    """A request that gave no label, and what the server said."""

    item: str
    sample: int
    elicitation: Elicitation
    status: str
    reason: str
    raw: str

    def as_dict(self) -> dict[str, object]:
        """As the JSON has it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What was sent and used.

    Attributes
    ----------
    cached, asked, sent : int
        Requests answered by an earlier run, those asked in this one, and those on the wire, tries included.
    prompt_tokens, answer_tokens : int
        Used in this run, as far as the server tells.
    all_tokens : int
        Used for all answers in the file, those of earlier runs included.
    most_tokens : int, optional
        After a dry run: the most that the requests without an answer can cost, tries not included.
    """

    cached: int = 0
    asked: int = 0
    sent: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    all_tokens: int = 0
    most_tokens: int | None = None

    def as_dict(self) -> dict[str, object]:
        """As the JSON has it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class RateResult(Result):
    """How did asking the model go?

    Attributes
    ----------
    judge : str
        What the judges file calls the model.
    is_dry_run : bool
        Whether nothing was asked and nothing written.
    form : {"json-schema", "letters"}
        In which form answers were asked for.
    tallies : tuple of Tally
        What came of the requests, by elicitation.
    labels : tuple of LabelCount
        How often each label was given.
    places : tuple of PlaceCount
        How often forced choices fell on each place; options are shuffled, so that places should not matter.
    troubled : tuple of TroubledAnswer
        The first few requests that gave no label.
    spending : Spending
        What was sent and used.
    stopped : str, optional
        Why some requests were not made.
    output : str, optional
        The judges file.
    """

    command: ClassVar[str] = "rate"

    judge: str
    is_dry_run: bool
    form: str
    tallies: tuple[Tally, ...]
    labels: tuple[LabelCount, ...]
    places: tuple[PlaceCount, ...]
    troubled: tuple[TroubledAnswer, ...]
    spending: Spending
    stopped: str | None = None
    output: str | None = None

    @property
    def requests(self) -> int:
        """How many there are in all."""
        return sum(tally.requests for tally in self.tallies)

    @property
    def unasked(self) -> int:
        """Requests that were not made."""
        return sum(tally.unasked for tally in self.tallies)

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {
            "judge": self.judge,
            "dry_run": self.is_dry_run,
            "form": self.form,
            "requests": self.requests,
            "tallies": [tally.as_dict() for tally in self.tallies],
            "labels": [label.as_dict() for label in self.labels],
            "places": [place.as_dict() for place in self.places],
            "troubled": [answer.as_dict() for answer in self.troubled],
            "spending": self.spending.as_dict(),
            "stopped": self.stopped,
            "output": self.output,
        }

    def rows(self) -> list[dict[str, object]]:
        """One row per elicitation."""
        return [tally.as_dict() for tally in self.tallies]
