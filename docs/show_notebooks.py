"""Show the notebooks as pages: a hook of mkdocs that turns each `.ipynb` into Markdown, outputs included.

A link to a notebook, `[...](notebooks/name.ipynb)`, leads to its page; the file itself is there to be downloaded.
The outputs stand in the files: `python -m pytest tests/test_notebooks.py --update-golden` runs the notebooks anew.
"""  # noqa: INP001 - a script, not a package

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

LINK = re.compile(r"(\]\([^)\s#]+)\.ipynb(#[^)\s]*)?\)")


def on_files(files: "Files", *, config: "MkDocsConfig") -> "Files":
    """Add a page for each notebook."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests look at pages without mkdocs

    for file in list(files):
        if file.src_uri.endswith(".ipynb") and file.abs_src_path:
            page = page_of(Path(file.abs_src_path))
            files.append(File.generated(config, file.src_uri.removesuffix(".ipynb") + ".md", content=page))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Let links to notebooks lead to their pages."""
    return with_links_to_pages(markdown)


def with_links_to_pages(markdown: str) -> str:
    """The text with links to `.md` in place of `.ipynb`."""
    return LINK.sub(lambda link: f"{link[1]}.md{link[2] or ''})", markdown)


def page_of(path: Path) -> str:
    """A notebook as Markdown."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title, *rest = [_cell(cell) for cell in cells]
    download = f'<a href="../{path.name}" download>Download the notebook</a>'
    return "\n\n".join([title, download, *rest]) + "\n"


def _cell(cell: dict[str, object]) -> str:
    source = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    outputs = cell["outputs"]
    assert isinstance(outputs, list)  # noqa: S101 - the format says so
    return "\n\n".join([f"```python\n{source}\n```", *(_output(output) for output in outputs)])


def _output(output: dict[str, object]) -> str:
    data = output.get("data")
    if isinstance(data, dict) and "text/html" in data:
        return f"<div>{_text(data['text/html'])}</div>"
    text = data["text/plain"] if isinstance(data, dict) else output["text"]
    return f"```text\n{_text(text).rstrip()}\n```"


def _text(lines: object) -> str:
    """A text of a notebook, which may be cut into lines."""
    return lines if isinstance(lines, str) else "".join(str(line) for line in lines)  # type: ignore[attr-defined]
