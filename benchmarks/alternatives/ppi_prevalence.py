"""A share corrected by prediction-powered inference: ppi-python's estimate and interval."""

import numpy as np
from answering import answer
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

WEIGHTS = {"people": 0, "ppi": 1, "ppi++": None}


def calls(problem):
    data = [np.array(problem[name]) for name in ("people", "judge", "judge_only")]

    def estimate(weight):
        value = ppi_mean_pointestimate(*data, lam=weight)
        low, high = ppi_mean_ci(*data, alpha=problem["alpha"], lam=weight)
        return [float(np.squeeze(each)) for each in (value, low, high)]

    return {name: lambda weight=weight: estimate(weight) for name, weight in WEIGHTS.items()}


if __name__ == "__main__":
    answer(calls, ["ppi-python", "numpy", "scipy"])
