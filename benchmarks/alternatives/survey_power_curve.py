"""The survey power curve of the ABC by the authors' own package, called as in examples/paper_running_example.py."""

import pandas as pd
from answering import answer
from surveyequivalence import (
    AnalysisPipeline,
    AnonymousBayesianCombiner,
    CrossEntropyScore,
    DiscreteDistributionPrediction,
)


def calls(problem):
    labels, samples = problem["labels"], problem["samples"]
    raters = [f"rater{i}" for i in range(len(problem["ratings"][0]))]
    ratings = pd.DataFrame(problem["ratings"], columns=raters)
    predictions = pd.DataFrame(
        {"judge": [DiscreteDistributionPrediction(labels, list(row)) for row in problem["probabilities"]]}
    )

    def curve(samples):
        # Anonymous raters are their fastest way.
        pipeline = AnalysisPipeline(
            ratings,
            expert_cols=raters,
            classifier_predictions=predictions,
            combiner=AnonymousBayesianCombiner(allowable_labels=labels, W=ratings),
            scorer=CrossEntropyScore(),
            allowable_labels=labels,
            num_bootstrap_item_samples=samples,
            anonymous_raters=True,
            verbosity=0,
            procs=1,
        )
        return [float(score) for score in pipeline.expert_power_curve.means]

    return {"sampled" if samples else "curve": lambda: curve(samples)}


if __name__ == "__main__":
    answer(calls, ["surveyequivalence", "numpy", "pandas"])
