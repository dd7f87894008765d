"""Maps from a judge's outputs to raters' shares, each learned from weighted rows.

A map takes outputs of shape (n_rows, n_labels) and returns raters' shares of the same shape. It is learned from outputs
and masses, how often each label was given after them.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.methods.equivalence.softmax import Design, Ridge, fit_softmax, softmax

Map = Callable[[Floats], Floats]
BINARY = 2  # labels
DECIMALS = 9
"""Outputs that differ by less are the same."""
NOTHING = 1e-12


def mean_shares(masses: Floats) -> Floats:
    """Share of each label, of shape (n_labels,)."""
    return np.asarray(masses.sum(axis=0) / masses.sum())


def distinct(outputs: Floats) -> tuple[Floats, Codes]:
    """The different outputs, and which of them each row has."""
    rows = np.round(outputs, DECIMALS)
    # Several times faster than np.unique by rows, whose answer it is.
    order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
    ordered = rows[order]
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(rows), dtype=np.intp)
    place[order] = np.cumsum(is_new) - 1
    return ordered[is_new], place


def sums(place: Codes, values: Floats, n_places: int) -> Floats:
    """Sum of the rows at each place, of shape (n_places, n_columns)."""
    return np.stack([np.bincount(place, weights=column, minlength=n_places) for column in values.T], axis=1)


# ---- What raters said after the very same output


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """How often each label was given after each of the different outputs."""

    outputs: Floats  # (n_outputs, n_labels)
    masses: Floats  # (n_outputs, n_labels)

    @classmethod
    def of(cls, outputs: Floats, masses: Floats) -> "Table":
        """The table of these rows."""
        different, place = distinct(outputs)
        return cls(outputs=different, masses=sums(place, masses, len(different)))

    def seen(self, outputs: Floats) -> Floats:
        """Masses after each of these outputs; zeros for one that was never seen."""
        _, code = distinct(np.concatenate([self.outputs, outputs]))
        entry = np.full(len(code), -1, dtype=np.intp)
        entry[code[: len(self.outputs)]] = np.arange(len(self.outputs))
        found = entry[code[len(self.outputs) :]]
        return np.asarray(np.where((found >= 0)[:, None], self.masses[found], 0.0))

    def __call__(self, outputs: Floats) -> Floats:
        """Mean shares after the same output; of all outputs where it was never seen."""
        return self.moved(np.broadcast_to(mean_shares(self.masses), outputs.shape), outputs, 0.0)

    def moved(self, predictions: Floats, outputs: Floats, strength: float) -> Floats:
        """Predictions moved towards what raters said after the same output; they count as this many items."""
        return moved(predictions, self.seen(outputs), strength)


def moved(predictions: Floats, masses: Floats, strength: float) -> Floats:
    """Predictions that count as this many items, moved towards those with these masses.

    >>> moved(np.array([[0.5, 0.5]]), np.array([[0.0, 2.0]]), 2.0)
    array([[0.25, 0.75]])
    """
    if np.isinf(strength):
        return predictions
    total = masses.sum(axis=1, keepdims=True) + strength
    return np.asarray(np.where(total > NOTHING, (masses + strength * predictions) / np.maximum(total, NOTHING),
                               predictions))  # fmt: skip


# ---- A rising curve or a logistic one for each label against the rest

FEW_POINTS = 2000
"""A rising curve through more points is left to scipy.optimize, which takes longer to import than fewer take here."""


def rising(values: Floats, weights: Floats) -> Floats:
    """The numbers nearest to these that nowhere fall (isotonic regression): neighbours that fall become their mean.

    Sums are taken in the order of scipy.optimize, so both ways give the same bits.

    >>> rising(np.array([0.1, 0.5, 0.3]), np.array([1.0, 1.0, 3.0]))
    array([0.1 , 0.35, 0.35])
    """
    if len(values) > FEW_POINTS:
        from scipy.optimize import isotonic_regression  # noqa: PLC0415 - takes a while to import

        return np.asarray(isotonic_regression(values, weights=weights).x)
    blocks: list[tuple[float, float, int]] = []  # mean, weight and number of points
    ahead = list(zip(values.tolist(), weights.tolist(), strict=True))[::-1]
    while ahead:
        mean, weight = ahead.pop()
        points = 1
        if blocks and blocks[-1][0] >= mean:
            before, its_weight, its_points = blocks.pop()
            total, weight, points = its_weight * before + weight * mean, weight + its_weight, points + its_points
            mean = total / weight
            while ahead and mean >= ahead[-1][0]:
                value, its_weight = ahead.pop()
                total, weight, points = total + its_weight * value, weight + its_weight, points + 1
                mean = total / weight
            while blocks and blocks[-1][0] >= mean:
                before, its_weight, its_points = blocks.pop()
                total, weight, points = total + its_weight * before, weight + its_weight, points + its_points
                mean = total / weight
        blocks.append((mean, weight, points))
    return np.repeat([mean for mean, _, _ in blocks], [points for _, _, points in blocks])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curves:
    """A rising curve for each label (isotonic regression), rescaled to sum to 1; for two labels one curve."""

    label: Codes  # (n_points,): whose point of a curve
    place: Floats  # (n_points,)
    share: Floats  # (n_points,)
    prior: Floats  # (n_labels,)
    strength: float  # how many times the curves count for one of the prior

    @classmethod
    def of(cls, outputs: Floats, masses: Floats, *, strength: float = np.inf) -> "Curves":
        """The curves that fit these rows best."""
        weight = masses.sum(axis=1)
        known = weight > 0
        label, place, share = [], [], []
        for c in _curved(outputs.shape[1]):
            x, at = np.unique(np.round(outputs[known, c], DECIMALS), return_inverse=True)
            total = np.asarray(np.bincount(at, weights=weight[known]), dtype=np.float64)
            mean = np.bincount(at, weights=masses[known, c]) / total
            label.append(np.full(len(x), c, dtype=np.intp))
            place.append(x)
            share.append(rising(np.minimum(mean, 1.0), total))
        return cls(
            label=np.concatenate(label), place=np.concatenate(place), share=np.concatenate(share),
            prior=mean_shares(masses), strength=strength,
        )  # fmt: skip

    def __call__(self, outputs: Floats) -> Floats:
        """Read off the curves, between points in a straight line."""
        each = np.stack(
            [
                np.interp(np.round(outputs[:, c], DECIMALS), self.place[own], self.share[own])
                for c, own in ((c, self.label == c) for c in _curved(outputs.shape[1]))
            ],
            axis=1,
        )
        shares = _completed(each, outputs.shape[1], self.prior)
        if np.isinf(self.strength):
            return shares
        return np.asarray((self.strength * shares + self.prior) / (self.strength + 1))


def _curved(n_labels: int) -> range:
    """The labels that have a curve: the second of two is the rest of the first."""
    return range(1, 2) if n_labels == BINARY else range(n_labels)


def _completed(each: Floats, n_labels: int, prior: Floats) -> Floats:
    if n_labels == BINARY:
        return np.concatenate([1 - each, each], axis=1)
    total = each.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, each / np.where(total > 0, total, 1), prior))


LOGIT_LIMIT = 12.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logistic:
    """Logistic regression of each label's share on the judge's log-odds of it (Platt), rescaled to sum to 1."""

    slopes: Floats  # (n_curves, 2): bias and slope
    prior: Floats  # (n_labels,)

    @classmethod
    def of(cls, outputs: Floats, masses: Floats) -> "Logistic":
        """The regressions that fit these rows best, with a light ridge."""
        ridge = Ridge(pull=np.diag([1e-6, 1e-3]), goal=np.array([0.0, 1.0]))
        slopes = []
        for c in _curved(outputs.shape[1]):
            odds = _log_odds(outputs[:, c])
            given = np.stack([masses.sum(axis=1) - masses[:, c], masses[:, c]], axis=1)
            # From the share of the label, whatever the judge says: where it is very sure the likelihood is almost flat.
            start = np.array([_log_odds(mean_shares(given)[1:])[0], 0.0])
            inputs = np.stack([np.zeros_like(odds), odds], axis=1)
            slopes.append(fit_softmax(_odds_design, inputs, np.maximum(given, 0.0), ridge, start=start))
        return cls(slopes=np.stack(slopes), prior=mean_shares(masses))

    def __call__(self, outputs: Floats) -> Floats:
        """The fitted shares."""
        pairs = zip(_curved(outputs.shape[1]), self.slopes, strict=True)
        odds = np.stack([slope[0] + slope[1] * _log_odds(outputs[:, c]) for c, slope in pairs], axis=1)
        return _completed(1 / (1 + np.exp(-odds)), outputs.shape[1], self.prior)


def _odds_design(x: Floats) -> Floats:
    """Of the label's own odds: a bias and a slope; the rest has neither."""
    return np.stack([np.stack([np.zeros(len(x)), np.ones(len(x))], axis=1), x], axis=2)


def _log_odds(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(np.log(p) - np.log1p(-p), -LOGIT_LIMIT, LOGIT_LIMIT))


# ---- Softmax regressions on the logarithms of all labels

LEAST_FLOOR = 1e-4
BIAS_RIDGE, SLOPE_RIDGE, MATRIX_RIDGE, BEND_RIDGE = 0.01, 1e-3, 1.0, 0.1
KNOTS = 10
"""Places where the bent curve may bend."""
MOST_LABELS = 10
"""With more labels than that a slope for each pair of them takes too long."""
ITEMS_PER_SLOPE = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scaling:
    """Centred logarithms of a judge's outputs, as large as 1 in the mean square."""

    floor: float  # added to every output
    size: float  # of the logarithms

    @classmethod
    def of(cls, outputs: Floats, times: Floats) -> "Scaling":
        """The scale of these outputs, each of which comes this many times."""
        positive = outputs[outputs > 0]
        floor = max(LEAST_FLOOR, float(positive.min(initial=1.0)) / 2)
        x = cls(floor=floor, size=1.0)(outputs)
        square = float(np.einsum("r,rl->", times, x * x)) / (float(times.sum()) * x.shape[1])
        return cls(floor=floor, size=float(np.sqrt(square)) if square > NOTHING else 1.0)

    def __call__(self, outputs: Floats) -> Floats:
        """The logarithms."""
        logs = np.log((outputs + self.floor) / (1 + outputs.shape[1] * self.floor))
        return np.asarray((logs - logs.mean(axis=1, keepdims=True)) / self.size)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regressions:
    """Softmax regressions on scaled logarithms x, the simplest first.

    Values of the labels are b + s x for a line, b + W x for a matrix, and b + g(x) for a bent curve g that all labels
    share. A parameter is empty where there are too few items, or too many labels, to learn it.
    """

    line: Floats  # (n_labels + 1,): biases, slope
    matrix: Floats  # (n_labels + n_labels**2,) or empty: biases, slopes
    bend: Floats  # (n_labels + 1 + n_knots,) or empty: biases, slope, changes of the slope
    knots: Floats  # (n_knots,)

    @classmethod
    def of(cls, x: Floats, masses: Floats, *, like: "Regressions | None" = None, exact: bool = False) -> "Regressions":
        """The regressions of these rows; those that `like` has, from where it is, if it is given.

        `exact` sums up as it was always done, to the last digit.
        """
        n_labels = x.shape[1]
        first = fit_softmax(_line_design, x, masses, _line_ridge(n_labels), start=None if like is None else like.line)
        if like is None:
            knots = _knots(x, masses)
            start = np.concatenate([first[:n_labels], (first[n_labels] * np.eye(n_labels)).ravel()])
            has_matrix = BINARY < n_labels <= MOST_LABELS and ITEMS_PER_SLOPE * n_labels**2 <= masses.sum()
            begin = np.concatenate([first, np.zeros(len(knots))])
        else:
            knots, start, begin, has_matrix = like.knots, like.matrix, like.bend, len(like.matrix) > 0
        matrix = bend = np.empty(0)
        if has_matrix:
            design = _matrix_design if exact else None
            matrix = fit_softmax(design, x, masses, _matrix_ridge(n_labels), start=start)
        if len(knots):
            bend = fit_softmax(_bend_design(knots), x, masses, _line_ridge(n_labels, len(knots)), start=begin)
        return cls(line=first, matrix=matrix, bend=bend, knots=knots)

    def richest(self, x: Floats) -> Floats:
        """What the matrix predicts, or the line where there is none."""
        return softmax(_matrix_design(x) @ self.matrix if len(self.matrix) else _line_design(x) @ self.line)

    def predict(self, x: Floats) -> list[Floats]:
        """What each of them predicts; the richest comes last but for the bent curve."""
        found = [softmax(_line_design(x) @ self.line)]
        found += [softmax(_matrix_design(x) @ self.matrix)] if len(self.matrix) else []
        return found + ([softmax(_bend_design(self.knots)(x) @ self.bend)] if len(self.knots) else [])


def _knots(x: Floats, masses: Floats) -> Floats:
    """Places with equal mass between them, of what is not at an end; few different places bend nowhere."""
    weight = np.repeat(masses.sum(axis=1), x.shape[1])
    values, place = np.unique(np.round(x.ravel(), DECIMALS), return_inverse=True)
    if len(values) <= KNOTS:
        return np.empty(0)
    below = np.cumsum(np.bincount(place, weights=weight)) / weight.sum()
    wanted = np.searchsorted(below, np.arange(1, KNOTS + 1) / (KNOTS + 1))
    return np.unique(values[np.clip(wanted, 1, len(values) - 2)])


def _line_design(x: Floats) -> Floats:
    """A bias for each label and one slope."""
    return np.concatenate([_biases(x), x[:, :, None]], axis=2)


def _bend_design(knots: Floats) -> Design:
    """A bias for each label, one slope, and changes of it at the knots."""
    return lambda x: np.concatenate([_line_design(x), np.maximum(x[:, :, None] - knots, 0.0)], axis=2)


def _matrix_design(x: Floats) -> Floats:
    """A bias for each label and a slope for each pair of labels."""
    n_rows, n_labels = x.shape
    slopes = np.zeros((n_rows, n_labels, n_labels, n_labels))
    each = np.arange(n_labels)
    slopes[:, each, each] = x[:, None, :]
    return np.concatenate([_biases(x), slopes.reshape(n_rows, n_labels, -1)], axis=2)


def _biases(x: Floats) -> Floats:
    return np.broadcast_to(np.eye(x.shape[1]), (*x.shape, x.shape[1]))


def _line_ridge(n_labels: int, n_knots: int = 0) -> Ridge:
    pull = np.diag([BIAS_RIDGE] * n_labels + [SLOPE_RIDGE] + [BEND_RIDGE] * n_knots)
    return Ridge(pull=pull, goal=np.zeros(len(pull)))


def _matrix_ridge(n_labels: int) -> Ridge:
    """It holds the matrix to a line: the same slope on the label itself, none on others."""
    same = np.eye(n_labels).ravel()
    pull = np.zeros((n_labels + n_labels**2,) * 2)
    pull[:n_labels, :n_labels] = BIAS_RIDGE * np.eye(n_labels)
    away = np.eye(n_labels**2) - np.outer(same, same) / n_labels
    pull[n_labels:, n_labels:] = MATRIX_RIDGE * away + SLOPE_RIDGE * np.eye(n_labels**2)
    return Ridge(pull=pull, goal=np.zeros(len(pull)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Multinomial:
    """Softmax regression on the logarithms of all labels."""

    scaling: Scaling
    regressions: Regressions

    @classmethod
    def of(cls, outputs: Floats, masses: Floats) -> "Multinomial":
        """The regression of these rows."""
        scaling = Scaling.of(outputs, masses.sum(axis=1))
        return cls(scaling=scaling, regressions=Regressions.of(scaling(outputs), masses))

    def __call__(self, outputs: Floats) -> Floats:
        """The fitted shares."""
        return self.regressions.richest(self.scaling(outputs))


# ---- The mixture of simple maps


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimpleMaps:
    """The shares of all, softmax regressions, and a rising curve for each label on the richest of them."""

    prior: Floats  # (n_labels,)
    regressions: Regressions
    curves: Curves

    @classmethod
    def of(cls, x: Floats, masses: Floats, *, like: "SimpleMaps | None" = None, exact: bool = False) -> "SimpleMaps":
        """The maps of rows with these scaled logarithms; those that `like` has, from where it is, if it is given."""
        known: Flags = masses.sum(axis=1) > 0
        x, masses = x[known], masses[known]
        regressions = Regressions.of(x, masses, like=None if like is None else like.regressions, exact=exact)
        strength = float(np.sqrt(masses.sum()))
        curves = Curves.of(regressions.richest(x), masses, strength=strength)
        return cls(prior=mean_shares(masses), regressions=regressions, curves=curves)

    def predict(self, x: Floats) -> Floats:
        """What each map predicts, of shape (n_maps, n_rows, n_labels)."""
        prior = np.broadcast_to(self.prior, x.shape)
        return np.stack([prior, *self.regressions.predict(x), self.curves(self.regressions.richest(x))])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixedMap:
    """A mixture of simple maps, moved by what raters said after the same output."""

    scaling: Scaling
    maps: SimpleMaps
    weights: Floats  # (n_maps,)
    table: Table
    strength: float  # how many items the mixture counts for beside the table; infinity for the mixture alone

    def __call__(self, outputs: Floats) -> Floats:
        """Raters' shares after these outputs."""
        mixed = np.einsum("k,krl->rl", self.weights, self.maps.predict(self.scaling(outputs)))
        return mixed if np.isinf(self.strength) else self.table.moved(mixed, outputs, self.strength)

    def parameters(self) -> dict[str, Floats]:
        """All there is to it, by name, to be written to a file: numbers, or arrays of one or two dimensions."""
        return _parameters(self)

    @classmethod
    def from_parameters(cls, parameters: dict[str, Floats]) -> "MixedMap":
        """The map that had these parameters."""
        part = {name: np.asarray(value, dtype=np.float64) for name, value in parameters.items()}
        regressions = ("line", "matrix", "bend", "knots")
        return cls(
            scaling=Scaling(floor=float(part["scaling.floor"]), size=float(part["scaling.size"])),
            maps=SimpleMaps(
                prior=part["maps.prior"],
                regressions=Regressions(**{name: part[f"maps.regressions.{name}"] for name in regressions}),
                curves=Curves(
                    label=part["maps.curves.label"].astype(np.intp), place=part["maps.curves.place"],
                    share=part["maps.curves.share"], prior=part["maps.curves.prior"],
                    strength=float(part["maps.curves.strength"]),
                ),
            ),
            weights=part["weights"],
            table=Table(outputs=part["table.outputs"], masses=part["table.masses"]),
            strength=float(part["strength"]),
        )  # fmt: skip


def _parameters(thing: MixedMap | Scaling | SimpleMaps | Regressions | Curves | Table) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if isinstance(value, Scaling | SimpleMaps | Regressions | Curves | Table):
            found |= {f"{field.name}.{name}": part for name, part in _parameters(value).items()}
        else:
            found[field.name] = np.asarray(value, dtype=np.float64)
    return found
