"""Where two definitions cannot both be right: pairs of judges that they rank against each other (section 5).

Theorem 5.3: unless one definition is a monotone function of the other, some judges and items invert their ranking. A
single item on which two judges stand the other way round shows that (Definition 5.2), as in Appendix C.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.judges.definitions import Definition
from dissensus.methods.judges.vectors import SLACK

# ---- Where two definitions cannot both be right: pairs of judges that they rank against each other (section 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inversion:
    """Two judges, and which definitions prefer which."""

    judge_a: str
    judge_b: str
    prefer_a: tuple[str, ...]
    prefer_b: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {
            "judge_a": self.judge_a,
            "judge_b": self.judge_b,
            "prefer_a": list(self.prefer_a),
            "prefer_b": list(self.prefer_b),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An item on which two definitions prefer different judges.

    Attributes
    ----------
    definition_a, definition_b : str
        The definitions, by id: the first prefers `judge_a` here, the second `judge_b`.
    item, judge_a, judge_b : str
        Where, and whom.
    values_a : tuple of float
        What the first definition gives to the two judges.
    values_b : tuple of float
        What the second gives to them.
    """

    definition_a: str
    definition_b: str
    item: str
    judge_a: str
    judge_b: str
    values_a: tuple[float, float]
    values_b: tuple[float, float]

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def inversions(values: Floats, *, ids: Sequence[str], judges: Sequence[str]) -> tuple[Inversion, ...]:
    """Pairs of judges that some definitions rank one way and some the other.

    Parameters
    ----------
    values : ndarray of shape (n_definitions, n_judges)
        Higher is better; NaN prefers nobody.
    ids, judges : sequences of str
        Names.

    Examples
    --------
    >>> found = inversions(np.array([[1.0, 0.0], [0.2, 0.3]]), ids=["hit_rate", "jsd"], judges=["z", "w"])
    >>> found[0].prefer_a, found[0].prefer_b
    (('hit_rate',), ('jsd',))
    """
    found = []
    for a, b in combinations(range(len(judges)), 2):
        gap = values[:, a] - values[:, b]
        prefer_a = tuple(ids[int(i)] for i in np.flatnonzero(gap > SLACK))
        prefer_b = tuple(ids[int(i)] for i in np.flatnonzero(gap < -SLACK))
        if prefer_a and prefer_b:
            found.append(Inversion(judge_a=judges[a], judge_b=judges[b], prefer_a=prefer_a, prefer_b=prefer_b))
    return tuple(found)


def worst_violation(first: Floats, second: Floats) -> tuple[int, int, int] | None:
    """The item and the two judges on which two definitions disagree most, or None if they never do.

    Parameters
    ----------
    first, second : ndarrays of shape (n_items, n_judges)
        What each definition gives to each judge on each item; higher is better.

    Returns
    -------
    item, a, b : int
        The first definition prefers judge a on the item, the second judge b. Of all such triples the one whose smaller
        gap is largest, each gap as a share of the range of its definition.

    Examples
    --------
    >>> hits, divergence = np.array([[1.0, 0.0]]), np.array([[-0.157, -0.058]])
    >>> worst_violation(hits, divergence)  # the corrected example 1 of Appendix C
    (0, 0, 1)
    """
    worst, place = SLACK, None
    scale = [max(float(np.ptp(values)), SLACK) for values in (first, second)]
    for a, b in combinations(range(first.shape[1]), 2):
        gap_first = (first[:, a] - first[:, b]) / scale[0]
        gap_second = (second[:, b] - second[:, a]) / scale[1]
        both = np.maximum(np.minimum(gap_first, gap_second), np.minimum(-gap_first, -gap_second))
        item = int(both.argmax())
        if both[item] > worst:
            worst = float(both[item])
            place = (item, a, b) if gap_first[item] > 0 else (item, b, a)
    return place


def violations(
    per_item: Floats, *, ids: Sequence[str], signs: Sequence[float], items: Sequence[str], judges: Sequence[str]
) -> tuple[Violation, ...]:
    """For each pair of definitions the item on which they disagree most.

    Parameters
    ----------
    per_item : ndarray of shape (n_items, n_definitions, n_judges)
        What each definition gives to each judge on each item.
    ids : sequence of str
        The definitions.
    signs : sequence of float
        1 where higher is better, -1 where lower is.
    items, judges : sequences of str
        Names.
    """
    found = []
    for p, q in combinations(range(len(ids)), 2):
        place = worst_violation(signs[p] * per_item[:, p], signs[q] * per_item[:, q])
        if place is None:
            continue
        item, a, b = place
        values = [(float(per_item[item, d, a]), float(per_item[item, d, b])) for d in (p, q)]
        found.append(
            Violation(
                definition_a=ids[p],
                definition_b=ids[q],
                item=items[item],
                judge_a=judges[a],
                judge_b=judges[b],
                values_a=values[0],
                values_b=values[1],
            )
        )
    return tuple(found)


TWO_RATERS = "with two raters per item Fleiss' kappa is Scott's pi, and Krippendorff's alpha is pi + (1 - pi) / (2n)"
ONE_HOT = "of two hard labels the squared error is 2 (1 - hit)"
ENTROPY = "they differ by the entropy of people's ratings, which is the same for every judge"
ONE_ANSWER = "of a set with one option all or nothing lies within people's set"
NO_SETS = "nobody gave a response set, so that everybody's choice counts as the whole set (beta 0)"

_ALWAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (TWO_RATERS, ("scott_pi", "fleiss_kappa", "krippendorff_alpha")),
    (ONE_HOT, ("hit_rate", "mse_hard")),
    (ENTROPY, ("kl_human_judge", "cross_entropy_human_judge")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """Definitions that rank judges alike, by id, and why."""

    definitions: tuple[str, ...]
    reason: str

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {"definitions": list(self.definitions), "reason": self.reason}


def redundancies(definitions: Sequence[Definition], *, has_sets: bool) -> tuple[Redundancy, ...]:
    """Groups of definitions that rank judges alike.

    Parameters
    ----------
    definitions : sequence of Definition
        Those in use.
    has_sets : bool
        Whether people or a judge gave response sets, or people's are estimated.

    Examples
    --------
    >>> from dissensus.methods.judges.definitions import definitions_at
    >>> [group.definitions for group in redundancies(definitions_at([0.5]), has_sets=True)][-1]
    ('coverage_h_hrs_0.5', 'precision_h_hrs_0.5')
    """
    groups = [Redundancy(definitions=ids, reason=reason) for reason, ids in _ALWAYS]
    if not has_sets:
        groups.append(Redundancy(definitions=("mse_soft", "mse_response_set"), reason=NO_SETS))
    covering = [d for d in definitions if d.name == "coverage" and d.judge == "hard"]
    precise = {d.tau: d.id for d in definitions if d.name == "precision" and d.judge == "hard"}
    groups += [Redundancy(definitions=(d.id, precise[d.tau]), reason=ONE_ANSWER) for d in covering]
    return tuple(groups)
