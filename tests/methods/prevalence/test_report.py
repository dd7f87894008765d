"""What prevalence says in words, tables and a chart; its command; real data, of which people rated a sample."""

import json
import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from dissensus import read, read_judges
from dissensus.cli.flags import spread
from dissensus.cli.inputs import read_pairs
from dissensus.cli.measure import prevalence_command
from dissensus.methods.prevalence import Estimate, JudgePrevalence, PrevalenceResult, SystemScore, prevalence
from dissensus.methods.prevalence.result import Method
from dissensus.report.views.prevalence import METHOD_NAMES, METHOD_WORDS, estimate_text, systems_sentence
from dissensus.report.views.section import main_chart, section_of

from tables import message_of, write

NAN = float("nan")


def estimates(*values, half_width=0.05):
    return tuple(
        Estimate(method=method, value=value, low=value - half_width, high=value + half_width)
        for method, value in zip(get_args(Method), values, strict=True)
    )


PLAIN = JudgePrevalence(
    judge="gpt", items=1100, rated_items=100, ratings=300, estimates=estimates(0.45, 0.32, 0.35, 0.34, 0.33),
    ratings_saved=112.4, weight=0.8, sensitivity=0.9, specificity=0.7,
)  # fmt: skip


def result_of(*judges, **changes):
    plain = {"positive": ("yes",), "half": (), "target": "share", "tau": 0.5, "warnings": ()}
    return PrevalenceResult(settings={"confidence": 0.95}, data={}, judges=judges, **(plain | changes))


def changed(**changes):
    return JudgePrevalence(**({name: getattr(PLAIN, name) for name in PLAIN.__dataclass_fields__} | changes))


def text(result):
    return " ".join(result.summary(details=True).split())


def test_the_lead_is_the_corrected_share():
    assert text(result_of(PLAIN)).startswith(
        "33% [28%, 38%] of raters' answers are \"yes\", from people's ratings of 100 items and "
        '"gpt"\'s answers to 1,100.'
    )
    decided = text(result_of(PLAIN, target="decision", positive=("a", "b"), half=("tie",)))
    assert decided.startswith('33% [28%, 38%] of the items are, by their raters\' decision, "a" or "b", ')
    assert '"tie" counts half' in decided
    assert "from people's ratings of 100 items." in text(result_of(changed(items=100)))


def test_it_says_what_the_judges_are_off_by_and_what_they_save():
    said = text(result_of(PLAIN))
    assert 'Do not report what "gpt" says alone: that is off by 12 percentage points.' in said
    assert "gpt 100 45.0% 32% [27%, 37%] 33% [28%, 38%] 112 " in said
    near = changed(estimates=estimates(0.34, 0.32, 0.35, 0.34, 0.33), weight=0.0, ratings_saved=0.0)
    assert "Do not report" not in text(result_of(near))
    two = text(result_of(PLAIN, changed(judge="llama", estimates=estimates(0.53, 0.32, 0.35, 0.34, 0.33))))
    assert 'what "gpt" and "llama" say alone: that is off by up to 20 percentage points' in two
    assert 'Let "gpt" answer items that nobody rated' in text(result_of(changed(items=100)))


def test_what_wilsons_intervals_add_is_said_of_them_only():
    def with_interval(kind):
        return replace(result_of(PLAIN), settings={"confidence": 0.95, "interval": kind})

    assert "half an error more than people found" in text(with_interval("wilson"))
    assert "half an error" not in text(with_interval("normal"))


def test_every_method_has_its_name_and_words():
    assert set(METHOD_NAMES) == set(METHOD_WORDS) == set(get_args(Method))


def test_an_estimate_without_a_value_is_its_interval_or_a_dash():
    assert estimate_text(Estimate(method="ppi", value=NAN, low=NAN, high=NAN)) == "-"
    assert estimate_text(Estimate(method="rogan-gladen", value=NAN, low=0.0, high=1.0)) == "[0%, 100%]"


def test_the_chart_shows_the_methods_that_have_a_value():
    figure = section_of(result_of(changed(estimates=estimates(0.45, 0.32, NAN, 0.34, 0.33)))).figures()[0]
    assert figure.title == '"gpt" alone says 45%; corrected by people it is 33%'
    assert [row["name"] for row in figure.spec["data"]["values"]] == [
        "judge alone (naive)",
        "people alone",
        "PPI",
        "PPI++",
    ]
    several = section_of(result_of(PLAIN, changed(judge="llama"))).figures()[0]
    assert several.spec["data"]["values"][5]["name"] == "llama: alone"
    assert main_chart(result_of(PLAIN)).to_svg().startswith("<svg")


def strengths(value):
    return tuple(Estimate(method="ppi++", value=value, low=value - 0.2, high=value + 0.2) for _ in range(1))


def test_systems_are_shown_with_who_comes_near():
    systems = tuple(
        SystemScore(system=name, items=20, rated_items=10, win_rates=estimates(0.5, 0.5, 0.5, 0.5, 0.5),
                    strengths=strengths(value))
        for name, value in (("x", 0.5), ("y", 0.3), ("z", -0.8))
    )  # fmt: skip
    judge = changed(systems=systems)
    assert systems_sentence(judge) == '"x" is the strongest of 3 systems, but cannot be told apart from "y".'
    assert systems_sentence(changed(systems=(systems[0], systems[2]))).endswith("and stands above all others.")
    said = text(result_of(judge, changed(judge="llama", systems=systems)))
    assert "Strength of each system" in said
    assert 'The systems by "gpt", which helps most' in said
    unknown = SystemScore(system="x", items=2, rated_items=1, win_rates=(), strengths=strengths(NAN))
    assert systems_sentence(changed(systems=(unknown,))) == ""


def test_names_that_others_wrote_are_made_harmless():
    result = result_of(changed(judge="<script>\x1b[31m"), positive=("<b>\x1b",))
    assert "\x1b" not in result.summary()
    assert "<script>" not in result._repr_html_()


@pytest.fixture
def run(tmp_path):
    """Run the command on two small files: 40 items, 12 of them rated."""
    write(
        tmp_path, "item,rater,label\n" + "".join(f"{i},{r},{'yn'[(i + r) % 2]}\n" for i in range(12) for r in range(3))
    )
    write(tmp_path, "item,judge,label\n" + "".join(f"{i},j,{'yn'[i % 3 > 0]}\n" for i in range(40)), "j.csv")
    write(tmp_path, "item,a,b\n" + "".join(f"{i},{'xyz'[i % 3]},{'yzx'[i % 3]}\n" for i in range(40)), "p.csv")
    app = typer.Typer()
    app.command("prevalence")(spread(prevalence_command))

    def call(*arguments):
        changed_arguments = [str(tmp_path / name) if name.endswith(".csv") else name for name in arguments]
        return CliRunner().invoke(app, [str(tmp_path / "r.csv"), str(tmp_path / "j.csv"), *changed_arguments])

    return call


def test_the_command_prints_the_librarys_json(run):
    content = json.loads(run("--positive", "y", "--json").stdout)
    judge = content["result"]["judges"][0]
    # Of 40 items every third is a yes of the judge; of three raters one or two say yes, in turn.
    assert judge["estimates"][0]["value"] == 14 / 40
    assert judge["estimates"][1]["value"] == 0.5
    assert content["settings"]["positive"] == ["y"]


def test_the_command_takes_pairs(run):
    content = json.loads(run("--positive", "y", "--pairs", "p.csv", "--target", "decision", "--json").stdout)
    assert [s["system"] for s in content["result"]["judges"][0]["systems"]].count("x") == 1
    done = run("--positive", "y", "--pairs", "p.csv", "--details")
    assert "How often each system wins" in done.stdout


def test_the_command_needs_to_know_what_is_counted(run):
    assert "Say which label is counted with positive=" in str(run().exception)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("item,a\n1,x\n", "r.csv: has no column b. Give it the columns item, a, b."),
        ("", "r.csv: has no column item."),
        ("item,a,b\n1,x,\n", "r.csv: row 2 has an empty item, a or b."),
        ("item,a,b\n1,x,y\n1,y,x\n", "r.csv: row 3 gives the item 1 other systems than before."),
        (b"\xff\xfe\x00", "r.csv: cannot be read as CSV."),
    ],
)
def test_a_file_of_pairs_that_is_none_is_refused(tmp_path, content, said):
    path = write(tmp_path, content)
    assert message_of(lambda: read_pairs(path)).startswith(said)


def sampled(shared, name, n_items, *, suffix="", seed=3):
    """Real ratings of which only some items are kept, drawn at random, and the judges on all items."""
    folder = shared / "data" / name
    ratings, judges = read(folder / f"ratings.csv{suffix}"), read_judges(folder / "judges.csv")
    kept = np.random.default_rng(seed).choice(ratings.n_items, n_items, replace=False)
    return ratings, ratings.where(np.isin(ratings.item, kept)), judges


def truth_of(ratings, positive):
    """The mean share over all items that people rated."""
    counts = ratings.counts()
    weights = np.array([label in positive for label in ratings.labels], dtype=float)
    return float((counts @ weights / counts.sum(axis=1)).mean())


@pytest.mark.parametrize(
    ("name", "suffix", "positive", "n_items"),
    [("wiki_attacks", ".gz", ("attack",), 400), ("convabuse", "", ("-1", "-2", "-3"), 300)],
)
def test_from_a_sample_of_real_ratings_the_share_in_all_of_them_is_found(shared, name, suffix, positive, n_items):
    everything, some, judges = sampled(shared, name, n_items, suffix=suffix)
    truth = truth_of(everything, positive)
    for judge in prevalence(some, judges, positive=positive).judges:
        people, tuned = judge.estimate("people"), judge.estimate("ppi++")
        assert tuned.low <= truth <= tuned.high
        assert tuned.high - tuned.low <= people.high - people.low
        assert judge.ratings_saved > 0


def test_gpt_4_overrates_itself_and_people_correct_it(shared):
    folder = shared / "data" / "mtbench_pairs"
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    pairs = {item: tuple(item.split("__")[1:3]) for item in judges.items}
    kept = np.random.default_rng(3).choice(ratings.n_items, 300, replace=False)
    some = ratings.where(np.isin(ratings.item, kept))
    result = prevalence(some, judges, judge="gpt-4_pair", positive="A", half="tie", pairs=pairs)
    best = result.judges[0].systems[0]
    assert best.system == "gpt-4"
    naive, _, _, _, tuned = best.win_rates
    assert naive.value > tuned.high
    assert all(math.isfinite(e.value) for system in result.judges[0].systems for e in system.strengths)
