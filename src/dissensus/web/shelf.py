"""The projects that can be opened: those in the server's folder, those that were not saved, and the examples."""

import hashlib
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_urlsafe

from dissensus.data.paths import EXAMPLES, example_path
from dissensus.data.project import (
    PROJECT_FILE,
    Project,
    add_file,
    copy_project,
    create_project,
    list_projects,
    open_project,
    save_project,
)
from dissensus.errors import DissensusError
from dissensus.web.uploads import BOTH, PrivateFolder, StoredFile, discard, known_suffix

EXAMPLE, UNSAVED = "example:", "~"
"""What the ids of examples and of projects that were not saved begin with; no name of a folder of ours has either."""
EXAMPLE_NAMES = {"toxicity": "Toxic comments", "binary": "Yes or no"}
MOST_UNSAVED = 20
"""With the limit on one of them, that is what they may take of the disk; of more the one unused longest goes."""
FIXED = "This is an example and cannot be changed. Drop your own files on the first page to change how they are read."


class GoneError(DissensusError):
    """There is no project with this id, or no longer."""

    def __init__(self) -> None:
        super().__init__(
            "There is no such project (any more): what is not saved is deleted an hour after its last use. Send it "
            "again."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A project as the pages see it."""

    id: str  # in addresses
    project: Project  # the folder
    values: Mapping[str, str]  # how its files are read, by field

    @property
    def is_example(self) -> bool:
        """Whether it is bundled, and stays as it is."""
        return self.id.startswith(EXAMPLE)

    @property
    def is_saved(self) -> bool:
        """Whether it is in the server's folder."""
        return not self.id.startswith((EXAMPLE, UNSAVED))

    @property
    def ratings(self) -> StoredFile:
        """The ratings."""
        found = self._file("people")
        if found is None:
            raise DissensusError("There are no people's ratings in this project. Add them on the Data tab.")
        return found

    @property
    def judges(self) -> StoredFile | None:
        """The judges' answers, if there are any."""
        return self._file("judges")

    @property
    def task(self) -> Path | None:
        """What was asked, if that is known."""
        return self.project.path("task")

    @property
    def has_people(self) -> bool:
        """Whether there are ratings."""
        return self.project.path("people") is not None

    def _file(self, role: str) -> StoredFile | None:
        path = self.project.path(role)
        name = self.id if self.is_example else self.project.file_name(role)
        return None if path is None else StoredFile(path=path, name=name, role=role)

    def arguments(self) -> dict[str, object]:
        """What a worker must know to read it."""
        return {
            "ratings": str(self.ratings.path),
            "ratings_name": self.ratings.name,
            "judges": None if self.judges is None else str(self.judges.path),
            "judges_name": "" if self.judges is None else self.judges.name,
            "task": None if self.task is None else str(self.task),
            "items": None if (items := self.project.path("items")) is None else str(items),
        }


class Shelf:
    """Finds, adds and changes projects: those in `place`, a project or a folder of them, and those not saved."""

    def __init__(self, place: Path, *, keep_seconds: float) -> None:
        self._private = PrivateFolder()
        self.folder = self._private.path  # for what is not saved; it goes with the server
        self.only = place.resolve().name if (place / PROJECT_FILE).is_file() else None
        self.place = place.resolve().parent if self.only else place
        self._keep = keep_seconds
        self._used: dict[str, float] = {}
        self._copied: set[str] = set()
        self._hashes: dict[tuple[str, int, int], str] = {}

    def find(self, id_: str) -> DataSet:
        """A project by its id; examples are made when they are first asked for."""
        if id_.startswith(EXAMPLE):
            return self._data_set(id_, self._example(id_.removeprefix(EXAMPLE)))
        if id_.startswith(UNSAVED):
            if id_ not in self._used or time.monotonic() - self._used[id_] > self._keep:
                raise GoneError
            self._used[id_] = time.monotonic()
            return self._data_set(id_, open_project(self.folder / id_))
        is_name = id_ == Path(id_).name and not id_.startswith(".") and "\\" not in id_ and "\0" not in id_
        if not is_name or (self.only and id_ != self.only) or not self._is_project(id_):
            raise GoneError
        return self._data_set(id_, open_project(self.place / id_))

    def _is_project(self, name: str) -> bool:
        with suppress(OSError):  # a name that is too long for a file
            return (self.place / name / PROJECT_FILE).is_file()
        return False

    def listed(self) -> tuple[list[Project], list[str]]:
        """The saved projects, the last changed first, and why some cannot be opened."""
        found, problems = list_projects(self.place)
        return [one for one in found if self.only in {None, one.id}], problems

    def unsaved(self) -> list[Project]:
        """What was not saved, the last used first."""
        found = sorted(self._used.keys() - self._copied, key=lambda id_: -self._used[id_])
        return [open_project(self.folder / id_) for id_ in found]

    def add(self, files: Sequence[StoredFile], roles: Sequence[str]) -> DataSet:
        """A project that is not saved, with these files in these roles."""
        id_ = UNSAVED + token_urlsafe(18)
        named = next((file for file, role in zip(files, roles, strict=True) if role in {"people", BOTH}), files[0])
        project = create_project(self.folder / id_, name=named.name.partition(".")[0])
        self._used[id_] = time.monotonic()
        return self._data_set(id_, self._with_files(project, files, roles))

    def add_files(self, data: DataSet, files: Sequence[StoredFile], roles: Sequence[str]) -> DataSet:
        """The project with more files, each in place of the one that played its role before."""
        self._check_open(data)
        return self._data_set(data.id, self._with_files(data.project, files, roles))

    def swap(self, data: DataSet) -> DataSet:
        """The project with people and judges exchanged; their columns have no roles then."""
        roles = {"people": "judges", "judges": "people"}
        files = {roles.get(role, role): where for role, where in data.project.files.items()}
        return self.change(data, files=files, columns={}, fixes=())

    def change(self, data: DataSet, **changes: object) -> DataSet:
        """The project with something changed in `project.toml`."""
        self._check_open(data)
        changed = replace(data.project, **changes)  # type: ignore[arg-type]  # fields of a project
        save_project(changed)
        return self._data_set(data.id, changed)

    def save(self, data: DataSet, name: str) -> DataSet:
        """A copy of a project in the server's folder, under a name."""
        saved = copy_project(data.project, self.place, name=name)
        self._copied.add(data.id)
        return self._data_set(saved.id, saved)

    def fingerprint(self, data: DataSet) -> str:
        """The same for the same files, wherever the project is."""
        return " ".join(f"{role}:{self._sha256(data.project.path(role))}" for role in sorted(data.project.files))

    def tidy(self) -> list[str]:
        """Remove what was not used for long enough, and of too many what was not used longest; their ids."""
        now = time.monotonic()
        known = sorted(self._used, key=lambda id_: self._used[id_])
        too_many = known[: max(len(known) - MOST_UNSAVED, 0)]
        old = [id_ for id_ in known if id_ in too_many or now - self._used[id_] > self._keep]
        for id_ in old:
            del self._used[id_]
            shutil.rmtree(self.folder / id_, ignore_errors=True)
        return old

    def close(self) -> None:
        """Remove what is not saved."""
        self._private.remove()

    def _data_set(self, id_: str, project: Project) -> DataSet:
        from dissensus.web.data_options import values_in  # noqa: PLC0415 - it is made from data sets

        return DataSet(id=id_, project=project, values=values_in(project))

    def _with_files(self, project: Project, files: Sequence[StoredFile], roles: Sequence[str]) -> Project:
        for file, role in zip(files, roles, strict=True):
            if role:
                suffix = known_suffix(file.name)  # a file of another kind is read as a table
                name = file.name if file.name.lower().endswith(suffix) else file.name + suffix
                project = add_file(project, "people" if role == BOTH else role, file.path, name=name)
                if role == BOTH:
                    project = replace(project, files={**project.files, "judges": project.files["people"]})
                    save_project(project)
            discard(file.path)
        return project

    def _example(self, name: str) -> Project:
        if name not in EXAMPLES:
            raise GoneError
        folder = self.folder / f"{EXAMPLE}{name}"
        if not (folder / PROJECT_FILE).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            project = create_project(folder, name=EXAMPLE_NAMES.get(name, name))
            source = example_path(name)
            for role, file in (("people", "ratings.csv"), ("judges", "judges.csv"), ("task", "task.toml")):
                project = add_file(project, role, source / file, name=file)
        return open_project(folder)

    def _check_open(self, data: DataSet) -> None:
        if data.is_example:
            raise DissensusError(FIXED)

    def _sha256(self, path: Path | None) -> str:
        if path is None:
            return ""
        found = path.stat()
        key = (str(path), found.st_size, found.st_mtime_ns)
        if key not in self._hashes:
            with path.open("rb") as stream:
                self._hashes[key] = hashlib.file_digest(stream, "sha256").hexdigest()
        return self._hashes[key]
