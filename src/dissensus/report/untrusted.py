"""Labels, names of groups and file names are written by others: made harmless before they are shown.

Escaping for HTML is the template's business, and for rich that of `text.py`. Here go the characters that no output can
take: those that move a terminal's cursor, turn the direction of text or are not allowed in XML.
"""

import re
from collections import Counter
from collections.abc import Iterable

_CONTROL_PICTURES = 0x2400
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, delete and C1 controls
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that turn the direction of what follows
    "\u2028\u2029\ufeff\ufffe\uffff"  # line ends that are none, byte order marks, non-characters
    "\ud800-\udfff]"  # half of a character
)


def visible(text: str) -> str:
    r"""The text with every control character replaced by a picture of it.

    Examples
    --------
    >>> visible("\x1b[31mred")
    '␛[31mred'
    >>> visible("evil\u202etxt.exe")
    'evil�txt.exe'
    """
    return _HARMFUL.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    return "\N{SYMBOL FOR DELETE}" if code == ord("\x7f") else _REPLACEMENT


def shortened(text: str, longest: int = 60) -> str:
    """The text, visible and cut to a length with an ellipsis.

    Examples
    --------
    >>> shortened("somewhat toxic", 9)
    'somewhat…'
    """
    text = visible(text)
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def told_apart(texts: Iterable[str], longest: int = 60, *, has_end: bool = False) -> dict[str, str]:
    """A short name for each text, no two alike: on a chart's axis equal names would be one.

    Names that begin alike are cut in the middle, and all of them where `has_end`: versions of a judge differ at the
    end.

    Examples
    --------
    >>> told_apart(["a long story", "a long song", "a tale"], 8)
    {'a long story': 'a l…tory', 'a long song': 'a l…song', 'a tale': 'a tale'}
    >>> told_apart(["the judge 1 of 2", "the judge 2 of 2"], 8)
    {'the judge 1 of 2': 'the…of 2', 'the judge 2 of 2': 'the…of 2 (2)'}
    """
    texts = list(dict.fromkeys(texts))
    cut = Counter(shortened(text, longest) for text in texts)
    names: dict[str, str] = {}
    for text in texts:
        short = shortened(text, longest)
        short = name = _without_middle(text, longest) if has_end or cut[short] > 1 else short
        taken = set(names.values()) - {names.get(text)}
        again = 2
        while name in taken:
            name, again = f"{short} ({again})", again + 1
        names[text] = name
    return names


def _without_middle(text: str, longest: int) -> str:
    """The text, visible and cut to a length in the middle."""
    text = visible(text)
    head = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[:head].rstrip()}…{text[head + 1 - longest :].lstrip()}"


def quoted(text: str) -> str:
    """A label inside a sentence.

    Examples
    --------
    >>> quoted("Not toxic")
    '"Not toxic"'
    """
    return f'"{shortened(text)}"'
