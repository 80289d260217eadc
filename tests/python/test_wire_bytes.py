"""The byte vectors of the slots are what docs/protocol.md says, worked out without the Rust code."""

from __future__ import annotations

from pathlib import Path

from wire_bytes import VECTORS, crc32c

FILE = Path(__file__).parents[2] / "crates/control/tests/vectors.txt"


def test_the_checksum_is_crc_32c() -> None:
    assert crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32/ISCSI


def test_the_vectors_follow_from_the_specification() -> None:
    lines = dict(line.split(" ") for line in FILE.read_text(encoding="utf-8").splitlines())
    assert lines == {name: whole.hex() for name, whole in VECTORS.items()}
