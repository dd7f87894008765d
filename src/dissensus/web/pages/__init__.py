"""The pages: what the address says, what is shown."""
