"""Another process beside the window: it runs command lines, one after another, and can hold the store.

It is the real command line in a process that has imported it, so that a command takes some milliseconds.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Answer:
    """The exit code of a command, and the document that it printed."""

    code: int
    said: dict[str, Any]


class OtherProcess:
    """The near end: asks the process, and waits for its answer."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.lab.robot.other_process"]
        self._process = subprocess.Popen(
            command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, project: Path, *words: str, stdin: str = "") -> Answer:
        """Run one command on a project."""
        command = ["--json", "--project", str(project), *words]
        answer = self._ask({"words": command, "stdin": stdin, "environment": dict(os.environ)})
        return Answer(answer["code"], json.loads(answer["out"] or "{}"))

    def hold(self, store: Path) -> None:
        """Begin to write a store, and do not come to an end until `let_go`."""
        self._ask({"hold": str(store)})

    def let_go(self) -> None:
        self._ask({"let_go": True})

    def close(self) -> None:
        if self._process.stdin is not None and self._process.stdout is not None:
            self._process.stdin.close()
            self._process.wait(timeout=20)
            self._process.stdout.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the other process ended"
        return json.loads(line)


def _run(words: Sequence[str], stdin: str) -> dict[str, Any]:
    from studio.doors.cli.main import run

    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    sys.stderr = io.StringIO()
    try:
        code = run(words)
        sys.stdout.flush()
        out = sys.stdout.buffer
        assert isinstance(out, io.BytesIO)
        return {"code": code, "out": out.getvalue().decode()}
    except SystemExit as ended:
        return {"code": ended.code, "out": ""}
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


def _main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    held: sqlite3.Connection | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        if "words" in request:
            os.environ.clear()
            os.environ.update(request["environment"])
            answer = _run(request["words"], request["stdin"])
        else:
            if held is not None:
                held.close()  # what was begun is taken back
                held = None
            if "hold" in request:
                held = sqlite3.connect(request["hold"], isolation_level=None)
                held.execute("BEGIN IMMEDIATE")
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    _main()
