"""Ratings and judges drawn from an urn, and what is true of them.

The paper's numbers for its running example are section 2 (footnote 3) and the last paragraph of section 4.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.coding import compact
from dissensus.data.labels import order_labels
from dissensus.errors import OptionError
from dissensus.simulation.panels import (
    FORCED_CHOICE,
    RESPONSE_SET,
    Panel,
    Simulated,
    Truth,
    assign_raters,
    check_draws,
    draw_categories,
    markdown_table,
    numbered,
    to_normal,
)
from dissensus.simulation.urn import (
    Classifier,
    HardClassifier,
    SoftClassifier,
    Urn,
    joint_with_label,
    reports_of,
    rounded,
    with_noise,
)

# ---- What is true of an urn, exactly: by formula or by enumeration, never by drawing. Logarithms are to base 2: bits

MOST_SURVEYS = 200_000  # how many different surveys to enumerate before we give up


def prior_score(urn: Urn) -> float:
    """Expected cross-entropy score, in bits, of always predicting the prior: E(c_0)."""
    return float(times_log2(urn.prior, urn.prior).sum())


def omniscient_score(urn: Urn) -> float:
    """Expected cross-entropy score, in bits, of a classifier that knows the state of each item."""
    return float(urn.weights @ times_log2(urn.states, urn.states).sum(axis=1))


def ceiling(urn: Urn) -> float:
    """Bits that the state tells about a random rater's label: no survey and no classifier can gain more."""
    return mutual_information(urn.states * urn.weights[:, None])


def classifier_information(urn: Urn, classifier: Classifier) -> float:
    """Bits that one answer of a classifier tells about a random rater's label, once it is calibrated.

    Noise on a soft classifier's report does not count: this is the information in its signal.
    """
    return mutual_information(joint_with_label(urn, classifier))


def classifier_score(urn: Urn, classifier: SoftClassifier) -> float:
    """Expected cross-entropy score, in bits, of a soft classifier's reports; NaN if they are noisy or rounded.

    A report of 0 for a label that raters give scores minus infinity.
    """
    if classifier.noise or classifier.decimals is not None:
        return math.nan
    return float(times_log2(joint_with_label(urn, classifier), reports_of(urn, classifier)).sum())


def classifier_agreement(urn: Urn, classifier: HardClassifier) -> float:
    """Probability that one answer of a hard classifier equals a random rater's label."""
    return float(np.trace(joint_with_label(urn, classifier)))


def survey_information(urn: Urn, raters: int) -> float:
    """Bits that the labels of this many raters tell about the next rater's label: what an ideal combiner gains."""
    surveys = label_counts(raters, len(urn.labels))
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log2(np.arange(1, raters + 1)))])
    ways = log_factorial[raters] - log_factorial[surveys].sum(axis=1)
    log_likelihood = times_log2(surveys[:, None, :], urn.states[None, :, :]).sum(axis=2)
    in_state = np.exp2(ways[:, None] + log_likelihood) * urn.weights
    return mutual_information(in_state @ urn.states)


def equivalent_raters(urn: Urn, gain: float, *, most: int = 50) -> float:
    """How many raters gain this many bits, interpolated linearly; NaN if below 0 or beyond that of `most` raters."""
    if not gain >= 0:
        return math.nan
    before = 0.0
    for raters in range(1, most + 1):
        after = survey_information(urn, raters)
        if after >= gain:
            return raters - 1 + (gain - before) / (after - before) if after > before else 0.0
        before = after
    return math.nan


def pairwise_agreement(urn: Urn) -> float:
    """Probability that two raters give the same label to a random item."""
    return float(urn.weights @ (urn.states**2).sum(axis=1))


def limiting_alpha(urn: Urn) -> float:
    """Krippendorff's nominal alpha of very many items; NaN if only one label is ever given.

    >>> from dissensus.simulation.urn import RUNNING_EXAMPLE
    >>> round(limiting_alpha(RUNNING_EXAMPLE), 4)  # (.69 - .5338) / (1 - .5338)
    0.335
    """
    by_chance = float((urn.prior**2).sum())
    return (pairwise_agreement(urn) - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan


def times_log2(x: npt.NDArray[np.generic], p: Floats) -> Floats:
    """The product of x and log2(p): 0 where x is 0, whatever p is, and -inf where only p is 0.

    >>> times_log2(np.array([0.0, 2.0, 1.0]), np.array([0.0, 0.5, 0.0])).tolist()
    [0.0, -2.0, -inf]
    """
    amount, share = np.broadcast_arrays(x.astype(np.float64), p)
    log = np.log2(share, out=np.full(share.shape, -np.inf), where=share > 0)
    product = np.zeros(share.shape)
    np.multiply(amount, log, out=product, where=amount > 0)
    return product


def mutual_information(joint: Floats) -> float:
    """Bits that rows tell about columns."""
    if_independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    ratio = np.divide(joint, if_independent, out=np.ones_like(joint), where=joint > 0)
    return max(0.0, float((joint * np.log2(ratio)).sum()))


def label_counts(raters: int, n_labels: int) -> Codes:
    """All ways to share this many ratings among the labels, of shape (n_ways, n_labels)."""
    ways = math.comb(raters + n_labels - 1, n_labels - 1)
    if ways > MOST_SURVEYS:
        raise OptionError(f"Surveys of {raters} raters with {n_labels} labels come out in {ways:,} ways, too many to "
                          f"enumerate: ask for fewer raters (the limit is {MOST_SURVEYS:,}).")  # fmt: skip
    # Stars and bars: where the n_labels - 1 bars stand among the raters.
    bars = itertools.combinations(range(raters + n_labels - 1), n_labels - 1)
    flat = np.fromiter(itertools.chain.from_iterable(bars), dtype=np.intp, count=ways * (n_labels - 1))
    inner = flat.reshape(ways, n_labels - 1)
    edges = np.column_stack([np.full(ways, -1), inner, np.full(ways, raters + n_labels - 1)])
    return np.diff(edges, axis=1) - 1


# ---- The truth behind simulated data, as plain values for a file beside them

DECIMALS = 6  # rounded, so that the same truth is the same file on every machine

MOST_RATERS = 50  # how far a survey is followed to find how many raters a classifier is worth


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UrnTruth(Truth):
    """From what the data were drawn: the urn, its judges by name, the items, the state of each, and the raters."""

    urn: Urn
    classifiers: tuple[Classifier, ...]
    items: tuple[str, ...]
    state: Codes
    panels: tuple[Panel, ...]

    def rows(self) -> list[dict[str, object]]:
        """One row per item: its name and its state."""
        return [{"item": item, "state": state} for item, state in zip(self.items, self.state.tolist(), strict=True)]

    def as_dict(self) -> dict[str, object]:
        """The urn, what is true of it, what is true of each classifier, and the state of each item.

        Agreement and information are those of forced choices. A number that is undefined is None.
        """
        most = sum(panel.bounds[1] for panel in self.panels)
        return {
            "urn": self.urn.as_dict(),
            "exact": {
                "prior": dict(zip(self.urn.labels, _rounded(self.urn.prior.tolist()), strict=True)),
                "prior_score": _plain(prior_score(self.urn)),
                "omniscient_score": _plain(omniscient_score(self.urn)),
                "ceiling": _plain(ceiling(self.urn)),
                "survey_information": _rounded(_survey_curve(self.urn, most=most)),
                "pairwise_agreement": _plain(pairwise_agreement(self.urn)),
                "krippendorff_alpha_nominal": _plain(limiting_alpha(self.urn)),
            },
            "classifiers": [classifier_truth(self.urn, classifier) for classifier in self.classifiers],
            "states": dict(zip(self.items, self.state.tolist(), strict=True)),
        }


def classifier_truth(urn: Urn, classifier: Classifier) -> dict[str, object]:
    """What is true of one answer of a classifier.

    >>> from dissensus.simulation.urn import HARD_CLASSIFIER, RUNNING_EXAMPLE
    >>> classifier_truth(RUNNING_EXAMPLE, HARD_CLASSIFIER)["information"]
    0.130367
    """
    information = classifier_information(urn, classifier)
    most = next(k for k in range(MOST_RATERS, 0, -1) if _n_surveys(k, len(urn.labels)) <= MOST_SURVEYS)
    is_hard = isinstance(classifier, HardClassifier)
    return {
        "judge": classifier.name,
        "kind": "hard" if is_hard else "soft",
        "agreement": _plain(classifier_agreement(urn, classifier)) if isinstance(classifier, HardClassifier) else None,
        "score": None if isinstance(classifier, HardClassifier) else _plain(classifier_score(urn, classifier)),
        "information": _plain(information),
        "equivalent_raters": _plain(equivalent_raters(urn, information, most=most)),
    }


def _survey_curve(urn: Urn, *, most: int) -> list[float]:
    """Bits gained by surveys of 0, 1, ... raters, as far as they can be enumerated."""
    sizes = [k for k in range(most) if _n_surveys(k, len(urn.labels)) <= MOST_SURVEYS]
    return [survey_information(urn, k) for k in sizes]


def _n_surveys(raters: int, n_labels: int) -> int:
    return math.comb(raters + n_labels - 1, n_labels - 1)


def _rounded(values: Sequence[float]) -> list[float | None]:
    return [_plain(value) for value in values]


def _plain(value: float) -> float | None:
    return round(value, DECIMALS) + 0.0 if math.isfinite(value) else None


# ---- Draw ratings and judges from an urn whose truth is known

MOST_LABELS_FOR_SETS = 16


def simulate_urn(
    urn: Urn, *, items: int, raters: int | tuple[int, int] | Sequence[Panel] = 10,
    classifiers: Sequence[Classifier] = (), samples: int = 1, rng: int | Generator | None = None,
) -> Simulated[UrnTruth]:  # fmt: skip
    """Ratings and judges' answers drawn from an urn, with the truth behind them.

    `urn`: states of items and their probabilities. `items`: how many items to draw. `raters`: how many raters rate each
    item: a number, a range that each item's number is drawn from, or panels of raters. `classifiers`: the judges.
    `samples`: how many answers each judge gives to each item. `rng`: seed. Returns `ratings`, `judges` (without an
    answer if there is no classifier) and `truth`.

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
    check_draws(items, max(samples * len(judges), *(panel.bounds[1] for panel in panels)))
    stream = np.random.default_rng(rng)
    state = draw_categories(stream.random(items), np.broadcast_to(urn.weights, (items, urn.n_states)))
    names = numbered("item", items)
    return Simulated(
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
        item=item_code, items=items, rater=rater_code, raters=used_raters, label=label[order], labels=labels,
        options=urn.labels, scale=urn.scale, group=group_code if has_groups else None,
        groups=used_groups if has_groups else (), elicitation=elicitation[order] if has_sets else None,
    )  # fmt: skip


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
        item=np.tile(item, times), rater=np.tile(rater + first, times), members=members, choice=np.tile(choice, times),
        elicitation=sets if times == 1 else np.concatenate([forced, sets]), group=np.full(times * len(item), group),
    )  # fmt: skip


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
        item=np.tile(np.repeat(np.arange(len(state)), samples), len(judges)), items=names if judges else (),
        judge=np.repeat(np.arange(len(judges)), n_answers), judges=tuple(judge.name for judge in judges),
        sample=np.tile(np.arange(samples), len(state) * len(judges)),
        label=np.concatenate([no_label, *(label for label, _ in answers)]), labels=urn.labels, options=urn.labels,
        probability=np.concatenate([no_reports, *(reports for _, reports in answers)]) if are_soft else None,
    )  # fmt: skip


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
    """Markdown that describes simulated data; `made_with` says what to run to make them again, seed included."""
    urn, times = truth.urn, "once" if samples == 1 else f"{samples} times"
    states = enumerate(zip(urn.weights.tolist(), urn.states.tolist(), strict=True))
    rows = ([str(i), f"{weight:.0%}", *(f"{p:.0%}" for p in state)] for i, (weight, state) in states)
    parts = [
        f"# {title}",
        about,
        f"The data are simulated, so the truth behind them is known. Made with {made_with}.",
        "## Items and raters",
        (
            f"Each of the {len(truth.items)} items was drawn into one of {urn.n_states} states. The state says which "
            "share of all raters would give which label; each rating is an independent draw from it."
        ),
        markdown_table(["state", "share of items", *urn.labels], rows),
        *map(_panel, truth.panels),
        (
            f"With very many items, two forced choices would agree on {pairwise_agreement(urn):.1%} of the items, and "
            f"Krippendorff's alpha would be {limiting_alpha(urn):.3f}. Knowing the state of an item would tell "
            f"{ceiling(urn):.4f} bits about the next rater's label: no judge and no survey can tell more."
        ),
    ]
    if truth.classifiers:
        parts += [
            "## Judges",
            (
                f"Each judge was asked {times} about each item. What is true of one answer: how often it equals a "
                "random rater's label, how many bits it tells about that label once calibrated, and how many raters "
                "tell as much."
            ),
            _judges(truth),
            *filter(None, map(_remark, truth.classifiers)),
        ]
    files = "`ratings.csv`, `judges.csv`" if truth.classifiers else "`ratings.csv`"
    parts.append(f"The files: {files}, and `truth.json` with the state of each item and these numbers, exactly.")
    return "\n\n".join(parts) + "\n"


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


def _judges(truth: UrnTruth) -> str:
    facts = [classifier_truth(truth.urn, classifier) for classifier in truth.classifiers]
    numbers = ([fact[key] for key in ("agreement", "information", "equivalent_raters")] for fact in facts)
    cells = ([f"{value:.3f}" if isinstance(value, float) else "" for value in values] for values in numbers)
    rows = ([f"`{fact['judge']}`", *row] for fact, row in zip(facts, cells, strict=True))
    return markdown_table(["judge", "agreement", "bits", "worth raters"], rows)


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
    *first, last = remarks or [""]
    return f"`{classifier.name}` {' and '.join(filter(None, [', '.join(first), last]))}." if remarks else ""
