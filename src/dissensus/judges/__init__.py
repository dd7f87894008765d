"""Which judge can stand in for people where no label is gold? Definitions of performance, what follows from each."""

from dissensus.judges.aggregation import RatingVectors
from dissensus.judges.definitions import Definition, definitions_at
from dissensus.judges.rank_judges import rank_judges
from dissensus.judges.result import JudgesResult

__all__ = ["Definition", "JudgesResult", "RatingVectors", "definitions_at", "rank_judges"]
