import json
import os
import signal
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Compiling what ppi-python computes takes longer than computing it once.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
# Commands that tests start would each compile the package anew where the caller wants no bytecode kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A busy machine is no fault: nothing fails for having taken long.
settings.register_profile("untimed", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("many", settings.get_profile("untimed"), max_examples=300)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real ratings and samples beside the checkout; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the folder with real ratings is not here")
    return folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that read real ratings beside the checkout say so: `-m "not shared"` leaves them out."""
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker("shared")
    if config.getoption("--measured"):
        items[:] = [item for item in items if "trust" in getattr(item, "fixturenames", ())]


def pytest_configure() -> None:
    # A shell that starts the tests in the background has them ignore Ctrl-C, and whatever they start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the files in tests/golden anew; read the diff")
    parser.addoption("--measured", metavar="FILE", help="run what has the fixture `trust`, and write its figures here")
    parser.addoption("--share", type=float, default=1.0, help="share of the data sets that such a test draws")


class Trust:
    """What a slow simulation measured, kept for the page *How far to trust these numbers* (`make trust`)."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._share: float = request.config.getoption("--share")
        self._properties = request.node.user_properties

    def sets(self, n: int) -> int:
        """How many data sets to draw where the test draws n."""
        return n if self._share == 1 else max(10, round(n * self._share))

    def keep(self, kind: str, number: str, share: float, sets: int, *, data: str, error: float | None = None) -> None:
        """Keep in which share of the data sets an interval held the truth, a test rejected, or advice was right.

        `error` is the share's standard error where it is not that of a binomial.
        """
        row = {"kind": kind, "number": number, "data": data, "share": round(float(share), 4), "sets": int(sets)}
        self._properties.append(("trust", row if error is None else row | {"error": round(float(error), 4)}))


@pytest.fixture
def trust(request: pytest.FixtureRequest) -> Trust:
    """Keeps what this test measures."""
    return Trust(request)


_measured: list[dict[str, object]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call":
        _measured.extend(row for name, row in report.user_properties if name == "trust")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if file := session.config.getoption("--measured"):
        made = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "share": session.config.getoption("--share"),
            "measured": _measured,
        }
        Path(file).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


class _Renewed(str):
    """Equal to anything, which it writes to its file: how `assert text == golden(name)` renews the file."""

    __slots__ = ("path",)
    __hash__ = str.__hash__
    path: Path

    def __eq__(self, other: object) -> bool:
        self.path.write_text(str(other), encoding="utf-8", newline="\n")
        return True


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """Text that an output was found to be right at: `assert text == golden("describe.txt")`."""

    def find(name: str) -> str:
        path = ROOT / "tests" / "golden" / name
        if request.config.getoption("--update-golden"):
            renewed = _Renewed()
            renewed.path = path
            return renewed
        return path.read_text(encoding="utf-8")

    return find


@pytest.fixture(scope="session")
def demo_once():
    """Within it `dissensus demo` works out its answers the first time only: they are the same every time."""
    from dissensus.report import answers  # noqa: PLC0415 - only few tests need it

    known, works_out = [], answers.answers_of

    def answers_of(*given, **asked):
        if not known:
            known.append(works_out(*given, **asked))
        return known[0]

    @contextmanager
    def once():
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(answers, "answers_of", answers_of)
            yield

    return once


@pytest.fixture(scope="session")
def described():
    """Makes what `describe` could have returned: hand-written numbers, some of them replaced."""
    from dataclasses import replace  # noqa: PLC0415 - only the tests of reports need these

    from dissensus.methods.describe.describe import Coefficient, DescribeResult, Description, LabelShare  # noqa: PLC0415

    def coefficient(name: str, value: float, low: float, high: float) -> Coefficient:
        return Coefficient(name=name, value=value, low=low, high=high)

    whole = Description(
        group=None,
        items=1000,
        raters=12,
        ratings=5000,
        fewest=3,
        median=5.0,
        most=8,
        labels=(
            LabelShare(label="Not toxic", count=3000, share=0.6),
            LabelShare(label="Toxic", count=1500, share=0.3),
            LabelShare(label="Very toxic", count=500, share=0.1),
        ),
        pairwise_agreement=coefficient("pairwise_agreement", 0.588, 0.561, 0.614),
        coefficients=(
            coefficient("krippendorff_alpha_nominal", 0.13, 0.10, 0.16),
            coefficient("fleiss_kappa", 0.1287, 0.0991, 0.1604),
            coefficient("gwet_ac1", 0.42, 0.39, 0.45),
        ),
        agreement_by_item=((0.0, 100), (0.3, 200), (0.6, 300), (1.0, 400)),
    )

    def make(*, groups: tuple[Description, ...] = (), warnings: tuple[str, ...] = (), settings=None, **changes):
        return DescribeResult(
            settings={"scale": "nominal", "bootstrap": 500, "confidence": 0.95, "seed": 0} | (settings or {}),
            data={"ratings": {"file": "ratings.csv", "sha256": "ab" * 32, "format": "tidy", "rows": 5000}},
            warnings=warnings,
            whole=replace(whole, **changes),
            groups=groups,
        )

    return make


@pytest.fixture(scope="session")
def authors_wheel() -> Path:
    """The wheel with the data of "Survey Equivalence": in DISSENSUS_PAPER_DATA, or in the cache of the checkout."""
    from dissensus.methods.reproduce.claims import WHEEL  # noqa: PLC0415 - only the tests of the paper need it

    folder = Path(os.environ.get("DISSENSUS_PAPER_DATA") or ROOT / ".cache" / "papers")
    if not (folder / WHEEL).is_file():
        pytest.skip(f"{WHEEL} is neither in DISSENSUS_PAPER_DATA nor in .cache/papers")
    return folder / WHEEL


@pytest.fixture(scope="session")
def authors_data(authors_wheel):
    """The data of "Survey Equivalence"."""
    from dissensus.methods.reproduce import PaperData  # noqa: PLC0415 - as above

    return PaperData(authors_wheel)
