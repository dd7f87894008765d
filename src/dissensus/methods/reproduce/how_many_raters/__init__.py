"""The paper "How Many Raters Do You Need?", recomputed: `all_claims` lists what it prints."""
