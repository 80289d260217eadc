"""A Chakra execution trace of one rank, by the package `protobuf` (mlcommons/chakra 21585d8, et_def.proto).

A file is a metadata message and then nodes, each behind its length as a varint; a length of 0 ends it. The messages are
built from the numbers of the fields that are used here: others are passed over. Traces as JSON are left out.
"""

from __future__ import annotations

import functools
import importlib
import io
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.source import Source

_PACKAGE = "photocol.chakra"
_WHOLE = ("int32", "int64", "uint32", "uint64", "sint32", "sint64")
_ATTRIBUTE = {
    "name": (1, "string"),
    **{f"{kind}_val": (7 + 2 * place, kind) for place, kind in enumerate(_WHOLE)},
    "bool_val": (27, "bool"),
    "bool_list": (28, "Bools"),
    "string_val": (29, "string"),
}
_FIELDS: dict[str, dict[str, tuple[int, str]]] = {
    "Bools": {"values": (1, "repeated bool")},
    "Attribute": _ATTRIBUTE,
    "Metadata": {"version": (1, "string")},
    "Node": {
        "id": (1, "uint64"),
        "name": (2, "string"),
        "type": (3, "int32"),
        "ctrl_deps": (4, "repeated uint64"),
        "data_deps": (5, "repeated uint64"),
        "duration_micros": (7, "uint64"),
        "attr": (10, "repeated Attribute"),
    },
}
"""Number and type of each field. An enumeration is an int32 on the wire."""


class NodeType(IntEnum):
    """Those of the schema that are read."""

    METADATA = 1
    LOAD = 2
    STORE = 3
    COMPUTATION = 4
    SEND = 5
    RECEIVE = 6
    COLLECTIVE = 7


@dataclass(kw_only=True)
class Node:
    """A node of a trace."""

    id: int
    type: NodeType
    duration_us: int
    data_deps: list[int]
    ctrl_deps: list[int]
    numbers: dict[str, int] = field(default_factory=dict)
    """Attributes that are whole numbers or yes and no."""
    texts: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[bool]] = field(default_factory=dict)


@functools.cache
def message_classes() -> dict[str, Any]:
    """The classes of the messages by name. Raises InputError without the package `protobuf`."""
    try:
        descriptors, pools, factory = (
            importlib.import_module(f"google.protobuf.{name}")
            for name in ("descriptor_pb2", "descriptor_pool", "message_factory")
        )
    except ImportError as error:
        raise InputError("this needs the package protobuf: pip install 'photocol[chakra]'") from error
    file = descriptors.FileDescriptorProto(name="photocol_chakra.proto", package=_PACKAGE, syntax="proto3")
    kinds = descriptors.FieldDescriptorProto
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for title, (number, declared) in fields.items():
            words = declared.split()
            one = message.field.add(name=title, number=number)
            one.label = kinds.LABEL_REPEATED if words[0] == "repeated" else kinds.LABEL_OPTIONAL
            if words[-1] in _FIELDS:
                one.type, one.type_name = kinds.TYPE_MESSAGE, f".{_PACKAGE}.{words[-1]}"
            else:
                one.type = getattr(kinds, f"TYPE_{words[-1].upper()}")
            if title in _ATTRIBUTE and name == "Attribute" and title != "name":
                one.oneof_index = 0
        if name == "Attribute":
            message.oneof_decl.add(name="value")
    pool = pools.DescriptorPool()
    pool.Add(file)
    found = (pool.FindMessageTypeByName(f"{_PACKAGE}.{name}") for name in _FIELDS)
    return {one.name: factory.GetMessageClass(one) for one in found}


def read_nodes(source: Source) -> Iterator[Node]:
    """The nodes of a trace, in the order of the file. Raises FileError with the number of the node, and InputError."""
    classes = message_classes()
    proto = importlib.import_module("google.protobuf.proto")
    wrong = importlib.import_module("google.protobuf.message").DecodeError
    content = io.BytesIO(source.content)
    kind, count = "Metadata", 0
    while content.tell() < len(source.content) and not (kind == "Node" and source.content[content.tell()] == 0):
        where = "its metadata" if kind == "Metadata" else f"its node {count}, from 1"
        try:
            message = proto.parse_length_prefixed(classes[kind], content)
        except (wrong, ValueError, TypeError, IndexError) as error:
            source.wrong(1, f"{where}, cannot be read: {_reason(error)}; allowed: a whole Chakra trace")
        if kind == "Node":
            yield _node(source, message, where)
        kind, count = "Node", count + 1
    if kind == "Metadata":
        source.wrong(1, "the file is empty; allowed: a Chakra trace, which begins with its metadata")


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0][:100]


def _node(source: Source, message: Any, where: str) -> Node:
    try:
        kind = NodeType(message.type)
    except ValueError:
        known = ", ".join(f"{one.value} {one.name.lower()}" for one in NodeType)
        source.wrong(1, f"{where}, node {message.id}, has the type {message.type}; allowed: {known}")
    node = Node(
        id=message.id,
        type=kind,
        duration_us=message.duration_micros,
        data_deps=list(message.data_deps),
        ctrl_deps=list(message.ctrl_deps),
    )
    for attribute in message.attr:
        which = attribute.WhichOneof("value")
        if which == "string_val":
            node.texts[attribute.name] = attribute.string_val
        elif which == "bool_list":
            node.lists[attribute.name] = list(attribute.bool_list.values)
        elif which is not None:
            node.numbers[attribute.name] = int(getattr(attribute, which))
    return node
