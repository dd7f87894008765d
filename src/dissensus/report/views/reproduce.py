"""What `reproduce` says: do we get the papers' numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dissensus.report.document import Block, Cell, Points, Section, Table
from dissensus.report.numbers import counted, listing
from dissensus.report.untrusted import visible
from dissensus.results import Result

AS_PUBLISHED = "reproduced"
"""The status that needs no explanation; the JSON has the reasons of all."""
_NUMBERS = ("published", "ours", "difference", "tolerance")


def view(result: Result) -> Section:
    """The published numbers with ours beside them, paper by paper."""
    claims = _claims(result.as_dict().get("claims"))
    papers = dict.fromkeys(str(claim.get("paper", "")) for claim in claims)
    blocks: list[Block] = []
    for paper in papers:
        blocks += _of_paper(paper, [claim for claim in claims if str(claim.get("paper", "")) == paper])
    return Section(title="Do we get the papers' numbers?", lead=_lead(claims), blocks=blocks)


def _claims(value: object) -> list[Mapping[str, object]]:
    return [claim for claim in value if isinstance(claim, Mapping)] if isinstance(value, Iterable) else []


def _lead(claims: Sequence[Mapping[str, object]]) -> str:
    statuses = Counter(str(claim.get("status", "unknown")) for claim in claims)
    if not claims:
        return "No published number was recomputed."
    parts = [f"{count} {visible(status)}" for status, count in statuses.most_common()]
    return f"{counted(len(claims), 'published number')}: {listing(parts)}."


def _of_paper(paper: str, claims: Sequence[Mapping[str, object]]) -> list[Block]:
    table = Table(
        caption=visible(paper),
        columns=["Claim", *(name.capitalize() for name in _NUMBERS), "Status"],
        rows=[[_cell(claim.get(name)) for name in ("claim", *_NUMBERS, "status")] for claim in claims],
        digits=4,
    )
    reasons = [
        f"{visible(str(claim.get('claim', '')))}: {visible(str(claim['reason']))}"
        for claim in claims
        if claim.get("reason") and claim.get("status") != AS_PUBLISHED
    ]
    return [table, *([Points(title="Why some are not reproduced", texts=reasons)] if reasons else [])]


def _cell(value: object) -> Cell:
    return value if isinstance(value, int | float) or value is None else visible(str(value))
