from dataclasses import dataclass

from dissensus.judges.downstream import Downstream
from dissensus.judges.result import DefinitionResult, OrderFlips, OwnBeta
from dissensus.judges.setting_up import Prepared
from dissensus.judges.sweeping import FlipPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What advice is made of: the data, and what was found in them."""

    prepared: Prepared
    definitions: tuple[DefinitionResult, ...]
    downstream: tuple[Downstream, ...]
    flip_points: tuple[FlipPoint, ...]
    own_beta: tuple[OwnBeta, ...]
    order_flips: tuple[OrderFlips, ...]

    def definition(self, id_: str) -> DefinitionResult:
        """The definition with this id."""
        return next(definition for definition in self.definitions if definition.id == id_)

    @property
    def knows_sets(self) -> bool:
        """Whether people's response sets are known or estimated on every item."""
        return self.prepared.problem.reversal is not None or bool(self.prepared.people.has_set.all())

    @property
    def recommended(self) -> str:
        """The id of the definition to select by."""
        return "mse_response_set" if self.knows_sets else "jsd"
