"""Import a source and say what was taken for what, and what was left out."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from dissensus.data.formats.plan import LeftOut, ReadPlan
from dissensus.data.judges import Judges
from dissensus.data.ratings import Ratings
from dissensus.data.readers import judges_of, ratings_of
from dissensus.data.sources.files import SUFFIXES
from dissensus.data.sources.source import Source, open_source
from dissensus.data.writers import write_judges, write_ratings
from dissensus.errors import OptionError
from dissensus.results import Result

ROLES = ("item", "rater", "judge", "label", "question", "repeat", "status")
"""What an import says it took, in this order; formats may add more."""


@dataclass(frozen=True, kw_only=True)
class ImportResult(Result):
    """What was imported.

    Attributes
    ----------
    format : str
        The format that was recognised.
    imported : Ratings or Judges
        The answers themselves.
    taken : mapping of str to str
        What was taken for item, rater or judge, label, question, repeat and status, in words.
    left_out : tuple of LeftOut
        What was left out and why.
    output : str, optional
        The file that was written.
    """

    command: ClassVar[str] = "import"

    format: str
    imported: Ratings | Judges
    taken: Mapping[str, str]
    left_out: tuple[LeftOut, ...]
    output: str | None = None

    @property
    def holds(self) -> str:
        """Whose answers they are: ratings or judges."""
        return "ratings" if isinstance(self.imported, Ratings) else "judges"

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {
            "format": self.format,
            "holds": self.holds,
            **_shape(self.imported),
            "labels": _labels(self.imported),
            "taken": dict(self.taken),
            "left_out": [some.as_dict() for some in self.left_out],
            "output": self.output,
        }

    def rows(self) -> list[dict[str, object]]:
        """One row for each role: what was taken for it."""
        return [{"role": role, "taken_from": where} for role, where in self.taken.items()]


def _shape(imported: Ratings | Judges) -> dict[str, object]:
    if isinstance(imported, Ratings):
        return {"items": imported.n_items, "raters": imported.n_raters, "ratings": imported.n_ratings}
    return {"items": len(imported.items), "judges": list(imported.judges), "answers": imported.n_answers}


def _labels(imported: Ratings | Judges) -> list[dict[str, object]]:
    """How often each label was given; a table of counts counts each rater."""
    given = imported.label >= 0
    times = imported.times if isinstance(imported, Ratings) else None
    weights = None if times is None else times[given]
    count = np.bincount(imported.label[given], weights=weights, minlength=len(imported.labels))
    return [{"label": label, "count": int(n)} for label, n in zip(imported.labels, count.tolist(), strict=True)]


def import_source(
    source: str | os.PathLike[str],
    plan: ReadPlan,
    *,
    judges: bool = False,
    output: str | os.PathLike[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> ImportResult:
    """Read a source, write it as our tidy CSV, and say what was done.

    Parameters
    ----------
    source : path
        The file.
    plan : ReadPlan
        What the user says about it.
    judges : bool
        Whether to take the answers of judges where a source has both; a source that has judges only needs no word.
    output : path, optional
        The CSV file to write.
    settings : mapping, optional
        The options as the user gave them, for the JSON.
    """
    if output is not None:
        _check_output(Path(output), Path(source))
    with open_source(source, sheet=plan.sheet, columns=plan.columns) as opened:
        wants_judges = judges or has_judges_only(opened, plan)
        imported, raw, left_out = judges_of(opened, plan) if wants_judges else ratings_of(opened, plan)
    if output is not None and isinstance(imported, Ratings):
        write_ratings(imported, output)
    elif output is not None and isinstance(imported, Judges):
        write_judges(imported, output)
    losses = {some.sentence() for some in left_out}
    return ImportResult(
        settings=settings or {},
        data={"source": imported.describe_data()},
        warnings=tuple(warning for warning in imported.warnings if warning not in losses),
        format=raw.format,
        imported=imported,
        taken=_all_roles(raw.taken, plan, judges=isinstance(imported, Judges)),
        left_out=left_out,
        output=None if output is None else str(output),
    )


def _check_output(output: Path, source: Path) -> None:
    """Raise if the output would overwrite the source, or would not be read back as the CSV file that it is."""
    try:
        is_source = output.samefile(source)
    except (OSError, ValueError):
        is_source = False  # one of them does not exist
    if is_source:
        raise OptionError(f"-o {output} is the source itself, which would be lost: name another file.")
    suffix = output.suffix.lower()
    is_device = output.exists() and not output.is_file()  # /dev/stdout, a pipe; opening a folder fails
    if SUFFIXES.get(suffix) != "csv" and not is_device:
        ending = f"ends in {suffix}" if suffix else "has no suffix"
        raise OptionError(f"-o {output} {ending}, and we write CSV: name a file that ends in .csv.")


def _all_roles(taken: Mapping[str, str], plan: ReadPlan, *, judges: bool) -> dict[str, str]:
    """What was taken for each role, those included for which there is nothing in the file."""
    who = "judge" if judges else "rater"
    absent = {
        who: "nothing: nobody knows who answered",
        "question": "nothing: the file asks one question",
        "repeat": "rows with the item and judge of an earlier one"
        if judges
        else f"rows with the item and rater of an earlier one (--repeats {plan.repeats})",
        "status": "nothing: the file does not say",
    }
    roles = [role for role in ROLES if role in taken or role in absent]
    return {**{role: taken.get(role, absent.get(role, "")) for role in roles}, **taken}


def has_judges_only(source: Source, plan: ReadPlan) -> bool:
    """Whether a source holds judges' answers and no people's ratings; a user who names the judges' column says so."""
    if plan.judge is not None:
        return True
    lower = {column.strip().lower() for column in source.columns}
    if "item" in lower and "judge" in lower and "rater" not in lower and plan.rater is None:
        return True
    if {"item", "label"} <= lower:
        return False
    from dissensus.data.formats.plan import format_of  # noqa: PLC0415 - for what is no plain table

    format_ = format_of(source, plan)
    return format_ is not None and format_.ratings is None
