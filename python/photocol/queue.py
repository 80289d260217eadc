"""Queue disciplines, a packet at a time: the public names of `photocol.transport.queue`."""

from photocol.transport.queue import Ecn, Packet, Queue, disciplines

__all__ = ["Ecn", "Packet", "Queue", "disciplines"]
