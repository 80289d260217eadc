#!/usr/bin/env python3
"""The network of workload S2: NSFNET, 14 core nodes c0…c13 with one edge node e0…e13 each, and its routes.

The ns-2 and ns-3 programs read both from one text file, so that neither holds a copy of the table and neither chooses
among equally long paths in its own way:

    link c0 c1 5.5        both directions, propagation delay in milliseconds
    route c0 e5 c2        at c0, packets for e5 go to c2
"""

import argparse
import heapq
from pathlib import Path

NODES = 14
DISTANCES_KM = {
    (0, 1): 1100, (0, 2): 1600, (0, 7): 2800, (1, 2): 600, (1, 3): 1000, (2, 5): 2000, (3, 4): 600,
    (3, 10): 2400, (4, 5): 1100, (4, 6): 800, (5, 9): 1200, (5, 13): 2000, (6, 7): 700, (7, 8): 700,
    (8, 9): 900, (8, 11): 500, (8, 12): 500, (10, 11): 800, (10, 12): 800, (11, 13): 300, (12, 13): 300,
}  # fmt: skip
MILLISECONDS_PER_KM = 0.005
EDGE_DELAY_MS = 0.1


def neighbours() -> list[dict[int, int]]:
    """Per core node: its neighbours and their distances in km."""
    table: list[dict[int, int]] = [{} for _ in range(NODES)]
    for (a, b), km in DISTANCES_KM.items():
        table[a][b] = table[b][a] = km
    return table


def next_hops(destination: int) -> dict[int, int]:
    """Per core node, the next core node towards ``destination``.

    The path is the shortest in km, then in hops, then the one whose next node has the lowest number. Fifteen pairs have
    two shortest paths, fourteen of them with equally many hops, so the rule matters.
    """
    links = neighbours()
    cost = {destination: (0, 0)}
    queue = [(0, 0, destination)]
    while queue:
        km, hops, node = heapq.heappop(queue)
        if (km, hops) > cost[node]:
            continue
        for neighbour, distance in links[node].items():
            candidate = (km + distance, hops + 1)
            if neighbour not in cost or candidate < cost[neighbour]:
                cost[neighbour] = candidate
                heapq.heappush(queue, (*candidate, neighbour))

    def via(node: int, neighbour: int) -> tuple[int, int, int]:
        km, hops = cost[neighbour]
        return (km + links[node][neighbour], hops + 1, neighbour)

    return {node: min(links[node], key=lambda n: via(node, n)) for node in range(NODES) if node != destination}


def topology_lines() -> list[str]:
    """The file's lines: 35 links, then the routes of every node towards every edge node but itself."""
    core_links = [f"link c{a} c{b} {km * MILLISECONDS_PER_KM:g}" for (a, b), km in DISTANCES_KM.items()]
    edge_links = [f"link c{node} e{node} {EDGE_DELAY_MS:g}" for node in range(NODES)]
    routes = []
    for destination in range(NODES):
        routes.append(f"route c{destination} e{destination} e{destination}")
        for node, hop in next_hops(destination).items():
            routes.append(f"route c{node} e{destination} c{hop}")
            routes.append(f"route e{node} e{destination} c{node}")
    return core_links + edge_links + routes


def write_topology(out: Path) -> None:
    """Writes the topology file of workload S2."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(topology_lines()) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the network of workload S2 with its routes.")
    parser.add_argument("--out", type=Path, required=True)
    write_topology(parser.parse_args().out)


if __name__ == "__main__":
    main()
