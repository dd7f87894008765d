"""Theorems 3.3 and 3.4, Lemma B.1 and Appendix C of "Judges without gold labels"."""

import itertools
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Floats
from dissensus.methods.judges.definitions import PER_ITEM
from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.simulation.indeterminate import FULLY_SPECIFIED, UNDERSPECIFIED
from dissensus.simulation.indeterminate_model import (
    Indeterminacy,
    draw_population,
    endorsements,
    error_matrix,
    forced_choices,
    recalled_sets,
    response_sets,
    reverse_choice,
    reverse_error,
)

PAPER = "judges-without-gold"
SMALL = 1e-9
LEMMA_CASES = 300

# Appendix C, as printed.
PEOPLE_1, Z_1, W_1 = (0.6, 0.3, 0.1), (0.8, 0.1, 0.1), (0.5, 0.4, 0.1)
PEOPLE_2, Z_2, W_2 = (0.4, 0.5, 0.1), (0.0, 0.6, 0.4), (0.4, 0.5, 0.1)
CHOICE_PEOPLE_2, CHOICE_JUDGES_2 = ((1, 0, 0), (0, 1, 1)), ((1, 0, 1), (0, 1, 0))


def decomposition_holds() -> float:
    """Share of drawn items whose response sets in mind come back from their forced choices (Theorem 3.3)."""
    kept = []
    for seed, (options, sets) in enumerate((*FULLY_SPECIFIED, *UNDERSPECIFIED)):
        drawn = draw_population(
            Indeterminacy(n_options=options, n_sets=sets, error=0.3, skew=1.0, gamma=1.0), judges=0, rng=seed
        )
        given = recalled_sets(drawn.soft, reverse_choice(drawn.choice, drawn.observed, drawn.members))
        in_mind = recalled_sets(given, reverse_error(drawn.error, drawn.stable))
        kept.append(np.abs(in_mind - drawn.stable).max(axis=1) < SMALL)
    return float(np.mean(np.concatenate(kept)))


def identifiable_if_specified() -> float:
    """Share of tasks in which forced choices determine the sets if and only if it is fully specified (Theorem 3.4)."""
    kept = []
    for options in (2, 3, 4):
        for sets in range(options, 2**options):
            drawn = draw_population(Indeterminacy(n_options=options, n_sets=sets, gamma=1.0), items=5, judges=0, rng=0)
            ranks = np.linalg.matrix_rank(drawn.choice)
            kept.append(((ranks == sets) == (options == sets)).all())
    return float(np.mean(kept))


class Terms(NamedTuple):
    """Of Lemma B.1, averaged over items.

    Attributes
    ----------
    star, real : float
        By how much judge z is worse than w by MSE, without and with people's error.
    q : float
        (theta* - theta)' M (theta_w - theta_z), M = Lambda' Lambda.
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
    members, found = response_sets(3), []
    gram = members.astype(float) @ members.T.astype(float)
    for seed, items in itertools.product(range(LEMMA_CASES), (1, 4)):
        rng = np.random.default_rng(seed)
        stable, z, w = rng.dirichlet(np.ones(len(members)), size=(3, items))
        given = stable @ error_matrix(members, rng.random(), rng.choice([-1, 0, 1])).T
        star, real = (_error(people, z) - _error(people, w) for people in (stable, given))
        found.append(Terms(star, real, float(np.einsum("iu,uv,iv->i", stable - given, gram, w - z).mean())))
    return tuple(case for case in found if abs(case.star) > SMALL)


def _error(people: Floats, judge: Floats) -> float:
    members = response_sets(3)
    return float(((endorsements(people, members) - endorsements(judge, members)) ** 2).sum(axis=1).mean())


def lemma_share(*, is_corrected: bool) -> float:
    """Share of the cases in which the condition holds exactly if the ranking is kept."""
    said = [case.says_corrected if is_corrected else case.says_printed for case in lemma_cases()]
    return float(np.mean([says == case.is_kept for says, case in zip(said, lemma_cases(), strict=True)]))


def hit(judge: Sequence[float], people: Sequence[float]) -> float:
    """Hit rate on one item."""
    one_hot = np.eye(len(people))
    return float(PER_ITEM["hit_rate"](one_hot[np.argmax(judge)], one_hot[np.argmax(people)]))


def divergence(people: Sequence[float] | Floats, judge: Sequence[float] | Floats) -> float:
    """KL divergence of a judge from people on one item."""
    return float(PER_ITEM["kl_human_judge"](np.asarray(judge), np.asarray(people)))


def soft_of(theta: Sequence[float], choice: Sequence[Sequence[int]]) -> Floats:
    """Forced choices of example 2."""
    return forced_choices(np.array(choice), np.array(theta))


def endorsed(theta: Sequence[float]) -> Floats:
    """How often each option is endorsed in example 2."""
    return endorsements(np.array(theta), response_sets(2))


def squared_error(theta: Sequence[float]) -> float:
    """MSE of a judge's endorsements in example 2."""
    return float(PER_ITEM["mse_response_set"](endorsed(theta), endorsed(PEOPLE_2)))


def example_1_inverts() -> float:
    """1 if hit rate prefers judge z and KL judge w, as example 1 is to show."""
    prefers_z = hit(Z_1, PEOPLE_1) > hit(W_1, PEOPLE_1)
    return float(prefers_z and divergence(PEOPLE_1, Z_1) > divergence(PEOPLE_1, W_1))


def example_2_inverts() -> float:
    """1 if KL prefers judge z and MSE judge w, as example 2 is to show."""
    people, z, w = (soft_of(t, c) for t, c in _FORCED_2)
    return float(divergence(people, z) < divergence(people, w) and squared_error(Z_2) > squared_error(W_2))


_FORCED_2 = ((PEOPLE_2, CHOICE_PEOPLE_2), (Z_2, CHOICE_JUDGES_2), (W_2, CHOICE_JUDGES_2))


def _kl_2(judge: int) -> float:
    people, *judges = (soft_of(t, c) for t, c in _FORCED_2)
    return divergence(people, judges[judge])


SUM_OF_SQUARES = (
    "Lambda theta of judge z is (.4, 1.0), as option 2 is in both of its sets; printed is (.4, .6), and .01 follows."
)
ARGMAX = "The first option has the largest share of all three: (.6, .3, .1), (.8, .1, .1) and (.5, .4, .1)."
MODEL = Part(paper=PAPER, group="theorems and appendix C")
ROUNDED = "Printed to two decimals, cut off rather than rounded (.157 as .15)."
CLAIMS: tuple[Claim, ...] = (
    MODEL.always(
        "theorem 3.3",
        "Share of items whose response sets come back from forced choices through F' and E'.",
        lambda _: decomposition_holds(),
    ),
    MODEL.always(
        "theorem 3.4",
        "Share of tasks in which forced choices determine response sets if and only if it is fully specified.",
        lambda _: identifiable_if_specified(),
    ),
    MODEL.always(
        "lemma B.1",
        "Share of cases in which the printed condition holds if and only if error keeps the ranking of two judges.",
        lambda _: lemma_share(is_corrected=False),
        differs="It fails in both directions. The proof asks for the sign of what error adds, where its size decides: "
        "it must not exceed |delta*| / 2. With that condition the lemma holds.",
    ),
    MODEL.always(
        "lemma B.1, corrected",
        "The same for q sign(delta*) < |delta*| / 2, which follows from the printed expansions of delta and delta*.",
        lambda _: lemma_share(is_corrected=True),
    ),
    MODEL.printed("appendix C.1, hit rate of z", "On the one item.", 1, lambda _: hit(Z_1, PEOPLE_1), decimals=1),
    MODEL.printed(
        "appendix C.1, hit rate of w", "On the one item.", 0, lambda _: hit(W_1, PEOPLE_1), decimals=1, differs=ARGMAX
    ),
    MODEL.within("appendix C.1, KL of z", "In nats.", 0.15, lambda _: divergence(PEOPLE_1, Z_1), 0.01, ROUNDED),
    MODEL.within("appendix C.1, KL of w", "In nats.", 0.02, lambda _: divergence(PEOPLE_1, W_1), 0.01, ROUNDED),
    MODEL.always(
        "appendix C.1, an inversion",
        "Whether hit rate prefers z and KL prefers w (1 is yes).",
        lambda _: example_1_inverts(),
        differs=f"{ARGMAX} With w = (.44, .46, .10) the example shows what it is to show.",
    ),
    MODEL.printed(
        "appendix C.2, people choose option 2",
        "Share of forced choices.",
        0.6,
        lambda _: float(soft_of(PEOPLE_2, CHOICE_PEOPLE_2)[1]),
        decimals=1,
    ),
    MODEL.printed(
        "appendix C.2, people endorse option 1",
        "Share of response sets with it.",
        0.5,
        lambda _: float(endorsed(PEOPLE_2)[0]),
        decimals=1,
    ),
    MODEL.printed(
        "appendix C.2, z endorses option 2",
        "Share of response sets with it.",
        0.6,
        lambda _: float(endorsed(Z_2)[1]),
        decimals=1,
        differs=SUM_OF_SQUARES,
    ),
    MODEL.printed("appendix C.2, KL of z", "In nats.", 0, lambda _: _kl_2(0), decimals=2),
    MODEL.printed("appendix C.2, KL of w", "In nats.", 0.02, lambda _: _kl_2(1), decimals=2),
    MODEL.printed(
        "appendix C.2, MSE of z",
        "Summed over options.",
        0.01,
        lambda _: squared_error(Z_2),
        decimals=2,
        differs=SUM_OF_SQUARES,
    ),
    MODEL.printed("appendix C.2, MSE of w", "Summed over options.", 0, lambda _: squared_error(W_2), decimals=2),
    MODEL.always(
        "appendix C.2, an inversion",
        "Whether KL prefers z and MSE prefers w (1 is yes).",
        lambda _: example_2_inverts(),
    ),
)
"""In the order of the paper."""
