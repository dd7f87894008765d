"""What one labelled item says about two classifiers: for the better one, for the worse one, or nothing."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.planning.labels.walk.tilted import ROUNDING, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Chances of what one item with its (combined) label says.

    Attributes
    ----------
    x, y : ndarray
        Chance that it speaks for the better classifier, and for the worse one.
    """

    x: Floats
    y: Floats

    @property
    def z(self) -> Floats:
        """Chance that it says nothing: both are right or both are wrong."""
        return np.maximum(1 - self.x - self.y, 0.0)


def independent_steps(accuracy: npt.ArrayLike, margin: npt.ArrayLike, label_accuracy: npt.ArrayLike) -> Steps:
    """Steps of two classifiers that err independently of each other and of the labels (Proposition 1).

    Parameters
    ----------
    accuracy, margin : array_like
        Accuracy of the worse classifier, and by how much the better one exceeds it.
    label_accuracy : array_like
        Chance that an item's (combined) label is right.

    Examples
    --------
    >>> steps = independent_steps(0.75, 0.1, 0.75)
    >>> round(float(steps.x), 6), round(float(steps.y), 6)
    (0.1875, 0.1375)
    """
    p, eps, q = (np.asarray(each, dtype=np.float64) for each in (accuracy, margin, label_accuracy))
    better_wrong = 1 - p - eps
    better_wrong = np.where(better_wrong <= ROUNDING, 0.0, better_wrong)  # 1 - .9 - .1 is not quite 0
    by_chance = p * better_wrong
    return Steps(x=q * eps + by_chance, y=(1 - q) * eps + by_chance)


def correlated_steps(
    worse_accuracy: npt.ArrayLike,
    better_if_worse_wrong: npt.ArrayLike,
    better_if_worse_right: npt.ArrayLike,
    label_accuracy_better: npt.ArrayLike,
    label_accuracy_worse: npt.ArrayLike,
) -> Steps:
    """Steps of two classifiers whose errors depend on each other and on the labels' (Proposition 2).

    Parameters
    ----------
    worse_accuracy : array_like
        Accuracy of the worse classifier.
    better_if_worse_wrong, better_if_worse_right : array_like
        Accuracy of the better classifier where the worse one is wrong, and where it is right.
    label_accuracy_better, label_accuracy_worse : array_like
        Chance that the label is right where only the better, where only the worse classifier is right.
    """
    p_w, p_b0, p_b1, q_b, q_w = (
        np.asarray(each, dtype=np.float64)
        for each in (
            worse_accuracy,
            better_if_worse_wrong,
            better_if_worse_right,
            label_accuracy_better,
            label_accuracy_worse,
        )
    )
    a, b = (1 - p_w) * p_b0, p_w * (1 - p_b1)
    return Steps(x=q_b * a + (1 - q_w) * b, y=(1 - q_b) * a + q_w * b)


def disagreement_steps(disagreement: npt.ArrayLike, margin: npt.ArrayLike, label_accuracy: npt.ArrayLike) -> Steps:
    """Steps of two classifiers that disagree on a known share of the items.

    Parameters
    ----------
    disagreement : array_like
        Share of the items on which they disagree; 1 if only such items are labelled (then `margin` is the margin on
        those).
    margin : array_like
        By how much the better classifier's accuracy exceeds the worse one's.
    label_accuracy : array_like
        Chance that an item's (combined) label is right.
    """
    w, eps, q = (np.asarray(each, dtype=np.float64) for each in (disagreement, margin, label_accuracy))
    x = (w + (2 * q - 1) * eps) / 2
    return Steps(x=x, y=np.maximum(w - x, 0.0))


def plurality_steps(
    only_better_right: npt.ArrayLike,
    only_worse_right: npt.ArrayLike,
    both_wrong_differently: npt.ArrayLike,
    label_accuracy: npt.ArrayLike,
    classes: int,
) -> Steps:
    """Steps of two classifiers with several classes, where a wrong label falls on the other classes alike.

    Parameters
    ----------
    only_better_right, only_worse_right, both_wrong_differently : array_like
        Shares A, B and D of the items on which the classifiers disagree in this way.
    label_accuracy : array_like
        Chance that an item's (combined) label is right.
    classes : int
        How many classes there are.
    """
    a, b, d, right = (
        np.asarray(each, dtype=np.float64)
        for each in (only_better_right, only_worse_right, both_wrong_differently, label_accuracy)
    )
    wrong = (1 - right) / (classes - 1)
    return Steps(x=right * a + wrong * (b + d), y=wrong * (a + d) + right * b)
