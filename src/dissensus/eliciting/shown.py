"""The options as a prompt shows them: in which order, behind which letter, and what each then means."""

import hashlib
import json
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.errors import TaskError
from dissensus.ratings.labels import options_of
from dissensus.ratings.task import Task

_LETTER = re.compile(r"\b[A-Z]\b", re.ASCII)
MIRRORED = {"win": "lose", "tie": "tie", "lose": "win"}
PAIR_MEANINGS = {
    "win": "The first text is better than the second.",
    "tie": "Neither text is better than the other.",
    "lose": "The second text is better than the first.",
}


@dataclass(frozen=True, slots=True)
class ShownOption:
    """One option in a prompt.

    Attributes
    ----------
    mark : str
        The letter before it.
    name, description : str
        What stands there.
    meaning : str
        The option that is meant: another one where the texts of a pair changed places.
    """

    mark: str
    name: str
    description: str
    meaning: str


def marks_of(options: Sequence[str]) -> tuple[str, ...]:
    """A letter for each place; letters that options are, or have as a word, are left out: none means two things.

    Examples
    --------
    >>> marks_of(["No", "Yes"]), marks_of(["a", "tie", "B"])
    (('A', 'B'), ('C', 'D', 'E'))
    >>> marks_of(["Response A", "Response B"])
    ('C', 'D')
    """
    taken = {option.upper() for option in options} | {word for option in options for word in _LETTER.findall(option)}
    free = [letter for letter in string.ascii_uppercase if letter not in taken]
    if len(options) > len(free):
        raise TaskError(f"{len(options)} options are too many to letter them from A to Z: ask with fewer options.")
    return tuple(free[: len(options)])


def check_options(task: Task) -> None:
    """An error if an option would not be read back from a file as what it is."""
    marks_of(task.options)
    for option in task.options:
        if options_of(option) != (option,):
            raise TaskError(f"The option {option!r} would not be read back from a file as it is: rename it.")


def option_order(n_options: int, *, seed: int, item: str, sample: int) -> tuple[int, ...]:
    """In which order a sample shows the options.

    Shuffled for each item, then moved on by one place from sample to sample: over as many samples as there are options
    each of them stands once at each place. It does not depend on how many samples there are in all.

    Examples
    --------
    >>> [option_order(3, seed=0, item="c01", sample=s) for s in range(3)]
    [(0, 2, 1), (2, 1, 0), (1, 0, 2)]
    """
    shuffle, turn = divmod(sample, n_options)
    drawn = sorted(range(n_options), key=lambda option: _draw(seed, item, shuffle, option))
    return (*drawn[turn:], *drawn[:turn])


def _draw(*parts: int | str) -> bytes:
    """A number as good as random that is the same everywhere and with every version of every library."""
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def mirror_of(task: Task) -> dict[str, str]:
    """What each option says when the two texts change places.

    Win and lose change; other options go from the best for the first text to the worst, so that they turn round.
    """
    if set(task.options) <= MIRRORED.keys():
        return MIRRORED
    return dict(zip(task.options, reversed(task.options), strict=True))


def shown_options(task: Task, order: Sequence[int], *, is_swapped: bool) -> tuple[ShownOption, ...]:
    """The options in this order; swapped where a pair is shown with b first."""
    mirror = mirror_of(task) if is_swapped else {}
    known = PAIR_MEANINGS if task.kind == "pairwise" else {}
    described = {**known, **task.descriptions}
    names = [task.options[i] for i in order]
    return tuple(
        ShownOption(mark, name, described.get(name, ""), mirror.get(name, name))
        for mark, name in zip(marks_of(task.options), names, strict=True)
    )
