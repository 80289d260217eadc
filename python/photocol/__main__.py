"""`python -m photocol` is the command `photocol`."""

import os
import sys
from pathlib import Path

# Python puts the working directory first; modules there are no part of the command, unless it is itself there.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()] and Path(__file__).parents[1] != Path.cwd():  # noqa: PTH109
    del sys.path[0]

from photocol.cli import main

if __name__ == "__main__":
    sys.exit(main())
