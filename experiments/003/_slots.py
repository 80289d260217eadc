"""The network of `_aapn` with its edge node in slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._aapn import EDGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

SLOT_US = 200
CORE = "core"


def into_slots(
    network: dict[str, Any], *, plan: Iterable[tuple[float, int]], slots: int, signal: Mapping[str, str] | None = None
) -> None:
    """Makes the edge node's output a queue that sends in granted slots, through a core node in the middle of the way.

    `plan` says from when on it has how many of `slots` slots in a frame; the way back has all of them.
    """
    source, sink = EDGE.split("->")
    middle = [link for link in network["link"] if {link["from"], link["to"]} == {source, sink}]
    rest = [link for link in network["link"] if link not in middle]
    legs = [{"from": end, "to": CORE, "delay": "10 ms"} for end in (source, sink)]
    queues = [{key: value for key, value in link.items() if key != "delay"} | {"via": CORE} for link in middle]
    network["link"] = [*legs, *queues, *rest]
    first, *later = [{"at": f"{at:g} s", "from": source, "to": sink, "slots": granted} for at, granted in plan]
    network["switching"] = {
        "kind": "aapn",
        "slots": slots,
        "slot_time": f"{SLOT_US} us",
        "allocation": [first, {"from": sink, "to": source, "slots": slots}, *later],
        **({"signal": dict(signal)} if signal else {}),
    }


def gain(total: NDArray[np.float64], where: NDArray[np.bool_]) -> float:
    """How much a running total grew over the samples."""
    numbers = np.flatnonzero(where)
    return float(total[numbers[-1]] - total[numbers[0] - 1])
