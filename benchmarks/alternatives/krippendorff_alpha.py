"""Krippendorff's alpha by the krippendorff package, from label counts; once, and of resampled items."""

import krippendorff
import numpy as np
from answering import answer

LEVELS = ("nominal", "ordinal", "interval")


def calls(problem):
    counts, values = np.array(problem["counts"]), np.array(problem["values"], dtype=float)
    resamples = [np.array(rows) for rows in problem["resamples"]]

    def alpha(level, of=counts):
        return float(krippendorff.alpha(value_counts=of, value_domain=values, level_of_measurement=level))

    once = {level: lambda level=level: alpha(level) for level in LEVELS}
    return {**once, "resampled": lambda: [alpha("nominal", counts[rows]) for rows in resamples]}


if __name__ == "__main__":
    answer(calls, ["krippendorff", "numpy"])
