"""Which judge can stand in for people: in words, in tables and in charts."""

import dataclasses
import json
import math

import pytest

from dissensus.data import read, read_judges, read_task
from dissensus.data.examples import example_path
from dissensus.errors import DissensusError
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.choice import choice_of, kinds_of, rank_correlation
from dissensus.methods.judges.result import (
    Advice,
    Constant,
    DefinitionResult,
    Downstream,
    FlipPoint,
    Inversion,
    JudgesResult,
    JudgeValue,
    OrderFlips,
    OwnBeta,
    Perfect,
    Person,
    Redundancy,
    ReverseMatrix,
    Sensitivity,
    Violation,
)
from dissensus.report.document import Figure, Fold, Note, Points, Table
from dissensus.report.html import fragment_of
from dissensus.report.numbers import table_cells
from dissensus.report.text import text_of
from dissensus.report.views import section_of
from dissensus.report.views.judge_charts import drawn_judges
from dissensus.report.views.judge_words import (
    NAMES,
    below_constant,
    elsewhere_sentence,
    in_words,
    pick_in_short,
    sweep_finding,
)

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
    name = next(name for name in sorted(NAMES, key=len, reverse=True) if id_.startswith(name))
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
            "advice": (Advice(text="Select by jsd: a.", reason="Forced choices only. jsd is the safest."),),
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


def one_line(text):
    return " ".join(text.split())


def figures(result):
    return section_of(result).figures()


def table(result, start) -> Table:
    [own] = [b for b in section_of(result).parts() if isinstance(b, Table) and b.caption.startswith(start)]
    return own


def points(result, title):
    [own] = [b for b in section_of(result).parts() if isinstance(b, Points) and b.title.startswith(title)]
    return list(own.texts)


# Words


def test_the_answer_says_whom_to_pick_how_surely_and_what_a_constant_has():
    assert pick_in_short(choice_of(found())) == one_line(
        """Pick "a": by Jensen-Shannon divergence it stands in for people best, and is the best in 97.0% of the
        bootstrap samples."""
    )
    beside = dataclasses.replace(DEFINITIONS[1], constant=Constant(answer="no", value=0.18))
    assert pick_in_short(choice_of(found(definitions=(DEFINITIONS[0], beside)))).endswith(
        'It has 0.100, always answering "no" 0.180 (lower is better).'
    )
    close = dataclasses.replace(DEFINITIONS[1], constant=Constant(answer={"no": 0.7, "yes": 0.3}, value=0.14))
    said = pick_in_short(choice_of(found(definitions=(DEFINITIONS[0], close))))  # a has 0.100 [0.050, 0.150]
    assert said.startswith('Lean towards "a"')
    assert said.endswith(
        "always answering the overall shares 0.140 (lower is better). That it beats the constant is not shown."
    )


def test_no_judge_is_picked_by_a_measure_on_which_a_constant_is_better():
    values = tuple(dataclasses.replace(value, beats_constant=False) for value in DEFINITIONS[1].values)
    beaten = dataclasses.replace(
        DEFINITIONS[1], values=values, selected=None, constant=Constant(answer="5", value=0.05, reduced=0.06),
        person=Person(value=0.04, items=200), perfect=Perfect(value=0.025, low=0.02, high=0.03),
    )  # fmt: skip
    result = found(definitions=(DEFINITIONS[0], beaten), recommended=None, measure="jsd", downstream=())
    assert section_of(result).lead == (
        'No judge beats always answering 5 (Jensen-Shannon divergence 0.050, "a" 0.100, one more person 0.040; '
        "lower is better)."
    )
    rows = table(result, "The judges, best first").rows
    assert [row[0] for row in rows] == ["a", "b", "c", "always answering 5", "one more person", "a perfect judge"]
    assert [row[2] for row in rows[3:]] == ["0.060", "0.040", "0.020 to 0.030"]


def test_a_judge_that_is_not_surely_the_best_is_leaned_towards():
    shares = {"a": 0.6, "b": 0.4}
    unsure = definition("jsd", {"a": 0.1, "b": 0.2}, better="lower", how="soft", shares=shares)
    said = pick_in_short(choice_of(found(definitions=(unsure,), downstream=())))
    assert said.startswith('Lean towards "a": by Jensen-Shannon divergence')
    assert "is the best in 60.0% of the bootstrap samples" in said


def test_a_judge_that_a_constant_beats_is_called_that_in_the_answer_and_beside_the_chart():
    result = found(downstream=(*DECISIONS[:4], decided("always-negative", 0.94, -0.06)))
    assert pick_in_short(choice_of(result)).endswith(
        "Mind that calling no item positive, without looking, decides as people do on 94.0% of the items, this judge "
        "on 81.0%."
    )
    [note] = [block for block in section_of(result).blocks if isinstance(block, Note)]
    assert note.text == one_line(
        """At tau 0.5 "a" (81.0%), "b" (74.0%) and "c" (60.0%) are no better than a constant: calling no item positive,
        without looking, decides as people do on 94.0% of the items."""
    )


def test_only_judges_at_or_below_the_better_constant_are_below_it():
    assert below_constant(DECISIONS).startswith('At tau 0.5 "c" (60.0%) is no better than a constant: calling no item')
    assert below_constant(DECISIONS[:2] + DECISIONS[3:]) == ""
    elsewhere = [dataclasses.replace(row, tau=0.3) for row in DECISIONS]
    assert elsewhere_sentence([*DECISIONS, *elsewhere], 0.5) == (
        "Without looking, a constant does at least as well at tau 0.3 as 1 of 3 judges."
    )


def test_without_a_positive_option_a_hint_says_how_to_see_what_follows():
    blocks = section_of(found(downstream=())).blocks
    [hint] = [block for block in blocks if isinstance(block, Note)]
    assert hint.kind == "hint"
    assert "with positive=" in hint.text


def test_one_judge_is_no_choice():
    alone = tuple(dataclasses.replace(d, values=d.values[:1], selected="a") for d in DEFINITIONS[1:2])
    said = pick_in_short(choice_of(found(definitions=alone, downstream=(DECISIONS[0], *DECISIONS[3:]))))
    assert said == (
        'There is one judge only, "a": nothing to choose between. It decides as people do on 81.0% of the items.'
    )


def test_of_one_judge_the_table_has_no_contest():
    alone = tuple(dataclasses.replace(d, values=d.values[:1], selected="a") for d in DEFINITIONS[1:2])
    result = found(definitions=alone, downstream=(DECISIONS[0], *DECISIONS[3:]))
    assert list(table(result, "The judge by").columns) == [
        "Judge",
        "Jensen-Shannon divergence",
        "Decides alike",
        "Bias",
    ]
    assert "What each definition says about it" in [b.title for b in section_of(result).blocks if isinstance(b, Fold)]
    assert list(table(result, "What each definition says of it").columns) == ["Definition", "Aim", "Value", "Constant"]
    told = " ".join(text for part in section_of(result).parts() if isinstance(part, Points) for text in part.texts)
    assert "The judge is compared with people on 200 items." in told
    assert "All judges" not in told
    assert "Best in" not in told


def test_of_one_judge_nothing_is_called_the_most():
    alone = tuple(dataclasses.replace(d, values=d.values[:1], selected="a") for d in DEFINITIONS[1:2])
    taus = tuple(decided(judge, 0.8, -0.06, tau) for tau in (0.3, 0.5) for judge in ("a", "always-negative"))
    rows = tuple(dataclasses.replace(row, consistency={"a": 0.8 - row.beta}, best="a") for row in sweep()[0])
    result = found(definitions=alone, downstream=taus, sensitivity=rows)
    titles = [figure.title for figure in figures(result)]
    assert '"a" calls 6.0 points fewer items positive than people do, at tau 0.5' in titles
    assert '"a" decides as people do on 60% to 80% of the items, depending on beta' in titles
    assert not any("most" in title or "furthest" in title for title in titles)
    page = text_of(result)
    assert "another judge" not in page


def tie_of(*names):
    """Definitions that cannot tell these judges apart."""
    return (
        definition("jsd", dict.fromkeys(names, 0.1), better="lower", how="soft", shares=dict.fromkeys(names, 0.5)),
        definition("hit_rate", dict.fromkeys(names, 0.8)),
    )


def test_judges_that_tie_are_not_told_to_be_picked():
    result = found(definitions=tie_of("a", "b"), redundant=(), downstream=())
    section = section_of(result)
    assert section.lead == ('By Jensen-Shannon divergence "a" and "b" are equally near to people.')


def test_no_bias_has_no_sign():
    result = found(
        downstream=(decided("a", 0.8, 0.0004), decided("b", 0.7, 0.1), decided("c", 0.6, -0.1), DECISIONS[4])
    )
    assert [row[4] for row in table(result, "The judges, best first").rows] == ["0.0 pt", "+10.0 pt", "-10.0 pt"]


def test_judges_that_decide_alike_share_the_title():
    result = found(downstream=(decided("a", 0.8), decided("b", 0.8), decided("c", 0.6), DECISIONS[4]))
    assert '"a" and "b" decide most like people: on 80% of the items at tau 0.5' in [f.title for f in figures(result)]


def test_a_band_says_whose_it_is():
    taus = tuple(decided(judge, 0.8, -0.06, tau) for tau in (0.3, 0.5) for judge in ("a", "b", "c", "always-negative"))
    captions = [figure.caption for figure in figures(found(downstream=taus)) if "people" in figure.title]
    assert sum('The band around "a" holds 95% intervals' in caption for caption in captions) == 2


def test_no_value_at_all_is_no_answer():
    empty = definition("jsd", {"a": NAN, "b": NAN}, better="lower")
    section = section_of(found(definitions=(empty,), downstream=(), advice=(), warnings=("No ratings.",)))
    assert section.lead == "Which judge can stand in for people is undefined here (the warnings say why)."


def test_ids_become_words_but_only_whole_ones():
    text = "Select by jsd: jsd-judge. hit_rate would take my_hit_rate."
    assert in_words(text, DEFINITIONS) == (
        "Select by Jensen-Shannon divergence: jsd-judge. Hit rate would take my_hit_rate."
    )


def test_who_decides_reads_judges_advice_and_decisions_and_may_leave_the_rest_folded():
    rows, flips = sweep()
    blocks = section_of(found(sensitivity=rows, flip_points=flips)).blocks
    shown = [type(block).__name__ for block in blocks if not isinstance(block, Fold)]
    assert shown == ["Table", "Points", "Paragraph", "Note", "Figure"]
    assert [block.title for block in blocks if isinstance(block, Fold)] == [
        "What each definition picks, and where they disagree",
        "What if forced choices hide positive options?",
        "How this was computed",
    ]


def test_advice_has_its_reason_and_names_definitions_in_words():
    assert points(found(), "What to do, and why") == [
        "Select by Jensen-Shannon divergence: a. Forced choices only. Jensen-Shannon divergence is the safest."
    ]


def test_after_three_pieces_of_advice_the_rest_is_folded():
    advice = tuple(Advice(text=f"Do {i}.", reason="Because.") for i in range(6))
    blocks = section_of(found(advice=advice)).blocks
    [shown] = [block for block in blocks if isinstance(block, Points)]
    assert list(shown.texts) == [f"Do {i}. Because." for i in range(3)]
    [fold] = [block for block in blocks if isinstance(block, Fold) and "advice" in block.title]
    assert (fold.title, list(fold.parts[0].texts)) == (
        "3 more pieces of advice",
        ["Do 3. Because.", "Do 4. Because.", "Do 5. Because."],
    )


def test_disagreements_name_judges_definitions_and_one_item():
    inversion = Inversion(judge_a="a", judge_b="b", prefer_a=("jsd", "mse_soft"), prefer_b=("hit_rate", "mse_hard"))
    item = Violation(
        definition_a="hit_rate",
        definition_b="jsd",
        item="item-7",
        judge_a="b",
        judge_b="a",
        values_a=(1.0, 0.0),
        values_b=(0.157, 0.058),
    )
    said = points(found(inversions=(inversion,), violations=(item,)), "Where definitions disagree")
    assert said == [
        '"a" or "b"? 2 definitions prefer "a", 1 prefers "b": hit rate.',
        one_line(
            """Why they can disagree, on one item: on "item-7" hit rate prefers "b" (1.00 against 0.00 of "a", higher is
            better), but Jensen-Shannon divergence prefers "a" (0.06 against 0.16, lower is better)."""
        ),
    ]


def test_own_betas_and_flips_with_the_order_are_told_in_words():
    betas = (
        OwnBeta(judge="a", beta=0.32, low=0.2, high=0.4, items=50),
        OwnBeta(judge="b", beta=NAN, low=NAN, high=NAN, items=9),
    )
    flips = (OrderFlips(judge="a", items=40, share=0.1), OrderFlips(judge="b", items=40, share=0.25))
    result = found(own_beta=betas, order_flips=flips)
    assert points(result, "The judges' own beta") == [
        '"a": beta 0.32 [0.20, 0.40], from 50 items that it answered in both ways.',
        '"b" never chose a negative option, so it has no beta of its own.',
    ]
    assert points(result, "Does the order")[0].startswith('"b" answers otherwise on 25.0% of the 40 pairs')


# Tables


def test_redundant_definitions_share_a_row():
    rows = [
        table_cells(table(found(), "The judge that each"), row) for row in table(found(), "The judge that each").rows
    ]
    assert rows[0] == ["Hit rate; squared error of labels (label)", "high", "b", "0.80 [0.75, 0.85]", "-", "0%"]
    assert rows[1] == ["Jensen-Shannon divergence (shares)", "low", "a", "0.10 [0.05, 0.15]", "-", "97.0%"]
    assert [kind.first.id for kind in kinds_of(found(), 0.5)][:3] == ["hit_rate", "jsd", "mse_soft"]


def test_each_judge_has_one_row_with_decisions_and_bias():
    rows = [
        table_cells(table(found(), "The judges, best first"), row) for row in table(found(), "The judges, best").rows
    ]
    assert rows[0] == ["a", "0.100 [0.050, 0.150]", "97.0%", "81.0%", "-2.0 pt"]
    assert rows[1] == ["b", "0.200 [0.150, 0.250]", "3.0%", "74.0%", "+12.0 pt"]


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
    rows = table(found(reverse_matrix=matrix), "What a forced choice stands for").rows
    assert [list(row) for row in rows] == [
        ["yes", "yes", "0.70 [0.70, 0.70]"],
        ["yes", "yes and no", "0.30 [0.30, 0.30]"],
        ["no", "no", "0.99 [0.99, 0.99]"],
    ]  # .005 is left out


def test_an_item_on_which_definitions_disagree_shows_numbers_that_differ():
    violation = Violation(
        item="i1",
        judge_a="a",
        judge_b="b",
        definition_a="hit_rate",
        definition_b="jsd",
        values_a=(0.7, 0.6),
        values_b=(0.0123, 0.0117),
    )
    inversion = Inversion(judge_a="a", judge_b="b", prefer_a=("jsd",), prefer_b=("hit_rate",))
    texts = [
        text
        for part in section_of(found(violations=(violation,), inversions=(inversion,))).parts()
        if isinstance(part, Points)
        for text in part.texts
    ]
    [told] = [text for text in texts if text.startswith("Why they can disagree")]
    assert "(0.70 against 0.60 of" in told
    assert "(0.0117 against 0.0123, lower is better)" in told  # with two decimals both would be 0.01


def test_the_first_table_is_that_of_the_judges_and_fits_80_columns(real):
    assert section_of(real).main_table().caption.startswith("The judges, best first")
    assert max(len(line) for line in text_of(real).splitlines()) <= 80


# Charts


def test_rank_correlation_is_kendalls_tau():
    # Of the three pairs of judges hit rate (b, a, c) and jsd (a, b, c) order two alike and one the other way: 1/3.
    kinds = kinds_of(found(), 0.5)
    assert rank_correlation(kinds[0], kinds[1]) == pytest.approx(1 / 3)
    assert rank_correlation(kinds[1], kinds[2]) == 1
    assert rank_correlation(kinds[1], kinds[3]) == -1


def test_the_chart_of_ranks_puts_the_definition_to_select_by_first_and_the_least_alike_last():
    order = [kind.first.id for kind in choice_of(found()).most_alike_first()]
    assert order == ["jsd", "mse_soft", "hit_rate", "predictive_efficiency_hrs_hrs_0.5"]
    [figure] = [figure for figure in figures(found()) if figure.title == "Ranks of the judges by each definition"]
    rows = figure.spec["data"]["values"]
    assert [(row["series"], row["rank"]) for row in rows[:3]] == [("a", 1), ("b", 2), ("c", 3)]
    assert figure.spark == 'place of "a" by each definition |██▅▃| full: first of 3'


def test_every_chart_has_a_finding_a_caption_data_and_json_without_nan(real):
    drawn = figures(real)
    assert len(drawn) == 4  # ranks, likeness, decisions, bias; people's sets are estimated, so there is no sweep
    for figure in drawn:
        assert isinstance(figure, Figure)
        assert figure.title
        assert figure.caption
        assert figure.table is not None
        assert figure.spark is not None
        json.dumps(figure.spec, allow_nan=False)


def test_decisions_at_one_threshold_are_dots_with_whiskers_and_a_line_at_the_better_constant():
    figure = next(figure for figure in figures(found()) if "decides most like people" in figure.title)
    assert figure.title == '"a" decides most like people: on 81% of the items at tau 0.5'
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
    titles = [figure.title for figure in figures(found(sensitivity=rows, flip_points=flips))]
    assert '"a" decides most like people up to beta 0.10, from there on "b"' in titles
    assert "Between 20% and 45% of the items are positive at tau 0.5, depending on beta" in titles
    swept = next(f for f in figures(found(sensitivity=rows, flip_points=flips)) if "up to beta" in f.title)
    [constants] = [
        layer
        for layer in swept.spec["layer"]
        if layer["mark"].get("style") == "reference" and "data" in layer and "name" in layer["data"]["values"][0]
    ]
    # Who calls every item positive decides as people do on those that they call positive.
    assert [row["y"] for row in constants["data"]["values"] if row["name"] == "always positive"] == [0.2, 0.3, 0.45]
    assert sweep_finding(rows[2:], ()) == '"b" decides most like people whatever beta is, from beta 0.2 to 0.2'


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


def test_another_result_is_refused(described):
    from dissensus.report.views.judges import view  # noqa: PLC0415 - only here the view itself is called

    with pytest.raises(DissensusError, match="A DescribeResult cannot be shown as what judges found"):
        view(described())


def test_a_judge_that_decides_no_better_than_a_constant_is_not_one_to_pick():
    tied = found(downstream=(*DECISIONS[:4], decided("always-negative", 0.81, -0.06)))
    assert pick_in_short(choice_of(tied)).startswith(
        'Of these, "a" comes closest to people by Jensen-Shannon divergence'
    )


def test_judges_that_tie_over_beta_are_not_called_the_best_whatever_beta_is():
    def row(beta, alike):
        own = {"a": alike, "b": alike}
        return Sensitivity(beta=beta, tau=0.5, prevalence=0.2, selected={}, best="a", consistency=own)

    assert sweep_finding([row(0.0, 0.8), row(0.5, 0.0)], ()) == (
        'No judge decides more like people than "a" whatever beta is, from beta 0 to 0.5'
    )


def test_where_no_answer_is_a_label_of_people_nothing_is_said_to_be_told():
    # The largest Jensen-Shannon divergence is ln 2: the shares have no label in common.
    never = (
        definition("jsd", {"a": math.log(2), "b": math.log(2)}, better="lower", how="soft"),
        definition("hit_rate", {"a": 0.0, "b": 0.0}),
    )
    result = found(definitions=never, downstream=(), redundant=(), settings={"options": ["1", "2.5", "7"]})
    said = pick_in_short(choice_of(result))
    assert said.startswith("By these definitions nothing can be told")
    assert "`compare` them by mae" in said
    words = found(definitions=never, downstream=(), redundant=(), settings={"options": ["x", "y"]})
    assert pick_in_short(choice_of(words)).endswith("See whether judges spell the labels as people do.")


def test_warnings_name_definitions_as_the_tables_do():
    result = found(warnings=("a, b tie for best by predictive_efficiency_hrs_hrs_0.5: the first is named.",))
    notes = [block.text for block in section_of(result).blocks if isinstance(block, Note)]
    assert notes[-1] == "a, b tie for best by size of the judge's set, tau 0.5: the first is named."
