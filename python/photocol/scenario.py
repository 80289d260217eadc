"""What may be given as a scenario, and how settings are written for the scenario language."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from photocol._core import Scenario
from photocol.errors import InputError
from photocol.flow_lists import flows_listed


@dataclass(frozen=True)
class ScenarioText:
    """TOML text that knows where it came from."""

    text: str
    folder: str
    """Where relative file names in it begin."""
    name: str
    """What messages call it."""


ScenarioLike: TypeAlias = str | PathLike[str] | Mapping[str, Any] | ScenarioText
"""A path; TOML text (a str with a line break); or the same thing as a dict."""

Setting: TypeAlias = str | int | float | bool
"""What one value of a scenario can be set to; quantities are strings with units, as in "10 Gbps"."""


def load(scenario: ScenarioLike, settings: Mapping[str, Setting] | None = None) -> Scenario:
    """Read, check and resolve a scenario; `settings` maps dotted paths to values that replace what it says.

    Relative file names inside text and dicts are looked up in the working directory. Raises ScenarioError.
    """
    pairs = [(path, _written(value)) for path, value in (settings or {}).items()]
    if isinstance(scenario, ScenarioText):
        return Scenario.from_text(scenario.text, scenario.folder, pairs, scenario.name)
    if isinstance(scenario, Mapping):
        return Scenario.from_json(_json(scenario), Path.cwd(), pairs)
    if isinstance(scenario, str) and "\n" in scenario:
        return Scenario.from_text(scenario, Path.cwd(), pairs)
    if isinstance(scenario, str | PathLike):
        return Scenario.load(scenario, pairs)
    raise InputError(f"a scenario is a path, TOML text or a dict, not {type(scenario).__name__}")


def digest(explained: str) -> str:
    """What tells resolved scenarios apart, as manifests have it: the SHA-256 of all their keys written out."""
    return hashlib.sha256(explained.encode()).hexdigest()


def parse_setting(text: str) -> tuple[str, str]:
    """`path=value` as the command line has it."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise InputError(f"--set {text!r}: must be path=value, for example link_defaults.buffer='20 packets'")
    return path.strip(), value


def _written(value: Setting) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    plain = value if isinstance(value, str) else _plain(value)
    return plain if isinstance(plain, str) else repr(plain)


def _json(scenario: Mapping[str, Any]) -> str:
    try:
        return json.dumps(flows_listed(scenario), allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"the scenario dict cannot be written as JSON: {error}") from error


def _plain(value: object) -> object:
    """A numpy scalar as a Python number, a path as text, a mapping as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, PathLike):
        return str(value)
    item = getattr(value, "item", None)
    if callable(item):
        return item()
    if isinstance(value, int | float | str):
        return value
    if isinstance(value, type):
        from photocol.laws import name_of

        return name_of(value)
    raise TypeError(f"{type(value).__name__} has no place in a scenario")
