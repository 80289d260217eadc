"""Machines driven by hand, one input at a time: `Sender` and `Receiver` of a transport here, the others beside them.

This room knows the extension and no other room.
"""

from photocol.transport.quic import QuicAck, QuicError, QuicPacket, QuicReceiver, QuicSender
from photocol.transport.receiver import Receiver
from photocol.transport.segments import Ack, Block, Control, ControlKind, Hop, Segment, SegmentEcn
from photocol.transport.sender import Connection, Phase, Sender, Timer

__all__ = [
    "Ack",
    "Block",
    "Connection",
    "Control",
    "ControlKind",
    "Hop",
    "Phase",
    "QuicAck",
    "QuicError",
    "QuicPacket",
    "QuicReceiver",
    "QuicSender",
    "Receiver",
    "Segment",
    "SegmentEcn",
    "Sender",
    "Timer",
]
