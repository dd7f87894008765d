"""A project: a folder with files, how they are read, what was chosen, and what came out.

```text
PROJECT/
  project.toml     format, name, created; which file plays which role; columns, fixes and options
  data/            the files as they were uploaded
  results/         each result under its key, as JSON and in other forms
  history.duckdb   decisions as they were recorded, if they were
  task.toml  items.*  plan.json  answers.sqlite    of a project that collects ratings
```

Each file is written beside its place and then takes it, `project.toml` last: a folder without it is no project, so one
that was killed while it was made is not taken for one. The folder names no place outside itself and can be copied.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from dissensus.data.paths import replaced, save_bytes, toml_of
from dissensus.errors import FileError

FORMAT = 1
PROJECT_FILE, DATA, RESULTS = "project.toml", "data", "results"
ANSWERS, HISTORY = "answers.sqlite", "history.duckdb"
ROLES = ("people", "judges", "items", "task")
LONGEST_NAME = 60
KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
"""What a result can be called; it becomes the name of a file."""
UNNAMED = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What `project.toml` says."""

    folder: Path  # where it is
    name: str  # as its owner calls it
    created: str  # when, in ISO 8601
    # The file of a role (people, judges, items, task), as a path inside the folder with `/` between its parts.
    files: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)  # which column plays which role, and how the file is read
    # What changes the data, in the order in which it was chosen: an option and its value.
    fixes: tuple[tuple[str, str], ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)  # what was chosen for the results

    @property
    def id(self) -> str:
        """The name of the folder, by which it is found among others."""
        return self.folder.name

    @property
    def is_collection(self) -> bool:
        """Whether ratings are collected here."""
        return (self.folder / ANSWERS).is_file()

    def path(self, role: str) -> Path | None:
        """The file of a role; None if there is none."""
        where = self.files.get(role)
        return None if where is None else _inside(self.folder, where)

    def file_name(self, role: str) -> str:
        """What the owner calls the file of a role; empty if there is none."""
        return self.files.get(role, "").rsplit("/", 1)[-1]


# ---- Create, open, list, save, copy


def create_project(folder: Path, *, name: str) -> Project:
    """A new project in a folder that is empty or not there yet.

    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = create_project(Path(place) / "toxicity", name="Toxic comments")
    ...     open_project(made.folder).name
    'Toxic comments'
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = next(folder.iterdir(), None) is None
        if is_empty:
            (folder / DATA).mkdir()
            (folder / RESULTS).mkdir()
    except OSError as error:
        raise FileError(f"Cannot create a project in {folder}: {error.strerror}. Choose another folder.") from error
    if not is_empty:
        raise FileError(f"Cannot create a project in {folder}: it is not empty. Choose a new folder.")
    created = datetime.now(UTC).isoformat(timespec="seconds")
    project = Project(folder=folder, name=clean_name(name), created=created)
    save_project(project)
    return project


def open_project(folder: Path) -> Project:
    """The project in a folder."""
    path = folder / PROJECT_FILE
    try:
        content = toml_of(path)
    except FileNotFoundError as error:
        raise FileError(f"There is no project in {folder}: it has no {PROJECT_FILE}.") from error
    except OSError as error:
        raise FileError(f"Cannot read {path}: {error.strerror}.") from error
    except FileError as error:
        raise FileError(f"Cannot read {path}: {error.message}") from error
    version = content.get("format")
    if not isinstance(version, int) or version < 1:
        raise FileError(f"Cannot read {path}: it does not say `format = {FORMAT}`.")
    if version > FORMAT:
        raise FileError(
            f"{path} has format {version}, and this version of dissensus reads up to {FORMAT}: "
            "open it with a newer version."
        )
    return _project_of(folder, content)


def save_project(project: Project) -> None:
    """Write `project.toml`."""
    lines = [f"format = {FORMAT}", f"name = {toml_text(project.name)}", f"created = {toml_text(project.created)}"]
    for title in ("files", "columns", "options"):
        table: Mapping[str, str] = getattr(project, title)
        lines += ["", f"[{title}]", *(f"{toml_text(key)} = {toml_text(value)}" for key, value in table.items())]
    for option, value in project.fixes:
        lines += ["", "[[fixes]]", f"option = {toml_text(option)}", f"value = {toml_text(value)}"]
    save_bytes(project.folder / PROJECT_FILE, ("\n".join(lines) + "\n").encode())


def list_projects(place: Path) -> tuple[list[Project], list[str]]:
    """The projects in a folder of projects, the last changed first, and why some cannot be opened."""
    found: list[tuple[float, Project]] = []
    problems: list[str] = []
    folders = sorted(one for one in place.iterdir() if not one.name.startswith(".")) if place.is_dir() else []
    for folder in folders:
        if not (folder / PROJECT_FILE).is_file():
            continue
        try:
            found.append(((folder / PROJECT_FILE).stat().st_mtime, open_project(folder)))
        except (FileError, OSError) as error:
            problems.append(str(error))
    return [project for _, project in sorted(found, key=lambda one: -one[0])], problems


def copy_project(project: Project, place: Path, *, name: str) -> Project:
    """A copy of a project under another name in a folder of projects: there as a whole or not at all."""
    place.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".copy-", dir=place))
    try:
        shutil.copytree(project.folder, beside, dirs_exist_ok=True, symlinks=True)
        save_project(replace(project, folder=beside, name=clean_name(name)))
        beside.chmod(0o755)
        folder = folder_for(place, name)
        beside.rename(folder)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise FileError(f"Cannot save the project in {place}: {error.strerror}. Choose another folder.") from error
    return open_project(folder)


def folder_for(place: Path, name: str) -> Path:
    """A folder for a new project in a folder of projects, named after it and not there yet.

    >>> folder_for(Path("nowhere"), "Toxic comments: 2026/11").name, folder_for(Path("nowhere"), "../..").name
    ('toxic-comments-2026-11', 'project')
    """
    stem = re.sub(r"[^\w]+", "-", name.lower()).strip("-_")[:LONGEST_NAME] or UNNAMED
    names = [stem, *(f"{stem}-{number}" for number in range(2, 10_000))]
    return next(place / one for one in names if not (place / one).exists())


def clean_name(name: str) -> str:
    r"""A name that can be shown on one line.

    >>> clean_name("  Toxic\tcomments "), clean_name("")
    ('Toxic comments', 'project')
    """
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:LONGEST_NAME] or UNNAMED


# ---- Files and results


def add_file(project: Project, role: str, source: Path, *, name: str) -> Project:
    """The project with a copy of a file in a role, in place of the one before, under the name its owner gave it."""
    if role not in ROLES:
        raise FileError(f"A file cannot play the role {role!r}: choose one of {', '.join(ROLES)}.")
    folder = project.folder / DATA
    file_name = _free_name(project, role, name)
    try:
        folder.mkdir(exist_ok=True)
        with source.open("rb") as given, replaced(folder / file_name) as stream:
            shutil.copyfileobj(given, stream.buffer)
    except OSError as error:
        raise FileError(f"Cannot copy {name}: {error.strerror}.") from error
    changed = replace(project, files={**project.files, role: f"{DATA}/{file_name}"})
    save_project(changed)
    return changed


def save_result(
    project: Project, key: str, content: Mapping[str, object], *, forms: Mapping[str, str] | None = None
) -> None:
    """Keep a result under its key as JSON, and in other forms by their suffix, such as `csv`."""
    path = _result_path(project, key)
    path.parent.mkdir(exist_ok=True)
    for suffix, text in (forms or {}).items():
        save_bytes(path.with_suffix(f".{suffix}"), text.encode())
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    save_bytes(path, (text + "\n").encode())  # last: a result is there once its JSON is


def read_form(project: Project, key: str, suffix: str) -> str | None:
    """A result in another form, by its suffix; None if there is none."""
    try:
        return _result_path(project, key).with_suffix(f".{suffix}").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _result_path(project: Project, key: str) -> Path:
    if not KEY.fullmatch(key):
        raise FileError(f"A result cannot be called {key!r}: take small letters, digits, - and _.")
    return project.folder / RESULTS / f"{key}.json"


def _free_name(project: Project, role: str, name: str) -> str:
    """A name for a file in data/ that no other role has and every system takes."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    safe = re.sub(r"[^\w .()+,=@-]", "_", last).strip(" .")
    stem, dot, suffix = safe.partition(".")
    safe = f"{stem[:LONGEST_NAME]}{dot}{suffix[-LONGEST_NAME:]}" if stem else f"{role}.csv"
    taken = {where.rsplit("/", 1)[-1].lower() for other, where in project.files.items() if other != role}
    return f"{role}-{safe}" if safe.lower() in taken else safe


def _inside(folder: Path, where: str) -> Path:
    """A file of the project: one that somebody else made must not lead out of its folder."""
    path = folder.joinpath(*where.split("/"))
    if not path.resolve().is_relative_to(folder.resolve()):
        raise FileError(f"{folder / PROJECT_FILE} names {where!r}, which is outside the project.")
    return path


def _project_of(folder: Path, content: Mapping[str, object]) -> Project:
    fixes = content.get("fixes", [])
    pairs = [_texts(folder, one) for one in fixes] if isinstance(fixes, list) else []
    return Project(
        folder=folder,
        name=clean_name(str(content.get("name") or folder.name)),
        created=str(content.get("created", "")),
        files={role: where for role, where in _texts(folder, content.get("files", {})).items() if role in ROLES},
        columns=_texts(folder, content.get("columns", {})),
        fixes=tuple((pair.get("option", ""), pair.get("value", "")) for pair in pairs),
        options=_texts(folder, content.get("options", {})),
    )


def _texts(folder: Path, table: object) -> dict[str, str]:
    if isinstance(table, dict) and all(isinstance(value, str) for value in table.values()):
        return {str(key): value for key, value in table.items()}
    raise FileError(f"Cannot read {folder / PROJECT_FILE}: files, columns, fixes and options must be texts.")


def toml_text(text: str) -> str:
    r"""A text as TOML has it.

    >>> print(toml_text('a "b"\n\x7f é'))
    "a \"b\"\n\u007f é"
    """
    clean = text.encode("utf-8", "replace").decode()
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")
