"""From a result to a run that can be kept: what each judge was worth, and every item's answer and score."""

import math
from collections.abc import Mapping

import numpy as np

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import asked_in_one_way
from dissensus.data.history import NewRun, RunJudge
from dissensus.data.ratings import refuse_weights
from dissensus.methods.decide.result import DecideResult
from dissensus.methods.equivalence.calibration import fold_stream, outputs_of, rows_in_folds, scores_of_labels
from dissensus.methods.equivalence.options import MOST_LABELS
from dissensus.methods.equivalence.scores import clipped
from dissensus.methods.gate.result import GateResult
from dissensus.methods.parts.parts import Cut, cuts_of, slices_of
from dissensus.methods.parts.result import PartsResult
from dissensus.results import Result
from dissensus.sampling.intervals import normal_interval

CLIP = 0.02
NAN = float("nan")


def runs_of(ratings: Ratings, judges: Judges, result: Result, *, version: str) -> tuple[NewRun, ...]:
    """The run, or one for each question and slice."""
    refuse_weights(ratings, "A history")
    if not isinstance(result, PartsResult):
        whole = Cut(question=None, value=None, ratings=ratings, judges=judges)
        return (_run(whole, result, result, version=version, by=None),)
    cuts = {(cut.question, cut.value): cut for cut in _cuts(ratings, judges)}
    by = None if ratings.slicing is None else ratings.slicing.by
    found = [(cuts.get((part.question, part.value)), part.result) for part in result.parts]
    return tuple(_run(cut, own, result, version=version, by=by) for cut, own in found if cut is not None)


def _cuts(ratings: Ratings, judges: Judges) -> list[Cut]:
    whole = cuts_of(ratings, judges)
    if ratings.slicing is None:
        return whole
    return [own for cut in whole for own in slices_of(cut, ratings.slicing)[0]]


def _run(cut: Cut, own: Result, result: Result, *, version: str, by: str | None) -> NewRun:
    assert cut.judges is not None  # noqa: S101 - what is recorded has judges
    ratings, judges = _one_way(cut.ratings, cut.judges)
    outputs, bits, labels = _bits(ratings, judges)
    counts = np.zeros((ratings.n_items, len(labels)), dtype=np.intp)
    counts[:, [labels.index(label) for label in ratings.labels]] = ratings.counts()
    worths = _worths(own)
    return NewRun(
        version=version, command=own.command, question=cut.question, by=by, value=cut.value, data=result.data,
        settings=own.settings, result=own.as_dict(), verdict=own.verdict if isinstance(own, GateResult) else None,
        labels=labels, items=ratings.items, counts=counts, outputs=outputs, bits=bits,
        judges=tuple(_judge(name, bits[name], worths.get(name)) for name in outputs),
    )  # fmt: skip


def _one_way(ratings: Ratings, judges: Judges) -> tuple[Ratings, Judges]:
    """The data with a row for each item, asked for in one way."""
    whole = (ratings, judges) if ratings.copies is None else (ratings.expanded(), judges.expanded(ratings))
    asked, _ = asked_in_one_way(*whole, None)
    return asked, whole[1].on_items_of(asked)


def _bits(ratings: Ratings, judges: Judges) -> tuple[dict[str, Floats], dict[str, Floats], tuple[str, ...]]:
    """Each judge's answer to each item, what it gains over asking nobody, and the labels.

    Answers that are points of a measure count as the nearest label. With very many labels nothing can be scored.
    """
    found = outputs_of(ratings, judges)
    labels = (*ratings.labels, *(label for label in judges.labels if label not in ratings.labels))
    labels = labels[: found.shares.shape[1]]
    bits: dict[str, Floats] = {}
    for name, outputs in found.judges.items():
        bits[name] = np.full(len(outputs), NAN)
        known = np.flatnonzero(~np.isnan(outputs).any(axis=1))
        if len(known) > 1 and len(labels) <= MOST_LABELS:
            rows = rows_in_folds(len(known), None, fold_stream(0))
            shares = found.shares[known]
            per_label = scores_of_labels(outputs[known], shares, rows, clip=CLIP)
            nobody = np.log2(clipped(shares.mean(axis=0)[None], CLIP))
            bits[name][known] = (shares * (per_label - nobody)).sum(axis=1)
    return dict(found.judges), bits, labels


def _judge(name: str, bits: Floats, worth: tuple[float, float, float, str | None] | None) -> RunJudge:
    known = bits[~np.isnan(bits)]
    mean = float(known.mean()) if len(known) else NAN
    variance = float(known.var(ddof=1) / len(known)) if len(known) > 1 else NAN
    low, high = normal_interval(mean, variance, 0.95)
    value, worth_low, worth_high, verdict = worth or (NAN, NAN, NAN, None)
    return RunJudge(
        judge=name, worth=value, worth_low=worth_low, worth_high=worth_high, worth_verdict=verdict, bits=mean,
        bits_low=low, bits_high=high,
    )  # fmt: skip


def _worths(result: Result) -> Mapping[str, tuple[float, float, float, str | None]]:
    """What the judges are worth in raters, where the result says so."""
    if isinstance(result, DecideResult):
        return {one.judge: (one.worth, one.worth_low, one.worth_high, one.verdict) for one in result.judges}
    if isinstance(result, GateResult):
        for one in result.checks:
            if one.check == "min_equivalence":
                return {result.judge: (_finite(one.value), _finite(one.low), _finite(one.high), one.place)}
    return {}


def _finite(value: float) -> float:
    return value if math.isfinite(value) else NAN
