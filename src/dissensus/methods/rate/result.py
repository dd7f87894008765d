"""What `rate` returns: how the asking went. The answers themselves are in the judges file."""

from dataclasses import dataclass
from typing import ClassVar

from dissensus.data.ratings import Elicitation
from dissensus.results import Result, as_dict


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
    share_ok, share_invalid, share_refused, share_failed : float
        Of the requests that were made, now or earlier; NaN if there was none.
    """

    elicitation: Elicitation
    requests: int
    ok: int
    invalid: int
    refused: int
    failed: int
    unasked: int
    share_ok: float
    share_invalid: float
    share_refused: float
    share_failed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCount:
    """How often a label was given in one elicitation, and its share of all labels; NaN if there is none."""

    elicitation: Elicitation
    label: str
    count: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCount:
    """How often a forced choice fell on the option that stood at this place, from 1, and that as a share of all."""

    place: int
    count: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubledAnswer:
    """A request that gave no label, and what the server said."""

    item: str
    sample: int
    elicitation: Elicitation
    status: str
    reason: str
    raw: str


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


@dataclass(frozen=True, kw_only=True)
class RateResult(Result):
    """How did asking the model go?

    Attributes
    ----------
    judge : str
        What the judges file calls the model.
    dry_run : bool
        Whether nothing was asked and nothing written.
    form : {"json-schema", "letters"}
        In which form answers were asked for.
    requests : int
        How many there are in all.
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
    dry_run: bool
    form: str
    requests: int
    tallies: tuple[Tally, ...]
    labels: tuple[LabelCount, ...]
    places: tuple[PlaceCount, ...]
    troubled: tuple[TroubledAnswer, ...]
    spending: Spending
    stopped: str | None = None
    output: str | None = None

    @property
    def unasked(self) -> int:
        """Requests that were not made."""
        return sum(tally.unasked for tally in self.tallies)

    def rows(self) -> list[dict[str, object]]:
        """One row per elicitation."""
        return [as_dict(tally) for tally in self.tallies]
