"""What the paper "Survey Equivalence" prints, recomputed."""
