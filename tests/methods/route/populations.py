"""Populations in which the best policy is known: every quantity by enumeration, in plain Python and numpy."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from dissensus.data.judges import Judges
from dissensus.data.ratings import Ratings

CLIP = 0.02


@dataclass(frozen=True)
class Population:
    """Kinds of items, how people answer each, and which signal the judge gives it."""

    share: np.ndarray  # (n_kinds,)
    people: np.ndarray  # (n_kinds, n_labels)
    signal: np.ndarray  # (n_kinds, n_signals)
    output: np.ndarray  # (n_signals, n_labels): the judge's probabilities, not calibrated

    def bits(self, k):
        """What k people tell without and with each signal: (people alone, by signal), and P(signal)."""
        joint = self.share[:, None] * self.signal
        p_signal = joint.sum(axis=0)
        given = joint / p_signal
        return (
            _bits(self.share, self.people, k),
            np.array([_bits(one, self.people, k) for one in given.T]),
            p_signal,
        )

    def best_cost(self, target, most):
        """The least cost, in ratings per item, of any policy that tells as much as this many people everywhere."""
        wanted = self.bits(target)[0]
        costs = [float(target)]
        for k in range(1, most + 1):
            _, both, p_signal = self.bits(k)
            alone = self.bits(0)[1]
            missing, asked = wanted - alone @ p_signal, 0.0
            for signal in np.argsort(alone - both):
                gain = both[signal] - alone[signal]
                if missing <= 0 or gain <= 0:
                    break
                part = min(1.0, missing / (gain * p_signal[signal]))
                asked += part * p_signal[signal]
                missing -= part * gain * p_signal[signal]
            if missing <= 1e-9:
                costs.append(k * asked)
        return min(costs)

    def draw(self, n, raters, per_item, rng):
        """Ratings by random raters who do not differ, and the judge's answers."""
        kind = rng.choice(len(self.share), size=n, p=self.share)
        signal = np.array([rng.choice(self.signal.shape[1], p=self.signal[t]) for t in kind])
        n_labels = self.people.shape[1]
        labels = tuple("abcdef"[:n_labels])
        items = tuple(f"i{i}" for i in range(n))
        who = np.concatenate([rng.choice(raters, size=per_item, replace=False) for _ in range(n)])
        label = np.concatenate([rng.choice(n_labels, size=per_item, p=self.people[t]) for t in kind])
        ratings = Ratings(
            item=np.repeat(np.arange(n), per_item), rater=who, label=label, items=items,
            raters=tuple(f"r{i}" for i in range(raters)), labels=labels, options=labels, scale="nominal",
        )  # fmt: skip
        judges = Judges(
            item=np.arange(n), judge=np.zeros(n, dtype=int), sample=np.zeros(n, dtype=int),
            label=np.full(n, -1), items=items, judges=("judge",), labels=labels, options=labels,
            probability=self.output[signal],
        )  # fmt: skip
        return ratings, judges


def _bits(share, people, k):
    """Expected log2 of the clipped Bayes prediction of one more person after k of them."""
    n_labels, total = people.shape[1], 0.0
    for survey in combinations_with_replacement(range(n_labels), k):
        y = np.bincount(survey, minlength=n_labels) if k else np.zeros(n_labels, dtype=int)
        orders = factorial(k) / prod(factorial(int(c)) for c in y)
        chance = orders * np.prod(people**y, axis=1) * share
        if chance.sum() <= 0:
            continue
        following = chance @ people
        total += following @ np.log2(clipped(following / chance.sum()))
    return float(total)


def clipped(q):
    """Probabilities kept away from 0 and 1 and rescaled, as the score does."""
    inside = np.clip(q, CLIP, 1 - CLIP)
    return inside / inside.sum()


def _outputs(population_people, share, signal):
    joint = share[:, None] * signal
    q = (joint / joint.sum(axis=0)).T @ population_people
    bent = q**1.7  # too sure of itself
    return bent / bent.sum(axis=1, keepdims=True)


def make(share, people, signal):
    """A population with a judge that is too sure of itself."""
    share, people, signal = (np.array(one, dtype=float) for one in (share, people, signal))
    return Population(share, people, signal, _outputs(people, share, signal))


# What `route` does was chosen on these.
POPULATIONS = {
    # Clear items, and contested ones that the judge tells from clear ones in part.
    "graded": make(
        [0.4, 0.2, 0.4],
        [[0.95, 0.05], [0.5, 0.5], [0.05, 0.95]],
        [[0.6, 0.25, 0.1, 0.04, 0.01], [0.1, 0.2, 0.4, 0.2, 0.1], [0.01, 0.04, 0.1, 0.25, 0.6]],
    ),
    # Where the judge is least sure people are split for good, and asking them tells little; it is where the judge is
    # fairly sure that they tell most.
    "known split": make(
        [0.45, 0.25, 0.3],
        [[0.98, 0.02], [0.5, 0.5], [0.02, 0.98]],
        [[0.4, 0.05, 0.5, 0.05], [0.02, 0.9, 0.06, 0.02], [0.05, 0.05, 0.4, 0.5]],
    ),
    "three labels": make(
        [0.3, 0.3, 0.2, 0.2],
        [[0.9, 0.08, 0.02], [0.1, 0.8, 0.1], [0.02, 0.08, 0.9], [0.4, 0.4, 0.2]],
        [[0.8, 0.1, 0.02, 0.08], [0.1, 0.7, 0.05, 0.15], [0.02, 0.08, 0.75, 0.15], [0.2, 0.2, 0.1, 0.5]],
    ),
    # A judge that guesses on a third of the items: people add most where it is sure of its answer.
    "guesses at times": make(
        [0.35, 0.2, 0.15, 0.3],
        [[0.96, 0.04], [0.7, 0.3], [0.35, 0.65], [0.06, 0.94]],
        [[0.7, 0.12, 0.05, 0.13], [0.38, 0.25, 0.12, 0.25], [0.19, 0.18, 0.23, 0.4], [0.16, 0.1, 0.06, 0.68]],
    ),
    "knows nothing": make(
        [0.5, 0.2, 0.3], [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]], [[0.3, 0.4, 0.3], [0.3, 0.4, 0.3], [0.3, 0.4, 0.3]]
    ),
}


def _with_hard_answers(population):
    """The same judge that only says its most likely label."""
    likely, place = np.unique(population.output.argmax(axis=1), return_inverse=True)
    n_labels = population.people.shape[1]
    signal = population.signal @ np.eye(len(likely))[place]
    return Population(population.share, population.people, signal, np.eye(n_labels)[likely])


TOPICS = make(
    [0.3, 0.25, 0.2, 0.15, 0.1],
    [
        [0.92, 0.03, 0.03, 0.02], [0.04, 0.9, 0.03, 0.03], [0.05, 0.05, 0.85, 0.05], [0.45, 0.45, 0.05, 0.05],
        [0.1, 0.1, 0.4, 0.4],
    ],
    [
        [0.75, 0.05, 0.05, 0.05, 0.1], [0.05, 0.75, 0.05, 0.05, 0.1], [0.05, 0.1, 0.65, 0.1, 0.1],
        [0.4, 0.4, 0.02, 0.03, 0.15], [0.05, 0.1, 0.35, 0.35, 0.15],
    ],
)  # fmt: skip
# And checked on these, made afterwards.
CHECKED = {
    "five stars": make(
        [0.15, 0.15, 0.25, 0.25, 0.2],
        [
            [0.7, 0.2, 0.06, 0.03, 0.01], [0.25, 0.45, 0.2, 0.08, 0.02], [0.05, 0.2, 0.45, 0.25, 0.05],
            [0.02, 0.06, 0.22, 0.45, 0.25], [0.01, 0.03, 0.08, 0.23, 0.65],
        ],
        [
            [0.5, 0.3, 0.15, 0.04, 0.01], [0.15, 0.4, 0.3, 0.1, 0.05], [0.05, 0.15, 0.4, 0.3, 0.1],
            [0.02, 0.05, 0.25, 0.38, 0.3], [0.01, 0.02, 0.07, 0.3, 0.6],
        ],
    ),
    "rare yes": make(
        [0.85, 0.1, 0.05],
        [[0.98, 0.02], [0.7, 0.3], [0.15, 0.85]],
        [[0.85, 0.1, 0.04, 0.01], [0.4, 0.3, 0.2, 0.1], [0.05, 0.15, 0.3, 0.5]],
    ),
    "weak judge": make(
        [0.5, 0.2, 0.3],
        [[0.92, 0.08], [0.5, 0.5], [0.1, 0.9]],
        [[0.45, 0.35, 0.2], [0.33, 0.34, 0.33], [0.2, 0.35, 0.45]],
    ),
    # People who are matched tell little of one another.
    "contested": make(
        [0.3, 0.4, 0.3], [[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]], [[0.6, 0.3, 0.1], [0.25, 0.5, 0.25], [0.1, 0.3, 0.6]]
    ),
    "topics": TOPICS,
    "hard answers": _with_hard_answers(TOPICS),
    # A judge that is nearly as good as two people.
    "detector": make(
        [0.6, 0.15, 0.25],
        [[0.97, 0.03], [0.5, 0.5], [0.04, 0.96]],
        [[0.9, 0.08, 0.02], [0.1, 0.8, 0.1], [0.03, 0.1, 0.87]],
    ),
}  # fmt: skip
