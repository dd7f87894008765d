"""These are scripts for `make fuzz`: pytest looks for no tests or doctests in them."""

collect_ignore_glob = ["*.py"]
