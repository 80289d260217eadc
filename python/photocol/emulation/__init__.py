"""Real hosts on a simulated network, in real time (docs/guide/emulation.md).

| file | holds |
|---|---|
| `commands` | commands at hosts, as they are written |
| `execution` | a run in real time, and what it leaves |
"""

from photocol.emulation.commands import Command
from photocol.emulation.execution import Emulated, Ended, Settings, emulate

__all__ = ["Command", "Emulated", "Ended", "Settings", "emulate"]
