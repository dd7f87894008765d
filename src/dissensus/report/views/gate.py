"""What `gate` says: does the judge pass; in words, in a table, and as JUnit XML."""

import math
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from dissensus.methods.equivalence.result import worth_decimals
from dissensus.methods.gate.result import POWER, Check, GateResult, Ruler
from dissensus.methods.gate.verdicts import SENSIBLE, round_up
from dissensus.methods.judges.result import ALWAYS_NEGATIVE, ALWAYS_POSITIVE
from dissensus.methods.parts.result import PartsResult
from dissensus.options import named
from dissensus.report.document import Block, Cell, Section, Table
from dissensus.report.numbers import (
    are,
    capital,
    counted,
    decimal,
    listing,
    percent,
    points,
    quoted,
    spelled,
    supported_digits,
    visible,
    with_interval,
)
from dissensus.report.views.section import how_computed, interval_sentence, noted
from dissensus.report.views.worth import by_words, calibration_sentence, place_text

SHARES = ("wins", "accuracy")
SUITE = "dissensus gate"
CONSTANTS = {ALWAYS_POSITIVE: "calling every item positive", ALWAYS_NEGATIVE: "calling no item positive"}
MOST_DIGITS = 3
RULE = "A check passes if the whole interval meets the threshold, fails if none of it does, else it is inconclusive."
RULERS = "Constant: always giving the best single answer. Person: each rater against the others."
SILENT = ("Rescaled ", "rests on fewer items", "Calling ", "No judge answered ")
"""In warnings that ask for nothing, or that a note says."""


def view(result: GateResult) -> Section:
    """Whether the judge passes: the answer, each check, what would settle it, and how it was decided."""
    texts = [RULE, RULERS]
    texts += [calibration_sentence({"calibrate": _calibration(result)}), interval_sentence(result.settings)]
    notes = [text for text in map(next_step, result.checks) if text]
    blocks: list[Block] = [_table(result), *noted(notes), how_computed(texts)]
    return Section(title="May this judge pass?", lead=lead_sentence(result), blocks=blocks)


def _calibration(result: GateResult) -> str:
    """How the judge was calibrated: `none` if it was not."""
    return next((check.calibrate for check in result.checks if check.calibrate not in {None, "none"}), None) or "none"


def lead_sentence(result: GateResult) -> str:
    """The answer."""
    judge, n = quoted(result.judge), len(result.checks)
    if result.passes:
        shared = set.intersection(*({constant.judge for constant in check.as_good} for check in result.checks))
        who = listing([words for name, words in CONSTANTS.items() if name in shared])
        return f"{judge} passes {_all_checks(n)}{f', but so would {who}' if who else ''}."
    failed = sum(check.verdict == "fail" for check in result.checks)
    unclear = sum(check.verdict == "inconclusive" for check in result.checks)
    verb = ("fails" if failed == 1 else "fail") if failed else f"{are(unclear)} inconclusive"
    open_ = failed or unclear
    which = _all_checks(n) if open_ == n else f"{spelled(open_)} of {spelled(n)} checks"
    if failed and n == 1:
        return f"{judge} fails the check."
    return f"{judge} {'fails' if failed else 'does not pass'}: {which} {verb}."


def _all_checks(n: int) -> str:
    return {1: "the check", 2: "both checks"}.get(n, f"all {spelled(n)} checks")


def _table(result: GateResult) -> Table:
    rulers = {"Constant": [_ruler(check, check.constant) for check in result.checks],
              "Person": [_ruler(check, check.person) for check in result.checks]}  # fmt: skip
    shown = {name: cells for name, cells in rulers.items() if any(cells)}
    rows: list[list[Cell]] = [
        [asked_text(check), found_text(check), *(cells[i] for cells in shown.values()), check.items, check.verdict]
        for i, check in enumerate(result.checks)
    ]
    how = "" if _calibration(result) == "none" else "; the judge is recalibrated"
    return Table(caption=f"The checks{how}", columns=["Asked for", "Found", *shown, "Items", "Verdict"], rows=rows)


# ---- One check


def asked_text(check: Check) -> str:
    """What was asked for."""
    if check.check == "min_equivalence":
        return f"worth at least {_number(check.threshold, 'rater')}{by_words(check.measure)}"
    if check.check == "min_consistency":
        return f"at least {100 * check.threshold:g}% same decisions (tau {check.tau:g})"
    if check.check == "max_bias":
        return f"bias at most {_number(100 * check.threshold, 'percentage point')} (tau {check.tau:g})"
    other = quoted(check.against or "")
    if check.check == "better_than":
        return f"better than {other} by {check.measure}"
    is_share = check.measure in SHARES
    amount = _number(-100 * check.threshold, "percentage point") if is_share else f"{-check.threshold:g}"
    return f"at most {amount} worse than {other} by {check.measure}"


def _number(count: float, word: str) -> str:
    return f"{count:g} {word}{'' if count == 1 else 's'}"


def found_text(check: Check) -> str:
    """What was found, with its interval."""
    if check.check == "min_equivalence":
        digits = _telling(check, worth_decimals(check.value, check.low, check.high))
        value, low, high = (place_text(end, 0, check.largest, digits) for end in (check.value, check.low, check.high))
        is_off = value == low == high and not math.isfinite(check.value)
        return value if is_off else f"{value} [{low}, {high}]"
    return _written(check, check.value, check.low, check.high, _places(check))


def _written(check: Check, value: float, low: float = math.nan, high: float = math.nan, places: int = 1) -> str:
    """A number of a check that is not about raters, with its interval if it has one."""
    if not math.isfinite(value):
        return "undefined"
    if check.check == "min_consistency":
        return with_interval(value, low, high, form=lambda share: percent(share, places))
    if check.check == "max_bias" or check.measure in SHARES:
        return f"{with_interval(value, low, high, form=lambda share: points(share, places))} points"
    return with_interval(value, low, high, form=lambda number: decimal(number, 3))


def _places(check: Check) -> int:
    """Decimals of a percentage."""
    supported = supported_digits([(100 * check.low, 100 * check.high)], usual=1)
    return _telling(check, min(supported, 1), times=100)


def _telling(check: Check, digits: int, times: float = 1) -> int:
    """At least these decimals, and as many as keep a number from looking like the threshold that it is not."""
    ends = [times * end for end in (check.low, check.value, check.high) if math.isfinite(end)]
    threshold = times * check.threshold
    while digits < MOST_DIGITS and any(round(end, digits) == threshold != end for end in ends):
        digits += 1
    return digits


def _ruler(check: Check, ruler: Ruler | None) -> str | None:
    """What a constant answer or one more person would find, as the number of the check is written."""
    if ruler is None:
        return None
    is_raters = check.check == "min_equivalence" and math.isfinite(ruler.value)
    return f"{ruler.value:g}" if is_raters else _written(check, ruler.value)


def next_step(check: Check) -> str:
    """What would settle an inconclusive check, or make one worth passing; empty if there is nothing to do."""
    what = capital(asked_text(check))
    if check.as_good:
        who = listing([CONSTANTS[constant.judge] for constant in check.as_good])
        return f"{what}: choose a stricter threshold, as {who} would pass too."
    return f"{what}: {_settling(check)}" if check.verdict == "inconclusive" else ""


def _settling(check: Check) -> str:
    if check.missing == "score":
        return "the score is undefined on these items; choose another measure."
    if check.missing == "raters":
        return f"ask more raters, as more items will not settle it; or set {named('raters')} fixed for these raters."
    if check.more_items is None:
        return "choose another threshold, as more items will not settle this one."
    more = f"about {counted(round_up(check.more_items), 'more item')}"
    more += f" with {check.each} ratings each" if check.missing == "ratings" else ""
    if check.more_items > SENSIBLE * check.items:
        return f"choose another threshold, as settling this one takes {more}."
    return f"collect {more}, which settles it with {percent(POWER, 0)} chance if the estimate is right."


# ---- JUnit XML


def junit_of(result: GateResult | PartsResult) -> bytes:
    """One test case for each check; a check that fails or is inconclusive is a failure of that type.

    Each question or slice is a suite. There are no times in it, so that the same data give the same file.
    """
    parts = [(part.name, part.result) for part in result] if isinstance(result, PartsResult) else [("", result)]
    gates = [(name, own) for name, own in parts if isinstance(own, GateResult)]
    every = [check for _, own in gates for check in own.checks]
    suites = ET.Element("testsuites", {"name": SUITE} | _tally(every))
    for name, own in gates:
        _suite(suites, own, name)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'.encode()


def _tally(checks: Sequence[Check]) -> dict[str, str]:
    failures = sum(check.verdict != "pass" for check in checks)
    return {"tests": str(len(checks)), "failures": str(failures), "errors": "0"}


def _suite(suites: ET.Element, result: GateResult, part: str) -> None:
    """The checks of one question or slice."""
    place = f", {part}" if part else ""
    name = visible(f"{SUITE} {result.judge}{place}")
    suite = ET.SubElement(suites, "testsuite", {"name": name} | _tally(result.checks) | {"skipped": "0"})
    for check in result.checks:
        # A check has the same name in every run, whatever was found.
        names = {"classname": f"dissensus.gate.{result.judge}", "name": f"{check.check}: {asked_text(check)}{place}"}
        case = ET.SubElement(suite, "testcase", {key: visible(text) for key, text in names.items()})
        lines = [f"{check.verdict}: found {found_text(check)} on {counted(check.items, 'item')}"]
        rulers = {"constant": check.constant, "one more person": check.person}
        lines += [f"{who}: {_ruler(check, ruler)}" for who, ruler in rulers.items() if ruler is not None]
        shown = [visible(line) for line in [*lines, next_step(check)] if line]
        is_passed, failure = check.verdict == "pass", {"message": shown[0], "type": check.verdict}
        where = ET.SubElement(case, "system-out") if is_passed else ET.SubElement(case, "failure", failure)
        where.text = "\n".join(shown)
