"""What the paper "Don't Label Twice" prints, recomputed."""
