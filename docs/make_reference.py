"""Writes docs/scenario.md, the reference of the scenario language, from schema/scenario.json.

    python docs/make_reference.py          # writes it
    python docs/make_reference.py --check  # exit status 1 if it is stale

The schema itself is generated from the types that read a scenario (`photocol schema`), so the reference cannot disagree
with the program.
"""

import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
SCHEMA = DOCS.parent / "schema" / "scenario.json"
REFERENCE = DOCS / "scenario.md"

HEAD = """# Scenario reference

Generated from `schema/scenario.json` by `python docs/make_reference.py`; do not edit. The same keys serve a TOML file and
a Python dict. Quantities are strings with units. Unknown keys are errors. The commented files in `scenarios/` are the
tutorial.
"""

Schema = dict[str, Any]


def reference(schema: Schema) -> str:
    """The whole page for a JSON schema of a scenario."""
    definitions: dict[str, Schema] = schema["$defs"]
    parts = [HEAD, "## Top level\n", table(schema["properties"])]
    for name, definition in definitions.items():
        parts += [f"## {name}\n", *body(definition)]
        for variant in tagged_variants(definition):
            parts += [f"### {name}: {tag(variant)}\n", *body(variant)]
    return "\n".join(parts).rstrip() + "\n"


def body(definition: Schema) -> list[str]:
    """What stands below a heading: a sentence, then the keys or the words that are allowed."""
    parts = [one_line(definition.get("description", "")), ""]
    if "properties" in definition:
        parts.append(table(definition["properties"], required=definition.get("required", [])))
    elif choices := allowed_values(definition):
        parts.append(choices + "\n")
    return parts


def tagged_variants(definition: Schema) -> list[Schema]:
    """The tables of which one key, such as `kind`, chooses one; each has keys of its own."""
    return [option for option in definition.get("oneOf", []) if "properties" in option]


def tag(variant: Schema) -> str:
    """The key that chooses a table, and its word there: `kind = "aapn"`."""
    [(key, value)] = [(key, value) for key, value in variant["properties"].items() if "const" in value]
    return f'`{key} = "{value["const"]}"`'


def table(properties: dict[str, Schema], *, required: list[str] | None = None) -> str:
    """One row for each key: its name, what it may be, what it means."""
    rows = ["| key | is | meaning |", "|---|---|---|"]
    for key, value in properties.items():
        name = f"`{key}`" + (" (required)" if key in (required or []) else "")
        meaning = value.get("description") or ("Chooses the keys of this table." if "const" in value else "")
        rows.append(f"| {name} | {kind(value)} | {one_line(meaning)} |")
    return "\n".join(rows) + "\n"


def kind(value: Schema) -> str:
    """What a value may be, in words, with links to other sections."""
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    for union in ("anyOf", "oneOf"):
        if union in value:
            return " or ".join(kind(option) for option in value[union] if option.get("type") != "null")
    if words := [value["const"]] if "const" in value else value.get("enum"):
        return " or ".join(f'`"{word}"`' for word in words)
    match value.get("type"):
        case list(options):
            return " or ".join(kind({**value, "type": option}) for option in options if option != "null")
        case "array":
            return "list of " + kind(value.get("items", {}))
        case "object" if isinstance(value.get("additionalProperties"), dict):
            return "table NAME → " + kind(value["additionalProperties"])
        case None:
            return "value"
        case other:
            return str(other)


def allowed_values(definition: Schema) -> str:
    """The words a definition allows, if it is a choice of words."""
    if "enum" in definition:
        return "One of " + ", ".join(f'`"{word}"`' for word in definition["enum"]) + "."
    choices = [option for option in definition.get("oneOf", []) if "const" in option]
    return "\n".join(f'- `"{option["const"]}"`: {one_line(option.get("description", ""))}' for option in choices)


def one_line(text: str) -> str:
    """A description on one line of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def main() -> int:
    """Writes the page, or checks it."""
    page = reference(json.loads(SCHEMA.read_text()))
    if "--check" in sys.argv[1:]:
        return 0 if REFERENCE.read_text() == page else 1
    REFERENCE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
