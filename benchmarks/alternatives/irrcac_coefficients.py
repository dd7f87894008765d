"""Gwet's AC1, Fleiss' kappa and Krippendorff's alpha by irrCAC, from a table of items and raters."""

import pandas as pd
from answering import answer
from irrCAC.raw import CAC

NAMES = {"gwet_ac1": "gwet", "fleiss_kappa": "fleiss", "krippendorff_alpha": "krippendorff"}
DIGITS = 12


def calls(problem):
    table = pd.DataFrame(problem["ratings"])

    def coefficient(name):
        # A fresh object each time: it counts the labels when it is made.
        made = CAC(table, categories=problem["values"], digits=DIGITS)
        return float(getattr(made, name)()["est"]["coefficient_value"])

    return {ours: lambda name=theirs: coefficient(name) for ours, theirs in NAMES.items()}


if __name__ == "__main__":
    answer(calls, ["irrCAC", "numpy", "pandas", "scipy"])
