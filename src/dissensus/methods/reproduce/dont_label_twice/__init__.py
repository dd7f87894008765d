"""The paper "Don't Label Twice", recomputed: `all_claims` lists what it prints and states."""
