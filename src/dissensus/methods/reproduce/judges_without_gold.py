"""Guerdan and others: "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels".

Its theorems 3.3 and 3.4, Lemma B.1 and Appendix C; then what it prints about five judges whose ratings are not
published (Figures 7 and 8, Tables 3 and 4). None of that can be computed anew, but the printed numbers can be checked
against each other, and something follows from them.
"""

import itertools
from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.judges.definitions import PER_ITEM
from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.simulation import indeterminate_model as model
from dissensus.simulation.indeterminate import FULLY_SPECIFIED, UNDERSPECIFIED
from dissensus.simulation.indeterminate_model import Indeterminacy, draw_population

PAPER = "judges-without-gold"
CLAIMS: list[Claim] = []
MODEL = Part(CLAIMS, PAPER, "theorems and appendix C")
SMALL = 1e-9
LEMMA_CASES = 300

# Appendix C, as printed.
PEOPLE_1, Z_1, W_1 = (0.6, 0.3, 0.1), (0.8, 0.1, 0.1), (0.5, 0.4, 0.1)
PEOPLE_2, Z_2, W_2 = (0.4, 0.5, 0.1), (0.0, 0.6, 0.4), (0.4, 0.5, 0.1)
CHOICE_PEOPLE_2, CHOICE_JUDGES_2 = ((1, 0, 0), (0, 1, 1)), ((1, 0, 1), (0, 1, 0))


@MODEL.always("theorem 3.3")
def decomposition_holds() -> float:
    """Share of items whose response sets come back from forced choices through F' and E'."""
    kept = []
    for seed, (options, sets) in enumerate((*FULLY_SPECIFIED, *UNDERSPECIFIED)):
        drawn = draw_population(
            Indeterminacy(n_options=options, n_sets=sets, error=0.3, skew=1.0, gamma=1.0), judges=0, rng=seed
        )
        given = model.recalled_sets(drawn.soft, model.reverse_choice(drawn.choice, drawn.observed, drawn.members))
        in_mind = model.recalled_sets(given, model.reverse_error(drawn.error, drawn.stable))
        kept.append(np.abs(in_mind - drawn.stable).max(axis=1) < SMALL)
    return float(np.mean(np.concatenate(kept)))


@MODEL.always("theorem 3.4")
def identifiable_if_specified() -> float:
    """Share of tasks in which forced choices determine response sets if and only if it is fully specified."""
    kept = []
    for options in (2, 3, 4):
        for sets in range(options, 2**options):
            drawn = draw_population(Indeterminacy(n_options=options, n_sets=sets, gamma=1.0), items=5, judges=0, rng=0)
            ranks = np.linalg.matrix_rank(drawn.choice)
            kept.append(((ranks == sets) == (options == sets)).all())
    return float(np.mean(kept))


class Terms(NamedTuple):
    """Of Lemma B.1, averaged over items.

    By how much judge z is worse than w by MSE, without (star) and with (real) people's error, and
    q = (theta* - theta)' M (theta_w - theta_z), M = Lambda' Lambda.
    """

    star: float
    real: float
    q: float

    @property
    def is_kept(self) -> bool:
        """Whether error leaves the ranking as it is."""
        return bool(np.sign(self.star) == np.sign(self.real))

    @property
    def says_printed(self) -> bool:
        """The printed condition."""
        return bool(np.sign(self.q) == np.sign(self.star))

    @property
    def says_corrected(self) -> bool:
        """The condition that follows from the printed proof: q sign(delta*) < |delta*| / 2."""
        return bool(self.q * np.sign(self.star) < abs(self.star) / 2)


@cache
def lemma_cases() -> tuple[Terms, ...]:
    """People, two judges and an error, drawn at random, on one item or on four."""
    members, found = model.response_sets(3), []
    gram = members.astype(float) @ members.T.astype(float)
    for seed, items in itertools.product(range(LEMMA_CASES), (1, 4)):
        rng = np.random.default_rng(seed)
        stable, z, w = rng.dirichlet(np.ones(len(members)), size=(3, items))
        given = stable @ model.error_matrix(members, rng.random(), rng.choice([-1, 0, 1])).T
        star, real = (_error(people, z) - _error(people, w) for people in (stable, given))
        found.append(Terms(star, real, float(np.einsum("iu,uv,iv->i", stable - given, gram, w - z).mean())))
    return tuple(case for case in found if abs(case.star) > SMALL)


def _error(people: Floats, judge: Floats) -> float:
    members = model.response_sets(3)
    return float(((model.endorsements(people, members) - model.endorsements(judge, members)) ** 2).sum(axis=1).mean())


MODEL.always(
    "lemma B.1",
    differs="It fails in both directions. The proof asks for the sign of what error adds, where its size decides: "
    "it must not exceed |delta*| / 2. With that condition the lemma holds.",
    what="Share of cases in which the printed condition holds if and only if error keeps the ranking of two judges.",
)(lambda: float(np.mean([case.says_printed == case.is_kept for case in lemma_cases()])))  # fmt: skip
MODEL.always(
    "lemma B.1, corrected",
    what="The same for q sign(delta*) < |delta*| / 2, which follows from the printed expansions of delta and delta*.",
)(lambda: float(np.mean([case.says_corrected == case.is_kept for case in lemma_cases()])))  # fmt: skip


# ---- Appendix C


def hit_of(judge: Sequence[float], people: Sequence[float]) -> float:
    """Hit rate on one item."""
    one_hot = np.eye(len(people))
    return float(PER_ITEM["hit_rate"](one_hot[np.argmax(judge)], one_hot[np.argmax(people)]))


def divergence(people: Sequence[float] | Floats, judge: Sequence[float] | Floats) -> float:
    """KL divergence of a judge from people on one item."""
    return float(PER_ITEM["kl_human_judge"](np.asarray(judge), np.asarray(people)))


def soft_of(theta: Sequence[float], choice: Sequence[Sequence[int]]) -> Floats:
    """Forced choices of example 2."""
    return model.forced_choices(np.array(choice), np.array(theta))


def endorsed(theta: Sequence[float]) -> Floats:
    """How often each option is endorsed in example 2."""
    return model.endorsements(np.array(theta), model.response_sets(2))


def squared_error(theta: Sequence[float]) -> float:
    """MSE of a judge's endorsements in example 2."""
    return float(PER_ITEM["mse_response_set"](endorsed(theta), endorsed(PEOPLE_2)))


SUM_OF_SQUARES = (
    "Lambda theta of judge z is (.4, 1.0), as option 2 is in both of its sets; printed is (.4, .6), and .01 follows."
)
ARGMAX = "The first option has the largest share of all three: (.6, .3, .1), (.8, .1, .1) and (.5, .4, .1)."
ITEM, NATS, ENDORSED, SUMMED = "On the one item.", "In nats.", "Share of response sets with it.", "Summed over options."
MODEL.printed("appendix C.1, hit rate of z", 1, decimals=1, what=ITEM)(lambda: hit_of(Z_1, PEOPLE_1))
MODEL.printed("appendix C.1, hit rate of w", 0, decimals=1, what=ITEM, differs=ARGMAX)(lambda: hit_of(W_1, PEOPLE_1))
for _judge, _answers, _published in (("z", Z_1, 0.15), ("w", W_1, 0.02)):
    _why = "Printed to two decimals, cut off rather than rounded (.157 as .15)."
    MODEL.within(f"appendix C.1, KL of {_judge}", _published, 0.01, _why, what=NATS)(
        partial(divergence, PEOPLE_1, _answers)
    )


@MODEL.always(
    "appendix C.1, an inversion",
    differs=f"{ARGMAX} With w = (.44, .46, .10) the example shows what it is to show.",
)
def example_1_inverts() -> float:
    """Whether hit rate prefers z and KL prefers w (1 is yes)."""
    prefers_z = hit_of(Z_1, PEOPLE_1) > hit_of(W_1, PEOPLE_1)
    return float(prefers_z and divergence(PEOPLE_1, Z_1) > divergence(PEOPLE_1, W_1))


MODEL.printed("appendix C.2, people choose option 2", 0.6, decimals=1, what="Share of forced choices.")(
    lambda: float(soft_of(PEOPLE_2, CHOICE_PEOPLE_2)[1])
)


def _kl_2(judge: Sequence[float]) -> float:
    return divergence(soft_of(PEOPLE_2, CHOICE_PEOPLE_2), soft_of(judge, CHOICE_JUDGES_2))


MODEL.printed("appendix C.2, people endorse option 1", 0.5, decimals=1, what=ENDORSED)(
    lambda: float(endorsed(PEOPLE_2)[0])
)
MODEL.printed("appendix C.2, z endorses option 2", 0.6, decimals=1, what=ENDORSED, differs=SUM_OF_SQUARES)(
    lambda: float(endorsed(Z_2)[1])
)
MODEL.printed("appendix C.2, KL of z", 0, decimals=2, what=NATS)(lambda: _kl_2(Z_2))
MODEL.printed("appendix C.2, KL of w", 0.02, decimals=2, what=NATS)(lambda: _kl_2(W_2))
MODEL.printed("appendix C.2, MSE of z", 0.01, decimals=2, what=SUMMED, differs=SUM_OF_SQUARES)(
    lambda: squared_error(Z_2)
)
MODEL.printed("appendix C.2, MSE of w", 0, decimals=2, what=SUMMED)(lambda: squared_error(W_2))
MODEL.always("appendix C.2, an inversion", what="Whether KL prefers z and MSE prefers w (1 is yes).")(
    lambda: float(_kl_2(Z_2) < _kl_2(W_2) and squared_error(Z_2) > squared_error(W_2))
)


BETAS = (0.0, 0.1, 0.2, 0.3, 0.4)
PRINTED_CLAIMS: list[Claim] = []
PRINTED = Part(PRINTED_CLAIMS, PAPER, "what the printed numbers say")
Row = tuple[float | None, ...]  # one number for each beta; None where the table does not have the judge

# Table 3, of which Figure 7 is a part: consistency of a judge at tau = .5, and what selecting it costs.
CONSISTENCY: dict[str, Row] = {
    "Sonnet 3.5": (0.61, 0.66, 0.68, 0.55, 0.42),
    "Mistral Small": (0.06, 0.26, 0.52, 0.84, 1.00),
    "Mistral Large": (0.27, 0.38, 0.58, 0.75, 0.77),
    "GPT 4o Mini": (None, None, None, 0.64, None),
    "GPT 3.5 Turbo": (None, None, None, 0.79, 0.96),
}
REDUCTION: dict[str, Row] = {
    "Sonnet 3.5": (0.0, 0.0, 0.0, -0.29, -0.58),
    "Mistral Small": (-0.55, -0.40, -0.16, 0.0, 0.0),
    "Mistral Large": (-0.34, -0.28, -0.10, -0.09, -0.23),
    "GPT 4o Mini": (None, None, None, -0.20, None),
    "GPT 3.5 Turbo": (None, None, None, -0.05, -0.04),
}
BEST_CONSISTENCY: Row = (0.61, 0.66, 0.68, 0.84, 1.00)

# Table 4: absolute bias of the prevalence that a judge finds, and what selecting it costs.
BIAS: dict[str, Row] = {
    "Sonnet 3.5": (0.37, 0.17, 0.09, 0.42, 0.58),
    "Mistral Small": (0.94, 0.74, 0.49, 0.16, 0.01),
    "Mistral Large": (0.71, 0.51, 0.26, 0.07, 0.24),
    "GPT 4o Mini": (None, None, None, 0.16, None),
    "GPT 3.5 Turbo": (None, None, None, 0.12, 0.05),
}
INCREASE: dict[str, Row] = {
    "Sonnet 3.5": (0.0, 0.0, 0.0, 0.35, 0.57),
    "Mistral Small": (0.57, 0.57, 0.40, 0.09, 0.0),
    "Mistral Large": (0.34, 0.34, 0.17, 0.0, 0.23),
    "GPT 4o Mini": (None, None, None, 0.09, None),
    "GPT 3.5 Turbo": (None, None, None, 0.05, 0.04),
}
LEAST_BIAS: Row = (0.37, 0.17, 0.09, 0.07, 0.01)

OWN_BETA = {  # finding 6: the sensitivity parameter that each judge's own answers give
    "Sonnet 3.5": 0.32,
    "Mistral Small": 0.44,
    "GPT 3.5 Turbo": 0.04,
    "GPT 4o Mini": 0.06,
    "Mistral Large": 0.11,
}

ROUNDED = 0.01 + 1e-9  # how far the difference of two numbers printed to two decimals may be from a third


def _cells(table: dict[str, Row]) -> list[tuple[str, float, float]]:
    """Judge, beta and number of every cell."""
    return [
        (judge, beta, value)
        for judge, row in table.items()
        for beta, value in zip(BETAS, row, strict=True)
        if value is not None
    ]


def relative_loss(beta: float, better: str, worse: str) -> float:
    """How much less consistent a judge is than another, as a share."""
    at = BETAS.index(beta)
    first, second = CONSISTENCY[better][at], CONSISTENCY[worse][at]
    return 0.0 if first is None or second is None else (first - second) / first


_SONNET = partial(relative_loss, 0.3, "Mistral Small", "Sonnet 3.5")
PRINTED.within(
    "abstract, judges selected by existing approaches",
    0.34,
    0.01,
    'From Table 3; "34%" is cut off, finding 6 has 34.5%.',
    what="How much less consistent the judge is that hit rate selects, at beta .3.",
)(_SONNET)
PRINTED.printed(
    "finding 6, Sonnet 3.5 at beta .3",
    0.345,
    decimals=3,
    why="; from Table 3",
    what="How much less consistent than Mistral Small.",
)(_SONNET)
PRINTED.printed(
    "finding 5, Mistral Small at beta 0",
    0.90,
    decimals=2,
    why="; from Table 3",
    what="How much less consistent than Sonnet 3.5.",
)(partial(relative_loss, 0.0, "Sonnet 3.5", "Mistral Small"))


def _differences_agree(table: dict[str, Row], best: Row, printed: dict[str, Row]) -> float:
    """Share of the printed differences from the best judge that are the differences of the printed numbers."""
    at = dict(zip(BETAS, best, strict=True))
    differences = {(judge, beta): value for judge, beta, value in _cells(printed)}
    kept = [
        abs(value - (at[beta] or 0.0) - differences[judge, beta]) <= ROUNDED for judge, beta, value in _cells(table)
    ]
    return float(np.mean(kept))


PRINTED.always(
    "table 3, reductions", what="Share of the printed reductions that are differences of the printed consistencies.",
)(lambda: _differences_agree(CONSISTENCY, BEST_CONSISTENCY, REDUCTION))  # fmt: skip
PRINTED.always("table 4, increases", what="Share of the printed increases that are differences of the printed biases.")(
    lambda: _differences_agree(BIAS, LEAST_BIAS, INCREASE)
)


@PRINTED.always("tables 3 and 4, bias and consistency")
def bias_within_errors() -> float:
    """Share of judges whose bias does not exceed the share of items that they decide otherwise."""
    bias = {(judge, beta): value for judge, beta, value in _cells(BIAS)}
    kept = [bias[judge, beta] <= 1 - value + ROUNDED for judge, beta, value in _cells(CONSISTENCY)]
    return float(np.mean(kept))


def constant_answer(beta: float) -> float:
    """What always giving the same answer scores at least, by the largest bias of a judge.

    A judge's prevalence lies between 0 and 1. If it exceeds people's by b, theirs is at most 1 - b, and "never" is
    right on a share b of the items or more; if it falls short by b, theirs is at least b, and "always" is.
    """
    return max(value for _, at, value in _cells(BIAS) if at == beta)


for _beta, _published in ((0.0, 0.61), (0.1, 0.66)):
    PRINTED.printed(
        f"table 3, best judge at beta {f'{_beta:g}'.lstrip('0') or 0} and a constant answer",
        _published,
        decimals=2,
        differs="By Table 4 a judge's prevalence is off by so much that a constant answer, never toxic or always "
        "toxic, agrees with people on at least ours: more than the best judge.",
        what="Consistency of the best of five judges; ours is that of a constant answer, at least.",
    )(partial(constant_answer, _beta))

# ---- Then what cannot

UNPUBLISHED = "It rests on ratings of five judges that the authors do not publish."
for _judge, _value in OWN_BETA.items():
    _what = "The sensitivity parameter from its own answers."
    PRINTED.out_of_reach(f"finding 6, beta of {_judge}", _what, _value, UNPUBLISHED)
PRINTED.out_of_reach(
    "figure 8, prevalence from beta 0 to .05",
    "Factor by which the prevalence of toxicity grows, at a threshold of one half.",
    2,
    "It rests on 200 comments of Civil Comments; which ones is not published.",
)
for _table, _name, _what, _cells_of in (
    ("table 3", "consistency", "Decision consistency at tau .5.", CONSISTENCY),
    ("table 4", "bias", "Absolute bias of prevalence.", BIAS),
):
    for _judge, _beta, _value in _cells(_cells_of):
        _place = f"{_table}, {_name} of {_judge} at beta {_beta:g}"
        Part(PRINTED_CLAIMS, PAPER, _table).out_of_reach(_place, _what, _value, UNPUBLISHED)
