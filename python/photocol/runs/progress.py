"""How far a run is, on the terminal: simulated time, packet-hops per second of wall-clock time, time left."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from photocol.runs.runner import Status


@contextlib.contextmanager
def terminal(console: Console | None = None) -> Iterator[Callable[[Status], None]]:
    """A line on standard error while the block runs; nothing remains of it. Yields what is to be told the status."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    started = time.perf_counter()
    with Progress(*columns, console=console or Console(stderr=True), transient=True, expand=True) as bar:
        task = bar.add_task("", total=1.0, rate="")

        def told(status: Status) -> None:
            done = (status.run + status.now_s / status.duration_s) / status.runs
            hops_per_s = status.packet_hops / max(time.perf_counter() - started, 1e-9)
            bar.update(
                task, completed=done, description=describe(status), rate=f"{hops_per_s / 1e6:.1f} M packet-hops/s"
            )

        yield told


def describe(status: Status) -> str:
    """Simulated seconds, and which replication where there are several."""
    time_s = f"{status.now_s:.3g} of {status.duration_s:.3g} s"
    return time_s if status.runs == 1 else f"run {status.run + 1}/{status.runs}, {time_s}"
