"""Packets of some flows in a pcapng file: what is asked for, and where it goes until it is whole."""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from photocol import _core
from photocol.errors import InputError, whole_number
from photocol.runs import storage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

CAPTURE_NAME = "capture.pcapng"
_OS_NUMBER = r" \(os error \d+\)$"
_BLOCK, _PACKET = struct.Struct("<II"), struct.Struct("<IIIII")
_PACKET_BLOCK, _TCP = 6, 6
_TCP_HEADER = struct.Struct(">HHIIBB")


@dataclass(frozen=True)
class Capture:
    """Packets of some flows in a pcapng file: as their sending hosts see them, or as they pass links.

    `flows` are numbers of the table `flows`, none: all. `links` are names of links, "a-b" for both directions; none: at
    the hosts. Without `file` it is `capture.pcapng` in the results directory. With several replications the first is
    captured.
    """

    file: str | PathLike[str] | None = None
    flows: Sequence[int] = ()
    links: Sequence[str] = ()


class CaptureFile:
    """Where a capture goes, first under another name."""

    def __init__(self, capture: Capture, out: Path | None) -> None:
        self.flows = [whole_number("pcap flow", flow, 0, 2**32 - 1) for flow in capture.flows]
        self.links = [str(link) for link in capture.links]
        self._file = None if capture.file is None else Path(fspath(capture.file)).absolute()
        beside = self._file or (None if out is None else out.absolute())
        if beside is None:
            raise InputError("a capture needs a file, or a results directory to go into")
        if beside == self._file and (beside.is_dir() or not beside.parent.is_dir()):
            raise InputError(f"the capture file cannot be {self._file}: not a file in an existing directory")
        beside.parent.mkdir(parents=True, exist_ok=True)
        storage.remove_leftovers(beside.parent, beside.name)
        self._shown = self._file or beside / CAPTURE_NAME
        self.unfinished = storage.unfinished_name(beside).with_suffix(".pcapng")
        self._whole = False
        # A name that others may have foreseen: their link would be followed.
        self.unfinished.unlink(missing_ok=True)
        with storage.naming(self._shown):
            os.close(os.open(self.unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))

    def finish(self) -> None:
        """The capture is whole."""
        self._whole = True
        if self._file is not None:
            self.unfinished.replace(self._file)

    def named(self, error: _core.RunError) -> _core.RunError:
        """An error of a capture says where the capture was to be, not under which name it is written."""
        if "capture file" not in str(error):
            return error
        return _core.RunError(f"{self._shown}: {re.sub(_OS_NUMBER, '', str(error))}")

    @property
    def place(self) -> Path:
        """Where the capture is when it is whole and the results are written."""
        return self._shown

    def files(self) -> dict[str, Path]:
        """What belongs into the results directory."""
        return {CAPTURE_NAME: self.unfinished} if self._whole and self._file is None else {}

    def discard(self) -> None:
        """Remove what is still under the other name: it is not whole, or nobody wanted it."""
        self.unfinished.unlink(missing_ok=True)


def check_flows(pcap: tuple[Path, list[int], list[str]] | None, flows: int) -> None:
    """Raise InputError if a flow is to be captured that a run with this number of flows does not have."""
    unknown = [flow for flow in ([] if pcap is None else pcap[1]) if flow >= flows]
    if unknown:
        raise InputError(f"there is no flow {unknown[0]} to capture: the run has {flows} flows, numbered from 0")


def packets(file: Path) -> pl.DataFrame:
    """The TCP packets of a capture that photocol has written, one row each.

    t_s, source_port and destination_port (the data of simulated flow n come from port 1024 + n), seq and ack (modulo
    2**32), payload_bytes. Of real hosts' those over IPv4 that are no later fragment. Raises InputError if the file is
    not such a capture.
    """
    import polars as pl

    columns = ("t_s", "source_port", "destination_port", "seq", "ack", "payload_bytes")
    try:
        rows = list(_tcp_packets(file.read_bytes()))
    except (OSError, struct.error, IndexError) as error:
        raise InputError(f"{file} is not a whole capture of photocol: {error}") from error
    types = [pl.Float64, *[pl.Int64] * (len(columns) - 1)]
    return pl.DataFrame(rows, schema=dict(zip(columns, types, strict=True)), orient="row")


def _tcp_packets(octets: bytes) -> Iterator[tuple[float, int, int, int, int, int]]:
    place = 0
    while place < len(octets):
        kind, length = _BLOCK.unpack_from(octets, place)
        if length < _BLOCK.size or place + length > len(octets):
            raise struct.error(f"a block of {length} bytes at {place}")
        start = place + _BLOCK.size
        place += length
        if kind != _PACKET_BLOCK:
            continue
        _, high, low, _, size = _PACKET.unpack_from(octets, start)
        datagram = start + _PACKET.size
        header = 4 * (octets[datagram] & 0x0F)
        is_v4 = octets[datagram] >> 4 == 4
        if not is_v4 or octets[datagram + 9] != _TCP or int.from_bytes(octets[datagram + 6 : datagram + 8]) & 0x1FFF:
            continue
        source, destination, seq, ack, offset, _ = _TCP_HEADER.unpack_from(octets, datagram + header)
        # Times are in nanoseconds.
        yield (high << 32 | low) / 1e9, source, destination, seq, ack, size - header - 4 * (offset >> 4)
