"""What is checked of each kind of switching, host and link, as a table made from the declarations of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.runs.replay.rules import RULES
from photocol.runs.replay.traits import TRAITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.rules import Rule
    from photocol.runs.replay.trait import Trait

_GROUPS = {"switching": "Switching", "hosts": "Hosts", "links": "Links"}
_OF = {"links": "each link", "flows": "each flow", "run": "the whole run"}
UNSEEN = "not checked: congestion windows (`value` of an `ack`): they follow from the law of the flow"


def page() -> str:
    """Markdown: the rules, and for each kind the rules that are not checked of it."""
    return "\n".join([*_rules(), *_kinds(), ""])


def _rules() -> Iterator[str]:
    yield "| rule | says | of |"
    yield "|---|---|---|"
    for rule in RULES:
        only = f", with {rule.only.name}" if rule.only is not None else ""
        yield f"| {rule.name} | {rule.says} | {_OF[rule.scope]}{only} |"


def _kinds() -> Iterator[str]:
    for group, title in _GROUPS.items():
        yield ""
        yield f"| {title} | rules that are checked | not checked, and why |"
        yield "|---|---|---|"
        for trait in TRAITS:
            if trait.group == group:
                yield _row(trait)


def _row(trait: Trait) -> str:
    concerned = [rule for rule in RULES if _concerns(rule, trait)]
    hidden = [rule for rule in concerned if trait in rule.blind]
    why = "; ".join(f"{rule.name}: {rule.blind[trait]}" for rule in hidden)
    count = f"all {len(concerned)}" if not hidden else f"{len(concerned) - len(hidden)} of {len(concerned)}"
    return f"| {_code(trait.name)} | {count} | {why or 'none'} |"


def _concerns(rule: Rule, trait: Trait) -> bool:
    """Whether a rule has to do with a kind: those of flows say nothing of links, those of slots nothing of bursts."""
    if trait.group == "switching":
        return rule.only is None or rule.only.name == trait.name or trait in rule.blind
    return rule.scope in ("run", {"hosts": "flows", "links": "links"}[trait.group]) and (
        rule.scope != "run" or trait in rule.blind
    )


def _code(name: str) -> str:
    """A key of a scenario as code."""
    return f"`{name}`" if any(sign in name for sign in '="[_') else name
