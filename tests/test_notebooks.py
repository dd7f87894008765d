"""The notebooks run, and show what they give: renewed by `pytest tests/test_notebooks.py --update-golden`."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).resolve().parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
KEPT = ("text/html", "text/plain")
"""What is kept of an output: a page needs no more, and a chart's specification is three times its picture."""
_SPEC = importlib.util.spec_from_file_location("show_notebooks", DOCS / "show_notebooks.py")
assert _SPEC is not None
assert _SPEC.loader is not None
pages = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(pages)


def run(notebook, folder):
    """The notebook as it is after all of its cells ran in a new kernel, in an empty folder."""
    where = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=600, record_timing=False, coalesce_streams=True, resources=where)
    done = client.execute()
    for cell in done.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            if "data" in output:
                output.data = {kind: output.data[kind] for kind in KEPT if kind in output.data}
    return done


def words(notebook):
    """What the cells hold and show; pictures differ with the fonts of a machine, long numbers in their last digits."""
    for cell in notebook.cells:
        yield cell.source
        for output in cell.get("outputs", []):
            shown = output.get("text") or output.get("data", {}).get("text/html") or output.data["text/plain"]
            yield re.sub(r'src="data:[^"]+"', "", shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_outputs_are_current(path, tmp_path, request):
    stored = nbformat.read(path, as_version=4)
    shown = list(words(stored))
    found = run(stored, tmp_path)
    if request.config.getoption("--update-golden"):
        nbformat.write(found, path)
    else:
        renew = "renew them: python -m pytest tests/test_notebooks.py --update-golden"
        assert list(words(found)) == shown, f"the outputs of {path.name} are stale; {renew}"


def test_there_is_a_notebook_for_each_of_the_four_questions():
    listed = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 4
    assert [path.name for path in NOTEBOOKS if f"]({path.name})" not in listed] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_page_of_a_notebook_has_its_code_and_outputs_and_loads_nothing(path):
    notebook = nbformat.read(path, as_version=4)
    page = pages.page_of(path)
    assert [cell.source for cell in notebook.cells if cell.source not in page] == []
    assert page.count("<table>") == sum("<table>" in text for text in words(notebook))
    assert "data:image/svg+xml" in page
    assert re.findall(r'(?:src|href)="(?!data:|\.\./)[^"]*"', page) == []
    assert f'href="../{path.name}"' in page


def test_a_link_to_a_notebook_leads_to_its_page():
    text = "[one](notebooks/a.ipynb), [two](../notebooks/b.ipynb#c), `c.ipynb`, [d](d.md)"
    expected = "[one](notebooks/a.md), [two](../notebooks/b.md#c), `c.ipynb`, [d](d.md)"
    assert pages.with_links_to_pages(text) == expected
