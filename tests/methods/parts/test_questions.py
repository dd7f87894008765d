"""Several questions in one file: each is answered as from a file of its own, and together from shared samples."""

import json
import re
import statistics
from inspect import signature

import numpy as np
import pytest

import dissensus
from coverage_populations import information
from dissensus import decide, describe, equivalence, gate, plan_raters, read, read_judges, read_task
from dissensus.cli.main import main
from dissensus.data import Judges, Ratings
from dissensus.data.inputs import as_ratings
from dissensus.data.questions import pooled_judges, pooled_ratings
from dissensus.errors import DissensusError
from dissensus.methods.parts import PartsResult
from dissensus.report import answers

import survey_reference as reference
from tables import typed_message_of, write

QUESTIONS = {"coherence": 5, "fluency": 3}


def survey(*, items=60, seed=0, missing=0.0):
    """Rows of ratings and of judges' answers to two questions on the same items, with labels of their own."""
    rng = np.random.default_rng(seed)
    people, answers = [], []
    for i in range(items):
        for question, most in QUESTIONS.items():
            if question == "fluency" and rng.random() < missing:
                continue
            truth = rng.uniform(1, most)
            row = {"item": f"s{i:02d}", "question": question}
            who = rng.choice(6, size=4, replace=False)
            people += [{**row, "rater": f"r{rater}", "label": _answer(truth, 0.7, most, rng)} for rater in who]
            noises = {"near": 0.4, "far": 1.5}
            answers += [{**row, "judge": j, "label": _answer(truth, sd, most, rng)} for j, sd in noises.items()]
    return people, answers


def _answer(truth, noise, most, rng):
    return int(np.clip(round(truth + rng.normal(0, noise)), 1, most))


def alone(rows, question):
    return [{key: value for key, value in row.items() if key != "question"} for row in rows
            if row["question"] == question]  # fmt: skip


PEOPLE, ANSWERS = survey()
CLEAR = survey(items=80, seed=2)
"""Enough items to recommend a judge."""
FEW = {"bootstrap": 20}


OPTIONS = {
    "alt_test": {}, "compare": {"resamples": 100, **FEW}, "decide": FEW, "describe": FEW, "equivalence": FEW,
    "gate": {"judge": "near", "min_equivalence": 0.5, **FEW}, "items": {}, "judges": FEW, "panel": FEW,
    "prevalence": {"positive": "3"}, "raters": FEW, "route": {"judge": "near", **FEW},
}  # fmt: skip
"""Every method that answers in parts, and what it needs."""
RAGGED = survey(missing=0.3)


def test_every_method_of_ratings_is_tried():
    public = {name: getattr(dissensus, name) for name in dissensus.__all__}
    assert set(OPTIONS) == {
        name for name, own in public.items() if hasattr(own, "__wrapped__") and "ratings" in signature(own).parameters
    }


@pytest.mark.parametrize("name", OPTIONS)
def test_each_question_has_the_numbers_of_a_file_of_its_own(name):
    # Every item has both questions, so even the samples are the same.
    check_questions(name, PEOPLE, ANSWERS, OPTIONS[name])


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "gate"])  # which needs samples
def test_items_without_one_of_the_questions_change_no_number_but_intervals(name):
    options = {key: 0 if key == "bootstrap" else value for key, value in OPTIONS[name].items()}
    check_questions(name, *RAGGED, options)


def check_questions(name, people, answers, options):
    """Compare every number of each question with that of a file with this question only."""
    method = getattr(dissensus, name)
    has_judges = name != "describe"
    whole = method(read(people), *([read_judges(answers)] if has_judges else []), **options)
    assert isinstance(whole, PartsResult)
    assert [part.question for part in whole.parts] == list(QUESTIONS)
    for part in whole.parts:
        data = [read(alone(people, part.question))]
        data += [read_judges(alone(answers, part.question))] if has_judges else []
        expected = numbers_in(method(*data, **options))
        assert len(expected) > 5
        assert numbers_in(part.result) == pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)


def numbers_in(result):
    """Every number of a result, in order."""
    return [value for value in leaves(json.loads(result.to_json())["result"]) if isinstance(value, int | float)]


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for one in value for leaf in leaves(one)] if isinstance(value, list) else [value]


def test_a_question_has_its_own_labels_and_scale():
    rows = [*PEOPLE, *({"item": f"s{i:02d}", "question": "ok", "rater": "r1", "label": "yes"} for i in range(5))]
    parts = read(rows).questions
    assert parts["coherence"].labels == ("1", "2", "3", "4", "5")
    assert (parts["fluency"].labels, parts["fluency"].scale) == (("1", "2", "3"), "ordinal")
    assert (parts["ok"].labels, parts["ok"].scale) == (("yes",), "nominal")


def test_one_question_can_be_taken():
    taken = read(PEOPLE, question="fluency")
    assert (taken.n_items, taken.labels, dict(taken.questions)) == (60, ("1", "2", "3"), {})
    assert "no question 'tone': its questions are coherence, fluency" in typed_message_of(
        lambda: read(PEOPLE, question="tone")
    )


def test_a_text_about_the_item_is_no_question():
    rows = [{"item": i, "question": f"Who wrote book {i}?", "rater": r, "label": "x"} for i in range(5) for r in "ab"]
    assert not read(rows).questions


def test_a_task_gives_each_question_its_options(tmp_path):
    text = """name = "summaries"
positive = ["good"]
[[questions]]
name = "tone"
options = ["bad", "good"]
[[questions]]
name = "style"
options = ["poor", "fair", "good"]
scale = "ordinal"
"""
    task = read_task(write(tmp_path, text, "task.toml"))
    rows = [{"item": i, "question": q, "rater": r, "label": "good"} for i in range(3) for q in ("tone", "style")
            for r in "ab"]  # fmt: skip
    parts = read(rows, task=task).questions
    assert (parts["tone"].options, parts["style"].options) == (("bad", "good"), ("poor", "fair", "good"))
    assert task.of_question("style").positive == ("good",)
    rows += [{"item": 0, "question": "length", "rater": "a", "label": "good"}]
    assert "The task lacks the question 'length': it lists tone, style." in typed_message_of(
        lambda: read(rows, task=task)
    )


# ---- What the questions say together


def test_the_overall_worth_is_the_mean_of_what_plain_python_finds_for_each_question():
    people = [row for row in PEOPLE if row["question"] == "fluency"]
    # The second question has the same labels turned round, and other judges' answers.
    turned = [{**row, "question": "again", "label": 4 - row["label"]} for row in people]
    answers = [row for row in ANSWERS if row["question"] == "fluency"]
    rng = np.random.default_rng(5)
    other = [{**row, "question": "again", "label": int(rng.integers(1, 4)) if rng.random() < 0.3 else 4 - row["label"]}
             for row in answers]  # fmt: skip
    options = {"score": "agreement", "combiner": "plurality", "calibrate": "none", "bootstrap": 30}
    result = equivalence(read([*people, *turned]), read_judges([*answers, *other]), **options)
    for judge in result.overall.judges:
        worths = [twin_worth(rows, said, judge.judge) for rows, said in ((people, answers), (turned, other))]
        # Below the curve counts as nobody, above it as the largest survey: of 4 ratings 3 are left for it.
        counted = [{"below 0": 0.0, "above K": 3.0}.get(worth, worth) for worth in worths]
        assert judge.worth == pytest.approx(statistics.mean(counted), abs=1e-12)
        assert judge.at_least == ("above K" in worths)
    assert {judge.at_least for judge in result.overall.judges} == {True, False}


def twin_worth(people, answers, judge, n_labels=3):
    """What a judge is worth by agreement with the plurality of k raters, pair by pair."""
    names = sorted({row["item"] for row in people})
    items = [[row["label"] - 1 for row in people if row["item"] == name] for name in names]
    said = {row["item"]: row["label"] - 1 for row in answers if row["judge"] == judge}
    predictions = [[float(label == said[name]) for label in range(n_labels)] for name in names]
    curve = [reference.power(items, k, reference.majority, reference.agreement, n_labels) for k in range(4)]
    score = reference.judge_score(predictions, items, reference.agreement, n_labels)
    return reference.crossing(curve, score)


def test_the_samples_of_all_questions_draw_the_same_items():
    # The same question twice, the second time without some items: drawn apart, a worth and its copy would not agree.
    people = [row for row in PEOPLE if row["question"] == "coherence"]
    answers = [row for row in ANSWERS if row["question"] == "coherence"]
    left = {f"s{i:02d}" for i in range(54)}
    both = [
        [*rows, *({**row, "question": "copy"} for row in rows if row["item"] in left)] for rows in (people, answers)
    ]
    result = equivalence(read(both[0]), read_judges(both[1]), bootstrap=200, raters="fixed")
    first, second = (part.result.evidence.samples[:, 0] for part in result.parts)
    is_on_curve = np.isfinite(first) & np.isfinite(second)
    assert np.corrcoef(first[is_on_curve], second[is_on_curve])[0, 1] > 0.6  # drawn apart it is within 0.2 of 0


def test_two_equal_questions_have_the_interval_of_one():
    people = [row for row in PEOPLE if row["question"] == "coherence"]
    answers = [row for row in ANSWERS if row["question"] == "coherence"]
    both = [[*rows, *({**row, "question": "copy"} for row in rows)] for rows in (people, answers)]
    result = equivalence(read(both[0]), read_judges(both[1]), bootstrap=100, raters="fixed", interval="percentile")
    [far] = [judge for judge in result.overall.judges if judge.judge == "far"]
    [own] = [judge for judge in result.parts[0].result.judges if judge.judge == "far" and judge.calibrated]
    assert (far.worth, far.worth_low, far.worth_high) == pytest.approx(
        (own.equivalence, own.equivalence_low, own.equivalence_high), nan_ok=True
    )


def test_the_overall_worth_needs_no_samples():
    with_samples, without = (equivalence(read(PEOPLE), read_judges(ANSWERS), bootstrap=n).overall for n in (20, 0))
    assert [one.worth for one in without.judges] == [one.worth for one in with_samples.judges]
    assert all(np.isnan(one.worth_low) for one in without.judges)


def test_there_is_no_overall_verdict_where_no_judge_is_recommended_for_all():
    people, answers = CLEAR
    swap = {"near": "far", "far": "near"}
    mixed = [{**row, "judge": swap[row["judge"]]} if row["question"] == "fluency" else row for row in answers]
    assert decide(read(people), read_judges(answers), **FEW).overall.use == ("near",)
    assert decide(read(people), read_judges(mixed), **FEW).overall is None


# ---- Views and reports


def test_the_answer_is_short_and_has_a_table_of_questions_and_judges():
    lines = decide(read(CLEAR[0]), read_judges(CLEAR[1]), **FEW).summary().splitlines()
    assert lines[0] == "Use near for both questions."
    assert any(line.split()[:2] == ["Question", "Items"] and line.split()[-1] == "Use" for line in lines)
    assert len([line for line in lines if line.split()[:1] in (["coherence"], ["fluency"])]) >= 2
    assert max(map(len, lines)) <= 80


def test_a_report_starts_with_what_the_questions_say_together(tmp_path, capsys, monkeypatch):
    paths, known, works_out = files_of(tmp_path, *CLEAR), [], answers.answers_in_parts

    def answers_in_parts(*given, **asked):
        """Once for both files."""
        known.extend([] if known else [works_out(*given, **asked)])
        return known[0]

    monkeypatch.setattr(answers, "answers_in_parts", answers_in_parts)
    for name in ("report.md", "report.json"):
        assert main(["report", *paths, "--bootstrap", "20", "-o", str(tmp_path / name), "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("Use near for both questions.")
    text = (tmp_path / "report.md").read_text()
    assert "## coherence: Do the raters agree?" in text
    assert "## fluency: Do the raters agree?" in text
    made = json.loads((tmp_path / "report.json").read_text())["result"]
    assert [part["question"] for part in made["parts"]] == list(QUESTIONS)
    assert made["overall"]["use"] == ["near"]


def test_describe_says_that_a_file_looks_like_pooled_questions():
    rows = [(f"s{i}_{end}", rater, "x") for i in range(5) for end in ("tone", "style") for rater in "ab"]
    texts = describe(read(rows), bootstrap=0).warnings
    assert any(text.startswith("Item ids end in style, tone, as if each item had 2 questions") for text in texts)
    frame = [{"item": f"{g}{i}", "rater": r, "label": "x", "group": g} for g in "fm" for i in range(4) for r in "ab"]
    texts = describe(read(frame), bootstrap=0).warnings
    assert any("these are groups of items, not of raters" in text and "by='group'" in text for text in texts)
    for ids in ([f"s{i}_{i}" for i in range(9)], [f"s{i}_{1 + i * i % 5}" for i in range(9)], ["s_1", "s_2", "t_3"]):
        plain = [(item, rater, "x") for item in ids for rater in "ab"]
        assert not any("questions" in text for text in describe(read(plain), bootstrap=0).warnings)


# ---- Files, messages, the command line


def files_of(folder, people, answers):
    paths = []
    for name, rows in (("people.csv", people), ("judges.csv", answers)):
        text = "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])
        paths.append(str(write(folder, text + "\n", name)))
    return paths


def test_the_command_line_answers_each_question(tmp_path, capsys):
    paths = files_of(tmp_path, PEOPLE, ANSWERS)
    assert main(["equivalence", *paths, "--bootstrap", "20", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["command"] == "equivalence"
    assert [part["question"] for part in made["result"]["parts"]] == list(QUESTIONS)
    assert {"curve", "judges"} <= made["result"]["parts"][0]["result"].keys()
    assert made["result"]["overall"]["judges"][0].keys() == {"judge", "worth", "at_least", "worth_low", "worth_high"}
    assert made["data"]["ratings"]["questions"] == list(QUESTIONS)
    assert main(["decide", *paths, "--bootstrap", "20"]) == 0
    assert "coherence" in capsys.readouterr().out
    assert main(["decide", *paths, "--bootstrap", "20", "--question", "fluency", "--json"]) == 0
    assert "recommendation" in json.loads(capsys.readouterr().out)["result"]


def message_of(folder, people, answers):
    with pytest.raises(DissensusError) as caught:
        equivalence(*files_of(folder, people, answers), bootstrap=0)
    return typed_message_of(lambda: equivalence(*files_of(folder, people, answers), bootstrap=0)) or str(caught.value)


def test_questions_that_do_not_match_are_refused_in_one_line(tmp_path):
    renamed = [{**row, "question": "tone"} if row["question"] == "fluency" else row for row in ANSWERS]
    assert message_of(tmp_path, PEOPLE, renamed) == (
        "judges.csv answers tone, which people.csv does not ask: its questions are coherence, fluency. Rename the "
        "question there, or drop its rows; or choose one with --question."
    )
    assert "judges.csv does not say which of them each answer is about" in message_of(
        tmp_path, PEOPLE, alone(ANSWERS, "fluency")
    )
    assert message_of(tmp_path, alone(PEOPLE, "fluency"), ANSWERS).endswith("choose one with --judges-question.")


def test_a_question_that_no_judge_answered_is_left_out_and_named():
    answers = [row for row in ANSWERS if row["question"] == "fluency"]
    rows = [*answers, {**answers[0], "question": "coherence"}, {**answers[1], "question": "coherence"}]
    people = [*PEOPLE, *({**row, "question": "tone"} for row in PEOPLE if row["question"] == "fluency")]
    result = equivalence(read(people), read_judges(rows), bootstrap=0, calibrate="none", score="agreement")
    assert "No judge answered the question tone: left out." in result.warnings


def test_a_row_without_a_question_is_refused(tmp_path):
    path = write(tmp_path, "item,question,rater,label\n1,a,x,1\n1,b,x,2\n2,,x,1\n")
    assert typed_message_of(lambda: read(path)) == ("r.csv, row 4: no question. Fill it in, or drop the row.")


def test_what_needs_one_question_says_so():
    for pilot in (read(PEOPLE), PEOPLE):
        assert "asks 2 questions: coherence, fluency. Choose one with --question." in typed_message_of(
            lambda pilot=pilot: plan_raters(pilot=pilot, pilot_judges=read_judges(ANSWERS), a="near", b="far")
        )
    assert "asks 2 questions: coherence, fluency. Choose one with --question." in typed_message_of(
        lambda: as_ratings(PEOPLE)
    )


# ---- Gates, recalibrations, items


def test_a_gate_passes_only_if_every_question_does(tmp_path, capsys):
    paths = files_of(tmp_path, *CLEAR)
    few = ["--judge", "far", "--bootstrap", "50", "--junit", str(tmp_path / "gate.xml")]
    assert main(["gate", *paths, *few, "--min-equivalence", "2.5"]) == 1
    assert capsys.readouterr().out.startswith("The judge does not pass: coherence and fluency of 2 questions.")
    suites = (tmp_path / "gate.xml").read_text()
    assert suites.count("<testsuite ") == 2
    assert 'tests="2" failures="2"' in suites
    assert not gate(*paths, judge="far", min_equivalence=2.5, bootstrap=50)
    assert gate(*paths, judge="near", min_equivalence=0.1, bootstrap=50)


def test_a_recalibration_is_of_one_question(tmp_path, capsys):
    paths = files_of(tmp_path, *CLEAR)
    out = str(tmp_path / "recalibration.csv")
    assert main(["decide", *paths, "-o", out]) == 2
    assert capsys.readouterr().err.startswith("dissensus: A recalibration is for one question")
    assert main(["decide", *paths, "-o", out, "--question", "fluency", "--bootstrap", "20", "--quiet"]) == 0
    assert main(["apply", out, paths[1]]) == 2
    assert "these answers are to 2: coherence, fluency. Choose one with --judges-question." in capsys.readouterr().err
    assert main(["apply", out, paths[1], "--judges-question", "fluency"]) == 0


def test_a_pilot_takes_one_question(tmp_path, capsys):
    people, answers = files_of(tmp_path, *CLEAR)
    asked = ["plan", "raters", "--pilot", people, "--pilot-judges", answers, "--a", "near", "--b", "far", "--json"]
    assert main([*asked, "--bootstrap", "5"]) == 2
    assert "people.csv asks 2 questions: coherence, fluency. Choose one with --question." in capsys.readouterr().err
    assert main([*asked, "--bootstrap", "5", "--question", "fluency"]) == 0


def test_items_of_each_question_are_listed_and_written_with_it(tmp_path, capsys):
    paths = files_of(tmp_path, PEOPLE, ANSWERS)
    out = tmp_path / "items.jsonl"
    assert main(["items", *paths, "--top", "2", "-o", str(out)]) == 0
    shown = capsys.readouterr().out
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["question"] for row in rows] == ["coherence"] * 2 + ["fluency"] * 2
    assert all(row["item"] in shown for row in rows)


def test_how_far_people_split_is_told_for_each_question():
    parts = describe(read(PEOPLE, by="split"), bootstrap=0).parts
    for question in QUESTIONS:
        alone_ = describe(read(alone(PEOPLE, question), by="split"), bootstrap=0).parts
        assert [(part.value, part.items) for part in parts if part.question == question] == [
            (part.value, part.items) for part in alone_
        ]


# ---- Coverage of the mean worth

CUTS = {"clear": (-0.4, 0.9), "kind": (-1.2, 0.2), "true": (0.8,)}
"""Between labels of each question."""
LENIENCY, OTHERS = 0.5, 4


def traits_of(rng, n_items):
    """What there is to see of each item, question by question, with heavy tails; and what the judge sees of it.

    Traits of an item go together, and the judge mixes each with the mean of all.
    """
    shared = rng.standard_t(5, n_items)
    traits = {question: 0.6 * shared + 0.8 * rng.standard_t(5, n_items) for question in CUTS}
    halo = np.mean(list(traits.values()), axis=0)
    return traits, {question: 0.5 * (own + halo) + rng.logistic(0, 0.5, n_items) for question, own in traits.items()}


def three_questions(rng, n_items, n_raters):
    """Five of the raters rate each item, all questions of it; who is lenient on one question is on all."""
    traits, seen = traits_of(rng, n_items)
    lenient = rng.normal(0, LENIENCY, n_raters)
    who = np.argsort(rng.random((n_items, n_raters)), axis=1)[:, : OTHERS + 1]
    names, nothing = tuple(f"i{i:04d}" for i in range(n_items)), np.zeros(n_items, dtype=np.intp)
    people, answers = {}, {}
    for question, cuts in CUTS.items():
        labels = tuple(str(label) for label in range(len(cuts) + 1))
        percept = traits[question][:, None] + lenient[who] + rng.logistic(0, 0.6, who.shape)
        people[question] = Ratings(
            item=np.repeat(np.arange(n_items), OTHERS + 1), items=names, rater=who.ravel(), labels=labels,
            raters=tuple(f"r{r:02d}" for r in range(n_raters)), label=np.searchsorted(cuts, percept.ravel()),
            scale="ordinal",
        )  # fmt: skip
        answers[question] = Judges(
            item=np.arange(n_items), items=names, judge=nothing, judges=("j",), sample=nothing, labels=labels,
            label=np.searchsorted(cuts, seen[question]), options=labels,
        )  # fmt: skip
    return pooled_ratings(people), pooled_judges(answers)


def true_mean_worth(rng, n_items=1_000_000):
    """The mean of where bits that the judge tells about a new person's label lie among those that k people tell."""
    traits, seen = traits_of(rng, n_items)
    worths = []
    for question, cuts in CUTS.items():
        noise = rng.normal(0, LENIENCY, (n_items, OTHERS)) + rng.logistic(0, 0.6, (n_items, OTHERS))
        said = np.searchsorted(cuts, traits[question][:, None] + noise)
        base = (len(cuts) + 1) ** np.arange(OTHERS - 1)
        curve = [bits(np.sort(said[:, :k], axis=1) @ base[:k], said[:, -1]) for k in range(OTHERS)]
        worths.append(np.interp(bits(np.searchsorted(cuts, seen[question]), said[:, -1]), curve, range(OTHERS)))
    return float(np.mean(worths))


def bits(code, label):
    """Mean log2 of what a code that is known predicts for a label."""
    joint = np.zeros((code.max() + 1, label.max() + 1))
    np.add.at(joint, (code, label), 1 / len(code))
    return information(joint)


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "n_raters"), [(150, 10), (300, 25)])
def test_the_interval_of_the_mean_worth_holds_that_of_people_at_large(n_items, n_raters, trust):
    truth, sets, held = true_mean_worth(np.random.default_rng(1)), trust.sets(200), 0
    for seed in range(sets):
        data = three_questions(np.random.default_rng([n_items, seed]), n_items, n_raters)
        [judge] = equivalence(*data, bootstrap=200, rng=seed).overall.judges
        held += judge.worth_low <= truth <= judge.worth_high
    data = f"3 questions, {n_raters} raters, {n_items} items"
    trust.keep("coverage", "equivalence: mean worth over questions", held / sets, sets, data=data)
    # .95 has a standard error of .015.
    assert held / sets >= 0.92, held / sets


def test_probabilities_of_one_questions_labels_are_not_missing_in_another(tmp_path):
    rows = ["x,one,j,0.9,0.1,", "x,two,j,,,1"]
    path = write(tmp_path, "\n".join(["item,question,judge,p_no,p_yes,p_maybe", *rows]))
    answers = read_judges(path).questions
    assert {name: own.labels for name, own in answers.items()} == {"one": ("no", "yes"), "two": ("maybe",)}


def test_questions_are_ranked_by_agreement_only_where_it_is_measured_in_the_same_way():
    def lead(**questions):
        rows = [{"item": i, "rater": rater, "question": question, "label": label}
                for question, labels in questions.items()
                for i, both in enumerate(labels) for rater, label in zip("ab", both, strict=True)]  # fmt: skip
        return describe(read(rows), bootstrap=0).summary().splitlines()[0]

    # Pairs 11, 22, 12: D_o = 2/6, D_e = 18/30, so alpha = 4/9 (as in test_agreement); 11, 22, 11 agree in full.
    some, all_agree, words = ["11", "22", "12"], ["11", "22", "11"], ["xx", "yy", "xy"]
    assert lead(some=some, all=all_agree) == 'Raters agree most on "all" (1.00) and least on "some" (0.44).'
    assert lead(some=some, again=some) == "Raters agree the same on each of 2 questions (0.44)."
    assert lead(some=some, words=words) == "2 questions, each answered on its own."  # one is ordinal


def test_the_first_line_about_several_questions_has_words_for_what_is_beyond_the_curve():
    rng, people, judges = np.random.default_rng(0), [], []
    for question, is_known in (("easy", True), ("hard", False)):
        for i, truth in enumerate(rng.integers(0, 2, 80).tolist()):
            row = {"item": i, "question": question}
            people += [{**row, "rater": r, "label": truth if rng.random() < 0.75 else 1 - truth} for r in "abcd"]
            judges += [{**row, "judge": "j", "label": truth if is_known else int(rng.integers(0, 2))}]
    first = " ".join(equivalence(people, judges, bootstrap=0).summary().partition("\n\n")[0].split())
    assert re.fullmatch(r"j, the best judge on average, is worth .* to more than 3 raters, depending on the question.",
                        first)  # fmt: skip
