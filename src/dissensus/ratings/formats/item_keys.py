"""What to call an item whose id may stand in several places of a record."""

from collections.abc import Sequence

from dissensus.errors import OptionError, listed
from dissensus.ratings.coding import TextColumn, stack
from dissensus.ratings.formats.plan import ReadPlan
from dissensus.ratings.sources.json_access import as_text, paths_of, reach

ID_NAMES = ("item", "item_id", "id", "uid", "example_id", "doc_id", "external_id")
"""What users call their own ids, the most telling name first."""


class ItemKeys:
    """The ids of a source's records.

    The user's own id is taken where every record has one and no two are the same; else the tool's own.

    Parameters
    ----------
    name : str
        The file's name, for messages.
    plan : ReadPlan
        May say where the id stands.
    own : sequence of str
        Paths where the users' own id may stand.
    fallback : str
        Path of the id that the tool gives.
    """

    def __init__(self, name: str, plan: ReadPlan, *, own: Sequence[str], fallback: str) -> None:
        self._name, self._given, self._own, self._fallback = name, plan.item_key or plan.item, own, fallback
        self._option = plan.named("item-key")
        self._path: str | None = self._given
        self._ids: list[str | None] = []
        self._tools: list[str | None] = []

    def add(self, record: object) -> str:
        """Note the ids of the next record; what stands for it until `named`."""
        if self._path is None and not self._tools:
            self._path = next((path for path in self._own if as_text(reach(record, path)) is not None), None)
        found = None if self._path is None else as_text(reach(record, self._path))
        if self._given is not None and found is None:
            raise OptionError(
                f"{self._name}, record {len(self._tools) + 1}: nothing stands at {self._given}. Name another key with "
                f"{self._option}; the record has {listed(list(paths_of(record)))}."
            )
        self._ids.append(found)
        self._tools.append(as_text(reach(record, self._fallback)) or str(len(self._tools) + 1))
        return str(len(self._tools) - 1)

    @property
    def path(self) -> str:
        """Where the ids that are used stand."""
        if self._given is not None:
            return self._given
        are_own = self._path is not None and None not in self._ids and len(set(self._ids)) == len(self._ids)
        return self._path if are_own and self._path is not None else self._fallback

    @property
    def taken(self) -> str:
        """What was taken for the item, in words."""
        return self.path if self.path == self._given else f"{self.path} ({self._option} names another)"

    def named(self, column: TextColumn) -> TextColumn:
        """The column of items with their names; two records with one name are one item."""
        ids = self._tools if self.path == self._fallback and self._given is None else self._ids
        names = tuple(ids[int(text)] or "" for text in column.texts)
        return stack([TextColumn(column.codes, names)])
