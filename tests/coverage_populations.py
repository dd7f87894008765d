"""Populations of items, raters and judges whose numbers are known without drawing data: ordered probit, skewed shares.

An item has a quality, one of 200 equally likely points of a normal distribution. A rater perceives it with a leniency
and a noise of their own and gives the label between whose cuts the percept lies. A judge perceives it with noise, too,
and answers once, several times, or with probabilities that are too sure or not sure enough.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from dissensus.data import Judges, Ratings

from survey_builders import names_of

QUALITY = norm.ppf((np.arange(200) + 0.5) / 200)
NODES, MASSES = (part[1:-1] for part in (np.linspace(-5, 5, 401), norm.pdf(np.linspace(-5, 5, 401)) / 40))
CUTS = {2: (0.5,), 3: (0.4, 1.3), 4: (-0.9, 0.1, 1.0), 5: (-0.3, 0.3, 0.8, 1.5)}
CLIP = 0.02


def labels_of(percept, cuts):
    """Codes of the labels that percepts fall among."""
    return np.searchsorted(np.array(cuts), percept)


def chances_of(quality, spread, cuts):
    """How likely each label is where percepts are normal around the quality, of shape (n_qualities, n_labels)."""
    below = norm.cdf((np.array([-np.inf, *cuts, np.inf]) - np.asarray(quality)[:, None]) / spread)
    return np.diff(below, axis=1)


def information(joint):
    """Mean log2 of what is predicted for a label, kept from certainty, from chances of shape (n_outputs, n_labels)."""
    posterior = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    kept = np.clip(posterior, CLIP, 1 - CLIP)
    return float((joint * np.log2(kept / kept.sum(axis=1, keepdims=True))).sum())


def samples_of(chances, m):
    """How often each label is among m samples, (n_outputs, n_labels), and how likely that is, (n_rows, n_outputs)."""
    n_labels = chances.shape[1]
    times = np.array([np.bincount(drawn, minlength=n_labels)
                      for drawn in combinations_with_replacement(range(n_labels), m)])  # fmt: skip
    ways = [math.factorial(m) / math.prod(math.factorial(t) for t in row) for row in times]
    return times, np.stack([way * np.prod(chances**row, axis=1) for way, row in zip(ways, times, strict=True)], axis=1)


@dataclass(frozen=True)
class People:
    """Raters at large, and how many of them rate which items."""

    labels: int
    raters: int
    per_item: tuple[int, int] | None = None  # fewest and most raters of an item; everybody rates all if None
    leniency: float = 0.0  # standard deviation between raters
    noise: tuple[float, ...] = (0.8,)  # each rater has one of these

    @property
    def shares(self):
        """How people at large label an item of each quality, of shape (200, n_labels)."""
        spreads = [math.hypot(self.leniency, noise) for noise in self.noise]
        return np.mean([chances_of(QUALITY, spread, CUTS[self.labels]) for spread in spreads], axis=0)

    @property
    def prior(self):
        """Share of each label."""
        return self.shares.mean(axis=0)

    @property
    def agreement(self):
        """How often two of them agree."""
        return float((self.shares**2).sum(axis=1).mean())

    @property
    def alpha(self):
        """Krippendorff's, of many items and many people."""
        chance = float((self.prior**2).sum())
        return (self.agreement - chance) / (1 - chance)

    @cache  # noqa: B019 - a few populations
    def curve(self, most):
        """Score of surveys of 0 to `most` of them."""
        found = []
        for k in range(most + 1):
            _, likely = samples_of(self.shares, k)
            found.append(information(np.einsum("zo,zl->ol", likely, self.shares) / len(QUALITY)))
        return np.array(found)

    def worth(self, judge):
        """How many of them a judge is worth, on a curve of straight lines."""
        curve, score = self.curve(self.most), judge.score(self)
        assert curve[0] < score < curve[-1]
        return float(np.interp(score, curve, np.arange(len(curve))))

    @property
    def most(self):
        """The largest survey that leaves half of the items a further rating."""
        return (self.raters if self.per_item is None else sum(self.per_item) // 2) - 1

    def draw(self, n, rng):
        """Qualities of items, and ratings by raters drawn anew."""
        quality = rng.choice(QUALITY, n)
        lenient, noise = self.leniency * rng.standard_normal(self.raters), rng.choice(self.noise, self.raters)
        if self.per_item is None:
            item, rater = (part.ravel() for part in np.indices((n, self.raters)))
        else:
            count = rng.integers(self.per_item[0], self.per_item[1] + 1, n)
            item = np.repeat(np.arange(n), count)
            rater = np.concatenate([np.sort(rng.permutation(self.raters)[:c]) for c in count])
        percept = quality[item] + lenient[rater] + noise[rater] * rng.standard_normal(len(item))
        label = labels_of(percept, CUTS[self.labels])
        names = tuple("abcde"[: self.labels])
        ratings = Ratings(item=item, rater=rater, label=label, items=names_of(n), raters=names_of(self.raters, "rater"),
                          labels=names)  # fmt: skip
        return quality, ratings


@dataclass(frozen=True)
class Judge:
    """Somebody who perceives items with noise and answers a few times, or with powers of honest probabilities."""

    noise: float
    samples: int = 1
    shift: float = 0.0
    power: float | None = None
    doubt: float = 0.5  # noise from sample to sample

    def answers(self, people):
        """Its outputs, of shape (n_outputs, n_labels), and how likely each is at each quality, (200, n_outputs)."""
        if self.power is not None:
            seen = np.linspace(QUALITY[0] - 4 * self.noise, QUALITY[-1] + 4 * self.noise, 4001)
            likely = norm.pdf((seen - QUALITY[:, None]) / self.noise)
            return self.stated(seen, people), likely / likely.sum(axis=1, keepdims=True)
        sure = chances_of(
            (QUALITY[:, None] + self.noise * NODES).ravel() + self.shift, self.doubt, CUTS[people.labels]
        )  # fmt: skip
        times, likely = samples_of(sure, self.samples)
        likely = np.einsum("znm,n->zm", likely.reshape(len(QUALITY), len(NODES), -1), MASSES)
        return times / self.samples, likely

    def stated(self, seen, people):
        """The probabilities that it gives for what it perceived, of shape (n, n_labels)."""
        weight = norm.pdf((seen[:, None] - QUALITY) / self.noise)
        honest = np.einsum("nz,zl->nl", weight / weight.sum(axis=1, keepdims=True), people.shares)
        return honest**self.power / (honest**self.power).sum(axis=1, keepdims=True)

    @cache  # noqa: B019 - a few judges
    def score(self, people):
        """What its outputs tell of a rater's label at best: the score that calibration should reach."""
        _, likely = self.answers(people)
        return information(np.einsum("zo,zl->ol", likely, people.shares) / len(QUALITY))

    @cache  # noqa: B019 - a few judges
    def accuracy(self, people):
        """Chance that a rater gives its label; of a judge that answers once."""
        chances = chances_of(QUALITY + self.shift, math.hypot(self.noise, self.doubt), CUTS[people.labels])
        return float((chances * people.shares).sum(axis=1).mean())

    def draw(self, quality, people, rng):
        """Answers on items: codes of shape (n_items, n_samples), or probabilities of shape (n_items, n_labels)."""
        seen = quality + self.noise * rng.standard_normal(len(quality))
        if self.power is not None:
            return self.stated(seen, people)
        percept = seen[:, None] + self.shift + self.doubt * rng.standard_normal((len(seen), self.samples))
        return labels_of(percept, CUTS[people.labels])


def equal_to(judge, other, people, *, by):
    """The other judge with as much noise as makes both equally good by `score`, or with as much shift by `accuracy`."""
    aim = getattr(judge, by)(people)
    if by == "accuracy":  # on the lenient side of the best shift
        best = max(np.linspace(-1, 1, 81), key=lambda shift: replace(other, shift=shift).accuracy(people))
        shift = brentq(lambda shift: replace(other, shift=shift).accuracy(people) - aim, best, best + 3)
        return replace(other, shift=shift)
    return replace(other, noise=brentq(lambda noise: replace(other, noise=noise).score(people) - aim, 0.05, 4))


def draw(people, judges, n, rng):
    """Ratings and answers of judges, by name."""
    quality, ratings = people.draw(n, rng)
    item, judge, sample, label, probability = [], [], [], [], []
    for j, one in enumerate(judges.values()):
        said = one.draw(quality, people, rng)
        m = 1 if one.power is not None else said.shape[1]
        item.append(np.repeat(np.arange(n), m))
        judge.append(np.full(n * m, j))
        sample.append(np.tile(np.arange(m), n))
        soft = one.power is not None
        label.append(np.full(n, -1) if soft else said.ravel())
        probability.append(said if soft else np.full((n * m, people.labels), np.nan))
    has_soft = any(one.power is not None for one in judges.values())
    names = tuple("abcde"[: people.labels])
    return ratings, Judges(
        item=np.concatenate(item), judge=np.concatenate(judge), sample=np.concatenate(sample),
        label=np.concatenate(label), probability=np.concatenate(probability) if has_soft else None,
        items=ratings.items, judges=tuple(judges), labels=names, options=names,
    )  # fmt: skip
