"""Malformed files of judges' answers, each with the whole message that its reader gets."""

import numpy as np
import pytest

from dissensus.data import read, read_judges

from tables import HEADER, LISTED, REPEATS, bad, parquet, typed_message_of

JUDGES = "item,judge,p_no,p_yes\n"

MALFORMED_JUDGES = [
    bad("negative probability", "j.csv", JUDGES + "1,g,.5,.5\n2,g,1.1,-.1\n",
        "j.csv, row 3: p_yes is -0.1, and a probability is never negative. "
        "Give numbers from 0 to 1; logarithms must be exponentiated first."),
    bad("missing probability", "j.csv", JUDGES + "1,g,.5,.5\n2,g,,\n3,g,.1,\n",
        "j.csv, row 4: p_yes is missing while other probabilities are given. Give all of them, or none and a label."),
    bad("probabilities do not sum to 1", "j.csv", JUDGES + "1,g,.5,.5\n2,g,.1,.8\n3,g,.1,.1\n",
        "j.csv, row 3: the probabilities sum to 0.9, not to 1 (2 such rows). "
        "Give one for every label, or rescale them."),
    bad("one row does not sum to 1", "j.csv", JUDGES + "1,g,.5,.5\n2,g,.5,.502\n",
        "j.csv, row 3: the probabilities sum to 1.002, not to 1. Give one for every label, or rescale them."),
    bad("NaN in text", "j.csv", JUDGES + "1,g,nan,.8\n",
        "j.csv, row 2: p_no is 'nan', which is not a number. Write it like 0.25."),
    bad("NaN probability in Parquet", "j.parquet", parquet(item=["1"], p_no=[float("nan")], p_yes=[0.5]),
        "j.parquet, row 1: p_no is missing while other probabilities are given. "
        "Give all of them, or none and a label."),
    bad("infinite probability", "j.parquet", parquet(item=["1"], p_no=[float("inf")], p_yes=[0.5]),
        "j.parquet, row 1: p_no is 'inf', which is not a number. Write it like 0.25."),
    bad("probability in words", "j.csv", JUDGES + "1,g,likely,.8\n",
        "j.csv, row 2: p_no is 'likely', which is not a number. Write it like 0.25."),
    bad("decimal comma", "j.csv", JUDGES.replace(",", ";") + "1;g;0,5;0,5\n",
        "j.csv, row 2: p_no is '0,5', which is not a number. Write it like 0.25."),
    bad("one label, two columns", "j.csv", "item,p_1,p_1.0\n1,.5,.5\n",
        "j.csv: columns 'p_1' and 'p_1.0' are the same label. Delete one of them."),
    bad("one response set, two columns", "j.csv", "item,p_a|b,p_b|a\n1,.5,.5\n",
        "j.csv: columns 'p_a|b' and 'p_b|a' are the same label. Delete one of them."),
    bad("neither label nor probabilities", "j.csv", "item,judge,verdict,score\n1,g,yes,1\n",
        "j.csv has no column 'label'. Columns found: item, judge, verdict, score. "
        "The likely match is score: add --judge-columns label=score."),
    bad("neither label nor probabilities, nor anything like them", "j.csv", "item,judge,tone\n1,g,yes\n",
        "j.csv has no column 'label'. Columns found: item, judge, tone. Name it with --judge-columns label=COLUMN. "
        "Judges may give probabilities instead, in columns called p_<label>."),
    bad("no item column", "j.csv", "itm,judge,label\n1,g,yes\n",
        "j.csv has no column 'item'. Columns found: itm, judge, label. "
        "The likely match is itm: add --judge-columns item=itm."),
    bad("header only", "j.csv", "item,judge,label\n",
        "j.csv has columns but no rows below them: there is nothing to read. Export it again."),
    bad("no answers", "j.csv", "item,judge,label\n1,g,\n2,g,\n",
        "j.csv has 2 rows and not one answer. "
        "Check that it is the right file, or name the column of the labels with --judge-columns label=COLUMN."),
    bad("answer without judge", "j.csv", "item,judge,label\n1,g,x\n1,,x\n",
        "j.csv, row 3: a judge's answer but no judge. Fill it in or delete the row."),
    bad("answer without item", "j.csv", JUDGES + ",g,.5,.5\n",
        "j.csv, row 2: a judge's answer but no item. Fill it in or delete the row."),
    bad("sample twice", "j.csv", "item,judge,sample,label\n1,g,0,x\n1,g,0,y\n",
        "j.csv: 1 answer with the item, judge and sample of an earlier one: item 1 judge g sample 0 (row 3). "
        f"{REPEATS}"),
    bad("unknown repeats", "j.csv", "item,judge,label\n1,g,x\n",
        "--repeats cannot be 'maybe': choose one of error, first, last, keep.", repeats="maybe"),
    bad("label that was not listed", "j.csv", "item,judge,label\n1,g,x\n2,g,z\n",
        f"j.csv, row 3: the label z is not among those given (x, y). {LISTED}", labels=["x", "y"]),
    bad("column of a label that was not listed", "j.csv", "item,p_no,p_maybe\n1,.5,.5\n",
        f"j.csv, column p_maybe: the label maybe is not among those given (no, yes). {LISTED}", labels=["no", "yes"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "options", "message"), MALFORMED_JUDGES)
def test_malformed_judges_get_one_line(tmp_path, name, content, options, message):
    (tmp_path / name).write_bytes(content)
    assert typed_message_of(lambda: read_judges(tmp_path / name, **options)) == message


def test_judges_who_share_no_item_with_the_ratings_are_refused(tmp_path):
    (tmp_path / "r.csv").write_text(HEADER + "".join(f"{i},a,x\n" for i in range(1, 8)))
    (tmp_path / "j.csv").write_text("item,label\n01,x\n02,x\n")
    judges, ratings = read_judges(tmp_path / "j.csv"), read(tmp_path / "r.csv")
    assert typed_message_of(lambda: judges.on_items_of(ratings)) == (
        "The judges share no item with the ratings: theirs are 01, 02; rated are 1, 2, 3, 4, 5 and 2 more. "
        "Check that the item columns hold the same ids."
    )


def test_a_part_that_no_judge_answered_is_told_from_other_ids(tmp_path):
    (tmp_path / "r.csv").write_text(HEADER + "1,a,x\n2,a,x\n")
    (tmp_path / "j.csv").write_text("item,label\n1,x\n")
    nothing = read_judges(tmp_path / "j.csv").where(np.zeros(1, dtype=np.bool_))
    said = typed_message_of(lambda: nothing.on_items_of(read(tmp_path / "r.csv")))
    assert said == "No judge answered any of the rated items."
