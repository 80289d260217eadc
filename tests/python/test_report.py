"""`photocol report`: the page says what the run's files say, works in a real browser, and shows text as text."""

import asyncio
import json
import shlex
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from browser import CHROMIUM, Page, opened
from command import photocol as command

import photocol
from photocol import InputError
from photocol.report import build
from photocol.report.columns import packed
from photocol.report.places import places
from photocol.report.run_page import page

ROOT = Path(__file__).resolve().parents[2]
NASTY = "</script><img src=x onerror=alert(1)>\"'&"
RIGHT_TO_LEFT = "שלום"

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: pages are not looked at")


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run with a trace and samples."""
    out = tmp_path_factory.mktemp("runs") / "dumbbell"
    settings = {"run.duration": "2 s", "run.warm_up": "0 s", "trace.enabled": True}
    photocol.run(ROOT / "scenarios" / "dumbbell.toml", set=settings, out=out)
    return out


@pytest.fixture(scope="module")
def bursts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "obs"
    settings = {"run.duration": "0.05 s", "run.warm_up": "0 s", "trace.enabled": True}
    with pytest.warns(UserWarning, match="start after the end"):
        photocol.run(ROOT / "scenarios" / "obs.toml", set=settings, out=out)
    return out


def look(file: Path, profile: Path, judge: Callable[[Page], Awaitable[None]], *, width: int = 1200) -> None:
    """Let `judge` see a page, which must not complain."""

    async def act() -> None:
        async with opened(profile) as page:
            await page.show(file, width=width)
            await judge(page)
            assert page.complaints == []

    asyncio.run(act())


def test_a_page_is_one_file_that_asks_for_nothing(traced: Path) -> None:
    text = build.write(traced).read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


@pytest.mark.filterwarnings("ignore:.*start after the end")
def test_names_cannot_leave_their_element() -> None:
    text = build.document({"name": NASTY, "kind": "run"})
    assert "</script><img" not in text
    inside = text.split('<script type="application/json" id="page">')[1].split("</script>")[0]
    assert json.loads(inside)["name"] == NASTY


def test_modules_are_in_an_order_in_which_each_knows_those_before_it() -> None:
    known: set[str] = set()
    for name in build.MODULES:
        needed = {other for _, other in build._IMPORT.findall(build._text(f"{name}.js"))}
        assert needed <= known, name
        known.add(name)
    folder = Path(build.__file__).parent / "page"
    assert known == {file.stem for file in folder.glob("*.js")}


def test_columns_are_packed_exactly() -> None:
    import base64
    import zlib

    kinds = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "f64": np.float64}
    for values in ([1, 2, 255], [0, 70_000], [5, 2**40, 2**52], []):
        held = packed(np.array(values, dtype=np.uint64))
        array = np.frombuffer(zlib.decompress(base64.b64decode(held["data"])), kinds[held["type"]])
        assert array.tolist() == values
    steps = packed(np.array([10**12, 10**12 + 5, 10**12 + 9], dtype=np.uint64), steps=True)
    array = np.frombuffer(zlib.decompress(base64.b64decode(steps["data"])), kinds[steps["type"]])
    assert np.cumsum(array).tolist() == [10**12, 10**12 + 5, 10**12 + 9]


def north_of(at: dict[str, tuple[float, float]], a: str, b: str) -> bool:
    """Whether a is drawn above b."""
    return at[a][1] < at[b][1]


def east_of(at: dict[str, tuple[float, float]], a: str, b: str) -> bool:
    """Whether a is drawn to the right of b."""
    return at[a][0] > at[b][0]


def page_of(settings: Mapping[str, Any], folder: Path) -> dict[str, tuple[float, float]]:
    """Where the page of a short run has its nodes."""
    photocol.run(settings, set={"run.duration": "1 ms", "run.warm_up": "0 s"}).save(folder)
    network = page(folder)["network"]
    return {node["name"]: (node["x"], node["y"]) for node in network["nodes"]}


def test_nodes_of_nsfnet_lie_on_their_map(tmp_path: Path) -> None:
    at = page_of({"topology": {"kind": "nsfnet-edge"}, "link_defaults": {"buffer": "9 packets"}}, tmp_path / "run")
    # Seattle is north-west of Houston, Ithaca north-east of Atlanta; an edge node lies beside its core node.
    assert north_of(at, "0", "5")
    assert east_of(at, "5", "0")
    assert north_of(at, "11", "9")
    assert east_of(at, "11", "9")
    assert all(np.hypot(*np.subtract(at[f"e{node}"], at[str(node)])) < 0.2 for node in range(14))


def test_nodes_of_a_file_and_of_a_scenario_lie_where_they_say(tmp_path: Path) -> None:
    towns = {"Bern": (46.95, 7.45), "Zürich": (47.38, 8.54), "Genève": (46.2, 6.15)}
    listed = "".join(
        f'node [ id {k} label "{name}" Latitude {north} Longitude {east} ]'
        for k, (name, (north, east)) in enumerate(towns.items())
    )
    (tmp_path / "towns.gml").write_text(f"graph [ {listed} edge [ source 0 target 1 ] edge [ source 0 target 2 ] ]")
    defaults = {"capacity": "1 Gbps", "buffer": "9 packets"}
    from_file = page_of(
        {"topology": {"kind": "file", "path": str(tmp_path / "towns.gml")}, "link_defaults": defaults},
        tmp_path / "file",
    )
    # Zürich is the most north-eastern of the three, Genève the most south-western.
    assert from_file["Zürich"] == (1.0, 0.0)
    assert from_file["Genève"] == (0.0, 1.0)
    nodes = [{"name": name, "latitude": north, "longitude": east} for name, (north, east) in towns.items()]
    links = [{"from": "Bern", "to": to, "delay": "1 ms"} for to in ("Zürich", "Genève")]
    by_hand = page_of({"node": nodes, "link": links, "link_defaults": defaults}, tmp_path / "hand")
    assert by_hand == from_file


def test_a_network_across_the_pacific_is_not_cut_at_the_date_line() -> None:
    at = places(
        ["Tokyo", "Honolulu", "Seattle"],
        [],
        {"Tokyo": (35.7, 139.7), "Honolulu": (21.3, -157.9), "Seattle": (47.6, -122.3)},
    )
    assert east_of(at, "Honolulu", "Tokyo")
    assert east_of(at, "Seattle", "Honolulu")


@needs_browser
def test_the_numbers_of_a_page_are_those_of_the_files(traced: Path, tmp_path: Path) -> None:
    summary = json.loads((traced / "summary.json").read_text())
    links = pl.read_parquet(traced / "links.parquet")
    trace = pl.read_parquet(traced / "trace.parquet")

    async def judge(page: Page) -> None:
        shown = await page.ask(
            "Object.fromEntries([...document.querySelectorAll('#summary td[data-name]')]"
            ".map((cell) => [cell.dataset.name, +cell.dataset.value]))"
        )
        assert shown == {name: figure["value"] for name, figure in summary.items()}
        await page.ask("document.querySelector('#table-links').open = true")
        await page.settle()
        heads = await page.ask(
            "[...document.querySelectorAll('#table-links thead th')].map((head) => head.textContent)"
        )
        rows = await page.ask(
            "[...document.querySelectorAll('#table-links tbody tr')]"
            ".map((row) => [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent))"
        )
        column = heads.index("offered_bits")
        assert [int(row[column]) for row in rows] == links["offered_bits"].to_list()
        assert await page.ask("photocol.views.trace.count") == trace.height
        drops = await page.ask("[...photocol.views.trace.named('drop', 'vanish')].length")
        assert drops == links["dropped_units"].sum()
        for flow, sent in trace.filter(pl.col("event").cast(pl.String) == "send").group_by("flow").len().iter_rows():
            assert (
                await page.ask(f"photocol.views.views.find((view) => view.flows).flows.get({flow}).send.t.length")
                == sent
            )
        last = trace.height - 1
        ends = trace.select((pl.col("t_ps") + pl.col("wait_ps") + pl.col("lasts_ps")).last()).item() / 1e12
        assert await page.ask(f"photocol.views.trace.ends({last})") == pytest.approx(ends, rel=1e-12)

    look(build.write(traced), tmp_path, judge)


@needs_browser
def test_keys_and_clicks_move_the_window_of_time(traced: Path, tmp_path: Path) -> None:
    async def window(page: Page) -> list[float]:
        return list(await page.ask("[photocol.views.timeline.low, photocol.views.timeline.high]"))

    async def judge(page: Page) -> None:
        await page.ask("document.querySelector('#gantt-canvas').focus()")
        low, high = await window(page)
        await page.press("+")
        nearer = await window(page)
        assert nearer[1] - nearer[0] == pytest.approx((high - low) / 2)
        await page.press("ArrowRight")
        assert (await window(page))[0] > nearer[0]
        await page.press("Home")
        assert (await window(page)) == [0, 2]
        await page.ask("document.querySelector('#gantt-canvas').scrollIntoView()")
        box = await page.ask(BOX)
        await page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + 300, y=box[1] + 20)
        await page.settle()
        assert "left->right" in await page.ask("document.querySelector('#gantt .reading').textContent")
        await page.ask(
            "(() => { const slider = document.querySelector('#slider'); slider.value = 10;"
            " slider.dispatchEvent(new Event('input')) })()"
        )
        assert "to" in await page.ask("document.querySelector('#slider-reading').textContent")

    look(build.write(traced), tmp_path, judge)


@needs_browser
def test_bursts_have_a_row_for_each_wavelength(bursts: Path, tmp_path: Path) -> None:
    trace = pl.read_parquet(bursts / "trace.parquet").with_columns(pl.col("event", "place").cast(pl.String))
    booked = trace.filter(pl.col("event") == "reserve")
    expected = {f"{place} λ{channel}": n for place, channel, n in booked.group_by("place", "channel").len().iter_rows()}

    async def judge(page: Page) -> None:
        rows = await page.ask(
            "photocol.views.views.find((view) => view.rows).rows.filter((row) => row.kind === 'wavelength')"
            ".map((row) => [row.label, row.bars.count])"
        )
        assert dict(rows) == expected

    look(build.write(bursts), tmp_path, judge)


BOX = """
(() => { const box = document.querySelector('#gantt-canvas').getBoundingClientRect(); return [box.x, box.y] })()
"""

CONTRAST = """
(() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (rgb) => rgb.slice(0, 3).map((c) => linear(c / 255))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = channels(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const node of document.querySelectorAll('main *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.getClientRects().length || node.closest('svg')) continue;
    const pair = [light(channels(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a);
    if ((pair[0] + 0.05) / (pair[1] + 0.05) < 4.5) bad.push([node.tagName, node.textContent.slice(0, 40)]);
  }
  return bad;
})()
"""


@needs_browser
def test_text_can_be_read_and_pictures_have_names(traced: Path, tmp_path: Path) -> None:
    async def judge(page: Page) -> None:
        assert await page.ask(CONTRAST) == []
        nameless = "(one) => !(one.getAttribute('aria-label') || one.closest('label'))"
        named = f"[...document.querySelectorAll('canvas, svg, select, input')].filter({nameless})"
        assert await page.ask(f"{named}.length") == 0
        # Nothing is wider than a telephone.
        assert await page.ask("document.documentElement.scrollWidth") <= 390

    look(build.write(traced), tmp_path, judge, width=390)


@needs_browser
def test_names_of_users_are_text(tmp_path: Path) -> None:
    from command import SMALL

    scenario = SMALL.replace('name = "small"', f"name = '''{NASTY} {RIGHT_TO_LEFT}'''")
    photocol.run(scenario, out=tmp_path / "run", set={"trace.limit": 500})

    async def judge(page: Page) -> None:
        assert await page.ask("document.querySelector('h1').textContent") == f"{NASTY} {RIGHT_TO_LEFT}"
        assert await page.ask("document.querySelectorAll('img').length") == 0

    look(build.write(tmp_path / "run"), tmp_path / "profile", judge)


@needs_browser
def test_a_run_without_a_trace_says_how_to_get_more(tmp_path: Path) -> None:
    from command import SMALL

    photocol.run(SMALL, out=tmp_path / "run")

    async def judge(page: Page) -> None:
        assert "--trace" in await page.ask("document.querySelector('#trace-note').textContent")
        assert await page.ask("document.querySelectorAll('#series canvas').length") == 1
        assert await page.ask("document.querySelectorAll('#gantt').length") == 0

    look(build.write(tmp_path / "run"), tmp_path / "profile", judge)


def test_a_trace_that_was_cut_says_how_to_have_the_end(tmp_path: Path) -> None:
    settings = {"run.duration": "2 s", "run.warm_up": "0 s", "trace.limit": 10_000}
    photocol.run(ROOT / "scenarios" / "dumbbell.toml", set={**settings, "trace.enabled": True}, out=tmp_path / "run")
    note = page(tmp_path / "run")["note"]
    begin = note.split("from=")[1].split(" s'")[0]
    again = {**settings, "trace.from": f"{begin} s", "trace.limit": 1_000_000}
    photocol.run(ROOT / "scenarios" / "dumbbell.toml", set={**again, "trace.enabled": True}, out=tmp_path / "again")
    whole_until_s = json.loads((tmp_path / "run" / "manifest.json").read_text())["trace"]["whole_until_s"]
    assert float(begin) == pytest.approx(2 - 0.9 * whole_until_s, rel=1e-3)
    times = pl.read_parquet(tmp_path / "again" / "trace.parquet")["t_ps"]
    assert times.min() >= float(begin) * 1e12
    assert times.max() > 1.99e12


@needs_browser
def test_a_campaign_shows_its_claims_and_points(tmp_path: Path) -> None:
    folder = tmp_path / "figure"
    folder.mkdir()
    pl.DataFrame({"load": [1, 2], "loss": [0.5, 0.25], "loss_half_width": [0.1, None], "n": [3, 3]}).write_parquet(
        folder / "table.parquet"
    )
    claim = {
        "id": "c",
        "claim": f"loss falls {NASTY}",
        "where": "Fig. 1",
        "expected": "0.5",
        "tolerance": "10 %",
        "measured": "0.5",
        "verdict": "agrees",
        "reason": "",
    }
    said = {
        "experiment": "009/figure-1",
        "form": "quick",
        "jobs_missing": 0,
        "claims": [claim, {**claim, "id": "d", "whose": "ours"}],
    }
    (folder / "claims.json").write_text(json.dumps(said))

    async def judge(page: Page) -> None:
        assert (
            await page.ask("document.querySelector('#claims-paper .claims tbody td').textContent")
            == f"loss falls {NASTY} (Fig. 1)"
        )
        assert await page.ask("document.querySelector('#claims-ours h2').textContent") == "Our own expectations"
        assert await page.ask("document.querySelectorAll('#claims-ours tbody tr').length") == 1
        cells: Any = await page.ask(
            "[...document.querySelectorAll('#table-table tbody tr')].map((row) => row.cells[1].textContent)"
        )
        assert cells == ["0.50 ± 0.10", "0.250"]
        assert (
            await page.ask("document.querySelector('#repeat pre').textContent")
            == "photocol reproduce 009/figure-1 --quick"
        )

    look(build.write(folder), tmp_path / "profile", judge)


def test_the_page_of_a_sweep_has_the_command_that_makes_it(tmp_path: Path) -> None:
    """Carried out, it gives the same table; one that options cannot say is told as a file."""
    scenario = str(ROOT / "scenarios" / "dumbbell.toml")
    short = {"run.duration": "1 s", "run.warm_up": "0 s"}
    said: dict[str, Any] = {"grid": {"traffic.0.flows": [1, 2], "topology.bottleneck_delay": ["1 ms", "2 ms"]}}
    said |= {"where": '"traffic.0.flows" < 2', "set": short, "seeds": 2, "metrics": ["goodput", "drop_rate"], "jobs": 1}
    table = photocol.sweep(scenario, **said, out=tmp_path / "one")
    line = build.page_of(tmp_path / "one")["command"].splitlines()[0]
    assert line.startswith("photocol sweep ")
    done = command(*shlex.split(line)[1:], "--out", tmp_path / "two", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert pl.read_parquet(tmp_path / "two" / "table.parquet").equals(table)
    photocol.sweep(scenario, axes=[{"key": "traffic.0.flows", "list": [1]}], set=short, jobs=1, out=tmp_path / "file")
    assert '"list": [' in build.page_of(tmp_path / "file")["command"]


@needs_browser
def test_the_page_of_a_sweep_can_be_read_on_a_telephone(tmp_path: Path) -> None:
    """At 400 pixels the page does not scroll sideways; its tables and pictures do, within themselves.

    Letters of a picture are 8.3 points where it has its own size, 614 pixels: at 550 they are still 10 pixels high.
    """
    settings = {"run.duration": "1 s", "run.warm_up": "0 s"}
    axes = {"traffic.0.flows": [1, 2], "topology.bottleneck_buffer": ["10 packets", "20 packets"]}
    photocol.sweep(
        str(ROOT / "scenarios" / "dumbbell.toml"), grid=axes, set=settings, seeds=2, jobs=1, out=tmp_path / "o"
    )

    async def judge(page: Page) -> None:
        assert await page.ask("document.documentElement.scrollWidth") <= 400
        for one in (".scroll", "figure.picture"):
            sideways = f"[...document.querySelectorAll('{one}')].map((each) => each.scrollWidth - each.clientWidth)"
            assert min(await page.ask(sideways)) > 0, one
        widths = "[...document.querySelectorAll('.picture img')].map((each) => each.getBoundingClientRect().width)"
        assert min(await page.ask(widths)) >= 550
        letters = "parseFloat(getComputedStyle(document.querySelector('.scroll td')).fontSize)"
        assert await page.ask(letters) >= 14

    look(build.write(tmp_path / "o"), tmp_path / "profile", judge, width=400)


def test_the_page_names_flows_with_their_traffic(tmp_path: Path) -> None:
    traffic = [{"name": law, "transport": law, "pairs": [[f"l{k}", f"r{k}"]]} for k, law in enumerate(("sack", "bbr"))]
    scenario = {
        "run": {"duration": "500 ms"},
        "topology": {"kind": "dumbbell", "pairs": 2, "bottleneck_capacity": "10 Mbps", "bottleneck_delay": "5 ms"},
        "traffic": traffic,
        "probe": {"interval": "100 ms", "flows": "all"},
    }
    photocol.run(scenario, out=tmp_path / "run")
    entities = {part["entity"] for part in page(tmp_path / "run")["series"]["parts"] if part["quantity"] == "cwnd"}
    assert entities == {"flow 0, sack", "flow 1, bbr"}


def test_the_page_of_a_run_says_what_was_set(traced: Path) -> None:
    facts = dict(page(traced)["facts"])
    assert facts["set beside the file"] == "run.duration = 2 s; run.warm_up = 0 s; trace.enabled = True"


def test_a_damaged_table_is_one_clear_line(traced: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(traced, folder)
    (folder / "links.parquet").write_bytes(b"PAR1 and nothing else")
    done = command("report", folder)
    assert done.returncode == 2
    assert "links.parquet cannot be read" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a run nor a campaign"):
        build.write(tmp_path)
