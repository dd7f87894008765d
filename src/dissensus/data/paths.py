"""Where files are: bundled examples, and files that we write, whole or not at all, never over one that was read."""

import os
import stat
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Literal, TextIO, cast

from dissensus.errors import DissensusError, FileError, OptionError
from dissensus.sizes import check_size

Example = Literal["binary", "toxicity"]
EXAMPLES: tuple[Example, ...] = ("binary", "toxicity")


def example_path(name: Example) -> Path:
    """The folder of a bundled data set: ratings.csv, judges.csv, task.toml, truth.json and README.md.

    >>> from dissensus import read
    >>> ratings = read(example_path("binary") / "ratings.csv")
    >>> ratings.n_items, ratings.n_raters, ratings.labels
    (300, 10, ('No', 'Yes'))
    """
    if name not in EXAMPLES:
        raise OptionError.unknown("The example", name, EXAMPLES)
    return Path(str(files("dissensus.data").joinpath("example_data", name)))


def small_text(path: Path) -> str:
    """The text of a file that people write by hand, such as a task: within limits, and not of what may never end."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise FileError(f"{path} is a device or a pipe, not a file: save its content to a file first.")
    check_size("document", found.st_size, f"{path.name} has {found.st_size:,} characters", "Name another file.")
    return path.read_text(encoding="utf-8-sig")


def toml_of(path: Path) -> dict[str, object]:
    """What a TOML file holds; FileError if it is none, OSError if it cannot be opened."""
    try:
        return tomllib.loads(small_text(path))
    except FileError:
        raise
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise FileError(f"{path.name} is not valid TOML: {error}. Fix it there.") from error


EXAMPLE = "example:"


def resolved(source: str | os.PathLike[str], file: str) -> Path:
    """The path behind what the user wrote: `example:binary` is a bundled data set, of which this is the file."""
    name = str(source)
    if name.startswith(EXAMPLE):
        return example_path(cast("Example", name.removeprefix(EXAMPLE))) / file
    if not name:
        raise FileError("The name of the file is empty: name a file.")
    return Path(source)


def check_place(path: Path) -> None:
    """Raise if there can be no such file, so that nobody waits for a report that then has no place."""
    try:
        target = path.resolve()
        is_folder, has_folder = target.is_dir(), target.parent.is_dir()
    except (OSError, ValueError, RuntimeError) as error:
        raise FileError(f"Cannot write {str(path)!r}: {error}. Name another file.") from error
    if is_folder:
        raise FileError(f"Cannot write {path}: it is a folder. Name a file in it.")
    if not has_folder:
        raise FileError(f"Cannot write {path}: the folder {path.parent} does not exist. Create it first.")


def check_csv(path: Path, *others: str) -> None:
    """Raise if there can be no such file, or CSV in it is not read back; `others`: suffixes of what else is written."""
    check_place(path)
    suffix = path.suffix.lower()
    is_device = path.exists() and not (path.is_file() and path.parts[:2] != ("/", "dev"))  # /dev/stdout, a pipe
    if suffix not in (".csv", ".txt", *others) and not is_device:
        ending = f"ends in {suffix}" if suffix else "has no suffix"
        raise OptionError(f"{path} {ending}, and we write CSV: name a file that ends in .csv.")


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file."""
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, ValueError, RuntimeError):
        return False  # one of them does not exist


def named_by(source: object) -> list[Path]:
    """The tables that a folder or a pattern stands for; nothing for one file, which is itself."""
    if not isinstance(source, str) or not (set(source) & set("*?[") or Path(source).is_dir()):
        return []
    from dissensus.data.large.tables import find_files  # noqa: PLC0415 - for those who name a folder

    with suppress(DissensusError, OSError, ValueError):  # whoever reads it says so
        return list(find_files(source).paths)
    return []


def save_bytes(path: Path, content: bytes) -> None:
    """Write a file so that it is there as a whole or not at all; FileError if it cannot be written."""
    with replaced(path) as stream:
        stream.buffer.write(content)


@contextmanager
def replaced(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of `path` when the block ends well; else what was there stays.

    The content goes to a file beside it, which then takes the name. A pipe or a device is written to directly.
    """
    check_place(path)
    target = path.resolve()  # through a symbolic link, which stays one
    try:
        if path.exists() and not path.is_file():  # a pipe has no path behind its name
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                yield stream
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:30]}.", suffix=".part", dir=target.parent)
        beside = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if os.name == "posix":
                beside.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"Cannot write {path}: {error.strerror}. Choose another place.") from error


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
