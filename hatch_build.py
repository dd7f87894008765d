"""The README as a package index shows it: an index has neither our files nor our pictures beside it."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"!\[[^\]]*\]\((?!https:)[^)]*\)\n+")
COMMENT = re.compile(r"<!-- .*? -->\n")
LINK = re.compile(r"\[([^\]]+)\]\((?!https:)[^)]*\)")


def readme_for_an_index(text: str) -> str:
    """The README without pictures and links that lead to files of the repository."""
    return LINK.sub(r"\1", COMMENT.sub("", PICTURE.sub("", text)))


class ReadmeHook(MetadataHookInterface):
    """Put that README into the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:  # noqa: D102 - as hatchling calls it
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme_for_an_index(text)}
