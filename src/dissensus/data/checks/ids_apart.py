from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.similar_ids import plain_id
from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.errors import counted, listed


def check(patient: Patient) -> Iterator[Finding]:
    """Items of judges that people rated under another spelling: `c7` for `C7`, `12.0` for `12`, `7` for `007`."""
    if patient.people is None:
        return
    rated = set(patient.people.item.texts)
    spelled = {_key(text): text for text in sorted(rated)}
    apart = {text: spelled[_key(text)] for text in patient.item.texts if text not in rated and _key(text) in spelled}
    if not apart:
        return
    wanted = np.array([*(text in apart for text in patient.item.texts), False])
    yield Finding(
        check="ids-apart",
        severity="warning",
        message=f"{counted(len(apart), 'item id')} may be of rated items, which are written otherwise: "
        f"{listed([f'{mine!r} is rated as {theirs!r}' for mine, theirs in apart.items()])}. Write them alike in both "
        "files.",
        count=len(apart),
        rows=first_rows(patient.row[wanted[patient.item.codes]].tolist()),
    )


def _key(text: str) -> str:
    plain = plain_id(text)
    return plain.lstrip("0") or "0" if plain.isdigit() else plain
