"""Guerdan and others: "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels".

Its theorems 3.3 and 3.4, Lemma B.1 and Appendix C.
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


def hit(judge: Sequence[float], people: Sequence[float]) -> float:
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
MODEL.printed("appendix C.1, hit rate of z", 1, decimals=1, what=ITEM)(lambda: hit(Z_1, PEOPLE_1))
MODEL.printed("appendix C.1, hit rate of w", 0, decimals=1, what=ITEM, differs=ARGMAX)(lambda: hit(W_1, PEOPLE_1))
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
    prefers_z = hit(Z_1, PEOPLE_1) > hit(W_1, PEOPLE_1)
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
