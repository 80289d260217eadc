#!/usr/bin/env python3
"""How large the page of a run with a million events is, how long it takes to open, and to draw a frame.

    .venv/bin/python bench/page.py
    .venv/bin/python bench/page.py --scenario obs --events 5000000

In headless Chromium, without a graphics card: CPU time of the main thread of the page, which does not depend on what
else the machine does, and the time by the clock, which does. A frame is one step of zooming in to a 4000th part, of
panning there, and of zooming out again; all pictures are drawn in it. Goals: 30 MB, 2 s, 60 frames a second (16.7 ms).
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

import photocol
from photocol.report import build

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

from browser import Page, opened  # noqa: E402

SCENARIOS = {"dumbbell": "20 s", "obs": "2 s", "aapn": "20 s"}
STEPS = 40
_FRAMES = """
(async () => {
  const line = photocol.views.timeline;
  const turns = [
    ...Array.from({ length: STEPS }, () => () => line.zoom(0.81)),
    ...Array.from({ length: STEPS }, () => () => line.pan(0.1)),
    ...Array.from({ length: STEPS }, () => () => line.zoom(1 / 0.81)),
  ];
  line.all();
  await new Promise(requestAnimationFrame);
  const found = [];
  for (const turn of turns) {
    turn();
    BEGIN;
    // The pictures are drawn in this frame, before this is called.
    await new Promise(requestAnimationFrame);
    found.push(MEASURED);
  }
  return found;
})()
"""


def _frames(begin: str, measured: str) -> str:
    """A script that measures each frame, from before it is drawn."""
    return _FRAMES.strip().replace("STEPS", str(STEPS)).replace("BEGIN", begin).replace("MEASURED", measured)


# Milliseconds by the clock between the beginnings of frames.
FRAMES = _frames("const began = performance.now()", "performance.now() - began")
# Rectangles in each of those frames.
FRAMES_PAINTED = f"""
(() => {{
  const kept = CanvasRenderingContext2D.prototype;
  const real = kept.fillRect;
  let painted = 0;
  kept.fillRect = function (...given) {{
    painted += 1;
    return real.apply(this, given);
  }};
  return {_frames("painted = 0", "painted")};
}})()
"""


async def thread_s(page: Page) -> float:
    """CPU time of the main thread so far."""
    metrics = (await page.call("Performance.getMetrics"))["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


async def measured(file: Path, profile: Path) -> dict[str, float]:
    """What opening and drawing take."""
    async with opened(profile) as page:
        await page.call("Performance.enable", timeDomain="threadTicks")
        began = time.monotonic()
        await page.show(file)
        found = {"open_wall_s": time.monotonic() - began, "open_cpu_s": await thread_s(page)}
        before = await thread_s(page)
        times = await page.ask(FRAMES)
        found["frame_cpu_ms"] = (await thread_s(page) - before) / len(times) * 1e3
        found["frame_wall_median_ms"] = statistics.median(times)
        found["frame_wall_worst_ms"] = max(times)
        assert page.complaints == []
    return found


def traced(name: str, events: int, out: Path) -> int:
    """A run of which at most so many events are traced; how many they are."""
    settings = {"run.duration": SCENARIOS[name], "trace.from": "0 s", "trace.limit": events}
    result = photocol.run(ROOT / "scenarios" / f"{name}.toml", set=settings, out=out)
    return int(result.manifest["trace"]["events"])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The page of a run with a million events.")
    parser.add_argument("--scenario", choices=SCENARIOS, action="append")
    parser.add_argument("--events", type=int, default=1_000_000)
    options = parser.parse_args()
    for name in options.scenario or SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / name
            events = traced(name, options.events, out)
            began = time.process_time()
            file = build.write(out)
            made_s, size = time.process_time() - began, file.stat().st_size
            found = asyncio.run(measured(file, Path(folder) / "profile"))
        said = ", ".join(f"{key} {value:.4g}" for key, value in found.items())
        print(f"{name}: {events:,} events, {size / 1e6:.2f} MB, made in {made_s:.2f} CPU s; {said}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
