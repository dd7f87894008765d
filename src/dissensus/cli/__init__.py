"""The command line: parse, call, show; one file per command."""
