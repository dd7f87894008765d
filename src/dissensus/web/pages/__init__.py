"""One file per page: what the address says, what is shown."""
