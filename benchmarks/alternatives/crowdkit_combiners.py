"""Majority vote and Dawid-Skene by crowd-kit: what each item's label is, and how raters err."""

import numpy as np
import pandas as pd
from answering import answer
from crowdkit.aggregation import DawidSkene, MajorityVote


def calls(problem):
    votes = pd.DataFrame({name: problem[name] for name in ("task", "worker", "label")})
    labels = list(range(problem["labels"]))
    tasks = range(problem["tasks"])

    def in_order(shares):
        return shares.reindex(index=tasks, columns=labels, fill_value=0).to_numpy().tolist()

    def majority():
        return in_order(MajorityVote().fit(votes).probas_)

    def dawid_skene():
        fitted = DawidSkene(n_iter=problem["rounds"]).fit(votes)
        errors = np.zeros((problem["workers"], len(labels), len(labels)))
        for (worker, label), given_truth in fitted.errors_.iterrows():
            errors[worker, given_truth.index.tolist(), label] = given_truth
        return {"posterior": in_order(fitted.probas_), "errors": errors.tolist()}

    return {"majority": majority, "dawid_skene": dawid_skene}


if __name__ == "__main__":
    answer(calls, ["crowd-kit", "numpy", "pandas"])
