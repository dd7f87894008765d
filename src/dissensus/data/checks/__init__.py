"""What may be wrong with a file before anything is computed.

Each module has its checks in `CHECKS`. A check looks at a `Table`, yields what it finds as a `Finding`, and is named
after what it looks for; `doctor` runs them in the order of their names.
"""
