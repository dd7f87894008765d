"""A gate's checks as a JUnit file, which CI systems show as tests."""

from xml.etree import ElementTree as ET

from dissensus.decisions.gating.result import Check, GateResult
from dissensus.report.sentences.gate import check_sentence, name_of
from dissensus.report.untrusted import visible

SUITE = "dissensus gate"


def junit_of(result: GateResult) -> bytes:
    """One test case for each check; a check that fails or is inconclusive is a failure of that type.

    There are no times in it, so that the same data give the same file.
    """
    counts = {"tests": str(len(result.checks)), "failures": str(_failures(result)), "errors": "0"}
    suites = ET.Element("testsuites", {"name": SUITE} | counts)
    suite = ET.SubElement(suites, "testsuite", {"name": visible(f"{SUITE} {result.judge}")} | counts | {"skipped": "0"})
    for check in result.checks:
        _add_case(suite, check, judge=result.judge)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'.encode()


def _failures(result: GateResult) -> int:
    return sum(check.verdict != "pass" for check in result.checks)


def _add_case(suite: ET.Element, check: Check, *, judge: str) -> None:
    names = {"classname": f"dissensus.gate.{judge}", "name": name_of(check)}
    case = ET.SubElement(suite, "testcase", {key: visible(text) for key, text in names.items()})
    said = visible(check_sentence(check))
    if check.verdict == "pass":
        ET.SubElement(case, "system-out").text = said
    else:
        ET.SubElement(case, "failure", {"message": said, "type": check.verdict}).text = said
