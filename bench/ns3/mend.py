#!/usr/bin/env python3
"""Builds a library that mends faults of ns-3 3.37's TCP which its BBR suffers from, to see which of them matter.

    git clone --branch ns-3.37 --depth 1 https://gitlab.com/nsnam/ns-3-dev.git
    python3 bench/ns3/mend.py ns-3-dev bench/build/libmended.so [--only ack-interval]
    .venv/bin/python bench/queues.py --case bbr,bbr-shallow --ns3-library bench/build/libmended.so

Loaded before ns-3's own library, its functions take the place of those there. A mend is a few words of ns-3 and what
stands there instead; numbers are those of ns-3's issues, where there is one, and what has one has been mended in a
later version.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple


class Mend(NamedTuple):
    """What stands in a file of ns-3 3.37, `count` times, and what belongs there."""

    file: str
    stands: str
    belongs: str
    count: int = 1


MENDS = {
    # The time of acknowledging begins where the delivered segment left, not where the one before it did (#1026).
    "ack-interval": Mend(
        "tcp-rate-ops", "Simulator::Now() - m_rateSample.m_priorTime", "Simulator::Now() - skbInfo.m_deliveredTime"
    ),
    # An ACK's sample is of the segments that it delivers, not of earlier ones; needs ack-interval.
    "every-ack": Mend(
        "tcp-rate-ops",
        "return m_rateSample;",
        "{ static TcpRateSample given; given = m_rateSample; m_rateSample.m_priorDelivered = 0;"
        " m_rateSample.m_priorTime = Seconds(0); return given; }",
        3,
    ),
    # A sample that is none does not repeat the rate before it (#735).
    "stale-sample": Mend("tcp-bbr", "if (rs.m_deliveryRate == 0)", "if (rs.m_delivered < 0 || rs.m_interval.IsZero())"),
    # RTprop is the least round trip, not the least smoothed one (#1043).
    "plain-rtt": Mend("tcp-socket-base", "m_tcb->m_lastRtt = m_rtt->GetEstimate();", "m_tcb->m_lastRtt = m;"),
    # What has been repaired is not lost once more.
    "lost-count": Mend(
        "tcp-socket-base",
        "(currentLost > previousLost) ? currentLost - previousLost : previousLost - currentLost;",
        "(currentLost > previousLost) ? currentLost - previousLost : 0;",
    ),
    # A segment that was sent again and is SACKed is no longer in flight (#1190).
    "sacked-again": Mend(
        "tcp-tx-buffer",
        "(*item_it)->m_sacked = true;\n                    m_sackedOut",
        "if ((*item_it)->m_retrans) { (*item_it)->m_retrans = false; m_retrans -= (*item_it)->m_packet->GetSize(); }\n"
        "                    (*item_it)->m_sacked = true;\n                    m_sackedOut",
    ),
    # After a timeout cwnd returns to what it was, as after a fast recovery (section 4.2.3.4 of the draft).
    "after-timeout": Mend(
        "tcp-socket-base",
        "segsAcked = (ackNumber - m_recover) / m_tcb->m_segmentSize;\n",
        "segsAcked = (ackNumber - m_recover) / m_tcb->m_segmentSize;\n"
        "                m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_COMPLETE_CWR);\n",
    ),
}
FILES = ("tcp-rate-ops", "tcp-bbr", "tcp-socket-base", "tcp-tx-buffer")


def mended(source: Path, file: str, names: list[str]) -> str:
    """A file of ns-3 with these mends. Its log component has a name of its own; headers are the installed ones."""
    text = (source / "src" / "internet" / "model" / f"{file}.cc").read_text()
    for name in names:
        mend = MENDS[name]
        if mend.file != file:
            continue
        if text.count(mend.stands) != mend.count:
            found = text.count(mend.stands)
            sys.exit(f"mend.py: {file}.cc is not that of ns-3 3.37: {mend.stands!r} stands there {found} times")
        text = text.replace(mend.stands, mend.belongs)
    text = re.sub(r'NS_LOG_COMPONENT_DEFINE\("(\w+)"\)', r'NS_LOG_COMPONENT_DEFINE("Mended\1")', text)
    return re.sub(r'#include "([a-z0-9-]+\.h)"', r'#include "ns3/\1"', text)


def main() -> int:
    """Writes the library."""
    parser = argparse.ArgumentParser(description="Mends ns-3 3.37's BBR.")
    parser.add_argument("source", type=Path, help="folder of ns-3 3.37's source")
    parser.add_argument("out", type=Path, help="the library")
    parser.add_argument("--only", default=",".join(MENDS), help=f"comma-separated: {', '.join(MENDS)}")
    options = parser.parse_args()
    names = [name for name in options.only.split(",") if name]
    if unknown := {*names} - {*MENDS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(MENDS)}")
    with tempfile.TemporaryDirectory() as folder:
        sources = [Path(folder) / f"{file}.cc" for file in FILES]
        for file, path in zip(FILES, sources, strict=True):
            path.write_text(mended(options.source, file, names))
        command = [
            "g++",
            "-std=c++17",
            "-O2",
            "-DNDEBUG",
            "-fPIC",
            "-shared",
            *map(str, sources),
            "-o",
            str(options.out),
        ]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
