"""What is wrong with large tables, in one line: how many rows, an item to look at, and what to do."""

from collections.abc import Iterable, Sequence

from dissensus.errors import ColumnError, FileError, JudgesError, OptionError, RatingsError, counted
from dissensus.ratings.assemble import CHECK_ANSWERS, CHECK_LABELS
from dissensus.ratings.columns import JUDGES_NAMED_BY, UNKNOWN
from dissensus.ratings.reducing.kinds import Said
from dissensus.ratings.reducing.repeated import Repeated, refuse
from dissensus.ratings.reducing.sql_tables import Table
from dissensus.ratings.reducing.steps import FirstFault, Found, Parts

FAULTS = {
    "word": ("has a probability that is not a number", "have a probability that is not a number", "Write it like 0.25"),
    "partial": (
        "lacks some of its probabilities",
        "lack some of their probabilities",
        "Give all of them, or none and a label",
    ),
    "negative": (
        "has a negative probability",
        "have a negative probability",
        "Give numbers from 0 to 1; logarithms must be exponentiated first",
    ),
    "off": (
        "has probabilities that do not sum to 1",
        "have probabilities that do not sum to 1",
        "Give one for every label, or rescale them",
    ),
}
"""What to say of one answer with a fault, of several, and what to do."""


def check_ratings(said: Said, people: Table) -> None:
    """Raise if the ratings cannot be used."""
    name = people.name
    if not said.rows:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to read. Export it again.")
    if said.strange_counts:
        rows = counted(said.strange_counts, "row")
        raise ColumnError(
            f"{name}: {rows} with a count that is no whole number. Give 0, 1, 2, ...; an empty cell is 0."
        )
    if not said.ratings:
        raise RatingsError(f"{name} has {counted(said.rows, 'row')} and not one label. {CHECK_LABELS}")


def check_answers(said: Said, answers: Table, parts: Parts, *, round_outputs: int | None, has_numbers: bool) -> None:
    """Raise if the judges' answers cannot be used."""
    name, n_outputs = answers.name, len(answers.probabilities)
    if not said.answer_rows:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to read. Export it again.")
    for fault, (has, have, remedy) in FAULTS.items():
        rows = said.faults[fault]
        if rows:
            found = parts.map(FirstFault(fault=fault, n_outputs=n_outputs))
            items = sorted((item for item in found if item is not None), key=int if has_numbers else None)
            where = f"{name}, item {items[0]}" if items else name
            raise JudgesError(f"{where}: {counted(rows, 'answer')} {has if rows == 1 else have}. {remedy}.")
    if not said.answers and not said.judgeless:
        remedy = CHECK_ANSWERS.format(option=JUDGES_NAMED_BY.format(role="label", column=UNKNOWN))
        raise JudgesError(f"{name} has {counted(said.answer_rows, 'row')} and not one answer. {remedy}")
    if said.judgeless:
        raise ColumnError(f"{name}: {counted(said.judgeless, 'answer')} but no judge. Fill it in or delete the rows.")
    if said.vanished:
        raise OptionError(
            f"--round-outputs {round_outputs} rounds every probability of {counted(said.vanished, 'answer')} to 0: "
            "give more digits."
        )


def check_found(found: Sequence[Found], people: Table, answers: Table | None) -> None:
    """Raise if an item has no name, or something comes twice."""
    if sum(part.nameless_items for part in found):
        raise ColumnError(f"{people.name}: there are labels but no item. Fill it in or delete the rows.")
    nameless = sum(part.nameless_raters for part in found)
    if nameless:
        raise ColumnError(f"{people.name}: {counted(nameless, 'label')} but no rater. Fill it in or delete the rows.")
    key = ["item", "rater", *(["elicitation"] if "elicitation" in people.roles else [])]
    refuse(_all(part.ratings_twice for part in found), name=people.name, key=key)
    if answers is not None:
        if any(part.nameless_answers for part in found):
            raise ColumnError(f"{answers.name}: there are answers but no item. Fill it in or delete the rows.")
        refuse(_all(part.samples_twice for part in found), name=answers.name, key=["item", "judge", "sample"])


def _all(repeated: Iterable[Repeated]) -> Repeated:
    parts = list(repeated)
    return sorted(text for shown, _ in parts for text in shown), sum(total for _, total in parts)
