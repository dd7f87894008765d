"""Survey equivalence against the authors' own package, in an environment of its own, and on real data.

The authors' bootstrap is timed on a few samples and divided by their number; ours on 500.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd

from dissensus import equivalence, read, read_judges
from dissensus.papers.download import download_data
from dissensus.ratings import types_of_matrix

from timing import best_seconds, report

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"
SHARED = ROOT.parent / "shared" / "data"
AUTHORS_SAMPLES = 2
AUTHORS = "surveyequivalence==0.1.3"


def authors_python():
    """Python with the authors' package, which needs numpy 1.24 and so Python 3.11."""
    folder = CACHE / "authors"
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"Installing {AUTHORS} into an environment of its own", flush=True)
        subprocess.run(["python3.11", "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "-qq", "install", AUTHORS], check=True)
    return python


def authors_seconds(samples):
    """Seconds that the authors' package takes: computing alone, and the whole process."""
    script = Path(__file__).with_name("authors_curve.py")
    start = time.perf_counter()
    done = subprocess.run(
        [str(authors_python()), str(script), str(samples)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])["seconds"], time.perf_counter() - start


def running_example():
    """The running example as our files, in the cache."""
    wheel = ZipFile(download_data(CACHE / "papers"))
    inside = "surveyequivalence/data/running_example/"
    with wheel.open(inside + "ref_rater_labels.csv") as stream:
        ratings = pd.read_csv(stream, index_col=0).rename_axis("item").reset_index()
    with wheel.open(inside + "predictions.csv") as stream:
        cells = pd.read_csv(stream, index_col=0)["calibrated hard classifier"]
    outputs = cells.str.extract(r"\[([\d.]+), ([\d.]+)\]").astype(float)
    judges = pd.DataFrame({"item": cells.index, "judge": "soft", "p_pos": outputs[0], "p_neg": outputs[1]})
    folder = CACHE / "running_example"
    folder.mkdir(exist_ok=True)
    ratings.to_csv(folder / "ratings.csv", index=False)
    judges.to_csv(folder / "judges.csv", index=False)
    return folder


def against_the_authors():
    folder = running_example()
    ratings, judges = read(folder / "ratings.csv", wide=True), read_judges(folder / "judges.csv")
    curve, whole = authors_seconds(0)
    sampled, _ = authors_seconds(AUTHORS_SAMPLES)
    per_sample = (sampled - curve) / AUTHORS_SAMPLES
    command = [
        sys.executable,
        "-m",
        "dissensus",
        "equivalence",
        str(folder / "ratings.csv"),
        str(folder / "judges.csv"),
        "--wide",
    ]
    ours = best_seconds(lambda: equivalence(ratings, judges, bootstrap=0), times=20)
    ours_sampled = best_seconds(lambda: equivalence(ratings, judges, bootstrap=500)) / 500
    process = best_seconds(lambda: subprocess.run([*command, "--bootstrap", "0"], check=True, capture_output=True))
    return [
        report("one ABC curve: ours / the authors' package", ours, curve, limit=1 / 1000),
        report(
            "one bootstrap sample (of 500): ours / the authors' package", ours_sampled, per_sample, limit=1 / 10_000
        ),
        report("one ABC curve, whole process: ours / the authors' package", process, whole, limit=1 / 30),
    ]


def real_data():
    """Wikipedia attacks with 500 bootstrap samples, against one pass of plain numpy over its items."""
    if not SHARED.exists():
        print("wiki_attacks: skipped, the folder with real ratings is not here")
        return
    ratings = read(SHARED / "wiki_attacks" / "ratings.csv.gz")
    judges = read_judges(SHARED / "wiki_attacks" / "judges.csv")
    counts = ratings.counts()
    report(
        "wiki_attacks, 23,178 items, 500 samples / 500 plain resamplings of the items",
        best_seconds(lambda: equivalence(ratings, judges), times=2),
        best_seconds(lambda: [resampled_types(counts, seed) for seed in range(20)], times=1) * 25,
    )


def resampled_types(counts, seed):
    """What a bootstrap must do at least without reweighting: draw items and count their types again."""
    drawn = np.random.default_rng(seed).integers(len(counts), size=len(counts))
    return types_of_matrix(counts[drawn]).n_types


def main():
    kept = against_the_authors()
    real_data()
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
