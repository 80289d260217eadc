"""Lessons: Markdown files with a scenario, a question, a prediction to be made, what to see, and answers at the end.

A lesson is found by its folder; anyone can add one. `docs/guide/lab.md` says how its sections are called. What there is
to see stands in a table: what is changed, a sentence, and a check of it, which a test carries out.
"""

from __future__ import annotations

import operator
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError, failure
from photocol.files import content
from photocol.quantity import factor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from photocol.runs.results import Result

FOLDER = Path(__file__).parent / "lessons"
_MOST_BYTES = 1 << 18
_FENCE = re.compile(r"^```(\w*)\s*$")
_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*")
_CHECK = re.compile(r"(?P<left>[^<>=]+?)\s*(?P<sign><=|>=|<|>)\s*(?P<number>[\d.e+-]+)\s*(?P<unit>.*)")
_SAMPLED = re.compile(r"(max|min|mean)\((\w+), ([^()]+)\)")
_GOODPUT = re.compile(r"goodput\(([\w.-]+)\)")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_PREPARED = "of prepared"
_CELLS = 3
_SECTIONS = ("question", "prediction", "what to see", "answers")


@dataclass(frozen=True)
class Sight:
    """A row of what there is to see."""

    settings: dict[str, Any]
    sentence: str
    checks: tuple[str, ...]


@dataclass(frozen=True)
class Lesson:
    """A file of a lesson."""

    name: str
    title: str
    scenario: str
    parts: dict[str, list[dict[str, Any]]]
    """Blocks of text by section; those before the first are "idea"."""
    choices: list[str]
    sights: list[Sight]

    def to_page(self) -> dict[str, Any]:
        """As the page has it."""
        sights = [{"set": list(one.settings.items()), "sentence": inline(one.sentence)} for one in self.sights]
        return {
            "name": self.name,
            "title": self.title,
            "choices": [inline(one) for one in self.choices],
            "sights": sights,
            **{name.replace(" ", "_"): blocks for name, blocks in self.parts.items()},
        }


def found(folder: Path | None = None) -> list[Path]:
    """The files of lessons, in the order of their names."""
    return sorted((folder or FOLDER).glob("*.md"))


def own(folder: Path, say: Callable[[str], None]) -> list[Path]:
    """The lessons of a folder; of each other Markdown file `say` is told why it is none. Raises InputError."""
    if not folder.is_dir():
        raise InputError(f"{folder}: {'this is no folder' if folder.exists() else 'there is no such folder'}")
    good = []
    for file in found(folder):
        try:
            read(file)
        except (InputError, OSError) as error:
            say(f"photocol lab: left out: {error if isinstance(error, InputError) else failure(error)}")
        else:
            good.append(file)
    if not good:
        raise InputError(f"{folder}: there is no lesson in this folder, a Markdown file as docs/guide/lab.md describes")
    return good


def read(file: Path) -> Lesson:
    """Read a lesson. Raises InputError, which says what is missing, and where."""
    try:
        lines = content(file, _MOST_BYTES).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: a lesson is UTF-8; byte {error.start + 1} is not") from None
    blocks = _blocks(lines)
    title = next((one["text"] for one in blocks if one["kind"] == "title"), file.stem)
    parts: dict[str, list[dict[str, Any]]] = {"idea": []}
    scenario, section = "", "idea"
    for block in blocks:
        if block["kind"] == "heading":
            section = block["text"].lower()
            parts[section] = []
        elif block["kind"] == "code" and block["language"] == "toml" and not scenario:
            scenario = block["text"]
        elif block["kind"] != "title":
            parts[section].append(block)
    missing = [name for name in _SECTIONS if name not in parts] + ([] if scenario else ["a block of toml"])
    if missing:
        raise InputError(f"{file}: a lesson has {', '.join(_SECTIONS)} and a scenario; missing: {', '.join(missing)}")
    choices = [one for block in parts["prediction"] if block["kind"] == "list" for one in block["items"]]
    tables = [block for block in parts.pop("what to see") if block["kind"] == "table"]
    sights = [_sight(row, f"{file}:{number}") for table in tables for number, row in table["rows"]]
    plain = {name: [_for_page(block) for block in inside] for name, inside in parts.items()}
    return Lesson(file.stem, title, scenario, plain, choices, sights)


def holds(check: str, result: Result, prepared: Result) -> tuple[bool, float]:
    """Whether a check is true of a run, and the value that it is about; `prepared` is the run without changes."""
    match = _CHECK.fullmatch(check.strip())
    if match is None:
        raise InputError(f"{check!r}: a check is as in `goodput > 90 Mbps` or `goodput > 0.9 of prepared`")
    value, number, unit = _value(match["left"], result), float(match["number"]), match["unit"].strip()
    if unit == _PREPARED:
        number *= _value(match["left"], prepared)
    elif unit:
        number *= factor(unit, result.summary[match["left"].strip()].unit)
    return _SIGNS[match["sign"]](value, number), value


def _value(term: str, result: Result) -> float:
    """A figure, one of samples after the warm-up, the goodput of a traffic in its life, or the ratio of two of them."""
    above, slash, below = (part.strip() for part in term.partition(" / "))
    if slash:
        return _value(above, result) / _value(below, result)
    if sampled := _SAMPLED.fullmatch(above):
        how, quantity, entity = sampled.groups()
        series = result.series
        warm_up = float(result.summary["duration"]) - float(result.summary["measured_time"])
        mask = (series["quantity"] == quantity) & (series["entity"] == entity) & (series["t_s"] >= warm_up)
        values = series.filter(mask)["value"].drop_nulls().to_numpy()
        if not values.size:
            raise InputError(f"{term}: nothing of that was sampled")
        return float(values.max() if how == "max" else values.min() if how == "min" else values.mean())
    if named := _GOODPUT.fullmatch(above):
        of = result.flows.filter(result.flows["traffic"] == named[1])
        return float(of["goodput_bps"].sum())
    return float(result.summary[above])


def inline(text: str) -> list[tuple[str, str]]:
    """A text in pieces: plain, code, strong."""
    pieces, at = [], 0
    for match in _INLINE.finditer(text):
        pieces.append(("plain", text[at : match.start()]))
        pieces.append(("code", match[1]) if match[1] else ("strong", match[2]))
        at = match.end()
    pieces.append(("plain", text[at:]))
    return [(kind, piece) for kind, piece in pieces if piece]


def _for_page(block: Mapping[str, Any]) -> dict[str, Any]:
    if block["kind"] == "text":
        return {"kind": "text", "pieces": inline(block["text"])}
    if block["kind"] == "list":
        return {"kind": "list", "items": [inline(one) for one in block["items"]]}
    return dict(block)


def _sight(row: Sequence[str], place: str) -> Sight:
    if len(row) != _CELLS:
        raise InputError(f"{place}: found {len(row)} cells; a row of what to see has {_CELLS}: change, sentence, check")
    changes, sentence, checks = row
    settings: dict[str, Any] = {}
    for one in re.findall(r"`([^`]+)`", changes):
        path, _, value = one.partition(" = ")
        try:
            settings[path.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            raise InputError(f"{place}: found `{one}`; a change is `path = value`, as in TOML") from None
    return Sight(settings, sentence, tuple(re.findall(r"`([^`]+)`", checks)))


def _blocks(lines: list[str]) -> list[dict[str, Any]]:
    """Titles, headings, paragraphs, lists, tables and code."""
    blocks: list[dict[str, Any]] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        if fence := _FENCE.match(line):
            end = next((n for n in range(number + 1, len(lines)) if lines[n].startswith("```")), len(lines))
            text = "\n".join(lines[number + 1 : end]) + "\n"
            blocks.append({"kind": "code", "language": fence[1], "text": text})
            number = end + 1
            continue
        if not line.strip():
            number += 1
            continue
        end = next((n for n in range(number, len(lines)) if not lines[n].strip() or _FENCE.match(lines[n])), len(lines))
        blocks += _paragraph(lines[number:end], number + 1)
        number = end
    return blocks


def _paragraph(lines: list[str], number: int) -> list[dict[str, Any]]:
    """The blocks of these lines, of which the first has this number; rows of tables keep theirs."""
    first = lines[0]
    if first.startswith("#"):
        kind = "title" if first.startswith("# ") else "heading"
        rest = _paragraph(lines[1:], number + 1) if len(lines) > 1 else []
        return [{"kind": kind, "text": first.lstrip("# ").strip()}, *rest]
    if first.startswith("|"):
        cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
        rows = list(enumerate(cells, number))
        return [{"kind": "table", "rows": rows[2:]}]
    if first.startswith("- "):
        items: list[str] = []
        for line in lines:
            if line.startswith("- "):
                items.append(line[2:].strip())
            else:
                items[-1] += f" {line.strip()}"
        return [{"kind": "list", "items": items}]
    return [{"kind": "text", "text": " ".join(line.strip() for line in lines)}]
