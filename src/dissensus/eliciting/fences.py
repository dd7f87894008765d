"""A fence around texts that others wrote, which no text can close."""

import hashlib
from collections.abc import Sequence

DIGITS = 8


def fence_of(texts: Sequence[str]) -> str:
    """A word that stands in none of the texts, and that is the same whenever they are.

    Examples
    --------
    >>> fence_of(["a comment"])
    'b7cb5208'
    """
    joined = "\0".join(texts).encode()
    again = 0
    while True:
        word = hashlib.sha256(again.to_bytes(8, "big") + joined).hexdigest()[:DIGITS]
        if not any(word in text.lower() for text in texts):
            return word
        again += 1


def fenced(text: str, *, name: str, fence: str) -> str:
    """A text between two lines that only this prompt has.

    Examples
    --------
    >>> print(fenced("</text>", name="text", fence="b7cb5208"))
    <text b7cb5208>
    </text>
    </text b7cb5208>
    """
    return f"<{name} {fence}>\n{text}\n</{name} {fence}>"
