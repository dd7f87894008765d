"""What several questions say together about judges: the mean of what they are worth, from samples that all share."""

from collections.abc import Sequence

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.parts.result import Overall, OverallJudge, Part, WorthEvidence
from dissensus.sampling.intervals import UNKNOWN, Bounds, bootstrap_interval
from dissensus.sampling.raters import RaterDraws, jackknife_spread


def overall_of(parts: Sequence[Part]) -> Overall | None:
    """The mean over questions of what judges are worth; None where the questions recommend no judge in common.

    Items are drawn again once for all questions, so a sample has a worth for each of them, and their mean varies as it
    does when the same items are asked about. What is below the curve of a question counts as 0 raters, what is above it
    as the largest survey, so that the mean of a judge that is off one curve is known, if only as *at least*.
    """
    found = [getattr(part.result, "evidence", None) for part in parts]
    evidence = [own for own in found if isinstance(own, WorthEvidence)]
    if len(evidence) < len(parts) or len(parts) == 1:
        return None
    every = [name for name in evidence[0].judges if all(name in own.judges for own in evidence)]
    advice = [part.result.recommendation.use for part in parts if hasattr(part.result, "recommendation")]
    use = tuple(name for name in next(iter(advice), ()) if all(name in one for one in advice))
    if advice and not use:
        return None
    confidence = float(str(parts[0].result.settings.get("confidence", 0.95)))
    judges = [_judge(name, evidence, confidence) for name in every]
    known = [judge for judge in judges if np.isfinite(judge.worth)]
    if not use and not known:
        return None
    return Overall(use=use, judges=tuple(sorted(judges, key=lambda j: -np.nan_to_num(j.worth, nan=-1.0))))


def _judge(name: str, evidence: Sequence[WorthEvidence], confidence: float) -> OverallJudge:
    places = [own.judges.index(name) for own in evidence]
    values = [own.worth[j] for own, j in zip(evidence, places, strict=True)]
    worth = float(np.mean([_on_curve(value, own) for value, own in zip(values, evidence, strict=True)]))
    low, high = _interval(worth, evidence, places, confidence)
    return OverallJudge(judge=name, worth=worth, at_least=bool(np.isposinf(values).any()), worth_low=low,
                        worth_high=high)  # fmt: skip


def _on_curve(worth: Floats, evidence: WorthEvidence) -> Floats:
    """From 0 to the largest survey; NaN where nobody was asked."""
    return np.clip(worth, 0.0, evidence.largest) if evidence.largest else np.full_like(worth, np.nan)


def _interval(worth: float, evidence: Sequence[WorthEvidence], places: Sequence[int], confidence: float) -> Bounds:
    """Bounds of the mean worth from samples of the items, moved by the noise of raters."""
    drawn = [_on_curve(own.samples[:, j], own) for own, j in zip(evidence, places, strict=True)]
    if not np.isfinite(worth) or not all(len(own) for own in drawn):
        return UNKNOWN
    values, noise = np.mean(drawn, axis=0), _rater_noise(evidence, places)
    largest = float(np.mean([own.largest for own in evidence]))
    moved = values if noise is None else np.clip(values + noise, 0.0, largest)
    return bootstrap_interval(worth, moved, confidence=confidence, kind="percentile")


def _rater_noise(evidence: Sequence[WorthEvidence], places: Sequence[int]) -> Floats | None:
    """What raters add to each sample of the mean; None where they are taken as they are.

    Where the same raters answered all questions, leaving one out moves all at once. Else one draw moves every question,
    which is the widest that raters can do.
    """
    pairs = zip(evidence, places, strict=True)
    values = [_on_curve(own.deleted[:, :, j], own) for own, j in pairs if own.deleted is not None]
    draws = [own.draws for own in evidence if own.draws is not None]
    if len(values) < len(evidence) or len(draws) < len(evidence):
        return None
    if len({own.raters for own in evidence}) == 1 and len({own.shape for own in values}) == 1:
        return _moves(np.mean(values, axis=0), draws[0])
    return np.asarray(np.mean([_moves(own, draws[0]) for own in values], axis=0))


def _moves(values: Floats, draws: RaterDraws) -> Floats:
    """The noise of raters in each sample, from values of shape (n_shuffles + 1, n_groups) without each of them."""
    spread = jackknife_spread(np.where(np.isfinite(values), values, np.nan)[:, :, None])
    known = spread._replace(total=np.nan_to_num(spread.total), within=np.nan_to_num(spread.within))
    return np.asarray(known.moved(np.zeros((len(draws.normal), 1)), draws)[:, 0])
