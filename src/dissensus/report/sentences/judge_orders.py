"""Where definitions rank judges against each other, and what forced choices mean, in words."""

from collections.abc import Sequence

from dissensus.judges.rank_consistency import Violation
from dissensus.judges.result import JudgesResult, ReverseMatrix
from dissensus.report.numbers import counted, decimal
from dissensus.report.sentences.definitions import Kind, name_of
from dissensus.report.sentences.judges import Choice, kind_names
from dissensus.report.untrusted import quoted

MOST_PAIRS = 4
MOST_DIGITS = 10


def inversion_sentences(result: JudgesResult, choice: Choice) -> list[str]:
    """The pairs of judges that definitions disagree about: with the one to pick first, then the most evenly split."""
    kinds = [kind for kind in choice.kinds if kind.looks_at_people]
    found = []
    for pair in result.inversions:
        prefer_a = [kind for kind in kinds if kind.first.id in pair.prefer_a]
        prefer_b = [kind for kind in kinds if kind.first.id in pair.prefer_b]
        if prefer_a and prefer_b:
            found.append((min(len(prefer_a), len(prefer_b)), pair.judge_a, prefer_a, pair.judge_b, prefer_b))
    picked = choice.picked.judge if choice.picked else None
    found.sort(key=lambda row: (picked not in {row[1], row[3]}, -row[0]))
    said = [_pair_sentence(*row[1:]) for row in found[:MOST_PAIRS]]
    left = len(found) - len(said)
    return [*said, *([f"Definitions disagree about {counted(left, 'more pair')} of judges."] if left else [])]


def _pair_sentence(judge_a: str, prefer_a: Sequence[Kind], judge_b: str, prefer_b: Sequence[Kind]) -> str:
    if len(prefer_b) > len(prefer_a):
        judge_a, prefer_a, judge_b, prefer_b = judge_b, prefer_b, judge_a, prefer_a
    verb = "prefers" if len(prefer_b) == 1 else "prefer"
    return (
        f"{quoted(judge_a)} or {quoted(judge_b)}? {counted(len(prefer_a), 'definition')} "
        f"{'prefers' if len(prefer_a) == 1 else 'prefer'} {quoted(judge_a)}, {len(prefer_b)} {verb} {quoted(judge_b)}: "
        f"{kind_names(prefer_b)}."
    )


def violation_sentence(result: JudgesResult, choice: Choice) -> str:
    """One item on which two definitions prefer different judges; empty if there is none."""
    ids = {d.id for kind in [choice.select_by] if kind is not None for d in kind.definitions}
    names = {choice.picked.judge} if choice.picked else set()

    def told(found: Violation) -> tuple[bool, bool]:
        return {found.definition_a, found.definition_b} & ids == set(), {found.judge_a, found.judge_b} & names == set()

    found = min(result.violations, key=told, default=None)
    if found is None:
        return ""
    first, second = result.definition(found.definition_a), result.definition(found.definition_b)
    a, b = quoted(found.judge_a), quoted(found.judge_b)
    by_first, by_second = _apart(*found.values_a), _apart(*found.values_b)
    return (
        f"Why they can disagree, on one item: on {quoted(found.item)} {name_of(first)} prefers {a} "
        f"({by_first[0]} against {by_first[1]} of {b}, {first.better} is better), but "
        f"{name_of(second)} prefers {b} ({by_second[1]} against {by_second[0]}, "
        f"{second.better} is better)."
    )


def _apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with two decimals, or with as many as it takes to tell them apart."""
    shown = ((decimal(one, digits), decimal(other, digits)) for digits in range(2, MOST_DIGITS))
    return next((pair for pair in shown if pair[0] != pair[1]), (f"{one:g}", f"{other:g}"))


def reverse_sentence(matrix: ReverseMatrix) -> str:
    """What F' is and what it rests on."""
    pairs = (
        f"{counted(matrix.pairs, 'rating')} of raters who gave both a choice and a response set"
        if matrix.paired_by == "rater"
        else f"{counted(matrix.pairs, 'item')} with both, from different raters, so that what distinguishes them looks "
        "like an effect of the forced choice"
    )
    return (
        "What people who had to choose one option would have endorsed, if they had been free to endorse several. It "
        f"turns forced choices into response sets, and rests on {pairs}."
    )
