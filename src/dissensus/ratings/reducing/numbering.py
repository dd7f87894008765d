"""A number for everything that raters and judges ever said."""

from dataclasses import dataclass

from dissensus.ratings.reducing.kinds import AnswerKind, RatingKind, Said, is_labelled, outputs_given


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """A number for everything that was ever said, the same in all parts of the tables.

    Attributes
    ----------
    ratings, answers : tuple
        The kinds, each at its number.
    speakers : tuple
        Judge, elicitation and order of answers with probabilities.
    n_outputs : int
        How many probabilities such an answer has.
    has_numbers : bool
        Whether items are whole numbers, of which the first is the least and not the first in the alphabet.
    blank_labels, blank_answers : tuple of str
        How missing labels are written by raters and by judges, besides not at all.
    has_counts, has_elicitation : bool
        Whether a row stands for several ratings, and whether ratings say how they were elicited.
    """

    ratings: tuple[RatingKind, ...]
    answers: tuple[AnswerKind, ...]
    speakers: tuple[tuple[str, str | None, str | None], ...]
    n_outputs: int
    has_numbers: bool
    blank_labels: tuple[str, ...] = ()
    blank_answers: tuple[str, ...] = ()
    has_counts: bool = False
    has_elicitation: bool = False

    @property
    def is_labelled(self) -> str:
        """SQL that tells whether a row of `people` has a label."""
        return is_labelled(self.blank_labels)

    @property
    def is_answered(self) -> str:
        """SQL that tells whether a row of `answers` has an answer."""
        return f"({outputs_given(self.n_outputs)} OR {is_labelled(self.blank_answers)})"


def coding_of(said: Said, *, n_outputs: int, has_numbers: bool, has_counts: bool, has_elicitation: bool) -> Coding:
    """Numbers in the order of the texts."""
    speakers = {answer[:3] for answer in said.answers if answer[4]}
    return Coding(
        ratings=tuple(sorted(said.ratings, key=_as_text)),
        answers=tuple(sorted(said.answers, key=_as_text)),
        speakers=tuple(sorted(speakers, key=_as_text)),
        n_outputs=n_outputs,
        has_numbers=has_numbers,
        blank_labels=tuple(sorted(said.blank_labels)),
        blank_answers=tuple(sorted(said.blank_answers)),
        has_counts=has_counts,
        has_elicitation=has_elicitation,
    )


def _as_text(kind: tuple[str | bool | None, ...]) -> tuple[str, ...]:
    return tuple("" if part is None else f" {part}" for part in kind)
