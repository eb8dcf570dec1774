"""What every `studio` does that somebody installed: a first hour by command line, bytes compared.

Whatever installed it, this starts it as a person would, in folders of its own, and from outside the checkout.
Standard library only.

    python3 -m shipping.trial VERSION FOLDER COMMAND...
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environments import variables
from system_packages import Problem, exit_code

SECONDS = 120
"""How long one command may take; the first one of a fresh installation also writes its bytecode."""

BEFORE = b"first\r\nsecond\r\n\xe4\r\n"
DIFF = b"--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n-first\r\n+1st\r\n second\r\n"
AFTER = b"1st\r\nsecond\r\n\xe4\r\n"
CREATED = b"""{"title": "New", "agent": "t", "steps": [
    {"op": "create", "path": "made/new.txt", "content": "new\\n"}
]}"""

_GREETING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
_ASKED = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _GREETING},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
TOOLS = frozenset({"propose", "propose_status", "wait", "withdraw"})
"""Some of what the server must offer."""


class Trial:
    """One installed `studio`, started by `command`, with a home, settings and projects below `folder`."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command = tuple(command)
        self._folder = folder
        for name in ("home", "state", "config", "project"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.project = folder / "project"
        self.environment = {
            **{name: value for name, value in variables().items() if not name.startswith("XDG_")},
            "HOME": str(folder / "home"),
            "STUDIO_STATE_DIR": str(folder / "state"),
            "STUDIO_CONFIG_DIR": str(folder / "config"),
            "QT_QPA_PLATFORM": "offscreen",
        }

    def walk(self, version: str, *, has_extras: bool = True) -> None:
        """Start it, show it, take a change through it and back, and use its extras. Raises Problem at the
        first surprise."""
        _expect("its version", self.run("--version").strip(), f"studio {version}".encode())
        self.has_documentation()
        demo = self._folder / "demo"
        self.show("demo", "--dir", str(demo), "--smoke")
        if not (demo / "assets" / "lighthouse.png").is_file():
            raise Problem("studio demo brought no picture: the demo project is not whole.")
        self.show("--project", str(demo), "--smoke")
        self.change_and_take_back()
        if has_extras:
            self.use_extras()
        else:
            for words in (("mcp",), ("acp", "--", "true")):
                said = self._start(words, b"")
                if said.returncode != 1 or f"exacta-studio[{words[0]}]".encode() not in said.stderr:
                    raise Problem(f"studio {words[0]} without its extra says: {_end_of(said)}")

    def has_documentation(self) -> None:
        """The first page that its window would open is there. Raises Problem."""
        page = self.show("--smoke")["documentation"]
        if page is None or not Path(page).is_file():
            raise Problem(f"The installed program has no documentation: its first page is {page}.")

    def show(self, *words: str) -> dict[str, Any]:
        """Have it draw its window, once: what works beside the window, for the colours of a diff, starts the
        program again. Returns what it shows; raises Problem."""
        said = self.run(*words)
        if said.count(b"\n") != 1 or "first_paint_ms" not in json.loads(said):
            raise Problem(f"studio {' '.join(words)} says something else than one window: {said!r}")
        shown: dict[str, Any] = json.loads(said)
        return shown

    def change_and_take_back(self) -> None:
        """Submit, approve, apply and roll back a diff and a new file, as a person at the command line."""
        # Believed, because the state folder is one of this trial's as well.
        (self._folder / "config" / "config.yaml").write_text("review: {command_line: allow}\n")
        notes = self.project / "notes.txt"
        notes.write_bytes(BEFORE)
        changed = self.json("submit", stdin=DIFF)["plan"]
        _expect("a file before it is approved", notes.read_bytes(), BEFORE)
        self.json("approve", changed, "--apply")
        _expect("what was applied", notes.read_bytes(), AFTER)
        made = self.json("submit", stdin=CREATED)["plan"]
        self.json("approve", made, "--apply")
        _expect("what was created", (self.project / "made" / "new.txt").read_bytes(), b"new\n")
        self.json("rollback", changed)
        _expect("what was taken back", notes.read_bytes(), BEFORE)
        self.json("journal", "--verify")

    def use_extras(self) -> None:
        """`studio mcp` lists its tools, and `studio acp` starts `true`, which says nothing and ends."""
        with subprocess.Popen(
            [*self._command, "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            cwd=self.project,
        ) as server:
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in _ASKED))
            server.stdin.flush()
            # Its input stays open until both answers are there: at the end of it the server ends.
            answers = [json.loads(server.stdout.readline() or b"{}") for _ in range(2)]
            server.communicate(timeout=SECONDS)
        found = {each.get("id"): each.get("result", {}) for each in answers}
        names = {tool["name"] for tool in found.get(2, {}).get("tools", ())}
        if "serverInfo" not in found.get(1, {}) or not names >= TOOLS:
            raise Problem(f"studio mcp answers: {answers}")
        said = self._start(("acp", "--", "true"), b"")
        if said.returncode == 0 or b"exacta-studio[acp]" in said.stderr or b"inside" in said.stderr:
            raise Problem(f"studio acp says: {_end_of(said)}")

    def run(self, *words: str, stdin: bytes = b"") -> bytes:
        """What a command prints. Raises Problem unless it ends with 0."""
        said = self._start(words, stdin)
        if said.returncode:
            raise Problem(f"studio {' '.join(words)} ended with {said.returncode}: {_end_of(said)}")
        return said.stdout

    def json(self, *words: str, stdin: bytes = b"") -> dict[str, Any]:
        return json.loads(self.run("--json", *words, stdin=stdin))

    def _start(self, words: Sequence[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self._command, *words],
            input=stdin,
            capture_output=True,
            env=self.environment,
            cwd=self.project,
            timeout=SECONDS,
            check=False,
        )


def _expect(what: str, found: bytes, wanted: bytes) -> None:
    if found != wanted:
        raise Problem(f"Of the installed program, {what} is {found!r}, and should be {wanted!r}.")


def _end_of(said: subprocess.CompletedProcess[bytes]) -> str:
    return (said.stdout + said.stderr).decode("utf-8", "replace").strip()[-600:] or "nothing"


if __name__ == "__main__":
    own_version, made, *started = sys.argv[1:]
    sys.exit(exit_code(lambda: Trial(started, Path(made).absolute()).walk(own_version)))
