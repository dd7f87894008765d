"""Small projects that collect ratings, for tests."""

import csv

from dissensus import collect
from dissensus.data.collection import Collection

TASK = """
name = "toxicity"
instructions = "Is this comment toxic?"
options = ["No", "Yes"]
positive = ["Yes"]
elicitation = "{elicitation}"
"""


def make_project(
    place, *, items=20, raters=4, per_item=3, checks=0, elicitation="forced-choice", texts=None, **options
):
    """A project in a new folder below `place`."""
    with (place / "items.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item", "text", "check"])
        writer.writerows([f"c{i:03d}", texts[i] if texts else f"Comment number {i}", ""] for i in range(items))
        writer.writerows([f"k{i}", f"Check {i}: answer Yes", "Yes"] for i in range(checks))
    (place / "task.toml").write_text(TASK.format(elicitation=elicitation), encoding="utf-8")
    options = {"repeat_share": 0.0, "check_share": 0.0, "bootstrap": 0} | options
    folder = place / "project"
    collect(
        place / "items.csv", task=place / "task.toml", output=folder, raters=raters, ratings_per_item=per_item,
        **options,
    )  # fmt: skip
    return folder


def links(folder):
    """The token of each rater's link, by name."""
    with Collection(folder) as collection:
        return {name: rater.token for name, rater in collection.standing.raters.items() if not rater.is_dropped}
