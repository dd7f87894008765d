"""Reports on judges that are not shown to be worth anything, and sentences that must not contradict each other."""

import math
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from dissensus import read, read_judges
from dissensus.data.paths import example_path
from dissensus.methods.equivalence.result import CurvePoint, EquivalenceResult, JudgeWorth
from dissensus.report.answers import answers_of
from dissensus.report.document import Note
from dissensus.report.html import page_of_report
from dissensus.report.specs.lines import LineChart, line_chart
from dissensus.report.views.worth import asking, terms_of, worth_in_short
from dissensus.report.whole import report_of

from survey_builders import ends_of

NAN = math.nan
SEEN = {"bootstrap": 500}


def report_about(judges, *, positive=("yes",), seed=3):
    """A report on 120 items, of which people call one in five positive, rated by five people with noise."""
    rng = np.random.default_rng(seed)
    truth = np.arange(120) % 5 == 0
    said = {f"r{r}": np.where(rng.random(120) < 0.2, ~truth, truth) for r in range(5)}
    answers = judges(truth, rng)
    frames = [
        pd.DataFrame([(i, who, "yes" if own else "no") for who, given in table.items() for i, own in enumerate(given)])
        for table in (said, answers)
    ]
    ratings = read(frames[0].set_axis(["item", "rater", "label"], axis=1))
    judged = read_judges(frames[1].set_axis(["item", "judge", "label"], axis=1))
    return report_of(answers_of(ratings, judged, positive=positive, bootstrap=60), title="t")


@pytest.fixture(scope="module")
def guessing():
    """Two judges that do not look at the items: one always says no, one says yes of every tenth at random."""
    return report_about(lambda truth, rng: {"never": np.zeros_like(truth), "rarely": rng.random(len(truth)) < 0.1})


@pytest.fixture(scope="module")
def knowing():
    """A judge that is people's truth, and one that guesses."""
    return report_about(lambda truth, rng: {"knows": truth, "guesses": rng.random(len(truth)) < 0.2})


def lead(report, start):
    [found] = [section.lead for section in report.sections if section.title.startswith(start)]
    return found


def test_where_no_judge_knows_anything_the_verdict_is_to_use_none(guessing):
    assert guessing.verdict[0].startswith("Use no judge yet: none is shown to know more than always answering no")
    assert guessing.verdict[-1].startswith("Next: ")


def test_where_no_judge_knows_anything_none_is_to_be_picked(guessing):
    found = lead(guessing, "Which judge can stand in")
    assert ", no judge beats " in found or " is closest to people, but not shown to beat " in found
    assert not any(f"{verb} " in found for verb in ("Pick", "Lean towards"))


def test_what_to_collect_starts_with_the_next_step_of_the_verdict(guessing):
    step = guessing.verdict[-1].removeprefix("Next: ").removesuffix(".")
    assert lead(guessing, "What to collect next").lower().startswith(step.lower())
    assert "nothing more is needed" not in str(guessing.sections)


def test_a_test_for_replacing_raters_that_a_constant_passes_does_not_say_that_judges_can(guessing):
    found = lead(guessing, "Can a judge replace a rater")
    assert "can replace a rater" not in found


def test_a_judge_that_knows_people_is_used(knowing):
    assert knowing.verdict[0].startswith("Use knows, as it is: it answers like a person, and is worth ")
    assert lead(knowing, "Which judge can stand in").startswith("Without recalibration, knows is closest to people")
    assert '"knows"' in lead(knowing, "How many raters")


def test_the_best_judge_has_one_interval_everywhere(knowing):
    """In the verdict, in the decision's table, in the answer and in the table of what judges are worth."""
    decision, worth = (next(r for r in knowing.results if r.command == name) for name in ("decide", "equivalence"))
    best = decision.judges[0]
    assert (best.worth_low, best.worth_high) == pytest.approx(
        (worth.picked.equivalence_low, worth.picked.equivalence_high), nan_ok=True
    )
    [section] = [section for section in knowing.sections if section.title.startswith("How many raters")]
    shown = section.main_table().rows[0][1]
    for text in (section.lead, knowing.verdict[0]):
        assert shown in text.replace(" raters", "").replace("more than ", ">").replace("above ", ">")


def worth(equivalence, low, high, *, verdict="within", score=-0.7, has_interval=True):
    return JudgeWorth(
        judge="j", calibrated=False, score=score, low=NAN, high=NAN, equivalence=equivalence,
        equivalence_raters=None, verdict=verdict, share_below=0.0, share_above=0.62,
        **ends_of(verdict, low, high, has_interval=has_interval),
    )  # fmt: skip


def surveys(*judges, scores=(-1.0, -0.8, -0.6, -0.5), settings=SEEN):
    curve = [CurvePoint(raters=k, score=own, low=NAN, high=NAN, items=90) for k, own in enumerate(scores)]
    return EquivalenceResult(settings=settings, data={}, curve=tuple(curve), judges=judges)


@pytest.mark.parametrize(
    ("judge", "settings", "expected"),
    [
        (worth(0.5, 0.1, 0.9), SEEN, True),
        (worth(0.5, NAN, 0.9), SEEN, False),  # the interval begins below 0
        (
            worth(0.5, NAN, NAN, has_interval=False),
            {"bootstrap": 0},
            True,
        ),  # without an interval the estimate has to do
        (worth(NAN, NAN, 0.4, verdict="below 0"), SEEN, False),
        (worth(NAN, NAN, NAN, verdict="above K"), SEEN, True),
        (worth(NAN, NAN, NAN, verdict=None, score=NAN), SEEN, None),
    ],
)
def test_better_than_asking_nobody_is_shown_by_the_lower_end_of_the_interval(judge, settings, expected):
    assert surveys(judge, settings=settings).is_any_shown is expected


def test_on_a_curve_that_does_not_rise_nothing_is_asked_about_nobody():
    assert surveys(worth(0.0, 0.0, 0.0), scores=(0.0, 0.0)).is_any_shown is None


def test_a_constant_is_drawn_above_the_judges_and_named_at_its_higher_end():
    rows = [{"series": "j", "x": x, "y": x, "low": None, "high": None, "is_main": True} for x in (0.3, 0.5, 0.7)]
    constants = [
        {"name": name, "x": x, "y": x, "is_rising": name == "no"} for name in ("yes", "no") for x in (0.3, 0.5, 0.7)
    ]
    chart = LineChart(rows=rows, constants=constants, series="Judge", x_title="tau", y_title="alike")
    layers = line_chart(chart)["layer"]
    lines = [layer for layer in layers if layer["mark"]["type"] == "line"]
    assert lines[-1]["mark"]["style"] == "reference"
    names = [(layer["mark"]["align"], layer["transform"][0]["filter"]["equal"]) for layer in layers[-2:]]
    assert names == [("left", 0.3), ("right", 0.7)]  # the falling one where it begins, the rising one where it ends


def test_where_the_interval_ends_beyond_the_curve_no_survey_is_said_to_be_better():
    # 2.84 [1.45, above 3] of a curve that ends at 3: in most bootstrap samples the judge is better than 3 people.
    terms = terms_of({}, largest=3)
    found = worth_in_short(worth(2.84, 1.45, NAN), SEEN, terms, judges=1)
    assert found == (
        '"j" is worth 2.8 raters [1.4, above 3]: better than asking one person; asking two to three people may be '
        "better."
    )
    assert asking(worth(2.84, 1.45, 2.95), terms) == "better than asking one person, worse than asking three people"


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("pearson", "2.5 raters [1.0, 2.9] by correlation (Pearson): better"),
        ("cross-entropy", "2.5 raters [1.0, 2.9]: better"),
    ],
)
def test_a_worth_by_another_score_says_by_which(score, words):
    settings = SEEN | {"score": score}
    assert words in worth_in_short(worth(2.5, 1.0, 2.9), settings, terms_of(settings, largest=3), judges=1)


def real_report(shared, name, **options):
    folder = shared / "data" / name
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    return report_of(answers_of(ratings, judges, bootstrap=40, **options), title=name)


@pytest.mark.slow
def test_the_report_on_dices_does_not_contradict_itself(shared):
    report = real_report(shared, "dices_350", positive=("Yes",))
    assert report.verdict[0] == "Use no judge yet: ask people."
    assert lead(report, "Which judge can").startswith("Without recalibration, no judge beats ")
    assert lead(report, "Can a judge replace").startswith("No judge beats ")
    assert lead(report, "What to collect") == "Look for better judges before you collect more ratings."


@pytest.fixture(scope="module")
def bluebirds(shared):
    return real_report(shared, "bluebirds")


def test_the_judge_to_use_is_the_one_that_is_worth_most(bluebirds):
    decision = next(result for result in bluebirds.results if result.command == "decide")
    worth = next(result for result in bluebirds.results if result.command == "equivalence")
    assert worth.ranked[0].judge in bluebirds.verdict[0]
    assert decision.judges[0].judge in lead(bluebirds, "How many raters is each")


class Visible(HTMLParser):
    """The words of a page that are seen before anything is unfolded."""

    HIDDEN = frozenset({"details", "head", "noscript", "script", "style"})

    def __init__(self, page):
        super().__init__()
        self.depth, self.words = 0, []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        del attrs
        self.depth += tag in self.HIDDEN

    def handle_endtag(self, tag):
        self.depth -= tag in self.HIDDEN

    def handle_data(self, data):
        self.words += [] if self.depth else data.split()


@pytest.mark.parametrize("name", ["bluebirds", "toxicity"])
def test_a_page_shows_at_most_2500_words_no_flags_and_each_warning_once(name, request):
    if name == "toxicity":
        folder = example_path("toxicity")
        ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
        report = report_of(answers_of(ratings, judges, positive=("Toxic",), bootstrap=20), title=name)
    else:
        report = request.getfixturevalue(name)
    page = page_of_report(report, command_line="dissensus report ratings.csv --bootstrap 40")
    words = Visible(page).words
    assert 300 < len(words) <= 2500
    assert not [word for word in words if word.lstrip("`(").startswith("--")]
    warnings = [part.text for section in report.sections for part in section.parts() if isinstance(part, Note)]
    assert len(warnings) == len(set(warnings))
