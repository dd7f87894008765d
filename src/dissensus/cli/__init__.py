"""The command line: parse, call, show.

`main` is the entry point and lists the commands; they are in `measure`, `plan`, `rate`, `files`, `simulate`, `show` and
`reproduce`. They share `inputs` (what they read), `output` (what they show) and `flags` (declared options as typed).
"""
