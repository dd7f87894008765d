"""MLflow's traces: assessments of people are ratings, those of LLM judges and of code are judges' answers."""

from collections.abc import Iterator, Mapping

from dissensus.data.formats.answers import Answers, ItemKeys
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.sources.documents import as_label, as_list, as_mapping, as_text
from dissensus.data.sources.source import Source
from dissensus.data.sources.traces import TRACES
from dissensus.errors import counted

PEOPLE = frozenset({"HUMAN"})
JUDGES = frozenset({"LLM_JUDGE", "AI_JUDGE", "CODE"})
NOBODY = frozenset({"default", "unknown"})
"""What MLflow writes where nobody says who it was."""


def _recognises(source: Source, _: ReadPlan) -> bool:
    first = _trace(next(iter(as_list(as_mapping(source.first).get(TRACES))), source.first))
    return "trace_id" in first and isinstance(first.get("assessments"), list)


def _trace(record: object) -> Mapping[str, object]:
    """What a trace says of itself, with or without its spans beside it."""
    found = as_mapping(record)
    return as_mapping(found["info"]) if "info" in found and "trace_id" not in found else found


def _traces(source: Source) -> Iterator[tuple[int, Mapping[str, object]]]:
    if source.is_document:
        records: Iterator[tuple[int, object]] = enumerate(as_list(as_mapping(source.document).get(TRACES)), start=1)
    else:
        records = source.records()
    for row, record in records:
        yield row, _trace(record)


class _Taken:
    """The assessments of some kinds of source, with what is said about them."""

    def __init__(self, source: Source, plan: ReadPlan, kinds: frozenset[str], who: str) -> None:
        self.answers = Answers(source.name, "mlflow")
        self.items = ItemKeys(source.name, plan, own=["client_request_id"], fallback="trace_id")
        self.rows, self._of_spans, self._kinds, self._who = 0, 0, kinds, who
        for row, trace in _traces(source):
            self.rows += 1
            item = self.items.add(trace)
            given = map(as_mapping, as_list(trace.get("assessments")))
            for assessment in sorted(given, key=lambda one: str(one.get("create_time"))):
                self._add(row, item, assessment)

    def _add(self, row: int, item: str, assessment: Mapping[str, object]) -> None:
        source = as_mapping(assessment.get("source"))
        if as_text(source.get("source_type")) not in self._kinds:
            return
        given = as_mapping(assessment.get("feedback")) or as_mapping(assessment.get("expectation"))
        label = as_label(given.get("value"))
        if as_text(assessment.get("valid")) == "false":
            self.answers.tally.add("assessment that a later one replaces")
        elif label is None:
            self.answers.tally.add("assessment without a label", why="it failed, or its value is no label")
        else:
            self._of_spans += as_text(assessment.get("span_id")) is not None
            name = as_text(source.get("source_id"))
            who = None if self._who == "rater" and name in NOBODY else name
            cells = {"item": item, self._who: who, "label": label}
            self.answers.add(as_text(assessment.get("assessment_name")) or "", row, cells)

    def warnings(self) -> tuple[str, ...]:
        about = counted(self._of_spans, "assessment is about a span", "assessments are about spans")
        return (f"{about}: taken as about the whole trace.",) if self._of_spans else ()

    def words(self) -> dict[str, str]:
        return {"item": self.items.taken, self._who: "source.source_id", "label": "feedback.value"}


def _ratings(source: Source, plan: ReadPlan) -> RawRatings:
    found = _Taken(source, plan, PEOPLE, "rater")
    return found.answers.ratings(
        plan, found.words(), rows=found.rows, warnings=found.warnings(), items=found.items
    )  # fmt: skip


def _judges(source: Source, plan: ReadPlan) -> RawJudges:
    found = _Taken(source, plan, JUDGES, "judge")
    return found.answers.judges(plan, found.words(), warnings=found.warnings(), items=found.items)


FORMATS = (
    Format(name="mlflow", what="MLflow's traces", recognises=_recognises, ratings=_ratings, judges=_judges),
)  # fmt: skip
