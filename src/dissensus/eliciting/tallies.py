"""What came of the requests, counted."""

from collections import Counter
from dataclasses import dataclass, field

from dissensus.eliciting.replies import Reply
from dissensus.eliciting.requests import Plan, Request
from dissensus.eliciting.result import LabelCount, PlaceCount, Tally, TroubledAnswer
from dissensus.eliciting.verdicts import Verdict
from dissensus.ratings.table import Elicitation

SHOWN = 5
"""So many answers that are no label are shown with what the server said."""


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
                    item=request.item,
                    sample=request.sample,
                    elicitation=request.elicitation,
                    status=verdict.status,
                    reason=verdict.reason,
                    raw=verdict.raw,
                )
            )

    def tallies(self, plan: Plan) -> tuple[Tally, ...]:
        """One for each elicitation."""
        each = len(plan) // len(plan.question.elicitations)
        found = []
        for elicitation in plan.question.elicitations:
            ok, invalid, refused, failed = (
                self.statuses[elicitation, status] for status in ("ok", "invalid", "refused", "failed")
            )
            unasked = each - ok - invalid - refused - failed
            found.append(
                Tally(
                    elicitation=elicitation, requests=each, ok=ok, invalid=invalid, refused=refused, failed=failed,
                    unasked=unasked,
                )
            )  # fmt: skip
        return tuple(found)

    def label_counts(self, plan: Plan) -> tuple[LabelCount, ...]:
        """How often each label was given: every option, then the sets that were."""
        found = []
        for elicitation in plan.question.elicitations:
            given = {label: count for (kind, label), count in self.labels.items() if kind == elicitation}
            sets = sorted(given.keys() - set(plan.task.options), key=lambda label: (label.count("|"), label))
            total = sum(given.values())
            found += [
                LabelCount(elicitation=elicitation, label=label, count=given.get(label, 0), total=total)
                for label in (*plan.task.options, *sets)
            ]
        return tuple(found)

    def place_counts(self, plan: Plan) -> tuple[PlaceCount, ...]:
        """How often a forced choice fell on the option at each place."""
        total = sum(self.places.values())
        if not total:
            return ()
        places = range(len(plan.task.options))
        return tuple(PlaceCount(place=place + 1, count=self.places[place], total=total) for place in places)
