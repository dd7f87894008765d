from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dissensus.ratings.examining import DoctorResult, examine
from dissensus.report.document import Note
from dissensus.report.views import section_of
from dissensus.web.data_options import COLUMNS, RATINGS
from dissensus.web.rendering import section_html
from dissensus.web.tasks.reading import judges_plan, ratings_plan
from dissensus.web.tasks.telling import part, steps
from dissensus.web.work.process import Message, Tell

HERE = frozenset(field.option for field in RATINGS)
"""Options that the page has itself: then no hint is needed to other commands that have them."""
TITLES = {"ratings": "People's ratings", "judges": "The judges' answers"}


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """What is the matter with the files of a data set: a section for each, and the options that mend them."""
    step, found = steps(tell), {}
    with step("Looking at the ratings"):
        found["ratings"] = examine(Path(str(arguments["ratings"])), ratings_plan(arguments))
        part(tell, "ratings", _html(found["ratings"], "ratings", str(arguments["ratings_name"])))
    if arguments.get("judges"):
        with step("Looking at the judges"):
            people = Path(str(arguments["ratings"])) if _is_plain(arguments, found["ratings"]) else None
            path = Path(str(arguments["judges"]))
            found["judges"] = examine(path, judges_plan(arguments), judges=True, people=people)
            part(tell, "judges", _html(found["judges"], "judges", str(arguments["judges_name"])))
    errors = sum(finding.severity == "error" for result in found.values() for finding in result.findings)
    mends = [finding.option for result in found.values() for finding in result.findings if finding.option]
    return {"errors": errors, "mends": list(dict.fromkeys(mends))}


def _is_plain(arguments: Mapping[str, object], ratings: DoctorResult) -> bool:
    """Whether judges can be held against the ratings: they are read without a word about columns."""
    return ratings.format is not None and not any(arguments.get(name) for name in COLUMNS)


def _html(result: DoctorResult, id_: str, name: str) -> str:
    """The findings about one file, under the name that its owner gave it."""
    named = replace(result, data={"source": {**result.data["source"], "file": name}})
    section = section_of(named)
    mends_here = all(finding.option.split()[0] in HERE for finding in result.findings if finding.option)
    blocks = [
        block for block in section.blocks if not (mends_here and isinstance(block, Note) and block.kind == "hint")
    ]
    return section_html(replace(section, title=TITLES[id_], blocks=blocks), id_)
