"""Every number that the papers print, with ours beside it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from numpy.random import Generator

from dissensus.errors import OptionError
from dissensus.methods.reproduce import dont_label_twice as numbers
from dissensus.methods.reproduce import how_many_raters as cells
from dissensus.methods.reproduce import judges_without_gold as theory
from dissensus.methods.reproduce import judges_without_gold_findings as findings
from dissensus.methods.reproduce import survey_equivalence as running
from dissensus.methods.reproduce import survey_equivalence_cases as cases
from dissensus.methods.reproduce import survey_equivalence_theorems as theorems
from dissensus.methods.reproduce.claims import (
    Claim,
    ClaimOutcome,
    Drawing,
    MissingDataError,
    PaperData,
    ReproduceResult,
    Status,
    called,
)
from dissensus.methods.reproduce.dont_label_twice_sweep import (
    PAPER_GRID,
    REDUCED_GRID,
    Grid,
    Record,
    read_record,
    sweep_grid,
)
from dissensus.options import named
from dissensus.sampling import Engine, Progress, open_executor, run_tasks

PAPERS: Mapping[str, tuple[Claim, ...]] = {  # the claims of each paper, in the order in which the paper makes them
    "survey-equivalence": (*running.CLAIMS, *theorems.CLAIMS, *cases.CLAIMS),
    "judges-without-gold": (*theory.CLAIMS, *findings.CLAIMS, *theory.PRINTED_CLAIMS),
    "how-many-raters": tuple(cells.CLAIMS),
    "dont-label-twice": tuple(numbers.CLAIMS),
}
FIGURES: Mapping[tuple[str, str], Callable[..., list[Drawing]]] = {
    ("survey-equivalence", "running example, 1,000 items"): running.running_figures,
    ("survey-equivalence", "Wikipedia attacks"): cases.wikipedia_figures,
    ("survey-equivalence", "CredBank"): cases.credbank_figures,
    ("survey-equivalence", "GuessTheKarma"): cases.karma_figures,
    ("judges-without-gold", "figures 4, 10 and 13"): findings.selection_figures,
    ("judges-without-gold", "figures 5 and 14"): findings.ranking_figures,
    ("judges-without-gold", "figure 11"): findings.error_figures,
    ("judges-without-gold", "figures 6, 12 and 15"): findings.people_figures,
    **{("how-many-raters", group): draw for group, draw in cells.FIGURES.items()},
    ("dont-label-twice", "sections 3 and 4"): numbers.exact_figures,
}
"""By paper and group of claims: figures are drawn where their numbers are computed."""

Group = tuple[str, str, PaperData, bool]
"""A paper, a group of its claims, the data, and whether to draw: what a process needs to know to check them."""
Sweep = Literal["reduced", "full"]
GRIDS: Mapping[Sweep, Grid] = {"reduced": REDUCED_GRID, "full": PAPER_GRID}
Compared = tuple[float, Status, str]
"""Our number, the status and the reason; a claim itself holds functions, which do not travel between processes."""


def reproduce(
    paper: str = "all",
    *,
    data: Path | None = None,
    sweep: Sweep = "reduced",
    record: Path | None = None,
    figures: bool = False,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> ReproduceResult:
    """Every number that the papers print, with ours beside it.

    `paper`: which paper, or "all". `data`: folder or wheel with the authors' data; claims that need them are "data
    missing" without. `sweep`: how fine a grid Conjecture 1 of "Don't Label Twice" is checked on: steps of .05, or the
    paper's. `record`: file to which finished parts of the sweep are added, and from which an interrupted one goes on.
    `figures`: whether to draw the papers' figures anew, for a page about them. `engine`, `workers`: where the work
    runs; the numbers do not depend on it. `progress`: told how many groups of claims are done, and of how many.

    >>> result = reproduce("judges-without-gold")  # doctest: +SKIP
    >>> result.count("failed")  # doctest: +SKIP
    0
    >>> {paper: len(claims) > 20 for paper, claims in PAPERS.items()}
    {'survey-equivalence': True, 'judges-without-gold': True, 'how-many-raters': True, 'dont-label-twice': True}
    """
    if paper != "all" and paper not in PAPERS:
        raise OptionError.unknown("The paper", paper, ("all", *PAPERS))
    chosen = tuple(PAPERS) if paper == "all" else (paper,)
    authors = PaperData(data)
    if sweep not in GRIDS:
        raise OptionError.unknown(named("sweep"), sweep, tuple(GRIDS))
    with open_executor(engine, workers=workers) as executor:
        if numbers.PAPER in chosen:
            done = None if record is None else read_record(record)
            note = None if record is None else Record(record).note
            swept = sweep_grid(GRIDS[sweep], done=done, note=note, engine=executor, workers=workers, progress=progress)
            authors = PaperData(data, swept)
        groups: list[Group] = [
            (name, group, authors, figures)
            for name in chosen
            for group in dict.fromkeys(claim.group for claim in PAPERS[name])
        ]
        found = run_tasks(executor, check_group, groups, rng=0, progress=progress)
    outcomes = {
        (claim.paper, claim.claim): ClaimOutcome(claim=claim, ours=ours, status=status, reason=reason)
        for (name, group, *_), (rows, _) in zip(groups, found, strict=True)
        for claim, (ours, status, reason) in zip(claims_in(name, group), rows, strict=True)
    }
    missing = sum(outcome.status == "data missing" for outcome in outcomes.values())
    number = "1 number needs" if missing == 1 else f"{missing} numbers need"
    described = authors.describe()
    return ReproduceResult(
        settings={"paper": paper, "sweep": sweep},
        data={"authors": described} if described else {},
        warnings=(f"{number} the authors' data, which are not here.",) if missing else (),
        claims=tuple(outcomes[claim.paper, claim.claim] for name in chosen for claim in PAPERS[name]),
        drawings=tuple(drawing for _, drawn in found for drawing in drawn),
    )


def claims_in(paper: str, group: str) -> list[Claim]:
    """The claims of a group."""
    return [claim for claim in PAPERS[paper] if claim.group == group]


def check_group(task: Group, stream: Generator) -> tuple[list[Compared], Sequence[Drawing]]:
    """How each claim of a group fares, and the group's figures if they are wanted and their data are here."""
    del stream  # claims fix their own seeds, so that a claim does not depend on those before it
    paper, group, data, figures = task
    found = [claim.compared(data) for claim in claims_in(paper, group)]
    try:
        return found, called(FIGURES[paper, group], data) if figures and (paper, group) in FIGURES else []
    except MissingDataError:
        return found, []
