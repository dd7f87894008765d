"""Words that CONTRIBUTING.md lists do not stand in what users read."""

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dissensus

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "dissensus"
FENCED = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`]*`")
EXAMPLE = re.compile(r"^ *>>> .*$", re.MULTILINE)


def avoided() -> list[str]:
    """The words and phrases of the table's first column."""
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| not | but | why |")[1]
    cells = re.findall(r"^\| ([^|-][^|]*) \|", table, re.MULTILINE)
    return [word for cell in cells for word in cell.split(", ")]


AVOIDED = re.compile(r"\b(" + "|".join(map(re.escape, avoided())) + r")\b(?! apart)", re.IGNORECASE)


def found_in(text: str) -> list[str]:
    """What should not be there, in the text with its lines joined."""
    return [match[0] for match in AVOIDED.finditer(" ".join(text.split()))]


def texts(source: str) -> Iterator[str]:
    """The strings of a module that are sentences: docstrings, messages, help; names and data have no blanks."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def pages() -> list[Path]:
    loose = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "skills" / "dissensus" / "SKILL.md"]
    return [*loose, *sorted((ROOT / "docs").rglob("*.md"))]


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def of_root(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_list_has_words():
    assert {"foretell", "oftener", "mend", "likeliest", "alike", "so many", "is told", "the matter"} <= set(avoided())


@pytest.mark.parametrize("page", pages(), ids=of_root)
def test_a_page_has_none_of_the_words(page):
    assert found_in(SPAN.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))) == []


def public_docstrings() -> Iterator[tuple[str, str]]:
    """What the reference shows: public names, what stands beside results, and their public methods."""
    for name in dissensus.__all__:
        value = getattr(dissensus, name)
        module = sys.modules[value.__module__] if name.endswith("Result") else None
        beside = [one for one in vars(module).values() if inspect.isclass(one)] if module else []
        for one in [value, *(one for one in beside if one.__module__ == value.__module__)]:
            parts = [part for key, part in vars(one).items() if key[0] != "_"] if inspect.isclass(one) else []
            yield name, "\n".join(inspect.getdoc(part) or "" for part in [one, *parts] if not isinstance(part, str))


def test_what_the_reference_shows_has_none_of_the_words():
    assert [(name, word) for name, text in public_docstrings() for word in found_in(text)] == []


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=of_root)
def test_the_text_of_a_notebook_has_none_of_the_words(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert [
        word for cell in cells if cell["cell_type"] == "markdown" for word in found_in("".join(cell["source"]))
    ] == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "web" / "templates").glob("*.j2")), ids=of_root)
def test_a_template_has_none_of_the_words(path):
    assert found_in(re.sub(r"\{[{%].*?[}%]\}|<[^>]*>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)) == []


@pytest.mark.parametrize("path", modules(), ids=of_root)
def test_messages_and_docstrings_have_none_of_the_words(path):
    assert [word for text in texts(path.read_text(encoding="utf-8")) for word in found_in(EXAMPLE.sub("", text))] == []


@pytest.mark.parametrize(
    "text", ["It foretells\nmuch.", "Nothing is the\n  matter.", "Judges are told by it.", "MEND it"]
)
def test_a_word_is_found(text):
    assert len(found_in(text)) == 1


@pytest.mark.parametrize("text", ["We recommend it.", "They are told apart.", "amended", "likely"])
def test_parts_of_other_words_are_not_found(text):
    assert found_in(text) == []


def test_names_in_code_are_no_text():
    assert [text.strip() for text in texts('x = {"alike": f"so {n} many"}  # mend')] == ["so X many", "so", "many"]


MOST_OPTIONAL = 2


def optional_clauses(text: ast.JoinedStr, may_be_empty: set[str]) -> int:
    """How many parts of an f-string are conditional: `{a if b else c}`, `{', and more' * b}`, or a name of such."""
    parts = [part.value for part in text.values if isinstance(part, ast.FormattedValue)]
    times = [part.left for part in parts if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult)]
    repeated = [left for left in times if isinstance(left, ast.Constant) and isinstance(left.value, str)]
    named = [part for part in parts if isinstance(part, ast.Name) and part.id in may_be_empty]
    return sum(isinstance(part, ast.IfExp) for part in parts) + len(repeated) + len(named)


def maybe_empty(function: ast.AST) -> set[str]:
    """The names in a function that are a text or empty: `x = text if condition else ""`."""
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    return {
        target.id for node in assigned if isinstance(node.value, ast.IfExp)
        for target in node.targets if isinstance(target, ast.Name)
        and '""' in (ast.unparse(node.value.body).replace("'", '"'), ast.unparse(node.value.orelse).replace("'", '"'))
    }  # fmt: skip


def assembled(source: str) -> dict[int, int]:
    """The line of each f-string in a function, and how many optional clauses it has."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    found = [(maybe_empty(own), node) for own in functions for node in ast.walk(own) if isinstance(node, ast.JoinedStr)]
    return {node.lineno: optional_clauses(node, names) for names, node in found}


@pytest.mark.parametrize("path", modules(), ids=of_root)
def test_no_sentence_is_assembled_from_more_than_two_optional_clauses(path):
    found = assembled(path.read_text(encoding="utf-8"))
    assert [line for line, clauses in found.items() if clauses > MOST_OPTIONAL] == []


def pieces(node: ast.expr) -> list[ast.expr]:
    """What is put together: the parts of an f-string, or of a sum of texts."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*pieces(node.left), *pieces(node.right)]
    if isinstance(node, ast.JoinedStr):
        return [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    return [node]


def absent_at_times(node: ast.expr, known: dict[str, int]) -> int:
    """How many clauses of a text may be absent, those of the names in it among them."""
    if isinstance(node, ast.IfExp):
        branches = (node.body, node.orelse)
        is_absent = any(isinstance(branch, ast.Constant) and branch.value == "" for branch in branches)
        return is_absent + max(absent_at_times(branch, known) for branch in branches)
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult)
        and isinstance(node.left, ast.Constant | ast.JoinedStr)
    ):
        return 1 + absent_at_times(node.left, known)
    if isinstance(node, ast.Name):
        return known.get(node.id, 0)
    return sum(absent_at_times(piece, known) for piece in pieces(node) if piece is not node)


def put_together(source: str) -> dict[int, int]:
    """The line of each text that a function puts together in several statements, and how many clauses may be absent."""
    found = {}
    for own in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)):
        known: dict[str, int] = {}
        for node in sorted((n for n in ast.walk(own) if isinstance(n, ast.expr | ast.Assign)), key=lambda n: n.lineno):
            if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name):
                known[target.id] = max(known.get(target.id, 0), absent_at_times(node.value, known))
            elif isinstance(node, ast.JoinedStr | ast.BinOp):
                found[node.lineno] = max(found.get(node.lineno, 0), absent_at_times(node, known))
    return found


@pytest.mark.parametrize("path", modules(), ids=of_root)
def test_no_text_grows_by_more_than_two_optional_clauses_over_several_statements(path):
    found = put_together(path.read_text(encoding="utf-8"))
    assert [line for line, clauses in found.items() if clauses > MOST_OPTIONAL] == []


def test_optional_clauses_are_counted_through_names():
    lines = [
        "def f():",
        "    y = f'a{x}' + (', b' if b else '')",
        "    z = f'{y}' + ', c' * c",
        "    return z + ', d' * d",
    ]
    source = "\n".join(lines)
    assert put_together(source)[4] == 3


def test_optional_clauses_are_counted():
    source = "def f():\n    z = 'often' if b else ''\n    return f\"{a if b else c}{x}{' more' * d}{y * 2}{z}\""
    assert assembled(source) == {3: 3}
