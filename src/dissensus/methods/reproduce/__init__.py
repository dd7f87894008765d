"""What each paper printed, recomputed: a folder per paper, whose files add to their list `CLAIMS`.

`claims` says what a claim is and how functions become claims, and `reproduce` checks them all.
"""

from dissensus.methods.reproduce.claims import Claim, ClaimOutcome, ReproduceResult, Status
from dissensus.methods.reproduce.data import PaperData, download_data
from dissensus.methods.reproduce.reproduce import PAPERS, reproduce

__all__ = ["PAPERS", "Claim", "ClaimOutcome", "PaperData", "ReproduceResult", "Status", "download_data", "reproduce"]
