"""Work that depends on work, in tables and by formula: the public names of `photocol.runs.work`."""

from photocol.runs.work import (
    Packets,
    algorithm_bandwidth,
    bus_bandwidth,
    busy_time,
    collectives,
    critical_path,
    tasks,
    transfers,
    undone_tasks,
    work_by_traffic,
)

__all__ = [
    "Packets",
    "algorithm_bandwidth",
    "bus_bandwidth",
    "busy_time",
    "collectives",
    "critical_path",
    "tasks",
    "transfers",
    "undone_tasks",
    "work_by_traffic",
]
