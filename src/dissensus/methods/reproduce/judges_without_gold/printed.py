"""What "Judges without gold labels" prints about five judges whose ratings are not published.

None of it can be computed anew (Figures 7 and 8, Tables 3 and 4), but the printed numbers can be checked against each
other, and something follows from them.
"""

import numpy as np

from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.methods.reproduce.judges_without_gold.theory import PAPER

BETAS = (0.0, 0.1, 0.2, 0.3, 0.4)
Row = tuple[float | None, ...]
"""One number for each beta; None where the table does not have the judge."""

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

OWN_BETA = {
    "Sonnet 3.5": 0.32,
    "Mistral Small": 0.44,
    "GPT 3.5 Turbo": 0.04,
    "GPT 4o Mini": 0.06,
    "Mistral Large": 0.11,
}
"""Finding 6: the sensitivity parameter that each judge's own answers give."""

ROUNDED = 0.01 + 1e-9
"""How far the difference of two numbers printed to two decimals may be from a third."""


def _cells(table: dict[str, Row]) -> list[tuple[str, float, float]]:
    """Judge, beta and number of every cell."""
    return [
        (judge, beta, value)
        for judge, row in table.items()
        for beta, value in zip(BETAS, row, strict=True)
        if value is not None
    ]


def differences_agree(table: dict[str, Row], best: Row, printed: dict[str, Row]) -> float:
    """Share of the printed differences from the best judge that are the differences of the printed numbers."""
    at = dict(zip(BETAS, best, strict=True))
    said = {(judge, beta): value for judge, beta, value in _cells(printed)}
    kept = [abs(value - (at[beta] or 0.0) - said[judge, beta]) <= ROUNDED for judge, beta, value in _cells(table)]
    return float(np.mean(kept))


def bias_within_errors() -> float:
    """Share of judges whose bias is at most the share of items that they decide otherwise, as it must be."""
    bias = {(judge, beta): value for judge, beta, value in _cells(BIAS)}
    kept = [bias[judge, beta] <= 1 - value + ROUNDED for judge, beta, value in _cells(CONSISTENCY)]
    return float(np.mean(kept))


def constant_answer(beta: float) -> float:
    """What always giving the same answer scores at least, by the largest bias of a judge.

    A judge's prevalence lies between 0 and 1. If it exceeds people's by b, theirs is at most 1 - b, and "never" is
    right on a share b of the items or more; if it falls short by b, theirs is at least b, and "always" is.
    """
    return max(value for _, at, value in _cells(BIAS) if at == beta)


def relative_loss(beta: float, *, better: str, worse: str) -> float:
    """How much less consistent a judge is than another, as a share."""
    at = BETAS.index(beta)
    first, second = CONSISTENCY[better][at], CONSISTENCY[worse][at]
    return 0.0 if first is None or second is None else (first - second) / first


UNPUBLISHED = "It rests on ratings of five judges that the authors do not publish."
TABLE_3 = Part(paper=PAPER, group="table 3")
TABLE_4 = Part(paper=PAPER, group="table 4")
PRINTED = Part(paper=PAPER, group="what the printed numbers say")
CONSTANT = (
    "By Table 4 a judge's prevalence is off by so much that always answering alike, never toxic or always toxic, "
    "agrees with people on at least ours: more than the best judge."
)
CLAIMS: tuple[Claim, ...] = (
    PRINTED.within(
        "abstract, judges selected by existing approaches",
        "How much less consistent the judge is that hit rate selects, at beta .3.",
        0.34,
        lambda _: relative_loss(0.3, better="Mistral Small", worse="Sonnet 3.5"),
        0.01,
        'From Table 3; "34%" is cut off, finding 6 has 34.5%.',
    ),
    PRINTED.printed(
        "finding 6, Sonnet 3.5 at beta .3",
        "How much less consistent than Mistral Small.",
        0.345,
        lambda _: relative_loss(0.3, better="Mistral Small", worse="Sonnet 3.5"),
        decimals=3,
        why="; from Table 3",
    ),
    PRINTED.printed(
        "finding 5, Mistral Small at beta 0",
        "How much less consistent than Sonnet 3.5.",
        0.90,
        lambda _: relative_loss(0.0, better="Sonnet 3.5", worse="Mistral Small"),
        decimals=2,
        why="; from Table 3",
    ),
    PRINTED.always(
        "table 3, reductions",
        "Share of the printed reductions that are differences of the printed consistencies.",
        lambda _: differences_agree(CONSISTENCY, BEST_CONSISTENCY, REDUCTION),
    ),
    PRINTED.always(
        "table 4, increases",
        "Share of the printed increases that are differences of the printed biases.",
        lambda _: differences_agree(BIAS, LEAST_BIAS, INCREASE),
    ),
    PRINTED.always(
        "tables 3 and 4, bias and consistency",
        "Share of judges whose bias does not exceed the share of items that they decide otherwise.",
        lambda _: bias_within_errors(),
    ),
    PRINTED.printed(
        "table 3, best judge at beta 0 and a constant answer",
        "Consistency of the best of five judges; ours is that of a constant answer, at least.",
        0.61,
        lambda _: constant_answer(0.0),
        decimals=2,
        differs=CONSTANT,
    ),
    PRINTED.printed(
        "table 3, best judge at beta .1 and a constant answer",
        "Consistency of the best of five judges; ours is that of a constant answer, at least.",
        0.66,
        lambda _: constant_answer(0.1),
        decimals=2,
        differs=CONSTANT,
    ),
    *(
        PRINTED.out_of_reach(
            f"finding 6, beta of {judge}", "The sensitivity parameter from its own answers.", value, UNPUBLISHED
        )
        for judge, value in OWN_BETA.items()
    ),
    PRINTED.out_of_reach(
        "figure 8, prevalence from beta 0 to .05",
        "Factor by which the prevalence of toxicity grows, at a threshold of one half.",
        2,
        "It rests on 200 comments of Civil Comments; which ones is not published.",
    ),
    *(
        TABLE_3.out_of_reach(
            f"table 3, consistency of {judge} at beta {beta:g}", "Decision consistency at tau .5.", value, UNPUBLISHED
        )
        for judge, beta, value in _cells(CONSISTENCY)
    ),
    *(
        TABLE_4.out_of_reach(
            f"table 4, bias of {judge} at beta {beta:g}", "Absolute bias of prevalence.", value, UNPUBLISHED
        )
        for judge, beta, value in _cells(BIAS)
    ),
)
"""First what can be checked, then what cannot."""
