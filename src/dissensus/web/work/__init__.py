"""Where long work runs: processes that can be stopped, and a queue with an end."""
