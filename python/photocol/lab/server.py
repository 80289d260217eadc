"""The server of the page: on loopback, for one browser, by the standard library."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
import time
import webbrowser
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from photocol import __version__
from photocol.errors import InputError
from photocol.files import content
from photocol.lab import door, lessons
from photocol.lab.guard import ADDRESS, HEADERS, MOST_BYTES, MOST_BYTES_TO_ENTER, Guard, RefusedError, length
from photocol.lab.workers import Limits, Workers
from photocol.quantity import readable
from photocol.runs import bundled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_FILE = re.compile(r"/page/([\w-]+\.(?:js|css))")
_TAB = re.compile(r"[\w-]{1,64}")
_MOST_CONNECTIONS = 32
_PATIENCE_S = 30.0
"""For a browser that neither sends nor takes anything."""
_GOES_WITHIN_S = 1.0
"""Room is made in this time where a connection is closed for it."""
_HEEDS_SIGNALS_WITHIN_S = 0.2
_MOST_TEXT = 1 << 19
_GO_ON = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0;url=/">
<link rel="icon" href="data:,">
<title>photocol lab</title>
"""
_ASKED = ("check", "run", "share", "command")


@dataclass(frozen=True)
class Opened:
    """A scenario on the page, as it was before any change."""

    kind: str
    name: str
    text: str
    folder: str
    """Where relative file names in it begin."""
    source: str | None
    """What the command line calls it."""


@dataclass
class Lab:
    """What a server has to show."""

    first: Opened
    guard: Guard
    workers: Workers
    lessons: dict[str, Path] = field(default_factory=dict)

    def start(self) -> dict[str, Any]:
        """The first thing that a page asks for."""
        limits = self.workers.limits
        words = f"{readable(float(limits.memory_bytes), 'B')} of memory and {limits.wall_s:g} s"
        return {
            "version": __version__,
            "limits": words,
            "scenarios": [name for name, _ in bundled.scenarios()],
            "lessons": [{"name": name, "title": lessons.read(file).title} for name, file in self.lessons.items()],
            "first": self.page_of(self.first),
        }

    def opened(self, asked: Any) -> Opened:
        """The scenario that a page names."""
        kind, name = (str(asked.get(key, "")) for key in ("kind", "name")) if isinstance(asked, dict) else ("", "")
        if (kind, name) == (self.first.kind, self.first.name):
            return self.first
        if kind == "lesson" and name in self.lessons:
            file = self.lessons[name]
            # Orbits of a lesson leave a file of contacts beside the scenario: it goes with the server.
            folder = self.workers.folder if file.parent == lessons.FOLDER else Path.cwd()
            return Opened(kind, name, lessons.read(file).scenario, str(folder), None)
        if kind == "scenario" and name in dict(bundled.scenarios()):
            return of_file(name)
        raise RefusedError(404, "There is no such scenario.")

    def page_of(self, opened: Opened) -> dict[str, Any]:
        """A scenario as the page has it."""
        said = {"of": {"kind": opened.kind, "name": opened.name}, "name": opened.name, "text": opened.text}
        if opened.kind == "lesson":
            said["lesson"] = lessons.read(self.lessons[opened.name]).to_page()
        return said


def of_file(name: str) -> Opened:
    """A scenario's file, or a ready-made one. Raises InputError."""
    path = bundled.found(name)
    try:
        text = content(path, _MOST_TEXT).decode("utf-8")
    except FileNotFoundError:
        near = bundled.nearest(path.name)
        advice = "" if near is None else f"; nearest ready-made scenario: {near}"
        raise InputError(f"{path}: there is no such file{advice}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {error}") from error
    if path.suffix == ".json":
        raise InputError(f"{path}: the lab shows scenarios in TOML; `photocol check --explain` writes one")
    kind = "file" if path == Path(name) else "scenario"
    return Opened(kind, path.stem if kind == "scenario" else name, text, str(path.absolute().parent), name)


class Server(ThreadingHTTPServer):
    """A thread a connection, of which there are not too many."""

    daemon_threads = True
    block_on_close = False
    lab: Lab

    def __init__(self, port: int = 0) -> None:
        super().__init__((ADDRESS, port), Handler)
        self._room = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._strangers: dict[socket.socket, None] = {}
        """Connections whose request has not been read to its end or not been allowed yet, the oldest first."""
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer. Where too many are talking already, the one that has been asking for longest makes room."""
        if not self._room.acquire(blocking=False):
            self._hang_up_on_a_stranger()
            if not self._room.acquire(timeout=_GOES_WITHIN_S):
                return self.shutdown_request(request)
        with self._lock:
            self._strangers[request] = None
        return super().process_request(request, client_address)

    def process_request_thread(self, request: socket.socket, client_address: Any) -> None:  # type: ignore[override]
        """One connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.admit(request)
            self._room.release()

    def admit(self, request: socket.socket) -> None:
        """A connection has asked something that it may ask: it is not closed to make room."""
        with self._lock:
            self._strangers.pop(request, None)

    def _hang_up_on_a_stranger(self) -> None:
        with self._lock:
            oldest = next(iter(self._strangers), None)
            if oldest is not None:
                del self._strangers[oldest]
                # Its thread wakes up, and closes it.
                with contextlib.suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that has gone is no news."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    timeout = _PATIENCE_S
    server_version = "photocol"
    sys_version = ""

    def do_GET(self) -> None:
        """The page and what belongs to it."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """What the page asks for."""
        self._answer(self._post)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: the terminal is the user's."""

    def _answer(self, act: Callable[[], None]) -> None:
        try:
            self.server.lab.guard.check_host(self.headers)
            act()
        except RefusedError as refusal:
            # What has not been read of the request is not another one.
            self.close_connection = True
            self._say(refusal.status, f"{refusal.sentence}\n".encode(), "text/plain")
        except InputError as error:
            self._say(400, f"{error}\n".encode(), "text/plain")

    def _get(self) -> None:
        guard = self.server.lab.guard
        guard.check_origin(self.headers, must=False)
        guard.check_cookie(self.headers)
        self.server.admit(self.connection)
        found = _FILE.fullmatch(self.path)
        name = "lab.html" if self.path == "/" else found[1] if found else ""
        for room in ("lab", "report"):
            file = files(f"photocol.{room}").joinpath("page", name)
            if name and file.is_file():
                self._say(200, file.read_bytes(), _KINDS[name.rpartition(".")[2]])
                return
        raise RefusedError(404, "There is nothing here.")

    def _post(self) -> None:
        if self.path == "/enter":
            return self._enter()
        guard = self.server.lab.guard
        guard.check_origin(self.headers, must=True)
        guard.check_cookie(self.headers)
        asked = self._asked()
        self.server.admit(self.connection)
        lab = self.server.lab
        if self.path == "/api/start":
            return self._say_json(lab.start())
        if self.path == "/api/open":
            return self._say_json(lab.page_of(lab.opened(asked.get("of"))))
        if self.path == "/api/ask" and asked.get("do") in _ASKED:
            return self._ask(lab, asked)
        raise RefusedError(404, "There is nothing here.")

    def _enter(self) -> None:
        """The token for a cookie. The file that shows it has no origin: it is on the disk."""
        if self.headers.get("Origin", "null") not in ("null", "file://"):
            raise RefusedError(403, "This request comes from another page.")
        said = parse_qs(self.rfile.read(length(self.headers, MOST_BYTES_TO_ENTER)).decode("ascii", "replace"))
        cookie = self.server.lab.guard.exchange(said.get("token", [""])[0])
        # Not a redirection: a strict cookie goes with no request that another site began.
        self._say(200, _GO_ON.encode(), "text/html", {"Set-Cookie": cookie})

    def _asked(self) -> dict[str, Any]:
        try:
            asked = json.loads(self.rfile.read(length(self.headers, MOST_BYTES)))
        except ValueError:
            asked = None
        if not isinstance(asked, dict):
            raise RefusedError(400, "A request is an object of JSON.")
        return asked

    def _ask(self, lab: Lab, asked: dict[str, Any]) -> None:
        """The answer of a process, message by message, a line each."""
        opened, tab = lab.opened(asked.get("of")), str(asked.get("tab", ""))
        if not _TAB.fullmatch(tab) or not isinstance(asked.get("text"), str):
            raise RefusedError(400, "A request says of which tab it is, and has a text.")
        known: dict[str, Any] = {
            key: asked[key] for key in ("do", "text", "set", "allowed", "controls") if key in asked
        }
        known |= {"folder": opened.folder, "name": opened.name, "base": opened.text, "source": opened.source}
        self._head(200, "application/x-ndjson")
        with contextlib.suppress(OSError), lab.workers.lent(f"{tab} {asked['do']}") as worker:
            busy = [{"kind": "failed", "sentence": "All processes are at work; try again in a moment."}]
            for message in worker.ask(known) if worker is not None else busy:
                self._line(message)

    def _line(self, message: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.wfile.flush()

    def _say_json(self, said: dict[str, Any]) -> None:
        self._say(200, json.dumps(said).encode(), "application/json")

    def _say(self, status: int, body: bytes, kind: str, more: dict[str, str] | None = None) -> None:
        self._head(status, kind, {"Content-Length": str(len(body)), **(more or {})})
        self.wfile.write(body)

    def _head(self, status: int, kind: str, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": f"{kind}; charset=utf-8", **HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()


@contextlib.contextmanager
def _entrance(server: Server) -> Iterator[tuple[Guard, Path]]:
    guard = Guard(server.port)
    with door.opened(guard) as file:
        yield guard, file


@contextlib.contextmanager
def running(
    first: Opened,
    *,
    folder: Path | None = None,
    limits: Limits | None = None,
    port: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> Any:
    """A server with its file, answering in a thread; all of it is gone after the block.

    `say` is told which files of `folder` are no lessons. Raises InputError if none is one.
    """
    own = [] if folder is None else lessons.own(folder, say)
    with Server(port) as server, _entrance(server) as (guard, file):
        # What processes lay down goes with the folder of the file.
        workers = Workers(limits or Limits(), file.parent)
        try:
            found = {file.stem: file for file in [*lessons.found(), *own]}
            server.lab = Lab(first, guard, workers, found)
            threading.Thread(target=workers.warm_up, daemon=True).start()
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
            thread.start()
            try:
                yield server, file
            finally:
                server.shutdown()
        finally:
            workers.close()


def serve(
    scenario: str,
    *,
    has_browser: bool,
    say: Callable[[str], None],
    tell: Callable[[str], None],
    folder: Path | None = None,
    port: int = 0,
) -> None:
    """Show the page until Ctrl-C. `say` prints what is asked for, `tell` what is amiss. Raises InputError."""
    first = of_file(scenario)
    with running(first, folder=folder, port=port, say=tell) as (server, file):
        if has_browser:
            say(f"photocol lab: {server.lab.guard.origin}/ in the browser; Ctrl-C ends it")
            threading.Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()
        else:
            say(str(file))
        # A signal that comes just before a wait without end would never be acted upon: Python does that between
        # instructions, and only a signal that comes during the wait interrupts it.
        while True:
            time.sleep(_HEEDS_SIGNALS_WITHIN_S)
