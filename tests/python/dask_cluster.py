"""A real Dask scheduler with workers, as processes of their own, for tests."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PATIENCE_S = 180.0
"""How long a process may take to start on a machine that has other things to do."""


@dataclass
class Cluster:
    folder: Path
    scheduler: subprocess.Popen[bytes]
    address: str = ""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self, *more: str) -> subprocess.Popen[bytes]:
        """One more, without a nanny that would start a killed one again."""
        words = ("worker", self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard", *more)
        worker = started(*words, folder=self.folder)
        self.workers.append(worker)
        return worker

    def wait_for_workers(self) -> None:
        """Until every worker has registered."""
        logs = self.folder.glob
        wait_until(lambda: all(b"Registered to" in log.read_bytes() for log in logs("worker-*.log")))


def started(*words: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    log = (folder / f"{words[0]}-{time.monotonic_ns()}.log").open("wb")
    with log:
        command = [sys.executable, "-m", "dask", *words]
        return subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)


@contextlib.contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    file = folder / "scheduler.json"
    words = ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    made = Cluster(folder, started(*words, folder=folder))
    try:
        wait_until(lambda: file.is_file() and file.stat().st_size > 0)
        made.address = json.loads(file.read_text())["address"]
        for _ in range(workers):
            made.add_worker()
        made.wait_for_workers()
        yield made
    finally:
        for process in (*made.workers, made.scheduler):
            process.kill()
            process.wait()


def wait_until(condition, seconds: float = PATIENCE_S) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.05)
