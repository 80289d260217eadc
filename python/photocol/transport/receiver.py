"""The receiving end of a flow, driven by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, cast

from photocol import _core
from photocol.transport.segments import Ack, Block, Control, with_keys

if TYPE_CHECKING:
    from photocol.options import ReceiverOptions
    from photocol.transport.segments import ControlKind

    class ReceiverNames(ReceiverOptions, total=False):
        """The options, one of them under the name of the machine as well."""

        window: int


_NAMES = {"window": "receiver_window"}


class Receiver:
    """The receiving end of one TCP flow; the application takes in-order data at once unless `read` says otherwise.

    `options` are those of `photocol.options.ReceiverOptions`; `window` is another name of `receiver_window`.
    """

    def __init__(self, **options: Unpack[ReceiverNames]) -> None:
        self._machine = _core.Receiver(**with_keys(dict(options), _NAMES))

    def on_segment(
        self, t: float, seq: int, length: int, *, ce: bool = False, cwr: bool = False, timestamp: float | None = None
    ) -> Ack | None:
        """Bytes [seq, seq + length) arrive at `t` seconds; None while the acknowledgement is delayed.

        `ce`: a queue has marked them; ACKs echo that from now on. `cwr`: the sender says that it has reduced its
        window, which ends the echo. `timestamp`: what their segment carries, in seconds on the sender's clock; with
        `timestamps` ACKs echo it, and a segment that is older than what they echo is refused (PAWS).
        """
        ecn: Literal["ce", "cwr"] | None = "ce" if ce else "cwr" if cwr else None
        return _ack(self._machine.on_segment(t, seq, length, ecn, timestamp))

    def on_control(self, t: float, control: Control) -> Control | None:
        """A SYN or a FIN arrives at `t` seconds: its answer."""
        raw = self._machine.on_control(t, control)
        return None if raw is None else Control(cast("ControlKind", raw[0]), raw[1], raw[2])

    def on_timer(self, t: float) -> Ack | None:
        """The clock reaches `t` seconds: the delayed acknowledgement or the window update if it is due."""
        return _ack(self._machine.on_timer(t))

    @property
    def earlier(self) -> list[Ack]:
        """What the last call acknowledged before the ACK that it returned.

        With `ecn_feedback="dctcp"` that is what had waited for a delayed ACK when marking began or ended.
        """
        return [ack for raw in self._machine.earlier if (ack := _ack(raw)) is not None]

    @property
    def next_timer(self) -> float | None:
        """When `on_timer` wants to be called next, in seconds; None when no acknowledgement waits."""
        return self._machine.next_timer

    @property
    def bytes_received(self) -> int:
        """Bytes delivered in order to the application."""
        return self._machine.bytes_received

    @property
    def duplicates(self) -> int:
        """Segments all of whose bytes had arrived before."""
        return self._machine.duplicates


def _ack(raw: tuple[int, int, list[tuple[int, int]], bool, int | None, float | None] | None) -> Ack | None:
    if raw is None:
        return None
    ack, window, blocks, ece, ace, timestamp = raw
    return Ack(ack, window, [Block(*block) for block in blocks], ece, timestamp, ace)
