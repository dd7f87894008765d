"""What an answer says: strict about meaning, lenient about form."""

import json
import math
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data.task import Task
from dissensus.methods.rate.answers import is_refusal, option_probabilities, read_answer, verdict_on
from dissensus.methods.rate.client import MalformedReplyError, Reply, reply_of
from dissensus.methods.rate.requests import Request, ShownOption, marks_of

TASK = Task(options=("Toxic", "Not toxic", "Bad"))
SHOWN = (
    ShownOption("A", "Toxic", "Rude, or worse.", "Toxic"),
    ShownOption("B", "Not toxic", "", "Not toxic"),
    ShownOption("C", "Bad", "", "Bad"),
)
quick = settings(max_examples=200, deadline=None)


def marks(text, shown=SHOWN):
    return "".join(sorted(option.mark for option in read_answer(text, shown).picks))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the forms that the parser must know
        ("A", "A"), ("a.", "A"), (" A, B", "AB"), ("AB", "AB"), ('"A and B"', "AB"), ('{"answer": "A"}', "A"),
        # letters
        ("b", "B"), ("A B", "AB"), ("CAB", "ABC"), ("A,B & C", "ABC"), ("A, B, and C", "ABC"), ("A/B", "AB"),
        ("A\nB", "AB"), ("- A\n- B", "AB"), ("(A)", "A"), ("A)", "A"), ("[A, B]", "AB"), ("**A**", "A"),
        ("*A* and *B*", "AB"), ("`C`", "C"), ("A,", "A"), ("Answer: B", "B"), ("The answer is B.", "B"),
        ("Option C", "C"), ("\uff21", "A"), ("A\uff0cB", "AB"), ("a, b", "AB"),
        # options by name
        ("Toxic", "A"), ("toxic.", "A"), ("NOT TOXIC", "B"), ("Not  toxic", "B"), ("Toxic and Not toxic", "AB"),
        ("Toxic, Not toxic, and Bad", "ABC"), ("A. Toxic", "A"), ("B: Not toxic", "B"), ("C - Bad", "C"),
        ("A: Toxic: Rude, or worse.", "A"), ("A. Toxic, B. Not toxic", "AB"), ("Bad", "C"),
        # JSON
        ('{"answers": ["A", "B"]}', "AB"), ('["B"]', "B"), ('{"answer": "AB"}', "AB"), ('{"x": "B"}', "B"),
        ('{"reason": "x", "answer": "B"}', "B"), ('{"answer": "Not toxic"}', "B"),
        ('```json\n{"answer": "B"}\n```', "B"), ('{\n  "answer": "C"\n}', "C"),
        # thoughts are no answer
        ("<think>Is it A? No.</think>\n\nB", "B"), ("Is it A? No.\n</think>\n\nB", "B"),
        ("<think>A?</think><think>No.</think>B", "B"),
    ],
)  # fmt: skip
def test_an_answer_is_read_in_every_form(text, expected):
    assert marks(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("An apple", "not one of the options"),
        ("A apple", "not one of the options"),
        ("a cat", "not one of the options"),
        ("A's", "not one of the options"),
        ("A reasonable person would say B", "not one of the options"),
        ("A or B", "not one of the options"),
        ("A) Not toxic", "not one of the options"),
        ("A\n\nBecause it is rude", "not one of the options"),
        ("I think A", "not one of the options"),
        ("D", "not one of the options"),
        ("ABD", "not one of the options"),
        ("ab", "not one of the options"),
        ("Very toxic", "not one of the options"),
        ("AB CA", "not one of the options"),
        ("A and", "not one of the options"),
        ("not A", "not one of the options"),
        ("AA", "names an option twice"),
        ("A, A", "names an option twice"),
        ("A. Toxic and Toxic", "names an option twice"),
        ("", "empty"),
        (" \n", "empty"),
        ("<think>A", "it thought and never answered"),
        ("<think>A</think>", "empty"),
        ("<think>A</think><think>B", "it thought and never answered"),
        ('{"answer": "B"', "malformed JSON"),
        ("{answer: B}", "malformed JSON"),
        ("[" * 1900, "not one of the options"),
        ('{"answer": null}', "not one of the options"),
        ('{"answer": {"a": "B"}}', "not one of the options"),
        ('{"answer": "A", "label": "B"}', "not one of the options"),
        ('{"answer": []}', "not one of the options"),
        ('{"answer": "A", "answer": "B"}', "not one of the options"),
        ('{"not": "B"}', "not one of the options"),
        ('{"wrong_answer": "B"}', "not one of the options"),
        ('{"A": "B"}', "not one of the options"),
        ('{"A": "Not toxic"}', "not one of the options"),
        ("I can't choose A", "not one of the options"),
        ("Answer: B because A is wrong", "not one of the options"),
        ("Options:\nA. Toxic: Rude, or worse.\nB. Not toxic\nC. Bad", "repeats the options"),
        ("A" + " " * 5000 + "x", "too long for an answer"),
        ("```\n```", "not one of the options"),
    ],
)
def test_what_is_no_answer_is_none_and_says_why(text, reason):
    reading = read_answer(text, SHOWN)
    assert reading.picks == ()
    assert reading.reason == reason


def test_a_word_that_is_an_option_and_could_be_letters_is_invalid():
    shown = [
        ShownOption(mark, name, "", name) for mark, name in zip("ABCD", ("Good", "BAD", "Fair", "Odd"), strict=True)
    ]
    assert read_answer("BAD", shown).reason == "can be read in several ways"  # the option, or B, A and D
    assert marks("bad", shown) == "B"
    assert marks("DAB", shown) == "ABD"


def test_numbers_are_options_and_not_parts_of_numbers():
    shown = [ShownOption(mark, name, "", name) for mark, name in zip("ABC", ("1", "10", "1.5"), strict=True)]
    assert [marks(text, shown) for text in ("1", "10", "1.5", "1.", "1, 10", '{"answer": 1}', "1.7", "100")] == [
        "A", "B", "C", "A", "AB", "A", "", "",
    ]  # fmt: skip


def test_options_that_are_letters_get_other_letters():
    assert marks_of(["A", "b", "tie"]) == ("C", "D", "E")
    shown = [ShownOption(mark, name, "", name) for mark, name in zip("CDE", ("A", "b", "tie"), strict=True)]
    assert [marks(text, shown) for text in ("A", "B", "C", "D", "A, b", "CD")] == ["C", "D", "C", "D", "CD", "CD"]


def test_letters_that_stand_in_the_name_of_an_option_are_not_used_again():
    # "A" would be both the letter of one option and the name of the other text.
    assert marks_of(["Response A", "Response B", "Neither"]) == ("C", "D", "E")
    assert marks_of(["Not a problem", "A problem"]) == ("B", "C")


def lettered(*names):
    return [ShownOption(mark, name, "", name) for mark, name in zip(string.ascii_uppercase, names, strict=False)]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("Yes", "yes", "Maybe"), "yes, Maybe"),
        (("Good", "Good!", "Bad"), "Bad, Good!"),
        (("-1", "0", "1"), "- 1"),  # minus one, or one after a bullet
    ],
)
def test_options_that_look_alike_are_not_guessed_at(names, text):
    assert marks(text, lettered(*names)) == ""
    assert marks("C", lettered(*names)) == "C"


@pytest.mark.parametrize("text", ["NO", "N/A", "NA", "OK", '{"answer": "N/A"}'])
def test_words_of_capitals_are_not_the_letters_of_many_options(text):
    assert marks(text, lettered(*(f"o{i}" for i in range(20)))) == ""


@quick
@given(st.text(max_size=40))
def test_any_text_is_read_or_has_a_reason(text):
    reading = read_answer(text, SHOWN)
    assert bool(reading.picks) != bool(reading.reason)


@quick
@given(
    st.lists(st.sampled_from("ABC"), min_size=1, max_size=3, unique=True), st.sampled_from([", ", "", " and ", "\n"])
)
def test_letters_in_any_order_and_between_anything_are_those_letters(letters, between):
    assert marks(between.join(letters)) == "".join(sorted(letters))


@quick
@given(st.text(string.ascii_letters, min_size=2, max_size=8))
def test_a_word_is_never_its_first_letter(word):
    # A word is an answer only as an option's name or as capital letters of options.
    if word.casefold() not in {"toxic", "bad"} and not set(word) <= set("ABC"):
        assert marks(word) == ""


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I\u2019m sorry, I can\u2019t assist.",
        "I cannot rate this comment.",
        "Sorry.",
        "I apologize, but this content is harmful.",
        "As an AI language model, I do not have opinions.",
        "I am unable to judge this.",
        "I'm not able to do that.",
        "I won't answer.",
        '"I must decline."',
    ],
)
def test_refusals_are_told_from_other_answers(text):
    assert is_refusal(text)
    assert marks(text) == ""


@pytest.mark.parametrize("text", ["Apple", "I see.", "It is sorry work", "The comment says sorry", "I can see that."])
def test_other_texts_are_no_refusals(text):
    assert not is_refusal(text)


def request(elicitation):
    return Request(item="i", sample=0, elicitation=elicitation, order="", shown=SHOWN, body={}, key="k")


def verdict(reply, elicitation="forced_choice", task=TASK):
    found = verdict_on(reply, request(elicitation), task)
    return found.status, found.label, found.reason


def test_a_forced_choice_is_one_option():
    assert verdict(Reply(text="A")) == ("ok", "Toxic", "")
    assert verdict(Reply(text="AB")) == ("invalid", "", "several options where one was asked for")


def test_a_response_set_is_written_in_the_order_of_the_task():
    assert verdict(Reply(text="C, A"), "response_set") == ("ok", "Toxic|Bad", "")


def test_a_set_that_the_task_does_not_have_is_invalid():
    task = Task(options=TASK.options, response_sets=(("Toxic",), ("Toxic", "Bad")))
    assert verdict(Reply(text="AC"), "response_set", task)[0] == "ok"
    assert verdict(Reply(text="B"), "response_set", task) == (
        "invalid",
        "",
        "a combination that the task does not have",
    )


def test_a_cut_off_answer_is_no_answer():
    # "A" could be the start of "A reasonable person would say B".
    assert verdict(Reply(text="A", finish="length")) == ("invalid", "", "cut off at the limit of tokens")


def test_refusals_of_the_server_and_of_the_model_are_refused():
    assert verdict(Reply(text="", refusal="No."))[0] == "refused"
    assert verdict(Reply(text="A", finish="content_filter"))[0] == "refused"
    assert verdict(Reply(text="I cannot rate this."))[0] == "refused"


def test_probabilities_are_shares_of_what_the_letters_had():
    # A 0.5 + 0.1 (with a blank before it), B 0.2, C not among the tokens: 0.6 / 0.8 and 0.2 / 0.8
    tokens = [("A", {"A": math.log(0.5), " A": math.log(0.1), "B": math.log(0.2), "The": math.log(0.15)})]
    found = option_probabilities(tokens, SHOWN, SHOWN[0])
    assert found == pytest.approx({"Toxic": 0.75, "Not toxic": 0.25, "Bad": 0.0})


def test_the_letter_is_found_inside_json():
    tokens = [
        ('{"', {}),
        ("answer", {"A": 0.0}),
        ('": ', {}),
        ('"B', {'"B': math.log(0.9), '"A': math.log(0.1)}),
        ('"}', {}),
    ]
    found = option_probabilities(tokens, SHOWN, SHOWN[1])
    assert found == pytest.approx({"Toxic": 0.1, "Not toxic": 0.9, "Bad": 0.0})


def test_tokens_without_the_letter_give_no_probabilities():
    assert option_probabilities([("The", {"A": -1.0})], SHOWN, SHOWN[0]) is None
    assert option_probabilities([("A", {})], SHOWN, SHOWN[0]) is None
    assert option_probabilities([], SHOWN, SHOWN[0]) is None


def test_a_logarithm_that_no_float_can_hold_is_left_out():
    content = [{"token": "A", "top_logprobs": [{"token": "A", "logprob": 10**400}, {"token": "B", "logprob": -1}]}]
    reply = reply_of({"choices": [{"message": {"content": "A"}, "logprobs": {"content": content}}]})
    assert reply.tokens == (("A", {"B": -1.0}),)


def test_a_reply_survives_being_saved():
    reply = Reply(text="\u2028 \x00 A", finish="stop", tokens=(("A", {"A": -0.5}),), prompt_tokens=3, answer_tokens=0)
    assert Reply.from_json(reply.to_json()) == reply
    assert Reply.from_json(Reply().to_json()) == Reply()


@pytest.mark.parametrize(
    "body", ["text", None, [], {}, {"choices": []}, {"choices": [1]}, {"choices": [{"message": 1}]}]
)
def test_a_body_without_a_message_is_malformed(body):
    with pytest.raises(MalformedReplyError, match="the answer has no message in it"):
        reply_of(body)


@quick
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["content", "token", "top_logprobs", "logprob", "refusal"]), inner, max_size=4
            )
        ),
    )
)
def test_whatever_a_server_puts_into_a_message_is_a_reply(value):
    body = {"choices": [{"message": {"content": value, "refusal": value}, "finish_reason": value, "logprobs": value}]}
    reply = reply_of(body | {"usage": value})
    assert json.loads(reply.to_json()) is not None
    assert verdict_on(reply, request("forced_choice"), TASK).status in {"ok", "invalid", "refused"}
