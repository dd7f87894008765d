"""Which figures belong to which group of claims: they are drawn where their numbers are computed."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Literal

from numpy.random import Generator

from dissensus.errors import OptionError
from dissensus.methods.reproduce.claims import Claim, ClaimOutcome, Drawing, ReproduceResult, Status
from dissensus.methods.reproduce.data import MissingDataError, PaperData
from dissensus.methods.reproduce.dont_label_twice import all_claims as dont_label_twice
from dissensus.methods.reproduce.dont_label_twice import figures as label_figures
from dissensus.methods.reproduce.dont_label_twice.sweep import (
    PAPER_GRID,
    REDUCED_GRID,
    Grid,
    Record,
    SweepResult,
    read_record,
    sweep_grid,
)
from dissensus.methods.reproduce.how_many_raters import all_claims as how_many_raters
from dissensus.methods.reproduce.how_many_raters import cells as raters_figures
from dissensus.methods.reproduce.judges_without_gold import all_claims as judges_without_gold
from dissensus.methods.reproduce.judges_without_gold import figures as judges_figures
from dissensus.methods.reproduce.survey_equivalence import all_claims as survey_equivalence
from dissensus.methods.reproduce.survey_equivalence import figures as survey_figures
from dissensus.sampling import Engine, Progress, open_executor, run_tasks

Draw = Callable[[PaperData], list[Drawing]]

FIGURES: Mapping[tuple[str, str], Draw] = {
    ("survey-equivalence", "running example, 1,000 items"): survey_figures.running_figures,
    ("survey-equivalence", "Wikipedia attacks"): survey_figures.wikipedia_figures,
    ("survey-equivalence", "CredBank"): survey_figures.credbank_figures,
    ("survey-equivalence", "GuessTheKarma"): survey_figures.karma_figures,
    ("judges-without-gold", "figures 4, 10 and 13"): judges_figures.selection_figures,
    ("judges-without-gold", "figures 5 and 14"): judges_figures.ranking_figures,
    ("judges-without-gold", "figure 11"): judges_figures.error_figures,
    ("judges-without-gold", "figures 6, 12 and 15"): judges_figures.people_figures,
    **{("how-many-raters", group): draw for group, draw in raters_figures.FIGURES.items()},
    ("dont-label-twice", "sections 3 and 4"): label_figures.exact_figures,
}


def drawings_of(paper: str, group: str, data: PaperData) -> list[Drawing]:
    """The figures of a group of claims; none if it has none, or if their data are not here."""
    draw = FIGURES.get((paper, group))
    try:
        return [] if draw is None else draw(data)
    except MissingDataError:
        return []


PAPERS: Mapping[str, tuple[Claim, ...]] = {
    survey_equivalence.PAPER: survey_equivalence.CLAIMS,
    judges_without_gold.PAPER: judges_without_gold.CLAIMS,
    how_many_raters.PAPER: how_many_raters.CLAIMS,
    dont_label_twice.PAPER: dont_label_twice.CLAIMS,
}
"""The claims of each paper, in the order in which the paper makes them."""

Group = tuple[str, str, PaperData, bool]
"""A paper, a group of its claims, the data, and whether to draw: what a process needs to know to check them."""
Sweep = Literal["reduced", "full"]
GRIDS: Mapping[Sweep, Grid] = {"reduced": REDUCED_GRID, "full": PAPER_GRID}
Found = tuple[float, Status, str]
"""Our number, the status and the reason; a claim itself holds functions, which do not travel between processes."""
Checked = tuple[list[Found], list[Drawing]]


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

    Parameters
    ----------
    paper : str
        Which paper, or "all".
    data : Path, optional
        Folder or wheel with the authors' data; claims that need them are "data missing" without.
    sweep : {"reduced", "full"}
        How fine a grid Conjecture 1 of "Don't Label Twice" is checked on: steps of .05, or the paper's.
    record : Path, optional
        File to which finished parts of the sweep are added, and from which an interrupted one goes on.
    figures : bool
        Whether to draw the papers' figures anew, for a page about them.
    engine, workers
        Where the work runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many groups of claims are done, and of how many.

    Returns
    -------
    ReproduceResult

    Examples
    --------
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
        raise OptionError.unknown("--sweep", sweep, tuple(GRIDS))
    with open_executor(engine, workers=workers) as executor:
        if dont_label_twice.PAPER in chosen:
            swept = _sweep(sweep, record, engine=executor, workers=workers, progress=progress)
            authors = PaperData(data, swept)
        groups: list[Group] = [(name, group, authors, figures) for name in chosen for group in groups_of(PAPERS[name])]
        found = run_tasks(executor, check_group, groups, rng=0, progress=progress)
    known = [outcome for group, rows in zip(groups, found, strict=True) for outcome in outcomes_of(group, rows[0])]
    place = {(claim.paper, claim.claim): i for i, claim in enumerate(c for name in chosen for c in PAPERS[name])}
    outcomes = tuple(sorted(known, key=lambda outcome: place[outcome.claim.paper, outcome.claim.claim]))
    missing = sum(outcome.status == "data missing" for outcome in outcomes)
    number = "1 number needs" if missing == 1 else f"{missing} numbers need"
    warnings = (f"{number} the authors' data, which are not here.",) if missing else ()
    described = authors.describe()
    return ReproduceResult(
        settings={"paper": paper, "sweep": sweep},
        data={"authors": described} if described else {},
        warnings=warnings,
        claims=outcomes,
        drawings=tuple(drawing for _, drawn in found for drawing in drawn),
    )


def _sweep(
    size: Sweep, record: Path | None, *, engine: Executor, workers: int, progress: Progress | None
) -> SweepResult:
    """The sweep, with what an earlier run noted."""
    if record is None:
        return sweep_grid(GRIDS[size], engine=engine, workers=workers, progress=progress)
    return sweep_grid(
        GRIDS[size],
        done=read_record(record),
        note=Record(record).note,
        engine=engine,
        workers=workers,
        progress=progress,
    )


def groups_of(claims: Sequence[Claim]) -> list[str]:
    """The groups of claims, each once."""
    return list(dict.fromkeys(claim.group for claim in claims))


def check_group(task: Group, stream: Generator) -> Checked:
    """How each claim of a group fares, and the group's figures if they are wanted."""
    del stream  # claims fix their own seeds, so that a claim does not depend on those before it
    paper, group, data, figures = task
    outcomes = [claim.check(data) for claim in PAPERS[paper] if claim.group == group]
    found = [(outcome.ours, outcome.status, outcome.reason) for outcome in outcomes]
    return found, drawings_of(paper, group, data) if figures else []


def outcomes_of(task: Group, rows: Sequence[Found]) -> list[ClaimOutcome]:
    """What was found, with its claims."""
    paper, group, *_ = task
    claims = [claim for claim in PAPERS[paper] if claim.group == group]
    return [
        ClaimOutcome(claim=claim, ours=ours, status=status, reason=reason)
        for claim, (ours, status, reason) in zip(claims, rows, strict=True)
    ]
