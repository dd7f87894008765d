"""How each answer was elicited: as a forced choice or as a response set."""

import numpy as np

from dissensus.errors import DissensusError
from dissensus.judges.aggregation import Flags
from dissensus.ratings.coding import Codes


def is_response_set(
    stated: Codes | None, is_several: Flags, who: Codes, *, whose: str, error: type[DissensusError]
) -> Flags:
    """Which answers are response sets.

    Parameters
    ----------
    stated : ndarray of shape (n_answers,), optional
        0 for a forced choice, 1 for a response set, -1 where it was not said.
    is_several : ndarray of shape (n_answers,)
        Which answers endorse several options.
    who : ndarray of shape (n_answers,)
        Whose answers are of one kind where it was not said: if one of them endorses several options, the others could
        have, too.
    whose, error
        How to call the answers, and what to raise, where a forced choice has several options.

    Examples
    --------
    >>> several = np.array([True, False, False])
    >>> is_response_set(None, several, np.array([0, 0, 1]), whose="judges", error=DissensusError)
    array([ True,  True, False])
    """
    kind = np.full(len(is_several), -1) if stated is None else stated
    wrong = int(np.sum((kind == 0) & is_several))
    if wrong:
        raise error(
            f"{wrong:,} of the {whose}' answers are called a forced choice and endorse several options: "
            "mend their elicitation column, or leave it out."
        )
    gives_sets = np.bincount(who[(kind < 0) & is_several], minlength=int(who.max(initial=-1)) + 1) > 0
    return np.where(kind < 0, gives_sets[who], kind == 1)
