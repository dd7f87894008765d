"""What each paper printed, recomputed: one file per paper."""

from dissensus.papers.claims import Claim, ClaimOutcome, ReproduceResult, Status
from dissensus.papers.data import PaperData
from dissensus.papers.download import download_data
from dissensus.papers.reproduce import PAPERS, reproduce

__all__ = ["PAPERS", "Claim", "ClaimOutcome", "PaperData", "ReproduceResult", "Status", "download_data", "reproduce"]
