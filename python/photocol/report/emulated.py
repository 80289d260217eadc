"""What the page of a run with real hosts says of them: packets, bytes, and how late packets came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.report import columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TIMES = ("p50", "p99", "worst")
_CARRIED = ("sent", "sent_bytes", "received", "received_bytes", "marked")
_LOST = ("elsewhere", "too_long", "overflowed", "refused", "not_taken")


def emulated(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tables of the hosts and of their lateness; none of a run without real hosts."""
    told = manifest.get("emulation")
    hosts: Sequence[Mapping[str, Any]] = told["hosts"] if isinstance(told, dict) else []
    # Older runs do not say how late those of each host were.
    if not isinstance(told, dict) or not hosts or "lateness" not in hosts[0]:
        return []
    tables = [columns.rows("Real hosts", "hosts", pl.DataFrame([_row(host) for host in hosts]))]
    late = columns.rows("Packets of real hosts by lateness", "lateness", histogram(hosts))
    tables += [late] if late["table"]["rows"] else []
    for table in tables:
        table["open"] = True
    tables[0]["note"] = f"{told['verdict']}."
    return tables


def histogram(hosts: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """How many packets of each host were how late: more than in the row before, and at most `up_to_s`."""
    of = {host["host"]: dict(host["lateness"]["histogram"]) for host in hosts}
    bins = sorted({to_us for found in of.values() for to_us in found})
    packets = {name: [found.get(to_us, 0) for to_us in bins] for name, found in of.items()}
    return pl.DataFrame({"up_to_s": [to_us / 1e6 for to_us in bins], **packets})


def _row(host: Mapping[str, Any]) -> dict[str, Any]:
    """A host's line; a time is None where no packet has come."""
    lateness = host["lateness"]
    known = lateness["count"] > 0
    times = {f"late_{name}_s": lateness[f"{name}_us"] / 1e6 if known else None for name in _TIMES}
    carried, lost = ({name: host[name] for name in names} for names in (_CARRIED, _LOST))
    return {"host": host["host"], "address": host["address"], **carried, **times, **lost}
