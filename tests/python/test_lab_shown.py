"""What a person sees of the laboratory: heads that say what was run, nothing cut, pictures beside what changes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import CHROMIUM
from test_lab_page import BUFFER, SMALL, Looker, look

import photocol
from photocol.lab import lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: the laboratory is not looked at")

ROOT = Path(__file__).resolve().parents[2]
HEADS = "[...document.querySelectorAll('#summary th[scope=col]')].map((one) => one.textContent)"
BOX = "(({{ top, bottom, left, right }}) => [top, bottom, left, right])({}.getBoundingClientRect())"
CUT = """
[...document.querySelectorAll('#summary .scroll, #summary th, #summary td, #right .legend, #right .legend span')]
  .filter((one) => one.offsetParent !== null)
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline'
    || one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).display !== 'inline'
    || one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 90))
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    return file


def lesson(name: str) -> lessons.Lesson:
    (file,) = [file for file in lessons.found() if file.stem == name]
    return lessons.read(file)


async def begin(lab: Looker, name: str) -> None:
    """Open a lesson, predict, and wait for the run that it has prepared."""
    await lab.ended()
    await lab.write("label:nth-child(2) select", name)
    await lab.until("document.getElementById('status').textContent.includes('prediction')")
    await lab.ask("document.querySelector('#lesson input[type=radio]').click()")
    await lab.ask("document.querySelector('#lesson button.first').click()")
    await lab.ended()


async def attempt(lab: Looker, number: int, changed: dict[str, Any], one: lessons.Lesson) -> None:
    await lab.ask(f"document.querySelectorAll('#lesson ol button')[{number}].click()")
    wanted = photocol.run(one.scenario, set=changed).fingerprint
    await lab.until(f"document.getElementById('fingerprint')?.textContent === '{wanted}'")
    await lab.ended()


def said(settings: dict[str, Any]) -> set[str]:
    return {
        f"{path.rpartition('.')[2]} = {value if isinstance(value, str) else json.dumps(value)}"
        for path, value in settings.items()
    }


@pytest.mark.parametrize(("name", "tried"), [("10-incast", (1, 2)), ("02-buffers", (1, 2, 1))])
def test_the_head_of_two_runs_says_what_was_run_and_nothing_that_was_undone(
    small: Path, tmp_path: Path, name: str, tried: Sequence[int]
) -> None:
    one = lesson(name)

    async def judge(lab: Looker) -> None:
        await begin(lab, name)
        for number in tried:
            settings = one.sights[number].settings
            await attempt(lab, number, settings, one)
            head = (await lab.ask(HEADS))[2]
            assert set(head.removeprefix("Now: ").split(", ")) == said(settings)
            # The controls are those of the run too.
            shown = await lab.ask("Object.fromEntries(photocol.controls.all.map(({ path, value }) => [path, value]))")
            for path in {path for other in one.sights for path in other.settings}:
                assert shown.get(path) == settings.get(path, await lab.ask(f"photocol.first.get('{path}') ?? null"))

    look(small, tmp_path, judge)


def test_the_head_tells_a_run_from_the_pinned_one(small: Path, tmp_path: Path) -> None:
    """Pinned with 5 packets, the original differs in its 20."""

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.write(f"{BUFFER} input[type=text]", "5 packets")
        await lab.ended()
        await lab.ask("document.getElementById('pin').click()")
        await lab.write('[data-path="traffic.0.flows"] input[type=text]', "4")
        await lab.ended()
        assert (await lab.ask(HEADS))[1:] == ["Pinned: bottleneck_buffer = 5 packets", "Now: flows = 4"]
        await lab.write(f"{BUFFER} input[type=text]", "20 packets")
        await lab.ended()
        assert (await lab.ask(HEADS))[2] == "Now: bottleneck_buffer = 20 packets, flows = 4"

    look(small, tmp_path, judge)


@pytest.mark.parametrize("width", [1280, 1000, 700, 390])
def test_no_part_of_two_runs_or_of_a_legend_is_cut(tmp_path: Path, width: int) -> None:
    file = tmp_path / "eight.toml"
    file.write_text(SMALL.replace("flows = 3", "flows = 8"))

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.ask("document.getElementById('pin').click()")
        await lab.write(f"{BUFFER} input[type=text]", "5 packets")
        await lab.ended()
        await lab.page.settle()
        assert (await lab.ask(HEADS))[2] == "Now: bottleneck_buffer = 5 packets"
        assert await lab.ask("document.querySelectorAll('#windows .legend i').length") == 8
        assert await lab.ask(CUT) == []
        assert await lab.ask("document.documentElement.scrollWidth") <= width

    look(file, tmp_path, judge, width=width)


def test_what_scrolls_sideways_shows_that_it_does(small: Path, tmp_path: Path) -> None:
    """Completion times have more columns than a phone has room for: there is a shadow at the edge that has more."""
    small.write_text(SMALL.replace("flows = 3", 'flows = 3\nsize = "600 kB"').replace('"1 s"', '"0 s"'))

    async def judge(lab: Looker) -> None:
        await lab.ended()
        await lab.until("document.querySelector('#completions .scroll') !== null")
        scroll = "document.querySelector('#completions .scroll')"
        assert await lab.ask(f"(({{ scrollWidth, clientWidth }}) => scrollWidth > clientWidth)({scroll})")
        shadow = f"getComputedStyle({scroll}).backgroundAttachment"
        assert "local" in await lab.ask(shadow)
        assert "scroll" in await lab.ask(shadow)

    look(small, tmp_path, judge, width=390)


def test_on_a_phone_a_try_and_its_picture_are_on_one_screen(small: Path, tmp_path: Path) -> None:
    async def judge(lab: Looker) -> None:
        await begin(lab, "02-buffers")
        high = await lab.ask("innerHeight")
        for number in (1, 2):
            button = f"document.querySelectorAll('#lesson ol button')[{number}]"
            await lab.ask(f"{button}.scrollIntoView({{ block: 'center' }})")
            await lab.ask(f"{button}.click()")
            await lab.ended()
            await lab.page.settle()
            canvas = "document.querySelector('#right section.view.chosen canvas')"
            top, bottom, *_ = await lab.ask(BOX.format(canvas))
            first, last, *_ = await lab.ask(BOX.format(button))
            assert 0 <= top < bottom <= first < last <= high
        slider = "document.querySelector('[data-path=\"topology.bottleneck_buffer\"] input[type=range]')"
        await lab.ask(f"{slider}.scrollIntoView({{ block: 'center' }})")
        top, bottom, *_ = await lab.ask(BOX.format("document.querySelector('#right section.view.chosen canvas')"))
        first, last, *_ = await lab.ask(BOX.format(slider))
        assert 0 <= top < bottom <= first < last <= high

    look(small, tmp_path, judge, width=390)


def test_of_many_flows_a_band_is_drawn_and_a_few_as_curves(tmp_path: Path) -> None:
    """Twelve flows are more than ten curves; their median lies between their tenths at every sample."""
    file = tmp_path / "many.toml"
    file.write_text(SMALL.replace("flows = 3", "flows = 12") + '\n[probe]\ninterval = "50 ms"\nflows = "all"\n')

    async def judge(lab: Looker) -> None:
        await lab.ended()
        legend = await lab.ask("document.querySelector('#windows .legend').innerText")
        assert "median of 12" in legend
        assert "10 to 90 %" in legend
        curves = (await lab.ask("photocol.pictures.views.get('windows').svg()")).count('stroke-width="1.5"')
        assert 0 < curves <= 2
        # Single flows are to be had, and the first eight.
        options = "[...document.querySelectorAll('#windows label:nth-of-type(2) option')]"
        choices = await lab.ask(f"{options}.map((one) => one.textContent)")
        assert choices[:2] == ["median of 12", "the first 8 of 12"]
        assert len(choices) == 14
        await lab.ask("document.getElementById('pin').click()")
        await lab.write(f"{BUFFER} input[type=text]", "5 packets")
        await lab.ended()
        assert "dashed: the pinned run" in await lab.ask("document.querySelector('#windows .legend').innerText")

    look(file, tmp_path, judge)


@pytest.mark.parametrize("width", [1280, 390])
def test_names_of_a_fat_tree_do_not_run_together(tmp_path: Path, width: int) -> None:
    """Between two names of a line there is half a letter at least: a third of their height."""
    text = (ROOT / "scenarios" / "fat-tree.toml").read_text()
    file = tmp_path / "tree.toml"
    file.write_text(text)
    near = """
    (() => {
      const names = [...document.querySelectorAll('#map .node')];
      const boxes = names.map((one) => [one.textContent, one.getBoundingClientRect()]);
      return boxes.flatMap(([a, p], k) => boxes.slice(k + 1).filter(([, q]) => Math.abs(p.top - q.top) < p.height / 2
        && Math.max(p.left, q.left) - Math.min(p.right, q.right) < p.height / 3).map(([b]) => `${a} ${b}`));
    })()
    """

    async def judge(lab: Looker) -> None:
        await lab.until("document.querySelectorAll('#map .node').length > 0")
        assert await lab.ask(near) == []

    look(file, tmp_path, judge, width=width)
