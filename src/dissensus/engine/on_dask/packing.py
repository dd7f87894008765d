"""Tasks as bytes, their large parts once: tasks of a bootstrap differ in a few bytes and share megabytes."""

import io
import pickle
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LARGE_BYTES = 32_768
"""An array of so many bytes is sent once."""
LARGE_LENGTH = 1_000
"""So is a tuple, a list, a dict or a text of such a length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A task as bytes.

    Attributes
    ----------
    small : bytes
        The task without its large parts.
    large : tuple of int
        Places of its large parts among those of all tasks.
    """

    small: bytes
    large: tuple[int, ...]


def pack(tasks: Sequence[object]) -> tuple[list[Packed], list[bytes]]:
    """The tasks as bytes, and the large parts that they share.

    As with a pool of processes, functions are named, not sent: a worker must be able to import them.

    Examples
    --------
    >>> shared = np.zeros(1_000_000)
    >>> packed, parts = pack([(shared, 1), (shared, 2)])
    >>> [len(task.small) < 500 for task in packed], [len(part) // 1_000_000 for part in parts]
    ([True, True], [8])
    >>> [unpack(task.small, [unpack(parts[i]) for i in task.large])[1] for task in packed]
    [1, 2]
    """
    places: dict[int, int] = {}
    parts: list[object] = []  # kept until the end: the id of an object that is gone may come again
    packed = []
    for task in tasks:
        buffer = io.BytesIO()
        pickler = _Pickler(buffer, places, parts)
        pickler.dump(task)
        packed.append(Packed(small=buffer.getvalue(), large=tuple(pickler.used)))
    return packed, [pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL) for part in parts]


def unpack(small: bytes, parts: Sequence[object] = ()) -> object:
    """What was packed."""
    return _Unpickler(io.BytesIO(small), parts).load()


def is_large(thing: object) -> bool:
    """Whether to send a thing once for all tasks."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes >= LARGE_BYTES
    return isinstance(thing, tuple | list | dict | str | bytes) and len(thing) >= LARGE_LENGTH


class _Pickler(pickle.Pickler):
    """Writes the place of a large part instead of the part."""

    def __init__(self, file: io.BytesIO, places: dict[int, int], parts: list[object]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.used: list[int] = []
        self._places, self._parts = places, parts

    def persistent_id(self, thing: object) -> int | None:
        """Which of the task's large parts this is; None if it is none."""
        if not is_large(thing):
            return None
        if id(thing) not in self._places:
            self._places[id(thing)] = len(self._parts)
            self._parts.append(thing)
        place = self._places[id(thing)]
        if place not in self.used:
            self.used.append(place)
        return self.used.index(place)


class _Unpickler(pickle.Unpickler):
    """Puts the large parts back."""

    def __init__(self, file: io.BytesIO, parts: Sequence[object]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, place: int) -> object:
        """The large part at that place."""
        return self._parts[place]
