"""All-reduces of sixteen ranks by five algorithms, over a star, a ring and a fat tree, by five transports.

What does a transport cost a collective beside its closed form? Buffers of 64 kB to 16 MB; all links have 100 Gb/s.

The expected values and tolerances below were committed before the first run, those of UDP, HPCC and the ring before
theirs; a trial had eight ranks on a star and NDP. By arithmetic, with T(B) = S + s + 2 d on the star:

- *small*: 64 kB are blocks of one packet. Nothing is to be controlled, and every transport takes the closed form.
- *large*: a rank sends and receives at once. ACKs and pulls of what it receives share the link with what it sends: NDP
  answers a packet of 4096 B by two of 64 B, TCP by 40 B at most. So NDP takes 1.031 of the closed form, TCP 1.01.
- A double binary tree of 16 has four levels. On three of them two children send to one parent, half of the buffer each:
  (2 · 3 + 1) · 2 times S(M/2), 3.6 times the ring with 16 MB, and 0.69 with 64 kB. With 16 chunks an inner rank is
  busy with 2 M each way, and it takes eight levels of a chunk to fill and drain the tree: 1.28 times the ring.
- On the fat tree no two transfers of a ring's step share a link, so only the ways are longer: 30 transfers in a row. In
  halving and doubling all 16 ranks cross the core at once, with 0.8 of all bytes. Two hosts hash their flows onto two
  uplinks, and four aggregation switches theirs onto two each: of sixteen links some have two or three flows. Sprayed
  packets share all links alike.
- UDP sends each transfer at the rate of the links, and ports have room for all: the closed forms to the picosecond. It
  has no ACKs. HPCC leaves 5 % of a link free if a transfer lasts long enough to find that out.
- On the ring no two transfers of a ring's step share a link. Halving-doubling's partners are 8, 4, 2 and 1 switches
  away, so so many transfers of M/2, M/4, M/8 and M/16 share the fullest link, twice: 10.6 M beside 1.9 M of the ring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import Values, above, at_most, below, everywhere, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import Lines

from ._cluster import (
    CARRIERS,
    CIRCLE,
    CUBIC,
    DCTCP,
    HPCC,
    LOOKS,
    NDP,
    RANKS,
    STAR,
    TREE,
    UDP,
    measure,
    packets,
    ring_on_the_ring_s,
    ring_on_the_tree_s,
    scenario,
    with_answers,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from photocol.experiment import Point

RING, HALVING, DOUBLING, DIRECT = "ring", "halving-doubling", "recursive-doubling", "direct"
TREES, CHUNKED = "double-tree", "double-tree, 16 chunks"
CLOSED = (RING, HALVING, DOUBLING, DIRECT)
ALGORITHMS = (*CLOSED, TREES, CHUNKED)
SIZES_KB = (64, 250, 1000, 4000, 16_000)
SMALL, LARGE = SIZES_KB[0], SIZES_KB[-1]
CHUNKS, LEVELS = 16, 4
NETWORKS = (STAR, CIRCLE, TREE)
NEIGHBOURS = sum(distance * distance / RANKS for distance in (8, 4, 2, 1)) / ((RANKS - 1) / RANKS)
"""Bytes on the fullest link of the ring in halving-doubling, over those in the ring algorithm: 5.67."""


def setup(point: Point) -> Setup:
    """One all-reduce."""
    algorithm, _, chunks = str(point["algorithm"]).partition(", ")
    work = {"algorithm": algorithm, "size": f"{point['size_kb']} kB", "chunks": CHUNKS if chunks else 1}
    return Setup(scenario=scenario(str(point["network"]), str(point["transport"]), work))


def times(network: str, size_kb: int, *, along: str = "transport", **where: str) -> Values:
    """Times in microseconds."""
    return values("time_us", along, form=".0f", network=network, size_kb=size_kb, **where)


def closed_us(transport: str, algorithm: str, size_kb: int) -> float:
    """The closed form on the star."""
    return 1e6 * packets(transport).all_reduce_s(algorithm, RANKS, 1000 * size_kb)


def over_closed(size_kb: int, algorithm: str) -> Values:
    """The times on the star over the closed form, by transport."""
    found = times(STAR, size_kb, algorithm=algorithm) / (lambda transport: closed_us(transport, algorithm, size_kb))
    return found.told(".3f", name=algorithm)


def over_ring(size_kb: int, algorithm: str) -> Values:
    """The times on the star over the ring's, by transport."""
    return (times(STAR, size_kb, algorithm=algorithm) / times(STAR, size_kb, algorithm=RING)).told(
        ".2f", name=algorithm
    )


def over_star(algorithm: str) -> Values:
    """What the fat tree costs a large all-reduce, by transport."""
    found = times(TREE, LARGE, algorithm=algorithm) / times(STAR, LARGE, algorithm=algorithm)
    return found.told(".2f", name=algorithm)


def one_of(*transports: str) -> Callable[[str], bool]:
    """Whether a transport is one of these."""
    return lambda transport: transport in transports


is_ndp, is_hashed = one_of(NDP), one_of(DCTCP, CUBIC, UDP, HPCC)


def trees_over_ring(size_kb: int) -> float:
    """A double tree's levels over the ring's steps."""
    way, half = packets(NDP), 500 * size_kb
    level = way.lasts_s(half), way.tail_s(half)
    tree = 2 * ((2 * (LEVELS - 1) + 1) * level[0] + LEVELS * level[1])
    return 1e6 * tree / closed_us(NDP, RING, size_kb)


METRICS = (
    Metric(name="time_us", label="time of an all-reduce (µs)", form=".1f"),
    Metric(name="again", label="packets sent again", form=".1f"),
    Metric(name="timeouts", label="timeouts", form=".1f"),
)
SMALL_ONES = [over_closed(SMALL, algorithm) for algorithm in (RING, HALVING, DIRECT)]
OF_NDP = [over_closed(LARGE, algorithm).among(is_ndp) for algorithm in CLOSED]
OF_TCP = [over_closed(LARGE, algorithm).among(one_of(DCTCP, CUBIC)) for algorithm in (RING, HALVING)]
OF_UDP = [over_closed(size, algorithm).among(one_of(UDP)) for algorithm in CLOSED for size in (SMALL, LARGE)]
OF_HPCC = [over_closed(LARGE, algorithm).among(one_of(HPCC)) for algorithm in (RING, HALVING)]
ON_THE_RING = times(CIRCLE, LARGE, algorithm=RING) / (
    lambda transport: 1e6 * with_answers(transport) * ring_on_the_ring_s(transport, 1000 * LARGE)
)
BY_DISTANCE = times(CIRCLE, LARGE, algorithm=HALVING) / times(CIRCLE, LARGE, algorithm=RING)
ON_THE_TREE = times(TREE, LARGE, algorithm=RING) / (
    lambda transport: 1e6 * with_answers(transport) * ring_on_the_tree_s(transport, 1000 * LARGE)
)

experiment = Experiment(
    id="work/algorithms",
    title="all-reduces by algorithm, on a star, a ring and a fat tree, by five transports",
    source=Source(paper="ours, by the closed forms of R. Thakur et al., 2005", figures="none", section="§4"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(network=NETWORKS, algorithm=ALGORITHMS, transport=list(CARRIERS), size_kb=(SMALL, LARGE)),
        replications=2,
        note="two of five sizes, two replications",
    ),
    full=Form(
        points=grid(network=NETWORKS, algorithm=ALGORITHMS, transport=list(CARRIERS), size_kb=SIZES_KB),
        replications=10,
    ),
    claims=(
        Claim(
            id="small",
            text="with blocks of a packet every transport takes the closed form on a star",
            whose="ours",
            where="arithmetic",
            expected="1 for ring, halving-doubling and direct with 64 kB",
            tolerance="within 5 %; in shape: 15 %",
            check=everywhere(*(near(one, 1, by=0.05, in_shape=0.15) for one in SMALL_ONES)),
            reason="an initial window of 14,600 B is three packets of 4 kB, and linux-cubic opens with a handshake. "
            "With ten packets at once DCTCP's halving-doubling takes 1.00, and so does linux-cubic's without "
            "a handshake (trials)",
        ),
        Claim(
            id="answers",
            text="a large buffer costs NDP its ACKs and pulls, whatever the algorithm",
            whose="ours",
            where="arithmetic: 128 B for a packet of 4096 B",
            expected="1.031 of the closed form with 16 MB",
            tolerance="within 0.01 for all four; in shape: 0.03",
            check=everywhere(*(near(one, with_answers, by=0.01, in_shape=0.03) for one in OF_NDP)),
        ),
        Claim(
            id="tcp",
            text="a large buffer costs DCTCP and linux-cubic next to nothing: one flow has each link",
            whose="ours",
            where="arithmetic: 40 B for a packet of 4096 B",
            expected="1 to 1.01 of the closed form of ring and halving-doubling with 16 MB",
            tolerance="0.99 to 1.03; in shape: 0.97 to 1.1",
            check=everywhere(*(within(one, 0.99, 1.03, in_shape=(0.97, 1.1)) for one in OF_TCP)),
            reason="each of four partners has a connection, which begins slowly. With 100 packets at once and no "
            "handshake halving-doubling takes 1.013 under DCTCP and 1.015 under linux-cubic (trials)",
        ),
        Claim(
            id="constant",
            text="UDP at the rate of the links takes the closed form on a star, whatever the algorithm and the size",
            whose="ours",
            where="arithmetic: nothing shares a link with a transfer, and nobody answers",
            expected="1 for all four with 64 kB and 16 MB",
            tolerance="within 0.001; in shape: 0.01",
            check=everywhere(*(near(one, 1, by=0.001, in_shape=0.01) for one in OF_UDP)),
        ),
        Claim(
            id="told",
            text="HPCC begins at the rate of the links, and leaves at most 5 % of them free",
            whose="ours",
            where="Y. Li et al., SIGCOMM 2019, §3.3: eta = 95 %",
            expected="1 to 1.05 of the closed form of ring and halving-doubling with 16 MB",
            tolerance="0.99 to 1.08; in shape: 0.97 to 1.15",
            check=everywhere(*(within(one, 0.99, 1.08, in_shape=(0.97, 1.15)) for one in OF_HPCC)),
            reason="its ACKs have 82 B and cost 2 % more: with eta = 1 it takes 1.019 and 1.020 (trials)",
        ),
        Claim(
            id="ring-ring",
            text="on the ring, the ring algorithm costs the longer ways only, under every transport",
            whose="ours",
            where="arithmetic: 30 transfers in a row over three links",
            expected="1 of that sum, with ACKs and pulls, with 16 MB",
            tolerance="within 5 %; in shape: 15 %",
            check=near(ON_THE_RING.told(".3f", name="over arithmetic"), 1, by=0.05, in_shape=0.15),
            reason="DCTCP's ACKs wait behind data of their own host: with DRR at hosts it takes 1.005 (trial)",
        ),
        Claim(
            id="neighbours",
            text="on the ring, halving-doubling fills a link with what its partners send over eight switches",
            whose="ours",
            where="arithmetic: 10.6 M beside 1.9 M on the fullest link",
            expected="5.67 times the ring algorithm with 16 MB",
            tolerance="within 20 % under every transport; in shape: 3 or more",
            check=near(
                BY_DISTANCE.told(".2f", name="over the ring algorithm") / NEIGHBOURS,
                1,
                by=0.2,
                in_shape=above(BY_DISTANCE, 3),
            ).saying(BY_DISTANCE.told(".2f", name="over the ring algorithm")),
            reason="eight flows meet at a switch: NDP's packets are trimmed at the last of several, and linux-cubic "
            "waits for timeouts. With room for 1000 packets NDP takes 6.3. HPCC's round trip over eight switches is "
            "longer than it was told: with 24 us it takes 7.0 (trials)",
        ),
        Claim(
            id="order",
            text="with small buffers fewer steps win: direct before halving-doubling before the ring",
            whose="ours",
            where="arithmetic: 2, 8 and 30 ways of 2 µs",
            expected="a fifth and two fifths of the ring's time with 64 kB",
            tolerance="direct at most 0.25, halving-doubling at most 0.5 of the ring; in shape: the order",
            check=everywhere(
                at_most(
                    over_ring(SMALL, DIRECT), 0.25, in_shape=below(over_ring(SMALL, DIRECT), over_ring(SMALL, HALVING))
                ),
                at_most(over_ring(SMALL, HALVING), 0.5, in_shape=below(over_ring(SMALL, HALVING), 1)),
            ),
            reason="connections begin slowly, and linux-cubic's with a handshake, as in the claim on blocks of a "
            "packet",
        ),
        Claim(
            id="bytes",
            text="with large buffers bytes decide: whole buffers in recursive doubling cost twice the time",
            whose="ours",
            where="arithmetic: 4 M over 30/16 M",
            expected="2.13 bytes for one of the ring; 2.08 of its time with 16 MB",
            tolerance="within 0.1 of the closed forms' ratio; in shape: 1.7 to 2.5",
            check=near(
                over_ring(LARGE, DOUBLING),
                lambda transport: closed_us(transport, DOUBLING, LARGE) / closed_us(transport, RING, LARGE),
                by=0.1,
                in_shape=within(over_ring(LARGE, DOUBLING), 1.7, 2.5),
            ),
        ),
        Claim(
            id="trees",
            text="a double tree without chunks is quicker than the ring with small buffers, and dear with large ones",
            whose="ours",
            where="arithmetic: four levels up and down, two children for a parent on three",
            expected="0.69 of the ring's time with 64 kB, and 3.6 with 16 MB",
            tolerance="within 20 % by each transport; in shape: below 1, and above 2",
            check=everywhere(
                near(
                    over_ring(SMALL, TREES) / trees_over_ring(SMALL),
                    1,
                    by=0.2,
                    in_shape=below(over_ring(SMALL, TREES), 1),
                ),
                near(
                    over_ring(LARGE, TREES) / trees_over_ring(LARGE),
                    1,
                    by=0.2,
                    in_shape=within(over_ring(LARGE, TREES), 2, 10),
                ),
            ),
            reason="connections begin slowly: with ten packets at once DCTCP takes 1.00 of arithmetic with 64 kB. "
            "With 16 MB two children fill the port of a parent, and linux-cubic waits for timeouts of 200 ms: "
            "with unlimited room it takes 9.4 ms in place of 409 (trials)",
        ),
        Claim(
            id="chunks",
            text="chunks fill the levels of a double tree",
            whose="ours",
            where="arithmetic: 2 M and eight levels of a chunk",
            expected="1.28 of the ring's time with 16 MB",
            tolerance="within 15 % by each transport; in shape: 1 to 2",
            check=near(
                over_ring(LARGE, CHUNKED) / 1.28, 1, by=0.15, in_shape=within(over_ring(LARGE, CHUNKED), 1, 2)
            ).saying(over_ring(LARGE, CHUNKED)),
            reason="children fill the port of a parent: with unlimited room linux-cubic takes 5.2 ms in place of "
            "44.3, and HPCC, which begins a connection for each chunk at the rate of the links, 2.45 of the ring. "
            "DCTCP's ACKs wait behind data of their own host: with DRR there it takes 1.24 of the ring (trials)",
        ),
        Claim(
            id="ring-tree",
            text="on the fat tree a ring in block order costs the longer ways only, under every transport",
            whose="ours",
            where="arithmetic: 30 transfers in a row, over two, four and six links",
            expected="1 of that sum, with ACKs and pulls, with 16 MB",
            tolerance="within 5 %; in shape: 15 %",
            check=near(ON_THE_TREE.told(".3f", name="over arithmetic"), 1, by=0.05, in_shape=0.15),
            reason="no two flows share a link, but ACKs wait behind data of their own host, and release bursts onto "
            "links that carry ACKs as well: 647 packets are marked. With DRR at hosts DCTCP takes 1.02 of "
            "arithmetic (trial)",
        ),
        Claim(
            id="hashed",
            text="hashed flows of halving-doubling share links of the fat tree: two or three on the fullest",
            whose="ours",
            where="arithmetic: 0.8 of the bytes cross the core, all ranks at once",
            expected="1.8 to 2.6 of the star's time with 16 MB",
            tolerance="1.5 to 3.2 under all but NDP; in shape: at least 1.2",
            check=within(over_star(HALVING).among(is_hashed), 1.5, 3.2, in_shape=(1.2, 100)),
            reason="three flows on a link fill its port. With unlimited room linux-cubic takes 7.2 ms, 2.85 of the "
            "star's (trial); timeouts take the rest, and those of DCTCP 10 ms each",
        ),
        Claim(
            id="sprayed",
            text="sprayed packets share them alike: NDP loses little on the fat tree",
            whose="ours",
            where="Handley et al. 2017 §3",
            expected="1.0 to 1.1 of the star's time with 16 MB for halving-doubling and direct",
            tolerance="at most 1.15; in shape: 1.3",
            check=everywhere(
                at_most(over_star(HALVING).among(is_ndp), 1.15, in_shape=1.3),
                at_most(over_star(DIRECT).among(is_ndp), 1.15, in_shape=1.3),
            ),
            reason="the 15 flows of a host under direct take their paths by turns that know nothing of one another. If "
            "each packet draws its path (a trial), they take 1.18 and halving-doubling 1.34",
        ),
        Claim(
            id="many",
            text="many flows are hashed more evenly than few: the fat tree costs direct less than halving-doubling",
            whose="ours",
            where="arithmetic: 15 flows of a host, not one",
            expected="1.2 to 1.6 of the star's time with 16 MB",
            tolerance="at most 0.8 of what halving-doubling loses, under DCTCP; in shape: less",
            check=at_most(
                (over_star(DIRECT) / over_star(HALVING)).at(DCTCP),
                0.8,
                in_shape=below((over_star(DIRECT) / over_star(HALVING)).at(DCTCP), 1),
            ).saying(over_star(DIRECT).at(DCTCP), over_star(HALVING).at(DCTCP)),
        ),
    ),
    plots=[
        Plot(
            name="star",
            draw=Lines(
                "size_kb",
                "time_us",
                ("buffer of a rank (kB)", "time of an all-reduce on a star, NDP (µs)"),
                by="algorithm",
                where={"network": STAR, "transport": NDP},
                expected={"ring, closed form": lambda size_kb: closed_us(NDP, RING, int(size_kb))},
                scales="xy",
            ),
        ),
        Plot(
            name="ring",
            draw=Lines(
                "size_kb",
                "time_us",
                ("buffer of a rank (kB)", "time of an all-reduce on a ring, UDP (µs)"),
                by="algorithm",
                where={"network": CIRCLE, "transport": UDP},
                expected={"ring, closed form": lambda size_kb: 1e6 * ring_on_the_ring_s(UDP, 1000 * int(size_kb))},
                scales="xy",
            ),
        ),
        Plot(
            name="tree",
            draw=Lines(
                "size_kb",
                "time_us",
                ("buffer of a rank (kB)", "time of halving-doubling on a fat tree (µs)"),
                by="transport",
                where={"network": TREE, "algorithm": HALVING},
                looks=LOOKS,
                expected={"closed form on a star": lambda size_kb: closed_us(CUBIC, HALVING, int(size_kb))},
                scales="xy",
            ),
        ),
    ],
    notes=(
        "On the fat tree NDP sprays packets, and the others are hashed: another seed gives another hash.",
        "A transfer is done when its last byte has arrived; transfers of a pair keep one connection, but for HPCC's.",
        "linux-cubic waits for 200 ms at least before a timeout, DCTCP and HPCC for 10 ms, NDP for 1 ms.",
    ),
)
