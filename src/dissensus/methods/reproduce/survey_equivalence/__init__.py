"""The paper "Survey Equivalence", recomputed: `all_claims` lists what it prints."""
