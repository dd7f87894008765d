"""Which judge can stand in for people: in words, in tables and in charts."""

import dataclasses
import json
import math

import pytest

from dissensus.data import read, read_judges, read_task
from dissensus.data.paths import example_path
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.advice import choice_of, kinds_of, rank_correlation
from dissensus.methods.judges.result import (
    Advice,
    Bias,
    Constant,
    DefinitionResult,
    Downstream,
    FlipPoint,
    JudgesResult,
    JudgeValue,
    OrderFlips,
    OwnBeta,
    Perfect,
    Person,
    Redundancy,
    ReverseMatrix,
    Sensitivity,
)
from dissensus.report.document import Figure, Fold, Points, Table
from dissensus.report.html import fragment_of
from dissensus.report.numbers import table_cells
from dissensus.report.text import text_of
from dissensus.report.views.judge_words import (
    NAMES,
    bias_sentence,
    drawn_judges,
    in_words,
    pick_in_short,
    sweep_finding,
)
from dissensus.report.views.judges import ASK_DECIDE
from dissensus.report.views.section import section_of

NAN = math.nan
SCRIPT = "<script>alert(1)</script>"
SETTINGS = {
    "judge": ["a", "b", "c"],
    "positive": ["yes"],
    "tau": (0.5,),
    "bootstrap": 500,
    "confidence": 0.95,
    "seed": 0,
    "mapping": "keep",
    "items": 200,
}


def definition(id_, values, *, better="higher", how="hard", tau=None, shares=None, **changes):
    """A definition with values by judge; ranks counted here, ties share the better one."""
    sign = 1 if better == "higher" else -1
    known = {judge: sign * value for judge, value in values.items() if not math.isnan(value)}
    made = tuple(
        JudgeValue(
            judge=judge,
            value=value,
            low=value - 0.05,
            high=value + 0.05,
            rank=1 + sum(other > known[judge] for other in known.values()) if judge in known else None,
            share_best=(shares or {}).get(judge, 0.0),
            tied_items=0,
        )
        for judge, value in values.items()
    )
    name = next((name for name in sorted(NAMES, key=len, reverse=True) if id_.startswith(name)), id_)
    best = next((value.judge for value in made if value.rank == 1), None)
    return DefinitionResult(
        id=id_,
        definition=name,
        better=better,
        tau=tau,
        selected=best,
        tied_items=0,
        values=made,
        **{"judge_aggregation": how, "human_aggregation": how} | changes,
    )


DEFINITIONS = (
    definition("hit_rate", {"a": 0.7, "b": 0.8, "c": 0.5}),
    definition("jsd", {"a": 0.1, "b": 0.2, "c": 0.3}, better="lower", how="soft", shares={"a": 0.97, "b": 0.03}),
    definition("mse_hard", {"a": 0.6, "b": 0.4, "c": 1.0}, better="lower"),
    definition("mse_soft", {"a": 0.2, "b": 0.3, "c": 0.4}, better="lower", how="soft"),
    definition("predictive_efficiency_hrs_hrs_0.5", {"a": 1.2, "b": 1.1, "c": 1.0}, better="lower", tau=0.5),
)


def decided(judge, consistency, bias=0.0, tau=0.5):
    ends = {"consistency_low": consistency - 0.05, "consistency_high": consistency + 0.05}
    return Downstream(
        tau=tau,
        judge=judge,
        consistency=consistency,
        bias=bias,
        bias_low=bias - 0.03,
        bias_high=bias + 0.03,
        kappa=NAN,
        **ends,
    )


DECISIONS = (
    decided("a", 0.81, -0.02),
    decided("b", 0.74, 0.12),
    decided("c", 0.6, 0.2),
    decided("always-positive", 0.35, 0.65),
    decided("always-negative", 0.65, -0.35),
)


def found(*, settings=None, **changes):
    return JudgesResult(
        settings=SETTINGS | (settings or {}),
        data={"ratings": {"file": "ratings.csv", "sha256": "ab" * 32, "format": "tidy", "rows": 900}},
        **{
            "definitions": DEFINITIONS,
            "downstream": DECISIONS,
            "recommended": "jsd",
            "advice": (Advice(text="Select by jsd: a.", reason="Forced choices only. jsd stays finite."),),
            "redundant": (Redundancy(definitions=("hit_rate", "mse_hard"), reason="the same squared"),),
        }
        | changes,
    )


@pytest.fixture(scope="module")
def real():
    """The bundled ratings: response sets, paired ratings and decisions at three thresholds."""
    folder = example_path("toxicity")
    task = read_task(folder / "task.toml")
    ratings, judges = read(folder / "ratings.csv", task=task), read_judges(folder / "judges.csv", task=task)
    return rank_judges(ratings, judges, task=task, tau=(0.3, 0.5, 0.7), bootstrap=40)


def figures(result):
    return section_of(result).figures()


def table(result, start) -> Table:
    parts = [part.table if isinstance(part, Figure) else part for part in section_of(result).parts()]
    [own] = [part for part in parts if isinstance(part, Table) and part.caption.startswith(start)]
    return own


def points(result, title):
    [own] = [b for b in section_of(result).parts() if isinstance(b, Points) and b.title.startswith(title)]
    return list(own.texts)


# Words


def lead(*definitions, **changes):
    return pick_in_short(choice_of(found(definitions=definitions, **{"downstream": ()} | changes)))


def beside(constant, *, of=DEFINITIONS[1], **changes):
    return dataclasses.replace(of, constant=Constant(answer=constant[0], value=constant[1]), **changes)


def test_the_answer_says_which_judge_is_closest_and_what_a_constant_has():
    assert lead(*DEFINITIONS) == (
        "Without recalibration, a is closest to people: Jensen-Shannon divergence 0.10 (lower is better)."
    )
    assert lead(beside(("no", 0.18))) == (
        "Without recalibration, a is closest to people, and closer than always answering no: Jensen-Shannon "
        "divergence 0.10 against 0.18 (lower is better)."
    )
    assert lead(beside(({"no": 0.7, "yes": 0.3}, 0.14))) == (  # a has 0.10 [0.05, 0.15]
        "Without recalibration, a is closest to people, but not shown to beat always answering the overall "
        "shares: Jensen-Shannon divergence 0.10 against 0.14 (lower is better)."
    )


def test_no_judge_is_picked_by_a_measure_on_which_a_constant_is_better():
    values = tuple(dataclasses.replace(value, beats_constant=False) for value in DEFINITIONS[1].values)
    beaten = dataclasses.replace(
        DEFINITIONS[1], values=values, selected=None, constant=Constant(answer="5", value=0.05, reduced=0.06),
        person=Person(value=0.04, items=200), perfect=Perfect(value=0.025, low=0.02, high=0.03),
    )  # fmt: skip
    result = found(definitions=(DEFINITIONS[0], beaten), recommended=None, measure="jsd", downstream=())
    assert section_of(result).lead == (
        "Without recalibration, no judge beats always answering 5; the best is a: Jensen-Shannon "
        "divergence 0.10 against 0.05 (lower is better)."
    )
    rows = section_of(result).main_table().rows
    assert [row[0] for row in rows] == ["a", "b", "c", "(always 5)", "(one more person)", "(a perfect judge)"]
    assert [row[2] for row in rows[3:]] == ["0.06", "0.04", "0.02-0.03"]


def test_a_judge_that_is_not_surely_the_best_is_named_with_its_rival():
    shares = {"a": 0.6, "b": 0.4}
    unsure = definition("jsd", {"a": 0.1, "b": 0.2}, better="lower", how="soft", shares=shares)
    assert lead(unsure) == (
        "Without recalibration, a looks closest to people, but b may be as close: Jensen-Shannon "
        "divergence 0.10 against 0.20 (lower is better)."
    )


def test_one_judge_is_held_against_the_constant():
    alone = dataclasses.replace(DEFINITIONS[1], values=DEFINITIONS[1].values[:1])
    said = (
        "Without recalibration, a is closer to people than always answering no: Jensen-Shannon divergence 0.10 against "
        "0.18 (lower is better)."
    )
    assert lead(beside(("no", 0.18), of=alone)) == said
    assert " a is not shown to beat always answering no: " in lead(beside(("no", 0.14), of=alone))
    assert " a has nothing to be compared with: Jensen-Shannon divergence 0.10 " in lead(alone)


def test_of_one_judge_the_tables_have_no_contest():
    alone = tuple(dataclasses.replace(d, values=d.values[:1], selected="a") for d in DEFINITIONS[1:2])
    result = found(definitions=alone, downstream=(DECISIONS[0], *DECISIONS[3:]), sensitivity=single_sweep())
    assert list(section_of(result).main_table().columns) == ["Judge", "Value", "Decisions", "Bias"]
    assert list(table(result, "The judge by each definition").columns) == ["Definition", "Best", "Value", "Constant"]
    page = " ".join(result.summary(details=True).split())
    assert "Rests on 200 items." in page
    assert "Best in" not in page
    assert "a decides like people, on 81% of the items at tau 0.5" in page
    assert "a decides as people do on 60% to 80% of the items, depending on beta" in page


def test_none_is_explained_only_where_it_is_shown():
    for beats, is_shown in ((True, False), (False, True)):
        one = DEFINITIONS[1]
        values = tuple(dataclasses.replace(value, beats_constant=beats) for value in one.values)
        result = found(definitions=(dataclasses.replace(one, values=values),))
        text = " ".join(result.summary(details=True).split())
        assert ("'None' means that no judge beats the best constant answer." in text) is is_shown
        assert ("low none " in text) is is_shown


def test_a_bias_says_against_what_it_is():
    bias = Bias(
        judge="a", kind="group", about="bot", value=-0.23, low=-0.37, high=-0.09, p_value=0.001, p_holm=0.01, items=90,
        unit="labels",
    )  # fmt: skip
    said = "a scores the group bot lower than people do, set against other items: by 0.23 [0.09, 0.37]."
    assert bias_sentence(bias) == said
    said = "a favours the group bot more than people do, set against other items: +0.23 [+0.09, +0.37]."
    assert bias_sentence(dataclasses.replace(bias, value=0.23, low=0.09, high=0.37)) == said
    turned = dataclasses.replace(bias, kind="position", about=None, unit="wins")
    assert bias_sentence(turned) == "a scores what is shown first lower: by 23.0 pt [9.0, 37.0]."


def single_sweep():
    return tuple(
        Sensitivity(beta=beta, tau=0.5, prevalence=0.2, selected={}, best="a", consistency={"a": share})
        for beta, share in ((0.0, 0.8), (0.1, 0.6))
    )


def tie_of(*names):
    """Definitions that cannot tell these judges apart."""
    return (
        definition("jsd", dict.fromkeys(names, 0.1), better="lower", how="soft", shares=dict.fromkeys(names, 0.5)),
        definition("hit_rate", dict.fromkeys(names, 0.8)),
    )


def test_judges_that_tie_are_not_told_to_be_picked():
    result = found(definitions=tie_of("a", "b"), redundant=(), downstream=())
    assert section_of(result).lead == (
        "Without recalibration, a and b are equally close to people: Jensen-Shannon divergence 0.10 (lower is better)."
    )


def test_no_bias_has_no_sign():
    result = found(
        downstream=(decided("a", 0.8, 0.0004), decided("b", 0.7, 0.1), decided("c", 0.6, -0.1), DECISIONS[4])
    )
    assert [row[4] for row in section_of(result).main_table().rows] == ["0", "+10", "-10"]


def test_decisions_are_held_against_a_constant():
    beaten = found(downstream=(*DECISIONS[:3], decided("always-negative", 0.94)))
    assert figures(beaten)[0].title.endswith("on 81% of the items at tau 0.5, no more than a constant")


def test_no_value_at_all_is_no_answer():
    empty = definition("jsd", {"a": NAN, "b": NAN}, better="lower")
    section = section_of(found(definitions=(empty,), downstream=(), advice=(), warnings=("No ratings.",)))
    assert section.lead == "No judge can be ranked here; the warnings say why."


def test_ids_become_words_but_only_whole_ones():
    text = "Select by jsd: jsd-judge. hit_rate would take my_hit_rate."
    assert in_words(text, DEFINITIONS) == (
        "Select by Jensen-Shannon divergence: jsd-judge. Hit rate would take my_hit_rate."
    )


def test_outside_folds_stand_the_judges_what_to_do_and_the_decisions():
    rows, flips = sweep()
    advice = tuple(Advice(text=f"Do {i}.", reason="Because.") for i in range(4))
    result = found(sensitivity=rows, flip_points=flips, advice=(*found().advice, *advice))
    blocks = section_of(result).blocks
    assert [type(block).__name__ for block in blocks if not isinstance(block, Fold)] == [
        "Table",
        "Note",
        "Points",
        "Figure",
    ]
    # Whom to select is in the lead already.
    assert section_of(result).brief().notes == [ASK_DECIDE.text, "Do 0.", "Do 1."]
    assert [block.title for block in blocks if isinstance(block, Fold)] == [
        "Advice, with reasons",
        "What each definition says",
        "What if forced choices hide positive options?",
        "How this was computed",
    ]
    [fold] = [block for block in blocks if isinstance(block, Fold) and "reasons" in block.title]
    assert fold.parts[0].texts[0] == (
        "Select by Jensen-Shannon divergence: a. Forced choices only. Jensen-Shannon divergence stays finite."
    )
    assert fold.parts[0].texts[4] == "Do 3. Because."


def test_own_betas_and_flips_with_the_order_are_rows():
    betas = (
        OwnBeta(judge="a", beta=0.32, low=0.2, high=0.4, items=50),
        OwnBeta(judge="b", beta=NAN, low=NAN, high=NAN, items=9),  # it never chose a negative option
    )
    flips = (OrderFlips(judge="a", items=40, share=0.1), OrderFlips(judge="b", items=40, share=0.25))
    result = found(own_beta=betas, order_flips=flips)
    assert [list(row) for row in table(result, "Beta of the judges").rows] == [
        ["a", "0.32 [0.20, 0.40]", 50],
        ["b", None, 9],
    ]
    assert [list(row) for row in table(result, "How often the answer changes").rows] == [
        ["b", "25%", 40],
        ["a", "10%", 40],
    ]


# Tables


def test_redundant_definitions_share_a_row():
    rows = [
        table_cells(table(found(), "The judge that each"), row) for row in table(found(), "The judge that each").rows
    ]
    assert rows[0] == ["Hit rate; squared error of labels", "high", "b", "0.80 [0.75, 0.85]", "-", "0%"]
    assert rows[1] == ["Jensen-Shannon divergence", "low", "a", "0.10 [0.05, 0.15]", "-", "97.0%"]
    assert [kind.first.id for kind in kinds_of(found(), 0.5)][:3] == ["hit_rate", "jsd", "mse_soft"]


def test_each_judge_has_one_row_with_decisions_and_bias():
    rows = [list(row) for row in section_of(found()).main_table().rows]
    assert rows[0] == ["a", "0.10 [0.05, 0.15]", "97%", "81%", "-2"]
    assert rows[1] == ["b", "0.20 [0.15, 0.25]", "3%", "74%", "+12"]


def test_judges_that_tie_are_said_to_tie():
    tied = definition("hit_rate", {"a": 0.8, "b": 0.8, "c": 0.5})
    rows = table(found(definitions=(tied, DEFINITIONS[1])), "The judge that each").rows
    assert rows[0][2] == "a (tie of 2)"


def test_the_reverse_matrix_is_a_table_of_what_choices_stand_for():
    values = ((0.7, 0.0, 0.3), (0.0, 0.995, 0.005))
    matrix = ReverseMatrix(
        options=("yes", "no"),
        response_sets=("yes", "no", "yes|no"),
        values=values,
        low=values,
        high=values,
        pairs=30,
        paired_by="rater",
    )
    rows = table(found(reverse_matrix=matrix), "What those who chose").rows
    assert [list(row) for row in rows] == [
        ["yes", "yes", "0.70 [0.70, 0.70]"],
        ["yes", "yes and no", "0.30 [0.30, 0.30]"],
        ["no", "no", "0.99 [0.99, 0.99]"],
    ]  # .005 is left out


def test_the_first_table_is_that_of_the_judges_and_fits_80_columns(real):
    assert section_of(real).main_table().caption.startswith("Squared error of response sets (lower is better)")
    assert max(len(line) for line in text_of(real).splitlines()) <= 80


# Charts


def test_rank_correlation_is_kendalls_tau():
    # Of the three pairs of judges hit rate (b, a, c) and jsd (a, b, c) order two alike and one the other way: 1/3.
    kinds = kinds_of(found(), 0.5)
    assert rank_correlation(kinds[0], kinds[1]) == pytest.approx(1 / 3)
    assert rank_correlation(kinds[1], kinds[2]) == 1
    assert rank_correlation(kinds[1], kinds[3]) == -1


def test_the_chart_of_ranks_puts_the_definition_to_select_by_first_and_the_least_alike_last():
    order = [kind.first.id for kind in choice_of(found()).closest_first()]
    assert order == ["jsd", "mse_soft", "hit_rate", "predictive_efficiency_hrs_hrs_0.5"]
    [figure] = [figure for figure in figures(found()) if figure.title == "a comes first by 2 of 3 definitions"]
    rows = figure.spec["data"]["values"]
    assert [(row["series"], row["rank"]) for row in rows[:3]] == [("a", 1), ("b", 2), ("c", 3)]


def test_every_chart_has_a_finding_a_caption_data_and_json_without_nan(real):
    drawn = figures(real)
    assert len(drawn) == 2  # decisions and ranks; people's sets are estimated, so there is no sweep
    for figure in drawn:
        assert isinstance(figure, Figure)
        assert figure.title
        assert figure.caption
        assert figure.table is not None
        json.dumps(figure.spec, allow_nan=False)


def test_decisions_at_one_threshold_are_dots_with_whiskers_and_a_line_at_the_better_constant():
    figure = next(figure for figure in figures(found()) if "decides most like people" in figure.title)
    assert figure.title == "a decides most like people, on 81% of the items at tau 0.5"
    rules = [layer["encoding"]["x"] for layer in figure.spec["layer"] if layer["mark"]["type"] == "rule"]
    assert rules[0] == {"datum": 0.65}


def sweep():
    def row(beta, best, prevalence):
        own = {"a": 0.8 - beta, "b": 0.6 + beta, "c": 0.5}
        return Sensitivity(beta=beta, tau=0.5, prevalence=prevalence, selected={"jsd": "a"}, best=best, consistency=own)

    flip = FlipPoint(definition=None, tau=0.5, beta_from=0.1, beta_to=0.1, judge_from="a", judge_to="b")
    return (row(0.0, "a", 0.2), row(0.1, "b", 0.3), row(0.2, "b", 0.45)), (flip,)


def test_the_sweep_tells_where_the_best_judge_changes_and_how_prevalence_moves():
    rows, flips = sweep()
    swept = next(f for f in figures(found(sensitivity=rows, flip_points=flips)) if "up to beta" in f.title)
    assert swept.title == "a decides most like people up to beta 0.10, then b"
    assert [row[1] for row in swept.table.rows] == [0.2, 0.3, 0.45]
    [constants] = [
        layer
        for layer in swept.spec["layer"]
        if layer["mark"].get("style") == "reference" and "data" in layer and "name" in layer["data"]["values"][0]
    ]
    # Who calls every item positive decides as people do on those that they call positive.
    assert [row["y"] for row in constants["data"]["values"] if row["name"] == "always positive"] == [0.2, 0.3, 0.45]
    assert sweep_finding(rows[1:], ()) == "No judge decides more like people than b, at any beta from 0.1 to 0.2"


def test_more_judges_than_colours_keep_those_that_some_definition_picks():
    names = [f"j{i}" for i in range(12)]
    by_jsd = definition("jsd", {name: i / 20 for i, name in enumerate(names)}, better="lower", how="soft")
    by_hits = definition("hit_rate", {name: i / 20 for i, name in enumerate(names)})
    result = found(definitions=(by_jsd, by_hits), downstream=(), redundant=())
    assert drawn_judges(choice_of(result)) == [*names[:7], "j11"]
    assert "4 more judges are in the table only." in figures(result)[0].caption


# Everything together


def test_names_of_judges_are_text_and_nothing_else():
    renamed = tuple(
        dataclasses.replace(d, values=(dataclasses.replace(d.values[0], judge=SCRIPT), *d.values[1:]))
        for d in DEFINITIONS
    )
    result = found(definitions=renamed, downstream=(dataclasses.replace(DECISIONS[0], judge=SCRIPT), *DECISIONS[1:]))
    assert SCRIPT not in fragment_of(result)
    assert "&lt;script&gt;alert(1)" in fragment_of(result)


def test_the_text_of_a_small_result(golden):
    rows, flips = sweep()
    assert text_of(found(sensitivity=rows, flip_points=flips)) == golden("judges.txt")


def test_the_fragment_of_a_small_result(golden):
    assert fragment_of(found()) == golden("judges_fragment.html")


def test_where_no_answer_is_a_label_of_people_judges_are_not_ranked():
    # The largest Jensen-Shannon divergence is ln 2: the shares have no label in common.
    never = (
        definition("jsd", {"a": math.log(2), "b": math.log(2)}, better="lower", how="soft"),
        definition("hit_rate", {"a": 0.0, "b": 0.0}),
    )
    for options, remedy in ((["1", "2.5", "7"], "compare` (mae, spearman)"), (["x", "y"], "spell the labels")):
        section = section_of(
            found(definitions=never, downstream=(), redundant=(), advice=(), settings={"options": options})
        )
        assert section.lead.endswith("they almost never give a label that people gave.")
        assert remedy in section.brief().notes[0]


def test_warnings_that_ask_for_something_are_notes_and_others_are_folded():
    asks, explains = "Check predictive_efficiency_hrs_hrs_0.5.", "a, b tie for best by jsd: the first is selected."
    section = section_of(found(warnings=(asks, explains, "Left out 3 items.")))
    assert section.brief().notes == [ASK_DECIDE.text, "Check size of the judge's set, tau 0.5."]
    *_, computed, _, more = section.blocks
    assert computed.parts[0].texts[-1] == "a, b tie for best by Jensen-Shannon divergence: the first is selected."
    assert [part.text for part in more.parts] == ["Left out 3 items."]
