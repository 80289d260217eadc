"""The kinds of switching, hosts and links that rules tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.runs.replay.kinds import BESIDES, HOSTS, is_tcp
from photocol.runs.replay.trait import NONE, Trait, of_hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from photocol.runs.replay.network import Link
    from photocol.runs.replay.replayed import Replayed

KINDS = ("packets", "aapn", "obs", "ops", "circuits", "ocs", "rotor")
DISCIPLINES = ("drop-tail", "step", "red", "codel", "fq-codel", "pie", "dualpi2", "priority", "drr", "ndp", "abc")
TRIMMING = ("ndp",)
"""Those that cut the payload off packets for which the room `data` is full; `header` is what stays."""
ALL = frozenset({"all"})


def _switching(name: str, holds: Callable[[Replayed], bool]) -> Trait:
    return Trait("switching", name, lambda run: ALL if holds(run) else NONE)


def _kind(name: str) -> Trait:
    return _switching(f'kind = "{name}"', lambda run: run.kind == name)


PLAIN, AAPN, OBS, OPS, CIRCUITS, OCS, ROTOR = (_kind(name) for name in KINDS)
DLCC = _switching("[switching.dlcc]", lambda run: "dlcc" in run.switching)
SLOTTED = _switching("slot_time of OPS", lambda run: run.kind == "ops" and "slot_time" in run.switching)
WAVELENGTHS = _switching("wavelengths of AAPN", lambda run: run.kind == "aapn" and _several(run.switching))
SIGNALLED = _switching('protocol = "simulated" of AAPN', lambda run: run.switching.get("protocol") == "simulated")
SHORTENED = _switching("bursts that are cut or deflected", lambda run: run.kind == "obs" and _shortens(run))
OTHER_KIND = _switching("a kind of switching that is not in this list", lambda run: run.kind not in KINDS)


def _shortens(run: Replayed) -> bool:
    """Of a burst that is cut the table has the part, and it has those that another link carried."""
    return bool((run.drops["cause"] == "deflected").any() or (run.trace["event"] == "cut").any())


def _several(switching: Mapping[str, Any]) -> bool:
    return int(switching.get("wavelengths", 1)) > 1


def _links(name: str, holds: Callable[[Link], bool]) -> Trait:
    return Trait("links", name, lambda run: run.network.places(holds))


def _is_lossy(link: Link) -> bool:
    return bool(link.table.get("loss")) or "loss_every" in link.table


QUEUES = {name: _links(f'queue = "{name}"', lambda link, name=name: link.discipline == name) for name in DISCIPLINES}  # type: ignore[misc]
OTHER_QUEUE = _links("a queue discipline that is not in this list", lambda link: link.discipline not in DISCIPLINES)
LOSS = _links("loss, loss_every", _is_lossy)
CUT_OR_LOST = _links('loss beside mid_packet = "cut"', lambda link: "cut" in link.rests and _is_lossy(link))
KEPT = _links('jitter, jitter_order = "kept"', lambda link: _jitters(link) and not _is_free(link))
FREE = _links('jitter, jitter_order = "free"', lambda link: _jitters(link) and _is_free(link))
EXPONENTIAL = _links('jitter_law = "exponential"', lambda link: link.table.get("jitter_law") == "exponential")
EVENTS, PHASES, TRACES = (
    _links(f"[[{kind}]]", lambda link, kind=kind: kind in link.kinds)  # type: ignore[misc]
    for kind in ("event", "link_phases", "link_trace")
)
CONTINUE, FINISH, CUT = (
    _links(f'mid_packet = "{rest}"', lambda link, rest=rest: rest in link.rests)  # type: ignore[misc]
    for rest in ("continue", "finish", "cut")
)
PAUSE = _links('capacity = "0 bps" for a time', lambda link: link.pauses)
DOWN = _links('state = "down"', lambda link: link.goes_down)
DELIVERY = _links('[[link_trace]], format = "delivery"', lambda link: "delivery" in link.formats)
UNKNOWN = _links("changes by several tables, too many, or by a file that is not read", lambda link: bool(link.unknown))
VIA = _links("via (queues before slots of AAPN)", lambda link: "via" in link.table)
XCP_PORT = _links("xcp (a controller)", lambda link: "xcp" in link.table)
WAVE = _links("wavelengths of OPS", lambda link: "(wavelength" in link.place)
CONTROL = _links("control wavelengths", lambda link: link.place.endswith("(control)"))


AGENTS = Trait("links", "ports of optical nodes and of racks", lambda run: _with_agents(run))
NEW_ROOM = _links("changes of the buffer", lambda link: link.room_changes)


def _with_agents(run: Replayed) -> Collection[object]:
    """The links whose sending node keeps packets, or lies in the light."""
    cores = {node["name"] for node in run.scenario["node"] if node.get("role") == "core"}
    lit = cores if run.kind != "packets" else set()
    return run.storing | run.network.places(lambda link: link.place.partition("->")[0] in lit)


def _jitters(link: Link) -> bool:
    return bool(link.unknown) or any(state.jitter for state in link.states)


def _is_free(link: Link) -> bool:
    return link.table.get("jitter_order") == "free"


TCP = of_hosts("TCP, with any law", lambda table: is_tcp(table) and table["algorithm"] != "xcp")
XCP = of_hosts('algorithm = "xcp"', lambda table: table["algorithm"] == "xcp")
LATE_ACKS = of_hosts("delayed_ack, sack_compression", lambda table: _is_late(table))
HANDSHAKE = of_hosts("handshake, teardown", lambda table: bool(table.get("handshake") or table.get("teardown")))
TIMESTAMPS = of_hosts("timestamps", lambda table: bool(table.get("timestamps")))
NO_SACK = of_hosts("without SACK, or without D-SACK", lambda table: not (table.get("sack") and table.get("dsack")))
GROWING = of_hosts('telemetry_size = "growing"', lambda table: table.get("telemetry_size") == "growing")
READS = of_hosts("an application that reads late, or a window", lambda table: _is_bounded(table))


def _is_late(table: Mapping[str, Any]) -> bool:
    return bool(table.get("delayed_ack")) or not str(table.get("sack_compression", "0 s")).startswith("0 ")


def _is_bounded(table: Mapping[str, Any]) -> bool:
    return any(table.get(key, "unlimited") != "unlimited" for key in ("read", "receiver_window", "autotune_from"))


def _forced(run: Replayed) -> Collection[object]:
    return {one["flow"] for one in run.scenario.get("force", ()) if one["action"] != "drop"}


def _kept(run: Replayed) -> Collection[object]:
    keeping = {place.partition("->")[0] for place in run.storing}
    return {flow for flow, node in run.flows.select("flow", "destination").iter_rows() if node in keeping}


KEPT_THERE = Trait("hosts", "receivers at nodes that keep packets", _kept)
FORCED = Trait("hosts", '[[force]] with "delay" or "duplicate"', _forced)
TRAITS: tuple[Trait, ...] = (
    *(PLAIN, AAPN, WAVELENGTHS, SIGNALLED, OBS, OPS, SLOTTED, DLCC, SHORTENED, CIRCUITS, OCS, ROTOR, OTHER_KIND),
    *(TCP, LATE_ACKS, HANDSHAKE, TIMESTAMPS, NO_SACK, GROWING, READS, XCP, *HOSTS, FORCED, KEPT_THERE),
    *(*QUEUES.values(), OTHER_QUEUE, XCP_PORT, LOSS, CUT_OR_LOST, KEPT, FREE, EXPONENTIAL),
    *(
        EVENTS,
        PHASES,
        TRACES,
        CONTINUE,
        FINISH,
        CUT,
        PAUSE,
        DOWN,
        DELIVERY,
        UNKNOWN,
        VIA,
        WAVE,
        CONTROL,
        AGENTS,
        NEW_ROOM,
    ),
    *BESIDES,
)
"""In the order in which they are listed."""
