import codecs
from collections.abc import Iterator

from dissensus.data.checks.table import Finding, Patient


def check(patient: Patient) -> Iterator[Finding]:
    """A byte order mark at the start, which other programs take for a part of the first id or name."""
    if patient.file is None or patient.file.kind not in {"csv", "tsv", "json", "jsonl"}:
        return
    with patient.file.bytes() as stream:
        head = stream.read(len(codecs.BOM_UTF8))
    if head == codecs.BOM_UTF8:
        message = "The file starts with a byte order mark. We read it as it is meant; other programs may not."
        yield Finding(check="encoding", severity="note", message=message)
