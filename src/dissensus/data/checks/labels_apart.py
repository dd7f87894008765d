"""Labels of judges that are people's, written otherwise, and judges that never give a label of people's."""

from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.fixes import folded, renaming
from dissensus.data.labels import SEPARATOR, number
from dissensus.errors import counted, listed, shortened

CHECK = "labels-apart"


def check(patient: Patient) -> Iterator[Finding]:
    """Labels that differ from people's in case or blanks only, and judges whose labels are all others than people's."""
    if patient.people is None:
        return
    people = _options(patient.people.label_counts())
    alike = {folded(option): option for option in sorted(people)}
    counts = patient.label_counts()
    own = sorted(_options(counts) - people)
    names = {option: alike[folded(option)] for option in own if folded(option) in alike}
    if names:
        yield _written_otherwise(patient, names, counts)
    yield from _strangers(patient, people, alike)


def _options(labels: dict[str, int]) -> set[str]:
    return {option for label in labels for option in label.split(SEPARATOR)}


def _written_otherwise(patient: Patient, names: dict[str, str], counts: dict[str, int]) -> Finding:
    own = [text for text in counts if names.keys() & set(text.split(SEPARATOR))]
    shown = listed([f"{theirs} for people's {ours}" for theirs, ours in names.items()])
    is_column = patient.shares is not None
    remedy = " Rename the columns p_<label> in the file." if is_column else ""
    wanted = {text for text in patient.label.texts if text.strip() in own}
    return Finding(
        check=CHECK,
        severity="warning",
        message=f"The judges write {shown}, which are read as different labels.{remedy}",
        count=sum(counts[text] for text in own),
        rows=first_rows(patient.rows_with(wanted)),
        option="" if is_column else renaming(names),
    )


def _strangers(patient: Patient, people: set[str], alike: dict[str, str]) -> Iterator[Finding]:
    """Judges none of whose labels is one of people's; numbers may be scores on a scale of their own."""
    who = patient.who
    for code, name in enumerate(("judge",) if who is None else who.texts):
        mine = np.flatnonzero((patient.answer.codes >= 0) & (True if who is None else who.codes == code))
        said = {patient.answer.texts[label] for label in np.unique(patient.answer.codes[mine]).tolist()}
        options = {option for text in said for option in text.split(SEPARATOR)}
        is_foreign = not options & people and not any(folded(option) in alike for option in options)
        if is_foreign and any(number(option) is None for option in options):
            yield Finding(
                check=CHECK,
                severity="warning",
                message=f"The judge {shortened(name)} never gives a label of people's ({listed(sorted(people))}), but "
                f"{listed(sorted(options))} in {counted(len(mine), 'answer')}: check that it is a judge, or rename its "
                "labels with --map.",
                count=len(mine),
                rows=first_rows(patient.row[mine].tolist()),
            )
