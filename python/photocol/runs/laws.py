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

import contextlib
import contextvars
import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from photocol._core import LawEvent as Event
from photocol._core import LawWindow as Window
from photocol._core import PolicyView as View
from photocol.errors import InputError, shown
from photocol.runs import digests, known_code, law_source
from photocol.runs.law_source import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Event", "View", "Window", "find", "law", "name_of", "policy", "source_digest", "source_file"]

_FLAGS = ("every_ack", "paced")
"""What a law may ask for: to hear of every ACK, and paced segments."""
_MARK = "__photocol_law__"
_POLICY_MARK = "__photocol_policy__"
_NOWHERE = "it was defined in a notebook or terminal, which other processes cannot read; put it in a file"

_Law = TypeVar("_Law", bound=type)
_known: dict[str, type] = {}
_files: dict[Path, ModuleType] = {}
_read_as: dict[Path, str] = {}
"""The digest of each of these files when it was read."""
_announced: set[Path] = set()
_permitted: contextvars.ContextVar[Mapping[str, str] | None] = contextvars.ContextVar("permitted", default=None)
"""The digests of the files that may be executed; None: whatever a scenario names."""


def law(cls: _Law) -> _Law:
    """Make a window law of a class that can be made without arguments.

    Methods, of which only `on_ack` must be there; `window` has cwnd and ssthresh in bytes, `event` what is news:

    - `on_ack(window, event)`: new bytes are acknowledged outside of fast recovery; with `every_ack = True` any ACK.
    - `ssthresh_after(window, loss)`: the new ssthresh at a loss, by default half of the flight; cwnd follows as in TCP.
    - `on_loss(window, loss)` instead: moves both. `loss.cause` is "fast-retransmit", "timeout", "mark" or "contention".
    - `on_news(window, news)`: the path changes, where a scenario tells of it (`[[news]]`). `news` has way, turn,
      division, capacity, base_rtt and at, besides what any event has.
    - `on_repeated_timeout(window, event)`, by default cwnd is one segment; `on_idle(window, event)`, by default cwnd is
      at most the restart window; `pacing_rate(window, srtt)` in bit/s, which `paced = True` or the transport asks for.

    Raises InputError if the class has none of this.
    """
    if not isinstance(cls, type):
        raise InputError(f"@photocol.law stands above a class, not above {cls!r}")
    if not callable(getattr(cls, "on_ack", None)):
        raise InputError(f"the law {cls.__name__} has no method on_ack(self, window, event)")
    for name in vars(cls):
        if name.startswith("on_") and name not in METHODS:
            raise InputError(f"the law {cls.__name__}: no event is called {name!r}; there are: {', '.join(METHODS)}")
    name = _reference(cls)
    setattr(cls, _MARK, name)
    _known[name] = cls
    return cls


def policy(cls: _Law) -> _Law:
    """Make a policy of a class that can be made without arguments: it sets optical circuit switches for work.

    - `decide(view)`: the work has come further. The answer is a dict: for a switch its circuits, again a dict, from
      node to node. Circuits that it does not name stay as far as they can; None changes nothing. `view` has `now` in
      seconds, `step`, a number that grows with each step that begins, the names `nodes` and `switches`, `circuits` as
      an answer has them, and `transfers` of the steps under way: whence, whither, bytes, how many, how many ready.
    - `next_s()`, if it is there: when it wants to be asked whatever happens, in seconds; None for never.

    A scenario names it: `[switching]` with `policy = "python"` and `class = "my_policy.py:Rotate"`. Raises InputError
    if the class has no `decide`.
    """
    if not isinstance(cls, type):
        raise InputError(f"@photocol.policy stands above a class, not above {cls!r}")
    if not callable(getattr(cls, "decide", None)):
        raise InputError(f"the policy {cls.__name__} has no method decide(self, view)")
    name = _reference(cls)
    setattr(cls, _POLICY_MARK, name)
    _known[name] = cls
    return cls


def is_law(value: object) -> bool:
    """Whether it is a class under `@photocol.law`."""
    return isinstance(value, type) and _MARK in vars(value)


def is_policy(value: object) -> bool:
    """Whether it is a class under `@photocol.policy`."""
    return isinstance(value, type) and _POLICY_MARK in vars(value)


def name_of(cls: object) -> str:
    """What scenarios call a law or a policy: "module:Class" or "file.py:Class"."""
    if is_policy(cls):
        return str(vars(cls)[_POLICY_MARK])
    if not is_law(cls):
        raise InputError(f"{cls!r} is neither an algorithm's name nor a class under @photocol.law")
    name: str = vars(cls)[_MARK]
    return name


def paces(name: str) -> bool:
    """Whether the law that a scenario calls `name` asks for paced segments, as its source says; nothing is executed.

    Raises InputError if there is none, or it is no law.
    """
    asked = _asked(name).paces
    return bool(getattr(_known[name], "paced", False)) if asked is None and name in _known else bool(asked)


def hears_news(name: str) -> bool:
    """Whether the law that a scenario calls `name` has a method `on_news`, as its source says; nothing is executed.

    Raises InputError if there is none, or it is no law.
    """
    asked = _asked(name).hears_news
    return hasattr(_known[name], "on_news") if asked is None and name in _known else bool(asked)


def check_policy(name: str) -> None:
    """Raise InputError if the source that a scenario calls `name` has no policy; nothing is executed."""
    file, path = _source(name)
    if file is not None:
        law_source.check_policy(file, path)


def _asked(name: str) -> law_source.Asked:
    file, path = _source(name)
    return law_source.Asked(None, None) if file is None else law_source.asked(file, path)


def _source(name: str) -> tuple[Path | None, str]:
    """The file of a class, and its path there; None of one that is not read but known."""
    place, path = _split(name)
    file = None
    if name not in _known or not _is_made_here(name):
        file = law_source.place_of(place)
    if file is None and name not in _known and place == "__main__":
        raise InputError(_NOWHERE)
    return file, path


def announce(names: Iterable[str]) -> None:
    """Name the files of laws that are about to be executed, each once in a process, on standard error.

    The user has asked for it, so they are known from now on.
    """
    names = list(names)
    remember(names)
    for name in names:
        file = _file_of(name)
        if file is not None and name not in _known and file not in _announced:
            _announced.add(file)
            sys.stderr.write(shown(f"photocol: executes {file}, for the class {_split(name)[1]}\n"))


def remember(names: Iterable[str]) -> None:
    """Keep that the user has asked for these laws, as their files are now."""
    known_code.remember({one["file"]: one["sha256"] for one in recorded(names).values()})


def recorded(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Name to file and digest of laws, as a manifest keeps them; nothing is executed."""
    places = {name: _file_of(name) for name in sorted(set(names))}
    files = {name: file for name, file in places.items() if file is not None}
    return {name: {"file": str(file), "sha256": _digest(law_source.read(file))} for name, file in files.items()}


def permitted_by(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Real path to digest of the laws that a manifest records, of those that this user has run before."""
    said = manifest.get("laws")
    laws = [law for law in said.values() if isinstance(law, dict)] if isinstance(said, dict) else []
    files = {str(law.get("file")): str(law.get("sha256")) for law in laws}
    return {known_code.real(file): digest for file, digest in files.items() if known_code.is_known(file, digest)}


def check_permitted(names: Iterable[str], permitted: Mapping[str, str]) -> None:
    """Raise InputError if one of these laws may not be executed, as `only` says."""
    for name in names:
        _permitted_content(name, _split(name)[0], permitted)


def shown_before(names: Iterable[str]) -> dict[str, str]:
    """File to digest of all that laws would execute. Raises InputError if one is not a single file."""
    return {str(file): _digest(law_source.read(file)) for file in (_alone(name, _split(name)[0]) for name in names)}


def permitted_here() -> Mapping[str, str] | None:
    """What `only` says here, for processes that work for this one."""
    return _permitted.get()


@contextlib.contextmanager
def only(permitted: Mapping[str, str] | None) -> Iterator[None]:
    """In the block, only laws in single files are executed that have these digests; with None all laws are."""
    before = _permitted.set(permitted)
    try:
        yield
    finally:
        _permitted.reset(before)


def find(name: str) -> type:
    """The law that a scenario calls `name`, for which its file is executed.

    Raises InputError if there is none, it is no law, its file cannot be executed or may not be.
    """
    found: type = _found(name)
    if not is_law(found):
        raise InputError(f"{_split(name)[1]} is not under @photocol.law")
    return found


def find_policy(name: str) -> type:
    """The policy that a scenario calls `name`, for which its file is executed. Raises InputError as `find` does."""
    found: type = _found(name)
    if not is_policy(found):
        raise InputError(f"{_split(name)[1]} is not under @photocol.policy")
    return found


def _found(name: str) -> Any:
    place, path = _split(name)
    permitted = _permitted.get()
    checked = None if permitted is None else _permitted_content(name, place, permitted)
    if name in _known and _is_made_here(name):
        return _known[name]
    # Not by an import, which would read the file once more, or what was compiled of some file.
    value: Any = _module_of(place) if checked is None or place in sys.modules else _module_in(*checked)
    for part in path.split("."):
        if not hasattr(value, part):
            raise InputError(f"there is no {part} in {place}")
        value = getattr(value, part)
    if is_law(value) or is_policy(value):
        _known[name] = value
    return value


def _split(name: str) -> tuple[str, str]:
    place, colon, path = name.rpartition(":")
    if not colon or not path or not place:
        raise InputError('allowed: "module:Class" or "file.py:Class"')
    return place, path


def _file_of(name: str) -> Path | None:
    """The file that has the source of a law; None of one that only this process has."""
    try:
        return law_source.place_of(_split(name)[0])
    except InputError:
        if name in _known:
            return None
        raise


def _is_made_here(name: str) -> bool:
    """Whether the class is of this process itself, not of a file that was executed for its laws."""
    place = name.rpartition(":")[0]
    return not (place.endswith(".py") and Path(place).absolute() in _files)


def _permitted_content(name: str, place: str, permitted: Mapping[str, str]) -> tuple[Path, bytes]:
    """The file of a law and its bytes, if they are permitted. Raises InputError."""
    file = _alone(name, place)
    content = law_source.read(file)
    if permitted.get(str(file.resolve())) != _digest(content):
        raise InputError(
            f"the law {name} is not executed: its file is not one that you have run before, as it is now; "
            "--allow-code executes it all the same"
        )
    return file, content


def _alone(name: str, place: str) -> Path:
    if place.endswith(".py") and not Path(place).is_absolute():
        raise InputError(f"the law {name} is not executed: its path is not absolute")
    try:
        return law_source.alone(place)
    except InputError as error:
        raise InputError(
            f"the law {name} is not executed: {error}; `verify` and `sweep resume` execute it with --allow-code"
        ) from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


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
        file = Path(place).absolute()
        return _module_in(file, law_source.read(file))
    if place == "__main__":
        raise InputError(_NOWHERE)
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        raise InputError(
            f"there is no module {error.name}; a file is named by its path, as in my_laws.py:Aimd"
        ) from error


def _module_in(file: Path, content: bytes) -> ModuleType:
    """The module of a law's file with this content, executed anew where the file has changed."""
    source, digest = law_source.text(content, file), _digest(content)
    if file in _files and _read_as[file] == digest:
        return _files[file]
    name = f"photocol_laws_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = _files[file] = module
    _read_as[file] = digest
    try:
        # The bytes whose digest was taken, not what the file may have become.
        exec(compile(source, str(file), "exec"), module.__dict__)
    except BaseException as error:
        del sys.modules[name], _files[file]
        if isinstance(error, Exception):
            raise InputError(f"{file}: {type(error).__name__}: {error}") from error
        raise
    return module
