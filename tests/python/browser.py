"""A page in headless Chromium, driven by its DevTools protocol over tornado's websocket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import urllib.request
from typing import TYPE_CHECKING, Any, Self

from tornado.websocket import WebSocketClientConnection, websocket_connect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0")
_PATIENCE_S = 120
_COMPLAINTS = ("Runtime.exceptionThrown", "Log.entryAdded")


class Page:
    """A page that is open; `complaints` are its errors and what it says on the console."""

    def __init__(self, connection: WebSocketClientConnection) -> None:
        self._connection = connection
        self._sent = 0
        self.complaints: list[str] = []

    async def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """A command of the protocol, and its answer."""
        self._sent += 1
        await self._connection.write_message(json.dumps({"id": self._sent, "method": method, "params": parameters}))
        while True:
            said = json.loads(await self._connection.read_message() or "null")
            assert said is not None, "the browser has gone"
            if said.get("id") == self._sent:
                assert "error" not in said, said
                return dict(said["result"])
            is_error = said.get("method") == "Runtime.consoleAPICalled" and said["params"]["type"] in (
                "error",
                "assert",
            )
            if is_error or said.get("method") in _COMPLAINTS:
                self.complaints.append(json.dumps(said["params"])[:2000])

    async def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def show(self, file: Path, *, width: int = 1200) -> Self:
        """Open a file and wait until it is ready."""
        for domain in ("Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        await self.call("Emulation.setDeviceMetricsOverride", **size)
        await self.call("Page.navigate", url=file.absolute().as_uri())
        for _ in range(_PATIENCE_S * 10):
            # A page that goes on to another has no answer for a moment.
            with contextlib.suppress(AssertionError):
                if await self.ask("document.body?.dataset.ready ?? ''") == "yes" or self.complaints:
                    break
            await asyncio.sleep(0.1)
        return self

    async def press(self, key: str) -> None:
        """A key, for what has the focus."""
        text = {"text": key} if len(key) == 1 else {}
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        await self.settle()

    async def settle(self) -> None:
        """Wait until what is to be drawn has been drawn."""
        await self.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")


@contextlib.asynccontextmanager
async def opened(profile: Path) -> AsyncIterator[Page]:
    """A browser with one page; it is gone after the block."""
    assert CHROMIUM is not None
    words = [CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "DevTools listening" in line)
        place = said.split("ws://")[1].split("/")[0]
        with urllib.request.urlopen(f"http://{place}/json") as answer:
            pages = json.load(answer)
        target = next(page for page in pages if page["type"] == "page")["webSocketDebuggerUrl"]
        connection = await websocket_connect(target, max_message_size=1 << 28)
        yield Page(connection)
        connection.close()
        # What it had still to say, up to its end.
        while await connection.read_message() is not None:
            pass
    finally:
        # Its socket lies in a folder of its own among the machine's temporary files, which it leaves there.
        socket = profile / "SingletonSocket"
        left = socket.readlink().parent if socket.is_symlink() else None
        process.terminate()
        process.wait()
        if left is not None:
            shutil.rmtree(left, ignore_errors=True)
        if process.stderr is not None:
            process.stderr.close()
