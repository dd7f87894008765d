"""Populations of raters and judges for whom it is known which judge is the right one to use."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd


class Population(NamedTuple):
    """Ratings and judges as tables, and what is right."""

    ratings: pd.DataFrame
    judges: pd.DataFrame
    right: frozenset[str]  # judges of which none is worse than another by .1 raters
    useless: frozenset[str]  # judges that know nothing


def _softmax(logits: np.ndarray) -> np.ndarray:
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _draw(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (p.cumsum(axis=-1) < rng.random((*p.shape[:-1], 1))).sum(axis=-1)


class Crowd:
    """Items with a distribution over labels, raters with a leaning, and tables of who said what."""

    def __init__(self, seed: int, *, n_items=250, n_labels=3, n_raters=8, per_item=5, sharp=1.6, lean=0.3) -> None:
        self.rng = np.random.default_rng(seed)
        self.labels = [str(k + 1) for k in range(n_labels)] if n_labels > 3 else list("abc")[:n_labels]
        if n_labels > 3:  # in order: a place on the scale, and noise
            self.place = self.rng.normal((n_labels - 1) * 0.6, 1.1, n_items)
            self.logits = -((np.arange(n_labels) - self.place[:, None]) ** 2) * sharp / 2
        else:
            self.logits = sharp * self.rng.standard_normal((n_items, n_labels)) + np.linspace(0.5, 0, n_labels)
        leaning = lean * self.rng.standard_normal((n_raters, n_labels))
        who = np.stack([self.rng.permutation(n_raters)[:per_item] for _ in range(n_items)])
        self.said = _draw(_softmax(self.logits[:, None, :] + leaning[who]), self.rng)
        self.who, self.n_items, self.answers = who, n_items, []

    def hard(self, name: str, answer: np.ndarray, labels=None) -> None:
        names = self.labels if labels is None else labels
        self.answers += [{"item": i, "judge": name, "label": names[a]} for i, a in enumerate(answer)]

    def noisy(self, noise: float) -> np.ndarray:
        """Somebody who sees the items' logits through noise."""
        return self.logits + noise * self.rng.standard_normal(self.logits.shape)

    def soft(self, name: str, logits: np.ndarray) -> None:
        for i, p in enumerate(_softmax(logits)):
            shares = {f"p_{label}": value for label, value in zip(self.labels, p, strict=True)}
            self.answers.append({"item": i, "judge": name, **shares})

    def done(self, right: set[str], useless: set[str] = frozenset()) -> Population:
        item, place = np.indices(self.said.shape)
        ratings = pd.DataFrame(
            {
                "item": item.ravel(),
                "rater": [f"r{self.who[i, j]:02d}" for i, j in zip(item.ravel(), place.ravel(), strict=True)],
                "label": [self.labels[k] for k in self.said.ravel()],
            }
        )
        return Population(ratings, pd.DataFrame(self.answers), frozenset(right), frozenset(useless))


def two_equal(seed: int) -> Population:
    crowd = Crowd(seed)
    for name in ("one", "other"):
        crowd.hard(name, _draw(_softmax(crowd.noisy(1.0)), crowd.rng))
    return crowd.done({"one", "other"})


def ten_useless(seed: int) -> Population:
    crowd = Crowd(seed, n_items=150)
    names = [f"coin{j}" for j in range(10)]
    for name in names:
        crowd.hard(name, crowd.rng.integers(3, size=crowd.n_items))
    return crowd.done(set(), set(names))


def with_a_constant(seed: int) -> Population:
    crowd = Crowd(seed, n_labels=2, sharp=1.0)
    crowd.hard("good", crowd.noisy(0.7).argmax(axis=1))
    crowd.hard("always", np.zeros(crowd.n_items, dtype=int))
    return crowd.done({"good"}, {"always"})


def lenient_and_good(seed: int) -> Population:
    crowd = Crowd(seed, n_labels=5)
    crowd.hard("lenient", np.clip(crowd.noisy(0.3).argmax(axis=1) + 1, 0, 4))
    crowd.hard("blurred", np.clip(crowd.logits.argmax(axis=1) + crowd.rng.integers(-2, 3, crowd.n_items), 0, 4))
    return crowd.done({"lenient"})


def sharp_and_bad(seed: int) -> Population:
    crowd = Crowd(seed)
    crowd.soft("modest", 0.5 * crowd.noisy(0.4))
    crowd.soft("sharp", 4 * crowd.noisy(2.0))
    return crowd.done({"modest"})


def other_labels(seed: int) -> Population:
    crowd = Crowd(seed)
    crowd.hard("translated", crowd.noisy(0.6).argmax(axis=1), labels=["A!", "B!", "C!"])
    crowd.hard("poor", crowd.noisy(4.0).argmax(axis=1))
    return crowd.done({"translated"})


def one_bad_rater(seed: int) -> Population:
    crowd = Crowd(seed, n_raters=8, per_item=4)
    bad = crowd.who == 0
    crowd.said = np.where(bad, crowd.rng.integers(3, size=crowd.said.shape), crowd.said)
    crowd.hard("good", crowd.noisy(0.6).argmax(axis=1))
    crowd.hard("poor", crowd.noisy(4.0).argmax(axis=1))
    return crowd.done({"good"})


def two_questions(seed: int) -> Population:
    """Pooled: each judge is good at one half and knows nothing about the other, so that they are equal in all."""
    crowd = Crowd(seed)
    half = np.arange(crowd.n_items) % 2 == 0
    coin = crowd.rng.integers(3, size=(2, crowd.n_items))
    crowd.hard("first", np.where(half, crowd.noisy(0.5).argmax(axis=1), coin[0]))
    crowd.hard("second", np.where(half, coin[1], crowd.noisy(0.5).argmax(axis=1)))
    return crowd.done({"first", "second"})


def three_raters(seed: int) -> Population:
    crowd = Crowd(seed, n_raters=3, per_item=3, n_items=200, n_labels=2, lean=0.5)
    crowd.hard("good", crowd.noisy(0.5).argmax(axis=1))
    crowd.hard("poor", crowd.noisy(4.0).argmax(axis=1))
    return crowd.done({"good"})


def thirty_raters(seed: int) -> Population:
    crowd = Crowd(seed, n_raters=30, per_item=8, n_items=150, n_labels=5)
    crowd.hard("good", crowd.noisy(0.4).argmax(axis=1))
    crowd.hard("coin", crowd.rng.integers(5, size=crowd.n_items))
    return crowd.done({"good"}, {"coin"})


POPULATIONS: tuple[Callable[[int], Population], ...] = (
    two_equal, ten_useless, with_a_constant, lenient_and_good, sharp_and_bad, other_labels, one_bad_rater,
    two_questions, three_raters, thirty_raters,
)  # fmt: skip
