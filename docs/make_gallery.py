"""The figures of the gallery: `python docs/make_gallery.py [NAME…]` carries out their commands and keeps the pictures.

The page `docs/guide/gallery.md` has an image of `docs/images/gallery/NAME.png` before the commands that make it; the
last one draws it. `--width WIDTH --to DIR` draws all in another width, to be looked at.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from photocol.cli import main as photocol

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guide" / "gallery.md"
FOLDER = ROOT / "docs" / "images" / "gallery"
_FIGURE = re.compile(r"\(\.\./images/gallery/([\w-]+)\.png\)\n\n```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def figures() -> dict[str, list[list[str]]]:
    """The commands of each figure by its name."""
    found = _FIGURE.findall(PAGE.read_text(encoding="utf-8"))
    return {name: [shlex.split(line)[1:] for line in block.splitlines()] for name, block in found}


def make(name: str, commands: list[list[str]], folder: Path, width: str | None) -> None:
    """Carry the commands out, and put the only picture of the last one into `folder`."""
    for words in commands:
        more = ["--width", width, "--out", "out/gallery"] if width and words is commands[-1] else []
        with contextlib.redirect_stdout(io.StringIO()):
            if photocol([*words, *more]):
                raise SystemExit(f"{name}: photocol {shlex.join(words)} has failed")
    place = Path(more[-1] if more else commands[-1][commands[-1].index("--out") + 1])
    (picture,) = place.glob("*.png")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(picture, folder / f"{name}.png")
    shutil.rmtree(place)


def main() -> None:
    """Make those that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--width")
    parser.add_argument("--to", type=Path, default=FOLDER)
    asked = parser.parse_args()
    target = asked.to.absolute()
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        Path("scenarios").symlink_to(ROOT / "scenarios")
        for name, commands in figures().items():
            if not asked.names or name in asked.names:
                make(name, commands, target, asked.width)


if __name__ == "__main__":
    main()
