"""For pytest: the fixture `dissensus_gate`, and `--dissensus-report FILE.md`, which collects what the gates say.

pytest imports this module whenever dissensus is installed, so it imports nothing else until a gate is used.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dissensus.data.inputs import JudgesLike, RatingsLike
    from dissensus.methods.gate import GateResult

SECTIONS = pytest.StashKey[list[str]]()
WORKERS = "dissensus"
"""The key under which a process of pytest-xdist hands its sections over."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the report."""
    text = "Write what the gates of `dissensus_gate` say to this Markdown file."
    parser.getgroup("dissensus").addoption("--dissensus-report", metavar="FILE", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Begin an empty report."""
    config.stash[SECTIONS] = []


@pytest.fixture
def dissensus_gate(request: pytest.FixtureRequest) -> "Callable[..., GateResult]":
    """`dissensus.gate` that fails the test unless the judge passes, with the reason; returns the result."""
    sections = request.config.stash[SECTIONS]

    def check(ratings: "RatingsLike", judges: "JudgesLike | None" = None, **options: Any) -> "GateResult":  # noqa: ANN401 - as gate takes them
        import dissensus  # noqa: PLC0415 - for those who have a gate
        from dissensus.report.markdown import markdown_of  # noqa: PLC0415 - as above
        from dissensus.report.views.section import report_on  # noqa: PLC0415 - as above

        result = dissensus.gate(ratings, judges, **options)
        sections.append(markdown_of(report_on([result], title=request.node.nodeid)))
        if not result:
            pytest.fail(result.summary(), pytrace=False)
        return result

    return check


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the report; a process of pytest-xdist hands its part to the one that started it."""
    sections, path = session.config.stash[SECTIONS], session.config.getoption("--dissensus-report")
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[WORKERS] = sections
    elif path and sections:
        from dissensus.data.writers import write_text  # noqa: PLC0415 - for those who have a gate

        write_text(path, "\n".join(sections))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - pytest-xdist is not required
    """Take what a process of pytest-xdist hands over."""
    node.config.stash[SECTIONS] += getattr(node, "workeroutput", {}).get(WORKERS, [])
