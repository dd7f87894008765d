import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.output import Output
from dissensus.errors import FileError, OptionError

if TYPE_CHECKING:
    from dissensus.simulation import Classifier, Urn


def simulate_urn_command(
    out: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    urn: Annotated[
        Path | None, typer.Option(metavar="URN.toml", help="States, labels and judges; else the paper's cats and dogs.")
    ] = None,
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items.")] = 1000,
    raters: Annotated[str, typer.Option(metavar="K", help="Raters per item: a number, or a range such as 3-9.")] = "10",
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of each judge to each item.")] = 1,
    output: Output = Output(),
) -> None:
    """Raters and judges who draw labels from urns.

    Writes ratings.csv, judges.csv, truth.json and README.md.
    """
    from dissensus.ratings.writing import write_folder
    from dissensus.simulation import SimulateResult, simulate_urn
    from dissensus.simulation.notes import readme_of

    described, classifiers = _urn(urn)
    made = simulate_urn(
        described,
        items=items,
        raters=raters_per_item(raters),
        classifiers=classifiers,
        samples=samples,
        rng=output.seed,
    )
    name = "the urn of cats and dogs" if urn is None else urn.name
    given = "" if urn is None else f"--urn {urn.name} "
    again = (
        f"`dissensus simulate urn {given}--items {items} --raters {raters} --samples {samples} --seed {output.seed}`"
    )
    readme = readme_of(
        made.truth, title="Simulated ratings", about=f"Drawn from {name}.", made_with=again, samples=samples
    )
    write_folder(
        out, ratings=made.ratings, judges=made.judges, texts={"truth.json": made.truth.to_json(), "README.md": readme}
    )
    output.remark(f"Wrote {made.ratings.n_ratings} ratings of {items} items to {out}; the truth is in truth.json.")
    if output.as_json:
        settings = {"urn": None if urn is None else urn.name, "items": items, "raters": raters, "samples": samples}
        data = {"ratings": dict(made.ratings.describe_data()), "judges": dict(made.judges.describe_data())}
        output.show(SimulateResult(settings=settings | {"seed": output.seed}, data=data, truth=made.truth))


def _urn(path: Path | None) -> "tuple[Urn, tuple[Classifier, ...]]":
    from dissensus.simulation import HARD_CLASSIFIER, RUNNING_EXAMPLE, SOFT_CLASSIFIER
    from dissensus.simulation.urn_description import urn_from

    if path is None:
        return RUNNING_EXAMPLE, (HARD_CLASSIFIER, SOFT_CLASSIFIER)
    try:
        return urn_from(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise FileError(f"{path} cannot be opened: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"{path.name} is not valid TOML: {error}.") from error


def raters_per_item(text: str) -> int | tuple[int, int]:
    """A number of raters, or a range.

    Examples
    --------
    >>> raters_per_item("10"), raters_per_item("3-9")
    (10, (3, 9))
    """
    fewest, dash, most = text.partition("-")
    if not fewest.strip().isdigit() or (dash and not most.strip().isdigit()):
        raise OptionError(f"--raters cannot be {text!r}: give a number such as 10, or a range such as 3-9.")
    return (int(fewest), int(most)) if dash else int(fewest)
