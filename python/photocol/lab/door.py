"""The file that the browser is opened on: it shows the token to the server and goes on to the page.

So the token stands on no command line and in no address. The file can be read by its owner only, lies in a folder of
its own, and is gone when a browser has come in or the server ends.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.lab.guard import Guard

_LEFTOVER = re.compile(r"photocol-lab-(\d+)-\w+")
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>photocol lab</title>
<form method="post" action="{origin}/enter">
<input type="hidden" name="token" value="{token}">
<button>Go to the laboratory</button>
</form>
<script>document.forms[0].submit()</script>
</html>
"""


@contextlib.contextmanager
def opened(guard: Guard) -> Iterator[Path]:
    """The file; gone after the block, with its folder."""
    remove_leftovers(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=f"photocol-lab-{os.getpid()}-"))
    try:
        file = folder / "open.html"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(_PAGE.format(origin=guard.origin, token=guard.token))
        yield file
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(folder: Path) -> None:
    """Remove what servers have left there that were killed."""
    with contextlib.suppress(OSError):
        for path in list(folder.iterdir()):
            found = _LEFTOVER.fullmatch(path.name)
            if found and not path.is_symlink() and not _is_alive(int(found[1])):
                shutil.rmtree(path, ignore_errors=True)


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":  # There os.kill ends a process instead of asking for it: nothing is taken away.
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
