"""The source of a law in Python, read and not executed: which class it is, its methods, and what it asks for."""

from __future__ import annotations

import ast
import importlib.machinery
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from photocol import files
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = ("on_ack", "on_loss", "ssthresh_after", "on_repeated_timeout", "on_idle", "on_news", "pacing_rate")
"""What a law may answer; only `on_ack` must be there."""
_MOST_BYTES = 1 << 24


def read(file: Path) -> bytes:
    """The bytes of a law's file. Raises InputError if it is no file, or none of a sensible size."""
    try:
        return files.content(file, _MOST_BYTES)
    except FileNotFoundError:
        raise InputError(f"there is no file {file}") from None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error


def text(content: bytes, file: Path) -> str:
    """What is executed of a law's file, which is what a person sees: UTF-8, whatever encoding its first lines name.

    Raises InputError.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8: {error.reason} at byte {error.start}") from error


def place_of(place: str) -> Path | None:
    """The file of `file.py` or of a module, which is not imported; None where it has none. Raises InputError."""
    if place.endswith(".py"):
        return Path(place).absolute()
    loaded = getattr(sys.modules.get(place), "__file__", None)
    if place == "__main__" or place in sys.modules:
        return None if loaded is None else Path(loaded).absolute()
    folders: list[str] | None = None
    spec = None
    for part in _prefixes(place):
        spec = importlib.machinery.PathFinder.find_spec(part, folders)
        if spec is None:
            raise InputError(f"there is no module {part}; a file is named by its path, as in my_laws.py:Aimd")
        folders = list(spec.submodule_search_locations or [])
    origin = None if spec is None else spec.origin
    return Path(origin).absolute() if origin is not None and origin.endswith(".py") else None


def alone(place: str) -> Path:
    """The file of a law that is a single file, so that nothing else of its author is executed with it.

    Raises InputError if it is in a package, or imports what lies beside it.
    """
    file = place_of(place)
    if file is None:
        raise InputError("it has no file")
    if not place.endswith(".py") and ("." in place or file.stem == "__init__"):
        raise InputError(f"{file} is part of a package, which would be executed with it")
    if beside := siblings(file):
        raise InputError(f"{file} imports {beside[0]}, which lies beside it and would be executed with it")
    return file


def siblings(file: Path) -> list[str]:
    """The modules beside a file that it imports: by a relative import, or because its folder is on Python's path."""
    found = []
    path = {Path(folder).resolve() for folder in sys.path}
    is_own = file.parent.resolve() in path - {Path(folder).resolve() for folder in sysconfig.get_paths().values()}
    for one in ast.walk(_parsed(file)):
        names = [name.name for name in one.names] if isinstance(one, ast.Import) else []
        if isinstance(one, ast.ImportFrom):
            names = [one.module or ""] if not one.level else []
            found += ["." * one.level + (one.module or "")] if one.level else []
        heads = [name.partition(".")[0] for name in names]
        found += [name for name in heads if is_own and _lies_in(file.parent, name)]
    return found


def _lies_in(folder: Path, module: str) -> bool:
    return importlib.machinery.PathFinder.find_spec(module, [str(folder)]) is not None


class Asked(NamedTuple):
    """What a class asks for; None where its file does not say, as of an imported name."""

    paces: bool | None
    """Paced segments."""
    hears_news: bool | None
    """News of its path."""


def asked(file: Path, path: str) -> Asked:
    """What the class asks for.

    Raises InputError if there is no such name, or the class is no law.
    """
    module = _parsed(file)
    found = _written(module, file, path)
    return Asked(None, None) if found is None else _of_class(module, found, path)


def check_policy(file: Path, path: str) -> None:
    """Raise InputError if there is no such name, or the class is no policy."""
    module = _parsed(file)
    found = _written(module, file, path)
    if found is None:
        return
    if not any(_is_mark(one, module, "policy") for one in found.decorator_list):
        raise InputError(f"{path} is not under @photocol.policy")
    line = list(_ancestry(module, found))
    is_whole = all(_class(module, base) is not None for one in line for base in _bases(one))
    if is_whole and "decide" not in {name for one in line for name in (*_methods(one), *_bound(one))}:
        raise InputError(f"the policy {path} has no method decide(self, view)")


def _written(module: ast.Module, file: Path, path: str) -> ast.ClassDef | None:
    """The class of this path; None where the name is bound otherwise, as by an import. Raises InputError."""
    scope: ast.Module | ast.ClassDef = module
    for part in path.split("."):
        found = _class(scope, part)
        if found is None:
            if part not in _bound(scope):
                raise InputError(f"there is no {part} in {file}")
            return None
        scope = found
    assert isinstance(scope, ast.ClassDef), "a path has at least one part"
    return scope


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(text(read(file), file), str(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) else ""
        raise InputError(f"{file}{line}: {getattr(error, 'msg', error)}") from error


def _of_class(module: ast.Module, law: ast.ClassDef, path: str) -> Asked:
    if not any(_is_mark(one, module) for one in law.decorator_list):
        raise InputError(f"{path} is not under @photocol.law")
    for name in _methods(law):
        if name.startswith("on_") and name not in METHODS:
            raise InputError(f"the law {path}: no event is called {name!r}; there are: {', '.join(METHODS)}")
    flag: bool | None = None
    line = list(_ancestry(module, law))
    for one in line:
        flag = _flag(one, "paced") if flag is None else flag
    is_whole = all(_class(module, base) is not None for one in line for base in _bases(one))
    names = {name for one in line for name in (*_methods(one), *_bound(one))}
    if is_whole and "on_ack" not in names:
        raise InputError(f"the law {path} has no method on_ack(self, window, event)")
    hears = True if "on_news" in names else None
    return Asked(flag or False, hears or False) if is_whole else Asked(flag, hears)


def _prefixes(place: str) -> Iterator[str]:
    parts = place.split(".")
    return (".".join(parts[: n + 1]) for n in range(len(parts)))


def _class(scope: ast.Module | ast.ClassDef, name: str) -> ast.ClassDef | None:
    found = [one for one in scope.body if isinstance(one, ast.ClassDef) and one.name == name]
    return found[-1] if found else None


def _ancestry(module: ast.Module, law: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """The class and those above it in its file."""
    waiting, seen = [law], set[str]()
    while waiting:
        one = waiting.pop(0)
        if one.name not in seen:
            seen.add(one.name)
            yield one
            waiting += [found for base in _bases(one) if (found := _class(module, base)) is not None]


def _bases(law: ast.ClassDef) -> list[str]:
    return [name for base in law.bases if (name := ast.unparse(base)) != "object"]


def _methods(law: ast.ClassDef) -> list[str]:
    return [one.name for one in law.body if isinstance(one, ast.FunctionDef)]


def _bound(scope: ast.Module | ast.ClassDef) -> set[str]:
    """Every name that something in the block may bind, however deep it stands; `*` imports any."""
    names = set()
    for one in ast.walk(scope):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        elif isinstance(one, ast.alias):
            names.add((one.asname or one.name).split(".")[0])
        elif isinstance(one, ast.ClassDef | ast.FunctionDef) and one is not scope:
            names.add(one.name)
    return names


def _is_mark(decorator: ast.expr, module: ast.Module, mark: str = "law") -> bool:
    """Whether it is `photocol.law`, or another mark, under whatever name it was imported."""
    text = ast.unparse(decorator)
    aliases = {
        one.asname or one.name
        for statement in module.body
        if isinstance(statement, ast.ImportFrom)
        for one in statement.names
        if one.name == mark
    }
    return text in aliases or text.endswith(f".{mark}")


def _flag(law: ast.ClassDef, name: str) -> bool | None:
    """A flag that the class sets to a constant; None if it does not set it."""
    for one in law.body:
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(one, "value", None)
            return bool(value.value) if isinstance(value, ast.Constant) else False
    return None
