"""Window laws of your own: a small class under `@photocol.law` decides how the congestion window moves.

    @photocol.law
    class Aimd:
        def on_ack(self, window, event):
            window.cwnd += window.mss * event.acked / window.cwnd

        def ssthresh_after(self, window, loss):
            return loss.in_flight / 2

It hears the events that laws in Rust hear and moves the same window; each flow has an object of the class, made
without arguments. A scenario names it, `{"transport": {"mine": {"law": Aimd}}}`, in a file `law = "my_laws.py:Aimd"`;
by hand it is `photocol.transport.Sender(Aimd)`. It is slow, and a run says what it has cost.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from photocol import digests
from photocol._core import LawEvent as Event
from photocol._core import LawWindow as Window
from photocol.errors import InputError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Event", "Window", "find", "law", "name_of", "source_digest", "source_file"]

_METHODS = ("on_ack", "on_loss", "ssthresh_after", "on_repeated_timeout", "on_idle", "pacing_rate")
"""What a law may answer; only `on_ack` must be there."""
_FLAGS = ("every_ack", "paced")
"""What a law may ask for: to hear of every ACK, and paced segments."""
_MARK = "__photocol_law__"

_Law = TypeVar("_Law", bound=type)
_known: dict[str, type] = {}
_files: dict[Path, ModuleType] = {}
_read_as: dict[Path, str] = {}
"""The digest of each of these files when it was read."""


def law(cls: _Law) -> _Law:
    """Make a window law of a class that can be made without arguments.

    Methods, of which only `on_ack` must be there; `window` has cwnd and ssthresh in bytes, `event` what is news:

    - `on_ack(window, event)`: new bytes are acknowledged outside of fast recovery; with `every_ack = True` any ACK.
    - `ssthresh_after(window, loss)`: the new ssthresh at a loss, by default half of the flight; cwnd follows as in TCP.
    - `on_loss(window, loss)` instead: moves both. `loss.cause` is "fast-retransmit", "timeout", "mark" or "contention".
    - `on_repeated_timeout(window, event)`, by default cwnd is one segment; `on_idle(window, event)`, by default cwnd is
      at most the restart window; `pacing_rate(window, srtt)` in bit/s, which `paced = True` or the transport asks for.

    Raises InputError if the class has none of this.
    """
    if not isinstance(cls, type):
        raise InputError(f"@photocol.law stands above a class, not above {cls!r}")
    if not callable(getattr(cls, "on_ack", None)):
        raise InputError(f"the law {cls.__name__} has no method on_ack(self, window, event)")
    for name in vars(cls):
        if name.startswith("on_") and name not in _METHODS:
            raise InputError(f"the law {cls.__name__}: no event is called {name!r}; there are: {', '.join(_METHODS)}")
    name = _reference(cls)
    setattr(cls, _MARK, name)
    _known[name] = cls
    return cls


def is_law(value: object) -> bool:
    """Whether it is a class under `@photocol.law`."""
    return isinstance(value, type) and _MARK in vars(value)


def name_of(cls: object) -> str:
    """What scenarios call a law: "module:Class" or "file.py:Class"."""
    if not is_law(cls):
        raise InputError(f"{cls!r} is neither an algorithm's name nor a class under @photocol.law")
    name: str = vars(cls)[_MARK]
    return name


def find(name: str) -> type:
    """The class that a scenario calls `name`. Raises InputError if there is none, or it is no law."""
    if name in _known:
        return _known[name]
    place, colon, path = name.rpartition(":")
    if not colon or not path:
        raise InputError('allowed: "module:Class" or "file.py:Class"')
    value: Any = _module_of(place)
    for part in path.split("."):
        if not hasattr(value, part):
            raise InputError(f"there is no {part} in {place}")
        value = getattr(value, part)
    if not is_law(value):
        raise InputError(f"{path} is not under @photocol.law")
    cls: type = value
    _known[name] = cls
    return cls


def source_digest(name: str) -> str | None:
    """The SHA-256 of the source of a law that has been found; None where it has no file, as in a notebook."""
    import inspect

    try:
        return hashlib.sha256(inspect.getsource(_known[name]).encode()).hexdigest()
    except (KeyError, OSError, TypeError):
        return None


def source_file(name: str) -> dict[str, str] | None:
    """The file of a law that has been found, and the SHA-256 of what was read from it; None where it has no file."""
    place = name.rpartition(":")[0]
    module = _files.get(Path(place)) if place.endswith(".py") else sys.modules.get(place)
    file = place if place.endswith(".py") else getattr(module, "__file__", None)
    if file is None:
        return None
    path = Path(file).absolute()
    try:
        return {"file": str(path), "sha256": _read_as.get(path) or digests.of_file(path)}
    except OSError:
        return None


def _reference(cls: type) -> str:
    """A name under which other processes find it too, as far as there is one."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is not None and (cls.__module__ in ("__main__", "__mp_main__") or Path(file).absolute() in _files):
        return f"{Path(file).absolute()}:{cls.__qualname__}"
    return f"{cls.__module__}:{cls.__qualname__}"


def _module_of(place: str) -> ModuleType:
    if place.endswith(".py"):
        return _module_in(Path(place).absolute())
    if place == "__main__":
        raise InputError(
            "it was defined in a notebook or terminal, which other processes cannot read; put it in a file"
        )
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        raise InputError(
            f"there is no module {error.name}; a file is named by its path, as in my_laws.py:Aimd"
        ) from error


def _module_in(file: Path) -> ModuleType:
    if file in _files:
        return _files[file]
    name = f"photocol_laws_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise InputError(f"there is no file {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = _files[file] = module
    _read_as[file] = digests.of_file(file)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name], _files[file]
        raise
    return module
