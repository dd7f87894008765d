"""Fix files by choosing on the data page, and the recipes that do the same elsewhere."""

import html
import json
import re
import shlex

import pytest

from dissensus.cli.main import main
from dissensus.errors import OptionError
from dissensus.options import parts_of, pattern_of, renamed_again, renamed_labels, split_labels

from web_server import form, lead_of, running, shown, verdict_of, words

pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

CLEAN = [(f"i{i}", f"r{r}", ("No", "Yes")[(i + (r == i % 8)) % 2]) for i in range(40) for r in range(4)]
# The same ratings with a label in two spellings, one that means missing, rows of a check, and somebody's typing error.
MESSY = [(item, rater, "YES" if label == "Yes" and item.endswith("1") else label) for item, rater, label in CLEAN]
MESSY += [("attention_check_1", f"r{r}", "No") for r in range(4)] + [("i0", "r9", "n/a"), ("i1", "r9", "n/a")]
NEAR = [(f"i{i}", "near", ("No", "Yes")[(i + (i % 9 == 0)) % 2]) for i in range(40)]
FAR = [(f"i{i}", "far", ("NO", "yes")[(i + (i % 3 == 0)) % 2]) for i in range(40)]
DRAFT = [(f"i{i}", "draft_1", "No") for i in range(40)]


def table(header, rows):
    return "".join(",".join(row) + "\n" for row in [header, *rows]).encode()


FILES = {
    "ratings": ("my ratings.csv", table(("item", "rater", "label"), MESSY)),
    "judges": ("judges.csv", table(("item", "judge", "label"), [*NEAR, *FAR, *DRAFT])),
}
FIXED = [["map", "n/a="], ["merge_case", "yes"], ["drop", "item=attention_*"]]
JUDGES_FIXED = [["judges_merge_case", "yes"], ["judges_drop", "judge=draft_*"]]


@pytest.fixture(scope="module")
def server():
    with running(is_lasting=True) as started:
        yield started


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The uploaded files in the working directory."""
    for name, content in FILES.values():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)


def fixes(answer):
    """What the page proposes, each fix as the button sends it; the first is all of them where there are several."""
    return [json.loads(html.unescape(found)) for found in re.findall(r'name="fixes" value="([^"]*)"', answer)]


def fixed(server, *, judges=True):
    """The id of a project whose files are fixed."""
    id_ = server.upload(**(FILES if judges else {"ratings": FILES["ratings"]}))
    assert server.change(id_, "fix", fixes=json.dumps([*FIXED, *(JUDGES_FIXED if judges else [])]))[0] == 303
    return id_


def test_what_the_check_up_proposes_can_be_chosen_one_after_the_other(server):
    id_ = server.upload(**FILES)
    answer, times = server.answer("checkup", f"data={id_}"), 0
    while proposed := fixes(answer):
        times += 1
        assert times < 12
        assert server.change(id_, "fix", fixes=json.dumps(proposed[-1]))[0] == 303
        answer = server.answer("checkup", f"data={id_}")
    # 160 ratings of 40 items: the four of the check and the two that are missing are gone.
    assert "160 ratings of 40 items" in words(answer)
    assert "See the results" in answer


def test_fix_all_is_the_same_as_every_fix_and_undo_takes_one_back(server):
    id_ = server.upload(**FILES)
    first = fixes(server.answer("checkup", f"data={id_}"))
    assert {tuple(fix) for fix in first[0]} == {tuple(fix) for own in first[1:] for fix in own}
    server.change(id_, "fix", fixes=json.dumps(first[0]))
    assert "160 ratings of 40 items" in words(server.answer("checkup", f"data={id_}"))
    place = next(i for i, (name, _) in enumerate(first[0]) if name == "drop")
    server.change(id_, "undo", place=str(place))
    assert "164 ratings of 41 items" in words(server.answer("checkup", f"data={id_}"))


def test_judges_are_checked_against_people_as_they_are_computed(server):
    # Once people's labels are renamed, judges that write them as before no longer match, and the page says so.
    id_ = server.upload(**FILES)
    assert "never gives a label of people" not in words(server.answer("checkup", f"data={id_}"))
    server.change(id_, "fix", fixes=json.dumps([["map", "No=harmless,Yes=toxic,YES=toxic,n/a="]]))
    assert "near never gives a label of people's (harmless, toxic)" in words(server.answer("checkup", f"data={id_}"))


def test_a_card_shows_the_data_before_and_after(server):
    answer = words(server.answer("checkup", f"data={server.upload(ratings=FILES['ratings'])}"))
    # 160 ratings, four of the check, two that mean missing: of the labels only those that change are shown.
    assert "Before 166 answers; n/a (2) After 164 answers Fix" in answer


def test_a_label_that_only_judges_give_is_no_silent_label_of_its_own(server):
    # One click on the proposed fix (NO is people's No) must not hide that NIX is nobody's label.
    near = [(item, judge, {"No": "NIX", "Yes": "YES"}[label]) for item, judge, label in NEAR]
    id_ = server.upload(
        ratings=("ours.csv", table(("item", "rater", "label"), CLEAN)),
        judges=("judges.csv", table(("item", "judge", "label"), near)),
    )
    answer = server.answer("checkup", f"data={id_}")
    server.change(id_, "fix", fixes=json.dumps(fixes(answer)[-1]))
    answer = server.answer("checkup", f"data={id_}")
    said = f"No rater ever gives NIX ({sum(label == 'NIX' for _, _, label in near)})"
    assert said in words(answer)
    assert "No problems found." not in answer
    assert 'value="NIX=No"' in answer  # people's labels are offered for it
    server.change(id_, "labels", file="judges", merge="NIX=No")
    assert "No problems found." in server.answer("checkup", f"data={id_}")


def test_columns_that_count_without_a_role_are_not_called_unused(server):
    rows = [(f"i{i}", "near", "0", "0.25", "0.75") for i in range(40)]
    id_ = server.upload(
        ratings=("ours.csv", table(("item", "rater", "label"), CLEAN)),
        judges=("judges.csv", table(("item", "judge", "sample", "p_No", "p_Yes"), rows)),
    )
    menus = re.findall(
        r'<option value="">([^<]*)</option>\s*<option value="item"', server.answer("checkup", f"data={id_}")
    )
    assert menus[:3] == ["not used"] * 3  # the menus of people's columns
    assert menus[-3:] == ["sample", "chance of No", "chance of Yes"]


def test_columns_get_their_roles_from_menus(server):
    rows = FILES["ratings"][1].replace(b"item,rater,label", b"comment,worker,answer")
    id_ = server.upload(ratings=("other.csv", rows))
    server.change(
        id_, "columns", file="ratings", column=["comment", "worker", "answer"], role=["item", "rater", "label"]
    )
    assert "166 ratings of 41 items" in words(server.answer("checkup", f"data={id_}"))


def test_labels_are_merged_and_put_in_order(server):
    id_ = server.upload(ratings=FILES["ratings"])
    server.change(id_, "labels", file="ratings", merge=["", "YES=Yes", "n/a="])
    answer = words(server.answer("checkup", f"data={id_}"))
    assert "164 ratings" in answer
    server.change(id_, "labels", file="ratings", label=["No", "Yes"], up="1")
    shown = server.answer("checkup", f"data={id_}")
    assert re.findall(r'<th scope="row">(\w+)', shown) == ["Yes", "No"]


def test_files_are_sorted_and_can_be_swapped(server):
    both = [("z.csv", FILES["judges"][1]), ("a.csv", FILES["ratings"][1])]
    edge = b"----edge"
    parts = [
        b'--%s\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n'
        % (edge, name.encode(), text)
        for name, text in both
    ]
    headers = {"Content-Type": f"multipart/form-data; boundary={edge.decode()}"}
    _, found, _ = server.ask("POST", "/upload", body=b"".join(parts) + b"--%s--\r\n" % edge, headers=headers)
    id_ = found["Location"].split("/")[2]
    shown = words(server.page(id_, "data"))
    assert "People's ratings a.csv Judges' answers z.csv" in shown
    server.change(id_, "swap")
    assert "People's ratings z.csv Judges' answers a.csv" in words(server.page(id_, "data"))


def test_judges_can_be_added_later(server):
    id_ = server.upload(ratings=FILES["ratings"])
    status, headers, _ = server.ask("POST", f"/upload?data={id_}", **form({"judges": FILES["judges"]}))
    assert (status, headers["Location"]) == (303, f"/p/{id_}/data")
    assert "judges.csv has 120 answers" in words(server.answer("checkup", f"data={id_}"))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("task", "page", "more"),
    [
        ("compare", "compare", "a=near&b=far&metric=accuracy"),
        ("report", "results", "bootstrap=20"),
        ("plan_raters", "plan", "a=near&b=far"),
    ],
)
def test_the_recipes_fix_first_and_then_say_what_the_page_says(server, task, page, more, capsys):
    id_ = fixed(server)
    answer = server.answer(task, f"data={id_}&{more}")
    text = server.page(id_, page, more)
    sentence = lead_of(answer) if task != "report" else verdict_of(answer)
    commands = shown(text, "recipe-command").splitlines()
    assert [shlex.split(line)[1] for line in commands[:2]] == ["import", "import"]
    for line in commands:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0
    assert sentence in words(capsys.readouterr().out)
    exec(compile(shown(text, "recipe-python"), "recipe", "exec"), {})  # noqa: S102 - what the page tells people to run
    assert sentence in words(capsys.readouterr().out)


def test_a_new_name_for_a_label_alone_needs_no_import(server):
    command = shown(server.page(server.upload(**FILES), "compare", "map=YES%3DYes,n/a%3D"), "recipe-command")
    assert command == "dissensus compare 'my ratings.csv' judges.csv --map YES=Yes,n/a="


@pytest.mark.usefixtures("here")
def test_the_recipe_of_the_data_page_is_the_check_up_with_the_same_options(server, capsys):
    id_ = fixed(server)
    lines = shown(server.page(id_, "data"), "recipe-command").splitlines()
    answer = words(server.answer("checkup", f"data={id_}"))
    for line in lines:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0
        found = re.sub(r" \((?:tidy|judges)\)(?= has )", "", words(capsys.readouterr().out))
        lead = re.search(r"(?:File check )?([\w .]+csv has [\d,]+ \w+ (?:of|to) [\d,]+ items)", found)[1]
        assert lead.strip() in answer


def test_what_is_typed_and_cannot_be_read_is_answered_in_words(server):
    id_ = server.upload(**FILES)
    for typed, says in (("map=YES", "write OLD=NEW"), ("drop=item", "write COLUMN=PATTERN"), ("labels=a,,b", "empty")):
        text = server.page(id_, "data", typed)
        assert says in text
        assert 'hx-post="/start' not in text  # nothing is computed
        name, _, value = typed.partition("=")
        status, _, text = server.change(id_, "fix", fixes=json.dumps([[name, value]]))
        assert status == 400
        assert says in text


@pytest.mark.parametrize("sent", ["", "x", "{}", '[["nothing", "x"]]', '[["map"]]', "[[1, 2]]", '["map"]', "null"])
def test_what_is_no_fix_is_refused_and_changes_nothing(server, sent):
    id_ = server.upload(ratings=FILES["ratings"])
    assert server.change(id_, "fix", fixes=sent)[0] == 400
    assert "Fixes made" not in server.page(id_, "data")


@pytest.mark.parametrize("typed", ["a%0Ab", "%00", "%22", "a%0D%0Ab,c"])
def test_line_breaks_and_quotes_in_what_is_typed_are_no_error_of_ours(server, typed):
    id_ = server.upload(**FILES)
    for name in ("labels", "map", "drop", "judges_map", "judges_drop", "split", "item", "question"):
        text = server.page(id_, "data", f"{name}={typed}")
        assert "went wrong on our side" not in text
        if 'hx-post="/start' in text:
            assert "went wrong on our side" not in server.answer("checkup", f"data={id_}&{name}={typed}")


def test_an_example_stays_as_it_is(server):
    status, _, text = server.change("example:binary", "fix", fixes="[]")
    assert status == 400
    assert "cannot be changed" in text


def test_what_is_typed_as_one_option_is_taken_apart():
    assert parts_of('a, "b, c"') == split_labels('a,"b, c"') == ["a", "b, c"]
    assert parts_of("") == []
    assert renamed_labels('NO=No,"a, b=c"') == {"NO": "No", "a, b": "c"}
    assert pattern_of("rater=b*=") == ("rater", "b*=")
    for read, text in ((split_labels, "a,,b"), (renamed_labels, "a"), (pattern_of, "=x"), (parts_of, "a\nb")):
        with pytest.raises(OptionError):
            read(text)


def test_renaming_twice_is_renaming_once_with_both():
    swap = {"a": "b", "b": "a"}
    assert renamed_again(swap, swap) == {"a": "a", "b": "b"}
    assert renamed_again({"x": "a"}, {"a": ""}) == {"x": "", "a": ""}
    assert renamed_again({}, swap) == swap


def test_a_sheet_with_people_and_judges_is_read_for_both(server):
    rows = [f"{i},{['no', 'yes'][i % 2]},{['no', 'yes'][i % 3 > 0]},{['no', 'yes'][i % 2]},no" for i in range(30)]
    sheet = "\n".join(["id,annotator_1,annotator_2,gpt-4o,claude", *rows]).encode()
    _, found, _ = server.ask("POST", "/upload", **form({"files": ("sheet.csv", sheet)}))
    id_ = found["Location"].split("/")[2]
    shown = words(server.page(id_, "data"))
    assert "People's ratings sheet.csv Judges' answers sheet.csv" in shown
    checked = words(server.answer("checkup", f"data={id_}"))
    assert "60 ratings of 30 items" in checked
    assert "60 answers to 30 items" in checked
