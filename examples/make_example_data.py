"""Make the bundled example data again: `python examples/make_example_data.py [FOLDER]`.

Without a folder they are written to where the package keeps them. The task.toml files are written by hand.
"""  # noqa: INP001 - a script, not a package

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dissensus.data.writers import write_folder
from dissensus.simulation import Classifier, HardClassifier, Panel, ResponseRule, SoftClassifier, Urn, simulate_urn
from dissensus.simulation.urn_draws import readme_of

PACKAGED = Path(__file__).resolve().parents[1] / "src" / "dissensus" / "data" / "example_data"
COMMAND = "`python examples/make_example_data.py`"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What a bundled data set is drawn from."""

    about: str
    seed: int
    urn: Urn
    items: int
    raters: int | tuple[Panel, ...]
    classifiers: tuple[Classifier, ...]
    samples: int = 1


BINARY = Recipe(
    about="Would this answer help? Ten raters say yes or no to each of 300 answers; so do a list of keywords, which "
    "gives labels, and a classifier, which gives probabilities.",
    seed=1,
    urn=Urn(
        labels=("No", "Yes"),
        states=np.array([[0.95, 0.05], [0.8, 0.2], [0.5, 0.5], [0.25, 0.75], [0.07, 0.93]]),
        weights=np.array([0.35, 0.2, 0.15, 0.15, 0.15]),
    ),
    items=300,
    raters=10,
    classifiers=(
        HardClassifier(
            name="keywords",
            outputs=np.array([[0.9, 0.1], [0.8, 0.2], [0.62, 0.38], [0.5, 0.5], [0.35, 0.65]]),
        ),
        SoftClassifier(
            name="classifier",
            outputs=np.array(
                [
                    [0.70, 0.20, 0.07, 0.02, 0.01],
                    [0.30, 0.40, 0.20, 0.07, 0.03],
                    [0.10, 0.22, 0.36, 0.22, 0.10],
                    [0.04, 0.12, 0.24, 0.35, 0.25],
                    [0.01, 0.04, 0.12, 0.28, 0.55],
                ]
            ),
            temperature=0.7,
            noise=0.2,
            decimals=3,
        ),
    ),
)

TOXICITY = Recipe(
    about="How toxic is this comment? A crowd chooses one of three labels; experts do, too, and then name every label "
    "that applies. Four judges of different quality answer five times each.",
    seed=2,
    urn=Urn(
        labels=("Not toxic", "Toxic", "Very toxic"),
        states=np.array(
            [[0.94, 0.05, 0.01], [0.76, 0.2, 0.04], [0.45, 0.45, 0.1], [0.14, 0.66, 0.2], [0.03, 0.27, 0.7]]
        ),
        weights=np.array([0.38, 0.17, 0.13, 0.17, 0.15]),
        scale="ordinal",
    ),
    items=300,
    raters=(
        Panel(name="crowd", per_item=(3, 7), pool=24),
        Panel(name="expert", per_item=(0, 2), pool=4, asked="both", rule=ResponseRule(threshold=0.15, chance=0.8)),
    ),
    classifiers=(
        HardClassifier(
            name="strong",
            outputs=np.array(
                [[0.97, 0.03, 0], [0.85, 0.14, 0.01], [0.4, 0.55, 0.05], [0.04, 0.84, 0.12], [0.01, 0.17, 0.82]]
            ),
            consistency=0.6,
        ),
        HardClassifier(
            name="good",
            outputs=np.array(
                [[0.9, 0.09, 0.01], [0.7, 0.26, 0.04], [0.42, 0.48, 0.1], [0.18, 0.64, 0.18], [0.06, 0.36, 0.58]]
            ),
            consistency=0.6,
        ),
        HardClassifier(
            name="lenient",
            outputs=np.array(
                [[0.99, 0.01, 0], [0.96, 0.04, 0], [0.84, 0.15, 0.01], [0.45, 0.5, 0.05], [0.12, 0.58, 0.3]]
            ),
            consistency=0.8,
        ),
        HardClassifier(
            name="weak",
            outputs=np.array(
                [[0.58, 0.27, 0.15], [0.52, 0.3, 0.18], [0.45, 0.33, 0.22], [0.38, 0.36, 0.26], [0.32, 0.36, 0.32]]
            ),
            consistency=0.3,
        ),
    ),
    samples=5,
)

RECIPES: Mapping[str, Recipe] = {"binary": BINARY, "toxicity": TOXICITY}


def make(name: str, folder: Path) -> tuple[Path, ...]:
    """Write one data set and say which files."""
    recipe = RECIPES[name]
    ratings, judges, truth = simulate_urn(
        recipe.urn,
        items=recipe.items,
        raters=recipe.raters,
        classifiers=recipe.classifiers,
        samples=recipe.samples,
        rng=recipe.seed,
    )
    readme = readme_of(
        truth,
        title=f"Example data: {name}",
        about=recipe.about,
        made_with=f"{COMMAND} (seed {recipe.seed})",
        samples=recipe.samples,
    )
    return write_folder(
        folder, ratings=ratings, judges=judges, texts={"truth.json": truth.to_json(), "README.md": readme}
    )


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGED
    for example in RECIPES:
        for path in make(example, target / example):
            sys.stdout.write(f"{path}\n")
