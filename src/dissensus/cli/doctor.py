from dataclasses import replace
from typing import Annotated

import typer

from dissensus.cli.import_ import SourceOptions
from dissensus.cli.inputs import resolve
from dissensus.cli.output import Output


def doctor_command(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of ratings or judges, as every command takes it.")
    ],
    options: SourceOptions,
    people: Annotated[
        str | None, typer.Option("--ratings", metavar="RATINGS", help="People's ratings, to hold judges against them.")
    ] = None,
    output: Output = Output(),
) -> None:
    """What is the matter with a file, and which option mends it?

    Looks for repeated and conflicting ratings, labels that are probably one, values off the scale, raters and judges
    that always say the same, and more; with --ratings also what keeps judges and people apart. Exit status 2 only if
    a file cannot be opened, or the ratings beside it cannot be read.
    """
    from dissensus.data.doctor import doctor

    path = resolve(source, "judges.csv" if options.judges or people is not None else "ratings.csv")
    compared = None if people is None else resolve(people, "ratings.csv")
    output.show(replace(doctor(path, ratings=compared, **options.keywords()), settings=options.settings()))
