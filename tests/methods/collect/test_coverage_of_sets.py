"""F' from a collection whose raters click by a known rule: does its interval hold the truth as often as it says?"""

import numpy as np
import pytest

from dissensus import collect, judges
from dissensus.data.collection import Collection, Event, new_key

from collect_project import make_project

SETS = (("No",), ("Yes",), ("No", "Yes"))
MEAN_SETS = np.array([0.5, 0.2, 0.3])  # of items' response sets, which differ from item to item
CHOOSES_NO = np.array([1.0, 0.0, 0.7])  # P(No | set)
ITEMS, RATERS, PER_ITEM, RUNS = 60, 6, 5, 300


def truth():
    """P(set | choice) over items: Bayes, from how sets occur and how a choice is made within one."""
    joint = np.array([CHOOSES_NO * MEAN_SETS, (1 - CHOOSES_NO) * MEAN_SETS])
    return joint / joint.sum(axis=1, keepdims=True)


def click(folder, rng):
    """Every rater answers everything: a set drawn from the item's, a choice within it."""
    by_item = rng.dirichlet(4 * MEAN_SETS, size=ITEMS)
    with Collection(folder) as collection:
        events = []
        for rater, slots in collection.plan.slots.items():
            for number, slot in enumerate(slots):
                drawn = rng.choice(3, p=by_item[slot.item])
                choice = "No" if rng.random() < CHOOSES_NO[drawn] else "Yes"
                body = {"choice": choice, "set": list(SETS[drawn]), "seconds": 1.0, "order": ""}
                events.append(Event(key=new_key(), kind="answer", rater=rater, slot=number, body=body))
        collection.add(events)


@pytest.mark.slow
def test_the_interval_of_the_reverse_matrix_holds_the_truth(tmp_path, trust):
    expected, held, runs = truth(), [], trust.sets(RUNS)
    for run in range(runs):
        place = tmp_path / str(run)
        place.mkdir()
        folder = make_project(place, items=ITEMS, raters=RATERS, per_item=PER_ITEM, elicitation="both", rng=run)
        click(folder, np.random.default_rng(run))
        collect(folder, bootstrap=0)
        answers = "".join(f"c{i:03d},coin,{('No', 'Yes')[i % 2]}\n" for i in range(ITEMS))
        (place / "judges.csv").write_text("item,judge,label\n" + answers, encoding="utf-8")
        found = judges(folder / "data" / "ratings.csv", place / "judges.csv", rng=run).reverse_matrix
        assert found.paired_by == "rater"
        order = [found.response_sets.index("|".join(one)) for one in SETS]
        low, high = (np.array(bound)[:, order] for bound in (found.low, found.high))
        # Whoever chose No never ticked Yes alone: of each row the share of both options says all.
        held.append([(low[k, 2] <= expected[k, 2] <= high[k, 2]) for k in (0, 1)])
    share = np.mean(held)
    trust.keep("coverage", "judges: what people tick beside their choice", share, 2 * runs, data="collected answers")
    # Two cells a run, nearly independent: a standard error of .009, a third of what .95 is away from either end.
    assert 0.92 <= share <= 0.98, np.mean(held, axis=0)
