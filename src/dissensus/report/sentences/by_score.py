"""By which score a number of raters was found, in words."""

_BY = {
    "pearson": "correlation (Pearson)", "spearman": "rank correlation (Spearman)", "auc": "AUC", "f1": "F1",
    "dmi": "mutual information (DMI)", "brier": "the Brier score",
}  # fmt: skip


def by_words(score: object) -> str:
    """By what a number of raters was found, as the end of a clause; empty of cross-entropy, which is the rule.

    Examples
    --------
    >>> f"worth 1.23 raters{by_words('pearson')}", f"worth 1.23 raters{by_words('cross-entropy')}"
    ('worth 1.23 raters by correlation (Pearson)', 'worth 1.23 raters')
    """
    name = "cross-entropy" if score is None else str(score)
    return "" if name == "cross-entropy" else f" by {_BY.get(name, name)}"
