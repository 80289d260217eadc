"""The slots of `crates/control/tests/vectors.txt`, written a second time from docs/protocol.md alone.

Only `struct`, `hmac` and a checksum bit by bit: nothing here knows the Rust code. `python tests/python/wire_bytes.py`
prints the file; the values are those that `crates/control/tests/wire.rs` builds.
"""

from __future__ import annotations

import hashlib
import hmac
import struct

KEY = b"a key for tests and nothing else"
SIGNALLING, DATA, CONTROL = 0, 1, 2
CORE, ALL = 0xFFFE, 0xFFFF


def crc32c(data: bytes) -> int:
    """Castagnoli's polynomial, reflected, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def block(code: int, data: bytes) -> bytes:
    return struct.pack("<BBH", code, 0, len(data)) + data


def slot(kind: int, source: int, destination: int, *blocks: bytes, stamp: int = 0, version: int = 1) -> bytes:
    """A slot of frame 7, slot 3, piece 1, session 11 to 12, number 13, sent at 14 ps."""
    payload = b"".join(blocks)
    fields = struct.pack("<BHHQIHBBQQQQ", kind, source, destination, 7, 3, 1, stamp, 0, 11, 12, 13, 14)
    head = b"pc" + bytes([version]) + fields + struct.pack("<I", len(payload))
    whole = head + struct.pack("<I", crc32c(head + payload)) + payload
    return whole if kind == DATA else whole + hmac.new(KEY, whole, hashlib.sha256).digest()[:16]


def configuration() -> bytes:
    numbers = (9, 0, 7, 18, 6, 250_000_000, 20_000_000, 10_000_000, 1000, 10**10, 9 * 10**9, 10**8, 2)
    nodes = struct.pack("<HHB", 1, 1, 2) + struct.pack("<HHB", 2, 1, 0)
    return struct.pack("<QBHIIQQQQQQQH", *numbers) + nodes


VECTORS = {
    "empty": slot(SIGNALLING, 1, 0),
    "invitation": slot(SIGNALLING, 0, 5, block(1, struct.pack("<HQQQ", 5, 9, 8, 1_000_000))),
    "answer": slot(SIGNALLING, 5, 0, block(2, struct.pack("<HQQQ", 5, 9, 8, 2**63))),
    "configuration": slot(SIGNALLING, 0, 5, block(3, configuration())),
    "measurement": slot(SIGNALLING, 0, 5, block(4, struct.pack("<QQQqiQ", 13, 500, 400, -100, -37_500_000, 25))),
    "unused": slot(SIGNALLING, 5, 0, block(9, struct.pack("<QQHHI", 9, 7, 1, 2, 3))),
    "request": slot(
        SIGNALLING,
        5,
        0,
        block(5, struct.pack("<QQ", 12, 399)),
        block(6, struct.pack("<QQHHIHI", 9, 7, 2, 1, 4, 2, 70_000)),
        stamp=1,
    ),
    "allocation": slot(SIGNALLING, 0, 5, block(7, struct.pack("<QQHIIH", 9, 8, 1, 6, 12, 2))),
    "fault": slot(SIGNALLING, 5, 0, block(8, struct.pack("<BHQ", 4, 5, 7))),
    "beacon": slot(CONTROL, CORE, ALL, block(16, struct.pack("<QHQQQQ", 9, 0, 11, 7, 9, 1000))),
    "claim": slot(CONTROL, 1, CORE, block(17, struct.pack("<BQQ", 1, 10, 6))),
    "plan": slot(CONTROL, 0, CORE, block(18, struct.pack("<QQQHIIHH", 9, 8, 6, 1, 0, 1, 1, 0))),
    "verdict": slot(CONTROL, CORE, 0, block(19, struct.pack("<BQQQQQ", 2, 9, 8, 13, 14, 600))),
    "data": slot(
        DATA,
        5,
        2,
        block(32, struct.pack("<QHH", 3, 0, 4) + b"\x45\x00\x00\x04"),
        block(33, struct.pack("<IQQ", 1, 2, 5) + b"abc"),
        block(34, struct.pack("<H", 6)),
    ),
}


if __name__ == "__main__":
    for name, whole in VECTORS.items():
        print(name, whole.hex())
