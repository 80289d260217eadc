"""Five short runs as small tables of windows, queues and drops in time: a difference shows what moved.

A change that moves results on purpose writes the tables anew (`PHOTOCOL_GOLDEN=write`, and this
file under pytest), and its commit says why they moved.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import photocol

if TYPE_CHECKING:
    import polars as pl

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
MSS = 1460


@dataclass(frozen=True)
class Golden:
    """A ready-made scenario, shortened, and what is shown of it: (entity, quantity, what the value is divided by)."""

    scenario: str
    settings: dict[str, str]
    columns: list[tuple[str, str, float]]
    figures: list[str] = field(default_factory=lambda: ["segments_sent", "retransmissions", "timeouts"])


RUNS = [
    Golden(
        "dumbbell",
        {"run.duration": "3 s", "run.warm_up": "0 s", "probe.interval": "0.1 s"},
        [
            ("flow 0", "cwnd", MSS),
            ("flow 0", "ssthresh", MSS),
            ("flow 1", "cwnd", MSS),
            ("left->right", "queue", 1),
            ("left->right", "dropped", 1),
        ],
    ),
    Golden(
        "xcp",
        {"run.duration": "3 s", "run.warm_up": "0 s", "probe.interval": "0.1 s"},
        [
            ("flow 0", "cwnd", 1000),
            ("flow 1", "cwnd", 1000),
            ("left->right", "queue", 1),
            ("left->right", "feedback", 1e6),
        ],
    ),
    Golden(
        "aapn",
        {"run.duration": "1 s", "run.warm_up": "0 s", "probe.interval": "40 ms"},
        [
            ("e0->e1", "granted_slots", 1),
            ("e0->e1", "queue", 1),
            ("e0->e1", "offered", 1),
            ("e0->e1", "believed_capacity", 1e6),
            ("e0->e1#2", "granted_slots", 1),
        ],
    ),
    Golden(
        "macroflows",
        {
            "run.duration": "2 s",
            "run.warm_up": "0 s",
            "probe.interval": "0.1 s",
            "probe.flows": "[0]",
            "probe.links": '["e0->0", "0->1"]',
        },
        [
            ("flow 0", "cwnd", MSS),
            ("e0->0", "queue", 1),
            ("0->1", "queue", 1),
            ("0->1", "offered", 1),
            ("0->1", "dropped", 1),
            ("0->1", "utilization", 1),
        ],
    ),
    Golden(
        "obs",
        {
            "run.duration": "0.4 s",
            "run.warm_up": "0 s",
            "probe.interval": "20 ms",
            "probe.flows": "[0]",
            "probe.links": '["0->1"]',
        },
        [("flow 0", "cwnd", 960), ("0->1", "offered", 1), ("0->1", "dropped", 1), ("0->1 (control)", "offered", 1)],
        ["bursts_sent", "bursts_lost", "burst_loss_rate", "segments_sent", "retransmissions", "timeouts"],
    ),
]


def table(series: pl.DataFrame, columns: list[tuple[str, str, float]]) -> list[str]:
    """One line a sample; a value that was not sampled at that time is a point."""
    heads = [f"{entity} {quantity}" + (f" /{unit:g}" if unit != 1 else "") for entity, quantity, unit in columns]
    lines = ["t_s".rjust(8) + "".join(f"  {head}" for head in heads)]
    values = {(row["t_s"], row["entity"], row["quantity"]): row["value"] for row in series.iter_rows(named=True)}
    for time in series["t_s"].unique().sort():
        cells = [values.get((time, entity, quantity)) for entity, quantity, _ in columns]
        shown = (
            "." if cell is None else f"{cell / unit:.10g}"[:8]
            for cell, (_, _, unit) in zip(cells, columns, strict=True)
        )
        lines.append(
            f"{time:8.3f}" + "".join(f"  {cell:>{len(head)}}" for cell, head in zip(shown, heads, strict=True))
        )
    return lines


def shown(golden: Golden) -> str:
    result = photocol.run(ROOT / "scenarios" / f"{golden.scenario}.toml", set=golden.settings)
    settings = " ".join(f"--set {key}='{value}'" for key, value in golden.settings.items())
    drops = [
        f"{row['where']}, {row['class']}, {row['cause']}: {row['units']}" for row in result.drops.iter_rows(named=True)
    ]
    return "\n".join(
        [
            f"# photocol run scenarios/{golden.scenario}.toml {settings}",
            *table(result.series, golden.columns),
            *(f"{name}: {result.summary[name]:.10g}" for name in golden.figures),
            "drops: "
            + ("; ".join(drops[:6]) or "none")
            + (f"; and {len(drops) - 6} rows more" if len(drops) > 6 else ""),
            "",
        ]
    )


@pytest.mark.filterwarnings("ignore:.*the end of the run", "ignore:an event at .* never happens")
@pytest.mark.parametrize("golden", RUNS, ids=lambda golden: golden.scenario)
def test_a_short_run_is_what_it_was(golden: Golden) -> None:
    file = GOLDEN / f"{golden.scenario}.txt"
    found = shown(golden)
    if os.environ.get("PHOTOCOL_GOLDEN") == "write":
        file.write_text(found)
    assert found.splitlines() == file.read_text().splitlines()


def test_a_golden_file_fits_on_a_screen() -> None:
    named = sorted([*(golden.scenario for golden in RUNS), "sawtooth"])  # The last is of test_sawtooth.py.
    assert sorted(file.stem for file in GOLDEN.glob("*.txt")) == named
    assert all((GOLDEN / f"{golden.scenario}.txt").read_text().count("\n") <= 42 for golden in RUNS)
