"""RCP's port, a packet at a time: the public names of `photocol.transport.rcp`."""

from photocol.transport.rcp import Router

__all__ = ["Router"]
