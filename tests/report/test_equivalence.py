"""What a survey equivalence says, in words, in tables and in its chart."""

import dataclasses
import json
import math

import pytest

import dissensus
from dissensus.data.paths import example_path
from dissensus.errors import DissensusError
from dissensus.methods.equivalence.options import COMBINERS
from dissensus.methods.equivalence.result import (
    AmateurPoint,
    BestJudge,
    Ceiling,
    CurvePoint,
    EquivalenceResult,
    JudgeDifference,
    JudgeWorth,
)
from dissensus.methods.equivalence.scores import SCORES
from dissensus.report.document import Figure, Points
from dissensus.report.html import fragment_of
from dissensus.report.numbers import table_cells
from dissensus.report.text import text_of
from dissensus.report.views.equivalence import amateurs_sentence, drawn
from dissensus.report.views.section import main_chart, section_of
from dissensus.report.views.worth import (
    combiner_sentence,
    curve_finding,
    raters_text,
    score_sentence,
    score_words,
    terms_of,
    worth_in_short,
    worth_text,
)

from survey_builders import ends_of

NAN = math.nan
SETTINGS = {
    "combiner": "abc",
    "score": "cross-entropy",
    "positive": None,
    "learn": "leave-one-out",
    "calibrate": "none",
    "reference_raters": 1,
    "experts": None,
    "amateurs": None,
    "prior": "uniform",
    "clip": 0.02,
    "weights": "item",
    "bootstrap": 500,
    "interval": "basic",
    "confidence": 0.95,
    "seed": 0,
}
TERMS = terms_of(SETTINGS, largest=5)
# c_k of a made-up panel: asking nobody scores -1 bit, and each further person adds half of what the one before added.
SCORES_BY_SIZE = [-1.0, -0.8, -0.7, -0.65, -0.625, -0.6125]


def worth(
    equivalence=1.5, low=1.2, high=1.9, *, judge="gpt", calibrated=False, score=-0.75, verdict="within", **changes
):
    within = verdict == "within"
    given = (changes.pop(f"equivalence_{end}", own if within else NAN) for end, own in (("low", low), ("high", high)))
    return JudgeWorth(
        judge=judge,
        calibrated=calibrated,
        score=score,
        low=score - 0.02,
        high=score + 0.02,
        equivalence=equivalence if within else NAN,
        equivalence_raters=math.ceil(equivalence) if within else None,
        verdict=verdict,
        **ends_of(verdict, *given) | {"share_below": 0.0, "share_above": 0.0} | changes,
    )


def found(*judges, settings=None, scores=SCORES_BY_SIZE, items=None, **changes):
    sizes = items or [300] * len(scores)
    curve = tuple(
        CurvePoint(raters=k, score=score, low=score - 0.03, high=score + 0.03, items=n)
        for k, (score, n) in enumerate(zip(scores, sizes, strict=True))
    )
    return EquivalenceResult(
        settings=SETTINGS | (settings or {}),
        data={"ratings": {"file": "ratings.csv", "sha256": "ab" * 32, "format": "tidy", "rows": 3000}},
        curve=curve,
        judges=judges or (worth(),),
        **changes,
    )


def calibrated_pair():
    """Two judges raw and calibrated, one of them below 0 when raw."""
    judges = (
        worth(1.5, 1.2, 1.9, judge="gpt", score=-0.75),
        worth(1.75, 1.4, 2.2, judge="gpt", score=-0.725, calibrated=True),
        worth(judge="rules", score=-2.0, verdict="below 0", share_below=1.0),
        worth(0.25, NAN, 0.5, judge="rules", score=-0.95, calibrated=True, share_below=0.012),
    )
    gap = JudgeDifference(
        judge_a="gpt (calibrated)",
        judge_b="rules (calibrated)",
        difference=1.5,
        low=1.1,
        high=1.9,
        share_a_better=0.998,
    )
    return found(*judges, settings={"calibrate": "isotonic"}, differences=(gap,))


@pytest.fixture(scope="module")
def real():
    """The bundled ratings with a ceiling: everything that the chart can show."""
    folder = example_path("binary")
    ratings, judges = dissensus.read(folder / "ratings.csv"), dissensus.read_judges(folder / "judges.csv")
    return dissensus.equivalence(ratings, judges, calibrate="isotonic", ceiling=True, bootstrap=40)


def layers(figure):
    return figure.spec["layer"]


def values(layer):
    return layer["data"]["values"]


def judge_rows(figure):
    """The rows of the judges' lines: they alone say what a judge is worth."""
    return next((values(layer) for layer in layers(figure) if "worth" in values(layer)[0]), [])


def figure_of(result) -> Figure:
    [figure] = section_of(result).figures()
    return figure


# Sentences


ANSWERS = [
    (
        worth(3.4, 2.8, 4.0),
        1,
        '"gpt" is worth 3.4 raters [2.8, 4.0]: better than asking two people, worse than asking four people.',
    ),
    (
        worth(0.4, 0.2, 0.7, calibrated=True),
        3,
        (
            'Recalibrated, "gpt", the best of 3 judges, is worth 0.4 raters [0.2, 0.7]: better than asking nobody, '
            "worse than asking one person."
        ),
    ),
    (
        worth(2.0, 1.5, 2.5),
        1,
        '"gpt" is worth 2.0 raters [1.5, 2.5]: better than asking one person, worse than asking three people.',
    ),
    (
        worth(verdict="below 0"),
        1,
        '"gpt" is worth less than asking nobody: predicting from how common each label is does better.',
    ),
    (worth(verdict="above K"), 1, '"gpt" is worth more than 5 raters, the most that can be asked here.'),
    (worth(verdict=None), 1, 'How many raters "gpt" is worth is undefined here: the warnings say why.'),
    (
        worth(verdict="below 0", equivalence_high=0.3),
        1,
        (
            '"gpt" is worth less than asking nobody [below 0, 0.30]: worse than asking one person, not shown to be '
            "better than asking nobody."
        ),
    ),
    (
        worth(verdict="above K", equivalence_low=4.25),
        2,
        (
            '"gpt", the best of 2 judges, is worth more than 5 raters [4.25, above 5]: better than asking four people; '
            "asking five people may be better."
        ),
    ),
]


@pytest.mark.parametrize(("judge", "judges", "expected"), ANSWERS)
def test_the_answer_names_the_surveys_that_the_judge_lies_between(judge, judges, expected):
    said = worth_in_short(judge, SETTINGS, TERMS, judges=judges)
    assert said == expected
    assert len(said.split()) <= 30


def test_without_a_second_rating_only_asking_nobody_can_be_compared():
    terms = terms_of(SETTINGS, largest=0)
    assert worth_in_short(worth(verdict="above K"), SETTINGS, terms, judges=1) == (
        '"gpt" predicts another rater better than asking nobody; most items have one rating, too few to count raters.'
    )
    open_ = worth_in_short(worth(verdict="above K", low_verdict="below 0"), SETTINGS, terms, judges=1)
    assert open_.startswith('"gpt" is not shown to predict another rater better than asking nobody;')


WITHOUT_INTERVAL = {"equivalence_low": NAN, "equivalence_high": NAN, "low_verdict": None, "high_verdict": None}


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (worth(1.5, 1.2, 1.9), "1.5 [1.2, 1.9]"),
        (worth(0.5, NAN, 0.8), "0.50 [<0, 0.80]"),
        (worth(4.5, 4.0, NAN), "4.5 [4.0, >5]"),
        (worth(0.1, NAN, NAN), "0.10 [<0, >5]"),
        (worth(6.3, 2.9, 9.7), "6 [3, 10]"),
        (worth(1.5, **WITHOUT_INTERVAL), "1.50"),
        (worth(verdict="below 0"), "<0"),
        (worth(verdict="below 0", equivalence_high=0.3), "<0 [<0, 0.30]"),
        (worth(verdict="above K", equivalence_low=4.25), ">5 [4.25, >5]"),
        (worth(verdict="above K", low_verdict="below 0"), ">5 [<0, >5]"),
        (worth(verdict=None), "undefined"),
    ],
)
def test_an_end_off_the_curve_is_named_and_never_a_number(judge, expected):
    assert worth_text(judge, TERMS) == expected


@pytest.mark.parametrize(
    ("judge", "shown"),
    [
        (worth(1.5, 0.1, 1.9), True),
        (worth(1.5, NAN, 1.9), False),
        (worth(verdict="above K"), True),
        (worth(verdict="above K", low_verdict="below 0"), False),
        (worth(verdict="above K", equivalence_low=0.0), False),
        (worth(verdict="above K", **WITHOUT_INTERVAL), True),
        (worth(0.0, **WITHOUT_INTERVAL), False),
        (worth(verdict="below 0", equivalence_high=0.3), False),
    ],
)
def test_a_judge_is_shown_only_by_its_interval(judge, shown):
    assert judge.is_shown is shown
    assert found(judge).is_any_shown is shown


def test_amateurs_are_worth_experts():
    settings = SETTINGS | {"experts": "doctors", "amateurs": "crowd"}
    terms, curve = terms_of(settings, largest=5), found().curve
    point = AmateurPoint(raters=10, score=-0.72, low=NAN, high=NAN, worth_experts=1.8)
    assert amateurs_sentence(point, curve, settings, terms) == '10 "crowd" raters are worth 1.8 "doctors" raters.'
    beyond = dataclasses.replace(point, score=-0.5, worth_experts=NAN)
    assert 'are worth more than 5 "doctors" raters' in amateurs_sentence(beyond, curve, settings, terms)
    misled = dataclasses.replace(point, raters=1, score=-1.5, worth_experts=NAN)
    assert amateurs_sentence(misled, curve, settings, terms).startswith(
        '1 "crowd" rater is worth less than asking nobody'
    )


def test_with_several_reference_raters_their_most_frequent_label_is_predicted():
    terms = terms_of(SETTINGS | {"reference_raters": 3}, largest=4)
    assert terms.target == "the most frequent label of 3 other raters"


@pytest.mark.parametrize(
    ("settings", "nobody"),
    [
        ({"combiner": "abc"}, "predicting from how common each label is"),
        ({"combiner": "npmle"}, "predicting from how common each label is"),
        ({"combiner": "frequency", "prior": "data"}, "predicting from how common each label is"),
        ({"combiner": "frequency", "prior": "uniform"}, "giving every label the same chance"),
        ({"combiner": "plurality"}, "giving every label the same chance"),
        ({"combiner": "my_own"}, "what the combiner predicts without any label"),
    ],
)
def test_what_asking_nobody_means_depends_on_the_combiner(settings, nobody):
    assert terms_of(SETTINGS | settings, largest=5).nobody == nobody


@pytest.mark.parametrize("score", SCORES)
def test_every_score_has_words_that_say_what_is_better(score):
    said = score_sentence({"score": score, "positive": "toxic"})
    assert said.startswith("The score: ")
    assert said.endswith("more is better.")
    assert ('for "toxic"' in said) == (score in {"auc", "f1", "precision", "recall"})
    assert score_words({"score": score}).heading != score


@pytest.mark.parametrize("combiner", COMBINERS)
def test_every_combiner_has_words(combiner):
    said = combiner_sentence({"combiner": combiner})
    assert said.startswith("Prediction from people's labels: ")
    assert "combiner" not in said


def test_a_combiner_of_the_users_own_is_named():
    assert combiner_sentence({"combiner": "mine", "learn": None}).endswith('by the combiner "mine".')


# The section


def test_the_section_answers_then_explains_then_shows(golden):
    assert text_of(calibrated_pair()) == golden("equivalence.txt")


def test_a_notebook_shows_the_answer_and_the_judges(golden):
    assert fragment_of(calibrated_pair()) == golden("equivalence_fragment.html")


def test_no_line_of_the_text_is_wider_than_a_terminal(real):
    for result in (real, calibrated_pair(), found()):
        assert max(len(line) for line in text_of(result).splitlines()) <= 80


def test_raw_and_calibrated_stand_side_by_side_best_judge_first():
    table = section_of(calibrated_pair()).main_table()
    assert table.columns == ["Judge", "Worth, recalibrated", "Worth, raw", "Bits"]
    # bits: the calibrated score less that of asking nobody, -1
    assert [table_cells(table, row) for row in table.rows] == [
        ["gpt", "1.8 [1.4, 2.2]", "1.5 [1.2, 1.9]", "0.275"],
        ["rules", "0.25 [<0, 0.50]", "<0", "0.050"],
    ]


def test_a_share_is_shown_in_percent():
    result = found(worth(score=0.62), scores=[0.5, 0.6, 0.65], settings={"score": "agreement", "combiner": "plurality"})
    section = section_of(result)
    assert table_cells(section.main_table(), section.main_table().rows[0]) == ["gpt", "1.5 [1.2, 1.9]", "62.0%"]


def notes(result):
    return [text for block in section_of(result).blocks if isinstance(block, Points) for text in block.texts]


def test_a_judge_below_zero_brings_a_note_only_where_something_helps():
    low = worth(score=-1.2, verdict="below 0", share_below=1.0)
    assert notes(found(low)) == ['"gpt" is below 0, which is often overconfidence: try calibrate= auto.']
    calibrated = dataclasses.replace(low, calibrated=True)
    assert notes(found(low, calibrated, settings={"calibrate": "table"})) == []
    assert notes(found(low, settings={"score": "agreement", "combiner": "plurality"}, scores=[0.5, 0.7])) == []
    [turned] = notes(found(low, settings={"score": "pearson"}, scores=[0.0, 0.7]))
    assert turned.endswith("if its scale is reversed, multiply its numbers by -1 in the file.")


def test_a_falling_curve_is_not_blamed_on_people():
    [note] = notes(found(scores=[-1.0, -0.8, -0.7, -0.9]))
    assert note.startswith("The curve falls after 2 raters, because the combiner has too few items")
    assert "max_raters= 2" in note
    assert notes(found(scores=[-1.0, -0.8, -0.7, -0.701])) == []  # a hair
    assert notes(found(scores=[-1.0, -0.8, -0.7, -0.9], settings={"combiner": "frequency"})) == []  # does not learn


def test_the_ceiling_and_what_share_of_it_is_reached():
    judge = worth(score=-0.75, performance_ratio=0.5, performance_ratio_low=0.4, performance_ratio_high=0.6)
    text = " ".join(
        text_of(found(judge, ceiling=Ceiling(gain=0.775, low=0.7, high=0.8, curve=())), details=True).split()
    )
    # the largest survey gains 1 - 0.6125 = 0.3875 of 0.775 bits
    assert "can gain more than 0.78 [0.70, 0.80] bits" in text
    assert "Asking 5 people reaches 50% of it." in text


def test_one_rating_per_item_has_no_chart():
    result = found(worth(verdict="above K", share_above=1.0), scores=[-1.0])
    assert section_of(result).figures() == []
    with pytest.raises(DissensusError, match=r"equivalence has no chart: print its summary\(\) instead"):
        main_chart(result)


def test_no_judge_is_no_answer_but_a_curve():
    result = dataclasses.replace(found(), judges=())
    assert section_of(result).lead == "There is no judge to compare with people."
    assert figure_of(result).title == "How well people predict another rater, by how many are asked"


# The chart


def test_many_judges_are_thinned_to_the_best_and_the_worst():
    judges = [worth(judge=f"j{i}", score=-0.7 - i / 100) for i in range(12)]
    figure = figure_of(found(*judges))
    assert [row["name"] for row in judge_rows(figure)] == ["j0", "j1", "j2", "j3", "j9", "j10", "j11"]
    assert figure.caption.endswith('to keep the curve readable: "j4", "j5", "j6" and 2 more.')


def test_a_judge_far_below_does_not_flatten_the_curve():
    result = found(worth(), worth(judge="rules", score=-5.0, verdict="below 0"))
    figure = figure_of(result)
    assert [row["name"] for row in judge_rows(figure)] == ["gpt"]
    assert figure.caption.endswith('Not drawn, to keep the curve readable: "rules".')
    low, high = figure.spec["encoding"]["y"]["scale"]["domain"]
    assert -0.1 < low < high < 0.6


def test_a_judge_is_the_same_colour_raw_and_calibrated():
    rows = judge_rows(figure_of(calibrated_pair()))
    assert [(row["text"], row["colour"], row["is_raw"]) for row in rows] == [
        ("1.8 gpt", 1, False),
        ("0.25 rules", 2, False),
        ("1.5 gpt (raw)", 1, True),
    ]


def test_judges_off_the_curve_are_drawn_without_a_crossing():
    result = found(
        worth(judge="top", score=-0.5, verdict="above K"), worth(judge="low", score=-1.05, verdict="below 0")
    )
    assert [(row["text"], row["raters"]) for row in judge_rows(figure_of(result))] == [
        (">5 top", None),
        ("<0 low", None),
    ]


def test_an_undefined_judge_is_not_drawn():
    lines, left_out = drawn(found(worth(), worth(judge="x", score=NAN, verdict=None)), [worth()])
    assert [line.judge for line in lines] == ["gpt"]
    assert left_out == []


def test_amateurs_have_a_curve_of_their_own():
    amateurs = tuple(
        AmateurPoint(raters=k, score=-1 + k / 20, low=NAN, high=NAN, worth_experts=k / 4) for k in range(9)
    )
    figure = figure_of(found(amateurs=amateurs, settings={"experts": "doctors", "amateurs": "crowd"}))
    named = [row["text"] for row in values(layers(figure)[-1])]
    assert {'"doctors" raters', '"crowd" raters'} <= set(named)
    assert figure.spec["encoding"]["x"]["scale"]["domain"] == [0, 8]


def test_what_others_wrote_is_never_more_than_data():
    hostile = 'datum.x || "</script>" + {signal: width}'
    result = found(
        worth(judge=hostile), worth(judge=f"{hostile}2", score=-0.8), settings={"experts": hostile, "amateurs": hostile}
    )

    def without_data(part):
        if isinstance(part, dict):
            return {key: without_data(value) for key, value in part.items() if key != "data"}
        return [without_data(value) for value in part] if isinstance(part, list) else part

    assert "datum.x ||" not in json.dumps(without_data(figure_of(result).spec))


def test_judges_whose_names_begin_alike_stay_apart():
    names = ["x" * 100 + "a", "x" * 100 + "b"]
    rows = judge_rows(figure_of(found(*(worth(judge=name) for name in names))))
    assert len({row["name"] for row in rows}) == 2


@pytest.mark.parametrize(
    ("judge", "title"),
    [
        (worth(1.5), '"gpt" predicts people as well as 1.5 raters can'),
        (worth(verdict="above K"), '"gpt" predicts people better than asking 5 people'),
        (worth(verdict="below 0"), 'No judge predicts people better than asking nobody; "gpt" comes closest'),
    ],
)
def test_the_title_states_the_finding(judge, title):
    assert curve_finding(judge, TERMS) == title


def test_off_the_curve_there_is_no_number_in_the_tooltip():
    assert raters_text(worth(verdict="below 0"), TERMS) == "less than asking nobody"


def test_on_a_curve_of_nobody_a_judge_with_a_score_is_known_to_be_better():
    terms = terms_of(SETTINGS, largest=0)
    better = worth(verdict=None, score=-0.5)
    assert worth_text(better, terms) == ">0"
    assert worth_in_short(better, SETTINGS, terms, judges=1).startswith('"gpt" predicts another rater better')
    assert worth_text(worth(verdict=None, score=NAN), terms) == "undefined"


def test_one_rater_is_one():
    said = worth_in_short(worth(verdict="above K"), SETTINGS, terms_of(SETTINGS, largest=1), judges=1)
    assert said.startswith('"gpt" is worth more than 1 rater, the most')


@pytest.mark.parametrize(("low", "is_advised"), [(0.2, True), (NAN, False)])
def test_judges_to_choose_between_are_named_only_where_one_beats_asking_nobody(low, is_advised):
    first = worth(0.5, low, 0.8, judge="a", score=-0.8)
    own = {name: getattr(first, name) for name in BestJudge.__dataclass_fields__ if name != "candidates"}
    result = found(first, worth(0.4, low, 0.7, judge="b", score=-0.82), best=BestJudge(**own, candidates=("a", "b")))
    assert notes(result) == ['"b" may be as good as "a": choose by cost, or rate more items.'] * is_advised
