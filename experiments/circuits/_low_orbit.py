"""A trace of a path over satellites in a low orbit, from a model that is stated here: no measurement is in it.

Every 15 s another satellite takes over, after 20 to 90 ms without any capacity. It has a capacity that is log-normal
about 100 Mb/s, σ = 0.4, and a delay of 15 to 35 ms with a jitter of 1 to 3 ms. Within its time the capacity is decided
anew every 100 ms: its logarithm is autoregressive with σ = 0.2 and a correlation of 0.9 between neighbours. It stays
between 10 and 250 Mb/s.

    python experiments/circuits/_low_orbit.py > scenarios/traces/low-orbit.csv
"""

from __future__ import annotations

import math
import random

SEED = 2026
LASTS_MS, SATELLITE_MS, STEP_MS = 120_000, 15_000, 100
MEDIAN_MBPS, SPREAD = 100.0, 0.4
WITHIN, CORRELATION = 0.2, 0.9
LEAST_MBPS, MOST_MBPS = 10.0, 250.0
AWAY_MS, DELAY_MS, JITTER_MS = (20, 90), (15.0, 35.0), (1.0, 3.0)
HEAD = "time_ms,capacity_mbps,delay_ms,jitter_ms"


def lines(seed: int = SEED) -> list[str]:
    """The lines of the file; the delay and the jitter are said where they change."""
    drawn = random.Random(seed)
    found = [HEAD]
    for begins in range(0, LASTS_MS, SATELLITE_MS):
        satellite = MEDIAN_MBPS * math.exp(drawn.gauss(0.0, SPREAD))
        delay, jitter = drawn.uniform(*DELAY_MS), drawn.uniform(*JITTER_MS)
        comes = begins
        if begins:
            found.append(f"{begins},0,,")
            comes += drawn.randint(*AWAY_MS)
        within = drawn.gauss(0.0, WITHIN)
        for step in range(begins, begins + SATELLITE_MS, STEP_MS):
            capacity = min(max(satellite * math.exp(within), LEAST_MBPS), MOST_MBPS)
            path = f"{delay:.1f},{jitter:.1f}" if step == begins else ","
            found.append(f"{comes if step == begins else step},{capacity:.1f},{path}")
            within = CORRELATION * within + drawn.gauss(0.0, WITHIN * math.sqrt(1 - CORRELATION**2))
    return found


def mean_mbps(text: str, until_ms: float) -> float:
    """The mean capacity that such a file says from its beginning until then."""
    rows = [line.split(",") for line in text.splitlines() if line and not line.startswith("#")]
    columns = {name.strip(): place for place, name in enumerate(rows[0])}
    course = [(float(row[columns["time_ms"]]), row[columns["capacity_mbps"]]) for row in rows[1:]]
    said = [(at, float(value)) for at, value in course if value.strip() and at < until_ms]
    ends = [*(at for at, _ in said[1:]), until_ms]
    return sum(value * (end - at) for (at, value), end in zip(said, ends, strict=True)) / until_ms


if __name__ == "__main__":
    print("\n".join(lines()))
