"""Every public name and command has its page, what the pages show is current, and their links lead somewhere."""

import contextlib
import importlib.util
import io
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperCommand, TyperGroup

import dissensus
from dissensus.cli.main import main, whole_app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
_SPEC = importlib.util.spec_from_file_location("refresh_outputs", DOCS / "refresh_outputs.py")
assert _SPEC is not None
assert _SPEC.loader is not None
outputs = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(outputs)

FENCED = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def of_root(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """The page's text without its blocks of code."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def words(text: str) -> list[str]:
    """The text without what may differ from machine to machine: where lines break, the last digits of long numbers."""
    return [re.sub(r"-?\d+\.\d{9,}", lambda number: f"{float(number[0]):.8f}", word) for word in text.split()]


def anchors(page: Path) -> set[str]:
    """What a link into the page can name: its headings as mkdocs spells them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


def commands(command: TyperGroup | TyperCommand, name: str = "dissensus") -> Iterator[str]:
    """The command line's commands by their full names."""
    yield name
    for sub_name, sub_command in getattr(command, "commands", {}).items():
        if not sub_command.hidden:
            yield from commands(sub_command, f"{name} {sub_name}")


def faulty_links(page: Path) -> list[str]:
    """Links to a file or a heading that is not there."""
    faults = []
    for link in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            faults.append(link)
    return faults


@pytest.mark.parametrize("name", [name for name in dissensus.__all__ if name != "__version__"])
def test_every_public_name_is_in_the_reference(name):
    reference = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    assert re.search(rf"^::: dissensus\.([a-z_]+\.)*{name}$", reference, re.MULTILINE)


@pytest.mark.parametrize("command", list(commands(typer.main.get_command(whole_app()))))
def test_every_command_is_in_the_reference(command):
    reference = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert f"\n## {command}\n" in reference
    assert f"\n<!-- run: {command} --help -->\n" in reference


def test_every_command_is_on_the_page_that_says_which_one_you_need():
    page = (DOCS / "how-to" / "which-command.md").read_text(encoding="utf-8")
    asked = {name.removeprefix("dissensus ") for name in commands(typer.main.get_command(whole_app()))}
    asked -= {"dissensus", "plan", *(name for name in asked if name.startswith("simulate "))}
    assert [name for name in sorted(asked) if not re.search(rf"`{name}\b", page)] == []


def test_outputs_in_the_docs_come_from_this_checkout(tmp_path):
    # Not from one that is installed in an environment that several checkouts share.
    printed = outputs.in_a_shell("python -c 'import dissensus; print(dissensus.__file__)'", tmp_path).stdout
    assert Path(printed.strip()).is_relative_to(outputs.ROOT)


def run_here(command: str, scratch: Path) -> "subprocess.CompletedProcess[str]":
    """What a command prints, in this process where it is ours and needs no shell: starting Python takes a second."""
    ours = re.fullmatch(r"dissensus( [^|&;<>$`#*~]+?)( 2>&1)?(?: \| (.+))?", command)
    if ours is None:
        return outputs.in_a_shell(command, scratch)
    printed = io.StringIO()
    remarks = printed if ours[2] else io.StringIO()
    with pytest.MonkeyPatch.context() as here:
        for name, value in outputs.TERMINAL.items():
            here.setenv(name, value)
        here.chdir(scratch)
        here.setattr("sys.stdin", io.StringIO())
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(remarks):
            status = main(shlex.split(ours[1]))
    if ours[3]:
        return outputs.in_a_shell(ours[3], scratch, given=printed.getvalue())
    return subprocess.CompletedProcess(command, status, printed.getvalue(), remarks.getvalue())


@pytest.mark.parametrize("page", outputs.pages(), ids=of_root)
def test_outputs_shown_are_current(page):
    shown = page.read_text(encoding="utf-8")
    assert words(shown) == words(outputs.refreshed(shown, run_here)), f"{of_root(page)} is stale: run `make docs`"


@pytest.mark.parametrize("page", outputs.pages(), ids=of_root)
def test_links_lead_somewhere(page):
    assert faulty_links(page) == []


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert [page for page in pages if not re.search(rf"[ :]{re.escape(page)}$", navigation, re.MULTILINE)] == []


BINARY, TOXICITY = ["example:binary"] * 2, ["example:toxicity"] * 2
JSON_RUNS = {
    "import": ["example:binary", "-o", "out.csv"],
    "describe": ["example:toxicity", "--bootstrap=0", "--group=group"],
    "decide": [*TOXICITY, "--bootstrap=20", "--positive=Toxic"],
    "equivalence": [*TOXICITY, "--bootstrap=20", "--ceiling", "--experts=expert", "--amateurs=crowd"],
    "judges": [*TOXICITY, "--bootstrap=10", "--positive=Toxic", "--beta=0,0.2"],
    "items": [*BINARY, "--top=3"],
    "compare": [*BINARY, "--margin=0.1", "--bootstrap=20", "--resamples=100"],
    "alt-test": BINARY,
    "gate": [*BINARY, "--judge=classifier", "--min-equivalence=1", "--positive=Yes", "--max-bias=0.3"],
    "raters": [*TOXICITY, "--resamples=50", "--bootstrap=20"],
    "panel": [*BINARY, "--bootstrap=20"],
    "route": [*BINARY, "--judge=classifier", "--bootstrap=20"],
    "plan raters": [
        "--pilot=example:toxicity", "--pilot-judges=example:toxicity", "--a=strong", "--b=weak", "--bootstrap=20"
    ],
    "plan labels": [
        "--pilot=example:binary", "--pilot-judges=example:binary", "--a=classifier", "--b=keywords", "--error=0.05",
        "--bootstrap=20",
    ],
}  # fmt: skip
BY_DATA = {"answer", "shares", "selected", "lost"}
"""What has labels, definitions or judges as its keys."""
BESIDE = {"panel": ["equivalence"], "raters": ["equivalence"], "decide": ["equivalence"]}
"""Sections that a section refers to."""


def json_keys(value: object) -> Iterator[str]:
    """Every name in a result, at any depth; the ends of an interval count by the name of what they belong to."""
    if isinstance(value, list):
        for one in value:
            yield from json_keys(one)
    for key, one in value.items() if isinstance(value, dict) else ():
        yield re.sub("_(low|high|verdict)$", "", key)
        yield from () if key in BY_DATA else json_keys(one)


@pytest.mark.parametrize("command", JSON_RUNS)
def test_the_page_about_json_has_every_key(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), *JSON_RUNS[command], "--json", "--quiet"]) == 0
    page = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    explained = " ".join(sections[name] for name in [command, *BESIDE.get(command, [])])
    names = {re.sub("_(low|high|verdict)$", "", name) for name in re.findall(r"\w+", explained)}
    assert sorted(set(json_keys(json.loads(capsys.readouterr().out)["result"])) - names - {"low", "high"}) == []


def test_a_page_shows_what_its_commands_print_about_its_files():
    page = "<!-- file: a.csv -->\n```csv\nb\nc\n```\n\n<!-- run: cat a.csv -->\n```console\nstale\n```\n"
    expected = page.replace("stale", "$ cat a.csv\nb\nc")
    assert outputs.refreshed(page) == expected
    assert outputs.refreshed(expected) == expected


def test_a_page_shows_the_message_of_a_command_that_must_fail():
    page = '<!-- fails: echo "No file." >&2; exit 2 -->\n```text\n```\n'
    assert outputs.refreshed(page) == page.replace("```text\n", "```text\nNo file.\n")


def test_a_page_shows_remarks_where_its_command_asks_for_them():
    page = '<!-- run: sh -c "echo done >&2" 2>&1 -->\n```console\n```\n'
    assert outputs.refreshed(page) == page.replace("console\n", 'console\n$ sh -c "echo done >&2"\ndone\n')


def test_a_command_that_fails_unexpectedly_stops_the_refresh():
    with pytest.raises(outputs.PageError, match="`exit 3` ended with status 3, not 0"):
        outputs.refreshed("<!-- run: exit 3 -->\n```text\n```\n")


def test_a_command_that_prints_nothing_stops_the_refresh():
    with pytest.raises(outputs.PageError, match=r"`false \| head` prints nothing"):
        outputs.refreshed("<!-- run: false | head -->\n```text\n```\n")


def test_a_marker_without_a_block_stops_the_refresh():
    with pytest.raises(outputs.PageError, match="line 3: a marker without a fenced block below it"):
        outputs.refreshed("one\ntwo\n<!-- run: true -->\nthree\n")
