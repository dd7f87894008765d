from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.output import Output


def reproduce_command(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="survey-equivalence, or all.")] = "all",
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The authors' data: a folder, or the wheel they published.")
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the authors' data with pip into the cache.")
    ] = False,
    output: Output = Output(),
) -> None:
    """Recompute the numbers that the papers print.

    Shows ours beside the published one. Exit status 1 if one that should be reproduced is not.
    """
    from dissensus.papers import download_data, reproduce

    folder = download_data(cache_folder()) if download and data is None else data
    result = reproduce(paper, data=folder)
    output.show(result)
    if result.count("failed"):
        raise typer.Exit(1)


def cache_folder() -> Path:
    """Where downloaded data are kept."""
    return Path(typer.get_app_dir("dissensus")) / "papers"
