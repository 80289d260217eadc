"""Nothing but `crates/linux` and its faces needs Linux: calls that other systems lack are guarded, or are not there.

What a build on macOS or Windows would find is looked for in the text of the sources: modules and functions that Python
has on some systems only, and in Rust the crates, paths and modules of one system.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted((ROOT / "python" / "photocol").rglob("*.py"))
LINUX_FACES = {"experiments/003/_processes.py"}
"""Of the face of `crates/linux`: it looks for Linux before all else."""
RUST = sorted(
    file
    for crate in sorted((ROOT / "crates").iterdir())
    if crate.name != "linux"
    for file in crate.rglob("*.rs")
    if file.relative_to(crate).parts[0] == "src"
)

POSIX_MODULES = {
    "crypt",
    "curses",
    "fcntl",
    "grp",
    "posix",
    "pty",
    "pwd",
    "readline",
    "resource",
    "syslog",
    "termios",
    "tty",
}
POSIX_CALLS = {
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "O_PATH",
    "RTLD_NOW",
    "chown",
    "chroot",
    "copy_file_range",
    "fchmod",
    "fchown",
    "fork",
    "forkpty",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getloadavg",
    "getpgid",
    "getpriority",
    "getuid",
    "killpg",
    "major",
    "makedev",
    "memfd_create",
    "minor",
    "mkfifo",
    "mknod",
    "nice",
    "openpty",
    "pidfd_open",
    "pipe2",
    "posix_fadvise",
    "posix_fallocate",
    "posix_spawn",
    "pread",
    "pwrite",
    "sched_getaffinity",
    "sched_setaffinity",
    "sched_setscheduler",
    "sendfile",
    "setgid",
    "setpgid",
    "setpriority",
    "setsid",
    "setuid",
    "splice",
    "sync",
    "sysconf",
    "tcgetpgrp",
    "uname",
    "wait3",
    "wait4",
    "getxattr",
    "setxattr",
}
"""Of `os`: documented as of Unix or Linux alone."""
OTHERWISE = {"kill", "fsync"}
"""Of `os`: on Windows too, but with another meaning (it ends a process; it refuses what is open to read)."""
SIGNALS = {"SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGSTOP", "SIGUSR1", "SIGUSR2"}
RUST_OF_ONE_SYSTEM = re.compile(r"\b(libc|nix|rustix|std::os::(unix|linux|fd|windows))::|\"/(proc|sys|dev)/")


def asks_for_the_system(test: ast.expr) -> bool:
    return bool(re.search(r"sys\.platform|os\.name|hasattr\(os,|getattr\(os,", ast.unparse(test)))


class Everywhere(ast.NodeTransformer):
    """Leaves of a module what every system carries out."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return ast.Pass() if asks_for_the_system(node.test) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Without the rest of a function that leaves at once on some system."""
        for place, statement in enumerate(node.body):
            if isinstance(statement, ast.If) and asks_for_the_system(statement.test) and leaves(statement):
                node.body = [*node.body[:place], ast.Pass()]
                break
        return self.generic_visit(node)


def leaves(statement: ast.If) -> bool:
    return isinstance(statement.body[-1], ast.Return | ast.Raise)


def needs_posix(tree: ast.AST) -> list[str]:
    """What a module calls that not every system has, outside an `if` that asks for the system."""
    found = []
    for node in ast.walk(Everywhere().visit(tree)):
        if isinstance(node, ast.Import):
            found += [f"import {one.name}" for one in node.names if one.name in POSIX_MODULES]
        if isinstance(node, ast.ImportFrom) and node.module in POSIX_MODULES:
            found.append(f"import {node.module}")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            special = {"os": POSIX_CALLS | OTHERWISE, "signal": SIGNALS}.get(node.value.id, set())
            found += [f"{node.value.id}.{node.attr}"] if node.attr in special else []
    return found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import resource\n", ["import resource"]),
        ("import sys\nif sys.platform != 'win32':\n    import resource\n", []),
        ("import os\ndef f():\n    os.kill(1, 0)\n", ["os.kill"]),
        ("import os, sys\ndef f():\n    if sys.platform == 'win32':\n        return True\n    os.kill(1, 0)\n", []),
        ("import os\nflags = os.O_RDONLY | os.O_NONBLOCK\n", ["os.O_NONBLOCK"]),
        ("import os\nflags = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0)\n", []),
        ("import signal\nsignal.signal(signal.SIGHUP, print)\n", ["signal.SIGHUP"]),
    ],
)
def test_a_call_of_one_system_is_found_unless_the_system_is_asked_for(source: str, found: list[str]) -> None:
    assert needs_posix(ast.parse(source)) == found


def test_the_python_package_needs_no_linux() -> None:
    experiments = [f for f in (ROOT / "experiments").rglob("*.py") if f.relative_to(ROOT).as_posix() not in LINUX_FACES]
    read = {file: needs_posix(ast.parse(file.read_text(encoding="utf-8"))) for file in [*PYTHON, *experiments]}
    assert {file.relative_to(ROOT).as_posix(): calls for file, calls in read.items() if calls} == {}


def test_no_crate_but_linux_calls_one_system() -> None:
    def code(file: Path) -> str:
        return re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))

    found = {file.relative_to(ROOT).as_posix(): RUST_OF_ONE_SYSTEM.findall(code(file)) for file in RUST}
    assert len(RUST) > 200
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_only_the_binding_depends_on_the_linux_crate_and_only_on_linux() -> None:
    for manifest in sorted((ROOT / "crates").glob("*/Cargo.toml")):
        known = tomllib.loads(manifest.read_text(encoding="utf-8"))
        name = manifest.parent.name
        plain = {
            *known.get("dependencies", {}),
            *known.get("dev-dependencies", {}),
            *known.get("build-dependencies", {}),
        }
        assert name == "linux" or not plain & {"linux", "libc", "nix", "rustix", "socket2"}, name
        special = known.get("target", {})
        assert special == {} or (name == "py" and list(special) == ['cfg(target_os = "linux")']), name
