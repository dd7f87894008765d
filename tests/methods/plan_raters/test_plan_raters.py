"""`plan_raters`: what it recommends, what it refuses, and what it makes of a pilot."""

import itertools
import json
import math
import re

import numpy as np
import pandas as pd
import pytest
import typer

from dissensus import read, read_judges
from dissensus.cli.flags import spread
from dissensus.cli.simulate import plan_raters_command
from dissensus.methods.plan_raters.designs import TestSets, simulated_designs
from dissensus.methods.plan_raters.moment_sources import fit_pilot
from dissensus.methods.plan_raters.moments import item_moments, normal_nodes, sign_flip_power
from dissensus.methods.plan_raters.pilot import pilot_of, spreads_of
from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.plan_raters.result import MOST_SIMULATED, PlanRatersResult
from dissensus.report.views.section import main_chart, section_of
from dissensus.simulation.responses import Responses, simulate_responses

from tables import typed_message_of as message_of

LESS = "ask for fewer, or for wins or mae, which have a closed form."


def power_of(items, raters, *, samples=None, effect=0.1, metric="wins"):
    """Power in the paper's population, from its closed form."""
    moments = item_moments(normal_nodes(effect), raters=raters, samples=samples or raters)
    return float(sign_flip_power(moments, items, metric=metric, alpha=0.05))


def test_the_recommended_design_reaches_the_power_and_no_smaller_one_does():
    best = plan_raters(effect=0.1, metric="mae", raters=[5]).recommended
    assert best.power == pytest.approx(power_of(best.items, 5, metric="mae"))
    assert best.power >= 0.8 > power_of(best.items - 1, 5, metric="mae")


def test_the_recommended_design_is_the_cheapest_by_the_costs_given():
    per_rating = plan_raters(effect=0.1, raters=[1, 10]).recommended
    with_items = plan_raters(effect=0.1, raters=[1, 10], item_cost=20).recommended
    assert per_rating.raters == 1  # wins prefers items
    assert with_items.raters == 10  # until items are dear
    assert with_items.cost == with_items.items * (20 + 10)


def test_the_grid_is_every_number_of_items_with_every_number_of_raters():
    plan = plan_raters(effect=0.1, items=[100, 50], raters=[3, 1], machine_samples=4)
    assert [(d.items, d.raters, d.machine_samples) for d in plan.grid] == [
        (50, 1, 4),
        (50, 3, 4),
        (100, 1, 4),
        (100, 3, 4),
    ]
    assert plan.grid[0].power == pytest.approx(power_of(50, 1, samples=4))


def test_the_frontier_rises_in_cost_and_power():
    frontier = plan_raters(effect=0.1).frontier
    for cheaper, dearer in itertools.pairwise(frontier):
        assert cheaper.cost < dearer.cost
        assert cheaper.power < dearer.power


def test_a_budget_that_is_too_small_gives_no_recommendation_and_says_the_most_it_pays_for():
    plan = plan_raters(effect=0.1, metric="mae", raters=[25], budget=500)
    assert plan.recommended is None
    most = power_of(20, 25, metric="mae")
    assert " ".join(plan.warnings) == (
        f"No design within the budget of 500 reaches power 0.8: the most is {most:.2f}, with 20 items with 25 raters "
        "each. Consider more items or raters, a larger budget, or less power."
    )
    assert max(design.cost for design in plan.frontier) == 500


def test_simulation_and_closed_form_recommend_alike():
    options = {"effect": 0.1, "items": [50, 100, 200, 400], "raters": [5]}
    closed, simulated = (plan_raters(**options, method=method) for method in ("closed", "simulate"))
    assert closed.recommended.items == simulated.recommended.items == 200
    for one, other in zip(closed.grid, simulated.grid, strict=True):
        assert one.power == pytest.approx(other.power, abs=0.06)


def test_the_true_distance_finds_a_difference_that_is_plain():
    plan = plan_raters(effect=0.4, metric="emd", items=[50], raters=[5, 10], simulations=200)
    assert [design.power for design in plan.grid] == [1, 1]


def test_simulation_and_closed_form_find_the_same_trade_off():
    options = {"effect": 0.1, "metric": "mae", "items": [400], "raters": [5]}
    closed, simulated = (plan_raters(**options, method=method).trade_off for method in ("closed", "simulate"))
    assert simulated.gain_raters == pytest.approx(closed.gain_raters, rel=0.05)
    assert (simulated.shift, simulated.noise) == (closed.shift, closed.noise)


def test_the_same_seed_gives_the_same_plan():
    options = {"effect": 0.1, "metric": "emd-binned", "items": [25], "raters": [5], "simulations": 200}
    assert plan_raters(**options).grid == plan_raters(**options).grid
    assert plan_raters(**options).grid != plan_raters(**options, rng=1).grid


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"effect": 0.1, "metric": "rmse"},
            "--metric cannot be 'rmse': choose one of wins, mae, emd, emd-binned, information.",
        ),
        ({"effect": 0.1, "method": "guess"}, "--method cannot be 'guess': choose one of closed, simulate."),
        (
            {"effect": 0.1, "metric": "emd", "method": "closed"},
            "--method closed goes with --metric wins or mae: emd needs --method simulate.",
        ),
        ({"effect": 2}, "--effect cannot be 2: it is a share of the scale, above 0 and at most 1."),
        ({"effect": 0.1, "power": 1}, "--power cannot be 1: it is a share between 0 and 1."),
        ({"effect": 0.1, "power": 0.04}, "--power 0.04 is not above --alpha 0.05: chance alone reaches it."),
        ({"effect": 0.1, "items": [5]}, "--items cannot be 5: give numbers of at least 6, such as 25,50,100."),
        ({"effect": 0.1, "raters": []}, "--raters names no number: give numbers of at least 1, such as 25,50,100."),
        (
            {"effect": 0.1, "spread": (0.3, 0.1)},
            "--spread cannot be 0.3:0.1: give two standard deviations such as 0:0.3.",
        ),
        ({"effect": 0.1, "budget": 0}, "--budget cannot be 0: give what the items and ratings may cost."),
        ({"effect": 0.1, "budget": math.nan}, "--budget cannot be nan: give what the items and ratings may cost."),
        ({"effect": 0.1, "rating_cost": math.inf}, "--rating-cost cannot be inf: give a number of 0 or more."),
        (
            {"effect": 0.1, "spread": (0.0, math.inf)},
            "--spread cannot be inf: give two standard deviations such as 0:0.3.",
        ),
        (
            {"effect": 0.1, "items": [10**20]},
            f"--items cannot be {10**20}: numbers up to 10,000,000 can be planned for.",
        ),
        (
            {"effect": 0.1, "metric": "emd-binned", "items": [10**6]},
            f"Simulated test sets have up to {MOST_SIMULATED:,} items, and --items asks for 1,000,000: {LESS}",
        ),
        (
            {"effect": 0.1, "rating_cost": 0},
            "--item-cost and --rating-cost are both 0: without a cost no design is the cheapest.",
        ),
        ({"effect": 0.1, "machine_samples": 0}, "--machine-samples cannot be 0: give a number of 1 or more."),
        ({"effect": 0.1, "a": "x"}, "--a and --b name judges of a pilot: give one with --pilot and --pilot-judges."),
    ],
)
def test_a_wrong_option_is_one_line(options, message):
    assert message_of(lambda: plan_raters(**options)) == message


def test_neither_effect_nor_pilot_is_one_line():
    assert message_of(plan_raters) == (
        "Say how far off the worse judge is with --effect, as a share of the scale such as 0.1, or give "
        "ratings and answers with --pilot and --pilot-judges."
    )


def pilot(seed=3, *, items=60, raters=5, samples=(5, 5), **population):
    return simulate_responses(
        Responses(**({"effect": 0.15} | population)), items=items, raters=raters, samples=samples, rng=seed
    )


def test_a_pilot_says_which_judge_is_nearer_and_how_many_items_it_takes():
    ratings, judges, _ = pilot()
    plan = plan_raters(metric="wins", pilot=ratings, pilot_judges=judges, raters=[5], bootstrap=50)
    assert plan.pilot.better == "A"
    assert plan.pilot.items_low < plan.recommended.items < plan.pilot.items_high
    assert plan.recommended.machine_samples == 5
    assert plan.pilot.simulated_power > 0.7
    # Spreads are uniform on [0, .3]: their median is .15.
    assert plan.pilot.spread == pytest.approx(0.15, abs=0.04)


def test_the_noise_of_a_pilot_is_taken_out_of_the_judges_errors():
    # Seen through 5 raters the errors of A and B are mostly noise; predicted for other numbers, MAE's lead is the true
    # one. Taken at face value, B's observed errors would not change with the number of raters at all.
    found = []
    for seed in range(20):
        ratings, judges, _ = pilot(seed, effect=0.1)
        own = pilot_of(ratings, judges)
        nodes = fit_pilot(own, spreads_of(own), np.full((1, 60), 1 / 60))
        found.append([float(item_moments(nodes, raters=k, samples=5).mean[0]) for k in (1, 5, 50)])
    true = [float(item_moments(normal_nodes(0.1), raters=k, samples=5).mean) for k in (1, 5, 50)]
    error = np.std(found, axis=0) / np.sqrt(20)
    assert np.abs(np.mean(found, axis=0) - true) == pytest.approx(0, abs=3 * error.max())
    assert np.mean(found, axis=0) == pytest.approx(true, rel=0.15)


def test_a_larger_pilot_narrows_the_interval():
    widths = []
    for items in (60, 240):
        ratings, judges, _ = pilot(items=items, effect=0.2)
        found = plan_raters(pilot=ratings, pilot_judges=judges, raters=[5], bootstrap=50).pilot
        widths.append(math.log(found.items_high / found.items_low))
    assert widths[1] < widths[0]


def test_a_likert_pilot_with_one_answer_of_each_judge_is_confirmed_by_counting_labels():
    ratings, judges, _ = pilot(items=200, kind="likert", effect=0.4, samples=(1, 1))
    plan = plan_raters(metric="wins", pilot=ratings, pilot_judges=judges, raters=[5, 10], bootstrap=30)
    assert plan.recommended is not None
    assert plan.pilot.simulated_power >= 0.7
    assert "The judges answered each item once" in plan.warnings[-1]


def one_line_of(ratings, judges, **options):
    return message_of(lambda: plan_raters(pilot=ratings, pilot_judges=judges, bootstrap=50, **options))


def test_a_pilot_with_one_rating_per_item_is_refused():
    ratings, judges, _ = pilot(raters=1)
    assert one_line_of(ratings, judges) == (
        "The pilot cannot tell how far raters disagree: 0 of its 60 items have two or more ratings. Have a few items "
        "rated by several raters, or plan without a pilot."
    )


def test_a_pilot_that_does_not_say_which_judge_is_nearer_is_refused():
    ratings, judges, _ = pilot(effect=0.0, seed=2)
    assert one_line_of(ratings, judges).startswith("The pilot cannot tell which of A and B is nearer to people: in ")


def test_a_pilot_of_the_size_that_the_refusal_asks_for_is_large_enough():
    ratings, judges, _ = pilot(effect=0.08, seed=5)
    asked = re.search(r"of about (\d+) items and ([\d.]+) times the raters", one_line_of(ratings, judges))
    assert int(asked[1]) == pytest.approx(60 * float(asked[2]), rel=0.05)

    def again(times):
        """The same pilot with other items and other raters, again and again."""
        both = [pd.DataFrame(frame) for frame in (ratings.to_frame(), judges.to_frame())]
        both = [
            pd.concat([f.assign(**{c: f[c] + f"-{k}" for c in ("item", "rater") if c in f}) for k in range(times)])
            for f in both
        ]
        return read(both[0]), read_judges(both[1])

    assert "cannot tell which" in one_line_of(*again(2))
    people, answers = again(math.ceil(1.5 * float(asked[2])))
    assert plan_raters(pilot=people, pilot_judges=answers, raters=[5], bootstrap=50).pilot.better == "A"


def test_a_pilot_of_two_judges_that_are_one_is_refused():
    ratings, judges, _ = pilot(samples=(1, 1))
    rows = {"item": judges.items, "judge": "A", "label": ["0.5"] * 60}
    frame = pd.concat([pd.DataFrame(rows), pd.DataFrame(rows | {"judge": "B"})])
    assert one_line_of(ratings, read_judges(frame)) == (
        "The pilot cannot tell: A and B answer the same on each of its 60 items. Check that they are two judges, or "
        "give a larger pilot."
    )


def test_a_pilot_of_five_items_is_refused():
    ratings, judges, _ = pilot(items=5)
    assert one_line_of(ratings, judges) == (
        "The pilot has 5 items with ratings and answers of both A and B: give at least 6, better 50."
    )


def test_an_unknown_judge_is_refused_with_the_known_ones():
    ratings, judges, _ = pilot()
    assert one_line_of(ratings, judges, a="A", b="C") == "There is no judge 'C': the judges are A, B."
    assert one_line_of(ratings, judges, a="A", b="A") == "--a and --b are both A: name two different judges."
    assert one_line_of(ratings, judges, a="A") == (
        "Name the two judges to compare with --a and --b: the judges are A, B."
    )


def test_a_pilot_contradicts_an_effect_and_needs_its_judges():
    ratings, judges, _ = pilot()
    assert one_line_of(ratings, judges, effect=0.1) == (
        "--effect and --pilot contradict each other: the pilot says how large the effect is."
    )
    assert one_line_of(ratings, judges, method="simulate") == (
        "--pilot chooses its own method, and confirms it by simulation: leave --method out."
    )
    assert one_line_of(ratings, None) == (
        "--pilot and --pilot-judges go together: give people's ratings and the judges' answers."
    )


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["wins", "mae"])
def test_plans_from_40_pilots_have_the_power_they_were_made_for(metric, trust):
    powers, pilots = [], trust.sets(40)
    for seed in range(pilots):
        ratings, judges, _ = simulate_responses(Responses(effect=0.1), items=60, raters=5, samples=(5, 5), rng=seed)
        try:
            best = plan_raters(metric=metric, pilot=ratings, pilot_judges=judges, raters=[5], rng=seed).recommended
        except ValueError:
            best = None
        powers.append(0.0 if best is None else power_of(best.items, 5, metric=metric))
    data = "normal ratings, pilot of 60 items, 5 raters"
    error = np.std(powers) / math.sqrt(len(powers))
    trust.keep("power", f"plan raters: {metric}", np.mean(powers), pilots, data=data, error=error)
    assert 0.7 <= np.mean(powers) <= 0.9


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Runs the command and returns what it printed."""
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(spread(plan_raters_command))

    def call(*arguments):
        app(args=[*arguments], standalone_mode=False)
        return capsys.readouterr().out

    return call


def test_json_is_the_only_output(run):
    answer = json.loads(run("--effect", "0.1", "--items", "50,100", "--raters", "5", "--json"))
    assert answer["command"] == "plan raters"
    assert set(answer["result"]["grid"][0]) == {
        "items", "raters", "machine_samples", "p_value", "power", "cost", "raters_in_all",
    }  # fmt: skip
    assert answer["result"]["recommended"] is None
    assert answer["settings"]["spread"] == [0.0, 0.3]


def test_the_command_plans_from_files(run, tmp_path):
    from dissensus.data.writers import write_folder  # noqa: PLC0415 - only here

    ratings, judges, _ = pilot()
    write_folder(tmp_path, ratings=ratings, judges=judges, texts={})
    told = ("--pilot", "ratings.csv", "--pilot-judges", "judges.csv", "--raters", "5", "--bootstrap", "20", "--json")
    answer = json.loads(run(*told))
    direct = plan_raters(pilot=ratings, pilot_judges=judges, raters=[5], bootstrap=20)
    assert answer["result"]["recommended"]["items"] == direct.recommended.items
    assert answer["data"]["pilot"]["items"] == 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--items", "a few"), "--items cannot be 'a few': give whole numbers such as 25,50,100."),
        (("--spread", "wide"), "--spread cannot be 'wide': give two standard deviations such as 0:0.3."),
    ],
)
def test_a_malformed_option_is_one_line(run, arguments, message):
    assert message_of(lambda: run("--effect", "0.1", *arguments)) == message


def test_it_says_the_design_what_to_do_and_its_assumptions(run):
    options = ("--effect", "0.1", "--metric", "mae", "--raters", "25", "--budget", "2000")
    text = " ".join(run(*options).split())
    assert text.startswith("Collect 31 items with 25 raters each: the cheapest design that finds the difference 80% of")
    assert "Get 25 answers of each judge to each item" in text
    assert "add items, not raters" in text  # from 25 raters on they help more
    assert "normal, with a standard deviation between 0 and 0.3" in " ".join(run(*options, "--details").split())


def test_it_says_what_the_pilot_found():
    ratings, judges, _ = pilot()
    plan = plan_raters(pilot=ratings, pilot_judges=judges, raters=[5], bootstrap=20)
    assert "Enlarge the pilot to narrow the plan: it may take" in plan.summary()
    assert "Nearer to people A " in " ".join(plan.summary(details=True).split())


def test_the_chart_is_a_heat_map_of_the_grid():
    plan = plan_raters(effect=0.1, budget=600)
    [heat] = (figure.spec for figure in section_of(plan).figures())
    cells = {(cell["down"], cell["across"]): cell["strength"] for cell in heat["data"]["values"]}
    assert cells == {(f"{design.items:,}", str(design.raters)): design.power for design in plan.grid}
    assert main_chart(plan).to_svg().startswith("<svg")


def test_a_plan_without_a_recommendation_shows_too():
    plan = plan_raters(effect=0.01, metric="mae", items=[25], raters=[1])
    assert isinstance(plan, PlanRatersResult)
    assert "None of these designs finds the difference 80% of the time." in plan.summary().replace("\n", " ")


def test_the_closed_form_for_mae_warns_that_it_is_cautious_with_few_items():
    few = plan_raters(metric="mae", effect=0.5, raters=[25], spread=(0.1, 0.1))
    assert few.recommended.items < 30
    assert any("method= simulate" in warning for warning in few.warnings)
    sets = simulated_designs(
        TestSets(
            metric="mae", effect=0.5, spread=(0.1, 0.1), pairs=((25, 25),), sets=2000, items=few.recommended.items
        ),
        [few.recommended.items],
        alpha=0.05,
    )
    assert sets[few.recommended.items, 25, 25].power > few.recommended.power - 0.02
