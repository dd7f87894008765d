"""The direction of imports: what stands lower in the tree knows what stands above it, never the other way round."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import dissensus

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "dissensus"

LAYERS = [
    ["errors", "arrays"],
    ["sizes"],
    ["options"],
    ["results"],
    ["data"],
    ["sampling"],
    ["simulation"],
    ["methods"],
    ["report"],
    ["inspect", "mlflow", "pytest", "sklearn"],
    ["web"],
    ["cli"],
    ["__main__"],
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
HAND_OVERS = {"results": {"report"}, "data": {"sampling", "report"}}
"""The only imports that may point down, and only when they are called: a result hands over to the report, and data that
no machine holds to the cluster that reads them."""


@dataclass(frozen=True)
class Use:
    """An import of ours: the layer it names, and whether it happens only when a function is called."""

    layer: str
    deferred: bool


def uses_in(source: str) -> list[Use]:
    """Imports of dissensus, those of type checking counted as deferred."""
    return [Use(layer, deferred) for node, deferred in imports_in(ast.parse(source)) for layer in layers_of(node)]


def imports_in(node: ast.AST, *, deferred: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, deferred
        else:
            yield from imports_in(child, deferred=deferred or defers(child))


def defers(node: ast.AST) -> bool:
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    return is_function or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")


def layers_of(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif node.module == "dissensus":  # `from dissensus import read`: where it is at home
        homes = dissensus._HOME | {name: name for name in RANK}
        modules = [f"dissensus.{homes[alias.name]}" for alias in node.names if alias.name != "__version__"]
    else:
        modules = [node.module or ""]
    return [module.split(".")[1] for module in modules if module.startswith("dissensus.")]


def faults(layer: str, source: str) -> list[str]:
    """What the imports of one module do wrong."""
    wrong = []
    for use in uses_in(source):
        points_up = RANK[use.layer] < RANK[layer] or use.layer == layer
        if not points_up and not (use.deferred and use.layer in HAND_OVERS.get(layer, ())):
            wrong.append(f"{layer} imports {use.layer}{' when called' if use.deferred else ''}")
    return wrong


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_stands_in_a_layer():
    assert {layer_of(path) for path in modules()} <= RANK.keys()


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_up_except_where_a_result_hands_over(path):
    assert faults(layer_of(path), path.read_text(encoding="utf-8")) == []


def test_no_import_is_relative():
    relative = [
        path.name
        for path in modules()
        for node, _ in imports_in(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert relative == []


@pytest.mark.parametrize(
    ("layer", "source", "expected"),
    [
        ("report", "from dissensus.methods.describe import describe", []),
        ("cli", "from dissensus import __version__, read", []),
        ("results", "def f():\n    from dissensus.report.text import text_of", []),
        ("results", "from dissensus.report.text import text_of", ["results imports report"]),
        ("data", "class A:\n    from dissensus import describe", ["data imports methods"]),
        ("sampling", "if TYPE_CHECKING:\n    from dissensus import cli", ["sampling imports cli when called"]),
    ],
)
def test_the_check_sees(layer, source, expected):
    assert faults(layer, source) == expected


def rooms_used() -> dict[str, set[str]]:
    """The methods that each method imports, when called or before."""
    rooms: dict[str, set[str]] = {}
    for path in sorted((PACKAGE / "methods").rglob("*.py")):
        room = path.relative_to(PACKAGE / "methods").parts[0]
        nodes = [node for node, _ in imports_in(ast.parse(path.read_text(encoding="utf-8")))]
        names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        used = {name.split(".")[2] for name in names if name.startswith("dissensus.methods.")}
        rooms.setdefault(room, set()).update(used - {room})
    return rooms


def test_no_two_methods_import_each_other_in_a_cycle():
    TopologicalSorter(rooms_used()).prepare()  # raises CycleError


def test_the_cycle_test_sees_a_cycle():
    with pytest.raises(CycleError):
        TopologicalSorter({"panel": {"gate"}, "gate": {"panel"}}).prepare()
