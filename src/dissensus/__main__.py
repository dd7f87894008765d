"""`python -m dissensus` is the command line."""

import sys

from dissensus.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
