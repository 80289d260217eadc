"""XCP's router and receiver, an input at a time: the public names of `photocol.transport.xcp`."""

from photocol.transport.xcp import TCP, Figures, Header, Receiver, Router

__all__ = ["TCP", "Figures", "Header", "Receiver", "Router"]
