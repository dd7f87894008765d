"""From profiles to Ratings and Judges with copies."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dissensus.errors import RatingsError, counted
from dissensus.ratings.assemble import CHECK_LABELS
from dissensus.ratings.coding import Codes, compact
from dissensus.ratings.judges import Judges
from dissensus.ratings.leaving_out import LeftOut, sentences
from dissensus.ratings.output_moments import LabelScores, OutputMoments
from dissensus.ratings.provenance import Provenance
from dissensus.ratings.reducing.moments import UNIT, MomentSums
from dissensus.ratings.reducing.numbering import Coding
from dissensus.ratings.reducing.profiles import Profiles, cells_of
from dissensus.ratings.reducing.spelling import Spelled
from dissensus.ratings.table import Ratings


def assemble_people(
    profiles: Profiles,
    spelled: Spelled,
    *,
    left_out: Sequence[LeftOut],
    notes: Sequence[str],
    unlabelled_items: int,
    raters: int | None,
    provenance: Provenance,
) -> Ratings:
    """The ratings of the profiles; those that lost all of their labels are left out and counted."""
    cells = cells_of(profiles.rated)
    cells = cells[spelled.label[cells[:, 1]] >= 0]
    if not len(cells):
        raise RatingsError(f"{provenance.name} has {counted(provenance.rows, 'row')} and not one label. {CHECK_LABELS}")
    kind = cells[:, 1]
    item, items = compact(cells[:, 0].astype(np.intp), profiles.example)
    copies = np.empty(len(items), dtype=np.intp)
    copies[item] = profiles.copies[cells[:, 0]]
    lost = unlabelled_items + int(profiles.copies.sum() - copies.sum())
    unrated = LeftOut(what="item without any label", several="items without any label", count=lost)
    losses = (*left_out, unrated, *spelled.left_out)
    return Ratings(
        item=item,
        items=items,
        label=spelled.label[kind],
        labels=spelled.label_set.labels,
        options=spelled.label_set.options,
        scale=spelled.label_set.scale,
        times=cells[:, 2].astype(np.intp),
        group=None if spelled.group is None else spelled.group[kind],
        groups=spelled.groups,
        elicitation=None if spelled.elicitation is None else spelled.elicitation[kind],
        copies=copies,
        rater_count=raters,
        warnings=(*sentences(some for some in losses if some.count), *notes),
        provenance=provenance,
    )


def assemble_answers(
    profiles: Profiles,
    spelled: Spelled,
    coding: Coding,
    *,
    totals: tuple[int, int],
    provenance: Provenance,
) -> Judges:
    """The answers of the profiles: as many of each kind as were given."""
    cells = cells_of(profiles.judged)
    profile, kind = (np.repeat(cells[:, column], cells[:, 2]) for column in (0, 1))
    assert spelled.judge is not None  # noqa: S101 - answers have judges
    judge = spelled.judge[kind]
    elicitation = None if spelled.elicitation is None else spelled.elicitation[kind]
    order = None if spelled.order is None else spelled.order[kind]
    item, items = compact(profile.astype(np.intp), profiles.example)
    keys = [item, judge, *(column for column in (elicitation, order) if column is not None)]
    return Judges(
        item=item,
        items=items,
        judge=judge,
        judges=spelled.judges,
        sample=_sample_numbers(keys),
        label=spelled.label[kind],
        labels=spelled.label_set.labels,
        options=spelled.label_set.options,
        probability=_probability(profiles, spelled, coding, profile, kind) if coding.speakers else None,
        elicitation=elicitation,
        order=order,
        totals=totals,
        provenance=provenance,
    )


def _sample_numbers(keys: Sequence[Codes]) -> Codes:
    """The number of each row among those with the same keys, from 0."""
    order = np.lexsort(keys[::-1])
    changes = np.logical_or.reduce([np.diff(key[order]) != 0 for key in keys])
    first = np.maximum.accumulate(np.where(np.concatenate([[True], changes]), np.arange(len(order)), 0))
    number = np.empty(len(order), dtype=np.intp)
    number[order] = np.arange(len(order)) - first
    return number


def _probability(
    profiles: Profiles, spelled: Spelled, coding: Coding, profile: npt.NDArray[np.int64], kind: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Probability of each label, row by row; NaN where the answer is a label."""
    assert spelled.output_place is not None  # noqa: S101 - speakers have outputs
    place = {speaker: i for i, speaker in enumerate(coding.speakers)}
    speaker = np.array([place[answer[:3]] if answer[4] else -1 for answer in coding.answers], dtype=np.intp)[kind]
    has_output = speaker >= 0
    outputs = profiles.outputs[profile[has_output], speaker[has_output]]
    probability = np.full((len(kind), len(spelled.label_set.labels)), np.nan)
    given = np.zeros((len(outputs), probability.shape[1]))
    given[:, spelled.output_place] = outputs / outputs.sum(axis=1, keepdims=True)
    probability[has_output] = given
    return probability


def profiles_of_sums(sums: MomentSums, coding: Coding) -> Profiles:
    """A profile for what raters said, one of the items that all judges answered and one of the others."""
    rows = [(i, True) for i, judged in enumerate(sums.judged) if judged]
    rows += [(i, False) for i, judged in enumerate(sums.judged) if judged < sums.items[i]]
    shape = (len(rows), len(coding.speakers), coding.n_outputs)
    outputs = np.array([
        [total * UNIT / sums.judged[i] for total in sums.outputs[i]] if is_judged else [np.nan] * (shape[1] * shape[2])
        for i, is_judged in rows
    ])  # fmt: skip
    everything = " ".join(f"{kind}:1" for kind in range(len(coding.answers)))
    return Profiles(
        rated=[sums.rated[i] for i, _ in rows],
        judged=[everything if is_judged else "" for _, is_judged in rows],
        outputs=outputs.reshape(shape),
        copies=np.array([sums.judged[i] if is_judged else sums.items[i] - sums.judged[i] for i, is_judged in rows]),
        example=[sums.example[i] if is_judged else f"{sums.example[i]} (not judged)" for i, is_judged in rows],
    )


def moments_of(sums: MomentSums, judges: Judges, labels: tuple[str, ...], scored_by: LabelScores) -> OutputMoments:
    """Means and covariances, in the order of the judges' items."""
    row_of = {name: i for i, name in enumerate(sums.example)}
    rows = [row_of[item] for item in judges.items]
    width = len(judges.judges) * len(labels)
    mean = np.array([[total * UNIT / sums.judged[i] for total in sums.first[i]] for i in rows])
    second = np.array([[total * UNIT / sums.judged[i] for total in sums.second[i]] for i in rows])
    covariance = second.reshape(-1, width, width) - mean[:, :, None] * mean[:, None, :]
    return OutputMoments(
        labels=labels,
        mean=mean.reshape(-1, len(judges.judges), len(labels)),
        covariance=covariance,
        scored_by=scored_by,
    )
