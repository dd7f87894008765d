"""What the paper "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels" prints, recomputed."""
