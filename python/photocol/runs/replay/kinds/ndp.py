"""NDP: receivers pull packets, and queues trim them or send their headers back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.trait import NONE, Trait, of_kind

if TYPE_CHECKING:
    from photocol.runs.replay.replayed import Replayed


def _returned(run: Replayed) -> frozenset[str]:
    return frozenset(run.drops.filter(pl.col("cause") == "returned")["where"])


_NDP = of_kind("ndp")
_SENT_BACK = Trait("hosts", "NDP whose headers queues send back", lambda run: _NDP.of(run) if _returned(run) else NONE)
_RETURNS = Trait("links", 'ndp, overflow = "return" that happens', _returned)
_ALIKE = "ACKs, NACKs and PULLs look alike"
_NO_SACK = "there are none"
_TURN = "headers that a queue sends back turn around inside a node"
_BACK = "headers that come back look like what they were"

HIDES = {
    _NDP: {
        "no time inside nodes": _TURN,
        "kept by a node": _TURN,
        "sizes": "queues trim packets",
        "bytes in order": "its packets have numbers of their own",
        "bytes that are acknowledged": _ALIKE,
        "answers": _ALIKE,
        "blocks of SACK": _NO_SACK,
        "ACKs that repeat themselves": _NO_SACK,
        "table of flows": _ALIKE,
    },
    _SENT_BACK: {"sent at once": _BACK, "ACKs that are heard": _BACK},
    _RETURNS: {},
}
