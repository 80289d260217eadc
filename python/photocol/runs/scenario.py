"""What may be given as a scenario, and how settings are written for the scenario language."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from photocol._core import Scenario, ScenarioError
from photocol.errors import InputError
from photocol.quantity import readable
from photocol.runs import bundled, notebook
from photocol.runs.flow_lists import flows_listed


@dataclass(frozen=True)
class ScenarioText:
    """TOML text that knows where it came from."""

    text: str
    folder: str
    """Where relative file names in it begin."""
    name: str
    """What messages call it."""


@dataclass(frozen=True)
class Checked:
    """A valid scenario: what `check` returns and `run` takes."""

    source: ScenarioText
    """What was read, with the settings applied."""
    name: str
    seed: int
    runs: int
    duration_s: float
    warnings: tuple[str, ...]
    explained: str
    """The scenario as TOML with every default written out."""

    def to_dict(self) -> dict[str, Any]:
        """The explained scenario as a dict."""
        return tomllib.loads(self.explained)

    def __repr__(self) -> str:
        return "\n".join([f"<photocol scenario {self.name!r}: valid>", *(f"warning: {one}" for one in self.warnings)])

    def _repr_html_(self) -> str:
        known = self.to_dict()
        flows = ", ".join(f"{one.get('name') or one.get('transport')}" for one in known.get("traffic", ()))
        directions = sum(1 if link.get("duplex") is False else 2 for link in known.get("link", ()))
        rows = [
            ("duration", readable(self.duration_s, "s")),
            ("network", f"{len(known.get('node', ()))} nodes, {directions} directed links"),
            ("traffic", flows or "none"),
            ("seed", self.seed),
            ("replications", self.runs),
            *(("warning", one) for one in self.warnings),
        ]
        explained = notebook.details("every key with its value", notebook.source(self.explained))
        return notebook.paragraph(f"{self.name}: valid") + notebook.table(("key", "value"), rows) + explained


ScenarioLike: TypeAlias = str | PathLike[str] | Mapping[str, Any] | ScenarioText | Checked
"""A path; TOML text (a str with a line break); the same thing as a dict; what `check` returned."""

Setting: TypeAlias = str | int | float | bool | Sequence[Any] | Mapping[str, Any]
"""What a value of a scenario can be set to, lists and tables too; quantities are texts with units, as in "10 Gbps"."""


def load(scenario: ScenarioLike, settings: Mapping[str, Setting] | None = None) -> Scenario:
    """Read, check and resolve a scenario; `settings` maps dotted paths to values that replace what it says.

    Relative file names inside text and dicts are looked up in the working directory. Raises ScenarioError.
    """
    pairs = [(path, written(path, value)) for path, value in (settings or {}).items()]
    if isinstance(scenario, Checked):
        scenario = scenario.source
    if isinstance(scenario, ScenarioText):
        return Scenario.from_text(scenario.text, scenario.folder, pairs, scenario.name)
    if isinstance(scenario, Mapping):
        return Scenario.from_json(_json(scenario), Path.cwd(), pairs)
    if isinstance(scenario, str) and "\n" in scenario:
        return Scenario.from_text(scenario, Path.cwd(), pairs)
    if isinstance(scenario, str | PathLike):
        return of_file(scenario, pairs)
    raise InputError(f"a scenario is a path, TOML text or a dict, not {type(scenario).__name__}")


def of_file(name: str | PathLike[str], pairs: Sequence[tuple[str, str]]) -> Scenario:
    """Read a file or a ready-made scenario with these settings. Raises ScenarioError, which knows the nearest name."""
    path = bundled.found(name)
    try:
        return Scenario.load(path, pairs)
    except ScenarioError as error:
        if not path.exists() and (near := bundled.nearest(path.name)) is not None:
            error.message += f"; nearest ready-made scenario: {near}"
            error.args = (f"{path}: {error.message}",)
        raise


def check(scenario: ScenarioLike, *, set: Mapping[str, Setting] | None = None) -> Checked:  # noqa: A002
    """Validate a scenario without running it. Raises ScenarioError, which says where and what is allowed.

    Arguments:
        scenario: a path, TOML text, or the same thing as a dict.
        set: dotted path → value, replaces what the scenario says.
    """
    loaded = load(scenario, set)
    is_file = isinstance(scenario, PathLike) or (isinstance(scenario, str) and "\n" not in scenario)
    folder = bundled.found(str(scenario)).absolute().parent if is_file else Path.cwd()
    if isinstance(scenario, Checked):
        folder = Path(scenario.source.folder)
    return Checked(
        source=ScenarioText(loaded.text, str(folder), str(scenario) if is_file else loaded.name),
        name=loaded.name,
        seed=loaded.seed,
        runs=loaded.runs,
        duration_s=loaded.duration_s,
        warnings=tuple(loaded.warnings),
        explained=loaded.explain(),
    )


def check_report(path: str, outcome: Scenario | ScenarioError) -> str:
    """What `photocol check --json` prints."""
    if isinstance(outcome, ScenarioError):
        keys = ("file", "line", "column", "key", "message")
        return _indented({"scenario": path, "valid": False, "error": {key: getattr(outcome, key) for key in keys}})
    known = {key: getattr(outcome, key) for key in ("name", "seed", "runs", "duration_s", "warnings", "notes")}
    return _indented({"scenario": path, "valid": True, **known, "resolved": tomllib.loads(outcome.explain())})


def _indented(known: Mapping[str, Any]) -> str:
    return json.dumps(known, indent=1, ensure_ascii=False, default=str)


def digest(explained: str) -> str:
    """What tells resolved scenarios apart, as manifests have it: the SHA-256 of all their keys written out."""
    return hashlib.sha256(explained.encode()).hexdigest()


def digest_without(scenario: ScenarioLike, settings: Iterable[object] | None) -> str | None:
    """The digest of the scenario as it stands, before these settings; None without any, or if it needs them."""
    if not settings:
        return None
    try:
        return digest(load(scenario).explain())
    except ScenarioError:
        return None


def parse_setting(text: str) -> tuple[str, str]:
    """`path=value` as the command line has it."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise InputError(f"--set {text!r}: must be path=value, for example link_defaults.buffer='20 packets'")
    return path.strip(), value


def plain_settings(settings: Mapping[str, Setting] | None) -> dict[str, Any]:
    """Settings as a manifest has them: texts, numbers, lists and dicts. Raises InputError for anything else."""
    return {path: json.loads(_inline(path, value)) for path, value in (settings or {}).items()}


def _inline(path: str, value: Setting) -> str:
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: {value!r} cannot be a value of a scenario: {error}") from error


def written(path: str, value: Setting) -> str:
    """As `--set` has it: a text as it is, anything else as TOML."""
    if isinstance(value, str):
        return value
    plain = json.loads(_inline(path, value))
    return plain if isinstance(plain, str) else as_toml(plain, path)


def as_toml(value: object, path: str) -> str:
    """A value of JSON as TOML on one line. JSON's texts, numbers and truth values are TOML's."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {as_toml(one, path)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(as_toml(one, path) for one in value)}]"
    if value is None:
        raise InputError(f"{path}: None is no value of a scenario; leave the key out")
    return json.dumps(value, ensure_ascii=False)


def _json(scenario: Mapping[str, Any]) -> str:
    try:
        return json.dumps(flows_listed(scenario), allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"the scenario dict cannot be written as JSON: {error}") from error


def _plain(value: object) -> object:
    """A numpy scalar as a Python number, an array as a list, a path as text, a mapping as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    tolist = getattr(value, "tolist", None)
    if callable(tolist):
        return tolist()
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, type):
        from photocol.runs.laws import name_of

        return name_of(value)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no place in a scenario")
