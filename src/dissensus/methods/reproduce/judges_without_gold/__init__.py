"""The paper "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", recomputed: see `all_claims`."""
