"""What is wrong with large tables, in one line: how many rows, an item to look at, and what to do."""

from collections.abc import Iterable, Sequence

from dissensus.errors import ColumnError, FileError, JudgesError, RatingsError, counted
from dissensus.ratings.assemble import CHECK_LABELS
from dissensus.ratings.reducing.kinds import Said
from dissensus.ratings.reducing.repeated import Repeated, refuse
from dissensus.ratings.reducing.sql_tables import Table
from dissensus.ratings.reducing.steps import FirstFault, Found, Parts


def check_ratings(said: Said, people: Table) -> None:
    """Raise if the ratings cannot be used."""
    name = people.name
    if not said.rows:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to read. Export it again.")
    if not said.ratings:
        raise RatingsError(f"{name} has {counted(said.rows, 'row')} and not one label. {CHECK_LABELS}")
    if said.strange_counts:
        rows = counted(said.strange_counts, "row")
        raise ColumnError(f"{name}: {rows} with a count that is no whole number of raters. Write 0, 1, 2, ...")


def check_answers(said: Said, answers: Table, parts: Parts) -> None:
    """Raise if the judges' answers cannot be used."""
    name = answers.name
    if not said.answers and not said.judgeless:
        raise JudgesError(f"{name} has {counted(said.answer_rows, 'row')} and not one answer. {CHECK_LABELS}")
    if said.judgeless:
        raise ColumnError(f"{name}: {counted(said.judgeless, 'answer')} but no judge. Fill it in or delete the rows.")
    faults = (
        (said.partial, "lack some of their probabilities. Give all of them, or none and a label"),
        (said.negative, "have a negative probability. Give numbers from 0 to 1"),
        (said.off, "have probabilities that do not sum to 1. Give one for every label, or rescale them"),
    )
    for rows, what in faults:
        if rows:
            items = [item for item in parts.map(FirstFault(n_outputs=len(answers.probabilities))) if item is not None]
            raise JudgesError(f"{name}, item {min(items)}: {counted(rows, 'answer')} {what}.")


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
        refuse(_all(part.samples_twice for part in found), name=answers.name, key=["item", "judge", "sample"])


def _all(repeated: Iterable[Repeated]) -> Repeated:
    parts = list(repeated)
    return sorted(text for shown, _ in parts for text in shown), sum(total for _, total in parts)
