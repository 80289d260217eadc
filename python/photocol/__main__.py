"""`python -m photocol` is the command `photocol`."""

import sys

from photocol.cli import main

if __name__ == "__main__":
    sys.exit(main())
