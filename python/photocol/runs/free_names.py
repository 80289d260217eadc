"""Names of directories that nothing has yet."""

from __future__ import annotations

import itertools
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def free_neighbour(target: Path) -> Path:
    """The next name that nothing has: `out/dumbbell-2` beside `out/dumbbell`."""
    numbered = re.fullmatch(r"(.+)-([1-9]\d{0,8})", target.name)
    stem, first = (numbered[1], int(numbered[2]) + 1) if numbered else (target.name or "run", 2)
    return next(
        place
        for place in (target.with_name(f"{stem}-{k}") for k in itertools.count(first))
        if not os.path.lexists(place)
    )


def claim(first: Path) -> Path:
    """Make the directory of this name, or of the next that is free, which nobody else is given then."""
    first.parent.mkdir(parents=True, exist_ok=True)
    place = first
    while True:
        try:
            place.mkdir()
        except FileExistsError:
            place = free_neighbour(place)
        else:
            return place
