"""Mistakes of the user that are not in a scenario (those are `photocol.ScenarioError`), and being told to stop."""

import signal


class InputError(ValueError):
    """An argument is wrong; the message says what was found and what is allowed."""


class Terminated(KeyboardInterrupt):
    """SIGTERM has come; it stops a run as Ctrl-C does."""


def exit_status(stop: KeyboardInterrupt) -> int:
    """What a shell expects of a command that a signal has stopped: 143 after SIGTERM, 130 after Ctrl-C."""
    return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)
