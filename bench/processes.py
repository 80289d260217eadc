"""Processes that are measured, and scripts that are read as modules."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shlex
import subprocess
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import resource
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType


def run_to_end(command: Sequence[str], *, stdout: IO[str] | int) -> resource.struct_rusage:
    """Runs a command and gives what it used. RuntimeError if it fails."""
    process = subprocess.Popen(command, stdout=stdout)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"exit status {process.returncode}: {shlex.join(command)}")
    return used


def loaded(script: Path) -> ModuleType:
    """A script, whatever its suffix, as a module of its name."""
    loader = importlib.machinery.SourceFileLoader(script.stem, str(script))
    spec = importlib.util.spec_from_loader(script.stem, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[script.stem] = module
    loader.exec_module(module)
    return module
