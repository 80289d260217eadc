"""QUIC: packets have numbers of their own, and ACKs name ranges of them."""

from __future__ import annotations

from photocol.runs.replay.trait import of_kind

_NUMBERS = "packets have numbers, which say nothing of bytes"
_RANGES = "ACKs name ranges of numbers"

NAMES = ("quic", "quic-newreno", "quic-cubic", "quic-bbr3")
HIDES = {
    of_kind(*NAMES): {
        "bytes in order": _NUMBERS,
        "bytes that are acknowledged": _NUMBERS,
        "answers": "of two packets one is answered, and of a late one none",
        "blocks of SACK": _RANGES,
        "ACKs that repeat themselves": _RANGES,
        "table of flows": _NUMBERS,
    }
}
