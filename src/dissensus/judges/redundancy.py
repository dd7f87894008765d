"""Which definitions rank judges alike whatever the data, so that their agreement is no evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.judges.definitions import Definition

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
    >>> from dissensus.judges.definitions import definitions_at
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
