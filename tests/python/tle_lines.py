"""Two-line elements written from numbers, with checksums; the form is that of CelesTrak's description."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Orbit:
    """Degrees and revolutions a day; the epoch as two digits of the year and the day from 1.0."""

    number: int = 1
    epoch: str = "24123.50000000"
    inclination: float = 53.0
    node: float = 0.0
    eccentricity: float = 0.0001
    perigee: float = 0.0
    anomaly: float = 0.0
    turns: float = 15.05
    drag: str = " 00000+0"


def checked(line: str) -> str:
    """The line with its checksum: digits count as they are, a minus 1."""
    return line + str(sum(int(letter) if letter.isdecimal() else int(letter == "-") for letter in line) % 10)


def lines(orbit: Orbit) -> tuple[str, str]:
    """Lines 1 and 2."""
    eccentricity = f"{orbit.eccentricity:.7f}"[2:]
    first = f"1 {orbit.number:05d}U 24001A   {orbit.epoch}  .00000000  00000+0 {orbit.drag} 0  999"
    second = (
        f"2 {orbit.number:05d} {orbit.inclination:8.4f} {orbit.node:8.4f} {eccentricity} {orbit.perigee:8.4f} "
        f"{orbit.anomaly:8.4f} {orbit.turns:11.8f}    1"
    )
    return checked(first), checked(second)
