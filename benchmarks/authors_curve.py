"""Time the authors' own package on its running example; run by bench_equivalence.py in an environment of its own."""

import json
import sys
import time
from pathlib import Path

import pandas as pd
import surveyequivalence
from surveyequivalence import (
    AnalysisPipeline,
    AnonymousBayesianCombiner,
    CrossEntropyScore,
    DiscreteDistributionPrediction,
)

LABELS = ["pos", "neg"]


def main():
    folder = Path(surveyequivalence.__file__).parent / "data" / "running_example"
    ratings = pd.read_csv(folder / "ref_rater_labels.csv", index_col=0)
    column = "calibrated hard classifier"
    cells = pd.read_csv(folder / "predictions.csv", index_col=0)[[column]]
    outputs = cells[column].str.extract(r"\[([\d.]+), ([\d.]+)\]").astype(float)
    predictions = pd.DataFrame(
        {column: [DiscreteDistributionPrediction(LABELS, list(row)) for row in outputs.to_numpy()]}, index=cells.index
    )
    # Called as in the authors' own examples/paper_running_example.py, which is their fastest way.
    start = time.perf_counter()
    pipeline = AnalysisPipeline(
        ratings,
        expert_cols=list(ratings.columns),
        classifier_predictions=predictions,
        combiner=AnonymousBayesianCombiner(allowable_labels=LABELS, W=ratings),
        scorer=CrossEntropyScore(),
        allowable_labels=LABELS,
        num_bootstrap_item_samples=int(sys.argv[1]),
        anonymous_raters=True,
        verbosity=0,
        procs=1,
    )
    seconds = time.perf_counter() - start
    curve = pipeline.expert_power_curve.means
    print(json.dumps({"seconds": seconds, "curve": [float(c) for c in curve]}))


if __name__ == "__main__":
    main()
