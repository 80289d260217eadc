"""What is trained: layers, each with the times of its computations and the bytes that it makes ranks send.

A model is a file. TOML describes a transformer by its widths, as those in `models/` do; CSV has a row for each layer
with measured times and sizes. Of a transformer, a layer has these weights (Touvron et al., *Llama 2*, 2023, §2.2;
Jiang et al., *Mixtral of experts*, 2024): four matrices of attention, of which keys and values are narrower by
`key_value_heads / heads`, and three matrices of hidden times intermediate, once for each expert. A token costs two
operations for each weight that it meets and 4 · sequence · hidden for attention, and twice that on the way back
(D. Narayanan et al., SC 2021, §5.1 and appendix). Embeddings, norms, routers and recomputation are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from photocol.conversions.keys import Keys, read_toml
from photocol.conversions.source import Range, read
from photocol.conversions.table import records
from photocol.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.conversions.source import Source

MOST_LAYERS = 1000
_PS = 10**12
_FOLDER = Path(__file__).parent / "models"
_WIDEST = 1 << 24
_LONGEST = Range("s", _PS, Decimal(0), Decimal(86_400), "0 s to 86400 s")
_SIZE = Range("B", 1, Decimal(0), Decimal(10) ** 15, "0 B to 1 PB")
_NEEDED = ("layer", "forward", "backward", "parameters", "activations")
COLUMNS = (*_NEEDED, "expert_parameters", "exchanged", "count")
"""Of a table of layers."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A layer. Times and sizes are those of one rank that has all of it."""

    name: str
    forward_ps: int
    """Of one micro-batch."""
    backward_ps: int
    parameter_bytes: int
    """Of weights that every rank of data parallelism has; gradients are as many."""
    activation_bytes: int
    """What one micro-batch hands to the next layer; tensor parallelism sums up as much."""
    expert_parameter_bytes: int = 0
    """Of all experts together."""
    exchanged_bytes: int = 0
    """What one micro-batch sends to all experts, its own too, and gets back from them."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """A name and layers, from the first to the last."""

    name: str
    layers: tuple[Layer, ...]

    def has_experts(self) -> bool:
        """Whether any layer has experts."""
        return any(layer.expert_parameter_bytes or layer.exchanged_bytes for layer in self.layers)


def model_names() -> list[str]:
    """The ready-made models."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def read_model(name: str | Path) -> Model:
    """A ready-made model by its name, or that of a file that ends with `.toml` or `.csv`.

    Raises InputError, which names the file with the line or the key, and OSError.
    """
    if str(name) in model_names():
        return _of_transformer(_FOLDER / f"{name}.toml")
    file = Path(name)
    if file.suffix == ".toml":
        return _of_transformer(file)
    if file.suffix == ".csv":
        return _of_rows(read(file))
    near = did_you_mean(str(name), model_names())
    raise InputError(f"found {str(name)!r}; {near}allowed: {', '.join(model_names())}, or a file .toml or .csv")


def _of_transformer(file: Path) -> Model:
    table, places = read_toml(file)
    keys = Keys(table, "", places)
    layers = keys.whole("layers", 1, MOST_LAYERS)
    layer = _transformer_layer(keys)
    keys.finish()
    return Model(name=file.stem, layers=(layer,) * layers)


def _transformer_layer(keys: Keys) -> Layer:
    hidden, intermediate = keys.whole("hidden", 1, _WIDEST), keys.whole("intermediate", 1, _WIDEST)
    heads = keys.whole("heads", 1, 65_536)
    narrow = keys.whole("key_value_heads", 1, heads, heads)
    experts = keys.whole("experts", 1, 65_536, 1)
    chosen = keys.whole("experts_per_token", 1, experts, 1)
    sequence, samples = keys.whole("sequence", 1, _WIDEST), keys.whole("micro_batch", 1, 65_536, 1)
    width, rate = keys.whole("value_bytes", 1, 8, 2), keys.real("flops_per_second", 1e6, 1e21)
    attention = 2 * hidden * hidden + 2 * hidden * hidden * narrow // heads
    matrices = 3 * hidden * intermediate
    tokens = sequence * samples
    activations = tokens * hidden * width
    if max(width * (attention + experts * matrices), chosen * activations) > _SIZE.high:
        keys.wrong("hidden", f"a layer has or sends too many bytes; allowed: {_SIZE.words}")
    flops = tokens * (2 * (attention + chosen * matrices) + 4 * sequence * hidden)
    forward_ps = round(flops * _PS / rate)
    if forward_ps > 86_400 * _PS:
        keys.wrong("flops_per_second", f"a layer takes {forward_ps / _PS:g} s; allowed: up to a day")
    return Layer(
        name="layer",
        forward_ps=forward_ps,
        backward_ps=2 * forward_ps,
        parameter_bytes=(attention + (matrices if experts == 1 else 0)) * width,
        activation_bytes=activations,
        expert_parameter_bytes=0 if experts == 1 else experts * matrices * width,
        exchanged_bytes=0 if experts == 1 else chosen * activations,
    )


def _of_rows(source: Source) -> Model:
    rows = records(source)
    line, titles = next(rows, (1, []))
    unknown = [title for title in titles if title not in COLUMNS]
    missing = [name for name in _NEEDED if name not in titles]
    if unknown or missing or len(set(titles)) < len(titles):
        source.wrong(line, f"found the columns {', '.join(titles)[:200]}; allowed: {', '.join(COLUMNS)}, once each")
    layers: list[Layer] = []
    for number, fields in rows:
        if len(fields) > len(titles):
            source.wrong(number, f"found {len(fields)} columns; allowed: {len(titles)}, as in the titles")
        row = dict(zip(titles, fields, strict=False))
        count = source.whole(number, "count", row.get("count") or "1", 1, MOST_LAYERS)
        layers += [_row(source, number, row)] * count
        if len(layers) > MOST_LAYERS:
            source.wrong(number, f"there are more than {MOST_LAYERS} layers; allowed: up to that")
    if not layers:
        source.wrong(line, "there is no layer; allowed: a row for each layer")
    return Model(name=source.path.stem, layers=tuple(layers))


def _row(source: Source, line: int, row: Mapping[str, str]) -> Layer:
    times = [source.quantity(line, name, row.get(name, ""), "s", _LONGEST) for name in ("forward", "backward")]
    names = ("parameters", "activations", "expert_parameters", "exchanged")
    sizes = [source.quantity(line, name, row.get(name) or "0", "B", _SIZE) for name in names]
    return Layer(
        name=row.get("layer", ""),
        forward_ps=times[0],
        backward_ps=times[1],
        parameter_bytes=sizes[0],
        activation_bytes=sizes[1],
        expert_parameter_bytes=sizes[2],
        exchanged_bytes=sizes[3],
    )
