"""The project keeps its own rules: layout, sizes, version, changelog."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import dissensus

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "dissensus"
MOST_FILE_LINES = 700
MOST_TEST_LINES = 600  # a list of claims, read one at a time
MOST_FUNCTION_LINES = 60


def sources() -> list[Path]:
    return [path for folder in ("src", "tests", "benchmarks", "docs") for path in sorted((ROOT / folder).rglob("*.py"))]


def packages() -> list[Path]:
    return sorted({path.parent for path in PACKAGE.rglob("*.py")})


def of_root(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """Lines of a function without its docstring, its comments and its blank lines."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        return 1
    signature = range(function.lineno, function.body[0].lineno)
    numbered = {*signature, *range(body[0].lineno, (function.end_lineno or 0) + 1)}
    texts = (lines[number - 1].strip() for number in numbered)
    return sum(1 for text in texts if text and not text.startswith("#"))


def long_functions(source: str) -> list[str]:
    lines = source.splitlines()
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [function.name for function in functions if code_lines(function, lines) > MOST_FUNCTION_LINES]


@pytest.mark.parametrize("folder", packages(), ids=of_root)
def test_each_folder_says_its_purpose_in_one_line(folder):
    init = folder / "__init__.py"
    docstring = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")))
    assert docstring is not None
    purpose, *map_of_it = docstring.splitlines()
    assert purpose.endswith((".", "?"))
    assert map_of_it[:1] in ([], [""])  # a large folder may go on to say how its files hang together


def test_contributing_names_every_folder_of_the_package():
    tree = re.search(
        r"```text\nsrc/dissensus/\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert tree is not None
    named = re.findall(r"^  (\w+)/", tree[1], re.MULTILINE)
    assert sorted(named) == sorted(folder.name for folder in packages() if folder.parent == PACKAGE)


@pytest.mark.parametrize("path", sources(), ids=of_root)
def test_no_file_is_too_long_to_read(path):
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= (MOST_TEST_LINES if "tests" in path.parts else MOST_FILE_LINES)


@pytest.mark.parametrize("path", sources(), ids=of_root)
def test_no_function_is_too_long_to_read(path):
    assert long_functions(path.read_text(encoding="utf-8")) == []


def names_given_in(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [one.asname or one.name for one in statement.names]
    if isinstance(statement, ast.Assign):
        return [node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return [ast.unparse(statement.target)] if isinstance(statement, ast.AnnAssign) else []


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=of_root)
def test_no_name_of_a_module_is_given_twice(path):
    """Where two files become one, a constant of the second silently replaces one of the first."""
    names = [name for one in ast.parse(path.read_text(encoding="utf-8")).body for name in names_given_in(one)]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(("statements", "too_long"), [(59, []), (60, ["f"])])
def test_docstrings_comments_and_blank_lines_are_not_code(statements, too_long):
    source = 'def f():\n    """Doc.\n\n    More.\n    """\n' + "    # why\n\n" * 50 + "    x = 1\n" * statements
    assert long_functions(source) == too_long  # the line with `def` counts


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == dissensus.__version__


def changes() -> list[Path]:
    return [path for path in sorted((ROOT / "changelog.d").iterdir()) if path.name != "README.md"]


@pytest.mark.parametrize("path", changes(), ids=lambda path: path.name)
def test_a_change_is_named_after_its_issue_and_kind(path):
    assert re.fullmatch(r"\d+(-[a-z0-9-]+)?\.(added|changed|fixed|removed|results)\.md", path.name)


@pytest.mark.parametrize("path", changes(), ids=lambda path: path.name)
def test_each_line_is_a_change_in_one_sentence(path):
    text = path.read_text(encoding="utf-8")
    assert re.fullmatch(r"([A-Z`][^\n]+\.\n)+", text)
    assert not re.search(r"[.!?] [A-Z]", text)


def test_make_help_explains_every_target():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = {name for names in re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE) for name in names.split()}
    explained = set(re.findall(r"^([a-z-]+):.*## .", makefile, re.MULTILINE))
    assert phony - explained == {"chromium", "paper-data", "postgresql"}  # steps of `make test`


def test_ci_runs_what_a_developer_runs():
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111, "it can be run"
    assert re.search(r"^make test\b", script.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_readme_names_the_commands_that_do_all_the_set_up(command):
    assert f"\n{command} " in (ROOT / "README.md").read_text(encoding="utf-8")
