"""Which judge can stand in for people where no label is gold? Definitions of performance, what follows from each."""

from dissensus.methods.judges.definitions import Definition, RatingVectors, definitions_at
from dissensus.methods.judges.judges import judges
from dissensus.methods.judges.result import JudgesResult

__all__ = ["Definition", "JudgesResult", "RatingVectors", "definitions_at", "judges"]
