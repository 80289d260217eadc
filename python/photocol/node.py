"""The command `photocol-node`: the control plane of an agile all-photonic network as processes on Linux.

It is part of the extension module, so every wheel has it. `docs/guide/control-plane.md` explains it.
"""

from __future__ import annotations

import sys

from photocol import _core, children

__all__ = ["main"]


def main() -> None:
    """Run the command and leave with its exit status: 0 done, 1 failed, 2 the input is wrong."""
    try:
        with children.safe_path():
            status = _core.node_main(children.command("photocol.node"), sys.argv[1:])
    except OSError as error:
        print(f"photocol-node: {error}", file=sys.stderr)  # noqa: T201  (this is the command's face)
        status = 2
    sys.exit(status)


if __name__ == "__main__":
    main()
