"""The command `photocol`, from its first moment to its exit status.

Exit status: 0 done; 1 the run or a claim failed; 2 the user's input is wrong (one message on standard error,
nothing written); 130 and 143 after Ctrl-C and SIGTERM (what is finished is kept). The commands are imported when
signals interrupt already: that takes a good part of a short command's time.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING

from photocol import InputError, RunError, ScenarioError, __version__, children
from photocol.errors import exit_status, failure, shown
from photocol.runs.signals import interruptible

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, FAILED, WRONG_INPUT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line; returns the exit status."""
    write_everywhere()
    try:
        with interruptible(), children.safe_path():
            status = _carried_out(arguments)
    except KeyboardInterrupt as stopped:
        return complain("photocol: interrupted", exit_status(stopped))
    except (ScenarioError, InputError) as error:
        return complain(str(error), WRONG_INPUT)
    except RunError as error:
        return complain(f"photocol: the run failed: {error}", FAILED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return complain(f"photocol: {failure(error)}", FAILED)
    except BaseException as error:
        # A panic of an extension is no Exception.
        if isinstance(error, (SystemExit, GeneratorExit)):
            raise
        from photocol.cli import damage

        said = damage.sentence(sys.argv[1:] if arguments is None else arguments, error)
        if said is None:
            raise
        return complain(said, WRONG_INPUT)
    return status


def _carried_out(arguments: Sequence[str] | None) -> int:
    if [*(sys.argv[1:] if arguments is None else arguments)] == ["--version"]:  # Click alone would take twice as long.
        print(f"photocol {__version__}", flush=True)  # noqa: T201 - as click would, without importing it
        return DONE
    from photocol.cli.commands import carry_out

    return carry_out(arguments)


def write_everywhere() -> None:
    r"""Signs that the terminal's encoding lacks come out as `\u2026`, which JSON and TOML read back in quotes."""
    codecs.register_error("photocol", _as_escapes)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="photocol")


def _as_escapes(error: UnicodeError) -> tuple[str, int]:
    """A handler of codecs. The signs of this project have four digits; rarer ones become a pair, as JSON has them."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)), error.end


def say(message: str) -> None:
    """A line on standard error."""
    sys.stderr.write(f"{shown(message)}\n")


def complain(message: str, status: int) -> int:
    """The same, on the way to this exit status."""
    say(message)
    return status
