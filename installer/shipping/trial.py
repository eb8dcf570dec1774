"""What every `studio` does that somebody installed: a first hour by command line, bytes compared.

Whatever installed it, this starts it as a person would, in folders of its own, and from outside the checkout.
Standard library only.

    python3 -m shipping.trial VERSION FOLDER COMMAND...
    python3 -m shipping.trial before|after VERSION

The second is for a .deb: `before` an upgrade a user makes a project, and `after` it finds what was kept.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environments import variables
from system_packages import Problem, captured, exit_code

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

_PYTHON = "/usr/lib/exacta-studio/bin/python3"
QT_ASKED = """
from PySide6.QtCore import QCollator, QDate, QDateTime, QLocale, QStringDecoder, QTime, QTimeZone
for language in ("sv", "de"):
    print(ascii("".join(sorted("z\\xe4a", key=QCollator(QLocale(language)).sortKey))))
print(*(QStringDecoder(name).isValid() for name in ("Shift_JIS", "windows-1252", "GB18030", "EUC-KR")))
print(QDateTime(QDate(2026, 7, 1), QTime(12, 0), QTimeZone(b"Europe/Berlin")).offsetFromUtc())
"""
QT_ANSWERS = [r"'az\xe4'", r"'a\xe4z'", "True", "True", "True", "True", "7200"]
"""Orders, encodings and time zones, of the data that was linked anew."""

# Whatever imports it ends at once, with a code that nothing of ours has.
_TRAP = "import os\nos.write(2, b'a trap was imported: ' + __file__.encode() + b'\\n')\nos._exit(77)\n"
_TRAPPED = ("PySide6", "encodings", "pygments", "re", "sitecustomize", "studio", "usercustomize", "watchdog")


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


def use(moment: str, version: str) -> None:
    """Make a project with history, or find it as it was and begin another one. Raises Problem."""
    kept, told = Trial(["studio"], Path("kept").absolute()), Path("told")
    if moment == "before":
        kept.walk(version)
    asked = (("plans",), ("history",), ("journal", "--verify"))
    now = b"".join(kept.run("--json", *words) for words in asked)
    if moment == "before":
        told.write_bytes(now)
        return
    if now != told.read_bytes():
        raise Problem("After the upgrade, the program tells something else of a project of before.")
    fresh = Trial(["studio"], Path("fresh").absolute())
    fresh.walk(version)
    fresh.run("doctor")
    said = captured([_PYTHON, "-I", "-c", QT_ASKED])
    if said.stdout.split() != QT_ANSWERS:
        raise Problem(f"Of languages, the package's Qt says {said.stdout.split()}: {said.stderr[-500:]}")
    not_misled()


def not_misled() -> None:
    """Neither the folder nor the environment that it is started in chooses what runs. Raises Problem."""
    folder = Path(os.fsdecode(os.fsencode(Path("traps").absolute()) + b"/ a b \xff\xe9 '\"$"))
    home, closed = Path("trapped-home").absolute(), Path("closed-home").absolute()
    for place in (folder, home / ".local/lib/python{}.{}/site-packages".format(*sys.version_info)):
        for name in _TRAPPED:
            (place / name).mkdir(parents=True)
            (place / name / "__init__.py").write_text(_TRAP)
    closed.mkdir(mode=0o500)
    trapped = {
        "HOME": str(home),
        "PYTHONPATH": str(folder),
        "PYTHONHOME": str(folder),
        "PYTHONINSPECT": "",
        "PYTHONSTARTUP": str(folder / "studio" / "__init__.py"),
        "LANG": "C",
        "LC_ALL": "C",
        "PYTHONIOENCODING": "ascii",
    }
    own = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTHONPATH")}
    own["QT_QPA_PLATFORM"] = "offscreen"
    for more in (trapped, {"HOME": str(closed)}, {}):
        for words in (("--version",), ("--smoke",), ("--json", "fs", "search", "x"), ("--json", "plans")):
            command = ["/usr/bin/studio", *words]
            done = subprocess.run(
                command, env=own | more, cwd=folder, capture_output=True, timeout=120, check=False
            )
            said = done.stderr.decode("utf-8", "replace")
            refused = b'"error"' in done.stdout and done.returncode == 1 and words[0] == "--json"
            if "Traceback" in said or "trap" in said.split("/")[0] or (done.returncode and not refused):
                raise Problem(f"With {more}, {command} ended with {done.returncode}: {said[-900:]}")


def main(words: list[str]) -> int:
    if words[0] in ("before", "after"):
        return exit_code(lambda: use(*words))
    version, folder, *command = words
    return exit_code(lambda: Trial(command, Path(folder).absolute()).walk(version))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
