"""What each paper printed, recomputed: files named after the paper add to their list `CLAIMS`.

`claims` says what a claim is and how functions become claims, and `reproduce` checks them all.
"""

from dissensus.methods.reproduce.claims import Claim, ClaimOutcome, PaperData, ReproduceResult, Status, download_data
from dissensus.methods.reproduce.reproduce import PAPERS, reproduce

__all__ = ["PAPERS", "Claim", "ClaimOutcome", "PaperData", "ReproduceResult", "Status", "download_data", "reproduce"]
