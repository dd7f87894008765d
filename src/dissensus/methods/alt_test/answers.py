"""What raters and a judge answered, as far as the test can use it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import Aligned, Responses, align, answers_to, elicitations_in, other_scale
from dissensus.data.closeness import Signs, accuracies, nearnesses, set_likeness, similarities
from dissensus.data.ratings import Elicitation
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.methods.alt_test.options import Question, Score

# ---- What raters and a judge answered, as far as the test can use it

MOST_NUMBERS = 200_000_000
"""Shares of more items times labels are refused."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Ratings by known raters, and judges on the same labels.

    Attributes
    ----------
    ratings : Ratings
        One rating of each rater and item.
    rater : ndarray of shape (n_ratings,)
        Codes into `ratings.raters`.
    panel : Aligned
        What the judges answered.
    names : tuple of str
        The judges to test.
    warnings : tuple of str
        What was left out or mended.
    """

    ratings: Ratings
    rater: Codes
    panel: Aligned
    names: tuple[str, ...]
    warnings: tuple[str, ...]


def answers_of(ratings: Ratings, judges: Judges, question: Question) -> Answers:
    """The answers that the question is about; an error that says why where there are none."""
    if ratings.copies is not None:
        raise RatingsError(
            "The alternative annotator test asks who rated, which is lost where alike items were put together: read "
            "the files without reducing them."
        )
    if ratings.rater is None:
        raise RatingsError(
            "The alternative annotator test leaves out one rater after the other, but these ratings do not say who "
            "gave them: name the column of raters with --rater, or ask `dissensus equivalence` instead."
        )
    names = tuple(judges.judges) if question.judge is None else question.judge
    chosen = judges.only(names).on_items_of(ratings)
    ratings, chosen, mended = _of_one_elicitation(ratings, chosen, question.score)
    _check_repeats(ratings)
    panel = align(ratings, chosen)
    _check_score(ratings, panel, names, question)
    found = (*ratings.warnings, *chosen.warnings, *panel.warnings, *mended)
    if ratings.rater is None:  # for the type checker: it was there above
        raise RatingsError("The ratings do not say who gave them.")
    return Answers(ratings=ratings, rater=ratings.rater, panel=panel, names=names, warnings=tuple(dict.fromkeys(found)))


def _of_one_elicitation(ratings: Ratings, judges: Judges, score: Score) -> tuple[Ratings, Judges, list[str]]:
    """Forced choices or response sets, where the ratings have both: sets for similarity, choices for the others."""
    if not {0, 1} <= elicitations_in(ratings):
        return ratings, judges, []
    wanted: Elicitation = "response_set" if score == "similarity" else "forced_choice"
    kept = ratings.of_elicitation(wanted)
    compared_ones = counted(kept.n_ratings, wanted.replace("_", " "))
    said = [f"The ratings hold forced choices and response sets: --score {score} compares the {compared_ones}."]
    asked = answers_to(judges, kept, wanted)
    if silent := [name for name in judges.judges if name not in asked.judges]:
        raise JudgesError(
            f"--score {score} compares {wanted.replace('_', ' ')}s, and {listed(silent)} gave none to the items that "
            "people rated so: name the judges to test with --judge, or choose another score."
        )
    return kept, replace(asked, warnings=judges.warnings), said


def _check_repeats(ratings: Ratings) -> None:
    key = ratings.item * max(1, len(ratings.raters)) + (0 if ratings.rater is None else ratings.rater)
    if len(np.unique(key)) == len(key):
        return
    order = np.sort(key)
    first = int(order[1:][order[1:] == order[:-1]][0])
    item, rater = ratings.items[first // len(ratings.raters)], ratings.raters[first % len(ratings.raters)]
    raise RatingsError(
        f"{rater} rated the item {item} more than once: keep one rating with --repeats first or --repeats last."
    )


def _check_score(ratings: Ratings, panel: Aligned, names: Sequence[str], question: Question) -> None:
    if question.score == "similarity" and len(ratings.items) * len(panel.labels) > MOST_NUMBERS:
        raise OptionError(
            f"--score similarity cannot compare {len(panel.labels):,} labels on {counted(ratings.n_items, 'item')}: "
            "choose accuracy, or rmse for numbers."
        )
    if question.score != "rmse":
        return
    if not panel.has_numbers:
        why = "response sets among them" if ratings.has_response_sets else f"on a {ratings.scale} scale"
        raise OptionError(
            f"--score rmse needs numbers, but the labels are {listed(ratings.labels)}, {why}: choose accuracy or "
            "similarity, or give their order with --labels."
        )
    for name in names:
        if not np.isfinite(panel.judges[name].value).all():
            raise OptionError(f"--score rmse needs numbers, but {name} gave other labels: choose accuracy.")
        reason = None if question.same_scale else other_scale(panel, name)
        if reason is not None:
            raise OptionError(
                f"--score rmse compares answers with labels, but {name} is on another scale: {reason}. "
                "Put it on the raters' scale, or say --same-scale if that is wrong."
            )


# ---- What a judge says of each item, as one answer that can stand beside a rater's


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Said:
    """One answer to each item, as the score needs it.

    Attributes
    ----------
    label : ndarray of shape (n_items,)
        For accuracy: the most frequent label, the first of several; -1 where there is no answer.
    value : ndarray of shape (n_items,)
        For rmse: the mean answer, on an ordinal scale the label nearest to it, as a rater would have to answer.
    shares : ndarray of shape (n_items, n_labels)
        For similarity: the share of each label.
    is_tied : ndarray of shape (n_items,)
        Where several labels are equally frequent.
    """

    label: Codes
    value: Floats
    shares: Floats
    is_tied: Codes


NO_CODES = np.empty(0, dtype=np.intp)
NO_NUMBERS = np.empty(0)


def said_by(answers: Answers, name: str, score: Score) -> Said:
    """What one judge says."""
    said, n_items = answers.panel.judges[name], answers.ratings.n_items
    if score == "accuracy":
        label, is_tied = _most_frequent(said, n_items, len(answers.panel.labels))
        return Said(label=label, value=NO_NUMBERS, shares=NO_NUMBERS, is_tied=is_tied)
    no_ties = np.zeros(n_items, dtype=np.intp)
    if score == "rmse":
        value = _on_scale(_means(said, n_items), answers)
        return Said(label=NO_CODES, value=value, shares=NO_NUMBERS, is_tied=no_ties)
    return Said(label=NO_CODES, value=NO_NUMBERS, shares=_shares(said, answers), is_tied=no_ties)


def constant(answers: Answers, score: Score) -> tuple[Said, str]:
    """Somebody who says the same of every item, what most ratings say, without looking; and what that is."""
    ratings, n_items = answers.ratings, answers.ratings.n_items
    code = int(np.bincount(ratings.label, minlength=ratings.n_labels).argmax())
    value, name = NO_NUMBERS, ratings.labels[code]
    if score == "rmse":
        middle = _on_scale(np.array([answers.panel.values[ratings.label].mean()]), answers)
        value, name = np.repeat(middle, n_items), f"{middle[0]:.3g}"
    shares = np.zeros((n_items if score == "similarity" else 0, len(answers.panel.labels)))
    shares[:, code] = 1
    no_ties = np.zeros(n_items, dtype=np.intp)
    return Said(label=np.full(n_items, code), value=value, shares=shares, is_tied=no_ties), name


def compared(answers: Answers, said: Said, rows: Codes, score: Score) -> tuple[Floats, Floats]:
    """How close judge and rater are to the others, on these rows of the ratings, whose items the judge answered."""
    item, label = answers.ratings.item[rows], answers.ratings.label[rows]
    if score == "accuracy":
        return accuracies(item, label, said.label, len(answers.panel.labels))
    if score == "rmse":
        return nearnesses(item, answers.panel.values[label], said.value)
    return similarities(item, label, said.shares, set_likeness(answers.panel.labels, answers.ratings.options))


def _means(said: Responses, n_items: int) -> Floats:
    """The mean answer to each item; NaN where there is none."""
    total = np.bincount(said.item, weights=said.share * said.value, minlength=n_items)
    return np.asarray(np.divide(total, said.sizes, out=np.full(n_items, np.nan), where=said.sizes > 0))


def _on_scale(values: Floats, answers: Answers) -> Floats:
    """Numbers as a rater could give them: on an ordinal scale the nearest label, the lower one of two."""
    if answers.panel.scale != "ordinal":
        return values
    labels = np.sort(answers.panel.values)
    nearest = labels[np.searchsorted((labels[1:] + labels[:-1]) / 2, values)]
    return np.where(np.isfinite(values), nearest, np.nan)


def _shares(said: Responses, answers: Answers) -> Floats:
    """The judge's answer to each item as shares of labels, of shape (n_items, n_labels)."""
    n_items, n_labels = answers.ratings.n_items, len(answers.panel.labels)
    total = np.bincount(said.item * n_labels + said.place, weights=said.share, minlength=n_items * n_labels)
    return np.asarray(total.reshape(n_items, n_labels) / np.maximum(said.sizes, 1)[:, None])


def _most_frequent(said: Responses, n_items: int, n_labels: int) -> tuple[Codes, Codes]:
    """The label with the largest share of each item, the first of several; -1 where there is none; whether it tied."""
    cell, inverse = np.unique(said.item * n_labels + said.place, return_inverse=True)
    share = np.bincount(inverse, weights=said.share).round(12)
    item, label = cell // n_labels, cell % n_labels
    order = np.lexsort((label, -share, item))
    item, label, share = item[order], label[order], share[order]
    is_first = np.r_[True, item[1:] != item[:-1]]
    found, tied = np.full(n_items, -1, dtype=np.intp), np.zeros(n_items, dtype=np.intp)
    found[item[is_first]] = label[is_first]
    follows = np.flatnonzero(~is_first)
    second = follows[is_first[follows - 1]]
    tied[item[second]] = share[second] == share[second - 1]
    return found, tied


# ---- How often the judge, and how often the rater, is closer to the other raters: all that the tests need to know

ROUNDING = 1e-9
"""Two scores that are closer count as equal, relative to the largest: the same sum in another order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The items of one rater, by who is closer to the others.

    Attributes
    ----------
    judge_closer, alike, rater_closer : int
        Items on which d = W_h - W_f is -1, 0 and 1.

    Examples
    --------
    >>> tally = Tally(judge_closer=2, alike=5, rater_closer=3)
    >>> tally.items, tally.mean, tally.judge_at_least_as_close, tally.rater_at_least_as_close
    (10, 0.1, 0.7, 0.8)
    """

    judge_closer: int
    alike: int
    rater_closer: int

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.judge_closer + self.alike + self.rater_closer

    @property
    def differing(self) -> int:
        """On how many items one of the two is closer."""
        return self.judge_closer + self.rater_closer

    @property
    def mean(self) -> float:
        """Mean of d."""
        return (self.rater_closer - self.judge_closer) / self.items

    @property
    def variance(self) -> float:
        """Variance of d, with one less than the items below the line."""
        return (self.differing - self.items * self.mean**2) / (self.items - 1)

    @property
    def judge_at_least_as_close(self) -> float:
        """Mean of W_f: the chance that the judge is at least as close to the others as the rater."""
        return (self.judge_closer + self.alike) / self.items

    @property
    def rater_at_least_as_close(self) -> float:
        """Mean of W_h: the chance that the rater is at least as close to the others as the judge."""
        return (self.rater_closer + self.alike) / self.items


def sides(judge_score: Floats, rater_score: Floats) -> Signs:
    """Values of d, one for each rating: -1 where the judge is closer to the others, 1 where the rater is, else 0."""
    lead = rater_score - judge_score
    largest = max((float(np.abs(scores).max(initial=0)) for scores in (judge_score, rater_score)), default=0.0)
    return np.where(np.abs(lead) <= ROUNDING * largest, 0, np.sign(lead)).astype(np.intp)


def tallies_of(d: Signs, rater: Codes, n_raters: int) -> list[Tally]:
    """One tally for each rater."""
    table = np.bincount(rater * 3 + d + 1, minlength=3 * n_raters).reshape(n_raters, 3)
    return [Tally(judge_closer=int(a), alike=int(b), rater_closer=int(c)) for a, b, c in table]
