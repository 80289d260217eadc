"""Fingerprints in layers, so that a harmless refactoring can be told from a changed result.

`wires` is the engine's own: everything that arrived at every node, in order. `flows` are the columns of the flows'
table that the guide promises; a column that is added does not change it. `everything` is both, all tables and the
summary.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol import _core

LAYERS = ("everything", "wires", "flows")
MEANINGS = {
    "everything": "every table and figure",
    "wires": "what was on the wires",
    "flows": "the flows' results",
}
_TABLES = ("flows", "links", "series", "drops")
_FLOWS = (
    "run",
    "flow",
    "source",
    "destination",
    "start_s",
    "end_s",
    "bytes_acked",
    "goodput_bps",
    "segments_sent",
    "retransmissions",
    "fast_retransmits",
    "timeouts",
    "completed",
)


def fingerprints_of(replications: Sequence[_core.Results]) -> dict[str, str]:
    """Layer to 16 hexadecimal digits, over all replications."""
    wires, flows, everything = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for results in replications:
        wires.update(results.fingerprint.encode())
        everything.update(results.fingerprint.encode())
        for name in _TABLES:
            columns = results.table(name)
            for key, column in columns.items():
                digest = _column(key, column)
                everything.update(digest)
                if name == "flows" and key in _FLOWS:
                    flows.update(digest)
        everything.update(repr(results.summary).encode())
    return {name: one.hexdigest()[:16] for name, one in zip(LAYERS, (everything, wires, flows), strict=True)}


def joined(fingerprints: Sequence[str]) -> str:
    """The fingerprint of one replication, or a hash over those of several."""
    if len(fingerprints) == 1:
        return fingerprints[0]
    return hashlib.sha256(" ".join(fingerprints).encode()).hexdigest()[:16]


def wires_of(fingerprints: Sequence[str]) -> str:
    """The layer `wires` of replications with these fingerprints."""
    return hashlib.sha256("".join(fingerprints).encode()).hexdigest()[:16]


def difference(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """In words what differs; empty where nothing does."""
    other = [layer for layer in LAYERS if then.get(layer) != now.get(layer)]
    if not other:
        return ""
    same = [MEANINGS[layer] for layer in LAYERS[1:] if layer not in other]
    if "wires" in other:
        changed = MEANINGS["wires"] + (f" and {MEANINGS['flows']}" if "flows" in other else "")
    else:
        changed = MEANINGS["flows"] if "flows" in other else "other tables or figures"
    return f"differs: {changed}" + (f"; the same: {' and '.join(same)}" if same else "")


def _column(name: str, column: object) -> bytes:
    """A digest of a column: its name and its values. All ways to write a missing number count as one."""
    import numpy as np

    digest = hashlib.sha256(name.encode() + b"\0")
    if isinstance(column, list):
        digest.update("\0".join(column).encode())
        return digest.digest()
    if isinstance(column, tuple):
        names, column = column
        digest.update("\0".join(names).encode() + b"\0")
    values = np.asarray(column)
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), np.nan, values)
    digest.update(np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.digest()
