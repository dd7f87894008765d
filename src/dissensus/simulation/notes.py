"""The README that lies beside simulated data: how they were drawn, and what is true of them."""

from collections.abc import Iterable, Sequence

from dissensus.simulation.classifiers import Classifier, HardClassifier
from dissensus.simulation.panels import Panel
from dissensus.simulation.truth import UrnTruth, classifier_truth
from dissensus.simulation.truths import ceiling, limiting_alpha, pairwise_agreement
from dissensus.simulation.urn import Urn


def readme_of(truth: UrnTruth, *, title: str, about: str, made_with: str, samples: int = 1) -> str:
    """Markdown that describes simulated data.

    Parameters
    ----------
    truth : UrnTruth
        From what they were drawn.
    title, about : str
        Heading and first paragraph.
    made_with : str
        What to run to make the same data again, seed included.
    samples : int
        How many answers each judge gave to each item.
    """
    parts = [
        f"# {title}",
        about,
        f"The data are simulated, so the truth behind them is known. Made with {made_with}.",
        "## Items and raters",
        _items_sentence(truth),
        _states(truth.urn),
        *map(_panel, truth.panels),
        _agreement(truth.urn),
    ]
    if truth.classifiers:
        parts += [
            "## Judges",
            _judges_sentence(samples),
            _judges(truth),
            *filter(None, map(_remark, truth.classifiers)),
        ]
    files = "`ratings.csv`, `judges.csv`" if truth.classifiers else "`ratings.csv`"
    parts.append(f"The files: {files}, and `truth.json` with the state of each item and these numbers, exactly.")
    return "\n\n".join(parts) + "\n"


def _items_sentence(truth: UrnTruth) -> str:
    return (
        f"Each of the {len(truth.items)} items was drawn into one of {truth.urn.n_states} states. The state says which "
        "share of all raters would give which label; each rating is an independent draw from it."
    )


def _states(urn: Urn) -> str:
    rows = (
        [str(i), f"{weight:.0%}", *(f"{p:.0%}" for p in state)]
        for i, (weight, state) in enumerate(zip(urn.weights.tolist(), urn.states.tolist(), strict=True))
    )
    return _table(["state", "share of items", *urn.labels], rows)


def _panel(panel: Panel) -> str:
    fewest, most = panel.bounds
    number = f"{fewest} to {most} of {panel.size}" if fewest < most else f"{fewest} of {panel.size}"
    number = f"all {fewest}" if fewest == panel.size else number
    who = "raters" if panel.name is None else f"raters of the group `{panel.name}`"
    how = {
        "forced_choice": "gave one label each (a forced choice)",
        "response_set": "named every label that applies (a response set)",
        "both": "gave one label (a forced choice) and then named every label that applies (a response set)",
    }[panel.asked]
    rule = ""
    if panel.asked != "forced_choice":
        rule = (
            f" A response set holds the rater's own choice and, each with probability {panel.rule.chance:g}, the other "
            f"labels that at least {panel.rule.threshold:.0%} of all raters would give to such an item."
        )
    return f"Each item was rated by {number} {who}, who {how}.{rule}"


def _agreement(urn: Urn) -> str:
    return (
        f"With very many items, two forced choices would agree on {pairwise_agreement(urn):.1%} of the items, and "
        f"Krippendorff's alpha would be {limiting_alpha(urn):.3f}. Knowing the state of an item would tell "
        f"{ceiling(urn):.4f} bits about the next rater's label: no judge and no survey can tell more."
    )


def _judges_sentence(samples: int) -> str:
    times = "once" if samples == 1 else f"{samples} times"
    return (
        f"Each judge was asked {times} about each item. What is true of one answer: how often it equals a random "
        "rater's label, how many bits it tells about that label once calibrated, and how many raters tell as much."
    )


def _judges(truth: UrnTruth) -> str:
    rows = (
        [f"`{fact['judge']}`", *(_number(fact[key]) for key in ("agreement", "information", "equivalent_raters"))]
        for fact in (classifier_truth(truth.urn, classifier) for classifier in truth.classifiers)
    )
    return _table(["judge", "agreement", "bits", "worth raters"], rows)


def _remark(classifier: Classifier) -> str:
    """What the table does not say of a judge."""
    remarks = []
    if classifier.consistency:
        remarks.append(f"repeats its first answer to an item with probability {classifier.consistency:g}")
    if not isinstance(classifier, HardClassifier):
        remarks.append("answers with probabilities")
        if classifier.temperature != 1:
            sure = "too sure of itself" if classifier.temperature < 1 else "not sure enough"
            remarks.append(f"is {sure} (temperature {classifier.temperature:g})")
        if classifier.noise:
            remarks.append(f"adds noise of standard deviation {classifier.noise:g} to the logarithms")
    return f"`{classifier.name}` {_listed(remarks)}." if remarks else ""


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else ""


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
