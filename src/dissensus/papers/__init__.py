"""What each paper printed, recomputed: one file per paper lists its claims.

`survey_equivalence` gathers those of the files `survey_*`, `judges_without_gold` of `judges_*` and `how_many_raters` of
`how_many_raters_*`; `dont_label_twice` computes with `label_numbers`, `label_sweep`, `sweep_record` and `exact_walk`.
The files `*_figures` draw what a paper draws. `claims` says what a claim is, and `reproduce` checks them all.
"""

from dissensus.papers.claims import Claim, ClaimOutcome, ReproduceResult, Status
from dissensus.papers.data import PaperData
from dissensus.papers.download import download_data
from dissensus.papers.reproduce import PAPERS, reproduce

__all__ = ["PAPERS", "Claim", "ClaimOutcome", "PaperData", "ReproduceResult", "Status", "download_data", "reproduce"]
