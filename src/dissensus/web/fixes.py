"""Mend by choosing: what the check-up proposes, or a visitor picks for a label, added to what was chosen before."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dissensus.data.fixes import listing
from dissensus.errors import DissensusError
from dissensus.options import parts_of, renamed_again, renamed_labels
from dissensus.web.data_options import ALL_JUDGES, ALL_RATINGS, RATINGS
from dissensus.web.fields import YES, Field

FIELDS: dict[str, tuple[Field, ...]] = {"ratings": ALL_RATINGS, "judges": (*ALL_JUDGES, RATINGS[0])}
"""What can be said about each file."""
RENAME = {"ratings": "map", "judges": "judges_map"}
MOST_LABELS = 20
"""With more labels than this a visitor types other names instead of choosing them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChoice:
    """A label, and what it can be taken for: the value that the address then has, and words."""

    label: str
    choices: Sequence[tuple[str, str]]


def mended(state: Mapping[str, str], file: str, option: str) -> dict[str, str] | None:
    """What was chosen, with what an option of the check-up says; None where the page cannot say that."""
    known = {field.option: field for field in FIELDS[file]}
    found, words = dict(state), _words(option)
    while words:
        field = known.get(words.pop(0))
        if field is None or (field.kind != "check" and not words):
            return None
        value = YES if field.kind == "check" else words.pop(0)
        try:
            found[field.name] = _joined(field, found.get(field.name, ""), value)
        except DissensusError:  # what the visitor typed before cannot be read: the check-up says so
            return None
    return found if found != state else None


def can_mend(file: str, option: str) -> bool:
    """Whether the page has what an option of the check-up names."""
    return not option or mended({}, file, option) is not None


def renamed(state: Mapping[str, str], chosen: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What was chosen, with other names for labels as picked from lists, by file."""
    found = dict(state)
    for file, parts in chosen.items():
        if picked := listing(part for part in parts if part):
            name = RENAME[file]
            found[name] = _joined(_field(name), found.get(name, ""), picked)
    return found


def label_choices(labels: Sequence[str]) -> list[LabelChoice]:
    """For each label what it can be taken for: itself, nothing, or another one; none if there are too many."""
    if len(labels) > MOST_LABELS or any("=" in label or "|" in label for label in labels):
        return []
    return [
        LabelChoice(
            label=label,
            choices=[
                ("", "keep it"),
                (f"{label}=", "take it as missing"),
                *((f"{label}={other}", f"is the same as {other}") for other in labels if other != label),
            ],
        )
        for label in labels
    ]


def _words(option: str) -> list[str]:
    try:
        return shlex.split(option)
    except ValueError:
        return []


def _field(name: str) -> Field:
    return next(field for fields in FIELDS.values() for field in fields if field.name == name)


def _joined(field: Field, before: str, value: str) -> str:
    """A value added to what there was, where a field can hold several."""
    if field.holds == "renaming":
        both = renamed_again(renamed_labels(before), renamed_labels(value))
        return listing(f"{old}={new}" for old, new in both.items())
    if field.holds == "patterns":
        return listing(dict.fromkeys([*parts_of(before), value]))
    return value
