"""The pictures of the lessons in the gallery: `python docs/make_lab_pictures.py` takes them in headless Chromium."""

from __future__ import annotations

import asyncio
import base64
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from photocol.lab import lessons, server

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images" / "lab"
WIDTH, HEIGHT, COLOURS = 1400, 1300, 256
_LESSON = "photocol.open({{ kind: 'lesson', name: '{name}' }})"
_PREDICT = (
    "document.querySelector('#lesson input[type=radio]').click();"
    " document.querySelector('#lesson button.first').click()"
)
_ENDED = "document.getElementById('progress').dataset.state === 'end'"


async def take(file: Path, folder: Path) -> None:
    """A picture of each lesson when its run has ended, with a prediction made."""
    sys.path.insert(0, str(ROOT / "tests" / "python"))
    from browser import opened

    async with opened(folder) as page:
        await page.show(file, width=WIDTH)
        for one in lessons.found():
            await page.ask(_LESSON.format(name=one.stem))
            await page.ask(f"document.getElementById('progress').dataset.state = ''; {_PREDICT}")
            while not await page.ask(_ENDED):
                await asyncio.sleep(0.1)
            size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
            await page.call("Emulation.setDeviceMetricsOverride", **size)
            await page.settle()
            await asyncio.sleep(0.5)
            said = await page.call("Page.captureScreenshot", format="png")
            picture = (
                Image.open(io.BytesIO(base64.b64decode(said["data"])))
                .convert("RGB")
                .quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
            )
            picture.save(FOLDER / f"{one.stem}.png", optimize=True)


def main() -> None:
    """Take all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with server.running(server.of_file("dumbbell")) as (_, file), tempfile.TemporaryDirectory() as folder:
        asyncio.run(take(file, Path(folder)))


if __name__ == "__main__":
    main()
