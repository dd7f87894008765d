"""Which formats there are, and which one a source is written in."""

import importlib
import pkgutil
from functools import cache

from dissensus.data import formats as folder
from dissensus.data.formats.plan import Format, RawJudges, RawRatings, ReadPlan
from dissensus.data.sources.source import Source
from dissensus.errors import FileError, OptionError

AUTO = "auto"


@cache
def all_formats() -> tuple[Format, ...]:
    """The formats of all modules beside this one, those of tools first."""
    modules = [
        importlib.import_module(f"{folder.__name__}.{module.name}") for module in pkgutil.iter_modules(folder.__path__)
    ]
    found = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return tuple(sorted(found, key=lambda format_: (format_.is_layout, format_.name)))


def format_of(source: Source, plan: ReadPlan) -> Format | None:
    """The format that the user named, or else the first that recognises the source."""
    if plan.format is None or plan.format == AUTO:
        fitting = (f for f in all_formats() if not f.is_layout or getattr(f, plan.wants) is not None)
        return next((format_ for format_ in fitting if format_.recognises(source, plan)), None)
    known = {format_.name: format_ for format_ in all_formats()}
    if plan.format not in known:
        raise OptionError.unknown(plan.named("format"), plan.format, (AUTO, *known))
    return known[plan.format]


def ratings_in(format_: Format, source: Source, plan: ReadPlan) -> RawRatings:
    """The ratings of a source in a format."""
    if format_.ratings is None:
        raise FileError(
            f"{source.name} is {format_.what}, which holds judges' answers and no people's ratings: give it as JUDGES, "
            "or name another format."
        )
    return format_.ratings(source, plan)


def judges_in(format_: Format, source: Source, plan: ReadPlan) -> RawJudges:
    """The judges' answers of a source in a format."""
    if format_.judges is None:
        raise FileError(
            f"{source.name} is {format_.what}, which holds people's ratings and no judges' answers: give it as "
            "RATINGS, or name another format."
        )
    return format_.judges(source, plan)


def unrecognised(source: Source, plan: ReadPlan) -> FileError:
    """Error for a source that is no table and that no format recognises."""
    names = ", ".join(format_.name for format_ in all_formats())
    return FileError(
        f"{source.name} is in no format that we recognise{source.outline()}. If it is one of these, name it with "
        f"{plan.named('format')}: {names}. Otherwise export it as CSV with a row per rating."
    )
