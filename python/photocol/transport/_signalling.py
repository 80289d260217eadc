"""The machines of the signalling of a slotted network, driven an input at a time: part of `photocol.control`.

They take bytes and the time of their own clock, and answer with what they want done. They own no clock and no network.
`docs/protocol.md` says what the bytes mean, and `photocol.control.decode` reads them. Times are whole picoseconds.

    >>> from photocol.control import Core, Network, Node, decode
    >>> key, ms = b"sixteen bytes or more", 10**9
    >>> network = Network(ports={0: 0, 1: 1}, frame_slots=12, signalling_slots=1, slot_ps=250 * 10**6)
    >>> core, node = Core(network, key=key), Node(0, key=key, network=network)
    >>> beacon = core.on_timer(0)[0]                          # frame 0 begins: the core says that there is no master
    >>> claim = node.on_message(0, beacon.fields["data"])[0]  # the first node that knows the network claims the term
    >>> [name for name, _ in decode(claim.fields["data"])[1]]
    ['claim']
    >>> verdict, beacon = core.on_message(0, claim.fields["data"])
    >>> core.master                                           # the node, and its term
    (0, 2)
    >>> node.on_message(0, verdict.fields["data"]), node.on_message(0, beacon.fields["data"]), node.part
    ([], [], 'master')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from photocol import _core
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Action", "Core", "Network", "Node"]

_LONGEST = 2**64 - 1
T = TypeVar("T")


class Action(NamedTuple):
    """Something that a machine wants done."""

    kind: Literal["light", "message", "deliver", "missing", "fault"]
    """What: light into the fibre, a message out of band, payload delivered or missing, a fault."""
    fields: dict[str, Any]
    """"light": at_ps, data; "message": to (65535: all; 65534: the core), data; "deliver": from, blocks; "missing":
    from, first and until as (session, number); "fault": kind, node, frame."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """What all nodes of a network must agree on (`docs/protocol.md`, block 3). Times are picoseconds."""

    ports: Mapping[int, int]
    """The port of the switch of each node, by number; the last `signalling_slots` nodes have a slot for signalling."""
    frame_slots: int
    """Slots of a frame."""
    signalling_slots: int
    """Slots of a frame that are kept for signalling, at its head."""
    slot_ps: int
    """How long a slot lasts."""
    guard_ps: int = 30 * 10**6
    """How much of a slot is dark."""
    switching_ps: int = 10 * 10**6
    """How much of the guard time the core needs to switch."""
    start_ps: int = 0
    """When frame 0 begins, by the clock of the core."""
    longest_ps: int = 0
    """The delay of the longest fibre between a node and the core."""
    shortest_ps: int = 0
    """The delay of the shortest."""
    turnaround_ps: int = 0
    """How long a node takes to act on what it has heard."""
    carriage: Literal["Slots", "OutOfBand", "EverySlot"] = "Slots"
    """How the signalling travels."""

    def configuration(self) -> dict[str, Any]:
        """Return the fields of the block "configuration", of term 0 and with all nodes inactive."""
        nodes = [{"node": node, "port": port, "status": "Inactive"} for node, port in sorted(self.ports.items())]
        times = ("slot", "guard", "switching", "start", "longest", "shortest", "turnaround")
        size = max(self.ports.values(), default=0) + 1
        plain = {
            "term": 0,
            "carriage": self.carriage,
            "switch_size": size,
            "frame_slots": self.frame_slots,
            "signalling_slots": self.signalling_slots,
            "nodes": nodes,
        }
        return plain | {name: getattr(self, f"{name}_ps") for name in times}


class Node:
    """An edge node: it listens, answers an invitation, takes part as a slave, and may be master.

    Arguments:
        number: its number in the network.
        key: the network's key, 16 bytes or more.
        network: the network, if the node knows it and may be the first master; the others are told by a master.
        session: larger than at every start before.
        scheduler: how it schedules as a master (`photocol list schedulers`).
        stamp_error_ps: the standard error of its time stamps.
    """

    def __init__(
        self,
        number: int,
        *,
        key: bytes,
        network: Network | None = None,
        session: int = 1,
        scheduler: str = "greedy",
        stamp_error_ps: int = 200_000,
    ) -> None:
        told = None if network is None else network.configuration()
        numbers = (_number("number", number, 2**16 - 1), _number("session", session, _LONGEST))
        error = _number("stamp_error_ps", stamp_error_ps, _LONGEST)
        self._machine = _said(lambda: _core.SignallingNode(numbers[0], key, numbers[1], told, scheduler, error))

    def on_light(self, now_ps: int, data: bytes, *, stamp_ps: int | None = None) -> list[Action]:
        """Light came from the fibre, its first bit at `stamp_ps`; None: now."""
        return self._heard(self._machine.on_light, now_ps, data, stamp_ps)

    def on_message(self, now_ps: int, data: bytes, *, stamp_ps: int | None = None) -> list[Action]:
        """A message came out of band, its first bit at `stamp_ps`; None: now."""
        return self._heard(self._machine.on_message, now_ps, data, stamp_ps)

    def on_timer(self, now_ps: int) -> list[Action]:
        """The clock shows `now_ps`; what is not due is not done."""
        return _actions(_said(lambda: self._machine.on_timer(_time(now_ps))))

    def enqueue(self, to: int, blocks: Sequence[tuple[str, Mapping[str, Any]]]) -> bool:
        """Queue the payload of one slot for another node: "ip", "file" or "management". Return whether it was taken."""
        node = _number("to", to, 2**16 - 1)
        return _said(lambda: self._machine.enqueue(node, [(name, dict(fields)) for name, fields in blocks]))

    def waiting(self, to: int) -> int:
        """Slots that wait for a node."""
        return self._machine.waiting(_number("to", to, 2**16 - 1))

    def resign(self) -> None:
        """The node shall not be master any more: it tells all in the next frame, then resigns."""
        self._machine.resign()

    @property
    def next_timeout(self) -> int | None:
        """When it has something to do, by its clock; None: only when it hears something."""
        return self._machine.next_timeout

    @property
    def part(self) -> Literal["listening", "answered", "slave", "master"]:
        """The part it plays."""
        return self._machine.part

    @property
    def led_by(self) -> tuple[int | None, int]:
        """The master by the latest beacon, if there is one, and its term."""
        return self._machine.led_by

    @property
    def counts(self) -> dict[str, int]:
        """How often things happened: "claimed", "plan-accepted", "invitation-answered", "too-late" and others."""
        return dict(self._machine.counts)

    def _heard(
        self,
        handle: Callable[[int, int, bytes], list[tuple[str, dict[str, Any]]]],
        now_ps: int,
        data: bytes,
        stamp_ps: int | None,
    ) -> list[Action]:
        now = _time(now_ps)
        stamp = now if stamp_ps is None else _time(stamp_ps)
        return _actions(_said(lambda: handle(now, stamp, data)))


class Core:
    """The controller of the core switch: it keeps time, carries out plans, and decides who is master.

    Its first term is its session; `now_ps` is its clock at the start.
    """

    def __init__(self, network: Network, *, key: bytes, session: int = 1, now_ps: int = 0) -> None:
        number, now = _number("session", session, _LONGEST), _time(now_ps)
        self._machine = _said(lambda: _core.SignallingCore(key, number, network.configuration(), now))

    def on_message(self, now_ps: int, data: bytes) -> list[Action]:
        """A message came out of band."""
        return _actions(_said(lambda: self._machine.on_message(_time(now_ps), data)))

    def on_timer(self, now_ps: int) -> list[Action]:
        """The clock shows `now_ps`: frames that are due begin."""
        return _actions(_said(lambda: self._machine.on_timer(_time(now_ps))))

    def route(self, now_ps: int, port: int, *, length_ps: int) -> int | None:
        """Return where light goes out that comes in at `port` from now on for `length_ps`; None: it is lost."""
        return self._machine.route(_time(now_ps), _number("port", port, 2**16 - 1), _time(length_ps))

    @property
    def next_timeout(self) -> int | None:
        """When the next frame begins."""
        return self._machine.next_timeout

    @property
    def master(self) -> tuple[int | None, int]:
        """The master, if there is one, and the term."""
        return self._machine.master

    @property
    def counts(self) -> dict[str, int]:
        """How often things happened: "plan-accepted", "claim-refused", "term-ended" and others."""
        return dict(self._machine.counts)


def _said(call: Callable[[], T]) -> T:
    """Return what a call returns; its ValueError as an InputError."""
    try:
        return call()
    except ValueError as error:
        raise InputError(str(error)) from None


def _actions(raw: list[tuple[str, dict[str, Any]]]) -> list[Action]:
    return [Action(kind, fields) for kind, fields in raw]  # type: ignore[arg-type]


def _time(value: int) -> int:
    return _number("a time", value, _LONGEST)


def _number(name: str, value: int, most: int) -> int:
    if not 0 <= value <= most:
        raise InputError(f"{name} is {value}; allowed: 0 to {most}")
    return value
