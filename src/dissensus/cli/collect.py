"""Collect ratings from people: `collect`."""

from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import flag
from dissensus.cli.output import Output
from dissensus.errors import OptionError


def collect_command(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="Columns item, text; or item, text_a, text_b. Or a project.")
    ],
    options: Annotated[Keywords, "collect.result.CollectOptions"],
    task: Annotated[Path | None, flag("TASK.toml", "What raters are asked.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--output", metavar="PROJECT", help="The folder to make.")] = None,
    plan: Annotated[Path | None, flag("PLAN.json", "What `plan raters --json` recommends.")] = None,
    chosen: Annotated[
        Path | None, flag("FILE", "Rate only the items in this file, as `route` writes it.", "--from")
    ] = None,
    drop: Annotated[
        str | None, flag("RATER", "In a project: withdraw this rater's link, and give the rest to the others.")
    ] = None,
    item: Annotated[str | None, flag("COL", "Name of the item column.")] = None,
    text: Annotated[str | None, flag("COL", "Name of the text column.")] = None,
    text_a: Annotated[str | None, flag("COL", "Name of the column of a pair's first text.")] = None,
    text_b: Annotated[str | None, flag("COL", "Name of the column of its second text.")] = None,
    output: Output = Output(),
) -> None:
    """Collect ratings from people.

    Plans who rates what and makes a project; `dissensus serve PROJECT` then has a link for each rater. With a project
    in place of ITEMS it says how far the collection is, and writes the ratings so far.
    """
    from dissensus.data.collection import Collection
    from dissensus.methods.collect import collect
    from dissensus.methods.collect.collect import drop_rater
    from dissensus.methods.rate.requests import Columns

    if drop is not None:
        if not items.is_dir():
            raise OptionError("--drop is about a project: name its folder in place of ITEMS.")
        with Collection(items) as collection:
            taken, left = drop_rater(collection, drop)
        output.remark(f"{drop} was dropped: {taken} ratings go to the others, {left} to nobody.")
    columns = Columns(item=item, text=text, text_a=text_a, text_b=text_b)
    output.show(
        collect(items, task=task, output=out, plan=plan, chosen=chosen, columns=columns, **options, rng=output.seed)
    )
