"""Import of a Label Studio export of 100,000 tasks with three annotations each: seconds and peak memory.

The goal of 20 s is that of a machine that imports numpy and duckdb in .147 s; a slower one takes longer for both.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_real import UNIT, unit

from timing import processor_seconds, report

TASKS, RATERS = 100_000, 3
MOST_SECONDS, MOST_MEGABYTES = 20, 1000
CHOICES = ("ok", "toxic", "unsure")
IMPORT = """
import resource, sys
from dissensus.data.formats.plan import ReadPlan
from dissensus.data.import_ import import_
result = import_(sys.argv[1], output=sys.argv[2])
assert result.imported.n_ratings == {ratings}, result.imported.n_ratings
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def annotation(task, rater):
    """An annotation with all that Label Studio writes beside the answer."""
    choice = CHOICES[(task * 7 + rater * 3) % len(CHOICES)]
    return {
        "id": task * RATERS + rater,
        "completed_by": rater,
        "result": [
            {
                "id": f"r{task}",
                "from_name": "label",
                "to_name": "text",
                "type": "choices",
                "value": {"choices": [choice]},
            }
        ],
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-11-15T17:56:42.257298Z",
        "updated_at": "2026-11-15T17:56:42.257328Z",
        "draft_created_at": None,
        "lead_time": 3.5,
        "prediction": {},
        "result_count": 1,
        "unique_id": "a832d7b9-6cb7-4e85-a6d4-48a9638e37a4",
        "import_id": None,
        "last_action": None,
        "bulk_created": False,
        "task": task,
        "project": 1,
        "updated_by": rater,
        "parent_prediction": None,
        "parent_annotation": None,
        "last_created_by": None,
    }


def write_export(path):
    with path.open("w") as stream:
        stream.write("[")
        for task in range(TASKS):
            record = {
                "id": task,
                "annotations": [annotation(task, rater) for rater in range(RATERS)],
                "drafts": [],
                "predictions": [],
                "data": {"text": f"message {task} " * 10, "item_id": f"i{task}"},
                "meta": {},
                "created_at": "2026-11-15T17:56:41.866362Z",
                "inner_id": task,
                "total_annotations": RATERS,
            }
            stream.write(("," if task else "") + json.dumps(record))
        stream.write("]")


def main():
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "export.json", Path(folder) / "ratings.csv"
        write_export(source)
        print(f"Label Studio export: {TASKS:,} tasks x {RATERS} annotations, {source.stat().st_size / 1e6:,.0f} MB")
        start = processor_seconds()
        command = [sys.executable, "-c", IMPORT.format(ratings=TASKS * RATERS), str(source), str(target)]
        peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        seconds = processor_seconds() - start
    kilobytes = 1 if sys.platform != "darwin" else 1 / 1024  # macOS counts bytes
    megabytes = peak * kilobytes / 1000
    is_quick = report("import / a bare import", seconds, unit(), limit=MOST_SECONDS / UNIT)
    is_small = megabytes < MOST_MEGABYTES
    print(f"peak {megabytes:,.0f} MB (under {MOST_MEGABYTES:,}: {'kept' if is_small else 'NOT KEPT'})")
    return 0 if is_quick and is_small else 1


if __name__ == "__main__":
    sys.exit(main())
