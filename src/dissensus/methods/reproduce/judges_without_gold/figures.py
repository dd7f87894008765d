"""Figures 4, 5, 6, 11 and 12 of "Judges without gold labels", from our simulation of the described design."""

from dissensus.methods.reproduce.claims import Drawing, Point
from dissensus.methods.reproduce.data import PaperData
from dissensus.methods.reproduce.judges_without_gold.experiments import RANKING, SELECTING
from dissensus.methods.reproduce.judges_without_gold.findings import (
    BUDGETS,
    bias_of_prevalence,
    misled,
    ranked,
    ranked_under_error,
    selected,
)
from dissensus.methods.reproduce.judges_without_gold.theory import PAPER
from dissensus.simulation.indeterminate import TAUS

NAMES = {
    "hit_rate": "hit rate (h/h)",
    "fleiss_kappa": "Fleiss' kappa (h/h)",
    "cohen_kappa": "Cohen's kappa (h/h)",
    "kl_human_judge": "KL (s/s)",
    "jsd": "JSD (s/s)",
    "mse_response_set": "MSE (srs/srs)",
}
ERRORS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
SKEWS = {"favours the first option": 1.0, "no skew": 0.0, "disfavours it": -1.0}
CAPTION = "50 judges, 100 items, thresholds .3, .5 and .7; mean over tasks and trials."
CONSISTENCY = "Consistency of the selected judge"


def selection_figures(data: PaperData) -> list[Drawing]:
    """Figure 4: three of its panels."""
    del data  # simulated
    panels = {
        "fully specified": ("In fully specified tasks one rating per item selects good judges", "random", True),
        "underspecified, symmetric effects": ("In underspecified tasks three ratings help", "symmetric", False),
        "underspecified, asymmetric effects": (
            "Where people and judges choose differently, hit rate selects bad judges whatever the ratings",
            "asymmetric",
            False,
        ),
    }
    return [
        Drawing(
            paper=PAPER,
            place=f"figure 4, {panel}",
            title=title,
            caption=CAPTION,
            kind="lines",
            points=tuple(
                Point(series=NAMES[name], x=ratings, y=selected(effects, ratings, is_specified=is_specified)[name])
                for name in SELECTING
                for ratings in BUDGETS
            ),
            series="Selected by",
            x_title="Ratings per item",
            y_title=CONSISTENCY,
            is_log_x=True,
        )
        for panel, (title, effects, is_specified) in panels.items()
    ]


def ranking_figures(data: PaperData) -> list[Drawing]:
    """Figure 5, as cells."""
    del data  # simulated
    return [
        Drawing(
            paper=PAPER,
            place="figure 5",
            title="Categorical metrics hardly rank judges where people and judges choose differently",
            caption=f"Rank correlation of a metric with consistency; column 1: symmetric, 2: asymmetric. {CAPTION}",
            kind="cells",
            points=tuple(
                Point(series=NAMES[name], x=column, y=ranked(effects)[name])
                for name in RANKING
                for column, effects in enumerate(("symmetric", "asymmetric"), start=1)
            ),
            series="Metric",
            x_title="Selection effects",
            y_title="Rank correlation",
        )
    ]


def error_figures(data: PaperData) -> list[Drawing]:
    """Figure 11, underspecified tasks and positive skew."""
    del data  # simulated
    return [
        Drawing(
            paper=PAPER,
            place="figure 11",
            title="Error turns the ranking by hit rate, not those by JSD and MSE",
            caption=f"Rank correlation with the ranking without error, skew 1, underspecified tasks. {CAPTION}",
            kind="lines",
            points=tuple(
                Point(series=NAMES[name], x=error, y=ranked_under_error(error, 1.0)[name])
                for name in ("hit_rate", "jsd", "mse_response_set")
                for error in ERRORS[1:]
            ),
            series="Metric",
            x_title="Size of the error",
            y_title="Rank correlation",
        )
    ]


def people_figures(data: PaperData) -> list[Drawing]:
    """Figures 6 (left) and 12."""
    del data  # simulated
    budgets = (1, 3, 10, 30)
    return [
        Drawing(
            paper=PAPER,
            place="figure 6, left",
            title="One rating per item decides otherwise than everybody on three items of ten",
            caption=f"Against decisions of the whole population. {CAPTION}",
            kind="lines",
            points=tuple(
                Point(series=f"threshold {tau:g}", x=ratings, y=misled(ratings)[f"same_decisions_{tau}"])
                for tau in TAUS
                for ratings in budgets
            ),
            series="Threshold",
            x_title="Ratings per item",
            y_title="Same decision",
            is_log_x=True,
        ),
        Drawing(
            paper=PAPER,
            place="figure 12",
            title="Error moves prevalence most if it depends on the option",
            caption=f"Prevalence by forced choices with error less that by response sets without. {CAPTION}",
            kind="lines",
            points=tuple(
                Point(series=name, x=error, y=bias_of_prevalence(error, skew))
                for name, skew in SKEWS.items()
                for error in ERRORS
            ),
            series="Error",
            x_title="Size of the error",
            y_title="Bias of prevalence",
        ),
    ]
