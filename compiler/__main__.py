"""`python -m backsweep`."""

import sys

from backsweep.inspect.cli.command_line import main

if __name__ == "__main__":
    sys.exit(main())
