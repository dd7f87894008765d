"""Simulated data to try everything on."""

from dissensus.example_data.examples import EXAMPLES, example_path

__all__ = ["EXAMPLES", "example_path"]
