"""What the table `series` samples: the unit of each quantity, and how a picture names it."""

from __future__ import annotations

from typing import NamedTuple

from photocol.quantity import scale_of


class Quantity(NamedTuple):
    """A sampled quantity."""

    title: str
    """In words, as on an axis."""
    unit: str
    """In which the table has it; "1" for counts and ratios."""
    shown_in: str
    """The unit on an axis."""
    divisor: float = 1.0
    """What a value is divided by to be in that unit."""

    @property
    def label(self) -> str:
        """The text of an axis."""
        return f"{self.title} ({self.shown_in})"

    def scaled(self, most: float | None) -> Quantity:
        """The same in the unit that the largest value asks for: 160 MB, not 160,000 kB."""
        if not most or self.unit not in ("B", "bps", "s"):
            return self
        divisor, shown_in = scale_of(most, self.unit)
        return self._replace(shown_in=shown_in, divisor=divisor)


_KNOWN = {
    "cwnd": Quantity("congestion window", "B", "kB", 1e3),
    "ssthresh": Quantity("slow-start threshold", "B", "kB", 1e3),
    "pipe": Quantity("data in flight", "B", "kB", 1e3),
    "acked": Quantity("data acknowledged", "B", "MB", 1e6),
    "bytes_arrived": Quantity("data arrived so far", "B", "MB", 1e6),
    "rtt": Quantity("mean round-trip time", "s", "ms", 1e-3),
    "srtt": Quantity("smoothed round-trip time", "s", "ms", 1e-3),
    "mean_rtt": Quantity("mean round-trip time in the headers", "s", "ms", 1e-3),
    "rto": Quantity("retransmission timeout", "s", "s"),
    "dupthresh": Quantity("duplicate ACKs that mean a loss", "1", "ACKs"),
    "fa_ratio": Quantity("false fast retransmits avoided", "1", "share of reordered segments"),
    "queue": Quantity("queue", "packets", "packets"),
    "mean_queue": Quantity("mean queue", "packets", "packets"),
    "utilization": Quantity("utilization", "1", "busy time / time"),
    "carried_bits": Quantity("carried so far", "1", "Mbit", 1e6),
    "offered": Quantity("offered so far", "1", "packets or bursts"),
    "dropped": Quantity("dropped so far", "1", "packets or bursts"),
    "throughput": Quantity("throughput, bytes arrived", "bps", "Mb/s", 1e6),
    "class_throughput": Quantity("throughput of the class, bytes arrived", "bps", "Mb/s", 1e6),
    "link_throughput": Quantity("carried by the link", "bps", "Mb/s", 1e6),
    "fairness": Quantity("fairness", "1", "Jain's index of throughput"),
    "granted_slots": Quantity("granted slots", "1", "slots a frame"),
    "believed_capacity": Quantity("capacity that XCP reckons with", "bps", "Mb/s", 1e6),
    "feedback": Quantity("XCP's aggregate feedback", "bps", "Mb/s", 1e6),
    "persistent_queue": Quantity("persistent queue", "B", "kB", 1e3),
}


def quantity(name: str) -> Quantity:
    """What is known of a sampled quantity; of an unknown one its name."""
    return _KNOWN.get(name) or Quantity(name.replace("_", " "), "1", "unit of the table series")


def known() -> tuple[str, ...]:
    """All that have a title here."""
    return tuple(_KNOWN)
