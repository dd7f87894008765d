"""What `gate` says: does the judge pass; in words, in a table, and as JUnit XML."""

import math
from xml.etree import ElementTree as ET

from dissensus.errors import DissensusError
from dissensus.methods.gate.options import POWER
from dissensus.methods.gate.result import Check, GateResult, Verdict
from dissensus.methods.judges.result import ALWAYS_NEGATIVE, ALWAYS_POSITIVE
from dissensus.options import named
from dissensus.report.document import Cell, Points, Section, Table
from dissensus.report.numbers import (
    are,
    capital,
    counted,
    decimal,
    listing,
    percent,
    points,
    quoted,
    sentences,
    spelled,
    visible,
    with_interval,
)
from dissensus.report.views.section import interval_sentence
from dissensus.report.views.worth import by_words, calibration_sentence
from dissensus.results import Result

SHARES = ("wins", "accuracy")
POINT = 0.01
SUITE = "dissensus gate"
CONSTANTS = {ALWAYS_POSITIVE: "calling every item positive", ALWAYS_NEGATIVE: "calling no item positive"}
SENSIBLE = 20
"""More items than so many times those at hand are nothing that anybody would collect to settle a check."""
VERDICT_WORDS: dict[Verdict, str] = {"pass": "passes", "fail": "fails", "inconclusive": "is inconclusive"}
RULE = (
    "The bound of the interval decides, not the estimate: a check passes where the whole interval keeps to the "
    "threshold, fails where none of it does, and is inconclusive between. Inconclusive does not pass."
)
MEASURES = {
    "min_equivalence": "A judge is worth as many raters as a survey needs to predict another rater's label as well as "
    "it does ({measure}).",
    "min_consistency": "Decisions are alike where judge and people both call an item positive, or neither does.",
    "max_bias": "Bias is the judge's share of positive decisions less people's.",
}
RULERS = (
    "Constant: what the best constant answer would find. Person: what one more person would, each rater in turn "
    "against the others."
)
WORTH = "By definition a constant answer is worth 0 raters, and one more person 1."
DIFFERENCE = "A difference of scores is positive where the judge is better than the other."


def view(result: Result) -> Section:
    """Whether the judge passes: the answer, each check, and how it was decided."""
    if not isinstance(result, GateResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what gate found.")
    open_checks = [check_sentence(check) for check in result.checks if check.verdict != "pass"]
    asked = {check.check: check for check in result.checks}
    texts = [RULE, *(text.format(measure=asked[name].measure) for name, text in MEASURES.items() if name in asked)]
    texts += [RULERS, WORTH if "min_equivalence" in asked else ""]
    texts += [DIFFERENCE] if {"better_than", "not_worse_than"} & asked.keys() else []
    texts += [
        calibration_sentence({**result.settings, "calibrate": _calibration(result)}),
        interval_sentence(result.settings),
    ]
    return Section(
        title="May this judge pass?",
        lead=lead_sentence(result),
        blocks=[
            _table(result),
            *([Points(title="What keeps it from passing", texts=open_checks)] if open_checks else []),
            Points(title="How this was decided", texts=[text for text in texts if text]),
        ],
    )


def _calibration(result: GateResult) -> str:
    """How the judge was calibrated: `none` if it was not."""
    return next((check.calibrate for check in result.checks if check.calibrate not in {None, "none"}), None) or "none"


def lead_sentence(result: GateResult) -> str:
    """The answer."""
    judge, n = quoted(result.judge), len(result.checks)
    if result.passes:
        every = {1: "the check holds", 2: "both checks hold"}.get(n, f"all {spelled(n)} checks hold")
        alike = set.intersection(*({constant.judge for constant in check.as_good} for check in result.checks))
        who = listing([words for name, words in CONSTANTS.items() if name in alike])
        return sentences(f"{judge} passes: {every}.", f"But {who}, without looking, would pass as well." if who else "")
    failed = sum(check.verdict == "fail" for check in result.checks)
    unclear = sum(check.verdict == "inconclusive" for check in result.checks)
    verb = ("fails" if failed == 1 else "fail") if failed else f"{are(unclear)} inconclusive"
    which = "the check" if n == 1 else f"{spelled(failed or unclear)} of {spelled(n)} checks"
    also = f", and {spelled(unclear)} {are(unclear)} inconclusive" if failed and unclear else ""
    return f"{judge} {'fails' if failed else 'does not pass'}: {which} {verb}{also}."


def _table(result: GateResult) -> Table:
    rulers = {"Constant": [constant_cell(check) for check in result.checks],
              "Person": [person_cell(check) for check in result.checks]}  # fmt: skip
    shown = {name: cells for name, cells in rulers.items() if any(cells)}
    rows: list[list[Cell]] = [
        [asked_text(check), found_text(check), *(cells[i] for cells in shown.values()), check.items, check.verdict]
        for i, check in enumerate(result.checks)
    ]
    method = _calibration(result)
    how = "" if method == "none" else f"; the judge is calibrated ({method})"
    return Table(caption=f"The checks{how}", columns=["Asked for", "Found", *shown, "Items", "Verdict"], rows=rows)


# ---- One check


def asked_text(check: Check) -> str:
    """What was asked for."""
    if check.check == "min_equivalence":
        return f"worth at least {raters(check.threshold)}{by_words(check.measure)}"
    if check.check == "min_consistency":
        return f"at least {100 * check.threshold:g}% decided alike (tau {check.tau:g})"
    if check.check == "max_bias":
        return f"bias at most {_points(check.threshold)} (tau {check.tau:g})"
    other = quoted(check.against or "")
    if check.check == "better_than":
        return f"better than {other} by {check.measure}"
    amount = _points(-check.threshold) if check.measure in SHARES else f"{-check.threshold:g}"
    return f"at most {amount} worse than {other} by {check.measure}"


def found_text(check: Check) -> str:
    """What was found, with its interval."""
    if check.check == "min_equivalence":
        return f"{_place(check.value, check)} {_bounds(check)}"
    if not math.isfinite(check.value):
        return "undefined"
    if check.check == "min_consistency":
        return with_interval(check.value, check.low, check.high, form=percent)
    if check.check == "max_bias" or check.measure in SHARES:
        return f"{with_interval(check.value, check.low, check.high, form=points)} points"
    return with_interval(check.value, check.low, check.high, form=lambda value: decimal(value, 3))


def _bounds(check: Check) -> str:
    return f"[{_place(check.low, check)}, {_place(check.high, check)}]"


def _place(value: float, check: Check) -> str:
    """A number of raters, or the end of the curve that it is beyond."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "below 0" if value < 0 else f"above {check.largest}"
    return decimal(value)


def check_sentence(check: Check) -> str:
    """What was asked for, what was found, and what would settle it."""
    text = f"{capital(asked_text(check))}: {_finding(check)} on {counted(check.items, 'item')}."
    settling = settling_sentence(check) if check.verdict == "inconclusive" else ""
    return sentences(text, f"The check {VERDICT_WORDS[check.verdict]}.", rulers_sentence(check), settling)


def _finding(check: Check) -> str:
    if check.check == "min_consistency":
        return f"it decides {found_text(check)} as people do"
    if check.check == "max_bias":
        return f"its share of positive decisions less people's is {found_text(check)}"
    if check.check != "min_equivalence":
        return f"its score less that of the other is {found_text(check)}"
    if math.isfinite(check.value):
        return f"{_once(check)}it is worth {found_text(check)} raters"
    if math.isnan(check.value):
        return "it is worth an unknown number of raters"
    what = "less than asking nobody" if check.value < 0 else f"more than {check.largest} raters, the largest survey"
    return f"{_once(check)}it is worth {what} (interval {_bounds(check)})"


def _once(check: Check) -> str:
    """That the number is that of calibrated answers."""
    return "" if check.calibrate in {None, "none"} else "calibrated, "


def rulers_sentence(check: Check) -> str:
    """What deciding all items alike and one more person would find, and that a constant would pass; of decisions."""
    if not check.constants:
        return ""
    values = [f"{CONSTANTS[constant.judge]} {_in_units(check, constant.value)}" for constant in check.constants]
    if check.person is not None:
        values.append(f"one more person {_in_units(check, check.person.value)}")
    person = check.person
    there = "" if person is None or person.judge is None or math.isnan(person.judge) else (
        f"Against the raters that are left without that person the judge has {_in_units(check, person.judge)}."
    )  # fmt: skip
    who = listing([CONSTANTS[constant.judge] for constant in check.as_good])
    passing = f"So {who}, without looking, would pass as well." if who else ""
    return sentences(f"For comparison: {listing(values)}.", there, passing)


def constant_cell(check: Check) -> str | None:
    """What the best constant answer would find, in a table."""
    return None if check.constant is None else _in_units(check, check.constant.value)


def person_cell(check: Check) -> str | None:
    """What one more person would find, in a table."""
    return None if check.person is None else _in_units(check, check.person.value)


def _in_units(check: Check, value: float) -> str:
    """A number as that of the check is written."""
    if not math.isfinite(value):
        return "undefined"
    if check.check == "min_equivalence":
        return f"{value:g}"
    if check.check == "min_consistency":
        return percent(value)
    return f"{points(value)} points" if check.check == "max_bias" or check.measure in SHARES else decimal(value, 3)


def settling_sentence(check: Check) -> str:
    """What is missing to settle an inconclusive check."""
    if check.missing == "score":
        return "Missing: a score, which is undefined on these items."
    if check.missing == "raters":
        return (
            "Missing: more raters. New items would not settle it, because so few raters say little about others; for "
            f"these raters alone set {named('raters')} fixed."
        )
    if check.more_items is None:
        return "The estimate lies on the threshold, so no number of items would settle it: choose another threshold."
    more = f"about {counted(round_up(check.more_items), 'more item')}"
    if check.missing == "ratings":
        more += f" with {check.each} ratings each; further ratings on items that have fewer count as well"
    if check.more_items > SENSIBLE * check.items:
        return f"Missing: {more}. That is many, because the estimate is near the threshold: another one may do."
    return f"Missing: {more}. They would settle it with a chance of {percent(POWER, 0)}, if the estimate is right."


def round_up(count: int) -> int:
    """A count with two digits: how many items are needed is known no better.

    Examples
    --------
    >>> round_up(7), round_up(118), round_up(1201)
    (7, 120, 1300)
    """
    step = int("1".ljust(len(str(count)) - 1, "0"))
    return -(-count // step) * step


def raters(count: float) -> str:
    """A number of raters.

    Examples
    --------
    >>> raters(1), raters(2.5)
    ('1 rater', '2.5 raters')
    """
    return f"{count:g} {'rater' if count == 1 else 'raters'}"


def _points(share: float) -> str:
    return f"{100 * share:g} percentage {'point' if share == POINT else 'points'}"


# ---- JUnit XML


def junit_of(result: GateResult) -> bytes:
    """One test case for each check; a check that fails or is inconclusive is a failure of that type.

    There are no times in it, so that the same data give the same file.
    """
    failures = sum(check.verdict != "pass" for check in result.checks)
    counts = {"tests": str(len(result.checks)), "failures": str(failures), "errors": "0"}
    suites = ET.Element("testsuites", {"name": SUITE} | counts)
    suite = ET.SubElement(suites, "testsuite", {"name": visible(f"{SUITE} {result.judge}")} | counts | {"skipped": "0"})
    for check in result.checks:
        # A check has the same name in every run, whatever was found.
        names = {"classname": f"dissensus.gate.{result.judge}", "name": f"{check.check}: {asked_text(check)}"}
        case = ET.SubElement(suite, "testcase", {key: visible(text) for key, text in names.items()})
        text = visible(check_sentence(check))
        if check.verdict == "pass":
            ET.SubElement(case, "system-out").text = text
        else:
            ET.SubElement(case, "failure", {"message": text, "type": check.verdict}).text = text
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'.encode()
