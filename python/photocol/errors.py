"""Mistakes of the user that are not in a scenario (those are `photocol.ScenarioError`), and being told to stop."""

from __future__ import annotations

import signal
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class InputError(ValueError):
    """An argument is wrong; the message says what was found and what is allowed."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP has come; it stops a run as Ctrl-C does."""

    def __init__(self, number: int = signal.SIGTERM) -> None:
        super().__init__()
        self.number = number


def shown(text: str) -> str:
    """Words of a user or of a file as a terminal may have them: nothing moves its cursor or turns its writing."""
    return "".join(letter if letter in "\n\t" or letter.isprintable() else _escaped(letter) for letter in text)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The nearest of these names as a question with a space behind it; nothing if none is near."""
    import difflib

    near = difflib.get_close_matches(name, list(names), n=1)
    return f"did you mean {near[0]!r}? " if near else ""


def failure(error: OSError) -> str:
    """What the system refused, and of which file."""
    why = error.strerror or str(error)
    return why if error.filename is None else f"{error.filename}: {why}"


def _escaped(letter: str) -> str:
    # A space of another width is not printable to Python and harms nobody.
    return (
        letter if unicodedata.category(letter) == "Zs" else letter.encode("unicode_escape", "backslashreplace").decode()
    )


def exit_status(stop: KeyboardInterrupt) -> int:
    """What a shell expects of a command that a signal has stopped: 143 after SIGTERM, 129 after SIGHUP, else 130."""
    return 128 + (stop.number if isinstance(stop, Terminated) else signal.SIGINT)


def whole_number(name: str, value: int, low: int, high: int) -> int:
    """The value, if it is a whole number of this range; otherwise an InputError that names it."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InputError(f"{name} is {value!r}, must be a whole number from {low} to {high}")
    return value
