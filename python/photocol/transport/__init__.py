"""Machines driven by hand, one input at a time: `Sender` and `Receiver` of a transport here, the others beside them.

This room knows the extension and no other room.
"""

from photocol.transport.sender import (
    Ack,
    Block,
    Connection,
    Control,
    ControlKind,
    Phase,
    Receiver,
    Segment,
    SegmentEcn,
    Sender,
    Timer,
)

__all__ = [
    "Ack",
    "Block",
    "Connection",
    "Control",
    "ControlKind",
    "Phase",
    "Receiver",
    "Segment",
    "SegmentEcn",
    "Sender",
    "Timer",
]
