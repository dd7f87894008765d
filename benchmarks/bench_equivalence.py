"""Survey equivalence against the authors' own package, in an environment of its own, and on real data.

The authors' bootstrap is timed on a few samples and divided by their number; ours on 500.
"""

import math
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd

from dissensus import equivalence, read, read_judges
from dissensus.data import types_of_matrix
from dissensus.methods.reproduce.claims import download_data
from environments import answers_of

from timing import answer_and_seconds, best_seconds, processor_seconds, report

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"
SHARED = ROOT.parent / "shared" / "data"
AUTHORS = "surveyequivalence"
AUTHORS_SAMPLES = 2
AUTHORS_SUBSETS = 200
"""The authors draw so many surveys of each size where there are more; elsewhere they take all, as we do everywhere."""
AS_THEY_DO = {"calibrate": "none", "learn": "leave-one-out", "raters": "fixed", "interval": "percentile"}
"""The combiner and the intervals of the paper: ours learn half of a score from the item itself, as judges that are
calibrated do, and allow for other raters and for how far each sample's own noise differs."""
SAME = 1e-9


def running_example():
    """The running example: as our files, in the cache, and as a problem for the authors' package."""
    wheel = ZipFile(download_data(CACHE / "papers"))
    inside = "surveyequivalence/data/running_example/"
    with wheel.open(inside + "ref_rater_labels.csv") as stream:
        ratings = pd.read_csv(stream, index_col=0).rename_axis("item").reset_index()
    with wheel.open(inside + "predictions.csv") as stream:
        cells = pd.read_csv(stream, index_col=0)["calibrated hard classifier"]
    outputs = cells.str.extract(r"\[([\d.]+), ([\d.]+)\]").astype(float)
    judges = pd.DataFrame({"item": cells.index, "judge": "soft", "p_pos": outputs[0], "p_neg": outputs[1]})
    problem = {
        "labels": ["pos", "neg"], "ratings": ratings.drop(columns="item").to_numpy().tolist(),
        "probabilities": outputs.to_numpy().tolist(), "times": 1,
    }  # fmt: skip
    folder = CACHE / "running_example"
    folder.mkdir(exist_ok=True)
    ratings.to_csv(folder / "ratings.csv", index=False)
    judges.to_csv(folder / "judges.csv", index=False)
    return folder, problem


def authors_answers(problem):
    """What the authors' package answers without and with bootstrap samples, and processor seconds of its process."""
    sampled = answers_of(AUTHORS, {**problem, "samples": AUTHORS_SAMPLES})  # first, since it may have to install them
    start = processor_seconds()
    plain = sampled and answers_of(AUTHORS, {**problem, "samples": 0})
    whole = processor_seconds() - start
    return plain, sampled, whole


def against_the_authors():
    folder, problem = running_example()
    plain, sampled, whole = authors_answers(problem)
    if not sampled:
        return []
    theirs = plain["seconds"]["curve"]
    per_sample = (sampled["seconds"]["sampled"] - theirs) / AUTHORS_SAMPLES
    files = str(folder / "ratings.csv"), str(folder / "judges.csv")
    ratings, judges = read(files[0], wide=True), read_judges(files[1])
    result, ours = answer_and_seconds(lambda: equivalence(ratings, judges, bootstrap=0, **AS_THEY_DO), times=20)
    ours_sampled = best_seconds(lambda: equivalence(ratings, judges, bootstrap=500, **AS_THEY_DO)) / 500
    command = [sys.executable, "-m", "dissensus", "equivalence", *files, "--wide", "--bootstrap", "0"]
    process = best_seconds(
        lambda: subprocess.run(command, check=True, capture_output=True), times=10, clock=processor_seconds
    )
    return [
        report(
            f"one ABC curve / {AUTHORS}", ours, theirs, limit=1 / 1000, against=AUTHORS,
            difference=apart(result.curve, plain["answers"]["curve"], raters=ratings.n_raters), tolerance=SAME,
        ),
        report(
            f"one bootstrap sample (of 500) / {AUTHORS}", ours_sampled, per_sample, limit=1 / 10_000,
            against=AUTHORS,
        ),
        report(f"one ABC curve, whole process / {AUTHORS}", process, whole, limit=1 / 30, against=AUTHORS),
    ]  # fmt: skip


def apart(curve, theirs, *, raters):
    """How far the curves are apart at the sizes at which the authors take every survey."""
    both = zip(curve, theirs, strict=True)
    return max(abs(point.score - score) for point, score in both if math.comb(raters, point.raters) <= AUTHORS_SUBSETS)


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


def many_raters():
    """350 items of 3 labels and 60 raters with 50 samples, against going through every survey in every sample.

    The difference is that of the ends of intervals, in widths of the interval.
    """
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([1.0, 0.3, 0.6], size=350)
    rows = [(item, rater, "abc"[rng.choice(3, p=own)]) for item, own in enumerate(shares) for rater in range(60)]
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
    likely = pd.DataFrame(0.6 * shares + 0.4 / 3, columns=["p_a", "p_b", "p_c"])
    judges = read_judges(likely.assign(item=range(350), judge="soft"))
    options = {"bootstrap": 50, "raters": "fixed"}
    quick, ours = answer_and_seconds(lambda: equivalence(ratings, judges, **options), times=2)
    exact, theirs = answer_and_seconds(lambda: equivalence(ratings, judges, exact=True, **options), times=1)
    return report(
        "350 items, 3 labels, 60 raters, 50 samples / the same exactly", ours, theirs, limit=1 / 2,
        difference=max(off_by(*points) for points in zip(quick.curve, exact.curve, strict=True)), tolerance=0.1,
    )  # fmt: skip


def off_by(ours, theirs):
    """The largest difference of a score or of an end of its interval, in widths of the interval."""
    pairs = [(ours.score, theirs.score), (ours.low, theirs.low), (ours.high, theirs.high)]
    return max(abs(one - other) for one, other in pairs) / (theirs.high - theirs.low)


def resampled_types(counts, seed):
    """What a bootstrap must do at least without reweighting: draw items and count their types again."""
    drawn = np.random.default_rng(seed).integers(len(counts), size=len(counts))
    return types_of_matrix(counts[drawn]).n_types


def main():
    kept = [*against_the_authors(), many_raters()]
    real_data()
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
