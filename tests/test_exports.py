"""What is public, and what an import costs."""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import dissensus

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "dissensus"
HEAVY = {"numpy", "scipy", "duckdb", "narwhals", "jinja2", "vl_convert", "pandas", "polars"}
EXTRAS = {
    *("starlette", "uvicorn", "openai", "dask", "distributed", "zstandard", "python_calamine", "yaml", "vl_convert"),
    *("mlflow", "inspect_ai", "sklearn", "pytest", "datasets", "pandas", "polars", "pyarrow", "IPython"),
}


def modules_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded when it has run the code."""
    report = "import atexit, json, sys; atexit.register(lambda: print(json.dumps(list(sys.modules)), file=sys.stderr))"
    done = subprocess.run(
        [sys.executable, "-c", f"{report}\n{code}"], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def inits() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("__init__.py")) if path.parent != PACKAGE]


def imported_names(path: Path) -> dict[str, str]:
    """The names that a module imports, each with the module it comes from."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: node.module or "" for node in nodes for alias in node.names}


def test_every_public_name_exists():
    assert [name for name in dissensus.__all__ if not hasattr(dissensus, name)] == []


def test_dir_shows_the_public_names_only():
    assert sorted(dir(dissensus)) == sorted(dissensus.__all__)


def test_the_public_names_are_those_with_a_home():
    assert {*dissensus._HOME, "__version__"} == set(dissensus.__all__)


def test_type_checkers_see_each_name_where_it_is_at_home():
    seen = imported_names(PACKAGE / "__init__.py")
    for name, home in dissensus._HOME.items():
        assert f"{seen[name]}.".startswith(f"dissensus.{home}.")


def test_a_star_import_brings_the_public_names():
    namespace: dict[str, object] = {}
    exec("from dissensus import *", namespace)  # noqa: S102 - a star import is only allowed at module level
    assert namespace.keys() - {"__builtins__"} == set(dissensus.__all__)


def test_nothing_else_is_public():
    with pytest.raises(AttributeError, match="module 'dissensus' has no attribute 'kappa'"):
        _ = dissensus.kappa


def test_the_same_object_comes_from_the_top_and_from_its_home():
    for name, home in dissensus._HOME.items():
        assert getattr(dissensus, name) is getattr(importlib.import_module(f"dissensus.{home}"), name)


@pytest.mark.parametrize("path", inits(), ids=lambda path: path.parent.relative_to(PACKAGE).as_posix())
def test_an_init_holds_imports_and_all_only(path):
    docstring, *statements = ast.parse(path.read_text(encoding="utf-8")).body
    assert isinstance(docstring, ast.Expr)
    others = [node for node in statements if not isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node).split(" = ")[0] for node in others] in ([], ["__all__"])


@pytest.mark.parametrize("path", inits(), ids=lambda path: path.parent.relative_to(PACKAGE).as_posix())
def test_an_init_exports_what_it_imports(path):
    name = path.parent.relative_to(PACKAGE.parent).as_posix().replace("/", ".")
    assert set(getattr(importlib.import_module(name), "__all__", [])) == set(imported_names(path))


def test_importing_the_package_loads_nothing_else_of_it():
    loaded = modules_after("import dissensus")
    assert {name for name in loaded if name.startswith("dissensus")} == {"dissensus"}
    assert not loaded & HEAVY


def test_help_imports_neither_numpy_nor_duckdb():
    loaded = modules_after(
        "import sys; sys.argv[:] = ['dissensus', '--help']; from dissensus.cli.main import main; main()"
    )
    assert "dissensus.cli.main" in loaded
    assert not loaded & HEAVY


def test_an_answer_from_a_file_and_its_page_import_no_extra():
    loaded = modules_after(
        "import dissensus; from dissensus.report.html import page_of; "
        "page_of([dissensus.judges('example:binary', 'example:binary', bootstrap=0)])"
    )
    assert "dissensus.report.html" in loaded
    assert not {name.partition(".")[0] for name in loaded} & EXTRAS


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").is_file()
