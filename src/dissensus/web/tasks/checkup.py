from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dissensus.ratings.examining import DoctorResult, examine
from dissensus.report.document import Note
from dissensus.report.views import section_of
from dissensus.web.data_options import is_read_plainly
from dissensus.web.mending import can_mend
from dissensus.web.rendering import section_html
from dissensus.web.tasks.reading import judges_plan, ratings_plan
from dissensus.web.tasks.telling import part, steps
from dissensus.web.work.process import Message, Tell

TITLES = {"ratings": "People's ratings", "judges": "The judges' answers"}


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """What is the matter with the files of a data set: a section for each, and the options that mend them."""
    step, found = steps(tell), {}
    with step("Looking at the ratings"):
        found["ratings"] = examine(Path(str(arguments["ratings"])), ratings_plan(arguments))
        part(tell, "ratings", _html(found["ratings"], "ratings", str(arguments["ratings_name"])))
    if arguments.get("judges"):
        with step("Looking at the judges"):
            is_plain = found["ratings"].format is not None and is_read_plainly(arguments)
            people = Path(str(arguments["ratings"])) if is_plain else None
            path = Path(str(arguments["judges"]))
            found["judges"] = examine(path, judges_plan(arguments), judges=True, people=people)
            part(tell, "judges", _html(found["judges"], "judges", str(arguments["judges_name"])))
    return {
        "errors": sum(finding.severity == "error" for result in found.values() for finding in result.findings),
        "mends": [[file, option] for file, result in found.items() for option in _options(result)],
        "labels": {file: result.shape["labels"] for file, result in found.items() if "labels" in result.shape},
        "judges": found["judges"].shape.get("judges", []) if "judges" in found else [],
    }


def _options(result: DoctorResult) -> list[str]:
    """What the check-up proposes, each option once."""
    return list(dict.fromkeys(finding.option for finding in result.findings if finding.option))


def _html(result: DoctorResult, id_: str, name: str) -> str:
    """The findings about one file, under the name that its owner gave it."""
    named = replace(result, data={"source": {**result.data["source"], "file": name}})
    section = section_of(named)
    mends_here = all(can_mend(id_, option) for option in _options(result))  # then no word about other commands
    blocks = [
        block for block in section.blocks if not (mends_here and isinstance(block, Note) and block.kind == "hint")
    ]
    return section_html(replace(section, title=TITLES[id_], blocks=blocks), id_)
