"""Executes the notebooks of docs/notebooks and keeps what they show, pictures too.

    python docs/make_notebooks.py          # writes those that are stale
    python docs/make_notebooks.py --check  # exit status 1 if what is kept is not what they show now

Kept and shown are compared without what differs from run to run or from version to version: the seconds of a run, its
fingerprint, and the bytes of pictures, whose size is compared.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"
VOLATILE = re.compile(r"[\d.]+ CPU seconds|\bfingerprint [0-9a-f]{16}\b|\b[0-9a-f]{16}\b|0x[0-9a-f]+")


def main(arguments: list[str]) -> int:
    """The exit status."""
    stale = []
    for file in sorted(FOLDER.glob("*.ipynb")):
        kept, shown = json.loads(file.read_text(encoding="utf-8")), executed(file)
        if not differences(kept, shown):
            continue
        stale.append(file.name)
        if "--check" not in arguments:
            file.write_text(json.dumps(shown, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if stale and "--check" in arguments:
        sys.stderr.write(f"stale: {', '.join(stale)}; run: python docs/make_notebooks.py\n")
        return 1
    return 0


def executed(file: Path) -> dict[str, Any]:
    """A notebook after its execution, without the times of its cells."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(file, as_version=4)
    client = NotebookClient(
        notebook, timeout=300, record_timing=False, resources={"metadata": {"path": str(file.parent)}}
    )
    client.execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    read: dict[str, Any] = json.loads(nbformat.writes(notebook))
    return read


def differences(kept: dict[str, Any], shown: dict[str, Any]) -> list[str]:
    """Where two notebooks show something else, a line a cell."""
    cells = zip(kept["cells"], shown["cells"], strict=True)
    return [
        f"cell {number}: kept {before}, shown {now}"
        for number, (one, other) in enumerate(cells)
        if (before := [compared(output) for output in one.get("outputs", ())])
        != (now := [compared(output) for output in other.get("outputs", ())])
    ]


def compared(output: dict[str, Any]) -> dict[str, object]:
    """An output as it is compared: its kind, its plain text, the size of its picture."""
    if output["output_type"] == "stream":
        return {"name": output["name"], "text": steady(output["text"])}
    data = output.get("data", {})
    plain = {"kinds": sorted(data), "text": steady(data.get("text/plain", ""))}
    return plain | ({"size": size(data["image/png"])} if "image/png" in data else {})


def steady(text: str | list[str]) -> str:
    """A text without what differs from run to run."""
    return VOLATILE.sub("…", "".join(text))


def size(png: str | list[str]) -> tuple[int, int]:
    """Width and height of a PNG (RFC 2083 §4.1.1: its first chunk), in pixels; ValueError if it is none."""
    data = base64.b64decode("".join(png))
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    wide, high = struct.unpack(">II", data[16:24])
    return wide, high


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
