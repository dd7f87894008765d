"""Ratings and judges with alike items put together into profiles, as files too large for memory are read."""

from dataclasses import replace

import numpy as np

from dissensus.data import Judges, Ratings
from dissensus.data.align import answers_of
from dissensus.data.judges import OutputMoments
from dissensus.methods.equivalence.scores import label_scores


def profiles_of(ratings: Ratings, judges: Judges | None = None) -> tuple[Ratings, Judges | None]:
    """The same with one item for all items that have the same label counts, by group and elicitation, and answers.

    Each profile is named after the first of its items; what judges said on items that nobody rated is left out.
    """
    keys = list(_rating_keys(ratings))
    if judges is not None:
        judges = _on_rated(judges, ratings)
        answers = dict(zip(judges.items, _answer_keys(judges), strict=True))
        keys = [(key, answers.get(name)) for key, name in zip(keys, ratings.items, strict=True)]
    together = _together(ratings, keys)
    return together, None if judges is None else _of_items(judges, together.items)


def moments_of(
    ratings: Ratings, judges: Judges, *, score: str = "cross-entropy", clip: float = 0.02
) -> tuple[Ratings, Judges]:
    """The same with one item for all items that have the same label counts, and the moments of what judges score.

    Items that some judge did not answer count as answered by none.
    """
    everybody, labels, _ = answers_of(_on_rated(judges, ratings), ratings)
    predictions = np.stack([answers.predictions for answers in everybody], axis=1)
    is_answered = ~np.isnan(predictions).any(axis=(1, 2))
    keys = list(zip(_rating_keys(ratings), is_answered.tolist(), strict=True))
    together = _together(ratings, keys)
    scored_by = label_scores(score, clip=clip)
    scored = scored_by(predictions)
    members = {name: [] for name in together.items}
    first = {}
    for i, key in enumerate(keys):
        members[first.setdefault(key, ratings.items[i])].append(i)
    answered = [name for name in together.items if is_answered[members[name][0]]]
    outputs = np.array([predictions[members[name]].mean(axis=0) for name in answered])
    values = [scored[members[name]] for name in answered]
    return together, _summed_up(answered, outputs, values, judges, labels, scored_by)


def _summed_up(names, outputs, scored, judges, labels, scored_by):
    """Judges that answer with mean outputs, of shape (n_items, n_judges, n_labels), and the moments of their scores."""
    n, j = outputs.shape[:2]
    flat = [values.reshape(len(values), -1) for values in scored]
    moments = OutputMoments(
        labels=labels,
        mean=np.array([values.mean(axis=0) for values in scored]),
        scored_by=scored_by,
        covariance=np.array([np.cov(values, rowvar=False, bias=True).reshape(values.shape[1], -1) for values in flat]),
    )
    return replace(
        judges,
        item=np.repeat(np.arange(n), j),
        items=tuple(names),
        judge=np.tile(np.arange(j), n),
        sample=np.zeros(n * j, dtype=np.intp),
        label=np.full(n * j, -1),
        labels=labels,
        options=judges.options if set(labels) <= set(judges.labels) else labels,
        probability=outputs.reshape(n * j, -1),
        elicitation=None,
        order=None,
        moments=moments,
    )


def _rating_keys(ratings):
    """What each item was called, by whom and how it was asked, in no order."""
    counts = [{} for _ in ratings.items]
    times = np.ones(len(ratings.item), dtype=np.intp) if ratings.times is None else ratings.times
    for row, item in enumerate(ratings.item):
        group = -1 if ratings.group is None else int(ratings.group[row])
        elicitation = -2 if ratings.elicitation is None else int(ratings.elicitation[row])
        key = (int(ratings.label[row]), group, elicitation)
        counts[item][key] = counts[item].get(key, 0) + int(times[row])
    return (tuple(sorted(count.items())) for count in counts)


def _answer_keys(judges):
    """What each item was answered, in no order of the samples."""
    answers = [[] for _ in judges.items]
    for row, item in enumerate(judges.item):
        more = tuple(-2 if c is None else int(c[row]) for c in (judges.elicitation, judges.order))
        probability = () if judges.probability is None else tuple(repr(float(p)) for p in judges.probability[row])
        answers[item].append((int(judges.judge[row]), int(judges.label[row]), *more, probability))
    return (tuple(sorted(given)) for given in answers)


def _together(ratings, keys):
    """One item for each distinct key, with copies."""
    first, copies = {}, {}
    for i, key in enumerate(keys):
        first.setdefault(key, i)
        copies[key] = copies.get(key, 0) + 1
    columns = {name: [] for name in ("item", "label", "group", "elicitation", "times")}
    described = list(_rating_keys(ratings))
    for place, i in enumerate(first.values()):
        for (label, group, elicitation), times in described[i]:
            for name, value in zip(columns, (place, label, group, elicitation, times), strict=True):
                columns[name].append(value)
    column = {name: np.array(values, dtype=np.intp) for name, values in columns.items()}
    return replace(
        ratings,
        item=column["item"],
        label=column["label"],
        times=column["times"],
        group=None if ratings.group is None else column["group"],
        elicitation=None if ratings.elicitation is None else column["elicitation"],
        items=tuple(ratings.items[i] for i in first.values()),
        copies=np.array(list(copies.values()), dtype=np.intp),
        rater=None,
        raters=(),
        rater_count=ratings.n_raters,
    )


def _on_rated(judges, ratings):
    rated = set(ratings.items)
    kept = np.array([name in rated for name in judges.items], dtype=bool)
    return judges.where(kept[judges.item])


def _of_items(judges, names):
    wanted = set(names)
    kept = np.array([name in wanted for name in judges.items], dtype=bool)
    return judges.where(kept[judges.item])
