"""How the cost of each question grows with items, raters, labels, judges, bootstrap samples, questions and slices.

Each size is doubled five times while the others stay; the exponent is fitted to the last points, and where cost should
be linear or less, a clearly larger one fails. Seconds are of processor time, which other work on the machine hardly
changes.
"""

import sys
import time
from dataclasses import dataclass

import numpy as np

from dissensus import alt_test, compare, decide, describe, equivalence, gate, panel, prevalence, route
from dissensus import items as hard_items
from dissensus import judges as rank_judges
from dissensus import raters as rank_raters
from dissensus.data.questions import pooled_judges, pooled_ratings
from dissensus.data.slices import sliced, slicing_of
from dissensus.methods.equivalence.calibration import _remembered
from growth import doubled, exponent
from populations import drawn
from recording import record

from timing import best_seconds

LINEAR = 1.3
"""Not 1: the last doublings outgrow the processor's caches, and a busy machine adds its share."""
USUAL = {"items": 500, "raters": 5, "labels": 3, "judges": 3, "bootstrap": 200, "slices": 1, "questions": 1}
ANSWERS = 5
"""Of each judge to each item."""
TOP_SURVEY = 4
"""The largest survey: how far the curve goes is the user's choice, and not a matter of how many raters there are."""
CLIP = 0.001
"""Cross-entropy's usual .02 is too much for the 64 labels."""


@dataclass(frozen=True)
class Case:
    """What grows from which size, and the largest exponent that is no fault, with the reason for one above linear."""

    question: str
    grows: str
    smallest: int
    limit: float = LINEAR
    why: str = ""


CASES = (
    Case("describe", "items", 2000),
    Case("describe", "raters", 4),
    Case("describe", "labels", 2),
    Case("describe", "bootstrap", 500),
    Case("equivalence", "items", 500),
    Case("equivalence", "raters", 5),
    Case(
        "equivalence", "labels", 2, limit=2.0, why="more labels make more surveys that differ, each predicts them all"
    ),
    Case("equivalence", "judges", 2),
    Case("equivalence", "bootstrap", 100),
    Case("equivalence", "slices", 1),
    Case("rank_judges", "items", 500),
    Case("rank_judges", "raters", 4),
    Case("rank_judges", "labels", 2),
    Case("rank_judges", "judges", 2),
    Case("rank_judges", "bootstrap", 200),
    Case("compare", "items", 500),
    Case("compare", "raters", 4),
    Case("compare", "labels", 2),
    Case("compare", "judges", 2),
    Case("compare", "bootstrap", 1000),
    Case("alt_test", "items", 500),
    Case("alt_test", "raters", 4),
    Case("alt_test", "labels", 2),
    Case("alt_test", "judges", 2),
    Case("panel", "items", 250),
    Case("panel", "raters", 4),
    Case("panel", "judges", 2),
    Case("panel", "bootstrap", 100),
    Case("decide", "items", 250),
    Case("decide", "raters", 4),
    Case("decide", "labels", 2),
    Case("decide", "judges", 2),
    Case("decide", "bootstrap", 100),
    Case("decide", "slices", 1),
    Case("decide", "questions", 1),
    Case("raters", "items", 250),
    Case("raters", "raters", 4),
    Case("prevalence", "items", 500),
    Case("prevalence", "judges", 2),
    Case("gate", "items", 500),
    Case("items", "items", 500),
    Case("items", "judges", 2),
    Case("route", "items", 500),
    Case("route", "bootstrap", 100),
)


def call_of(question, sizes):
    """The question asked of made-up data of these sizes."""
    ratings, judges = drawn(
        np.random.default_rng(0), samples=ANSWERS, items=sizes["items"], raters=sizes["raters"],
        labels=sizes["labels"], judges=sizes["judges"],
    )  # fmt: skip
    samples = sizes["bootstrap"]
    if sizes["questions"] > 1:
        asked = [f"question {i}" for i in range(sizes["questions"])]
        ratings, judges = pooled_ratings(dict.fromkeys(asked, ratings)), pooled_judges(dict.fromkeys(asked, judges))
    if sizes["slices"] > 1:
        kinds = {item: f"kind {i % sizes['slices']}" for i, item in enumerate(ratings.items)}
        ratings = sliced(ratings, slicing_of("kind", kinds))
    calls = {
        "describe": lambda: describe(fresh(ratings), bootstrap=samples),
        "equivalence": lambda: equivalence(fresh(ratings), judges, bootstrap=samples, max_raters=TOP_SURVEY, clip=CLIP),
        "rank_judges": lambda: rank_judges(fresh(ratings), judges, positive=ratings.labels[0], bootstrap=samples),
        # The first judge and each other: as many pairs as judges.
        "compare": lambda: compare(
            fresh(ratings), judges, a="judge-0", metric="mae", resamples=samples, bootstrap=samples
        ),
        "alt_test": lambda: alt_test(fresh(ratings), judges),
        "panel": lambda: panel(fresh(ratings), judges, bootstrap=samples),
        "decide": lambda: decide(fresh(ratings), judges, bootstrap=samples),
        "raters": lambda: rank_raters(fresh(ratings), bootstrap=samples),
        "prevalence": lambda: prevalence(fresh(ratings), judges, positive=ratings.labels[0]),
        "gate": lambda: gate(fresh(ratings), judges, judge="judge-0", min_equivalence=1, bootstrap=samples),
        "items": lambda: hard_items(fresh(ratings), judges),
        "route": lambda: route(fresh(ratings), judges, judge="judge-0", bootstrap=samples),
    }
    return calls[question]


def fresh(ratings):
    """The ratings, with nothing kept of what an earlier call counted or calibrated: both are part of the cost."""
    ratings.__dict__.pop("_histogram", None)
    _remembered.cache_clear()
    return ratings


def measured(case, *, times=2):
    """Seconds at each size."""
    sizes = doubled(case.smallest)
    calls = [call_of(case.question, {**USUAL, case.grows: size}) for size in sizes]
    return sizes, [best_seconds(call, times=times, clock=time.process_time) for call in calls]


def main():
    kept = []
    for case in CASES:
        sizes, seconds = measured(case)
        power = exponent(sizes, seconds)
        is_kept = power <= case.limit
        verdict = f"  (at most {case.limit:g}: {'kept' if is_kept else 'NOT KEPT'})"
        times = " ".join(f"{each * 1000:.0f}" for each in seconds)
        what = f"{case.question}, {case.grows} {sizes[0]:,} to {sizes[-1]:,}"
        print(f"{what:<42} {times:>34} ms  exponent {power:5.2f}{verdict}", flush=True)
        record(
            "growth", question=case.question, grows=case.grows, sizes=sizes, seconds=seconds, exponent=power,
            limit=case.limit, kept=is_kept, usual=USUAL, why=case.why,
        )  # fmt: skip
        kept.append(is_kept)
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
