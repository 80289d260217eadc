"""The kinds of host besides TCP, a file each: which rules are not checked of them, and why.

Rules are written for TCP. A kind that is not in this list is not checked by any that asks what hosts say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.runs.replay.kinds import ndp, quic, udp
from photocol.runs.replay.trait import of_hosts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from photocol.runs.replay.trait import Trait

KINDS = {"ndp": ndp.HIDES, **dict.fromkeys(quic.NAMES, quic.HIDES), "udp": udp.HIDES}
"""By `algorithm`: what may be so in a run with it, first that it is there; and of each the rules that are then not
checked, with the reasons."""
_OF_TCP = "sack"
"""A key that every table of TCP has where all keys are written out, as in the directory of a run."""
_UNSAID = 1
"""The keys of a table that nobody wrote: its algorithm."""


def is_tcp(table: Mapping[str, Any]) -> bool:
    """Whether a table `[transport.NAME]` is of TCP, XCP's senders among it."""
    return table["algorithm"] not in KINDS and (_OF_TCP in table or len(table) == _UNSAID)


OTHER_HOST = of_hosts(
    "a kind of host that is not in this list", lambda table: table["algorithm"] not in KINDS and not is_tcp(table)
)
_SAYS = "what its hosts say is not known"
_TURNS = "whether its packets turn round on their way is not known"
_OTHER = {
    "sent at once": _TURNS,
    "no time inside nodes": _TURNS,
    "kept by a node": _TURNS,
    "sizes": "whether queues change its packets is not known",
    "bytes in order": _SAYS,
    "ACKs that are heard": _SAYS,
    "bytes that are acknowledged": _SAYS,
    "answers": _SAYS,
    "blocks of SACK": _SAYS,
    "ACKs that repeat themselves": _SAYS,
    "table of flows": _SAYS,
}

_OF_KINDS = {trait: rules for kind in KINDS.values() for trait, rules in kind.items()}
HIDES: Mapping[Trait, Mapping[str, str]] = {**_OF_KINDS, OTHER_HOST: _OTHER}
"""Those of all kinds."""
HOSTS = tuple(dict.fromkeys(next(iter(kind)) for kind in KINDS.values()))
"""The kinds themselves."""
BESIDES = tuple(trait for trait in HIDES if trait not in HOSTS)
"""What else may be so in a run with them."""


def hidden_of(rule: str) -> dict[Trait, str]:
    """What a rule of this name cannot check of kinds of host, and why."""
    return {trait: rules[rule] for trait, rules in HIDES.items() if rule in rules}
