import importlib
import importlib.util
import keyword
from collections.abc import Callable
from dataclasses import replace

from dissensus.errors import DissensusError
from dissensus.options import Spelling, in_python
from dissensus.report.charts import Chart
from dissensus.report.document import Note, Section, respelled
from dissensus.report.numbers import visible
from dissensus.results import Message, Result

View = Callable[[Result], Section]


def section_of(result: Result, spelling: Spelling = in_python) -> Section:
    """What a result says, its warnings last, with options as a front end spells them.

    The view is the function `view` in the module of this folder that is named like the command; a command without one
    shows its rows.
    """
    section = _view(result.command)(result)
    warnings = [Note(text=text) for text in warning_texts(result)]
    return respelled(replace(section, blocks=(*section.blocks, *warnings)), spelling)


def warning_texts(result: Result) -> list[str]:
    """The warnings of a result, definitions of agreement by the names that its tables have."""
    from dissensus.methods.judges.result import JudgesResult  # noqa: PLC0415 - only where judges were ranked
    from dissensus.report.views.judge_choice import in_words  # noqa: PLC0415

    if isinstance(result, JudgesResult):
        return [visible(in_words(warning, result.definitions)) for warning in raw_warnings(result)]
    return [visible(warning) for warning in raw_warnings(result)]


def raw_warnings(result: Result) -> list[str]:
    """The warnings with the names of their options as data."""
    return [warning.message if isinstance(warning, Message) else warning for warning in result.warnings]


def main_chart(result: Result) -> Chart:
    """The first chart of what a result says.

    Raises
    ------
    DissensusError
        If it has none.
    """
    figures = section_of(result).figures()
    if not figures:
        raise DissensusError(f"This result of {result.command} has no chart: print its summary() instead.")
    return Chart(figure=figures[0])


def _view(command: str) -> View:
    word = command.replace(" ", "_").replace("-", "_")
    name = f"dissensus.report.views.{word}_" if keyword.iskeyword(word) else f"dissensus.report.views.{word}"
    module = importlib.import_module(name if importlib.util.find_spec(name) else "dissensus.report.views.rows")
    view: View = module.view
    return view
