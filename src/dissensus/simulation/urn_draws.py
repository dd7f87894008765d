"""Draw ratings and judges from an urn whose truth is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.coding import compact
from dissensus.data.labels import order_labels
from dissensus.errors import OptionError
from dissensus.results import Result
from dissensus.simulation.panels import Panel, assign_raters, draw_categories, numbered, to_normal
from dissensus.simulation.urn import Classifier, HardClassifier, SoftClassifier, Urn, reports_of, rounded, with_noise
from dissensus.simulation.urn_truth import UrnTruth, ceiling, classifier_truth, limiting_alpha, pairwise_agreement

# ---- Draw ratings and judges from an urn whose truth is known

MOST_LABELS_FOR_SETS = 16
FORCED_CHOICE, RESPONSE_SET = 0, 1


class SimulatedUrn(NamedTuple):
    """What was drawn, and from what."""

    ratings: Ratings
    judges: Judges
    truth: UrnTruth


def simulate_urn(
    urn: Urn,
    *,
    items: int,
    raters: int | tuple[int, int] | Sequence[Panel] = 10,
    classifiers: Sequence[Classifier] = (),
    samples: int = 1,
    rng: int | Generator | None = None,
) -> SimulatedUrn:
    """Ratings and judges' answers drawn from an urn, with the truth behind them.

    Parameters
    ----------
    urn : Urn
        States of items and their probabilities.
    items : int
        How many items to draw.
    raters : int, (int, int) or sequence of Panel
        How many raters rate each item: a number, a range that each item's number is drawn from, or panels of raters.
    classifiers : sequence of HardClassifier or SoftClassifier
        The judges.
    samples : int
        How many answers each judge gives to each item.
    rng : int or Generator, optional
        Seed.

    Returns
    -------
    SimulatedUrn
        `ratings`, `judges` (without an answer if there is no classifier) and `truth`.

    Examples
    --------
    >>> from dissensus.simulation.urn import HARD_CLASSIFIER, RUNNING_EXAMPLE
    >>> ratings, judges, truth = simulate_urn(
    ...     RUNNING_EXAMPLE, items=50, raters=(3, 6), classifiers=[HARD_CLASSIFIER], samples=2, rng=0
    ... )
    >>> ratings.n_items, ratings.n_raters, judges.n_answers, len(truth.state)
    (50, 6, 100, 50)
    """
    if items < 1 or samples < 1:
        raise OptionError(f"{items} items and {samples} samples: there must be at least one of each.")
    panels = _panels(raters)
    judges = tuple(sorted(classifiers, key=lambda classifier: classifier.name))
    _check_judges(urn, judges)
    stream = np.random.default_rng(rng)
    state = draw_categories(stream.random(items), np.broadcast_to(urn.weights, (items, urn.n_states)))
    names = numbered("item", items)
    return SimulatedUrn(
        ratings=_draw_ratings(stream, urn, state, panels, names),
        judges=_draw_judges(stream, urn, state, judges, samples, names),
        truth=UrnTruth(urn=urn, classifiers=judges, items=names, state=state, panels=panels),
    )


def _panels(raters: int | tuple[int, int] | Sequence[Panel]) -> tuple[Panel, ...]:
    match raters:
        case int():
            return (Panel(per_item=raters),)
        case (int(fewest), int(most)):
            return (Panel(per_item=(fewest, most)),)
    panels = tuple(panel for panel in raters if isinstance(panel, Panel))
    if len(panels) < len(raters) or not panels:
        raise OptionError("Raters must be a number, a range of two numbers, or panels.")
    twice = [panel.name for i, panel in enumerate(panels) if panel.name in [p.name for p in panels[:i]]]
    if twice:
        which = "no name" if twice[0] is None else f"the name {twice[0]!r}"
        raise OptionError(f"Two panels have {which}: name them apart.")
    return panels


def _check_judges(urn: Urn, judges: Sequence[Classifier]) -> None:
    for i, judge in enumerate(judges):
        if judge.name in [other.name for other in judges[:i]]:
            raise OptionError(f"Two classifiers are called {judge.name!r}: name them apart.")
        n_states, n_outputs = judge.outputs.shape
        if n_states != urn.n_states:
            raise OptionError(f"{judge.name} has outputs for {n_states} states, and the urn has {urn.n_states}.")
        if isinstance(judge, HardClassifier) and n_outputs != len(urn.labels):
            raise OptionError(f"{judge.name} has {n_outputs} outputs, and the urn has {len(urn.labels)} labels.")


class _Rows(NamedTuple):
    """Ratings of one panel: which options each endorses, and how it was asked."""

    item: Codes
    rater: Codes
    members: np.ndarray[tuple[int, int], np.dtype[np.bool_]] | None  # None where every rating is a single option
    choice: Codes
    elicitation: Codes
    group: Codes


def _draw_ratings(rng: Generator, urn: Urn, state: Codes, panels: Sequence[Panel], names: tuple[str, ...]) -> Ratings:
    raters = tuple(name for panel in panels for name in panel.rater_names())
    groups = tuple(panel.name or "(none)" for panel in panels)
    first = np.cumsum([0, *(panel.size for panel in panels)])
    parts = [_draw_panel(rng, urn, state, panel, first=int(first[g]), group=g) for g, panel in enumerate(panels)]
    item, rater, elicitation, group = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("item", "rater", "elicitation", "group")
    )
    label, labels = _labels(urn, parts)
    order = np.lexsort((elicitation, rater, item)) if len(parts) > 1 or panels[0].asked == "both" else slice(None)
    item_code, items = compact(item[order], names)
    rater_code, used_raters = compact(rater[order], raters)
    group_code, used_groups = compact(group[order], groups)
    has_groups = any(panel.name is not None for panel in panels)
    has_sets = any(panel.asked != "forced_choice" for panel in panels)
    return Ratings(
        item=item_code,
        items=items,
        rater=rater_code,
        raters=used_raters,
        label=label[order],
        labels=labels,
        options=urn.labels,
        scale=urn.scale,
        group=group_code if has_groups else None,
        groups=used_groups if has_groups else (),
        elicitation=elicitation[order] if has_sets else None,
    )


def _draw_panel(rng: Generator, urn: Urn, state: Codes, panel: Panel, *, first: int, group: int) -> _Rows:
    """Ratings of one panel; its raters are numbered from `first`."""
    item, rater = assign_raters(rng, panel, items=len(state))
    probabilities = urn.states[state[item]]
    choice = draw_categories(rng.random(len(item)), probabilities)
    forced = np.full(len(item), FORCED_CHOICE, dtype=np.intp)
    if panel.asked == "forced_choice":
        return _Rows(item, rater + first, None, choice, forced, np.full(len(item), group))
    if len(urn.labels) > MOST_LABELS_FOR_SETS:
        raise OptionError(f"Response sets over {len(urn.labels)} labels: at most {MOST_LABELS_FOR_SETS} are possible.")
    members = panel.rule.endorsed(rng.random(probabilities.shape), probabilities, choice)
    times = 1
    if panel.asked == "both":
        members = np.concatenate([np.eye(len(urn.labels), dtype=np.bool_)[choice], members])
        times = 2
    sets = np.full(len(item), RESPONSE_SET, dtype=np.intp)
    return _Rows(
        item=np.tile(item, times),
        rater=np.tile(rater + first, times),
        members=members,
        choice=np.tile(choice, times),
        elicitation=sets if times == 1 else np.concatenate([forced, sets]),
        group=np.full(times * len(item), group),
    )


def _labels(urn: Urn, parts: Sequence[_Rows]) -> tuple[Codes, tuple[str, ...]]:
    """Code of each rating's label, and the labels: the options, then the response sets that were given."""
    power = 1 << np.arange(len(urn.labels))
    if all(part.members is None for part in parts):
        return np.concatenate([part.choice for part in parts]), urn.labels
    masks = np.concatenate([power[part.choice] if part.members is None else part.members @ power for part in parts])
    distinct, position = np.unique(masks, return_inverse=True)
    given = [tuple(label for i, label in enumerate(urn.labels) if mask >> i & 1) for mask in distinct.tolist()]
    label_set, code_of = order_labels(given, order=urn.labels, scale=urn.scale)
    return np.array([code_of[frozenset(label)] for label in given], dtype=np.intp)[position], label_set.labels


def _draw_judges(
    rng: Generator, urn: Urn, state: Codes, judges: Sequence[Classifier], samples: int, names: tuple[str, ...]
) -> Judges:
    answers = [_draw_answers(rng, urn, state, judge, samples) for judge in judges]
    n_answers = len(state) * samples
    are_soft = any(isinstance(judge, SoftClassifier) for judge in judges)
    no_label, no_reports = np.empty(0, dtype=np.intp), np.empty((0, len(urn.labels)))
    return Judges(
        item=np.tile(np.repeat(np.arange(len(state)), samples), len(judges)),
        items=names if judges else (),
        judge=np.repeat(np.arange(len(judges)), n_answers),
        judges=tuple(judge.name for judge in judges),
        sample=np.tile(np.arange(samples), len(state) * len(judges)),
        label=np.concatenate([no_label, *(label for label, _ in answers)]),
        labels=urn.labels,
        options=urn.labels,
        probability=np.concatenate([no_reports, *(reports for _, reports in answers)]) if are_soft else None,
    )


def _draw_answers(rng: Generator, urn: Urn, state: Codes, judge: Classifier, samples: int) -> tuple[Codes, Floats]:
    """Label and probabilities of each answer, ordered by item, then sample; -1 and NaN where there is none."""
    shape = (len(state), samples)
    outputs = np.repeat(judge.outputs[state], samples, axis=0)
    fresh = draw_categories(rng.random(len(outputs)), outputs).reshape(shape)
    repeats = rng.random(shape) < judge.consistency
    signal = np.where(repeats, fresh[:, :1], fresh).ravel()
    if isinstance(judge, HardClassifier):
        return signal, np.full((len(signal), len(urn.labels)), np.nan)
    reports = reports_of(urn, judge)[signal]
    if judge.noise:
        reports = with_noise(reports, to_normal(rng.random((2, *reports.shape))), judge.noise)
    if judge.decimals is not None:
        reports = rounded(reports, judge.decimals)
    return np.full(len(signal), -1, dtype=np.intp), reports


# ---- The README that lies beside simulated data: how they were drawn, and what is true of them


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


@dataclass(frozen=True, kw_only=True)
class SimulateResult(Result):
    """What was simulated: the truth behind the data that were written."""

    command: ClassVar[str] = "simulate"

    truth: UrnTruth

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return self.truth.as_dict()

    def rows(self) -> list[dict[str, object]]:
        """One row per item: its state."""
        return self.truth.rows()
