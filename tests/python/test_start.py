"""What each command imports before it is done: as much as it needs, so that short ones start at once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from command import SMALL

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {"PIL", "click", "matplotlib", "numpy", "polars", "rich"}
PROGRAM = f"""
import sys
before = set(sys.modules)
from photocol.cli import main
status = main(sys.argv[1:])
heavy = sorted({HEAVY!r} & set(sys.modules))
print(status, len(set(sys.modules) - before), *heavy, file=sys.stderr)
"""

COMMANDS = {
    "--version": (50, set()),
    "--help": (125, {"click"}),
    "schema": (115, {"click"}),
    "check small.toml": (130, {"click"}),
    "run small.toml": (170, {"click"}),
    "run small.toml --json": (170, {"click"}),
    "model pftk": (157, {"click"}),
    "convert --help": (125, {"click"}),
    "sweep --help": (125, {"click"}),
    "reproduce --help": (125, {"click"}),
    "verify --help": (125, {"click"}),
    "run small.toml --out out": (560, {"click", "numpy", "polars"}),
}
"""A command: at most so many modules beside those with which Python starts, and the large packages among them."""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_as_much_as_it_needs(command: str, tmp_path: Path) -> None:
    most, heavy = COMMANDS[command]
    (tmp_path / "small.toml").write_text(SMALL)
    words = [sys.executable, "-c", PROGRAM, *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    status, modules, *imported = done.stderr.splitlines()[-1].split()
    assert (status, set(imported)) == ("0", heavy)
    assert int(modules) <= most
