from collections.abc import Sequence
from pathlib import Path

from dissensus.report.page import page_of
from dissensus.report.saving import save_bytes
from dissensus.results import Result


def write_report(
    results: Sequence[Result], path: str | Path, *, title: str = "What the ratings say", command_line: str = ""
) -> Path:
    """Write one page about the results, as a whole or not at all.

    Parameters
    ----------
    results : sequence of Result
        In the order in which they are read.
    path : str or Path
        Where to write it.
    title : str
        Heading of the page.
    command_line : str
        The command that makes the page again.

    Returns
    -------
    Path
        Where it was written.
    """
    path = Path(path)
    save_bytes(path, page_of(results, title=title, command_line=command_line).encode())
    return path
