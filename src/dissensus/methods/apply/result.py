"""What `apply` returns: a judge's answers in people's terms."""

from dataclasses import dataclass
from typing import ClassVar

from dissensus.data import Judges
from dissensus.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedJudge:
    """One judge's answers before and after."""

    judge: str
    items: int  # that it answered
    changed: int  # on how many of them another label stands now
    unseen: int  # on how many of them it gave an answer that it never gave when it was recalibrated


@dataclass(frozen=True, kw_only=True)
class ApplyResult(Result):
    """What a judge's answers mean in people's terms.

    Attributes
    ----------
    answers : Judges
        One answer per judge and item: the label, and how likely people are to give each label.
    judges : tuple of AppliedJudge
        How many answers each judge gave, and what became of them.
    output : str, optional
        The file that the answers were written to.
    """

    command: ClassVar[str] = "apply"

    answers: Judges
    judges: tuple[AppliedJudge, ...]
    output: str | None = None

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON; the answers themselves are in the file."""
        return {
            "labels": list(self.answers.labels),
            "judges": [
                {"judge": one.judge, "items": one.items, "changed": one.changed, "unseen": one.unseen}
                for one in self.judges
            ],
            "output": self.output,
        }

    def rows(self) -> list[dict[str, object]]:
        """One row per answer: item, judge, label, and the probability of each label."""
        answers = self.answers
        shares = [] if answers.probability is None else answers.probability.tolist()
        return [
            {"item": answers.items[item], "judge": answers.judges[judge], "label": answers.labels[label]}
            | {f"p_{name}": share for name, share in zip(answers.labels, own, strict=True)}
            for item, judge, label, own in zip(
                answers.item.tolist(), answers.judge.tolist(), answers.label.tolist(), shares, strict=True
            )
        ]
