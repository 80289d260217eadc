"""UDP: datagrams that nobody answers."""

from __future__ import annotations

from photocol.runs.replay.trait import of_kind

_NONE = "there are none"

HIDES = {
    of_kind("udp"): {
        "bytes in order": "datagrams have numbers",
        "ACKs that are heard": _NONE,
        "bytes that are acknowledged": _NONE,
        "answers": _NONE,
        "blocks of SACK": _NONE,
        "ACKs that repeat themselves": _NONE,
        "table of flows": "nobody acknowledges datagrams",
    }
}
