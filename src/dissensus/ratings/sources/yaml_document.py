from collections import Counter

from dissensus.errors import FileError, MissingExtraError
from dissensus.ratings.sources.input_file import InputFile

LARGEST_YAML = 16 * 2**20
"""Bytes of a YAML file that we parse."""
DEEPEST = 20


def yaml_document(file: InputFile) -> object:
    """What a YAML file holds, every value as the text it is written as: `No` is a label and not false.

    Nothing is evaluated, no tag is followed, and aliases are refused, because a few of them can stand for gigabytes.
    """
    try:
        import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"Reading {file.name}", install="dissensus[yaml]") from error
    with file.bytes() as stream:
        content = stream.read(LARGEST_YAML + 1)
    if len(content) > LARGEST_YAML:
        raise FileError(f"{file.name} has more than {LARGEST_YAML:,} bytes, our limit for YAML. Save it as JSON.")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        depth = 0
        for event in yaml.parse(content, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
                what = "an alias (*)" if isinstance(event, yaml.AliasEvent) else f"more than {DEEPEST} levels"
                raise FileError(f"{file.name} has {what}, which we do not read in YAML. Save it as JSON.")
        twice = _twice(yaml.compose(content, Loader=loader))
        if twice is not None:
            raise FileError(f"{file.name}: the key {twice!r} comes twice in one place. Delete one of them.")
        return yaml.load(content, Loader=loader)  # noqa: S506 - the base loader makes texts, lists and dicts only
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise FileError(f"{file.name} is not valid YAML ({reason}). Mend it, or save it as JSON.") from error
    except RecursionError as error:
        raise FileError(f"{file.name} is nested too deeply to be ratings. Check that it is the right file.") from error


def _twice(node: object) -> str | None:
    """A key that comes twice in one mapping of a parsed document, so that one of its values would be lost."""
    inner = getattr(node, "value", None)
    if not isinstance(inner, list):
        return None
    pairs = [entry for entry in inner if isinstance(entry, tuple)]
    keys = Counter(str(getattr(key, "value", "")) for key, _ in pairs)
    again = next((key for key, times in keys.items() if times > 1), None)
    values = [value for _, value in pairs] if pairs else inner
    return again if again is not None else next(filter(None, map(_twice, values)), None)
