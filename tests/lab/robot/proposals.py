"""The files of the robot's project, and the plans that two agents propose for them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from tests.lab.robot.other_process import OtherProcess

_LINES = "".join(f"line {number}\n" for number in range(1, 41))
_LONG = "".join(f"long line {number}\n" for number in range(1, 401))
_PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_AGENTS = ("claude-code", "codex")
NAMES = ("one.txt", "two.txt", "long.txt", "picture.png", "run.sh")
KINDS = 5


def make_files(root: Path) -> None:
    """Text, a long text, a picture and a script that can't be executed yet."""
    (root / "studio.yaml").write_text("schema_version: 1\n")
    for name in ("one.txt", "two.txt"):
        (root / name).write_text(_LINES)
    (root / "long.txt").write_text(_LONG)
    (root / "picture.png").write_bytes(_PICTURE)
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o644)


def propose(other: OtherProcess, root: Path, kind: int, serial: int) -> str:
    """Propose a plan of a kind as another process; `serial` makes it differ from others of that kind.

    Returns the plan's id.
    """
    agent = _AGENTS[serial % 2]
    document = {"title": f"Plan {serial}", "agent": agent, "steps": _steps(kind % KINDS, serial)}
    answer = other.run(root, "submit", "-", stdin=json.dumps(document))
    assert answer.code == 0, answer
    return str(answer.said["plan"])


def _steps(kind: int, serial: int) -> list[dict[str, object]]:
    def text(name: str, before: str, *lines: int) -> dict[str, object]:
        changed = before.splitlines(keepends=True)
        for line in lines:
            changed[line - 1] = f"changed {line} by {serial}\n"
        return {"op": "modify", "path": name, "content": "".join(changed)}

    executable = {"op": "mode", "path": "run.sh", "executable": True}
    return {
        0: [text("one.txt", _LINES, 3, 30), text("two.txt", _LINES, 5)],
        1: [executable],
        2: [{"op": "delete", "path": "picture.png"}, text("two.txt", _LINES, 20)],
        3: [text("long.txt", _LONG, *range(5, 400, 25)), executable],
        4: [{"op": "create", "path": f"new-{serial}.txt", "content": f"new {serial}\n"}],
    }[kind]
