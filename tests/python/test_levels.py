"""Levels of detail of a page say of the whole trace what its events say; a frame of a million events is bounded."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from browser import CHROMIUM, Page, opened

import photocol
from photocol.report import build, run_page
from photocol.report.levels import FEWEST, WHOLE, _coarser, _rows, levels, parts

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "scenarios"
sys.path.insert(0, str(ROOT / "bench"))
pytestmark = pytest.mark.filterwarnings("ignore:.*start after the end", "ignore:an event at")

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: pages are not looked at")
SHORT = {"dumbbell": "1 s", "obs": "0.05 s", "aapn": "0.6 s"}


@pytest.fixture(scope="module", params=SHORT)
def traced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run of which everything is traced."""
    name = request.param
    out = tmp_path_factory.mktemp("runs") / name
    settings = {"run.duration": SHORT[name], "run.warm_up": "0 s", "trace.enabled": True}
    photocol.run(SCENARIOS / f"{name}.toml", set=settings, out=out)
    return out


def events_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "trace.parquet")


def event(at_ps: int, lasts_ps: int, *, name: str = "pass", flow: int | None = 0) -> dict[str, Any]:
    return {"t_ps": at_ps, "event": name, "place": "a->b", "channel": None, "class": "data", "flow": flow,
            "wait_ps": 0, "lasts_ps": lasts_ps, "cause": "congestion" if name == "drop" else None}  # fmt: skip


def table(*rows: dict[str, Any]) -> pl.DataFrame:
    words = {
        "event": ["pass", "drop", "slot", "reserve"],
        "place": ["a->b"],
        "class": ["data"],
        "cause": ["congestion"],
    }
    numbers = dict.fromkeys(("t_ps", "wait_ps", "lasts_ps", "channel", "flow"), pl.UInt64)
    return pl.DataFrame(rows, schema_overrides={**numbers, **{name: pl.Enum(listed) for name, listed in words.items()}})


def test_shares_owners_and_losses_by_hand() -> None:
    # Eight parts of 100 ps: flow 3 has half of the first and all of the second, flow 4 a tenth of the last.
    events = table(
        event(50, 150, flow=3), event(310, 0, name="drop"), event(320, 0, name="drop"), event(790, 10, flow=4)
    )
    (row,) = _rows(events)
    held = row.cut(800, 8)
    assert held["share"].tolist() == [32768, WHOLE, 0, 0, 0, 0, 0, 6554]
    assert held["flow"].tolist() == [4, 4, 0, 0, 0, 0, 0, 5]
    assert held["lost"].tolist() == [0, 0, 0, 2, 0, 0, 0, 0]


def test_a_coarser_level_has_the_mean_the_first_owner_and_all_losses() -> None:
    count = FEWEST * 4
    fine = {
        "share": np.tile(np.array([0, 100, 300, 0], np.uint16), count // 4)[None],
        "flow": np.tile(np.array([0, 7, 9, 0], np.uint32), count // 4)[None],
        "class": np.ones((1, count), np.uint8),
        "lost": np.ones((1, count), np.uint32),
    }
    first, second = _coarser(fine)
    assert first is fine
    assert {name: set(values.flatten().tolist()) for name, values in second.items()} == {
        "share": {100}, "flow": {7}, "class": {1}, "lost": {4},
    }  # fmt: skip


def test_many_rows_have_fewer_parts() -> None:
    assert [parts(rows) for rows in (1, 24, 100, 1000, 4000)] == [32768, 32768, 8192, 512, 512]


def test_levels_add_up_to_the_events(traced: Path) -> None:
    events = events_of(traced).with_columns(pl.col("event").cast(pl.String))
    until = int(events.select((pl.col("t_ps") + pl.col("wait_ps") + pl.col("lasts_ps")).max()).item())
    rows = list(_rows(events_of(traced)))
    shown = events.filter(pl.col("event").is_in(["pass", "reserve", "slot"]))
    assert sum(len(row.begins) for row in rows) == shown.height
    lost = events.filter(pl.col("event").is_in(["drop", "vanish"]))
    by_place = dict(lost.group_by(pl.col("place").to_physical().cast(pl.Int64)).len().iter_rows())
    exact = 0
    for row in rows:
        held = row.cut(until, 4096)
        assert held["lost"].sum() == len(row.lost)
        assert len(row.lost) in (0, by_place.get(row.place, 0))
        taken = held["share"].astype(float).sum() / WHOLE * until / 4096
        bars = float((row.ends - row.begins).sum())
        # A share is rounded up to the next of 65 535, and is one where bars overlap.
        assert taken <= bars + 4096 * (until / 4096 + 1) / WHOLE
        if (row.begins[1:] >= row.ends[:-1]).all():
            exact += 1
            assert taken >= bars
    assert exact >= len(rows) / 2


def test_the_page_says_of_the_network_what_the_trace_says(
    traced: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beyond the events that it has: here only the first thousand."""
    if CHROMIUM is None:
        pytest.skip("no chromium on the path: pages are not looked at")
    monkeypatch.setattr(run_page, "MOST_EVENTS", 1000)
    events = events_of(traced).with_columns(pl.col("event", "place").cast(pl.String))
    seconds = float(photocol.Result.load(traced).summary["duration"])

    async def judge(page: Page) -> None:
        assert await page.ask("photocol.views.trace.count") == 1000
        assert "beyond" in await page.ask("document.querySelector('#trace-note').textContent")
        rows = await page.ask(
            "photocol.views.views.find((view) => view.rows).rows"
            ".map((row) => [row.kind, photocol.views.trace.words.place[row.place], row.channel, row.count])"
        )
        for kind, place, channel, count in rows:
            name = {"wavelength": "reserve", "slots": "slot", "packets": "pass"}[kind]
            here = events.filter(pl.col("event") == name, pl.col("place") == place)
            assert (here.filter(pl.col("channel") == channel) if kind == "wavelength" else here).height == count
        for link, part in ((0, 100), (1, 150)):
            name = await page.ask(f"photocol.page.network.links[{link}].name")
            said = await page.ask(f"photocol.views.shares({part})[{link}]")
            span = seconds / 200
            assert said == pytest.approx(busy(events, name, (part * span, (part + 1) * span)), abs=1e-3)

    async def act() -> None:
        async with opened(tmp_path) as page:
            await page.show(build.write(traced, tmp_path / "page.html"))
            await judge(page)
            assert page.complaints == []

    asyncio.run(act())


def busy(events: pl.DataFrame, link: str, span_s: tuple[float, float]) -> float:
    """The share of a span that a link, or the mean of its wavelengths, sends."""
    here = events.filter(pl.col("place") == link)
    bursts = here.filter(pl.col("event") == "reserve")
    sent = bursts if bursts.height else here.filter(pl.col("event") == "pass")
    begins = (sent["t_ps"] + sent["wait_ps"]).to_numpy() / 1e12
    ends = begins + sent["lasts_ps"].to_numpy() / 1e12
    low, high = span_s
    lines = int(bursts["channel"].max()) + 1 if bursts.height else 1  # type: ignore[arg-type]
    return float(np.clip(np.minimum(ends, high) - np.maximum(begins, low), 0, None).sum() / (high - low) / lines)


@needs_browser
def test_a_million_events_are_drawn_column_by_column(tmp_path: Path) -> None:
    """A frame paints at most one share and one loss in each column of each row, however many events are behind them.

    Seconds are for `bench/page.py`."""
    import page as bench

    out = tmp_path / "run"
    assert bench.traced("dumbbell", 1_000_000, out) == 1_000_000
    file = build.write(out)
    assert file.stat().st_size <= 30_000_000

    async def act() -> tuple[list[int], int, int]:
        async with opened(tmp_path / "profile") as page:
            await page.show(file)
            painted = await page.ask(bench.FRAMES_PAINTED)
            rows = await page.ask("photocol.views.views.find((view) => view.rows).rows.length")
            columns = await page.ask("document.documentElement.clientWidth")
            assert page.complaints == []
            return painted, rows, columns

    painted, rows, columns = asyncio.run(act())
    assert len(painted) == 3 * bench.STEPS
    assert 0 < max(painted) <= 2 * rows * columns


def test_a_trace_without_rows_has_no_levels() -> None:
    held = levels(table(event(0, 0, name="drop")), 1000)
    assert held["rows"] == []
    assert json.dumps(held["levels"]) == "[]"
