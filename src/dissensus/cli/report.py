import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from dissensus.cli.inputs import OptionalJudgesInput, RatingsInput
from dissensus.cli.output import Output
from dissensus.errors import DissensusError

if TYPE_CHECKING:
    from dissensus.ratings import Judges, Ratings, Task
    from dissensus.results import Result
    from dissensus.survey.calibration import Calibration
    from dissensus.survey.combiners import Combiner
    from dissensus.survey.scores import ScoreName

MOST_LABELS = 40
"""With more labels than that probabilities cannot be kept 2% away from certainty, as cross-entropy needs."""

TAUS = (0.3, 0.5, 0.7)
"""Thresholds at which a page compares decisions."""


def report_command(
    context: typer.Context,
    source: RatingsInput,
    judges_source: OptionalJudgesInput,
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")] = Path(
        "report.html"
    ),
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals.")] = 500,
    output: Output = Output(),
) -> None:
    """Write one HTML page about the ratings, and about judges.

    The page is self-contained: it loads nothing and can be sent as it is.
    """
    from dissensus.report.together import together
    from dissensus.report.writing import write_report

    judges = judges_source.read_all(repeats=source.repeats)
    results = results_of(source.read(), judges, source.read_task(), bootstrap=bootstrap, output=output)
    write_report(results, out, command_line=shlex.join(["dissensus", *context.obj]))
    if output.as_json:
        print(together(results).to_json())
    output.remark(f"Wrote {out}")


def results_of(
    ratings: "Ratings", judges: "Judges | None", task: "Task | None" = None, *, bootstrap: int, output: Output
) -> "list[Result]":
    """What there is to say: do the raters agree and, where there are judges, what each is worth and which to pick."""
    from dissensus.agreement import describe

    # Judges come first, so that those that do not fit the ratings are refused at once.
    about_judges = [] if judges is None else judge_results(ratings, judges, task, bootstrap=bootstrap, output=output)
    with output.progress("Resampling items") as progress:
        agreement = describe(
            ratings, by_group=bool(ratings.groups), bootstrap=bootstrap, rng=output.seed, progress=progress
        )
    return [agreement, *about_judges]


def judge_results(
    ratings: "Ratings", judges: "Judges", task: "Task | None", *, bootstrap: int, output: Output
) -> "list[Result]":
    """How many raters each judge is worth, and which judge to pick; where that cannot be told, a warning says why."""
    from dissensus.judges import rank_judges
    from dissensus.survey import equivalence

    with output.progress("Comparing judges with raters") as progress:
        settings = survey_settings(ratings, judges)
        worth = equivalence(ratings, judges, **settings, bootstrap=bootstrap, rng=output.seed, progress=progress)
    try:
        with output.progress("Ranking judges") as progress:
            ranked = rank_judges(
                ratings, judges, task=task, tau=TAUS, bootstrap=bootstrap, rng=output.seed, progress=progress
            )
    except DissensusError as error:
        note = f"Which judge can stand in for people is not on this page: {error}"
        return [replace(worth, warnings=(*worth.warnings, note))]
    return [worth, ranked]


class SurveySettings(TypedDict, total=False):
    """Options of `equivalence` that depend on the data."""

    score: "ScoreName"
    combiner: "Combiner"
    calibrate: "Calibration"


def survey_settings(ratings: "Ratings", judges: "Judges") -> SurveySettings:
    """How judges are compared with surveys where the user leaves it to us, so that any data can be.

    Cross-entropy of calibrated judges, since most judges sound surer than they are: by a table where every judge gave
    one label per item, by isotonic regression where they gave probabilities or several answers. Numbers with distances
    are correlated, and very many labels only compared for equality.
    """
    if ratings.scale == "interval":
        return {"score": "pearson", "combiner": "frequency"}
    if len({*ratings.labels, *judges.labels}) > MOST_LABELS:
        return {"score": "agreement", "combiner": "plurality"}
    is_hard = judges.probability is None and not judges.sample.any()
    return {"calibrate": "table" if is_hard else "isotonic"}
