import os
from pathlib import Path

from dissensus.errors import DissensusError


def check_place(path: Path) -> None:
    """Raise if there can be no such file, so that nobody waits for a report that then has no place."""
    target = path.resolve()
    if target.is_dir():
        raise DissensusError(f"Cannot write {path}: it is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise DissensusError(f"Cannot write {path}: the folder {path.parent} does not exist. Create it first.")


def save_bytes(path: Path, content: bytes) -> None:
    """Write a file so that it is there as a whole or not at all.

    The content goes to a file beside it, which then takes the name. A pipe or a device is written to directly.

    Raises
    ------
    DissensusError
        If the folder does not exist or the file cannot be written.
    """
    check_place(path)
    target = path.resolve()  # through a symbolic link, which stays one
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        raise DissensusError(f"Cannot write {path}: {error.strerror}. Choose another place.") from error


def _replace(target: Path, content: bytes) -> None:
    beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
