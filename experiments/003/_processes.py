"""The network of real processes (`photocol-node`) in an experiment: a demo for some seconds, and its reports."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

NODE = [sys.executable, "-P", "-m", "photocol.node"]
Reports = dict[str, dict[str, Any]]
"""By name of the process: counts, levels and errors in time, as `photocol-node status --json` has them."""


def lacking(*, tools: Sequence[str] = ()) -> str:
    """What this machine lacks to run processes in networks of their own; empty if nothing."""
    if not sys.platform.startswith("linux"):
        return "processes need Linux"
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        return "networks of their own, IP and real-time priority need root and /dev/net/tun"
    missing = [tool for tool in ("ip", *tools) if shutil.which(tool) is None]
    return f"not installed: {', '.join(missing)}" if missing else ""


@contextlib.contextmanager
def demo(*options: str) -> Iterator[Callable[[], Reports]]:
    """A running demo, and what asks it. Its processes and their networks end with it, however this ends."""
    with tempfile.TemporaryFile("w+") as said:
        words = [*NODE, "demo", "--json", "--port", "0", *options]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, text=True)
        try:
            port = _port(process, Path(f"/proc/self/fd/{said.fileno()}"))
            yield lambda: _reports(port)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _port(process: subprocess.Popen[str], said: Path) -> str:
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        _, found, rest = said.read_text().partition("metrics: http://127.0.0.1:")
        if found:
            return rest.partition("/")[0]
        time.sleep(0.1)
    raise RuntimeError(f"the demo did not start: {said.read_text()}")


def _reports(port: str) -> Reports:
    words = [*NODE, "status", "--json", "--port", port]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return {report["name"]: report for report in json.loads(done.stdout)}


def joined(ask: Callable[[], Reports], nodes: int, *, seconds: float) -> Reports:
    """The reports once one node is master and the others are slaves."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        reports = ask()
        parts = [reports.get(f"node {node}", {}).get("part") for node in range(nodes)]
        if parts.count("master") == 1 and parts.count("slave") == nodes - 1:
            return reports
        time.sleep(0.2)
    raise RuntimeError(f"not all of {nodes} nodes have joined within {seconds:g} s")
