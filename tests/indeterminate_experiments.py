"""The experiments behind the figures of "Judges without gold labels", for tests beside those of the paper."""

from dissensus.papers.judges_without_gold.experiments import ASYMMETRIC, RANDOM, UNDERSPECIFIED, mean_of, omega_errors

__all__ = ["ASYMMETRIC", "RANDOM", "UNDERSPECIFIED", "mean_of", "omega_errors"]
