"""What is published: version, changelog, citation, what the wheel holds, and the scripts that check a release."""

import json
import re
import runpy
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from itertools import chain
from math import ceil
from pathlib import Path

import pytest
import yaml
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

import dissensus

from audit import is_allowed, judged, stated_licence
from build_changelog import ChangeError, changelog, changes, section
from bundle_vega import BUNDLE, bundled, first_line
from check_dist import package_files, sdist_faults, wheel_faults
from interpreters import SUPPORTED, CommandError, find_python, run
from try_wheel import lowest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE_LINES, PAGE_WIDTH = 66, 100  # a printed page in a small fixed-width type


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(iter(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    return Path(next(iter(SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))))


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode("utf-8"))


# The version, the changelog, the citation


def test_package_metadata_citation_and_changelog_name_one_version(metadata):
    newest = re.search(r"^## (\S+)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    named = [
        PROJECT["version"],
        str(yaml.safe_load(text_of("CITATION.cff"))["version"]),
        newest[1],
        metadata["Version"],
    ]
    assert named == [dissensus.__version__] * 4


def test_the_changelog_is_what_changelog_d_says():
    before = text_of("CHANGELOG.md")
    assert before == changelog(before, PROJECT["version"], changes(ROOT / "changelog.d")), "run `make changelog`"


def test_every_change_stands_in_the_changelog_once():
    paths = [path for path in (ROOT / "changelog.d").glob("*.md") if path.name != "README.md"]
    texts = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    lines = text_of("CHANGELOG.md").splitlines()
    assert [text for text in texts if lines.count(f"- {text}") != 1] == []


def test_the_upgrade_note_names_what_is_gone_and_what_is_there():
    rows = re.findall(r"^\| (`dissensus\..*?) \| (.*?) \|$", text_of("docs/how-to/upgrade.md"), re.MULTILINE)
    gone, here = ([name for row in rows for name in re.findall(r"`dissensus\.(\w+)`", row[side])] for side in (0, 1))
    assert len(gone) == len(here) == 5
    assert [name for name in gone if hasattr(dissensus, name)] == []
    assert [name for name in here if not hasattr(dissensus, name)] == []


def test_changes_stand_in_the_order_of_their_issues_and_results_come_first(tmp_path):
    for name in ("10.added.md", "9-b.added.md", "9-a.added.md", "3.fixed.md", "11.results.md", "README.md"):
        (tmp_path / name).write_text(f"From {name}.\n", encoding="utf-8")
    (tmp_path / "3.fixed.md").write_text("One.\nTwo.\n", encoding="utf-8")
    assert section("2.0", changes(tmp_path)) == (
        "## 2.0\n\n### Numbers that changed\n\n- From 11.results.md.\n\n"
        "### Added\n\n- From 9-a.added.md.\n- From 9-b.added.md.\n- From 10.added.md.\n\n"
        "### Fixed\n\n- One.\n- Two.\n"
    )


def test_earlier_versions_stay_as_they_were_written():
    first = changelog("", "1.0", {"added": ["One."]})
    second = changelog(first, "2.0", {"added": ["Two."], "fixed": []})
    assert re.findall(r"^## .*|^- .*", second, re.MULTILINE) == ["## 2.0", "- Two.", "## 1.0", "- One."]
    assert second.endswith(first[first.index("## 1.0") :])


def test_a_release_whose_files_were_deleted_keeps_its_section():
    released = changelog("", "1.0", {"added": ["One."]})
    assert changelog(released, "1.0", {"added": []}) == released


@pytest.mark.parametrize("name", ["added.md", "7.new.md", "7.added.txt"])
def test_a_change_of_no_known_kind_is_refused(tmp_path, name):
    (tmp_path / name).write_text("Something.\n", encoding="utf-8")
    with pytest.raises(ChangeError, match=re.escape(name)):
        changes(tmp_path)


def test_the_citation_has_what_the_format_asks_for():
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # required by Citation File Format 1.2.0
    assert citation["cff-version"] == "1.2.0"
    for work in [citation, *citation["references"]]:
        assert isinstance(work["title"], str)
        assert all(author.keys() in ({"name"}, {"family-names", "given-names"}) for author in work["authors"])
    assert [{"name": author["name"]} for author in citation["authors"]] == PROJECT["authors"]


def test_the_citation_names_a_paper_for_each_that_is_reproduced():
    papers = ("Survey Equivalence", "Gold Labels", "How Many Raters", "Label Twice")
    titles = [work["title"] for work in yaml.safe_load(text_of("CITATION.cff"))["references"]]
    assert all(any(paper in title for title in titles) for paper in papers)
    assert len(titles) == len(papers)


# What a newcomer reads


def test_the_readme_of_the_package_leads_nowhere_that_an_index_does_not_have(metadata):
    shown = metadata.get_payload()
    assert shown.startswith("# dissensus\n\n**Your raters disagree.")
    assert [link for link in re.findall(r"\]\(([^)]*)\)", shown) if not link.startswith("https:")] == []
    assert "<!--" not in shown
    assert "Tutorial: from a file to a decision" in shown  # the text of a link stays


def test_with_a_home_the_links_and_the_picture_lead_there():
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))
    shown = hook["readme_for_an_index"](text_of("README.md"), "https://code.example/o/dissensus")
    targets = re.findall(r"\]\(([^)]*)\)", shown)
    assert targets
    for target in targets:
        kind, path = re.fullmatch(r"https://code\.example/o/dissensus/(raw|blob)/HEAD/(.+)", target).groups()
        assert (ROOT / path).is_file()
        assert (kind == "raw") == path.endswith(".png")
    for address in hook["addresses"]("https://code.example/o/dissensus").values():
        assert (ROOT / address.removeprefix("https://code.example/o/dissensus").removeprefix("/blob/HEAD/")).exists()


def test_without_a_home_there_are_no_addresses(metadata):
    home = tomllib.loads(text_of("pyproject.toml"))["tool"]["hatch"]["metadata"]["hooks"]["custom"]["home"]
    assert bool(metadata.get_all("Project-URL")) == bool(home)


def test_the_readme_is_read_in_20_seconds_up_to_the_first_command():
    before = text_of("README.md").split("## Try it")[0]
    words = re.sub(r"!\[.*?\)|<!--.*?-->|```.*?```", "", before, flags=re.DOTALL).split()
    assert len(words) <= 80  # four words a second


def test_contributing_fits_on_two_pages():
    lines = text_of("CONTRIBUTING.md").splitlines()
    assert sum(max(1, ceil(len(line) / PAGE_WIDTH)) for line in lines) <= 2 * PAGE_LINES


def test_contributing_names_only_files_and_targets_that_there_are():
    text = text_of("CONTRIBUTING.md")
    for name in re.findall(r"`([a-z_./-]+(?:/|\.py|\.md))`", text):
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "src" / "dissensus", ROOT / "src")), name
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= targets


@pytest.mark.parametrize("thing", ["source format", "score", "option", "wording", "method", "command"])
def test_contributing_says_where_a_new_thing_goes(thing):
    assert f"\n| {thing} | " in text_of("CONTRIBUTING.md")


def test_the_licence_is_the_whole_apache_licence():
    licence = text_of("LICENSE")
    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence


# The files to publish


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    assert wheel_faults(wheel) == []


def test_the_source_distribution_holds_the_package_its_documents_and_nothing_else(sdist):
    assert sdist_faults(sdist) == []


def test_the_wheel_comes_with_types_templates_data_and_the_licence_of_what_is_not_ours(wheel):
    needed = {"py.typed", "web/static/htmx.min.js", "web/static/htmx.LICENSE.txt", "web/templates/layout.html.j2"}
    needed |= {"report/templates/vega.js", "report/templates/vega.LICENSE.txt"}
    needed |= {
        "report/templates/page.html.j2",
        "data/example_data/binary/ratings.csv",
        "data/example_data/toxicity/task.toml",
    }
    with zipfile.ZipFile(wheel) as archive:
        assert {f"dissensus/{name}" for name in needed} <= set(archive.namelist())


def test_the_vendored_vega_is_what_its_script_writes():
    vendored = BUNDLE.read_text(encoding="utf-8")
    if vendored.splitlines()[0] != first_line():
        pytest.skip("another version of vl-convert is installed than the one that bundled it")
    assert vendored == bundled()


def test_what_is_missing_and_what_is_too_much_is_named(wheel, tmp_path):
    other = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(other, "w") as copy:
        for name in archive.namelist():
            if not name.endswith("py.typed"):
                copy.writestr(name, "")
        copy.writestr("tests/test_release.py", "")
    expected = [f"{wheel.name} lacks dissensus/py.typed", f"{wheel.name} should not hold tests/test_release.py"]
    assert wheel_faults(other) == expected


def test_caches_are_no_part_of_the_package():
    assert not [name for name in package_files() if "cache" in name.split("/") or "__pycache__" in name]


def test_the_source_distribution_builds_the_same_wheel(sdist, wheel, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    root = next(tmp_path.iterdir())
    again = Path(next(iter(WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"]))))
    with zipfile.ZipFile(wheel) as ours, zipfile.ZipFile(again) as theirs:
        assert {one.filename: one.CRC for one in ours.infolist()} == {
            one.filename: one.CRC for one in theirs.infolist()
        }


def test_the_metadata_name_licence_pythons_and_types(metadata):
    assert metadata["License-Expression"] == "Apache-2.0 AND 0BSD AND BSD-3-Clause AND ISC AND MIT AND Unlicense"
    assert metadata["Requires-Python"] == ">=3.11"
    classifiers = metadata.get_all("Classifier")
    assert "Typing :: Typed" in classifiers
    listed = [name.rpartition(" ")[2] for name in classifiers if re.search(r":: 3\.\d+$", name)]
    assert listed == list(SUPPORTED)


def test_every_dependency_declares_a_lowest_version():
    declared = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    assert {re.split(r"[\[>=]", one)[0] for one in declared} <= {pin.partition("==")[0] for pin in lowest()}


# The scripts that check a release


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 OR BSD-2-Clause", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("GPL-3.0-only OR MIT", True),  # one may choose
        ("MIT AND GPL-3.0-only", False),  # one may not
        ("GNU General Public License v3 (GPLv3)", False),
        ("MIT License; GNU Affero General Public License v3", False),
        ("LGPL-2.1-or-later", False),
        ("MPL-2.0", False),
        ("ISC License (ISCL)", True),
        ("(MIT OR BSD-3-Clause) AND GPL-3.0-only", False),
        ("MIT AND (GPL-3.0-only OR LGPL-3.0-only)", False),
        ("UNKNOWN", False),
        ("", False),
    ],
)
def test_only_permissive_licences_are_allowed(licence, allowed):
    assert is_allowed(licence) == allowed


def test_a_licence_is_read_from_the_expression_before_classifiers_and_words():
    package = {"License-Expression": "UNKNOWN", "License-Classifier": "BSD License", "License-Metadata": "All rights."}
    assert stated_licence(package) == "BSD License"
    assert stated_licence(package | {"License-Expression": "MIT"}) == "MIT"
    assert stated_licence(package | {"License-Classifier": "UNKNOWN"}) == "All rights."


def answer_of(*packages: dict[str, object]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


CLEAN = {"name": "numpy", "version": "2.0", "vulns": []}
SKIPPED = {"name": "scipy", "skip_reason": "Dependency not found"}
KNOWN = {"name": "jinja2", "version": "3.0", "vulns": [{"id": "CVE-1"}]}


@pytest.mark.parametrize(
    ("answer", "errors", "asked", "passes", "said"),
    [
        (answer_of(CLEAN), "", 1, True, "none known in 1 packages"),
        (answer_of(KNOWN, CLEAN), "", 2, False, "jinja2 has CVE-1"),
        (answer_of(CLEAN, SKIPPED), "", 2, False, "NOT CHECKED for 1 of 2 packages"),
        (answer_of(), "", 3, False, "NOT CHECKED for 3 of 3 packages"),
        ("", "Traceback\nConnectionError: no such host", 3, False, "could not be asked: ConnectionError: no such host"),
        ("", "", 3, False, "NOT CHECKED"),
    ],
)
def test_an_audit_that_asked_nobody_does_not_pass(capsys, answer, errors, asked, passes, said):
    assert judged(answer, errors, asked=asked) == passes
    assert said in capsys.readouterr().out


def test_a_python_that_is_not_here_is_not_found():
    assert find_python("3.99") is None


def test_a_command_that_fails_is_quoted_with_what_it_said(tmp_path):
    python = find_python("3.11") or find_python("3.12") or find_python("3.13")
    if python is None:
        pytest.skip("no Python on the path that can make environments")
    with pytest.raises(CommandError, match=r"status 3 and said:\nno luck"):
        run([python, "-c", "import sys; print('no luck', file=sys.stderr); sys.exit(3)"], folder=tmp_path)


def test_the_scripts_are_short():
    lengths = {path.name: text_of(f"release/{path.name}").count("\n") for path in (ROOT / "release").glob("*.py")}
    assert lengths
    assert max(lengths.values()) <= 300
