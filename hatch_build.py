"""The README and the addresses for a package index, which has neither our files nor our pictures beside it.

`home` in pyproject.toml is where the repository is published. While it is empty, links become plain text, the picture
is left out and there are no addresses; once it is set, links, picture and `[project.urls]` lead there.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https:)([^)]*)\)(\n*)")
COMMENT = re.compile(r"<!-- .*? -->\n")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https:)([^)]*)\)")
PAGES = {"Documentation": "docs/index.md", "Changelog": "CHANGELOG.md"}


def readme_for_an_index(text: str, home: str) -> str:
    """The README with links and pictures that lead to the repository's home, or without them if it has none."""
    picture, link = r"![\1](" + home + r"/raw/HEAD/\2)\3", r"[\1](" + home + r"/blob/HEAD/\2)"
    text = PICTURE.sub(picture if home else "", COMMENT.sub("", text))
    return LINK.sub(link if home else r"\1", text)


def addresses(home: str) -> dict[str, str]:
    """What `[project.urls]` holds."""
    return {"Source": home, **{name: f"{home}/blob/HEAD/{path}" for name, path in PAGES.items()}} if home else {}


class ReadmeHook(MetadataHookInterface):
    """Put both into the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:  # noqa: D102 - as hatchling calls it
        home = self.config.get("home", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme_for_an_index(text, home)}
        metadata["urls"] = addresses(home)
