"""Fix files by choosing on the data page, and the recipes that do the same elsewhere."""

import html
import re
import shlex
from urllib.parse import parse_qs, urlsplit

import pytest

from dissensus.cli.main import main
from dissensus.errors import OptionError
from dissensus.options import parts_of, pattern_of, renamed_again, renamed_labels, split_labels

from web_server import running

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
FIXED = "map=n/a%3D&merge_case=yes&drop=item%3Dattention_*"
JUDGES_FIXED = "judges_merge_case=yes&judges_drop=judge%3Ddraft_*"


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


def words(text):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def shown(text, id_):
    return html.unescape(re.search(rf'id="{id_}">(.*?)</code>', text, re.DOTALL)[1])


def lead_of(text):
    return words(re.search(r'<p class="lead">(.*?)</p>', text.partition('id="answer"')[2] or text, re.DOTALL)[1])


def fixes(answer):
    """What the page proposes: whose labels with which option, and the address."""
    found = re.findall(r'<a class="button" href="([^"]*)">Fix ([^<]*) with <code>(.*?)</code>', answer)
    return {(whose, html.unescape(option)): html.unescape(where) for where, whose, option in found}


def test_what_the_check_up_proposes_can_be_chosen_one_after_the_other(server):
    query = server.upload(**FILES).partition("?")[2]
    chosen, proposed = set(), fixes(server.answer("checkup", query))
    assert {option.split()[0] for _, option in proposed} >= {"--merge-case", "--map", "--drop"}
    while proposed:
        option, where = next(iter(proposed.items()))
        assert option not in chosen
        chosen.add(option)
        query = where.partition("?")[2]
        proposed = {new: at for new, at in fixes(server.answer("checkup", query)).items() if new not in chosen}
    found = parse_qs(query)
    assert found["merge_case"] == found["judges_merge_case"] == ["yes"]
    assert "n/a=" in found["map"][0]
    assert "check" in found["drop"][0]
    # 160 ratings of 40 items: the four of the check and the two that are missing are gone.
    assert "160 ratings of 40 items" in words(server.answer("checkup", query))


def test_labels_can_be_taken_for_others_by_picking_from_lists(server):
    query = server.upload(ratings=FILES["ratings"]).partition("?")[2]
    answer = server.answer("checkup", query)
    values = [html.unescape(value) for value in re.findall(r'<option value="([^"]*=[^"]*)">', answer)]
    assert {"YES=Yes", "n/a=", "n/a=No", "No=Yes"} <= set(values)
    status, headers, _ = server.ask("GET", f"/data?{query}&rename=&rename=YES%3DYes&rename=n/a%3D&repeats=first")
    assert status == 303
    where = urlsplit(headers["Location"])
    assert (where.netloc, where.path) == ("", "/data")
    assert parse_qs(where.query)["map"] == ["YES=Yes,n/a="]
    assert parse_qs(where.query)["repeats"] == ["first"]
    answer = server.answer("checkup", where.query)
    assert "162 answers" not in words(answer)
    assert "164 ratings" in words(answer)  # 160 and the four of the check
    assert 'name="rename"' not in answer  # the lists are about labels as the file has them


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("task", "path", "more"),
    [
        ("compare", "/compare", "a=near&b=far&metric=accuracy"),
        ("report", "/report", "bootstrap=20"),
        ("plan_raters", "/plan/raters", "a=near&b=far"),
    ],
)
def test_the_recipes_mend_first_and_then_say_what_the_page_says(server, task, path, more, capsys):
    query = f"{server.upload(**FILES).partition('?')[2]}&{FIXED}&{JUDGES_FIXED}&{more}"
    answer = server.answer(task, query)
    text = server.ask("GET", f"{path}?{query}")[2]
    sentence = lead_of(answer) if task != "report" else words(re.search(r"<li>(.*?)</li>", answer)[1])
    commands = shown(text, "recipe-command").splitlines()
    assert [shlex.split(line)[1] for line in commands[:2]] == ["import", "import"]
    for line in commands:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0
    assert sentence in words(capsys.readouterr().out)
    exec(compile(shown(text, "recipe-python"), "recipe", "exec"), {})  # noqa: S102 - what the page tells people to run
    assert sentence in words(capsys.readouterr().out)


def test_a_new_name_for_a_label_alone_needs_no_import(server):
    query = server.upload(**FILES).partition("?")[2] + "&map=YES%3DYes,n/a%3D"
    command = shown(server.ask("GET", f"/compare?{query}")[2], "recipe-command")
    assert command == "dissensus compare 'my ratings.csv' judges.csv --map YES=Yes,n/a="


@pytest.mark.usefixtures("here")
def test_the_recipe_of_the_data_page_is_the_check_up_with_the_same_options(server, capsys):
    query = f"{server.upload(**FILES).partition('?')[2]}&{FIXED}&{JUDGES_FIXED}"
    lines = shown(server.ask("GET", f"/data?{query}")[2], "recipe-command").splitlines()
    answer = words(server.answer("checkup", query))
    for line in lines:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0
        found = words(capsys.readouterr().out)
        lead = re.search(r"(?:File check )?([\w .]+csv has [\d,]+ \w+ of [\d,]+ items)", found)[1]
        assert lead.strip() in answer


def test_what_is_typed_and_cannot_be_read_is_answered_in_words(server):
    query = server.upload(**FILES).partition("?")[2]
    for typed, says in (("map=YES", "write OLD=NEW"), ("drop=item", "write COLUMN=PATTERN"), ("labels=a,,b", "empty")):
        status, _, text = server.ask("GET", f"/data?{query}&{typed}")
        assert status == 200
        assert says in text
        assert "hx-post" not in text  # nothing is computed


@pytest.mark.parametrize("typed", ["a%0Ab", "%00", "%22", "a%0D%0Ab,c"])
def test_line_breaks_and_quotes_in_what_is_typed_are_no_error_of_ours(server, typed):
    query = server.upload(**FILES).partition("?")[2]
    for name in ("labels", "map", "drop", "judges_map", "judges_drop", "split", "item", "question"):
        status, _, text = server.ask("GET", f"/data?{query}&{name}={typed}")
        assert status == 200
        assert "went wrong on our side" not in text
        if "hx-post" in text:
            assert "went wrong on our side" not in server.answer("checkup", f"{query}&{name}={typed}")


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
