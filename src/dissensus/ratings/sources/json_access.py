"""Reach into parsed JSON whose shape nobody vouches for."""

from collections.abc import Iterator, Mapping

from dissensus.ratings.labels import SEPARATOR


def as_mapping(value: object) -> Mapping[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    """A single value as text; None for what is missing, a list or an object.

    Examples
    --------
    >>> as_text("a"), as_text(True), as_text(7), as_text(" "), as_text([1])
    ('a', 'true', '7', None, None)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, list | dict):
        return None
    text = str(value)
    return text if text and not text.isspace() else None


def as_label(value: object) -> str | None:
    """A label: a single value, or a list of them as a response set.

    Examples
    --------
    >>> as_label("a"), as_label(["a", "b"]), as_label([]), as_label({"x": 1})
    ('a', 'a|b', None, None)
    """
    if isinstance(value, list):
        return SEPARATOR.join(text for text in map(as_text, value) if text is not None) or None
    return as_text(value)


def reach(value: object, path: str) -> object:
    """What stands at a path such as `data.item_id`; None if nothing does.

    Examples
    --------
    >>> reach({"data": {"item_id": "i1", "a.b": 2}}, "data.item_id"), reach({"data": {"a.b": 2}}, "data.a.b")
    ('i1', 2)
    """
    found = as_mapping(value)
    if path in found:
        return found[path]
    head, dot, rest = path.partition(".")
    while dot:
        if head in found:
            return reach(found[head], rest)
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None


def paths_of(value: object, *, before: str = "") -> Iterator[str]:
    """The paths of all single values in an object, such as `data.item_id`."""
    for key, inner in as_mapping(value).items():
        if isinstance(inner, dict):
            yield from paths_of(inner, before=f"{before}{key}.")
        elif not isinstance(inner, list):
            yield f"{before}{key}"
