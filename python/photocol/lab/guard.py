"""Who may ask the server, and how much: this browser, of this machine, from this page, in bounded requests."""

from __future__ import annotations

import hmac
import secrets
import threading
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

ADDRESS = "127.0.0.1"
MOST_BYTES = 1 << 20
"""Of a request: a scenario is a text of some kilobytes."""
MOST_BYTES_TO_ENTER = 1 << 10
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # Only the colours of legends and swatches stand in attributes.
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Of every answer."""


class RefusedError(Exception):
    """A request that is not answered: the status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Guard:
    """The secrets of one server, and the checks of a request's headers."""

    def __init__(self, port: int) -> None:
        self.host = f"{ADDRESS}:{port}"
        self.origin = f"http://{self.host}"
        self.token = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        # Cookies do not tell ports apart.
        self._name = f"photocol-lab-{port}"
        self._is_used = False
        self._lock = threading.Lock()

    def check_host(self, headers: Mapping[str, str] | Message) -> None:
        """Refuse a request for another host: a name that was made to point here."""
        if headers.get("Host") != self.host:
            raise RefusedError(421, f"This server answers to {self.host} only.")

    def check_origin(self, headers: Mapping[str, str] | Message, *, must: bool) -> None:
        """Refuse a request of another page; with `must`, one that does not say of which."""
        origin = headers.get("Origin")
        if origin != self.origin and (must or origin is not None):
            raise RefusedError(403, "This request comes from another page.")
        if headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            raise RefusedError(403, "This request comes from another site.")

    def check_cookie(self, headers: Mapping[str, str] | Message) -> None:
        """Refuse a browser that has not shown the token."""
        try:
            held = SimpleCookie(headers.get("Cookie", "")).get(self._name)
        except CookieError:
            held = None
        if held is None or not hmac.compare_digest(held.value.encode(), self._cookie.encode()):
            raise RefusedError(403, "Open the file that `photocol lab` named: it lets a browser in, once.")

    def exchange(self, token: str) -> str:
        """The cookie for the token, which is worth one."""
        with self._lock:
            if not hmac.compare_digest(token.encode(), self.token.encode()):
                raise RefusedError(403, "This token is not that of this server.")
            if self._is_used:
                raise RefusedError(403, "This token has been used. Start `photocol lab` anew for another browser.")
            self._is_used = True
        return f"{self._name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"


def length(headers: Mapping[str, str] | Message, most: int = MOST_BYTES) -> int:
    """The bytes that follow the headers; refuses more than `most`, and those that do not say how many."""
    said = headers.get("Content-Length", "")
    if "Transfer-Encoding" in headers or not (said.isascii() and said.isdigit()):
        raise RefusedError(411, "A request says how long it is.")
    if len(said) > 12 or int(said) > most:
        raise RefusedError(413, f"A request has at most {most} bytes.")
    return int(said)
