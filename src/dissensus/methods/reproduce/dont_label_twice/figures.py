"""Figures 1 to 3 of "Don't Label Twice"."""

import numpy as np

from dissensus.methods.plan_labels.needed import log_cramer, log_hoeffding
from dissensus.methods.plan_labels.votes import independent_steps, majority_accuracy
from dissensus.methods.reproduce.claims import Drawing, Point
from dissensus.methods.reproduce.data import PaperData
from dissensus.methods.reproduce.dont_label_twice.numbers import (
    DELTA,
    FIGURE_1,
    FIGURE_3,
    chances_of_winning,
    cramer_rate,
    rate_of_error,
)

PAPER = "dont-label-twice"
LABELS = (1, 3, 5)
NAMES = {1: "one label", 3: "three labels", 5: "five labels", 11: "eleven labels"}
ACCURACIES = np.linspace(0.5, 1, 11)
BUDGETS = np.array([300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000])


def exact_figures(data: PaperData) -> list[Drawing]:
    """All three figures."""
    del data  # nothing but the model is needed
    return [_figure_1(), *_figure_2(), *_figure_3()]


def _figure_1() -> Drawing:
    points = []
    for bound, log_bound in (("Cramer", log_cramer), ("Hoeffding", log_hoeffding)):
        for labels in LABELS[:2]:
            combined = float(majority_accuracy(FIGURE_1["label_accuracy"], labels))
            steps = independent_steps(FIGURE_1["accuracy"], FIGURE_1["margin"], combined)
            logs = np.log(DELTA) - log_bound(steps.x, steps.y, BUDGETS // labels)
            points += [
                Point(series=f"{bound}, {NAMES[labels]}", x=float(budget), y=float(np.log10(1 + np.exp(log))))
                for budget, log in zip(BUDGETS, logs, strict=True)
            ]
    return Drawing(
        paper=PAPER,
        place="figure 1",
        title="Cramer's bound lets a benchmark rank many more classifiers than Hoeffding's",
        caption="Accuracy and label accuracy .75, margin .1, error 5%; union bound.",
        kind="logarithms",
        points=tuple(points),
        series="Bound and labels per item",
        x_title="Labels",
        y_title="Classifiers that can be ranked",
    )


def _figure_2() -> list[Drawing]:
    by_accuracy = tuple(
        Point(series=NAMES[m], x=float(q), y=float(chance))
        for m in (*LABELS, 11)
        for q, chance in zip(ACCURACIES, chances_of_winning(m, ACCURACIES, 1500), strict=True)
    )
    budgets = (1500, 3000, 6000, 9000, 12000, 15000)
    by_budget = tuple(
        Point(series=NAMES[m], x=float(budget), y=float(chances_of_winning(m, np.array([0.8]), budget)[0]))
        for m in (*LABELS, 11)
        for budget in budgets
    )
    y_title = "Better classifier found"
    return [
        _lines(
            "figure 2a",
            "One label per item finds the better classifier most often, whatever the labels' accuracy",
            "Accuracy .8, margin .01, 1,500 labels. Exact.",
            by_accuracy,
            x_title="How often a label is right",
            y_title=y_title,
        ),
        _lines(
            "figure 2b",
            "One label per item finds the better classifier most often, whatever the budget",
            "Accuracy .8, margin .01, label accuracy .8. Exact.",
            by_budget,
            x_title="Labels",
            y_title=y_title,
        ),
    ]


def _figure_3() -> list[Drawing]:
    rates = [
        Point(series=f"exact, {NAMES[m]}", x=float(budget), y=float(rate))
        for m in LABELS[:2]
        for budget, rate in zip(BUDGETS, rate_of_error(m, BUDGETS), strict=True)
    ]
    limits = [
        Point(series=f"Cramer, {NAMES[m]}", x=float(budget), y=cramer_rate(m)) for m in LABELS[:2] for budget in BUDGETS
    ]
    steps = independent_steps(FIGURE_3["accuracy"], FIGURE_3["margin"], ACCURACIES)
    bounds = [
        Point(series=name, x=float(q), y=float(log))
        for name, logs in (
            ("Cramer", log_cramer(steps.x, steps.y, 1)),
            ("Hoeffding", log_hoeffding(steps.x, steps.y, 1)),
        )
        for q, log in zip(ACCURACIES, logs, strict=True)
    ]
    return [
        _lines(
            "figure 3a",
            "The exact rates approach Cramer's, and one label has the better one",
            "Logarithm of the error per label. Label accuracy .75, accuracy .7, margin .1.",
            (*rates, *limits),
            x_title="Labels",
            y_title="Log error per label",
        ),
        _lines(
            "figure 3b",
            "Cramer's bound is far below Hoeffding's where labels are accurate",
            "Logarithm of the bound per label. Accuracy .7, margin .1, one label per item.",
            tuple(bounds),
            x_title="How often a label is right",
            y_title="Log bound per label",
        ),
    ]


def _lines(place: str, title: str, caption: str, points: tuple[Point, ...], *, x_title: str, y_title: str) -> Drawing:
    return Drawing(
        paper=PAPER,
        place=place,
        title=title,
        caption=caption,
        kind="lines",
        points=points,
        series="Labels per item" if place.startswith("figure 2") else "Rate",
        x_title=x_title,
        y_title=y_title,
    )
