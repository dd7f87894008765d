"""What each paper printed, recomputed: a folder per paper, whose file `all_claims` lists the paper's claims.

The files `figures` draw what a paper draws. `claims` says what a claim is, and `reproduce` checks them all.
"""

from dissensus.papers.claims import Claim, ClaimOutcome, ReproduceResult, Status
from dissensus.papers.data import PaperData
from dissensus.papers.download import download_data
from dissensus.papers.reproduce import PAPERS, reproduce

__all__ = ["PAPERS", "Claim", "ClaimOutcome", "PaperData", "ReproduceResult", "Status", "download_data", "reproduce"]
