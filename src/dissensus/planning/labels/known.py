"""What is known of models and labels before the plan is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dissensus.planning.labels.situation import Situation

if TYPE_CHECKING:
    from dissensus.planning.labels.pilot.findings import LabelPilot


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of models and labels.

    Attributes
    ----------
    situation : Situation
        As described, or as the pilot has it.
    overall : Situation, optional
        The same with the labels of all items, where those of the items on which the models differ are another matter.
    draws : Situation, optional
        In each bootstrap sample of the pilot.
    pilot : LabelPilot, optional
        What the pilot said.
    data : mapping
        The pilot's files.
    warnings : tuple of str
        Of the pilot.
    """

    situation: Situation
    overall: Situation | None = None
    draws: Situation | None = None
    pilot: "LabelPilot | None" = None
    data: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
