import itertools
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.cli.main import main
from dissensus.data import Task, read, read_judges, read_task
from dissensus.data.paths import example_path
from dissensus.data.task import Example
from dissensus.errors import TaskError

from tables import bad, message_of

quick = settings(max_examples=50, deadline=None)

WHOLE = """
name = "toxicity"
kind = "single"
instructions = "How toxic is this comment?"
options = ["Very toxic", "Toxic", "Not toxic"]
descriptions = { "Toxic" = "Rude or disrespectful." }
positive = ["Very toxic", "Toxic"]
response_sets = "any"
[[examples]]
text = "..."
label = "Toxic"
"""


def task_of(tmp_path, text):
    path = tmp_path / "task.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_task(path)


def test_a_whole_task_is_read(tmp_path):
    assert task_of(tmp_path, WHOLE) == Task(
        name="toxicity",
        kind="single",
        instructions="How toxic is this comment?",
        options=("Very toxic", "Toxic", "Not toxic"),
        descriptions={"Toxic": "Rude or disrespectful."},
        positive=("Very toxic", "Toxic"),
        response_sets="any",
        examples=(Example(text="...", label="Toxic"),),
    )


def test_a_byte_order_mark_is_no_fault(tmp_path):
    assert task_of(tmp_path, b'\xef\xbb\xbfoptions = ["a", "b"]').options == ("a", "b")


def test_numbers_are_one_option_in_any_spelling(tmp_path):
    task = task_of(tmp_path, 'options = [1, 2.50, "3.0"]\npositive = ["2.5"]\ndescriptions = { "03" = "most" }')
    assert (task.options, task.positive, task.descriptions) == (("1", "2.5", "3"), ("2.5",), {"3": "most"})


def test_a_pairwise_task_needs_no_options(tmp_path):
    assert task_of(tmp_path, 'kind = "pairwise"').options == ("win", "tie", "lose")


@quick
@given(st.integers(2, 6))
def test_any_set_means_every_set_but_the_empty_one(n):
    options = tuple(f"o{i}" for i in range(n))
    sets = Task(options=options).admissible_sets()
    assert len(sets) == len(set(sets)) == 2**n - 1
    assert [len(s) for s in sets] == sorted(len(s) for s in sets)
    assert set(sets) == {s for k in range(1, n + 1) for s in itertools.combinations(options, k)}


def test_single_means_one_option_at_a_time():
    assert Task(options=("a", "b"), response_sets="single").admissible_sets() == (("a",), ("b",))


def test_listed_sets_come_in_the_order_of_size_and_options(tmp_path):
    task = task_of(tmp_path, 'options = ["a", "b", "c"]\nresponse_sets = [["c", "a"], ["b"], ["a", "c"], ["a", "b"]]')
    assert task.admissible_sets() == (("b",), ("a", "b"), ("a", "c"))


def test_too_many_options_for_any_set_are_refused():
    with pytest.raises(TaskError) as caught:
        Task(options=tuple(map(str, range(17)))).admissible_sets()
    assert str(caught.value) == "17 options have too many subsets: list the response_sets."


def test_a_task_survives_the_way_to_a_worker_process(tmp_path):
    task = task_of(tmp_path, WHOLE)
    assert pickle.loads(pickle.dumps(task)) == task  # noqa: S301 - our own bytes


def test_a_task_gives_ratings_and_judges_its_options_in_order(tmp_path):
    task = task_of(tmp_path, WHOLE)
    (tmp_path / "r.csv").write_text("item,rater,label\n1,a,Not toxic\n1,b,Toxic\n")
    (tmp_path / "j.csv").write_text("item,label\n1,Toxic\n")
    ratings = read(tmp_path / "r.csv", task=task)
    assert (ratings.labels, ratings.scale) == (task.options, "ordinal")
    assert read_judges(tmp_path / "j.csv", task=task).labels == task.options


def test_labels_given_by_the_user_come_before_those_of_the_task(tmp_path):
    (tmp_path / "r.csv").write_text("item,label\n1,b\n")
    assert read(tmp_path / "r.csv", labels=["b", "a"], task=Task(options=("a", "b"))).labels == ("b", "a")


MALFORMED_TASKS = [
    bad("not TOML", "t.toml", "options = [",
        "t.toml is not valid TOML: Invalid value (at end of document). Fix it there."),
    bad("not UTF-8", "t.toml", b'name = "\xe9"',
        "t.toml is not valid TOML: 'utf-8' codec can't decode byte 0xe9 in position 8: invalid continuation byte. "
        "Fix it there."),
    bad("unknown key", "t.toml", 'options = ["a", "b"]\nlabels = ["a"]',
        "t.toml has an unknown key 'labels': the keys are name, kind, instructions, options, descriptions, positive, "
        "response_sets, elicitation, examples, scale, questions."),
    bad("no options", "t.toml", 'name = "x"', "t.toml: options is missing: list what raters could choose, in order."),
    bad("one option", "t.toml", 'options = ["a"]',
        "t.toml: A task needs at least two options, and this one has 1: add the others."),
    bad("option twice", "t.toml", "options = [1, 2, 1.0]", "t.toml: The option '1' is listed twice: delete one."),
    bad("empty option", "t.toml", 'options = ["a", " "]',
        "t.toml: The option '' cannot be used: it must not be empty nor have a '|'."),
    bad("option with a bar", "t.toml", 'options = ["a", "a|b"]',
        "t.toml: The option 'a|b' cannot be used: it must not be empty nor have a '|'."),
    bad("options in one text", "t.toml", 'options = "a,b"',
        't.toml: options must be a list of texts, such as ["No", "Yes"].'),
    bad("name is a number", "t.toml", 'name = 3\noptions = ["a", "b"]',
        't.toml: name is 3: it must be a text, such as "toxicity".'),
    bad("unknown kind", "t.toml", 'kind = "triple"\noptions = ["a", "b"]',
        "t.toml: kind is 'triple': it must be single or pairwise."),
    bad("unknown positive", "t.toml", 'options = ["a", "b"]\npositive = ["c"]',
        "t.toml: positive names 'c', which is not an option: choose from a, b."),
    bad("description of no option", "t.toml", 'options = ["a", "b"]\ndescriptions = { c = "See." }',
        "t.toml: descriptions names 'c', which is not an option: choose from a, b."),
    bad("descriptions in a list", "t.toml", 'options = ["a", "b"]\ndescriptions = ["See."]',
        't.toml: descriptions must be a table of texts, such as { "Toxic" = "Rude." }.'),
    bad("example without text", "t.toml", 'options = ["a", "b"]\n[[examples]]\nlabel = "a"',
        "t.toml: examples must be [[examples]] tables, each with a text and a label."),
    bad("example with an unknown label", "t.toml", 'options = ["a", "b"]\n[[examples]]\ntext = "t"\nlabel = "a|c"',
        "t.toml: examples names 'c', which is not an option: choose from a, b."),
    bad("unknown response sets", "t.toml", 'options = ["a", "b"]\nresponse_sets = "all"',
        't.toml: response_sets is \'all\': give "any", "single" or a list of lists.'),
    bad("response sets are a number", "t.toml", 'options = ["a", "b"]\nresponse_sets = 2',
        't.toml: response_sets must be "any", "single" or a list of lists of options.'),
    bad("empty response set", "t.toml", 'options = ["a", "b"]\nresponse_sets = [["a"], []]',
        "t.toml: response_sets has an empty list: list at least one set, and one option in each."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "options", "message"), MALFORMED_TASKS)
def test_malformed_tasks_get_one_line(tmp_path, name, content, options, message):
    (tmp_path / name).write_bytes(content)
    assert message_of(lambda: read_task(tmp_path / name, **options)) == message


def test_a_missing_task_is_refused(tmp_path):
    path = tmp_path / "t.toml"
    expected = f"{path} cannot be opened: No such file or directory. Check the path."
    assert message_of(lambda: read_task(path)) == expected


def test_what_may_never_end_is_no_task(tmp_path, capsys):
    expected = "dissensus: /dev/zero is a device or a pipe, not a file: save its content to a file first.\n"
    for words in (
        ["decide", "example:binary", "example:binary", "--task", "/dev/zero"],
        [
            "collect",
            str(example_path("binary") / "ratings.csv"),
            "--task",
            "/dev/zero",
            "--raters",
            "3",
            "-o",
            str(tmp_path / "p"),
        ],
        ["simulate", "urn", "--urn", "/dev/zero", "-o", str(tmp_path / "s")],
    ):
        assert main(words) == 2
        assert capsys.readouterr().err == expected


def test_a_task_of_a_hundred_megabytes_is_refused(tmp_path):
    with (tmp_path / "t.toml").open("wb") as file:
        file.truncate(10**8)
    assert "has 100,000,000 characters, and our limit for document is" in message_of(
        lambda: read_task(tmp_path / "t.toml")
    )


def test_a_task_nested_without_end_is_refused(tmp_path):
    (tmp_path / "t.toml").write_text("options = " + "[" * 100_000)
    assert message_of(lambda: read_task(tmp_path / "t.toml")).startswith("t.toml is not valid TOML: ")
