"""Load-balanced bursts, an input at a time: the public names of `photocol.transport.obs`."""

from photocol.transport.obs import LoadMeter, Path, Paths, PathsOptions, Sent

__all__ = ["LoadMeter", "Path", "Paths", "PathsOptions", "Sent"]
