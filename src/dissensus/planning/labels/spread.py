"""Items that differ in difficulty: how often a vote is right over all of them.

A share u of the raters know the class of an item and the others guess, so that a label is right with chance
1/K + (1 - 1/K) u for K classes. Over items u has a beta distribution, given by its mean and its concentration.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

UNIFORM = 2.0
"""The concentration at which u can be uniform; taken where a pilot cannot tell."""
NODES = np.linspace(0, 1, 129)


def over_items(
    vote: Callable[[Floats], Floats], label_accuracy: Floats, *, concentration: float, classes: int
) -> Floats:
    """Mean over items of what a vote makes of the accuracy of their labels, of the shape of `label_accuracy`.

    Parameters
    ----------
    vote : callable
        From how often a label of an item is right to a number, such as how often the majority of three is.
    label_accuracy : ndarray
        How often a label is right, over all items.
    concentration : float
        Sum of the parameters of u's beta distribution; infinite if items are alike.
    classes : int
        How many classes there are.

    Examples
    --------
    Labels until one of two classes leads by two, u uniform: 4 / (1 + u^2) of them, which is pi on average.

    >>> labels = over_items(lambda q: 2 / (q**2 + (1 - q) ** 2), np.array(0.75), concentration=2.0, classes=2)
    >>> round(float(labels), 4)
    3.1416
    """
    if np.isinf(concentration):
        return np.asarray(vote(label_accuracy))
    guess = 1 / classes
    known = np.clip((label_accuracy - guess) / (1 - guess), 0, 1)
    law = beta_law(known.ravel(), np.full(known.size, concentration))
    return np.asarray(law @ vote(guess + (1 - guess) * NODES)).reshape(known.shape)


def beta_law(mean: Floats, concentration: Floats) -> Floats:
    """Beta distributions put on the nodes, with their means unchanged, of shape (n, n_nodes).

    Examples
    --------
    >>> law = beta_law(np.array([0.5]), np.array([2.0]))  # uniform
    >>> float((law @ NODES).round(6)[0]), float((law @ NODES**2).round(4)[0])
    (0.5, 0.3333)
    """
    from scipy.special import betainc  # noqa: PLC0415 - takes a while to import

    is_point = np.isinf(concentration) | (mean <= 0) | (mean >= 1)
    inner, spread = np.where(is_point, 0.5, mean), np.where(is_point, UNIFORM, concentration)
    a, b = (inner * spread)[:, None], ((1 - inner) * spread)[:, None]
    mass = np.diff(betainc(a, b, NODES), axis=1)
    part = np.diff(betainc(a + 1, b, NODES), axis=1) * inner[:, None]  # integral of u over each interval
    # What lies between two nodes is shared out between them so that its mean stays.
    upper = np.clip((part - mass * NODES[:-1]) / np.diff(NODES), 0, mass)
    law = np.zeros((len(mean), len(NODES)))
    law[:, :-1] += mass - upper
    law[:, 1:] += upper
    points = np.maximum(1 - np.abs(mean[:, None] - NODES) * (len(NODES) - 1), 0)
    return np.where(is_point[:, None], points, law)
