"""Conjecture 1 of "Don't Label Twice" on a grid: one label for each of n m items beats m labels for each of n.

The paper's Appendix A evaluates 4,895,625,000 configurations with repeated convolutions, whose cancellation leaves
exceptions of the order of 1e-12. Here chances are compared by their logarithms, on the side of the tail where they are
small, and where two logarithms are too close for floating point, by exact fractions.

The first line says what the file is; each further one has a cell, what was found there, and a checksum of both.
"""

import json
import os
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.errors import FileError, OptionError
from dissensus.methods.plan_labels.votes import correlated_steps, majority_accuracy
from dissensus.methods.plan_labels.walk import log_chances
from dissensus.options import named
from dissensus.results import as_dict
from dissensus.sampling import Engine, Progress, open_executor


def majority_fraction(accuracy: Fraction, labels: int) -> Fraction:
    """Chance that the majority of this many labels is right; a coin decides a tie.

    >>> majority_fraction(Fraction(3, 4), 3)
    Fraction(27, 32)
    """
    wrong = 1 - accuracy
    terms = [comb(labels, right) * accuracy**right * wrong ** (labels - right) for right in range(labels + 1)]
    tie = terms[labels // 2] / 2 if labels % 2 == 0 else Fraction(0)
    return sum(terms[labels // 2 + 1 :], start=tie)


def chance_of_winning(
    worse_accuracy: Fraction, better_if_worse_wrong: Fraction, better_if_worse_right: Fraction,
    label_accuracy_better: Fraction, label_accuracy_worse: Fraction, *, items: int,
) -> Fraction:  # fmt: skip
    """Chance that the better classifier is ahead after this many items (Proposition 2).

    The counter-example for an even number of labels: 7/16 of two items with one label each.
    """
    only_better = (1 - worse_accuracy) * better_if_worse_wrong
    only_worse = worse_accuracy * (1 - better_if_worse_right)
    up = label_accuracy_better * only_better + (1 - label_accuracy_worse) * only_worse
    down = (1 - label_accuracy_better) * only_better + label_accuracy_worse * only_worse
    # The generating function (down + stay t + up t^2)^items is evaluated at a power of two so large that its
    # coefficients do not meet, so that one power of an integer multiplies it out.
    whole = lcm(up.denominator, down.denominator)
    plus, minus = int(up * whole), int(down * whole)
    bits = items * whole.bit_length() + 1
    value = (minus + ((whole - plus - minus) << bits) + (plus << (2 * bits))) ** items
    tail, mask, total = value >> ((items + 1) * bits), (1 << bits) - 1, 0
    while tail:
        total += tail & mask
        tail >>= bits
    return Fraction(total, whole**items)


ITEMS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100, 101, 1000, 1001)
LABELS = (3, 11)  # numbers of items, and of labels per item, in the paper
CLOSE = 1e-11
"""Logarithms closer than that, times 1 and their own size, are compared by fractions: their error is 1e-14."""
MOST_BITS = 30_000_000  # exact comparison of longer numbers takes minutes; such a pair is counted as undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Values of the five chances q_b, q_w, p_w, p_b0 and p_b1: multiples of 1/parts from one half.

    One half is among them, as the number of parts is even; 1 is not in the paper.
    """

    parts: int
    with_one: bool = True

    def __post_init__(self) -> None:
        if self.parts < 2 or self.parts % 2:  # noqa: PLR2004 - one half must be among the values
            raise OptionError(f"A grid of {self.parts} parts has no half: give an even number such as 20.")

    @property
    def numerators(self) -> npt.NDArray[np.int64]:
        """The values times `parts`."""
        return np.arange(self.parts // 2, self.parts + int(self.with_one))

    def classifiers(self) -> npt.NDArray[np.int64]:
        """Numerators of (p_w, p_b0, p_b1) with which the better classifier is better, of shape (n_triples, 3)."""
        values = self.numerators
        worse, if_wrong, if_right = (axis.ravel() for axis in np.meshgrid(values, values, values, indexing="ij"))
        is_better = (self.parts - worse) * if_wrong + worse * if_right > worse * self.parts
        return np.stack([worse, if_wrong, if_right], axis=1)[is_better]

    def cells(self) -> list["Cell"]:
        """The parts of a sweep, in their order."""
        values = self.numerators.tolist()
        return [Cell(grid=self, better=better, worse=worse) for better in values for worse in values]

    @property
    def configurations(self) -> int:
        """How many comparisons the whole grid makes."""
        return len(self.classifiers()) * len(self.numerators) ** 2 * len(ITEMS) * len(LABELS)


PAPER_GRID = Grid(parts=100, with_one=False)
REDUCED_GRID = Grid(parts=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How comparisons went, all integers."""

    # `compared`, `several_better`, `equal`: configurations; those with which several labels per item are strictly
    # better, which are violations where assumption 1 holds; and those with which both are exactly equally good.
    compared: int = 0
    several_better: int = 0
    equal: int = 0
    undecided: int = 0  # too close for floating point and too long for fractions
    exceptions: int = 0  # with which a chance was not a number, or more than 1

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__})

    @property
    def one_better(self) -> float:
        """Share of the configurations with which one label is strictly better."""
        return 1 - (self.several_better + self.equal + self.undecided) / self.compared


Tallies = dict[int, Tally]  # by number of items


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A part of the sweep: all classifiers for one pair of label accuracies, q_b and q_w by their numerators."""

    grid: Grid
    better: int
    worse: int

    @property
    def holds_assumption_1(self) -> bool:
        """Whether labels are at least as accurate where the better classifier is the right one."""
        return self.better >= self.worse

    @property
    def name(self) -> str:
        """For a record of what is done."""
        ones = "with" if self.grid.with_one else "without"
        return f"{self.grid.parts} parts {ones} 1: {self.better}, {self.worse}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """What a sweep found: tallies by number of items, under assumption 1 and beyond it.

    Beyond it label noise favours the worse classifier; those also by the numerator of q_w.
    """

    grid: Grid
    under_assumption_1: Tallies
    beyond: Tallies
    beyond_by_accuracy: dict[int, Tally]


def sweep_grid(
    grid: Grid, *, done: Mapping[str, Tallies] | None = None, note: Callable[[str, Tallies], None] | None = None,
    engine: Engine = "local", workers: int = 1, progress: Progress | None = None,
) -> SweepResult:  # fmt: skip
    """Compare one label per item with several everywhere on a grid."""
    cells = grid.cells()
    known = dict(done or {})
    left = [cell for cell in cells if cell.name not in known]
    with (
        open_executor(engine, workers=workers) as executor,
        # Closed whatever happens, so that an executor which is left does not finish what nobody waits for.
        closing(cast("Generator[Tallies]", executor.map(sweep_cell, left))) as results,
    ):
        for count, (cell, found) in enumerate(zip(left, results, strict=True), start=len(cells) - len(left) + 1):
            known[cell.name] = found
            if note is not None:
                note(cell.name, found)
            if progress is not None:
                progress(count, len(cells))
    others = [cell for cell in cells if not cell.holds_assumption_1]
    return SweepResult(
        grid=grid,
        under_assumption_1=_total(known[cell.name] for cell in cells if cell.holds_assumption_1),
        beyond=_total(known[cell.name] for cell in others),
        beyond_by_accuracy={
            worse: sum(_total(known[cell.name] for cell in others if cell.worse == worse).values(), start=Tally())
            for worse in grid.numerators[1:].tolist()  # the smallest q_w is larger than no q_b
        },
    )


def _total(parts: Iterable[Tallies]) -> Tallies:
    total = dict.fromkeys(ITEMS, Tally())
    for part in parts:
        total = {items: total[items] + part[items] for items in ITEMS}
    return total


def sweep_cell(cell: Cell) -> Tallies:
    """How one label compares with several for one pair of label accuracies, by number of items."""
    triples = cell.grid.classifiers()
    found = {}
    for items in ITEMS:
        tally = Tally()
        for labels in LABELS:
            tally += _compared(cell, triples, items=items, labels=labels)
        found[items] = tally
    return found


def _compared(cell: Cell, triples: npt.NDArray[np.int64], *, items: int, labels: int) -> Tally:
    accuracy = np.array([cell.better, cell.worse]) / cell.grid.parts
    one = _logs(triples / cell.grid.parts, accuracy, items * labels)
    several = _logs(triples / cell.grid.parts, majority_accuracy(accuracy, labels), items)
    ahead, size = _ahead(one, several)
    close = np.abs(ahead) <= CLOSE * (1 + size)
    is_sound = ((one <= 0) & (several <= 0)).all(axis=0)  # NaN is not
    signs = [_exact_sign(cell, triples[i], items=items, labels=labels) for i in np.flatnonzero(close)]
    return Tally(
        compared=len(triples), several_better=int(np.count_nonzero(~close & (ahead < 0))) + signs.count(-1),
        equal=signs.count(0), undecided=signs.count(None),
        exceptions=int(np.count_nonzero(~is_sound)),
    )  # fmt: skip


def _logs(triples: Floats, accuracy: Floats, items: int) -> Floats:
    """Logarithms of P(S <= 0) and P(S > 0), of shape (2, n_triples)."""
    steps = correlated_steps(*triples.T, *accuracy)
    chances = log_chances(steps.x, steps.y, items)
    return np.stack([chances.lose_or_tie, chances.win])


def _ahead(one: Floats, several: Floats) -> tuple[Floats, Floats]:
    """How far one label is ahead, in logarithms of the smaller of the two chances, and how large those are."""
    by_losing = one[0] + several[0] < one[1] + several[1]
    ahead = np.where(by_losing, several[0] - one[0], one[1] - several[1])
    return ahead, np.where(by_losing, np.abs(one[0]), np.abs(one[1]))


def _exact_sign(cell: Cell, triple: npt.NDArray[np.int64], *, items: int, labels: int) -> int | None:
    """1 if one label is better, -1 if several are, 0 if they are equally good, by fractions; None if that is too long.

    The fractions are those of the grid, so nothing is rounded.
    """
    parts = cell.grid.parts
    chances = [Fraction(int(value), parts) for value in triple]
    accuracy = [Fraction(cell.better, parts), Fraction(cell.worse, parts)]
    combined = [majority_fraction(q, labels) for q in accuracy]
    if items * labels * parts.bit_length() * (labels + 2) * 2 * items > MOST_BITS:
        return None
    one = chance_of_winning(*chances, *accuracy, items=items * labels)
    several = chance_of_winning(*chances, *combined, items=items)
    return (one > several) - (one < several)


# ---- What a sweep has done so far, in a file to which every finished cell is added: a killed sweep goes on from there

HEADER = json.dumps({"record": "dissensus sweep of Conjecture 1", "items": ITEMS, "labels": LABELS})
START = '{"cell": '  # how the line of a cell begins


def read_record(path: Path) -> dict[str, Tallies]:
    """The cells in a record; a last line that was cut off by a kill is left out."""
    lines, cut = _lines(path)
    if not (lines[0] == HEADER if lines else HEADER.startswith(cut)):
        raise _foreign(path)
    found: dict[str, Tallies] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            name, tallies = _parsed(line)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise _damaged(path, number) from None
        found[name] = tallies
    if lines and not (cut.startswith(START) or START.startswith(cut)):
        raise _damaged(path, len(lines) + 1)
    return found


def _lines(path: Path) -> tuple[list[str], str]:
    """The whole lines of a file, and what stands after the last of them; nothing if there is no such file."""
    try:
        *lines, cut = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return [], ""
    except UnicodeDecodeError:
        raise _foreign(path) from None
    except OSError as error:
        raise FileError(
            f"Cannot read {path}: {error.strerror}. Choose another place with {named('record')}."
        ) from error
    return lines, cut


def _foreign(path: Path) -> FileError:
    other = f"Name another file with {named('record')}, or delete it to begin again."
    return FileError(f"{path.name} is not a record of this sweep. {other}")


def _damaged(path: Path, number: int) -> FileError:
    return FileError(
        f"{path.name}, line {number}: damaged. Delete the line to have its part computed again, or the file to begin "
        "again."
    )


def _parsed(line: str) -> tuple[str, Tallies]:
    entry = json.loads(line)
    tallies = {int(items): Tally(**counts) for items, counts in entry["tallies"].items()}
    if _line(entry["cell"], tallies) != line:
        raise ValueError("not what was written")
    return entry["cell"], tallies


def _line(name: str, tallies: Tallies) -> str:
    """A cell as it stands in the record."""
    entry = {"cell": name, "tallies": {str(items): as_dict(tally) for items, tally in tallies.items()}}
    return json.dumps({**entry, "checksum": zlib.crc32(json.dumps(entry).encode())})


class Record:
    """A file to which finished cells are added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_ready = False

    def note(self, name: str, tallies: Tallies) -> None:
        """Add a cell, and see that it is on the disk."""
        try:
            if not self._is_ready:
                self._get_ready()
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(_line(name, tallies) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise FileError(
                f"Cannot write {self._path}: {error.strerror}. Choose another place with {named('record')}."
            ) from error

    def _get_ready(self) -> None:
        """Begin the file, or leave out a last line that a kill cut off, so that the next one starts afresh."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        read_record(self._path)  # what is no record is refused, not cut
        with self._path.open("a+b") as file:
            file.seek(0)
            whole = file.read().rfind(b"\n") + 1
            file.truncate(whole)
            if not whole:
                file.write(f"{HEADER}\n".encode())
        self._is_ready = True
