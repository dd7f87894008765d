import importlib
import importlib.util
import keyword
from collections.abc import Callable
from dataclasses import replace

from dissensus.errors import DissensusError
from dissensus.report.charts import Chart
from dissensus.report.document import Note, Section
from dissensus.report.untrusted import visible
from dissensus.results import Result

View = Callable[[Result], Section]


def section_of(result: Result) -> Section:
    """What a result says, its warnings last.

    The view is the function `view` in the module of this folder that is named like the command; a command without one
    shows its rows.
    """
    section = _view(result.command)(result)
    warnings = [Note(text=text) for text in warning_texts(result)]
    return replace(section, blocks=(*section.blocks, *warnings))


def warning_texts(result: Result) -> list[str]:
    """The warnings of a result, definitions of agreement by the names that its tables have."""
    from dissensus.judges.result import JudgesResult  # noqa: PLC0415 - only where judges were ranked
    from dissensus.report.sentences.definitions import in_words  # noqa: PLC0415

    if isinstance(result, JudgesResult):
        return [visible(in_words(warning, result.definitions)) for warning in result.warnings]
    return [visible(warning) for warning in result.warnings]


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
