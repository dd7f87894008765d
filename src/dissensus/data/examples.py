import os
from importlib.resources import files
from pathlib import Path
from typing import Literal, cast

from dissensus.errors import FileError, OptionError

Example = Literal["binary", "toxicity"]
EXAMPLES: tuple[Example, ...] = ("binary", "toxicity")


def example_path(name: Example) -> Path:
    """The folder of a bundled data set: ratings.csv, judges.csv, task.toml, truth.json and README.md.

    Examples
    --------
    >>> from dissensus import read
    >>> ratings = read(example_path("binary") / "ratings.csv")
    >>> ratings.n_items, ratings.n_raters, ratings.labels
    (300, 10, ('No', 'Yes'))
    """
    if name not in EXAMPLES:
        raise OptionError.unknown("The example", name, EXAMPLES)
    return Path(str(files("dissensus.data").joinpath("example_data", name)))


EXAMPLE = "example:"


def resolved(source: str | os.PathLike[str], file: str) -> Path:
    """The path behind what the user wrote: `example:binary` is a bundled data set, of which this is the file."""
    name = str(source)
    if name.startswith(EXAMPLE):
        return example_path(cast("Example", name.removeprefix(EXAMPLE))) / file
    if not name:
        raise FileError("The name of the file is empty: name a file.")
    return Path(source)
