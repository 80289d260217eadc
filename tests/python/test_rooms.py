"""The rooms of the package know one another in one direction, read from their imports, and its public names stay."""

from __future__ import annotations

import ast
import doctest
import importlib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "photocol"

KNOWS = {
    "runs": set(),
    "emulation": {"runs"},
    "conversions": {"runs"},
    "orbits": {"conversions"},
    "training": {"conversions"},
    "sweeps": {"runs"},
    "experiments": {"sweeps", "runs"},
    "plot": {"orbits", "experiments", "sweeps", "runs"},
    "report": {"plot", "experiments", "sweeps", "runs"},
    "transport": set(),
    "lab": {"report", "plot", "experiments", "sweeps", "runs"},
    "cli": {
        "lab",
        "report",
        "plot",
        "experiments",
        "sweeps",
        "orbits",
        "emulation",
        "training",
        "conversions",
        "runs",
        "transport",
    },
}
"""Each room and the rooms that it may know; `transport` stands alone."""
GROUND = {"_core", "__version__", "InputError", "RunError", "ScenarioError", "errors", "files", "options", "quantity"}
GROUND |= {"children", "stats"}
"""What every room may import: the extension, and modules that know no room."""
FACES = {"claims", "control", "dlcc", "experiment", "laws", "models", "obs", "queue", "rcp", "verdict", "work", "xcp"}
"""Public modules outside the rooms, which have names of one room and no code."""
ALLOWED = {("runs/results.py", "plot"), ("sweeps/plots.py", "plot")}
"""`plot` is a public name of a result and of a sweep's table; the pictures are imported when it is used."""


def imported(text: str) -> set[str]:
    """What a module imports of the package, wherever it does: `a.b` of `photocol.a.b`, `name` of the package itself."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name.removeprefix("photocol.") for name in node.names if name.name.startswith("photocol.")}
        elif isinstance(node, ast.ImportFrom) and node.module == "photocol":
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("photocol."):
            found.add((node.module or "").removeprefix("photocol."))
    return found


def breaches(room: str, name: str, text: str) -> list[str]:
    """The rooms that a file of this room must not know and knows."""
    known = {one.partition(".")[0] for one in imported(text)} - GROUND - {room}
    return sorted(f"{name} -> {one}" for one in known - KNOWS[room] if (name, one) not in ALLOWED)


def files(folder: str) -> list[Path]:
    return sorted((PACKAGE / folder).rglob("*.py"))


def test_a_room_knows_only_rooms_below_it() -> None:
    found = [
        breach
        for room in KNOWS
        for file in files(room)
        for breach in breaches(room, file.relative_to(PACKAGE).as_posix(), file.read_text())
    ]
    assert found == []


def test_every_exception_is_needed() -> None:
    needed = {(name, room) for name, room in ALLOWED if room in imported((PACKAGE / name).read_text())}
    assert needed == ALLOWED


def test_every_folder_is_a_room_and_every_other_module_is_known() -> None:
    folders = {place.name for place in PACKAGE.iterdir() if (place / "__init__.py").is_file()}
    modules = {file.stem for file in PACKAGE.glob("*.py")}
    assert folders == set(KNOWS)
    assert modules - {"__init__", "__main__", "node"} == FACES | (GROUND & modules)


def test_modules_outside_the_rooms_know_none() -> None:
    for name in sorted((GROUND & {file.stem for file in PACKAGE.glob("*.py")}) | {"node"}):
        assert imported((PACKAGE / f"{name}.py").read_text()) <= GROUND, name


def test_a_face_has_names_of_one_module_and_nothing_else() -> None:
    for name in sorted(FACES):
        body = ast.parse((PACKAGE / f"{name}.py").read_text()).body
        assert [type(node) for node in body] == [ast.Expr, ast.ImportFrom, ast.Assign], name


def test_an_import_in_the_wrong_direction_is_found() -> None:
    text = "def f():\n    from photocol.sweeps.run import sweep\nif TYPE_CHECKING:\n    import photocol.cli\n"
    assert breaches("runs", "runs/a.py", text) == ["runs/a.py -> cli", "runs/a.py -> sweeps"]
    assert breaches("plot", "plot/a.py", "from photocol.report import write") == ["plot/a.py -> report"]
    assert breaches("sweeps", "sweeps/a.py", "from photocol import InputError\nfrom photocol.runs import laws") == []


def modules() -> dict[str, Path]:
    """Name within the package to file."""
    found = {".".join(file.relative_to(PACKAGE).with_suffix("").parts): file for file in PACKAGE.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for name, file in found.items()}


def needed(text: str, known: Collection[str]) -> set[str]:
    """The modules that a module imports while it is imported itself."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "photocol":
            home = (node.module or "").partition(".")[2]
            inner = {f"{home}.{name.name}".strip(".") for name in node.names}
            found |= (inner & set(known)) or {home}
    return found


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """A circle of modules, if there is one."""
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        for other in () if name in done else sorted(graph.get(name, ())):
            if found := walk(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := walk(name, []))), [])


def test_no_modules_import_one_another_in_a_circle() -> None:
    known = modules()
    assert circle({name: needed(file.read_text(), known) - {""} for name, file in known.items()}) == []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert needed("from photocol.runs import laws\nfrom photocol.cli import say", {"runs.laws", "cli"}) == {
        "runs.laws",
        "cli",
    }


EXAMPLES = [file.stem for file in files("transport") if ">>> " in file.read_text()]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_a_machine_are_right(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"photocol.transport.{name}"))
    assert (done.failed, done.attempted >= 4) == (0, True)


NAMES = tomllib.loads((Path(__file__).parent / "public_names.toml").read_text())


@pytest.mark.parametrize("module", NAMES)
def test_public_names_can_be_imported(module: str) -> None:
    home = importlib.import_module(module)
    assert [name for name in NAMES[module] if not hasattr(home, name)] == []


def test_the_entry_points_are_where_they_were() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"photocol": "photocol.cli:main", "photocol-node": "photocol.node:main"}


def test_run_and_sweep_are_functions_and_stay_so() -> None:
    import photocol
    import photocol.runs.runner
    import photocol.sweeps.run

    assert callable(photocol.run)
    assert callable(photocol.sweep)
