"""Conjecture 1 of "Don't Label Twice" on a grid: against plain fractions, cut off and gone on with, in any order."""

import itertools
import json
from fractions import Fraction
from math import comb

import pytest

from dissensus.errors import FileError, OptionError
from dissensus.methods.reproduce import reproduce
from dissensus.methods.reproduce.dont_label_twice_sweep import (
    ITEMS,
    LABELS,
    PAPER_GRID,
    REDUCED_GRID,
    Cell,
    Grid,
    Record,
    Tally,
    chance_of_winning,
    majority_fraction,
    read_record,
    sweep_cell,
    sweep_grid,
)

TINY = Grid(parts=4)
"""Values 1/2, 3/4 and 1."""


def by_listing(steps, items):
    """P(S > 0) by multiplying out the steps one item at a time, as fractions."""
    law = {0: Fraction(1)}
    for _ in range(items):
        after = {}
        for (at, chance), (step, likely) in itertools.product(law.items(), steps.items()):
            after[at + step] = after.get(at + step, Fraction(0)) + chance * likely
        law = after
    return sum((chance for at, chance in law.items() if at > 0), start=Fraction(0))


def steps_of(triple, q_b, q_w):
    """Proposition 2, by listing who is right: the worse classifier, the better one, the label."""
    p_w, p_b0, p_b1 = triple
    only_better, only_worse = (1 - p_w) * p_b0, p_w * (1 - p_b1)
    up = only_better * q_b + only_worse * (1 - q_w)
    down = only_better * (1 - q_b) + only_worse * q_w
    return {1: up, -1: down, 0: 1 - up - down}


def majority_by_counting(q, m):
    return sum(comb(m, k) * q**k * (1 - q) ** (m - k) for k in range((m + 1) // 2, m + 1))


def expected(cell, items):
    """How the comparisons of a cell go for a number of items, by plain fractions."""
    parts = cell.grid.parts
    accuracy = [Fraction(cell.better, parts), Fraction(cell.worse, parts)]
    several = equal = 0
    for triple, m in itertools.product(cell.grid.classifiers().tolist(), LABELS):
        chances = [Fraction(value, parts) for value in triple]
        one = by_listing(steps_of(chances, *accuracy), items * m)
        combined = by_listing(steps_of(chances, *(majority_by_counting(q, m) for q in accuracy)), items)
        several, equal = several + (combined > one), equal + (combined == one)
    return Tally(compared=len(cell.grid.classifiers()) * len(LABELS), several_better=several, equal=equal)


@pytest.mark.parametrize(("better", "worse"), list(itertools.product((2, 3, 4), repeat=2)))
def test_a_cell_of_a_tiny_grid_is_that_of_plain_fractions(better, worse):
    cell = Cell(grid=TINY, better=better, worse=worse)
    found = sweep_cell(cell)
    for items in (1, 2, 3):
        assert found[items] == expected(cell, items)


def test_the_paper_has_almost_five_billion_configurations():
    assert PAPER_GRID.configurations == 4_895_625_000
    # 50 values for each label accuracy, and the triples with (1 - p_w) p_b0 + p_w p_b1 > p_w, times 15 x 2.
    values = range(50, 100)
    better = sum((100 - w) * b0 + w * b1 > 100 * w for w, b0, b1 in itertools.product(values, repeat=3))
    assert better * 50 * 50 * 15 * 2 == 4_895_625_000
    assert (len(ITEMS), len(LABELS)) == (15, 2)


def test_no_violation_of_conjecture_1_under_assumption_1_on_a_grid_of_tenths():
    found = sweep_grid(Grid(parts=10))
    totals = sum(found.under_assumption_1.values(), start=Tally())
    assert (totals.several_better, totals.undecided, totals.exceptions) == (0, 0, 0)


def test_beyond_assumption_1_several_labels_can_be_better_most_of_all_with_many_items():
    found = sweep_grid(Grid(parts=10)).beyond
    assert found[1].several_better < found[1000].several_better
    assert found[1].one_better > 0.9
    assert found[1000].one_better < 0.5


def test_the_share_by_label_accuracy_adds_up_to_all_beyond_assumption_1():
    found = sweep_grid(TINY)
    assert set(found.beyond_by_accuracy) == {3, 4}
    assert sum(found.beyond_by_accuracy.values(), start=Tally()) == sum(found.beyond.values(), start=Tally())


def test_two_labels_break_the_conjecture_as_stated():
    half, right = Fraction(1, 2), Fraction(3, 4)
    combined = majority_fraction(right, 2)
    assert combined == right  # a coin decides ties, so two labels are as good as one
    one = chance_of_winning(half, Fraction(1), half, right, right, items=2)
    two = chance_of_winning(half, Fraction(1), half, combined, combined, items=1)
    assert (one, two) == (Fraction(105, 256), Fraction(7, 16))
    assert one == by_listing(steps_of((half, Fraction(1), half), right, right), 2)


def test_a_grid_without_one_half_is_refused():
    for parts in (7, 0):
        with pytest.raises(OptionError, match=f"A grid of {parts} parts has no half"):
            Grid(parts=parts)


def test_grids_are_those_that_are_said():
    assert [len(grid.numerators) for grid in (REDUCED_GRID, PAPER_GRID)] == [11, 50]
    assert PAPER_GRID.numerators[-1] == 99


# The record


def test_a_sweep_goes_on_from_its_record(tmp_path):
    path = tmp_path / "some" / "sweep.jsonl"
    whole = sweep_grid(TINY, note=Record(path).note)
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 9  # what the file is, and the cells
    # Killed while it wrote the fifth cell
    path.write_text("".join(lines[:5]) + lines[5][:20])
    done, noted = read_record(path), []
    assert len(done) == 4
    assert sweep_grid(TINY, done=done, note=lambda name, _: noted.append(name)) == whole
    assert len(noted) == 5
    assert not set(noted) & set(done)
    # The cut line is gone when the record is gone on with, so that it can be read once more.
    assert sweep_grid(TINY, done=done, note=Record(path).note) == whole
    assert path.read_text().splitlines(keepends=True) == lines


def test_a_record_of_another_grid_is_left_alone(tmp_path):
    path = tmp_path / "sweep.jsonl"
    sweep_grid(Grid(parts=2), note=Record(path).note)
    noted = []
    sweep_grid(TINY, done=read_record(path), note=lambda name, _: noted.append(name))
    assert len(noted) == 9


def test_no_record_is_an_empty_one(tmp_path):
    assert read_record(tmp_path / "nothing.jsonl") == {}


@pytest.mark.parametrize("length", range(0, 900, 7))
def test_a_record_cut_off_anywhere_is_gone_on_with_to_the_same_bytes(tmp_path, length):
    path = tmp_path / "sweep.jsonl"
    found = {"x": dict.fromkeys(ITEMS, Tally(compared=3)), "y": dict.fromkeys(ITEMS, Tally(compared=4))}
    for name, tallies in found.items():
        Record(path).note(name, tallies)
    whole = path.read_bytes()
    path.write_bytes(whole[:length])
    left = [name for name in found if name not in read_record(path)]
    record = Record(path)
    for name in left:
        record.note(name, found[name])
    assert path.read_bytes() == whole


def refusal(path):
    """What is said of a file in the place of a record; the file stays as it is."""
    content = path.read_bytes()
    for call in (lambda: read_record(path), lambda: Record(path).note("x", {})):
        with pytest.raises(FileError) as caught:
            call()
        assert path.read_bytes() == content
    return str(caught.value)


FOREIGN = "sweep.jsonl is not a record of this sweep. Name another file with record=, or delete it to begin again."


@pytest.mark.parametrize(
    "content", [b"[]\n", b"my notes", b"item,label\n1,x\n", b"\xff\x00", b"\n", b'{"cell": "x"}\n', b'{"cell": "x'],
    ids=["list", "notes", "table", "bytes", "blank", "cell", "cut cell"],
)  # fmt: skip
def test_a_file_that_is_no_record_is_refused_and_not_touched(tmp_path, content):
    path = tmp_path / "sweep.jsonl"
    path.write_bytes(content)
    assert refusal(path) == FOREIGN


def test_a_record_of_other_numbers_of_items_or_labels_is_refused(tmp_path):
    path = tmp_path / "sweep.jsonl"
    Record(path).note("x", {})
    path.write_text(path.read_text().replace('"labels": [3, 11]', '"labels": [3, 5]'))
    assert refusal(path) == FOREIGN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("4", "5"),
        ('"equal"', '"equals"'),
        ("}}", "}"),
        ("{", "["),
        ('"1"', '"one"'),
        ("x", "y"),
        ("}", "} "),
        ("0", "-0"),
    ],
)
def test_a_damaged_line_is_refused_whatever_was_damaged(tmp_path, old, new):
    path = tmp_path / "sweep.jsonl"
    record = Record(path)
    for name in ("w", "x"):
        record.note(name, dict.fromkeys(ITEMS, Tally(compared=4)))
    *lines, last = path.read_text().splitlines(keepends=True)
    assert old in last
    path.write_text("".join(lines) + last.replace(old, new, 1))
    assert refusal(path) == (
        "sweep.jsonl, line 3: damaged. Delete the line to have its part computed again, or the file to begin again."
    )
    path.write_text("".join(lines))
    assert list(read_record(path)) == ["w"]


def test_text_after_a_record_is_refused(tmp_path):
    path = tmp_path / "sweep.jsonl"
    Record(path).note("x", {})
    with path.open("a") as file:
        file.write("and then")
    assert refusal(path).startswith("sweep.jsonl, line 3: damaged.")


def test_a_record_counts_whole_numbers_only(tmp_path):
    path = tmp_path / "sweep.jsonl"
    sweep_grid(Grid(parts=2), note=Record(path).note)
    entry = json.loads(path.read_text().splitlines()[1])
    assert list(entry) == ["cell", "tallies", "checksum"]
    assert all(isinstance(n, int) for tally in entry["tallies"].values() for n in tally.values())


def test_a_folder_in_the_record_s_place_is_an_error(tmp_path):
    with pytest.raises(FileError, match=r"Cannot read .*: .*\. Choose another place with record=\."):
        read_record(tmp_path)


def test_a_place_where_nothing_can_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"Cannot write .*: .*\. Choose another place with record=\."):
        Record(tmp_path / "file" / "sweep.jsonl").note("x", {})


def test_an_unknown_sweep_is_refused():
    with pytest.raises(OptionError, match="sweep= cannot be 'huge': choose one of reduced, full"):
        reproduce("dont-label-twice", sweep="huge")
