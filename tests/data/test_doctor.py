"""Each check finds what it is for, says where it stands and what fixes it, and is silent about a clean file."""

import json
import shlex
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from dissensus import read
from dissensus.cli.main import main
from dissensus.data.doctor import all_checks, doctor

from tables import HEADER, as_typed, typed_message_of, write


def findings(path, **options):
    """The findings by check, with options as they are typed."""
    found = {}
    for finding in doctor(path, **options).findings:
        typed = replace(finding, message=as_typed(finding.message), option=as_typed(finding.option))
        found.setdefault(finding.check, []).append(typed)
    return found


def only(path, check, **options):
    """The one finding of a check."""
    [finding] = findings(path, **options)[check]
    return finding


def table(rows):
    return HEADER + "".join(f"{item},{rater},{label}\n" for item, rater, label in rows)


def panel(n_items=30, raters="abcd", *, seed=0):
    """Ratings of raters who mostly agree."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n_items):
        truth = rng.choice(["yes", "no"])
        rows += [(f"i{i}", rater, truth if rng.random() < 0.9 else rng.choice(["yes", "no"])) for rater in raters]
    return rows


def test_a_clean_file_has_no_findings(tmp_path):
    result = doctor(write(tmp_path, table(panel())))
    assert result.findings == ()
    assert (result.format, result.holds, result.shape["items"]) == ("tidy", "ratings", 30)
    assert "no problems found" in result.summary()


def test_repeated_ratings_and_conflicts_are_told_apart(tmp_path):
    path = write(tmp_path, HEADER + "1,a,x\n1,a,x\n1,b,y\n1,b,x\n2,a,x\n2,b,x\n")
    finding = only(path, "repeated-ratings")
    assert (finding.severity, finding.count, finding.rows, finding.option) == ("error", 2, (5,), "--repeats last")
    assert "1 with another label" in finding.message
    assert only(path, "repeated-ratings", repeats="last").severity == "note"


def test_labels_that_differ_in_case_only_are_found_and_merged_by_the_option(tmp_path):
    path = write(tmp_path, HEADER + "1,a,No\n1,b,NO\n2,a,No\n2,b,Yes\n3,a,1\n3,b,1.0\n")
    warning, note = findings(path)["similar-labels"]
    assert (warning.severity, warning.count, warning.rows, warning.option) == ("warning", 1, (3,), "--merge-case")
    assert (note.severity, note.message) == (
        "note", "Numbers are written in several ways, and each is read as one label: 1 and 1.0.",
    )  # fmt: skip
    merged = findings(path, merge_case=True).get("similar-labels", [])
    assert [finding.severity for finding in merged] == []


def test_a_misspelt_label_is_found(tmp_path):
    rows = [(f"i{i}", rater, "toxic") for i in range(20) for rater in "ab"] + [("x", "a", "toxc"), ("x", "b", "fine")]
    finding = only(write(tmp_path, table(rows)), "similar-labels")
    assert (finding.rows, finding.option) == ((42,), "--map toxc=toxic")


@pytest.mark.parametrize(
    ("labels", "severity", "option"),
    [
        (["1", "2", "3", "1", "2", "3", "1", "2", "Unsure"], "warning", "--labels 1,2,3 --off-scale missing"),
        (["yes", "no", "yes", "no", "n/a"], "warning", '--map "n/a="'),
        (["win", "lose", "win", "tie (inconsistent)"], "warning", '--map "tie (inconsistent)="'),
        (["1", "2", "3", "4", "5"] * 30 + ["55"], "warning", "--map 55="),
        ([f"{i / 4}" for i in range(60)] * 3 + ["999"], "warning", "--map 999="),
    ],
)
def test_values_off_the_scale_are_found_with_the_option_that_makes_them_missing(tmp_path, labels, severity, option):
    rows = [(f"i{i // 2}", "ab"[i % 2], label) for i, label in enumerate(labels)]
    finding = only(write(tmp_path, table(rows)), "off-scale")
    assert (finding.severity, finding.option, finding.rows) == (severity, option, (len(labels) + 1,))


def test_words_for_a_missing_label_are_found_among_numbers_too(tmp_path):
    finding = only(write(tmp_path, HEADER + "1,a,nan\n1,b,NaN\n1,c,3\n2,a,3\n2,b,4\n"), "off-scale")
    assert (finding.rows, finding.option) == ((2, 3), '--map "NaN=,nan="')


def test_a_word_that_most_raters_say_is_an_answer(tmp_path):
    rows = [(f"i{i}", rater, "none" if i % 4 else "attack") for i in range(40) for rater in "ab"]
    assert "off-scale" not in findings(write(tmp_path, table(rows)))


def test_a_fine_scale_with_a_long_tail_is_clean(tmp_path):
    # Such as a count of errors: most items have few, and some have very many.
    scores = np.random.default_rng(0).exponential(3, size=400).round(1)
    scores[:5] = [30.5, 41.2, 52.3, 65.2, 71.4]
    rows = [(f"i{i // 2}", "ab"[i % 2], score) for i, score in enumerate(scores)]
    assert findings(write(tmp_path, table(rows))) == {}


@pytest.mark.parametrize(
    ("usual", "rare"),
    [
        ("Strongly agree", "Strongly disagree"),
        ("somewhat likely", "somewhat unlikely"),
        ("Response A", "Response B"),
        ("category 11", "category 12"),
    ],
)
def test_the_opposite_of_a_label_is_no_misspelling(tmp_path, usual, rare):
    rows = [(f"i{i}", rater, usual) for i in range(20) for rater in "ab"] + [("x", "a", rare), ("x", "b", usual)]
    assert "similar-labels" not in findings(write(tmp_path, table(rows)))


def test_the_option_of_a_finding_is_typed_as_it_is_whatever_stands_in_the_data(tmp_path):
    name = 'eve $(rm -rf x) "*'
    rows = [*panel(40), *((f"i{i}", name, "yes") for i in range(40))]
    text = "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows)
    path = write(tmp_path, HEADER + text)
    option = only(path, "one-answer").option
    arguments = shlex.split(option)
    assert arguments[0] == "--drop"
    assert main(["import", str(path), *arguments, "-o", str(tmp_path / "out.csv")]) == 0
    assert set(read(tmp_path / "out.csv").raters) == set("abcd")


def test_a_label_with_a_comma_is_mapped_by_the_option_of_its_finding(tmp_path):
    rows = [(f"i{i}", rater, '"yes, perhaps"') for i in range(20) for rater in "ab"] + [("x", "a", '"yes, pehaps"')]
    path = write(tmp_path, table([*rows, ("x", "b", "no")]))
    arguments = shlex.split(only(path, "similar-labels").option)
    assert main(["import", str(path), *arguments, "-o", str(tmp_path / "out.csv")]) == 0
    assert set(read(tmp_path / "out.csv").labels) == {"yes, perhaps", "no"}


def test_labels_that_are_not_listed_are_an_error_of_the_file_and_not_of_the_doctor(tmp_path):
    path = write(tmp_path, HEADER + "1,a,x\n1,b,z\n")
    result = doctor(path, labels=["x", "y"])
    assert [(f.check, f.severity, f.option) for f in result.findings] == [
        ("off-scale", "error", "`off_scale=` of `import_` missing")
    ]


def test_response_sets_that_are_joined_by_commas_are_found(tmp_path):
    path = write(tmp_path, HEADER + '1,a,x\n1,b,"x, y"\n2,a,y\n2,b,x\n')
    finding = only(path, "joined-labels")
    assert (finding.count, finding.rows, finding.option) == (1, (3,), '--split ","')


def test_a_rater_with_one_answer_only_is_found(tmp_path):
    rows = [*panel(40), *((f"i{i}", "lazy", "yes") for i in range(40))]
    finding = only(write(tmp_path, table(rows)), "one-answer")
    assert (finding.severity, finding.count, finding.option) == ("warning", 40, "--drop rater=lazy")
    # What the others say to the same items, the average rater standing in for the one who is looked at.
    others = [label for _, rater, label in rows if rater != "lazy"]
    share = (others.count("yes") + 40 * (others.count("yes") + 40) / 200) / 200
    assert f"lazy answers yes to all of 40 items, on which the others do so in {share:.0%}" in finding.message


def test_a_rater_with_an_improbable_rate_is_found_and_a_slightly_stricter_one_is_not(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(f"i{i}", rater, "yes" if rng.random() < 0.2 else "no") for i in range(100) for rater in "abcd"]
    odd = [(f"i{i}", "odd", "yes" if rng.random() < 0.8 else "no") for i in range(100)]
    strict = [(f"i{i}", "strict", "yes" if rng.random() < 0.3 else "no") for i in range(100)]
    finding = only(write(tmp_path, table([*rows, *odd, *strict])), "improbable-rate")
    assert finding.option == "--drop rater=odd"


def test_raters_who_differ_as_real_ones_do_are_clean(tmp_path):
    # Each has a rate of their own between 20% and 80%; by chance alone a tenth of that would be improbable.
    rng = np.random.default_rng(2)
    rates = {f"r{i}": rate for i, rate in enumerate(np.linspace(0.2, 0.8, 20))}
    rows = [(f"i{i}", r, "yes" if rng.random() < rate else "no") for i in range(300) for r, rate in rates.items()]
    assert findings(write(tmp_path, table(rows))) == {}


def test_raters_are_held_against_others_on_the_same_items_only(tmp_path):
    # Two halves of the items: nearly all yes, nearly all no. Nobody is odd, though each saw one half.
    rng = np.random.default_rng(3)
    rows = [
        (f"{half}{i}", f"{half}{rater}", half if rng.random() < 0.95 else "other")
        for half in ("yes", "no")
        for i in range(100)
        for rater in "abc"
    ]
    assert findings(write(tmp_path, table(rows))) == {}


def test_many_odd_raters_are_one_finding(tmp_path):
    rows = [*panel(40, "abcdefghijkl"), *((f"i{i}", f"lazy{k}", "yes") for i in range(40) for k in range(7))]
    finding = only(write(tmp_path, table(rows)), "one-answer")
    assert finding.message.startswith("Look at 7 raters with one answer only: lazy0 answers yes to all of 40 items")
    assert finding.message.endswith(
        "; and 2 more, whom `dissensus doctor --json` names; --drop rater=NAME leaves one out."
    )
    assert finding.names == tuple(f"lazy{k}" for k in range(7))
    assert finding.option == ""


def test_leaving_raters_out_is_one_possibility_and_no_mend(tmp_path):
    rows = [*panel(40, "abcdefghijkl"), *((f"i{i}", f"lazy{k}", "yes") for i in range(40) for k in range(2))]
    path = write(tmp_path, table(rows))
    finding = only(path, "one-answer")
    assert (finding.is_choice, finding.option) == (True, "--drop rater=lazy0 --drop rater=lazy1")
    text = " ".join(doctor(path).summary().split())
    assert "One possibility is `drop=` of `import_` rater=lazy0 `drop=` of `import_` rater=lazy1" in text
    assert "Fix it with" not in text
    assert "To do so, run `dissensus import` with the option" in text


def test_columns_of_probabilities_are_in_the_column_mapping(tmp_path):
    path = write(tmp_path, "item,judge,p_No,p_Yes\n1,llm,.2,.8\n2,llm,.6,.4\n")
    assert doctor(path, judges=True).taken["probabilities"] == "2 columns p_<label>"


def test_twenty_thousand_raters_and_as_many_labels_are_no_burden(tmp_path):
    # A table of raters by labels would have 3.2 GB.
    rows = "".join(f"i{i // 2},r{i},word {i}\n" for i in range(20_000))
    tracemalloc.start()
    assert findings(write(tmp_path, HEADER + rows)) == {}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**28


def test_items_with_one_rating_are_counted(tmp_path):
    finding = only(write(tmp_path, HEADER + "1,a,x\n1,b,y\n2,a,x\n3,b,y\n"), "single-ratings")
    assert (finding.severity, finding.count, finding.rows) == ("warning", 2, (4, 5))


JUDGES = "item,judge,sample,label\n"


def test_a_judge_that_always_says_the_same_is_found(tmp_path):
    rows = "".join(f"i{i},flat,0,yes\ni{i},good,0,{'yes' if i % 2 else 'no'}\n" for i in range(8))
    finding = only(write(tmp_path, JUDGES + rows, "judges.csv"), "constant-judges")
    assert (finding.severity, finding.count, finding.option) == ("warning", 8, "--drop judge=flat")


def test_a_judge_with_inverted_polarity_is_found_against_people(tmp_path):
    rows = panel(40, "abc")
    people = write(tmp_path, table(rows), "ratings.csv")
    majority = {}
    for item, _, label in rows:
        majority.setdefault(item, []).append(label)
    said = {item: max(sorted(set(labels)), key=labels.count) for item, labels in majority.items()}
    turned = {"yes": "no", "no": "yes"}
    judges = JUDGES + "".join(f"{item},upside,0,{turned[label]}\n" for item, label in said.items())
    path = write(tmp_path, judges, "judges.csv")
    finding = only(path, "inverted-polarity", ratings=people)
    assert finding.option == '--map "no=yes,yes=no"'
    assert "agrees with people's most common label on 0% of 40 items" in finding.message
    assert "on 100% once no and yes are swapped" in finding.message
    straight = JUDGES + "".join(f"{item},straight,0,{label}\n" for item, label in said.items())
    assert "inverted-polarity" not in findings(write(tmp_path, straight, "straight.csv"), ratings=people)


def test_a_rater_with_inverted_polarity_is_found_among_the_others(tmp_path):
    rows = panel(40)
    turned = {"yes": "no", "no": "yes"}
    rows += [(item, "upside", turned[label]) for item, rater, label in rows if rater == "a"]
    assert only(write(tmp_path, table(rows)), "inverted-polarity").option == "--drop rater=upside"


def test_a_rater_who_always_says_the_same_has_no_labels_swapped(tmp_path):
    # 88% of the items are b: swapped, all a would agree with them, and so would a stone.
    rows = [(f"i{i}", rater, "b" if i % 8 else "a") for i in range(48) for rater in "xyz"]
    rows += [(f"i{i}", "stone", "a") for i in range(48)]
    assert "inverted-polarity" not in findings(write(tmp_path, table(rows)))


def test_random_raters_have_no_labels_swapped(tmp_path):
    rng = np.random.default_rng(4)
    rows = [(f"i{i // 5}", f"r{rng.integers(2000)}x{i % 5}", rng.choice(list("abc"))) for i in range(60_000)]
    assert findings(write(tmp_path, table(rows))) == {}


def test_a_judge_whose_probabilities_differ_tells_items_apart_whatever_it_finds_most_likely(tmp_path):
    rows = "".join(f"i{i},timid,0.{9 - i},0.{1 + i}\n" for i in range(4)) + "i5,timid,0.55,0.45\n"
    path = write(tmp_path, "item,judge,p_no,p_yes\n" + rows, "judges.csv")
    finding = only(path, "constant-judges")
    assert (finding.severity, finding.option) == ("note", "")
    assert "is no in all of its 5 answers, but its probabilities differ" in finding.message


def test_the_most_likely_label_stands_for_probabilities(tmp_path):
    rows = "".join(f"i{i},flat,0.9,0.1\n" for i in range(6))
    path = write(tmp_path, "item,judge,p_yes,p_no\n" + rows, "judges.csv")
    assert "says yes in all of its 6 answers: it distinguishes nothing" in only(path, "constant-judges").message


def test_attention_checks_are_found_by_item_and_by_column(tmp_path):
    rows = [*panel(20, "ab"), ("attention_check_1", "a", "yes"), ("attention_check_1", "b", "yes")]
    by_item = only(write(tmp_path, table(rows)), "attention-checks")
    assert (by_item.rows, by_item.option) == ((42, 43), '--drop "item=*attention_check*"')
    marked = "item,rater,label,is_gold\n1,a,x,false\n1,b,y,false\n2,a,x,true\n2,b,x,false\n"
    by_column = only(write(tmp_path, marked), "attention-checks")
    assert (by_column.count, by_column.rows, by_column.option) == (1, (4,), "--drop is_gold=true")


def test_a_word_within_an_id_is_no_attention_check(tmp_path):
    rows = [
        *panel(20, "ab"),
        ("http://golden-gate.org/goldfish", "a", "yes"),
        ("http://golden-gate.org/goldfish", "b", "no"),
    ]
    assert "attention-checks" not in findings(write(tmp_path, table(rows)))


def test_an_item_that_is_a_sentence_with_such_a_word_is_no_attention_check(tmp_path):
    texts = ["I catch the bus", "A trap for the gold rush", "of high quality", "pay attention to her"]
    rows = [*panel(20, "ab"), *((text, rater, "yes") for text in texts for rater in "ab")]
    assert "attention-checks" not in findings(write(tmp_path, table(rows)))


def test_a_sentence_that_is_an_attention_check_is_found(tmp_path):
    text = "This is an attention check - please choose no"
    path = write(tmp_path, table([*panel(20, "ab"), (text, "a", "no"), (text, "b", "yes"), ("gold-7", "a", "no")]))
    assert only(path, "attention-checks").option == '--drop "item=*attention check*" --drop "item=gold-[0-9]*"'


def test_a_column_of_true_labels_marks_no_attention_checks(tmp_path):
    path = write(tmp_path, "item,rater,label,gold\n1,a,1,0\n1,b,0,0\n2,a,1,1\n2,b,1,1\n")
    assert "attention-checks" not in findings(path)
    figure_eight = write(tmp_path, "item,rater,label,_golden\n1,a,1,false\n1,b,0,FALSE\n2,a,1,true\n2,b,1,TRUE\n")
    assert only(figure_eight, "attention-checks").option == "--drop _golden=TRUE --drop _golden=true"


def test_blank_rows_and_missing_labels_are_notes(tmp_path):
    path = write(tmp_path, HEADER + "1,a,x\n\n1,b,\n,,\n2,a,x\n2,b,y\n1,c,y\n")
    found = findings(path)
    assert (found["blank-rows"][0].severity, found["blank-rows"][0].count) == ("note", 2)
    assert found["missing-labels"][0].rows == (4,)


def test_ids_that_are_probably_one_are_found(tmp_path):
    rows = "12,Ann,x\n12.0,ann ,y\n12,bob,x\n\ufeff13,bob,x\n13,Ann,y\n"
    found = findings(write(tmp_path, HEADER + rows))
    items, raters = found["similar-ids"]
    assert (items.count, raters.count, raters.rows) == (2, 1, (3,))
    assert found["unseen-characters"][0].rows == (5,)


def test_a_byte_order_mark_is_a_note(tmp_path):
    path = write(tmp_path, "\ufeff" + table(panel()))
    assert [(f.check, f.severity) for f in doctor(path).findings] == [("encoding", "note")]


def test_what_stops_every_command_is_a_finding_with_the_option_that_it_needs(tmp_path):
    path = write(tmp_path, "text_id,annotator,rating,score\n1,a,2,3\n")
    finding = only(path, "columns")
    assert (finding.severity, finding.option) == ("error", "--label rating")
    bare = write(tmp_path, HEADER + "1,,x\n")
    assert "a label but no rater" in only(bare, "reading").message


def test_several_questions_are_checked_one_by_one(tmp_path):
    several = write(tmp_path, "item,rater,q.a,q.b,w.a,w.b\n1,x,1,0,0,1\n2,x,0,1,0,1\n")
    note = only(several, "several-questions")
    assert (note.severity, note.option) == ("note", "")
    assert note.message.startswith("r.csv asks 2 questions (q, w), each answered alone.")
    rows = [f"{i},{question},{rater},{label}\n" for i in range(6) for rater in "ab"
            for question, label in (("tone", "yes" if i % 2 else "Yes"), ("style", i % 3))]  # fmt: skip
    path = write(tmp_path, "item,question,rater,label\n" + "".join(rows))
    result = doctor(path)
    assert result.shape == {"ratings": 24}
    assert not any(finding.severity == "error" for finding in result.findings)
    # Only the labels of one question are written in two ways.
    [about] = [finding.message for finding in result.findings if "Yes" in finding.message]
    assert about.startswith("tone: ")
    assert doctor(path, question="style").shape["items"] == 6


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    assert "is not UTF-8" in typed_message_of(lambda: doctor(write(tmp_path, b"item,label\n\xc3\xa4,\xff\n")))
    assert "There is no file" in typed_message_of(lambda: doctor(tmp_path / "no.csv"))


def test_every_module_of_checks_is_found():
    assert len(all_checks()) >= 12


@pytest.mark.parametrize(
    ("content", "status"),
    [(table(panel()), 0), (HEADER + "1,a,x\n1,a,y\n", 0), ("text_id,rating\n1,2\n", 0), (b"\xff\xff\0", 2)],
)
def test_the_exit_status_is_2_only_if_the_file_cannot_be_read(tmp_path, capsys, content, status):
    assert main(["doctor", str(write(tmp_path, content)), "--json"]) == status
    printed = capsys.readouterr()
    if status:
        assert printed.out == ""
        assert printed.err.startswith("dissensus: ")
    else:
        result = json.loads(printed.out)["result"]
        assert set(result) == {"format", "holds", "taken", "shape", "findings"}
        keys = {"check", "severity", "message", "count", "rows", "option", "is_choice", "names"}
        assert all(set(finding) == keys for finding in result["findings"])


def test_the_text_says_where_and_what_fixes_it(tmp_path, capsys):
    assert main(["doctor", str(write(tmp_path, HEADER + "1,a,No\n1,a,NO\n1,b,no\n"))]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "1 error and 1 warning" in text
    assert "See row 3. Fix it with --repeats last" in text
    assert "Fix it with --merge-case" in text


def test_a_command_that_an_error_stops_is_not_said_to_fix_all(tmp_path, capsys):
    wide = "id,ann,bob\n" + "".join(f"{n},yes,Yes\n{n}b,no,no\n" for n in range(9)) + ",4,5\n"
    assert main(["doctor", str(write(tmp_path, wide))]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "row 20: a label but no item. Fill it in" in text  # one row, although two people stand in it
    assert "Correct by hand what is an error, and fix the rest with `dissensus import" in text
    assert "Fix all at once" not in text


def test_words_for_no_answer_in_german_are_found(tmp_path):
    rows = [*panel(), ("i0", "e", "k.A.")]
    assert only(write(tmp_path, table(rows)), "off-scale").option == '--map "k.A.="'
