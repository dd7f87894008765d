"""What `decide` prints: short, in one line for each judge, and without warnings that ask for nothing."""

import dataclasses

import pytest

from dissensus.methods.decide.result import (
    AsIs,
    Constant,
    DecideJudge,
    DecideResult,
    Next,
    Person,
    Raters,
    Recommendation,
)
from dissensus.report.views.decide import answer_sentence, lead_sentence, view
from dissensus.report.views.section import warning_texts

CURVE = "From 3 raters on the curve rests on fewer items and may jump."
WIDE = "Intervals are very wide, because 3 raters say little about others like them."
CHOICES = "Judges are compared with forced choices only: 330 other ratings were left out."


def judged(judge, *, shift=-0.9):
    ends = {"verdict": "above K", "low_verdict": "within", "high_verdict": "above K"}
    own = AsIs(measure="distance", value=1.01, low=0.9, high=1.1, standing="better than a constant")
    return DecideJudge(
        judge=judge, worth=float("nan"), worth_low=1.17, worth_high=float("nan"), **ends, shown=True, as_is=own,
        shift=shift, separable=False,
    )  # fmt: skip


def decision(n_judges=10, *, n_used=10, caveats=3, shift=-0.9):
    """The longest answer: ten equal judges with long names, three caveats and a next step."""
    judges = tuple(judged(f"gpt-4o-mini-2024-{number:02d}", shift=shift) for number in range(n_judges))
    use = tuple(judge.judge for judge in judges[:n_used])
    reason = f"{judges[0].judge} is worth more than 2 raters [1.17, above 2], and others cannot be told from it."
    texts = ["Look at rater w40: without them gpt-4o is worth 0.99 instead of above 2."] * caveats
    return DecideResult(
        settings={}, data={}, warnings=(CURVE, WIDE),
        recommendation=Recommendation(use=use, how="as is", reason=reason, caveats=tuple(texts)),
        judges=judges, constant=Constant(answer="Not toxic at all", measure="distance", value=0.95),
        person=Person(measure="distance", value=0.77),
        raters=Raters(count=3, intervals="raters like these", influential=()),
        next=Next(text="rate 600 items by 3 people each; or use the cheaper one.", items=600, raters=3, cost=1800.0),
        largest=2, items=600,
    )  # fmt: skip


def test_ten_judges_take_at_most_25_lines_and_no_row_is_broken():
    lines = decision().summary().rstrip().splitlines()
    assert len(lines) <= 25
    rows = [line for line in lines if line.startswith("  gpt-4o")]
    assert len(rows) == 6
    assert all(row.rstrip().endswith("-0.9") for row in rows)


def test_a_judge_as_good_as_the_first_that_needs_recalibration_is_named_apart():
    found = decision(3, n_used=3)
    judges = (found.judges[0], dataclasses.replace(found.judges[1], how="recalibrated"), found.judges[2])
    said = answer_sentence(dataclasses.replace(found, judges=judges))
    assert said == "Use gpt-4o-mini-2024-00 or gpt-4o-mini-2024-02, as it is, or gpt-4o-mini-2024-01, recalibrated."


def test_judges_that_are_not_listed_are_counted():
    cells = [row[0] for row in view(decision()).main_table().rows]
    assert cells[-3:] == ["(4 more)", "(always Not toxi…)", "(one more person)"]
    assert not any("more)" in cell for cell in [row[0] for row in view(decision(7)).main_table().rows][:7])


def test_the_first_line_of_the_answer_has_at_most_30_words():
    lead = lead_sentence(decision())
    assert lead.startswith("Use gpt-4o-mini-2024-00, gpt-4o-mini-2024-01, gpt-4o-mini-2024-02 or 7 more, as it is: ")
    assert len(lead.split()) <= 30


def test_warnings_that_ask_for_nothing_are_left_to_the_json():
    result = dataclasses.replace(decision(), warnings=(CURVE, WIDE, CHOICES))
    assert warning_texts(result) == [CHOICES]
    assert "warning:" in result.summary(details=True)
    assert CURVE in result.to_json()


def test_how_a_judge_does_as_it_is_has_its_interval_in_the_details_only():
    assert "1.01 [0.90, 1.10]" not in decision(1).summary()
    assert "1.01 [0.90, 1.10]" in " ".join(decision(1).summary(details=True).split())


@pytest.mark.parametrize(("shift", "shown"), [(0.04, "0.0"), (-0.04, "0.0"), (0.3, "+0.3"), (None, None)])
def test_a_shift_of_nothing_has_no_sign(shift, shown):
    table = view(decision(1, n_used=1, shift=shift)).main_table()
    assert (table.rows[0][-1] if "Shift" in table.columns else None) == shown


def test_a_reason_keeps_the_name_of_a_judge_that_it_begins_with():
    found = decision(1, n_used=0)
    judges = (dataclasses.replace(found.judges[0], judge="Hilfreich_GPT"),)
    advice = dataclasses.replace(found.recommendation, use=(), how=None, reason="Hilfreich_GPT comes closest.")
    none = dataclasses.replace(found, judges=judges, recommendation=advice)
    assert lead_sentence(none) == "Use no judge yet: Hilfreich_GPT comes closest."
    advice = dataclasses.replace(advice, reason="No judge is known.")
    assert lead_sentence(dataclasses.replace(none, recommendation=advice)).endswith(": no judge is known.")
