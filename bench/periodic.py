#!/usr/bin/env python3
"""How often is a slotted network periodic? An upper bound of what an exact fast-forward could skip.

    .venv/bin/python bench/periodic.py

Variants of scenarios/aapn.toml run for 12 s. Once a frame four queues and all long flows are sampled. Printed is, for
more and more of the samples, the smallest shift in frames at which the second half of them repeats exactly, and from
when on it does. What the samples do not show could still differ, so a state repeats at most as often.
"""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import photocol

SCENARIO = tomllib.loads((Path(__file__).parents[1] / "scenarios" / "aapn.toml").read_text())
FRAME_S = 0.004
FLOWS = 16
LINKS = ("e0->e1", "e2->e1", "e1->e3", "e3->e0")
LAYERS = {
    "links": ("queue", "granted_slots", "utilization"),
    "and windows, packets in flight": ("pipe", "cwnd", "ssthresh"),
    "and round-trip samples": ("rtt",),
    "and the smoothed round trip": ("srtt",),
    "and the timeout": ("rto",),
}


def scenario(
    algorithm: str, *, window: int | None = None, fixed: bool = False, jitter: bool = False, short: bool = False
) -> dict[str, Any]:
    """A variant: the long flows' algorithm and window, slots fixed or asked for, unsteady clocks, short flows."""
    switching = {key: value for key, value in SCENARIO["switching"].items() if jitter or key != "clock"}
    if fixed:
        for key in ("scheduler", "request", "signal"):
            switching.pop(key)
        pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
        switching["allocation"] = [{"from": f"e{a}", "to": f"e{b}", "via": "c0", "slots": 4} for a, b in pairs]
    bound = {"max_window": f"{window} packets", "receiver_window": f"{window} packets"} if window else {}
    long, *others = SCENARIO["traffic"]
    return {
        **SCENARIO,
        "run": {"name": "periodic", "duration": "12 s", "warm_up": "1 s"},
        "switching": switching,
        "link_defaults": SCENARIO["link_defaults"] if algorithm == "xcp" else {},
        "transport": {"long": {"algorithm": algorithm, "packet_size": 1000, **bound}},
        "traffic": [{**long, "transport": "long", "flows": FLOWS}, *(others if short else [])],
        "probe": {"interval": f"{FRAME_S * 1000:g} ms", "flows": list(range(FLOWS)), "links": list(LINKS)},
    }


VARIANTS = {
    "window of 8 packets, fixed slots": scenario("sack", window=8, fixed=True),
    "window of 8, slots asked for": scenario("sack", window=8),
    "window of 20, fixed slots": scenario("sack", window=20, fixed=True),
    "window of 20, slots asked for": scenario("sack", window=20),
    "window of 60, slots asked for": scenario("sack", window=60),
    "greedy SACK, fixed slots": scenario("sack", fixed=True),
    "greedy SACK, slots asked for": scenario("sack"),
    "greedy CUBIC, slots asked for": scenario("cubic"),
    "XCP, fixed slots": scenario("xcp", fixed=True),
    "XCP, slots asked for": scenario("xcp"),
    "window of 20, slots asked for, clocks that jitter": scenario("sack", window=20, jitter=True),
    "window of 20, slots asked for, short flows at random": scenario("sack", window=20, short=True),
}


def samples(series: pl.DataFrame, quantities: list[str]) -> list[bytes]:
    """What is sampled at each frame of these quantities, to be compared bit by bit."""
    name = pl.concat_str("quantity", "entity", separator=" ").alias("name")
    chosen = series.filter(pl.col("quantity").is_in(quantities)).with_columns(name)
    wide = chosen.pivot(on="name", index="t_s", values="value", aggregate_function="first").sort("t_s").drop("t_s")
    return [row.tobytes() for row in np.nan_to_num(wide.to_numpy(), nan=-1.0)]


def period(frames: list[bytes]) -> tuple[int, int] | None:
    """The smallest shift at which the second half repeats, and the frame from which on all does, if there is one."""
    half = frames[len(frames) // 2 :]
    for shift in range(1, len(half) // 2):
        if half[shift:] == half[:-shift]:
            differing = (at for at in reversed(range(len(frames) - shift)) if frames[at] != frames[at + shift])
            return shift, next(differing, -1) + 1
    return None


def main() -> None:
    """Prints a line for each variant."""
    for name, variant in VARIANTS.items():
        series, shown, found = photocol.run(variant).series, [], []
        for layer, quantities in LAYERS.items():
            shown += quantities
            repeats = period(samples(series, shown))
            found.append(f"{layer}: " + (f"{repeats[0]} from {repeats[1] * FRAME_S:.2f} s" if repeats else "never"))
        print(f"{name}: {'; '.join(found)}", flush=True)


if __name__ == "__main__":
    main()
