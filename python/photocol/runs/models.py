"""Closed-form models: `photocol.model("tcp-eng", loss=[1e-4, 1e-3], rtt="80 ms")`.

The models, their inputs, ranges and sources are those of the Rust crate `analytic`; `names()` and `describe(name)` tell
them, and docs/reference/models.md is made from the same descriptions.
"""

from __future__ import annotations

import copy
import functools
import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol import _core
from photocol.errors import InputError, did_you_mean
from photocol.runs import notebook
from photocol.runs.results import Figure, Result, Summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_SHOWN = 8
"""Numbers of a list that are printed at either end."""


def names() -> list[str]:
    """All models."""
    return [str(one["name"]) for one in _core.models()]


def describe(name: str) -> dict[str, Any]:
    """What a model is: name, summary, source, holds, inputs, outputs (each with name, unit, meaning and so on)."""
    return copy.deepcopy(_described(name))


@functools.cache
def _described(name: str) -> dict[str, Any]:
    for one in _core.models():
        if one["name"] == name:
            return one
    _evaluate(name, {})
    raise AssertionError(f"{name} has an answer and no description")


def model(name: str, /, **inputs: Any) -> dict[str, Any]:
    """The outputs of a model, by name.

    A number may be given in the input's unit or as text with a unit ("60 ms"), and as an array or a list of numbers:
    then all arrays are broadcast against one another, and every output is an array of that shape. Else an output is
    a `Figure`, a float that knows its unit. Outputs that are lists (one number per link, per instant) are arrays with
    one dimension more. Inputs that are lists are given as lists, words as a str. Raises InputError for what is out of
    range.
    """
    kinds = {one["name"]: one["kind"] for one in _described(name)["inputs"]}
    arrays = {key: value for key, value in inputs.items() if kinds.get(key) == "number" and _is_array(value)}
    fixed = {key: _plain(value) for key, value in inputs.items() if key not in arrays}
    return _over_arrays(name, fixed, arrays) if arrays else Answer.of(name, fixed).outputs


def result(name: str, inputs: Mapping[str, Any]) -> Result:
    """The outputs that are numbers as the summary of a `Result` without tables; its manifest repeats the evaluation."""
    answer = Answer.of(name, inputs)
    figures = {key: value for key, value in answer.outputs.items() if isinstance(value, Figure)}
    settings = [word for key, value in inputs.items() for word in ("--set", f"{key}={value}")]
    manifest = {
        "model": name,
        "inputs": answer.inputs,
        "version": _core.__version__,
        "command": shlex.join(["photocol", "model", name, *settings]),
    }

    def no_table(table: str) -> pl.DataFrame:
        raise InputError(f"{name} is a closed-form model: it has no table {table}")

    return Result(summary=Summary(figures), manifest=manifest, table=no_table)


class _Outputs(dict[str, Any]):
    """Outputs by name; a name that is none of them is told with the nearest."""

    def __init__(self, model: str, outputs: Mapping[str, Any]) -> None:
        super().__init__(outputs)
        self._model = model

    def __missing__(self, name: str) -> Any:
        hint = did_you_mean(str(name), self)
        raise KeyError(f"{self._model} has no output {name!r}; {hint}there is: {', '.join(self)}")


@dataclass(frozen=True)
class Answer:
    """One evaluation of a model with the values of all its inputs."""

    description: dict[str, Any]
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    """Figures, and arrays for outputs that are lists."""

    @classmethod
    def of(cls, name: str, settings: Mapping[str, Any]) -> Answer:
        """The answer with these values for some inputs, the defaults for the others."""
        inputs, outputs = _evaluate(name, settings)
        description = _described(name)
        units = {one["name"]: one["unit"] for one in description["outputs"]}
        answers = {key: _answer(value, units[key]) for key, value in outputs.items()}
        return cls(description, inputs, _Outputs(name, answers))

    def to_dict(self) -> dict[str, Any]:
        """Model, summary, source and holds; inputs and outputs as name → value, unit."""
        about = self.description
        return {
            "model": about["name"],
            **{key: about[key] for key in ("summary", "source", "holds")},
            "inputs": {one["name"]: _with_unit(self.inputs[one["name"]], one) for one in about["inputs"]},
            "outputs": {one["name"]: _with_unit(self.outputs[one["name"]], one) for one in about["outputs"]},
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        about = self.description
        lines = [f"{about['name']}: {about['summary']}", f"source: {about['source']}", f"holds: {about['holds']}"]
        for title, values in (("inputs", self.inputs), ("outputs", self.outputs)):
            rows = [(one["name"], _told(values[one["name"]], one["unit"]), one["meaning"]) for one in about[title]]
            width, wide = (max(len(row[column]) for row in rows) for column in (0, 1))
            lines += ["", f"{title}:"]
            lines += [f"  {name:<{width}}  {value:<{min(wide, 28)}}  {meaning}" for name, value, meaning in rows]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        about = self.description
        head = [f"{about['name']}: {about['summary']}", f"source: {about['source']}", f"holds: {about['holds']}"]
        rows = [
            (kind, one["name"], _told(values[one["name"]], one["unit"]), one["meaning"])
            for kind, values in (("input", self.inputs), ("output", self.outputs))
            for one in about[f"{kind}s"]
        ]
        return "".join(map(notebook.paragraph, head)) + notebook.table(("", "name", "value", "meaning"), rows)


def _evaluate(name: str, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        return _core.evaluate(name, list(settings.items()))
    except _core.ModelError as error:
        raise InputError(str(error)) from None
    except TypeError:
        kinds = ", ".join(f"{key} ({type(value).__name__})" for key, value in settings.items())
        raise InputError(f"{name}: an input is a number, a text or a list of numbers; given: {kinds}") from None


def _over_arrays(name: str, fixed: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    import numpy as np

    try:
        numbers = [np.asarray(value, dtype=np.float64) for value in arrays.values()]
        together = np.broadcast_arrays(*numbers)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {', '.join(arrays)}: {error}") from None
    shape = together[0].shape
    flat = {key: np.ascontiguousarray(one).reshape(-1) for key, one in zip(arrays, together, strict=True)}
    if not together[0].size:
        return {one["name"]: np.empty(shape) for one in _described(name)["outputs"]}
    _, outputs = _evaluate(name, {**fixed, **flat})
    return _Outputs(name, {key: _shaped(values, shape) for key, values in outputs.items()})


def _shaped(values: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    points = 1
    for length in shape:
        points *= length
    return values.reshape(shape if values.size == points else (*shape, -1))


def _is_array(value: object) -> bool:
    """Whether there are several numbers; a numpy scalar is one."""
    return isinstance(value, list | tuple) or bool(getattr(value, "shape", ()))


def _plain(value: Any) -> Any:
    """Numpy's arrays and scalars as lists and numbers."""
    return value.tolist() if hasattr(value, "tolist") else value


def _answer(value: float | list[float], unit: str) -> Any:
    if isinstance(value, float):
        return Figure(value, unit)
    import numpy as np

    return np.asarray(value)


def _with_unit(value: Any, about: Mapping[str, Any]) -> dict[str, Any]:
    value = float(value) if isinstance(value, float) else _plain(value)
    return {"value": value, "unit": about["unit"]} if about["unit"] else {"value": value}


def _told(value: Any, unit: str) -> str:
    behind = "" if unit in ("", "1") else f" {unit}"
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:.6g}{behind}"
    numbers = [str(one) if isinstance(one, list) else f"{one:.4g}" for one in _plain(value)]
    if len(numbers) > 2 * _SHOWN:
        numbers = [*numbers[:_SHOWN], "…", *numbers[-_SHOWN:]]
    return f"{', '.join(numbers)}{behind}"
