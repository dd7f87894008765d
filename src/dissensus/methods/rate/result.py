"""What `rate` returns: how the asking went. The answers themselves are in the judges file."""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

from dissensus.data.ratings import Elicitation
from dissensus.methods.rate.answers import STATUSES, Verdict
from dissensus.methods.rate.client import Reply
from dissensus.methods.rate.requests import Plan, Request
from dissensus.results import Result, as_dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What came of the requests in one elicitation."""

    elicitation: Elicitation  # how was asked
    requests: int  # how many there are
    ok: int  # answers among the options, other answers, refusals, and requests without an answer
    invalid: int
    refused: int
    failed: int
    unasked: int  # requests that were not made, because a limit was reached or the server did not answer any more
    share_ok: float  # of the requests that were made, now or earlier; NaN if there was none
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
    """What was sent and used."""

    # Requests answered by an earlier run, those asked in this one, and those on the wire, tries included.
    cached: int = 0
    asked: int = 0
    sent: int = 0
    prompt_tokens: int = 0  # used in this run, as the server reports
    answer_tokens: int = 0
    all_tokens: int = 0  # used for all answers in the file, those of earlier runs included
    # After a dry run: the most that the requests without an answer can cost, tries not included.
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


# ---- What came of the requests, counted

SHOWN = 5  # as many answers without a label are shown with what the server said


@dataclass(slots=True, kw_only=True)
class Counts:
    """Counts of everything that a result tells about the answers."""

    statuses: Counter[tuple[Elicitation, str]] = field(default_factory=Counter)
    labels: Counter[tuple[Elicitation, str]] = field(default_factory=Counter)
    places: Counter[int] = field(default_factory=Counter)
    without_probabilities: int = 0
    tokens: int = 0
    troubled: list[TroubledAnswer] = field(default_factory=list)

    def add(self, request: Request, verdict: Verdict, reply: Reply | None) -> None:
        """Count what came of a request."""
        self.statuses[request.elicitation, verdict.status] += 1
        if reply is not None:
            self.tokens += (reply.prompt_tokens or 0) + (reply.answer_tokens or 0)
        if verdict.status == "ok":
            self.labels[request.elicitation, verdict.label] += 1
            if request.elicitation == "forced_choice":
                self.places[request.shown.index(verdict.picks[0])] += 1
                self.without_probabilities += not verdict.probabilities
        elif len(self.troubled) < SHOWN:
            self.troubled.append(
                TroubledAnswer(
                    item=request.item, sample=request.sample, elicitation=request.elicitation,
                    status=verdict.status, reason=verdict.reason, raw=verdict.raw,
                )
            )  # fmt: skip

    def tallies(self, plan: Plan) -> tuple[Tally, ...]:
        """One for each elicitation."""
        each = len(plan) // len(plan.options.elicitations)
        tallies = []
        for elicitation in plan.options.elicitations:
            counts = {status: self.statuses[elicitation, status] for status in STATUSES}
            asked = sum(counts.values())
            ok, invalid, refused, failed = (n / asked if asked else math.nan for n in counts.values())
            tallies.append(
                Tally(
                    elicitation=elicitation, requests=each, **counts, unasked=each - asked, share_ok=ok,
                    share_invalid=invalid, share_refused=refused, share_failed=failed,
                )
            )  # fmt: skip
        return tuple(tallies)

    def label_counts(self, plan: Plan) -> tuple[LabelCount, ...]:
        """How often each label was given: every option, then the sets that were."""
        counts: list[LabelCount] = []
        for elicitation in plan.options.elicitations:
            given = {label: count for (kind, label), count in self.labels.items() if kind == elicitation}
            sets = sorted(given.keys() - set(plan.task.options), key=lambda label: (label.count("|"), label))
            total = sum(given.values())
            for label in (*plan.task.options, *sets):
                count = given.get(label, 0)
                share = count / total if total else math.nan
                counts.append(LabelCount(elicitation=elicitation, label=label, count=count, share=share))
        return tuple(counts)

    def place_counts(self, plan: Plan) -> tuple[PlaceCount, ...]:
        """How often a forced choice fell on the option at each place."""
        total = sum(self.places.values())
        counts = [self.places[place] for place in range(len(plan.task.options))] if total else []
        return tuple(PlaceCount(place=i, count=n, share=n / total) for i, n in enumerate(counts, start=1))
