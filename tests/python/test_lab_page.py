"""The page of `photocol lab` in a real browser: load, drag, answer, compare, lesson, error, and whoever looks at it."""

from __future__ import annotations

import asyncio
import base64
import io
import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from browser import CHROMIUM, Page, opened
from PIL import Image

import photocol
from photocol.lab import lessons, server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: the laboratory is not looked at")

SMALL = """[run]
duration = "4 s"
warm_up = "1 s"

[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "20 packets"  # half of a product

[[traffic]]
transport = "sack"
flows = 3
"""
BUFFER = '[data-path="topology.bottleneck_buffer"]'
STATE = "document.getElementById('progress').dataset.state"
KEYS = {"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowRight": 39}


class Looker:
    """A page of the laboratory, as a person has it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def ask(self, expression: str) -> Any:
        return await self.page.ask(expression)

    async def until(self, expression: str) -> None:
        """Wait until it is true; a page that complains is not waited for."""
        for _ in range(400):
            if await self.ask(expression) or self.page.complaints:
                break
            await asyncio.sleep(0.05)
        assert self.page.complaints == []
        assert await self.ask(expression), expression

    async def ended(self) -> str:
        """The fingerprint at the end of the run."""
        await self.until(f"{STATE} === 'end' && photocol.pending.size === 0")
        return str(await self.ask("document.getElementById('fingerprint').textContent"))

    async def press(self, key: str, *, shift: bool = False) -> None:
        """A key, with what it does of itself."""
        known = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": 8 if shift else 0}
        text = {"text": "\r" if key == "Enter" else key} if key in ("Enter", " ") else {}
        await self.page.call("Input.dispatchKeyEvent", type="keyDown", **known, **text)
        await self.page.call("Input.dispatchKeyEvent", type="keyUp", **known)

    async def write(self, selector: str, text: str) -> None:
        """Another text in a field, as if it had been typed."""
        await self.ask(
            f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.focus();"
            f" field.value = {json.dumps(text)}; field.dispatchEvent(new Event('input', {{bubbles: true}}));"
            " field.dispatchEvent(new Event('change', {bubbles: true})) })()"
        )

    async def picture(self, box: dict[str, float]) -> Image.Image:
        """What is seen in a part of the page."""
        said = await self.page.call("Page.captureScreenshot", format="png", clip={**box, "scale": 1})
        return Image.open(io.BytesIO(base64.b64decode(said["data"]))).convert("RGB")


def look(scenario: str | Path, folder: Path, judge: Callable[[Looker], Awaitable[None]], *, width: int = 1400) -> None:
    """Let `judge` use a laboratory, which must not complain."""

    async def act() -> None:
        first = server.of_file(str(scenario))
        with server.running(first) as (_, file):
            async with opened(folder / "profile") as page:
                await page.show(file, width=width)
                await judge(Looker(page))
                assert page.complaints == []

    asyncio.run(act())


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    return file


def test_it_loads_and_its_run_is_that_of_the_command(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        assert await lab.ended() == photocol.run(small).fingerprint
        # The token is in no address, and the cookie is nothing to scripts.
        assert await lab.ask("location.search + location.hash + document.cookie") == ""
        assert await lab.ask("document.querySelectorAll('#map circle:not(.loss)').length") == 6
        shown = "[...document.querySelectorAll('#right section.view:not([hidden]) h2')].map((head) => head.textContent)"
        assert (await lab.ask(shown))[:3] == ["Windows", "Queues", "Rates"]
        goodput = await lab.ask("document.querySelector('#summary td[data-name=goodput]').dataset.value")
        assert float(goodput) == photocol.run(small).summary["goodput"]
        fewest = await lab.ask("document.getElementById('toml').value")
        assert fewest == SMALL
        inked = (
            "[...document.querySelectorAll('#right section.view:not([hidden]) canvas')].every((one) => one.width > 300)"
        )
        assert await lab.ask(inked)

    look(small, tmp_path, judge)


def test_a_slider_is_dragged_and_the_last_run_counts(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        before = await lab.ended()
        find = f"document.querySelector('{BUFFER} input[type=range]')"
        await lab.ask(f"{find}.scrollIntoView({{ block: 'center' }})")
        x, y, wide = await lab.ask(
            f"(({{ x, y, width, height }}) => [x, y + height / 2, width])({find}.getBoundingClientRect())"
        )
        mouse = {"button": "left", "buttons": 1, "clickCount": 1}
        await lab.page.call("Input.dispatchMouseEvent", type="mousePressed", x=x + wide / 2, y=y, **mouse)
        for step in range(1, 21):
            await lab.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + wide / 2 + step * 4, y=y, **mouse)
        await lab.page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + wide / 2 + 80, y=y, **mouse)
        after = await lab.ended()
        value = await lab.ask(f"document.querySelector('{BUFFER} input[type=text]').value")
        assert after != before
        assert int(value.split()[0]) > 20
        text = await lab.ask("document.getElementById('toml').value")
        assert text == SMALL.replace("20 packets", value)
        assert after == photocol.run(text).fingerprint

    look(small, tmp_path, judge)


def test_the_text_changes_the_controls(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await lab.ended()
        changed = SMALL.replace("20 packets", "7 packets").replace("flows = 3", 'flows = 3\nspread = "100 ms"')
        await lab.write("#toml", changed)
        await lab.until(f"document.querySelector('{BUFFER} input[type=text]').value === '7 packets'")
        await lab.until("document.querySelector('[data-path=\"traffic.0.spread\"]') !== null")
        await lab.until(f"{STATE} === 'end' && photocol.text === document.getElementById('toml').value")
        assert await lab.ended() == photocol.run(changed).fingerprint
        # A key that the text does not have is found, changed, and stands in the text.
        await lab.write("#search", "paced")
        await lab.until("document.querySelector('#rest [data-path=\"transport.sack.paced\"] input') !== null")
        await lab.ask("document.querySelector('#rest [data-path=\"transport.sack.paced\"] input').click()")
        await lab.until("document.getElementById('toml').value.includes('paced = true')")
        await lab.until("document.querySelector('#given [data-path=\"transport.sack.paced\"]') !== null")

    look(small, tmp_path, judge)


def test_two_runs_stand_in_one_picture(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.ask("document.getElementById('pin').click()")
        await lab.write(f"{BUFFER} input[type=text]", "5 packets")
        await lab.ended()
        heads = await lab.ask(
            "[...document.querySelectorAll('#summary th[scope=col]')].map((head) => head.textContent)"
        )
        assert heads == ["Figure", "Pinned: the original", "Now: bottleneck_buffer = 5 packets"]
        cells = await lab.ask(
            "[...document.querySelector('#summary td[data-name=max_queue]').parentElement.cells]"
            ".map((one) => one.textContent)"
        )
        assert cells == ["max queue", "20 packets at left->right", "5 packets at left->right"]
        assert "dashed: the pinned run" in await lab.ask("document.querySelector('#queues .legend').textContent")
        lines = await lab.ask("photocol.pictures.views.get('queues').svg()")
        assert lines.count("stroke-dasharray") >= 1
        await lab.ask("document.getElementById('pin').click()")
        assert "dashed" not in await lab.ask("document.querySelector('#queues .legend').textContent")

    look(small, tmp_path, judge)


def test_a_lesson_asks_for_a_prediction_first(small: Path, tmp_path: Path) -> None:
    lesson = lessons.read(lessons.found()[0])

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.write("label:nth-child(2) select", lesson.name)
        await lab.until("!document.getElementById('lesson').hidden")
        await lab.until("document.getElementById('status').textContent.includes('prediction')")
        assert await lab.ask("document.querySelector('#lesson ol').offsetParent") is None
        assert await lab.ask("document.querySelector('#lesson button.first').disabled")
        assert await lab.ask("document.getElementById('network').hidden")
        await lab.ask("document.querySelector('#lesson input[type=radio]').click()")
        await lab.ask("document.querySelector('#lesson button.first').click()")
        assert await lab.ended() == photocol.run(lesson.scenario).fingerprint
        # What a lesson has prepared is what all its changes stand beside.
        assert await lab.ask("photocol.pictures.pinned.label") == "as prepared"
        assert not await lab.ask("document.querySelector('#lesson details').open")
        await lab.ask("document.querySelectorAll('#lesson ol button')[1].click()")
        changed = lesson.sights[1].settings
        await lab.until(f"document.getElementById('toml').value.includes({json.dumps(next(iter(changed.values())))})")
        assert await lab.ended() == photocol.run(lesson.scenario, set=changed).fingerprint
        # A page that is loaded again asks for no second prediction, and pins the same.
        await lab.page.call("Page.reload")
        await lab.until("document.body?.dataset.ready === 'yes' && location.href")
        assert await lab.ended() == photocol.run(lesson.scenario, set=changed).fingerprint
        heads = await lab.ask("[...document.querySelectorAll('#summary th[scope=col]')].map((one) => one.textContent)")
        assert heads[1] == "Pinned: as prepared"

    look(small, tmp_path, judge)


def test_an_error_stands_at_its_key_in_the_words_of_check(small: Path, tmp_path: Path) -> None:
    wrong = SMALL.replace("20 packets", "20 pakets")
    with pytest.raises(photocol.ScenarioError) as found:
        photocol.check(wrong)

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.write(f"{BUFFER} input[type=text]", "20 pakets")
        await lab.until(f"document.querySelector('{BUFFER} .wrong').textContent !== ''")
        assert await lab.ask(f"document.querySelector('{BUFFER} .wrong').textContent") == found.value.message
        assert (
            await lab.ask(f"document.querySelector('{BUFFER} input[type=text]').getAttribute('aria-invalid')") == "true"
        )
        await lab.write(f"{BUFFER} input[type=text]", "21 packets")
        await lab.until(f"document.querySelector('{BUFFER} .wrong').hidden")
        await lab.ended()
        await lab.write("#toml", wrong)
        # Who types sees it at the text, with the line that is wrong.
        await lab.until(f"document.getElementById('toml-wrong').textContent.includes('line {found.value.line},')")
        said = await lab.ask("document.getElementById('toml-wrong').textContent")
        assert found.value.message in said
        assert said.endswith(wrong.splitlines()[found.value.line - 1].strip())
        seen = "(({ top, bottom }) => [top, bottom, innerHeight])(%s.getBoundingClientRect())"
        await lab.ask("document.getElementById('toml').scrollIntoView({ block: 'end' })")
        top, bottom, high = await lab.ask(seen % "document.getElementById('toml-wrong')")
        assert 0 <= top < bottom <= high
        await lab.write("#toml", SMALL)
        await lab.ended()
        assert await lab.ask("document.getElementById('toml-wrong').hidden")

    look(small, tmp_path, judge)


def test_a_law_is_shown_before_it_is_executed(tmp_path: Path) -> None:
    law = tmp_path / "mine.py"
    law.write_text(
        "import photocol\n\n\n@photocol.law\nclass Mine:\n    def on_ack(self, window, event):\n"
        "        window.cwnd += '<b>' and event.acked / 10\n"
    )
    file = tmp_path / "law.toml"
    file.write_text(SMALL.replace('"sack"', '"mine"') + '\n[transport.mine]\nlaw = "mine.py:Mine"\n')

    async def judge(lab: Looker) -> None:
        await lab.until("document.getElementById('allow') !== null")
        assert await lab.ask("document.querySelector('#note pre').textContent") == law.read_text()
        assert await lab.ask("document.getElementById('network').hidden")
        await lab.ask("document.getElementById('allow').click()")
        assert await lab.ended() == photocol.run(file).fingerprint

    look(file, tmp_path, judge)


def test_time_can_be_scrubbed(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await lab.ended()
        colours = "[...document.querySelectorAll('#map .link')].map((one) => one.getAttribute('stroke')).join()"
        bars = "[...document.querySelectorAll('#map line.queue')].some((one) => one.getBBox().height > 0)"
        now = await lab.ask(colours)
        await lab.write("#scrub", "0")
        assert await lab.ask("document.getElementById('moment').textContent") == "0 s"
        assert await lab.ask(colours) != now
        assert not await lab.ask(bars)
        await lab.write("#scrub", "600")
        assert await lab.ask("document.getElementById('moment').textContent") == "2.4 s"
        assert await lab.ask(bars)

    look(small, tmp_path, judge)


@pytest.mark.parametrize("width", [400, 700, 1000, 1400])
def test_nothing_is_cut_off_at_any_width(small: Path, tmp_path: Path, width: int) -> None:
    """700 pixels are a window of 1400 at 200 % zoom."""

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.page.settle()
        assert await lab.ask("document.documentElement.scrollWidth") <= width
        beyond = await lab.ask(
            "[...document.querySelectorAll('section, button, select, canvas, textarea, p, svg')].filter((one) => {"
            " const { left, right, width } = one.getBoundingClientRect(); return width && one.offsetParent !== null &&"
            f" (left < -1 || right > {width} + 1) }}).map((one) => one.outerHTML.slice(0, 80))"
        )
        assert beyond == []

    look(small, tmp_path, judge, width=width)


def test_the_keyboard_is_enough(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await lab.ended()
        seen: list[str] = []
        for _ in range(60):
            await lab.press("Tab")
            name = await lab.ask(
                "((one) => one.getAttribute('aria-label') || one.labels?.[0]?.textContent.trim()"
                " || one.textContent.trim()"
                " || one.id)(document.activeElement)"
            )
            outline = await lab.ask("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", name
            seen.append(name)
            if name == "topology.bottleneck_buffer":
                break
        assert "To the pictures" in seen
        assert "Copy the command" in seen
        before = await lab.ask("document.getElementById('fingerprint').textContent")
        await lab.press("ArrowRight")
        await lab.until(f"{STATE} === 'end' && document.getElementById('fingerprint').textContent !== '{before}'")
        assert await lab.ask(f"document.querySelector('{BUFFER} input[type=text]').value") == "21 packets"
        assert await lab.ask("document.activeElement.getAttribute('aria-label')") == "topology.bottleneck_buffer"
        await lab.ask("document.getElementById('pin').focus()")
        await lab.press("Enter")
        assert await lab.ask("document.getElementById('pin').getAttribute('aria-pressed')") == "true"
        unnamed = (
            "[...document.querySelectorAll('input, select, textarea, button, canvas, progress')].filter((one) =>"
            " !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim())).length"
        )
        assert await lab.ask(unnamed) == 0

    look(small, tmp_path, judge)


def test_where_motion_is_not_wanted_pictures_move_seldom(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(SMALL.replace('"4 s"', '"600 s"'))

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.page.call(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}]
        )
        await lab.ask(
            "(() => { const show = photocol.pictures.show.bind(photocol.pictures); photocol.times = [];"
            " photocol.pictures.show = (answer, isStale) => (photocol.times.push([performance.now(), answer.kind]),"
            " show(answer, isStale)) })()"
        )
        await lab.write(f"{BUFFER} input[type=text]", "30 packets")
        await lab.ended()
        times = await lab.ask("photocol.times")
        drawn = [time for time, kind in times if kind == "so far"]
        assert times[-1][1] == "end"
        assert all(later - earlier >= 1000 for earlier, later in itertools.pairwise(drawn))
        assert await lab.ask("document.getAnimations().length") == 0

    look(file, tmp_path, judge)


@pytest.mark.parametrize("kind", ["none", "protanopia", "deuteranopia", "tritanopia"])
def test_colours_of_curves_are_told_apart(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "eight.toml"
    file.write_text(SMALL.replace("flows = 3", "flows = 8"))

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.page.call("Emulation.setEmulatedVisionDeficiency", type=kind)
        boxes = await lab.ask(
            "[...document.querySelectorAll('#windows .legend i')].map((one) => {"
            " one.scrollIntoView({ block: 'center' });"
            " const { x, y, width, height } = one.getBoundingClientRect();"
            " return { x: x + window.scrollX, y: y + window.scrollY, width, height } })"
        )
        assert len(boxes) == 8
        pictures = [await lab.picture(box) for box in boxes]
        colours = [one.getpixel((one.width // 2, one.height // 2)) for one in pictures]
        nearest = min(math.dist(a, b) for a, b in itertools.combinations(colours, 2))
        assert nearest > 25, colours

    look(file, tmp_path, judge)


def test_two_tabs_and_a_page_that_is_loaded_again(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        first = await lab.ended()
        await lab.write(f"{BUFFER} input[type=text]", "9 packets")
        changed = await lab.ended()
        assert changed != first
        await lab.page.call("Runtime.evaluate", expression="window.other = window.open('/'); 1", userGesture=True)
        await lab.until("window.other.document.getElementById('fingerprint')?.textContent?.length === 16")
        # A new tab begins with the text of its opener or the original; either is a run of its own.
        assert await lab.ask("window.other.document.getElementById('fingerprint').textContent") in (first, changed)
        assert await lab.ask("document.getElementById('fingerprint').textContent") == changed
        await lab.page.call("Page.reload")
        await lab.until("document.body?.dataset.ready === 'yes'")
        assert await lab.ended() == changed
        assert "9 packets" in await lab.ask("document.getElementById('toml').value")

    look(small, tmp_path, judge)


def test_the_command_is_copied_and_a_file_saved(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.write(f"{BUFFER} input[type=text]", "9 packets")
        await lab.ended()
        await lab.ask("document.getElementById('copy').click()")
        await lab.until("photocol.command !== undefined")
        command = await lab.ask("photocol.command")
        assert command == f"photocol run {small} --set 'topology.bottleneck_buffer=9 packets' --runs 1\n"
        await lab.page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        await lab.ask("document.getElementById('save').click()")
        await lab.until("document.getElementById('shared').textContent.startsWith('Saved: small.zip')")
        for _ in range(200):
            if (tmp_path / "small.zip").is_file():
                break
            await asyncio.sleep(0.05)
        assert (tmp_path / "small.zip").is_file()

    look(small, tmp_path, judge)


def test_a_change_that_is_tried_at_once_waits_for_what_is_prepared(small: Path, tmp_path: Path) -> None:
    lesson = lessons.read(lessons.found()[0])

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.write("label:nth-child(2) select", lesson.name)
        await lab.until("document.getElementById('status').textContent.includes('prediction')")
        await lab.ask(
            "document.querySelector('#lesson input[type=radio]').click();"
            "document.querySelector('#lesson button.first').click();"
            "document.querySelectorAll('#lesson ol button')[1].click()"
        )
        assert await lab.ended() == photocol.run(lesson.scenario, set=lesson.sights[1].settings).fingerprint
        assert await lab.ask("photocol.pictures.pinned.fingerprint") == photocol.run(lesson.scenario).fingerprint

    look(small, tmp_path, judge)


def test_the_axis_is_that_of_the_measured_time(small: Path, tmp_path: Path) -> None:
    """Slow start overshoots: the highest window of the warm-up is out of the picture until it is asked for."""
    samples = photocol.run(small, set={"probe.interval": "16 ms", "probe.flows": "all"}).series
    windows = samples.filter(samples["quantity"] == "cwnd")
    measured = float(windows.filter(windows["t_s"] >= 1)["value"].max())
    assert float(windows["value"].max()) > 1.5 * measured

    async def judge(lab: Looker) -> None:
        await lab.ended()
        highest = (
            "Math.max(...[...photocol.pictures.views.get('windows').svg().matchAll(/>([0-9.]+) (k?)B[<]/g)]"
            ".map((found) => found[1] * (found[2] ? 1000 : 1)))"
        )
        low = await lab.ask(highest)
        assert 0.5 * measured < low <= 1.05 * measured
        button = "document.querySelector('#windows button.whole')"
        assert await lab.ask(f"{button}.getAttribute('aria-pressed')") == "false"
        await lab.ask(f"{button}.click()")
        assert await lab.ask(highest) > 1.3 * low
        assert await lab.ask("document.querySelector('#queues button.whole').getAttribute('aria-pressed')") == "true"

    look(small, tmp_path, judge)


def test_the_part_of_the_time_in_which_something_happens_is_seen(small: Path, tmp_path: Path) -> None:
    """A flow of 60 kB at 10 Mb/s needs 50 ms of 4 s; another scenario begins with all of its own time."""
    short = tmp_path / "short.toml"
    short.write_text(SMALL.replace("flows = 3", 'size = "60 kB"').replace('warm_up = "1 s"\n', ""))
    last = photocol.run(short).flows.select("start_s", "completion_s").sum_horizontal().max()

    async def judge(lab: Looker) -> None:
        await lab.ended()
        window = "[photocol.pictures.timeline.low, photocol.pictures.timeline.high]"
        low, high = await lab.ask(window)
        assert (low, high) == (0, pytest.approx(1.05 * last))
        assert not await lab.ask("document.getElementById('whole-time').hidden")
        await lab.ask("document.getElementById('whole-time').click()")
        assert await lab.ask(window) == [0, 4]
        await lab.ask("photocol.pictures.timeline.show(1, 2)")
        # What a person has chosen stays, and another scenario is seen from its beginning.
        await lab.write(f"{BUFFER} input[type=text]", "5 packets")
        await lab.ended()
        assert await lab.ask(window) == [1, 2]
        await lab.write("#choosers select", "dumbbell")
        await lab.until("photocol.of.name === 'dumbbell'")
        await lab.ended()
        assert await lab.ask(window) == [0, 20]

    look(short, tmp_path, judge)


def test_on_a_phone_a_slider_and_a_picture_are_on_one_screen(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await lab.ended()
        shown = "[...document.querySelectorAll('#right section.view')].filter((one) => one.offsetParent !== null)"
        assert await lab.ask(f"{shown}.map((one) => one.id)") == ["windows"]
        await lab.write("#tabs select", "queues")
        assert await lab.ask(f"{shown}.map((one) => one.id)") == ["queues"]
        for path in ("topology.bottleneck_buffer", "run.duration"):
            find = f"document.querySelector('[data-path=\"{path}\"] input[type=range]')"
            await lab.ask(f"{find}.scrollIntoView({{ block: 'center' }})")
            slider, picture = [
                await lab.ask(f"(({{ top, bottom }}) => [top, bottom])({one}.getBoundingClientRect())")
                for one in (find, "document.querySelector('#queues canvas')")
            ]
            assert 0 <= picture[0] < picture[1] <= slider[0] < slider[1] <= 900

    look(small, tmp_path, judge, width=390)


def test_what_was_said_of_a_run_goes_with_it(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.ask("document.getElementById('shared').textContent = 'Saved: small.zip'")
        await lab.ask(
            "photocol.started = null;"
            "new MutationObserver(() => (photocol.started ??= document.getElementById('bar').value))"
            ".observe(document.getElementById('progress'), { attributes: true })"
        )
        await lab.write(f"{BUFFER} input[type=text]", "9 packets")
        await lab.ended()
        assert await lab.ask("document.getElementById('shared').textContent") == ""
        assert await lab.ask("photocol.started") == 0

    look(small, tmp_path, judge)


def test_a_server_that_has_gone_is_said(small: Path, tmp_path: Path) -> None:
    async def act() -> None:
        async with opened(tmp_path / "profile") as page:
            lab = Looker(page)
            with server.running(server.of_file(str(small))) as (_, file):
                await page.show(file, width=1400)
                await lab.ended()
            await lab.write(f"{BUFFER} input[type=text]", "9 packets")
            for _ in range(200):
                if "has ended" in await lab.ask("document.getElementById('note').textContent"):
                    break
                await asyncio.sleep(0.05)
            assert "`photocol lab` has ended" in await lab.ask("document.getElementById('note').textContent")

    asyncio.run(act())


def test_an_answer_that_is_cut_off_is_said(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that slept, where the server has waited too long for the browser."""
    whole = server.Handler._line

    def cut(handler: server.Handler, message: dict[str, Any]) -> None:
        if message["kind"] in ("so far", "end"):
            raise TimeoutError
        whole(handler, message)

    async def judge(lab: Looker) -> None:
        await lab.until("document.getElementById('note').textContent.includes('was cut off')")
        monkeypatch.undo()
        await lab.ask(
            "[...document.querySelectorAll('#acts button')].find((one) => one.textContent === 'Run again').click()"
        )
        assert await lab.ended() == photocol.run(small).fingerprint

    monkeypatch.setattr(server.Handler, "_line", cut)
    look(small, tmp_path, judge)
