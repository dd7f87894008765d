"""Metrics of judges against people by scikit-learn: once, and of resampled items."""

import numpy as np
from answering import answer
from sklearn.metrics import accuracy_score, brier_score_loss, cohen_kappa_score, log_loss, roc_auc_score


def calls(problem):
    people, said = np.array(problem["people"]), np.array(problem["said"])
    given, probability = np.array(problem["given"]), np.array(problem["probability"])
    resamples = [np.array(rows) for rows in problem["resamples"]]

    def of_labels(rows):
        return [
            [float(accuracy_score(people[rows], judge[rows])), float(cohen_kappa_score(people[rows], judge[rows]))]
            for judge in said
        ]

    def of_probabilities(rows):
        # Each rater of an item is a case of its own.
        truth, chance = given[rows].ravel(), np.repeat(probability[rows], given.shape[1])
        scores = roc_auc_score(truth, chance), log_loss(truth, chance), brier_score_loss(truth, chance)
        return [float(score) for score in scores]

    every = np.arange(len(people))
    return {
        "labels": lambda: of_labels(every),
        "probabilities": lambda: of_probabilities(every),
        "labels_resampled": lambda: [of_labels(rows) for rows in resamples],
        "probabilities_resampled": lambda: [of_probabilities(rows) for rows in resamples],
    }


if __name__ == "__main__":
    answer(calls, ["scikit-learn", "numpy"])
