"""The network on the page of a run: places, names that cover nothing, roads of two lanes, what can be saved."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import polars as pl
import pytest
from browser import CHROMIUM, Page
from command import SMALL
from test_report import look

import photocol
from photocol.report import build
from photocol.report.places import places
from photocol.report.run_page import page
from photocol.report.sides import sides

if TYPE_CHECKING:
    from pathlib import Path

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: pages are not looked at")
SVG = "{http://www.w3.org/2000/svg}"

COVERED = """
(() => {
  const boxes = [...document.querySelectorAll('.network .node, .network circle')].map((one) => {
    const r = one.getBoundingClientRect();
    // A circle is smaller than its box, and letters are than their line.
    const [dx, dy] = one.tagName === 'circle' ? [0.15 * r.width, 0.15 * r.height] : [0, 0.2 * r.height];
    return { text: one.textContent, name: one.tagName, box: [r.left + dx, r.top + dy, r.right - dx, r.bottom - dy] };
  });
  const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const names = boxes.filter((one) => one.name === 'text');
  return names.flatMap((one) => boxes.filter((other) => other !== one && meet(one.box, other.box))
    .map((other) => `${one.text} ${other.name} ${other.text}`));
})()
"""


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """NSFNET with losses at most of its links."""
    out = tmp_path_factory.mktemp("runs") / "nsfnet"
    with pytest.warns(UserWarning, match="start after the end"):
        photocol.run("nsfnet-buffers", set={"run.duration": "3 s", "run.warm_up": "1 s"}, out=out)
    return out


@needs_browser
@pytest.mark.parametrize("width", [1400, 700, 400])
def test_no_name_of_nsfnet_covers_another_or_a_node_or_a_mark(lossy: Path, tmp_path: Path, width: int) -> None:
    dropped = pl.read_parquet(lossy / "links.parquet").filter(pl.col("dropped_units") > 0).height

    async def judge(page: Page) -> None:
        await page.settle()
        assert await page.ask(COVERED) == []
        # A mark for each link that dropped something; names that are left out are counted.
        assert await page.ask("document.querySelectorAll('.network .loss').length") == dropped > 30
        shown = await page.ask("document.querySelectorAll('.network .node').length")
        said = await page.ask("document.querySelector('.map + .hint').textContent")
        left = int(said.split()[0]) if said else 0
        assert shown + left == 28
        assert shown >= (28 if width > 1000 else 24)
        assert await page.ask("document.documentElement.scrollWidth") <= width

    look(build.write(lossy), tmp_path, judge, width=width)


@needs_browser
def test_parallel_fibres_are_one_road_with_two_lanes(tmp_path: Path) -> None:
    one = {"from": "a", "to": "b", "capacity": "10 Mbps", "delay": "1 ms", "buffer": "9 packets"}
    fibres = [one, {**one, "parallel": True}, {**one, "parallel": True}]
    scenario = {
        "run": {"duration": "1 s", "warm_up": "0 s"},
        "topology": {"kind": "custom", "routing": "first"},
        "node": [{"name": "a"}, {"name": "b"}],
        "link": fibres,
        "traffic": [{"transport": "newreno", "from": "a", "to": "b"}],
    }
    photocol.run(scenario, out=tmp_path / "run")

    async def judge(page: Page) -> None:
        assert await page.ask("document.querySelectorAll('.network .link').length") == 2
        said = await page.ask("document.querySelector('.network .link title').textContent")
        assert len(said.splitlines()) == 3, said

    look(build.write(tmp_path / "run"), tmp_path / "profile", judge)


@needs_browser
@pytest.mark.filterwarnings("ignore:.*start after the end")
@pytest.mark.parametrize("width", [1400, 400])
def test_a_hundred_and_twenty_five_nodes_stay_readable(tmp_path: Path, width: int) -> None:
    photocol.run("grid", set={"run.duration": "10 ms", "run.warm_up": "0 s"}, out=tmp_path / "run")

    async def judge(page: Page) -> None:
        await page.settle()
        names = await page.ask("[...document.querySelectorAll('.network .node')].map((one) => one.textContent)")
        assert len(names) > (90 if width > 1000 else 40)
        overlaps = await page.ask(COVERED)
        assert [one for one in overlaps if " text " in one] == []

    look(build.write(tmp_path / "run"), tmp_path / "profile", judge, width=width)


@needs_browser
def test_goodput_over_time_follows_from_what_arrived(tmp_path: Path) -> None:
    photocol.run("dumbbell", set={"run.duration": "2 s", "run.warm_up": "0 s"}, out=tmp_path / "run")
    samples = pl.read_parquet(tmp_path / "run" / "series.parquet")
    arrived = samples.filter((pl.col("quantity") == "bytes_arrived") & (pl.col("entity") == "flow 1")).sort("t_s")
    expected = (8 * arrived["value"].diff() / arrived["t_s"].diff()).drop_nulls().to_list()
    saved: list[str] = []

    async def judge(page: Page) -> None:
        chosen = "const all = document.querySelectorAll('#series select'); "
        change = "one.dispatchEvent(new Event('change'));"
        await page.ask(f"(() => {{ {chosen} const one = all[0]; one.value = 'goodput'; {change} }})()")
        await page.ask(f"(() => {{ {chosen} const one = all[1]; one.value = 'flow 1'; {change} }})()")
        await page.settle()
        saved.extend(await page.ask(CAUGHT))

    look(build.write(tmp_path / "run"), tmp_path / "profile", judge)
    [table] = [text for text in saved if text.startswith("t_s,entity")]
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {row["entity"] for row in rows} == {"flow 1"}
    assert [float(row["value"]) for row in rows] == pytest.approx(expected)


CAUGHT = """
(() => {
  window.saved = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); };
  HTMLAnchorElement.prototype.click = () => {};
  document.querySelectorAll('section.view button[data-saves]').forEach((button) => button.click());
  return Promise.all(window.saved.map((blob) => blob.text()));
})()
"""


@needs_browser
@pytest.mark.filterwarnings("ignore:.*start after the end")
def test_each_picture_is_saved_as_svg_and_its_numbers_as_csv(tmp_path: Path) -> None:
    settings = {"run.duration": "1 s", "run.warm_up": "0.5 s", "trace.enabled": True, "trace.from": "0 s"}
    photocol.run("dumbbell", set=settings, out=tmp_path / "run")
    links = pl.read_parquet(tmp_path / "run" / "links.parquet")
    samples = pl.read_parquet(tmp_path / "run" / "series.parquet").filter(pl.col("quantity") == "cwnd")
    saved: list[str] = []

    async def judge(page: Page) -> None:
        asked = "[...document.querySelectorAll('#series select:first-of-type option')].map((one) => one.value)"
        subtitle = await page.ask("document.querySelector('header .hint').textContent")
        assert subtitle.endswith("figures cover 500 ms to 1 s, pictures are grey before")
        assert (await page.ask(asked))[:3] == ["cwnd", "cwnd (trace)", "queue"]
        await page.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        await page.ask("document.querySelector('#topology button[data-saves=csv]').click()")
        for _ in range(100):
            if (tmp_path / "network.csv").exists():
                break
            await asyncio.sleep(0.1)
        saved.extend(await page.ask(CAUGHT))

    look(build.write(tmp_path / "run"), tmp_path / "profile", judge)
    assert (tmp_path / "network.csv").read_text() in [text.replace("\r\n", "\n") for text in saved]
    pictures = [ElementTree.fromstring(text) for text in saved if text.startswith("<svg")]
    tables = [list(csv.DictReader(io.StringIO(text))) for text in saved if not text.startswith("<svg")]
    assert len(pictures) == len(tables) == 5, "network, gantt, sequence, space, series"
    assert all(picture.tag == f"{SVG}svg" and len(list(picture.iter())) > 10 for picture in pictures)
    assert sum("#f1f1ee" in text for text in saved if text.startswith("<svg")) == 4, (
        "the warm-up, in all but the network"
    )
    network, series, gantt, sequence, space = tables
    assert [int(row["offered_units"]) for row in network] == links["offered_units"].to_list()
    assert [float(row["value"]) for row in series] == samples.sort("entity", "t_s")["value"].to_list()
    assert {row["event"] for row in sequence} >= {"send", "ack"}
    assert len({row["flow"] for row in sequence}) == 1
    assert {row["event"] for row in gantt} >= {"pass"}
    assert {row["event"] for row in space} >= {"pass"}


def test_costs_are_told_as_people_read_them(lossy: Path) -> None:
    told = dict(page(lossy)["facts"])
    manifest = json.loads((lossy / "manifest.json").read_text())
    assert told["packet hops"] == f"{manifest['packet_hops']:,}"
    assert told["CPU time"].endswith(("ms", " s", "µs"))
    # Of the whole process, which may have carried out other tests before.
    number, unit = told["peak memory"].split()
    assert float(number) * {"MB": 1e6, "GB": 1e9}[unit] == pytest.approx(manifest["peak_memory_bytes"], rel=0.01)
    assert told["fingerprint"] == manifest["fingerprint"]


def test_a_dumbbell_has_its_hosts_left_and_right() -> None:
    nodes = ["left", "right", "l0", "l1", "r0", "r1"]
    links = [("left", "right"), ("l0", "left"), ("l1", "left"), ("right", "r0"), ("right", "r1")]
    at = places(nodes, links, core=["left", "right"])
    assert at == {
        "left": (0.3333, 0.5),
        "right": (0.6667, 0.5),
        "l0": (0.0, 0.0),
        "l1": (0.0, 1.0),
        "r0": (1.0, 0.0),
        "r1": (1.0, 1.0),
    }


def test_hosts_behind_edge_nodes_stand_further_out() -> None:
    nodes = ["hub", "e0", "e1", "h0", "h1"]
    at = places(nodes, [("hub", "e0"), ("hub", "e1"), ("e0", "h0"), ("e1", "h1")], core=["hub"])
    assert [at[name][0] for name in ("h0", "e0", "hub", "e1", "h1")] == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_a_ring_and_what_is_not_joined_are_for_springs() -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    assert sides(["a", "b", "c"], ring, ["a", "b", "c"]) is None
    assert sides(["a", "b", "lost"], [("a", "b")], ["a", "b"]) is None
    assert sides(["a", "b"], [("a", "b")], []) is None
    # Two chains are no chain.
    two = [("a", "b"), ("c", "d")]
    assert sides(["a", "b", "c", "d"], two, ["a", "b", "c", "d"]) is None


@needs_browser
def test_a_trace_covers_the_time_that_figures_cover_unless_it_is_told(tmp_path: Path) -> None:
    settings = {"run.warm_up": "1.5 s", "trace.limit": 1_000_000}
    photocol.run(SMALL, out=tmp_path / "run", set={**settings, "trace.enabled": True})
    events = pl.read_parquet(tmp_path / "run" / "trace.parquet").with_columns(pl.col("event").cast(pl.String))
    assert 1.5e12 <= events["t_ps"].min() < 1.51e12  # type: ignore[operator]
    saved: list[str] = []

    async def judge(page: Page) -> None:
        subtitle = await page.ask("document.querySelector('header .hint').textContent")
        assert "the trace covers 1.50 s to 2 s; figures cover 1.50 s to 2 s" in subtitle
        assert await page.ask("photocol.views.timeline.low") == pytest.approx(1.5, abs=1e-9)
        await page.ask(
            "(() => { const one = document.querySelector('#series select'); one.value = 'goodput (trace)'; "
            "one.dispatchEvent(new Event('change')); })()"
        )
        await page.settle()
        saved.extend(await page.ask(CAUGHT))

    look(build.write(tmp_path / "run"), tmp_path / "profile", judge)
    [table] = [text for text in saved if text.startswith("t_s,entity")]
    rates = pl.read_csv(io.StringIO(table)).group_by("entity").agg(pl.col("value").sum() * 0.5 / 400)
    # What was acknowledged before the trace begins is no jump at its beginning: 400 parts of 0.5 s.
    acks = events.filter(pl.col("event") == "ack").group_by("flow").agg(pl.col("unit").cast(float))
    bits = {f"flow {flow}": 8 * (max(units) - units[0]) for flow, units in acks.iter_rows()}
    assert dict(rates.iter_rows()) == pytest.approx(bits)
    photocol.run(SMALL, out=tmp_path / "whole", set={**settings, "trace.from": "0 s"})
    assert pl.read_parquet(tmp_path / "whole" / "trace.parquet")["t_ps"].min() < 0.5e12  # type: ignore[operator]
