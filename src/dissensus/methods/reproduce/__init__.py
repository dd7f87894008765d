"""What each paper printed, recomputed: a folder per paper, whose file `all_claims` lists the paper's claims.

The files `figures` draw what a paper draws. `claims` says what a claim is, and `reproduce` checks them all.
"""

from dissensus.methods.reproduce.claims import Claim, ClaimOutcome, ReproduceResult, Status
from dissensus.methods.reproduce.data import PaperData
from dissensus.methods.reproduce.download import download_data
from dissensus.methods.reproduce.reproduce import PAPERS, reproduce

__all__ = ["PAPERS", "Claim", "ClaimOutcome", "PaperData", "ReproduceResult", "Status", "download_data", "reproduce"]
