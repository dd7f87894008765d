"""From a result to its section: the view of its command, its warnings last, its options as a front end spells them."""

import importlib
import importlib.util
import keyword
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType

from dissensus.errors import DissensusError
from dissensus.options import Spelling, in_python
from dissensus.report.charts import Chart
from dissensus.report.document import MOST_NOTES, Fold, Note, Points, Report, Section, Table, respelled
from dissensus.report.numbers import counted, visible
from dissensus.report.specs.shapes import COLOURS
from dissensus.results import Result, unspelled

FACTS = (
    "Left out", "Rescaled", "No judge answered", "Every judge answered each item once", "Read ", "Took ",
    "The curve crosses", "The curve ends", "The cohort has", "Response sets have no order", "No consistency",
    "No item has three raters", "Nobody has two items", "How many raters a judge is worth is unknown",
    "From ", "At most ", "Judges gave ", "No positive option was named, so", "Judges are not compared with groups",
    "To compare judges with groups",
    "How far people split is not shown", "Compared by ", "Wrong labels seem to favour", "Corrections for wrong labels",
    "Renamed the label", "Merged ",
)  # fmt: skip
"""How warnings begin that say what was done and ask for nothing: whoever checks finds them folded."""
MISREAD = ("These labels ", "There is no rater column", "Only ", "In data simulated from a model of the pilot")
"""How warnings begin after which every number may be wrong or about something else: they come first."""
WRONG = (
    "These labels ", " was read as a label", " was read as a number", "gave a label of the people",
    "are named like", "looks like judges' answers",
)  # fmt: skip
"""Parts of warnings that come even before what the answer itself notes, since the file was hardly meant so."""

STRANGERS = "No judge gave a label of the people"
"""How a warning begins that the first line repeats: most numbers say nothing then."""


def section_of(result: Result, spelling: Spelling = in_python) -> Section:
    """What a result says, its warnings last, with options as a front end spells them.

    The view is the function `view` in the module of this folder that is named like the command; a command without one
    shows its rows. A module with a function `warning_texts` has its own words for warnings; the warnings with a part of
    `SILENT` in them are not shown: they ask for nothing, or the view says the same.
    """
    return respelled(unspelled_section(result), spelling)


def unspelled_section(result: Result) -> Section:
    """The same with the names of options as data."""
    module = _module_of(result.shown_as)
    section: Section = _rows(result) if module is None else module.view(result)
    return with_warnings(section, [Note(text=text) for text in warning_texts(result)])


def with_warnings(section: Section, warnings: Sequence[Note], *, folded: Sequence[Note] = ()) -> Section:
    """The section with warnings as its last notes; some of them, and those beyond the first few, are folded."""
    said = sum(len(block.texts) if isinstance(block, Points) else isinstance(block, Note) for block in section.blocks)
    room = max(MOST_NOTES - said, 0)
    warnings = list(dict.fromkeys(warnings))  # people and judges may share one
    asking = [warning for warning in warnings if not is_fact(warning.text) and warning not in folded]
    first = [warning for warning in asking if any(part in warning.text for part in WRONG)][:MOST_NOTES]
    rest = sorted((w for w in asking if w not in first), key=lambda warning: not warning.text.startswith(MISREAD))
    shown = rest[: max(room - len(first), 0)]
    more = [warning for warning in warnings if warning not in shown and warning not in first]
    fold = [Fold(title=counted(len(more), "more warning"), parts=more)] if more else []
    place = next((i for i, block in enumerate(section.blocks) if isinstance(block, Points)), len(section.blocks))
    blocks = (*section.blocks[:place], *first, *section.blocks[place:], *shown, *fold)
    is_strange = any(warning.text.startswith(STRANGERS) for warning in first)
    caution = "Check the labels first: no judge gave one of people's. " if is_strange else ""
    return replace(section, lead=f"{caution}{section.lead.removeprefix(caution)}", blocks=blocks)


def is_fact(warning: str) -> bool:
    """Whether a warning asks for nothing, so that it stands with how the numbers were computed."""
    return warning.startswith(FACTS)


def noted(texts: Sequence[str]) -> list[Points]:
    """Notes of a section, if there are any."""
    return [Points(title="", texts=texts)] if texts else []


def how_computed(texts: Iterable[str]) -> Fold:
    """How the numbers came about."""
    return Fold(title="How this was computed", parts=[Points(title="", texts=list(filter(None, texts)))])


def warnings_of(result: Result) -> list[str]:
    """The warnings of a result, with the names of options as data."""
    return [visible(unspelled(warning)) for warning in result.warnings]


def warning_texts(result: Result) -> list[str]:
    """The same as its section shows them."""
    module = _module_of(result.shown_as)
    silent, worded = getattr(module, "SILENT", ()), getattr(module, "warning_texts", None)
    texts = [text for text in warnings_of(result) if not any(part in text for part in silent)]
    return texts if worded is None else worded(result, texts)


def report_on(results: Sequence[Result], *, title: str, spelling: Spelling = in_python) -> Report:
    """A report with a section for each result; their leads are the verdict."""
    sections = [section_of(result, spelling) for result in results]
    leads = [section.lead for section in sections]
    return Report(title=title, verdict=leads, sections=sections, results=tuple(results))


def main_chart(result: Result) -> Chart:
    """The first chart of what a result says; DissensusError if it has none."""
    figures = section_of(result).figures()
    if not figures:
        raise DissensusError(f"This result of {result.command} has no chart: print its summary() instead.")
    return Chart(figure=figures[0])


def _module_of(command: str) -> ModuleType | None:
    word = command.replace(" ", "_").replace("-", "_")
    name = f"dissensus.report.views.{word}{'_' * keyword.iskeyword(word)}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def _rows(result: Result) -> Section:
    """A result whose command has no view: its rows, as they are."""
    rows = result.rows()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[row.get(column) for column in columns] for row in rows]
    table = Table(
        caption=f"What {result.command} found",
        columns=[column.replace("_", " ") for column in columns],
        rows=[[c if isinstance(c, int | float) or c is None else visible(str(c)) for c in row] for row in cells],
    )
    lead = f"{result.command.capitalize()} has {counted(len(rows), 'row')} to show."
    return Section(title=result.command.capitalize(), lead=lead, blocks=(table,) if rows else ())


def setting(settings: Mapping[str, object], name: str, default: float) -> float:
    """A setting that is a number."""
    value = settings.get(name)
    return float(value) if isinstance(value, int | float) else default


def judge_slots(result: Result, names: Iterable[str]) -> dict[str, int]:
    """The place of each judge among all of the data, which gives it one colour and one mark in every chart.

    Places that would have the colour of people, the first one, are left free (`charts.colour_of`).

    >>> from dissensus.methods.parts.result import PartsResult
    >>> judge_slots(PartsResult(settings={}, data={"judges": {"judges": ["a", "b"]}}, method="", parts=()), ["b", "c"])
    {'b': 2, 'c': 3}
    """
    known = result.data.get("judges", {}).get("judges")
    order = list(
        dict.fromkeys([*(map(str, known) if isinstance(known, list | tuple) else ()), *(names := list(names))])
    )
    return {name: 1 + (i := order.index(name)) + i // (COLOURS - 1) for name in names}


def interval_sentence(settings: Mapping[str, object], shown: str = "Brackets hold") -> str:
    """What the intervals mean, and how they are shown; empty if there are none."""
    bootstrap, confidence = settings.get("bootstrap"), settings.get("confidence", 0.95)
    if not isinstance(bootstrap, int) or not bootstrap or not isinstance(confidence, float):
        return ""
    whom = " by other raters like these" if settings.get("raters") == "sampled" else ""
    return (
        f"{shown} {100 * confidence:g}% intervals: how far a number would move if other items of the same kind "
        f"had been rated{whom} ({counted(bootstrap, 'bootstrap sample')})."
    )
