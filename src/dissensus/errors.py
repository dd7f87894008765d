"""Every error raised on purpose, and how its message names an option: as data, which each front end spells.

DissensusError
    RatingsError (also a ValueError): the ratings cannot be used as given
        FileError: a file cannot be read
        ColumnError: a column is missing, named twice or holds the wrong thing
        RepeatedRatingsError: somebody rated the same item twice
    JudgesError (also a ValueError): the judges' answers cannot be used as given
    TaskError (also a ValueError): the task file cannot be used as given
    OptionError (also a ValueError): an option has a value it cannot have
    MissingExtraError (also an ImportError): an optional dependency is not installed
"""

import re
import shlex
from collections.abc import Callable, Iterable, Sequence

SHOWN = 5
"""How many culprits a message names before it says how many more there are."""

LONGEST_NAME = 120
"""How many characters of a name or a value a message shows."""


_UNSAFE = frozenset('"$`\\!')
"""What a shell runs, even between double quotes."""
NAME_START, NAME_END = "\ue000", "\ue001"
"""Around the name of an option in a message: `dissensus.options` puts it there, and spells it when it is shown."""
Spelling = Callable[[str, str], str]
"""How a front end writes an option: from its name, and the function it belongs to where that is another one."""
_NAME = re.compile(f"{NAME_START}([a-z_]+)(?:@([a-z_]+))?(?:=([^{NAME_END}]*))?{NAME_END}")


def named(option: str, *, of: str = "", value: str = "") -> str:
    """An option in a message, as data.

    `option`: as Python calls it. `of`: the function it belongs to, where that may not be the one that the user called,
    such as `read`. `value`: what to give it, if the message says so.
    """
    return f"{NAME_START}{option}{'@' * bool(of)}{of}{'=' * bool(value)}{value}{NAME_END}"


def in_python(option: str, of: str) -> str:
    """An option as Python users type it.

    >>> in_python("elicitation", ""), in_python("format", "read")
    ('elicitation=', '`format=` of `read`')
    """
    return f"`{option}=` of `{of}`" if of else f"{option}="


def spelled(text: str, spelling: Spelling = in_python) -> str:
    """A message with its options as a front end writes them.

    >>> spelled(f"Choose the other kind with {named('elicitation')}.")
    'Choose the other kind with elicitation=.'
    >>> spelled(f"Add {named('item', of='read', value='Comment ID')}.")
    "Add `item='Comment ID'` of `read`."
    >>> spelled(f"Try {named('max_raters', value='1')}.", lambda option, of: "`dissensus equivalence -k`")
    'Try `dissensus equivalence -k 1`.'
    >>> spelled(f"Try {named('raters', value='fixed')}.", lambda option, of: "the option 'raters' of `describe`")
    "Try the option 'raters' of `describe` (fixed)."
    """
    return _NAME.sub(lambda found: _with_value(spelling(found[1], found[2] or ""), found[3]), text)


def _with_value(name: str, value: str | None) -> str:
    """A spelled option with its value: `item='id'` in Python, a flag and its value elsewhere."""
    if value is None:
        return name
    shown = value if value.isdigit() else repr(value)
    if "=" in name:
        return name.replace("=", f"={shown}", 1)
    if name.endswith("`"):  # a command, or an option of one in words
        return f"{name[:-1]} {shell_word(value)}`" if " -" in name else f"{name} ({value})"
    return f"{name} {shell_word(value)}"


def shell_word(name: str) -> str:
    """A name as it is typed in a shell, which runs nothing that stands in it.

    >>> shell_word("text_id"), shell_word("text id"), shell_word("$(rm x)")
    ('text_id', '"text id"', "'$(rm x)'")
    """
    if name.replace("_", "").replace("=", "").isalnum():
        return name
    return shlex.quote(name) if _UNSAFE & set(name) else f'"{name}"'


def names_in(text: str) -> list[tuple[str, str]]:
    """The options that a message names, each with the function it belongs to."""
    return [(option, of) for option, of, _ in _NAME.findall(text)]


class DissensusError(Exception):
    """Base of every error raised on purpose.

    Its message is one line, whatever stands in the data it quotes.

    Attributes
    ----------
    message : str
        With the names of options as data; `str` has them as Python spells them.
    """

    def __init__(self, message: str) -> None:
        self.message = one_line(message)
        super().__init__(spelled(self.message))

    def __reduce__(self) -> tuple[object, ...]:
        # A worker process sends its error by pickle, and pickle would call our constructors with a message only.
        return _restored, (type(self), self.message)


def _restored(kind: type[DissensusError], message: str) -> DissensusError:
    error = kind.__new__(kind)
    DissensusError.__init__(error, message)
    return error


class RatingsError(DissensusError, ValueError):
    """The ratings cannot be used as given."""


class FileError(RatingsError):
    """A file cannot be read."""


class ColumnError(RatingsError):
    """A column is missing, named twice or holds the wrong thing."""


class JudgesError(DissensusError, ValueError):
    """The judges' answers cannot be used as given."""


class TaskError(DissensusError, ValueError):
    """The task file cannot be used as given."""


_REPEATS = named("repeats", of="read")
REPEATS_REMEDY = f"Keep one of each with {_REPEATS} first or {_REPEATS} last, or all of them with {_REPEATS} keep."


class RepeatedRatingsError(RatingsError):
    """Somebody rated the same item twice, or a judge's sample comes twice."""

    def __init__(
        self, repeats: Sequence[str], *, total: int, source: str, key: Sequence[str], remedy: str = REPEATS_REMEDY
    ) -> None:
        what = counted(total, "answer" if "judge" in key else "rating")
        super().__init__(
            f"{source}: {what} with the {joined(key)} of an earlier one: {listed(repeats, total=total)}. {remedy}"
        )


class OptionError(DissensusError, ValueError):
    """An option has a value it cannot have."""

    @classmethod
    def unknown(cls, option: str, value: object, known: Iterable[object]) -> "OptionError":
        """Error for a value that is none of the known ones."""
        names = [str(name) for name in known]
        return cls(f"{option} cannot be {value!r}: choose one of {', '.join(names)}.{likely(str(value), names)}")


class MissingExtraError(DissensusError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, *, install: str) -> None:
        super().__init__(f"{what} needs a package that is not installed: run `pip install '{install}'`.")


def one_line(text: str) -> str:
    r"""Text without line breaks and control characters; they are shown as escapes.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in {NAME_START, NAME_END} else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def shortened(text: str) -> str:
    """A name or a value, cut if it is too long for a message.

    >>> shortened("a" * 200)[-5:], len(shortened("a" * 200))
    ('aa...', 120)
    """
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 3] + "..."


def likely(name: str, known: Iterable[str]) -> str:
    """The name that was probably meant, in a sentence of its own; empty if none is close.

    >>> likely("gpt4o", ["gpt-4o", "claude"]), likely("Yes", ["no", "yes"]), likely("x", ["gpt-4o"])
    (' The likely match is gpt-4o.', ' The likely match is yes.', '')
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for those who misspell

    folded = {one.casefold(): one for one in known}
    close = get_close_matches(name.casefold(), folded, n=1)
    return f" The likely match is {shortened(folded[close[0]])}." if close else ""


def listed(names: Sequence[str], *, total: int | None = None) -> str:
    """The first names in one line, and how many more there are.

    >>> listed(["a", "b", "c", "d", "e", "f", "g"])
    'a, b, c, d, e and 2 more'
    """
    more = (len(names) if total is None else total) - min(len(names), SHOWN)
    shown = ", ".join(shortened(name) for name in names[:SHOWN])
    return f"{shown} and {more:,} more" if more > 0 else shown


def joined(words: Sequence[str]) -> str:
    """Words with commas and an `and` between them.

    >>> joined(["item", "rater", "elicitation"])
    'item, rater and elicitation'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def counted(number: int, one: str, several: str = "") -> str:
    """A number and what it counts.

    >>> counted(1, "blank row"), counted(1200, "blank row"), counted(2, "row of data", "rows of data")
    ('1 blank row', '1,200 blank rows', '2 rows of data')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"
