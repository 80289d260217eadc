"""Ctrl-C, SIGTERM and SIGHUP: a command stops at the first, keeps what is finished, and is left alone meanwhile."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from typing import TYPE_CHECKING

from photocol.errors import Terminated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_SAME_WISH_S = 2.0
"""A signal that follows another within this time asks for nothing else.

A later one does: the first may have been lost in a callback that swallows exceptions.
"""


class Stop:
    """What a command has been told."""

    def __init__(self) -> None:
        self.raised: KeyboardInterrupt | None = None
        self._raised_at = -_SAME_WISH_S

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, or Terminated with another signal's number, unless that has just been done."""
        now = time.monotonic()
        if now - self._raised_at < _SAME_WISH_S:
            return
        self._raised_at = now
        self.raised = KeyboardInterrupt() if number == signal.SIGINT else Terminated(number)
        raise self.raised


@contextlib.contextmanager
def interruptible() -> Iterator[Stop]:
    """In the block SIGINT raises KeyboardInterrupt, SIGTERM and SIGHUP raise Terminated, once for each wish to stop.

    A hang-up that is ignored, as under nohup, stays so.
    """
    stop = Stop()
    handled = [one for one in _SIGNALS if one == signal.SIGINT or signal.getsignal(one) is not signal.SIG_IGN]
    former = {number: signal.signal(number, stop.handle) for number in handled}
    try:
        yield stop
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def noticed() -> Iterator[list[int]]:
    """In the block a signal does nothing but put its number on the list.

    Only the main thread is told of signals; in others nothing comes.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    former = {number: signal.getsignal(number) for number in _SIGNALS}
    # A handler that was not installed from Python cannot be put back.
    former = {number: handler for number, handler in former.items() if handler not in (None, signal.SIG_IGN)}
    for number in former:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield came
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """The block is finished before a signal that comes meanwhile is acted upon."""
    with noticed() as came:
        yield
    if came:
        signal.raise_signal(came[0])
