from collections.abc import Mapping
from pathlib import Path

from dissensus.errors import OptionError
from dissensus.papers import survey_equivalence
from dissensus.papers.claims import Claim, ReproduceResult
from dissensus.papers.data import PaperData

PAPERS: Mapping[str, tuple[Claim, ...]] = {survey_equivalence.PAPER: survey_equivalence.CLAIMS}
"""The claims of each paper, in the order in which the paper makes them."""


def reproduce(paper: str = "all", *, data: Path | None = None) -> ReproduceResult:
    """Every number that the papers print, with ours beside it.

    Parameters
    ----------
    paper : str
        Which paper, or "all".
    data : Path, optional
        Folder or wheel with the authors' data; claims that need them are "data missing" without.

    Returns
    -------
    ReproduceResult

    Examples
    --------
    >>> result = reproduce("survey-equivalence")
    >>> result.count("failed")
    0
    """
    if paper != "all" and paper not in PAPERS:
        raise OptionError.unknown("The paper", paper, ("all", *PAPERS))
    chosen = PAPERS if paper == "all" else {paper: PAPERS[paper]}
    authors = PaperData(data)
    outcomes = tuple(claim.check(authors) for claims in chosen.values() for claim in claims)
    missing = sum(outcome.status == "data missing" for outcome in outcomes)
    number = "1 number needs" if missing == 1 else f"{missing} numbers need"
    warnings = (f"{number} the authors' data, which are not here.",) if missing else ()
    described = authors.describe()
    return ReproduceResult(
        settings={"paper": paper},
        data={"authors": described} if described else {},
        warnings=warnings,
        claims=outcomes,
    )
