"""What "Judges without gold labels" prints about five judges whose ratings are not published.

None of it can be computed anew (Figures 7 and 8, Tables 3 and 4), but the printed numbers can be checked against each
other, and something follows from them.
"""

from functools import partial

import numpy as np

from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.methods.reproduce.judges_without_gold.theory import PAPER

BETAS = (0.0, 0.1, 0.2, 0.3, 0.4)
CLAIMS: list[Claim] = []
PRINTED = Part(CLAIMS, PAPER, "what the printed numbers say")
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
        Part(CLAIMS, PAPER, _table).out_of_reach(_place, _what, _value, UNPUBLISHED)
