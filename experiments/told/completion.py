"""Completion times of the web-search mix in a leaf-spine network at 20, 60 and 80 % of its links.

The expected values and tolerances were written before the first run. PowerTCP's is its abstract's: at 60 % the tail of
short flows takes a third less than with HPCC.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.claims import Values, at_most, below, last, least, near, values
from photocol.experiment import Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import Lines
from photocol.verdict import Finding, judge

from . import _laws as laws
from ._laws import ABC, COLOURS, COPA, CUBIC, DCTCP, HPCC, POWER, RCP, SWIFT, THETA, XCP_CL, of, ran

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import Outcome, Point, RunResult

LEAVES, HOSTS, SPINES = 4, 8, 4
HOST_GBPS, UPLINK_GBPS = 10.0, 20.0
PATH = laws.Path(gbps=HOST_GBPS, rtt_us=21.0, hops=4)
"""Between hosts of two leaves: eight links of 2 µs, a packet over four of them, and an ACK."""
LAWS = (XCP_CL, HPCC, POWER, RCP, ABC, THETA, SWIFT, COPA, CUBIC, DCTCP)
LOADS = (20, 60, 80)
SHORT_KB, LONG_KB = 10, 1000
"""Short flows are at most so long, long ones at least, as in PowerTCP's figures."""
LESS, MARGIN = 0.67, 0.15
ALONE = 1.5
NEAR_EMPTY = 10.0


def setup(point: Point) -> Setup:
    """Poisson flows between random hosts; switches hash them onto four spines."""
    law, load = str(point["law"]), int(point["load_percent"])
    own = laws.port(law, PATH)
    return Setup(
        scenario={
            "run": {"duration": "260 ms", "warm_up": "20 ms", "completion": "acknowledged"},
            "topology": {
                "kind": "leaf-spine",
                "leaves": LEAVES,
                "spines": SPINES,
                "hosts": HOSTS,
                "host_capacity": f"{HOST_GBPS:g} Gbps",
                "capacity": f"{UPLINK_GBPS:g} Gbps",
                "host_delay": "2 us",
                "delay": "2 us",
                "routing": "ecmp",
            },
            "link_defaults": {
                "buffer": "unlimited",
                "core": {"buffer": "2 MB", **own},
                "host": host(law, own),
            },
            "transport": {"law": laws.transport(law, PATH)},
            "traffic": [
                {
                    "transport": "law",
                    "pairs": "random",
                    "arrivals": "poisson",
                    "load_share": load / 100,
                    "size_law": {"law": "web-search"},
                    "until": "200 ms",
                }
            ],
        }
    )


def host(law: str, port: Mapping[str, Any]) -> dict[str, Any]:
    """A host's link is a bottleneck of its flows, which it serves in turn; it tells them what other ports do."""
    if law == ABC:
        return dict(port)
    tells = {"telemetry": True} if law in (HPCC, POWER, RCP) else {key: port[key] for key in port if key == "xcp"}
    return {"queue": {"kind": "drr"}, **tells}


def measure(result: RunResult) -> Mapping[str, float]:
    """Slowdowns by size of flows that began after the warm-up, and the longest queue."""
    flows = result.flows.filter(pl.col("start_s") >= 0.02)
    done = flows.filter(pl.col("slowdown").is_not_null())
    short = done.filter(pl.col("size_bytes") <= 1000 * SHORT_KB)["slowdown"].to_numpy()
    middle = done.filter(pl.col("size_bytes").is_between(1000 * SHORT_KB, 1000 * LONG_KB))["slowdown"].to_numpy()
    long = done.filter(pl.col("size_bytes") >= 1000 * LONG_KB)["slowdown"].to_numpy()
    names = pl.col("link").cast(pl.String)
    ports = result.links.filter(names.str.contains(r"^l\d+->h\d+$"))
    return {
        "short_p50": quantile(short, 0.5),
        "short_p99": quantile(short, 0.99),
        "middle_p99": quantile(middle, 0.99),
        "long_p50": quantile(long, 0.5),
        "long_p99": quantile(long, 0.99),
        "mean_queue": float(ports["mean_queue"].mean()),  # type: ignore[arg-type]
        "dropped": float(result.summary["dropped_packets"].value),
        "timeouts": float(result.summary["timeouts"].value),
        "unfinished_percent": 100 * (1 - len(done) / len(flows)),
        "short_flows": float(len(short)),
    }


def quantile(values: Any, part: float) -> float:
    """The least value that so many do not exceed."""
    return float(np.quantile(values, part, method="inverted_cdf"))


TAILS, QUEUES = (values(metric, "law", form=".2f", load_percent=60) for metric in ("short_p99", "mean_queue"))
SHORT = (XCP_CL, HPCC, POWER, RCP, SWIFT)
OTHERS = QUEUES.at(DCTCP, CUBIC, POWER)
SHARES = values("long_p50", "law", form=".2f", load_percent=min(LOADS))
NOT_SLOWER = at_most(SHARES.at(RCP), SHARES.at(XCP_CL))


def medians(law: str) -> Values:
    """Of long flows along the load."""
    return values("long_p50", "load_percent", law=law).told(".2f", name=law)


def at(outcome: Outcome, metric: str, law: str, load: int = 60) -> float:
    """A metric of a law at a load."""
    return of(outcome, metric, law=law, load_percent=load)


def check_loads(outcome: Outcome) -> Finding:
    """Tails rise with the load."""
    loads = sorted(ran(outcome, "load_percent"))
    tails = {law: [at(outcome, "short_p99", law, load) for load in loads] for law in ran(outcome)}
    rise = {law: all(b >= 0.95 * a for a, b in itertools.pairwise(found)) for law, found in tails.items()}
    return judge(
        agrees=all(rise.values()),
        in_shape=sum(rise.values()) >= 0.8 * len(rise),
        measured="; ".join(f"{law} " + ", ".join(f"{v:.1f}" for v in found) for law, found in tails.items()),
    )


def picture(metric: str, label: str) -> Lines:
    """A slowdown against the load."""
    looks = {law: (COLOURS[law], "o-") for law in LAWS}
    return Lines("load_percent", metric, ("load (%)", label), by="law", of=list(LAWS), looks=looks, scales="y")


REASONS: Mapping[str, str] = {
    "published": "here both have less than a packet in queues, and there is nothing to gain. The same with uplinks of "
    "5 Gb/s, oversubscribed 4:1, where three seeds have 0.89 to 1.05, and with ten segments at first",
    "loads": "DCTCP alone falls: 1 % of the 127 short flows at 20 % are one flow",
}


claim = laws.expectation(REASONS, where="ours")

experiment = Experiment(
    id="told/completion",
    title="slowdown of the web-search mix in a leaf-spine network at 20, 60 and 80 %",
    source=Source(paper="ours; Addanki et al., PowerTCP, NSDI 2022", figures="none", section="abstract"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="short_p50", label=f"slowdown to {SHORT_KB} kB, median", form=".2f"),
        Metric(name="short_p99", label=f"slowdown to {SHORT_KB} kB, 99 %", form=".2f"),
        Metric(name="middle_p99", label="slowdown between, 99 %", form=".1f"),
        Metric(name="long_p50", label=f"slowdown from {LONG_KB // 1000} MB, median", form=".2f"),
        Metric(name="long_p99", label=f"slowdown from {LONG_KB // 1000} MB, 99 %", form=".1f"),
        Metric(name="mean_queue", label="queue at ports to hosts (packets)", form=".2f"),
        Metric(name="dropped", label="packets lost", form=".0f"),
        Metric(name="timeouts", label="timeouts", form=".0f"),
        Metric(name="unfinished_percent", label="flows that did not end (%)", form=".2f"),
        Metric(name="short_flows", label="short flows", form=".0f"),
    ),
    quick=Form(
        points=grid(law=(XCP_CL, HPCC, POWER, RCP, SWIFT, CUBIC, DCTCP), load_percent=(20, 60)),
        replications=1,
        settings={"run.duration": "60 ms", "traffic.0.until": "40 ms"},
        note="seven of ten laws, two of three loads, flows of 20 ms instead of 180, one of two seeds",
    ),
    full=Form(points=grid(law=LAWS, load_percent=LOADS), replications=2),
    claims=(
        claim(
            "published",
            "at 60 % the tail of short flows takes a third less with PowerTCP than with HPCC",
            f"{LESS:g} of HPCC's 99 % slowdown",
            f"within {MARGIN:g}; in shape: less",
            (
                near(
                    TAILS.at(POWER) / TAILS.at(HPCC), LESS, by=MARGIN, in_shape=below(TAILS.at(POWER), TAILS.at(HPCC))
                ).telling(TAILS)
            ),
            "Addanki et al., abstract; the network is ours",
        ),
        claim(
            "short",
            "at 60 % short flows of XCP-CL, HPCC, PowerTCP, RCP and Swift have half of the tail that CUBIC's have",
            "half at most",
            "so for each; in shape: less",
            (
                at_most(
                    TAILS.at(*SHORT), TAILS.at(CUBIC) * 0.5, in_shape=below(TAILS.at(*SHORT), TAILS.at(CUBIC))
                ).telling(TAILS)
            ),
        ),
        claim(
            "queue",
            "at 60 % HPCC's queues are the shortest, and nearly empty",
            "η = 95 % leaves room",
            f"shorter than PowerTCP's, DCTCP's and CUBIC's, and at most {NEAR_EMPTY:g} packets; in shape: than CUBIC's",
            (
                (at_most(QUEUES.at(HPCC), least(OTHERS)) & at_most(QUEUES.at(HPCC), NEAR_EMPTY))
                .in_shape(below(QUEUES.at(HPCC), QUEUES.at(CUBIC)))
                .telling(QUEUES)
            ),
        ),
        claim(
            "share",
            "at the lowest load long flows of RCP, which are told their share at once, are not slower than XCP-CL's",
            "not slower than XCP-CL, and near CUBIC",
            f"at most XCP-CL's median, and {ALONE:g} times CUBIC's; in shape: the first",
            (
                (NOT_SLOWER & at_most(SHARES.at(RCP), SHARES.at(CUBIC) * ALONE))
                .in_shape(NOT_SLOWER)
                .telling(SHARES.at(XCP_CL, CUBIC))
            ),
        ),
        claim(
            "price",
            "at the highest load HPCC's idle 5 % cost long flows more than PowerTCP's queue",
            "a shorter median with PowerTCP",
            "shorter; in shape: at most a tenth longer",
            below(last(medians(POWER)), last(medians(HPCC)), last(medians(HPCC)) * 1.1).telling(medians(HPCC)),
        ),
        claim(
            "loads",
            "tails of short flows rise with the load",
            "with every law",
            "none falls by more than 5 %; in shape: with eight of ten",
            check_loads,
        ),
    ),
    plots=(
        Plot(name="short", draw=picture("short_p99", f"99 % slowdown of flows to {SHORT_KB} kB")),
        Plot(name="long", draw=picture("long_p50", "median slowdown of flows from 1 MB")),
    ),
    notes=(
        f"{LEAVES} leaves of {HOSTS} hosts at {HOST_GBPS:g} Gb/s, {SPINES} spines at {UPLINK_GBPS:g} Gb/s, ECMP, 2 µs "
        "a link, 2 MB at each port of a switch. PowerTCP's paper has 256 hosts at 25 Gb/s, oversubscribed, as "
        "recalled.",
        "HPCC, PowerTCP and θ-PowerTCP begin with a bandwidth-delay product, the others with ten segments. Flows come "
        "until 200 ms, and have 60 ms more to end.",
        "The Clos network of rotor/clos has 648 hosts, which is beyond a run of minutes; it is not run here.",
    ),
)
