"""A package, so that processes which tests start find them whatever other `tests` is installed."""
