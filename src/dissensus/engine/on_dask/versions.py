"""Do the machines of a cluster run what we run? Other versions could give other numbers, or none."""

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from dissensus.errors import DissensusError

if TYPE_CHECKING:
    from distributed import Client

PACKAGES = ("dissensus", "numpy", "scipy", "duckdb", "pandas", "pyarrow", "dask", "distributed")
Versions = Mapping[str, str]
ABSENT = "not installed"


@cache
def versions_here() -> Versions:
    """The versions of this process: of Python without its patches, which change no number."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"python": python} | {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ABSENT


def check_cluster(client: "Client", address: str) -> None:
    """Refuse a cluster whose scheduler or workers run other versions than this process.

    The scheduler counts too: it takes every task apart before it hands it on.
    """
    found = client.get_versions(check=False, packages=list(PACKAGES))
    check_versions(_versions_of(found["scheduler"]), f"the Dask scheduler at {address}")
    for worker, described in found["workers"].items():
        check_versions(_versions_of(described), f"the Dask worker at {worker.removeprefix('tcp://')}")


def _versions_of(described: Mapping[str, Mapping[str, str | None]]) -> Versions:
    """What a machine of the cluster says of itself."""
    packages = described["packages"]
    python = ".".join((packages["python"] or "").split(".")[:2])
    return {"python": python} | {name: packages.get(name) or ABSENT for name in PACKAGES}


def check_versions(there: Versions, where: str, *, here: Versions | None = None) -> None:
    """Refuse a machine with other versions; the message names both of the first package that differs.

    Parameters
    ----------
    there : mapping of name to version
        Of the machine.
    where : str
        What to call it.
    here : mapping of name to version, optional
        Of whoever sends the work; of this process if not given.

    Examples
    --------
    >>> check_versions(versions_here(), "a worker")
    >>> check_versions({"numpy": "2.1.0"}, "a worker", here={"numpy": "2.0.0"})
    Traceback (most recent call last):
        ...
    dissensus.errors.DissensusError: Version mismatch: numpy is 2.0.0 here and 2.1.0 on a worker. Install the same \
versions on both, for instance with `pip install numpy==2.0.0` there.
    """
    for name, own in (versions_here() if here is None else here).items():
        other = there.get(name, ABSENT)
        if other == own:
            continue
        remedy = f"`pip install {name}=={own}`" if name != "python" else f"Python {own}"
        raise DissensusError(
            f"Version mismatch: {name} is {own} here and {other} on {where}. "
            f"Install the same versions on both, for instance with {remedy} there."
        )
