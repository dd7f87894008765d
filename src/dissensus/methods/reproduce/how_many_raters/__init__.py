"""What the paper "How Many Raters Do You Need?" prints, recomputed."""
