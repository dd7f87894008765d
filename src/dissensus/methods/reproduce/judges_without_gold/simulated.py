"""What "Judges without gold labels" says about its simulations: findings 1 to 4, Figures 4 to 6 and 10 to 15.

The paper shows figures without numbers, so a statement in words becomes the share of cases in which it holds.
"""

from functools import partial

from dissensus.methods.reproduce.claims import Claim, Part
from dissensus.methods.reproduce.data import PaperData
from dissensus.methods.reproduce.judges_without_gold.findings import (
    FEW,
    asymmetry_weakens,
    budget_matters_more,
    categorical_rank_worse,
    direction_depends,
    error_costs,
    error_matters_less,
    few_ratings_mislead,
    gamma_as_printed,
    hit_rate_loses_most,
    misled,
    one_matches_three,
    ranked_under_error,
    same_way_costs_more,
    skew_moves_prevalence,
    skewed_error_turns_hit_rate,
    underestimates,
)
from dissensus.methods.reproduce.judges_without_gold.theory import PAPER
from dissensus.simulation.indeterminate import TAUS


def _same_decisions(tau: float, data: PaperData) -> float:
    del data  # simulated
    return misled(FEW)[f"same_decisions_{tau}"]


SIMULATED = "Simulated: 50 judges, 100 items, 14 tasks, thresholds .3, .5 and .7."
FOUR = Part(paper=PAPER, group="figures 4, 10 and 13")
FIVE = Part(paper=PAPER, group="figures 5 and 14")
ELEVEN = Part(paper=PAPER, group="figure 11")
SIX = Part(paper=PAPER, group="figures 6, 12 and 15")
CLAIMS: tuple[Claim, ...] = (
    SIX.printed(
        "section 6, Gamma at random chance",
        "The measure of selection effects where every option of a set is equally likely.",
        1,
        lambda _: gamma_as_printed(),
        decimals=1,
        differs="The printed formula divides by the size of the set; multiplied by it instead, chance is 1.",
    ),
    FOUR.always(
        "finding 1, three ratings",
        "Share of two factors, selection effects and metric, that matter less than three ratings instead of one.",
        lambda _: budget_matters_more(),
        differs="Selection effects matter less. The metric matters more: with one rating per item, choosing by MSE "
        "(srs/srs) or KL instead of hit rate gains more than two further ratings (Figure 4, redrawn).",
    ),
    FOUR.always(
        "finding 1, one rating for three",
        "Share of metrics with which one rating of a fully specified task does as well as three of another.",
        lambda _: one_matches_three(),
    ),
    FOUR.within(
        "finding 1, saved ratings", "Reduction of the budget.", 0.66, lambda _: 1 - 1 / 3, 0.01, "Cut off: 66%."
    ),
    FOUR.always(
        "finding 2, hit rate",
        "Share of three other metrics that lose less from asymmetric selection effects (Figure 4, centre).",
        lambda _: hit_rate_loses_most(),
    ),
    FIVE.always(
        "figure 5, categorical metrics",
        "Share of pairs in which a categorical metric ranks judges worse than JSD or MSE, asymmetric effects.",
        lambda _: categorical_rank_worse(),
    ),
    FIVE.always(
        "figure 14, asymmetric effects",
        "Share of categorical metrics that rank worse under asymmetric effects than under symmetric ones.",
        lambda _: asymmetry_weakens(),
    ),
    FOUR.always(
        "finding 3, error",
        "Share of two kinds of error, random and additive, that cost less than selection effects (Figure 4, right).",
        lambda _: error_matters_less(),
    ),
    FOUR.within(
        "figure 10, error without skew",
        "Consistency that error of .3 costs if judges are selected by hit rate.",
        0,
        lambda _: error_costs(0.0),
        0.03,
        '"Similar performance".',
    ),
    FOUR.always(
        "figure 10, error with positive skew",
        "Whether error costs more if it favours the option that choices favour as well (1 is yes).",
        lambda _: same_way_costs_more(),
    ),
    ELEVEN.within(
        "figure 11, JSD",
        "Rank correlation of judges' order with and without error (.5, skew 1).",
        1,
        lambda _: ranked_under_error(0.5, 1.0)["jsd"],
        0.05,
        '"A consistent ranking".',
    ),
    ELEVEN.within(
        "figure 11, MSE (srs/srs)",
        "The same.",
        1,
        lambda _: ranked_under_error(0.5, 1.0)["mse_response_set"],
        0.05,
        '"A consistent ranking".',
    ),
    ELEVEN.always(
        "figure 11, hit rate",
        "Share of conditions without skew or fully specified in which error turns the order less.",
        lambda _: skewed_error_turns_hit_rate(),
    ),
    SIX.within(
        "finding 4, one rating per item",
        "Share of items on which one rating decides otherwise than everybody.",
        0.30,
        lambda _: 1 - misled(FEW)["same_decisions"],
        0.03,
        f'"In 30% of items". {SIMULATED}',
    ),
    SIX.always(
        "figure 6, forced choices understate",
        "Share of underspecified tasks whose prevalence forced choices understate.",
        lambda _: underestimates(),
    ),
    SIX.always(
        "figure 12, skewed error",
        "Share of two skews with which error of .4 moves prevalence more than without skew.",
        lambda _: skew_moves_prevalence(),
    ),
    *(
        SIX.within(
            f"figure 15, same decisions at {tau:g}",
            "Share of items on which one rating decides as everybody.",
            0.70,
            partial(_same_decisions, tau),
            0.05,
            f'"65-75% of items". {SIMULATED}',
        )
        for tau in TAUS
    ),
    SIX.always(
        "figure 15, few ratings",
        "Share of thresholds at which one rating per item misstates prevalence more than 30 do.",
        lambda _: few_ratings_mislead(),
    ),
    SIX.always(
        "figure 15, direction",
        "Whether the bias turns from the lowest threshold to the highest (1 is yes).",
        lambda _: direction_depends(),
    ),
)
"""In the order of the paper."""
