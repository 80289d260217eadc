"""XML as a small tree whose elements know their line.

Expat reads it, in whatever encoding the file declares. A document type is refused, so that there are no entities to
expand; depth and number of elements are bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from photocol.conversions.source import shown
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.source import Source

MOST_ELEMENTS = 1_000_000
DEEPEST = 64


@dataclass(eq=False, slots=True)
class Element:
    """An element without its name space."""

    tag: str
    attributes: dict[str, str]
    line: int
    texts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text before, between and after its children, without blanks around it."""
        return "".join(self.texts).strip()

    def all(self, tag: str) -> Iterator[Element]:
        """The children of this name."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child of this name."""
        return next(self.all(tag), None)

    def within(self, *tags: str) -> Iterator[Element]:
        """The elements of these names anywhere inside, in the order of the file."""
        waiting = list(reversed(self.children))
        while waiting:
            element = waiting.pop()
            if element.tag in tags:
                yield element
            waiting.extend(reversed(element.children))


class _Builder:
    """Puts the tree together from what expat reports."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.parser.StartDoctypeDeclHandler = self.document_type
        self.open: list[Element] = []
        self.count = 0
        self.root: Element | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count > MOST_ELEMENTS:
            self.source.wrong(line, f"too many elements; allowed: {MOST_ELEMENTS}")
        if len(self.open) == DEEPEST:
            self.source.wrong(line, f"too many elements within elements; allowed: {DEEPEST}")
        element = Element(tag.rpartition(":")[2], attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def data(self, text: str) -> None:
        if self.open:
            self.open[-1].texts.append(text)

    def document_type(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        self.source.wrong(line, "found a document type (DTD); allowed: XML without one, so that nothing expands")


def parsed(source: Source, root: str) -> Element:
    """The root of an XML file, which has this name."""
    builder = _Builder(source)
    try:
        builder.parser.Parse(source.content, True)
    except InputError:
        raise
    except (expat.ExpatError, ValueError, LookupError, UnicodeError) as error:
        line = getattr(error, "lineno", builder.parser.CurrentLineNumber)
        source.wrong(line, f"not XML: {error}")
    found = builder.root
    if found is None or found.tag != root:
        source.wrong(found.line if found else 1, f"found {shown(found.tag if found else '')}; allowed: <{root}>")
    return found


def only(source: Source, element: Element, tag: str) -> Element | None:
    """The child of this name, of which there is one at most: what stands in a second would be lost."""
    found = list(element.all(tag))
    if len(found) > 1:
        source.wrong(found[1].line, f"found {len(found)} <{tag}> in this <{element.tag}>; allowed: one")
    return found[0] if found else None
