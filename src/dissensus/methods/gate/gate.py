"""May this judge pass? Each threshold is tested on the bound of an interval."""

from collections.abc import Sequence

from numpy.random import Generator

from dissensus.data import Judges, Ratings, Task
from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.equivalence.calibration import Calibration
from dissensus.methods.equivalence.combiners import Combiner
from dissensus.methods.equivalence.scores import ScoreName
from dissensus.methods.gate.checks import Checking, survey_question
from dissensus.methods.gate.options import Question, check_question
from dissensus.methods.gate.result import Check, GateResult
from dissensus.sampling import Engine, Progress, open_executor, seed_of


def gate(
    ratings: Ratings,
    judges: Judges,
    *,
    judge: str,
    min_equivalence: float | None = None,
    min_consistency: float | None = None,
    tau: float = 0.5,
    max_bias: float | None = None,
    better_than: str | Sequence[str] = (),
    not_worse_than: str | Sequence[str] = (),
    margin: float | None = None,
    metric: MetricName = "wins",
    task: Task | None = None,
    positive: str | Sequence[str] = (),
    score: ScoreName | None = None,
    combiner: Combiner | None = None,
    calibrate: Calibration | None = None,
    min_items: int = 30,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> GateResult:
    """Whether a judge keeps to every threshold: pass, fail, or inconclusive where the interval holds the threshold.

    Parameters
    ----------
    ratings : Ratings
        Who gave which label to which item.
    judges : Judges
        What judges answered on these items.
    judge : str
        The judge at the gate.
    min_equivalence : float, optional
        It must be worth at least so many raters (`equivalence`).
    min_consistency : float, optional
        It must decide at least this share of the items as people do (`judges`).
    tau : float
        An item is decided positive if at least this share of raters calls it so.
    max_bias : float, optional
        Its share of positive decisions may differ by at most so much from people's.
    better_than : str or sequence of str
        It must be better than these judges (`compare`).
    not_worse_than : str or sequence of str
        It may be at most `margin` worse than these judges.
    margin : float, optional
        In units of the metric.
    metric : str
        Of the comparisons, as in `compare`.
    task : Task, optional
        Which options are positive.
    positive : str or sequence of str
        Options that count as positive; those of the task if not given.
    score, combiner, calibrate
        Of the equivalence, as in `equivalence`; what the data allow if not given: cross-entropy of the calibrated judge
        where it gives labels or probabilities.
    min_items : int
        With fewer items an interval from resampling them is too narrow: equivalence and comparisons are inconclusive.
    bootstrap : int
        Bootstrap samples of the items.
    confidence : float
        Of the intervals, two-sided.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks of a check are done, and of how many.

    Returns
    -------
    GateResult

    Examples
    --------
    >>> from dissensus import read, read_judges
    >>> from dissensus.data.examples import example_path
    >>> folder = example_path("binary")
    >>> result = gate(
    ...     read(folder / "ratings.csv"), read_judges(folder / "judges.csv"), judge="classifier", min_equivalence=1
    ... )
    >>> result.verdict, result.checks[0].items
    ('pass', 300)
    """
    question = Question(
        judge=judge, min_equivalence=min_equivalence, min_consistency=min_consistency, tau=tau, max_bias=max_bias,
        better_than=_names(better_than), not_worse_than=_names(not_worse_than), margin=margin, metric=metric,
        positive=_names(positive), score=score, combiner=combiner, calibrate=calibrate, min_items=min_items,
        bootstrap=bootstrap, confidence=confidence, seed=seed_of(rng),
    )  # fmt: skip
    check_question(question)
    for name in (judge, *question.better_than, *question.not_worse_than):
        judges[name]  # raises for an unknown judge, before any work
    with open_executor(engine, workers=workers) as executor:
        checking = Checking(
            ratings=ratings, judges=judges, task=task, question=question, rng=rng, executor=executor, progress=progress
        )
        checks, warnings = _all_checks(checking)
    return GateResult(
        settings=question.settings() | _survey_settings(ratings, judges, question),
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=tuple(dict.fromkeys(warnings)),
        judge=judge,
        checks=tuple(checks),
    )


def _survey_settings(ratings: Ratings, judges: Judges, question: Question) -> dict[str, object]:
    """How the equivalence was computed where that was left to us."""
    if question.min_equivalence is None:
        return {}
    asked = survey_question(ratings, judges, question)
    return {"score": asked.score, "combiner": asked.combiner, "calibrate": asked.calibrate}


def _all_checks(checking: Checking) -> tuple[list[Check], list[str]]:
    question = checking.question
    checks: list[Check] = []
    warnings: list[str] = []
    if question.min_equivalence is not None:
        check, said = checking.worth(question.min_equivalence)
        checks, warnings = [check], [*said]
    if question.min_consistency is not None or question.max_bias is not None:
        found, said = checking.decisions()
        checks, warnings = [*checks, *found], [*warnings, *said]
    compared = [(other, None) for other in question.better_than]
    for other, margin in [*compared, *((other, question.margin) for other in question.not_worse_than)]:
        check, said = checking.comparison(other, margin=margin)
        checks, warnings = [*checks, check], [*warnings, *said]
    return checks, warnings


def _names(values: str | Sequence[str]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)
