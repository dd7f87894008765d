"""The judges file: one row for each request that was made."""

import contextlib
import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from dissensus.data.labels import SEPARATOR
from dissensus.data.ratings import Elicitation
from dissensus.data.sources.files import SUFFIXES
from dissensus.errors import FileError, OptionError
from dissensus.methods.rate.answers import STATUSES, Verdict
from dissensus.methods.rate.client import Reply
from dissensus.methods.rate.requests import Plan, Request
from dissensus.methods.rate.result import LabelCount, PlaceCount, Tally, TroubledAnswer
from dissensus.options import named

# ---- The judges file: one row for each request that was made

OUTPUT = named("output", of="rate")
ROOM = 1 << 20
"""Bytes that must fit on the disk before anything is asked."""


class JudgesFile:
    """Writes a CSV file that `read_judges` reads; it takes the place of an older one only when it is complete.

    Columns: item, judge, sample, elicitation, order (pairs only), label, p_<option> (with log-probabilities), status,
    reason, shown (the options in the order in which they were shown) and raw (what the server said, as a JSON string).
    """

    def __init__(self, stream: TextIO, plan: Plan, judge: str) -> None:
        self._stream, self._judge = stream, judge
        self._is_paired = plan.task.kind == "pairwise"
        self._options = plan.task.options if plan.options.logprobs else ()
        self._write(
            "item", "judge", "sample", "elicitation", *(["order"] if self._is_paired else []), "label",
            *(f"p_{option}" for option in self._options), "status", "reason", "shown", "raw",
        )  # fmt: skip

    def add(self, request: Request, verdict: Verdict) -> None:
        """Write what came of a request."""
        probabilities = [verdict.probabilities.get(option) for option in self._options]
        # As JSON what the server said stays on one line, and no spreadsheet takes it for a formula.
        raw = json.dumps(verdict.raw, ensure_ascii=False) if verdict.raw else ""
        self._write(
            request.item, self._judge, str(request.sample), request.elicitation,
            *([request.order] if self._is_paired else []), verdict.label,
            *("" if value is None else repr(value) for value in probabilities), verdict.status, verdict.reason,
            SEPARATOR.join(option.name for option in request.shown), raw,
        )  # fmt: skip

    def _write(self, *cells: str) -> None:
        self._stream.write(",".join(map(_quoted, cells)) + "\n")


def _quoted(cell: str) -> str:
    needs_quotes = set(cell) & set('",\r\n') or cell != cell.strip()
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of `path` when the block ends well."""
    with _explained(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
            if os.name == "posix":
                Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def check_names(output: Path, cache: Path, *, source: str | os.PathLike[str] | None) -> None:
    """An error if one file would take the place of another, or would not be read back as the CSV file that it is."""
    if source is not None and _is_same(output, Path(source)):
        raise OptionError(f"{OUTPUT} {output} is the file of the items, which would be lost: name another file.")
    if _is_same(output, cache):
        raise OptionError(f"{OUTPUT} {output} is the cache as well, which would be lost: name another file.")
    if SUFFIXES.get(output.suffix.lower()) != "csv":
        raise OptionError(
            f"{OUTPUT} {output} would not be read back, because we write CSV: name a file that ends in .csv."
        )


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, ValueError):
        return False  # one of them does not exist


def check_writable(path: Path) -> None:
    """An error now if the file cannot be written later: its folder, or a disk without room."""
    with _explained(path):
        if path.is_dir():
            raise FileError(f"{path} is a folder: name a file in it, such as judges.csv.")
        with tempfile.TemporaryFile(prefix=f".{path.name}.", dir=path.parent) as stream:
            stream.write(bytes(ROOM))
            stream.flush()
            os.fsync(stream.fileno())


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}. Name another file with {OUTPUT}.") from error


# ---- What came of the requests, counted

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
