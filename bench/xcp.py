#!/usr/bin/env python3
"""Workload S3 in photocol and ns-2: utilisation, queue, drops and windows side by side.

    .venv/bin/python bench/xcp.py --plot docs/images/xcp-ns2.png
    .venv/bin/python bench/xcp.py --back constant

Four cases: the controller at the port that loses capacity is told or not, and the port holds 1000 waiting packets or
one. What was expected of them, and what explains the differences, is in docs/validation/xcp.md.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import compare
import flows
import polars as pl

from photocol.plot import course, looks, save_png

DURATION_S = 600
# The last 100 s of each period, by which the windows have settled; capacity is short in the second.
SPANS_S = [(100, 200), (300, 400), (500, 600)]
SHORT_S = SPANS_S[1]
GROUPS = flows.XCP_GROUPS
PORT = "ri->core"
PAYLOAD_BYTES = 940


@dataclass(frozen=True)
class Case:
    """What the controller at the port knows, and how many packets may wait there."""

    told: bool
    buffer_packets: int

    @property
    def label(self) -> str:
        """The case in words."""
        packets = "packet" if self.buffer_packets == 1 else "packets"
        return f"{'told' if self.told else 'not told'}, {self.buffer_packets} {packets}"


# Scenario and options of ns-2 for a way back: as the way forth, or 152 ms always (the default reading of
# experiments/003).
BACK = {"as-forth": ("s3.toml", {}), "constant": ("s3-back.toml", {"back": 152})}
CASES = [Case(True, 1000), Case(True, 1), Case(False, 1000), Case(False, 1)]


@dataclass(frozen=True)
class Outcome:
    """One simulator's run: its series, with columns t_s, utilization, queue, cwnd_0 to cwnd_4 (packets), a row a
    second, and the drop rate at the port while capacity is short.
    """

    series: pl.DataFrame
    drop_rate: float

    def mean(self, column: str, span_s: tuple[int, int]) -> float:
        """The mean of a column over the samples in (from, to]."""
        start_s, end_s = span_s
        part = self.series.filter((pl.col("t_s") > start_s) & (pl.col("t_s") <= end_s))[column]
        return float(part.to_numpy().mean())


def photocol_outcome(case: Case, flow_list: Path, back: str, settings: list[str]) -> Outcome:
    """One run for the series, and one that ends with the short capacity and counts drops in its last 100 s."""
    out = compare.BUILD / "photocol-s3"
    case_settings = [
        f"traffic.0.file={flow_list.with_suffix('.csv')}",
        f"link.1.buffer={case.buffer_packets} packets",
        f"link.1.xcp.follows={str(case.told).lower()}",
        *settings,
    ]
    scenario, _ = BACK[back]
    photocol(out, scenario, case_settings)
    series = series_of(pl.read_parquet(out / "series.parquet"))
    start_s, end_s = SHORT_S
    photocol(out, scenario, [*case_settings, f"run.warm_up={start_s} s", f"run.duration={end_s} s"])
    port = pl.read_parquet(out / "links.parquet").row(by_predicate=pl.col("link") == PORT, named=True)
    return Outcome(series, port["dropped_units"] / port["offered_units"])


def photocol(out: Path, scenario: str, settings: list[str]) -> None:
    """Runs S3 with these settings into a folder."""
    command = [str(compare.PHOTOCOL), "run", str(compare.BENCH / "scenarios" / scenario), "--json", "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    compare.measure([*command, "--force", "--out", str(out)])


def series_of(samples: pl.DataFrame) -> pl.DataFrame:
    """photocol's series with a column a quantity."""

    def column(entity: str, quantity: str, name: str, scale: float = 1.0) -> pl.DataFrame:
        rows = samples.filter((pl.col("entity") == entity) & (pl.col("quantity") == quantity))
        return rows.select("t_s", (pl.col("value") / scale).alias(name))

    table = column(PORT, "utilization", "utilization").join(column(PORT, "queue", "queue"), on="t_s")
    for flow in range(GROUPS):
        table = table.join(column(f"flow {flow}", "cwnd", f"cwnd_{flow}", PAYLOAD_BYTES), on="t_s")
    return table.sort("t_s")


def ns2_outcome(case: Case, flow_list: Path, back: str) -> Outcome:
    """One run; the counters are read at both ends of the span of short capacity."""
    out = compare.BUILD / "ns2-s3.csv"
    start_s, end_s = SHORT_S
    options = {
        "flows": flow_list.with_suffix(".txt"),
        "controller": "follows" if case.told else "rated",
        "buffer": case.buffer_packets,
        "duration": DURATION_S,
        "from": start_s,
        "until": end_s,
        "series": out,
        **BACK[back][1],
    }
    words = [word for name, value in options.items() for word in (f"-{name}", str(value))]
    report = compare.measure(["ns", str(compare.BENCH / "ns2" / "xcp.tcl"), *words]).report
    return Outcome(pl.read_csv(out), report["drop_rate"])


def table(results: dict[Case, dict[str, Outcome]]) -> str:
    """Everything in Markdown."""
    spans = [f"{start_s}–{end_s} s" for start_s, end_s in SPANS_S]
    rows = [
        "| case | simulator | utilisation " + " | ".join(spans) + " | mean queue and drop rate " + spans[1] + " "
        "| windows of five flows (packets) " + " | ".join(spans) + " |",
        "|---" * (3 + 2 * len(SPANS_S)) + "|",
    ]
    for case, outcomes in results.items():
        for simulator, outcome in outcomes.items():
            utilization = [f"{outcome.mean('utilization', span):.4f}" for span in SPANS_S]
            windows = [
                ", ".join(f"{outcome.mean(f'cwnd_{flow}', span):.2f}" for flow in range(GROUPS)) for span in SPANS_S
            ]
            queue = f"{outcome.mean('queue', SHORT_S):.1f}; {outcome.drop_rate:.2e}"
            rows.append(f"| {' | '.join([case.label, simulator, *utilization, queue, *windows])} |")
    return "\n".join(rows)


def plot(results: dict[Case, dict[str, Outcome]], file: Path) -> None:
    """Utilisation and the first flow's window over time, a column a case."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(results), figsize=(11, 5.4), sharex=True, sharey="row", layout="constrained")
    for column, (case, outcomes) in enumerate(results.items()):
        for row, quantity in enumerate(["utilization", "cwnd_0"]):
            for look, simulator in zip(looks(2), ("ns-2", "photocol"), strict=True):
                if simulator in outcomes:
                    series = outcomes[simulator].series
                    course(axes[row, column], series["t_s"], series[quantity], look, simulator)
            axes[row, column].grid(visible=True, color="0.9", linewidth=0.8)
        axes[0, column].set_title(case.label)
        axes[1, column].set_xlabel("time (s)")
    axes[0, 0].set_ylabel("utilisation of the port\n(busy time / time)")
    axes[1, 0].set_ylabel("window of flow 0\n(packets, mean and range)")
    axes[0, 0].set_ylim(0, None)
    # ns-2 begins with a window a hundred times as large as the others: what is cut off would not be seen.
    axes[1, 0].set_yscale("log")
    axes[1, 0].yaxis.set_major_formatter("{x:g}")
    axes[0, 0].legend(frameon=False)
    save_png(figure, file, dpi=110)


def main() -> int:
    """Runs all cases in both simulators, prints the table, draws the plot."""
    parser = argparse.ArgumentParser(description="XCP in photocol and in ns-2: case 1 of paper 003.")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw utilisation and a window into FILE")
    parser.add_argument("--back", choices=BACK, default="as-forth", help="the way back")
    parser.add_argument("--seed", type=int, default=1, help="seed of the flow list")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="for photocol's runs")
    options = parser.parse_args()
    compare.BUILD.mkdir(exist_ok=True)
    flow_list = compare.BUILD / f"s3-seed-{options.seed}"
    flows.write_xcp(flow_list, seed=options.seed)
    simulators = compare.present_simulators(["photocol", "ns-2"], "")
    results: dict[Case, dict[str, Outcome]] = {}
    for case in CASES:
        results[case] = {}
        if "photocol" in simulators:
            results[case]["photocol"] = photocol_outcome(case, flow_list, options.back, options.set)
        if "ns-2" in simulators:
            results[case]["ns-2"] = ns2_outcome(case, flow_list, options.back)
    print(table(results))
    if options.plot:
        plot(results, options.plot)
    return 0 if simulators else 1


if __name__ == "__main__":
    sys.exit(main())
