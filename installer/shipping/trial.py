"""What is done with every `studio` that somebody installed: a first hour by command line, and chosen tests.

    python3 -m shipping.trial VERSION FOLDER COMMAND...
    python3 -m shipping.trial before|after VERSION      around the upgrade of a .deb
    python3 -m shipping.trial install                   as root of a Debian: what tests need beside the .deb
    python3 -m shipping.trial tests                     as a user of it: prints what pytest says at its end

Whatever installed it, this starts it as a person would, in folders of its own, and from outside the checkout.
The tests are chosen so that a module or a file that was not installed fails at least one: each door, each
format, the engine's way from a text to bytes on disk, and the window with its icons, colours, languages and
demo. In a Debian they use what the .deb brought, in whose folder nothing is changed. Standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from environments import names_for, pip, variables
from system_packages import Problem, captured, exit_code, libraries, say

from shipping import chroot
from shipping.contents import BUNDLE, EXTRAS
from shipping.parts import Source

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

CHOSEN = "tests/installed.txt"
"""Which tests are run, as pytest reads it."""
NEEDED = ("tests", "pyproject.toml")
"""What they need beside the program: pyproject.toml says how pytest is run."""

_SOURCE, _PACKAGES, _QT = Path("/srv/source"), Path("/srv/packages"), Path("/srv/qt")
_QT_PARTS = ("PySide6/QtTest.abi3.so", "PySide6/Qt/lib/libQt6Test.so.6")
"""What presses keys and buttons in tests, and is no part of the package."""
_PLUGIN = "of_the_package"
_PLUGIN_TEXT = f'''"""Has the tests use what the package brought, and Qt's part for tests beside it."""

import PySide6
import studio

for module in (PySide6, studio):
    assert module.__file__.startswith("{BUNDLE}/"), module.__file__
PySide6.__path__.append("{_QT}/PySide6")
from PySide6 import QtWidgets  # its libraries are those that the part for tests finds
'''


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
        """Start and show it, apply and roll back a change, use its extras. Raises Problem."""
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
            return
        for words in (("mcp",), ("acp", "--", "true")):
            said = self._start(words, b"")
            if said.returncode != 1 or f"exacta-studio[{words[0]}]".encode() not in said.stderr:
                raise Problem(f"studio {words[0]} without its extra says: {_end_of(said)}")

    def has_documentation(self) -> None:
        """Raise Problem unless the first page that its window would open is there."""
        page = self.show("--smoke")["documentation"]
        if page is None or not Path(page).is_file():
            raise Problem(f"The installed program has no documentation: its first page is {page}.")

    def show(self, *words: str) -> dict[str, Any]:
        """Have it draw its window, once: a process that works beside it opens none. Raises Problem."""
        said = self.run(*words)
        if said.count(b"\n") != 1 or "first_paint_ms" not in json.loads(said):
            raise Problem(f"studio {' '.join(words)} says something else than one window: {said!r}")
        return json.loads(said)

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
        self.json("approve", self.json("submit", stdin=CREATED)["plan"], "--apply")
        _expect("what was created", (self.project / "made" / "new.txt").read_bytes(), b"new\n")
        self.json("rollback", changed)
        _expect("what was taken back", notes.read_bytes(), BEFORE)
        self.json("journal", "--verify")

    def use_extras(self) -> None:
        """`studio mcp` lists its tools, and `studio acp` starts `true`, which says nothing and ends."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        command = [*self._command, "mcp"]
        with subprocess.Popen(command, **pipes, env=self.environment, cwd=self.project) as server:
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
        """Return what a command prints. Raises Problem unless it ends with 0."""
        said = self._start(words, stdin)
        if said.returncode:
            raise Problem(f"studio {' '.join(words)} ended with {said.returncode}: {_end_of(said)}")
        return said.stdout

    def json(self, *words: str, stdin: bytes = b"") -> dict[str, Any]:
        return json.loads(self.run("--json", *words, stdin=stdin))

    def _start(self, words: Sequence[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        return _done([*self._command, *words], self.environment, self.project, stdin)


def _done(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    options: dict[str, Any] = {"env": environment, "cwd": folder, "timeout": SECONDS}
    return subprocess.run(command, input=stdin, capture_output=True, check=False, **options)


def _expect(what: str, found: bytes, wanted: bytes) -> None:
    if found != wanted:
        raise Problem(f"Of the installed program, {what} is {found!r}, and should be {wanted!r}.")


def _end_of(said: subprocess.CompletedProcess[bytes]) -> str:
    return (said.stdout + said.stderr).decode("utf-8", "replace").strip()[-600:] or "nothing"


def use(moment: str, version: str) -> None:
    """Make a project with history, or find it as it was and begin another one. Raises Problem."""
    kept, record = Trial(["studio"], Path("kept").absolute()), Path("record")
    if moment == "before":
        kept.walk(version)
    now = b"".join(kept.run("--json", *words.split()) for words in ("plans", "history", "journal --verify"))
    if moment == "before":
        record.write_bytes(now)
        return
    if now != record.read_bytes():
        raise Problem("After the upgrade, the program tells something else of a project of before.")
    fresh = Trial(["studio"], Path("fresh").absolute())
    fresh.walk(version)
    fresh.run("doctor")
    said = captured([BUNDLE / "bin" / "python3", "-I", "-c", QT_ASKED])
    if said.stdout.split() != QT_ANSWERS:
        raise Problem(f"Of languages, the package's Qt says {said.stdout.split()}: {said.stderr[-500:]}")
    not_misled()


def not_misled() -> None:
    """Raise Problem where the folder or environment that it is started in chooses what runs."""
    folder = Path(os.fsdecode(os.fsencode(Path("traps").absolute()) + b"/ a b \xff\xe9 '\"$"))
    home, closed = Path("trapped-home").absolute(), Path("closed-home").absolute()
    for place in (folder, home / ".local/lib/python{}.{}/site-packages".format(*sys.version_info)):
        for name in _TRAPPED:
            (place / name).mkdir(parents=True)
            (place / name / "__init__.py").write_text(_TRAP)
    closed.mkdir(mode=0o500)
    trapped = {"HOME": str(home), "PYTHONINSPECT": "", "PYTHONSTARTUP": f"{folder}/studio/__init__.py"}
    trapped |= dict.fromkeys(("PYTHONPATH", "PYTHONHOME"), str(folder))
    trapped |= {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    own = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTHONPATH")}
    for more in (trapped, {"HOME": str(closed)}, {}):
        for words in ("--version", "--smoke", "--json fs search x", "--json plans"):
            environment = own | more | {"QT_QPA_PLATFORM": "offscreen"}
            done = _done(["/usr/bin/studio", *words.split()], environment, folder)
            said = done.stderr.decode("utf-8", "replace")
            refused = b'"error"' in done.stdout and done.returncode == 1 and words.startswith("--json")
            if "Traceback" in said or "trap" in said.split("/")[0] or (done.returncode and not refused):
                raise Problem(f"With {more}, studio {words} ended with {done.returncode}: {said[-900:]}")


def run_tests(python: Path, source: Path, more: Mapping[str, str] | None = None) -> str:
    """Run the chosen tests with the packages of `python`; return pytest's last line. Raises Problem.

    `more` are variables for pytest's process.
    """
    with tempfile.TemporaryDirectory(prefix="exacta-tests-") as name:
        folder, written = Path(name, "outside"), Path(name, "written")
        written.mkdir()
        shutil.copytree(source / NEEDED[0], folder / NEEDED[0])
        shutil.copy(source / NEEDED[1], folder / NEEDED[1])
        environment = {**variables(), **(more or {}), "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(written)}
        words = ["-q", "-p", "no:cacheprovider", f"--basetemp={written}/t", "-n", "2", f"@{CHOSEN}"]
        done = captured([python, "-m", "pytest", *words], environment, folder)
    said = (done.stderr + done.stdout).strip().splitlines()
    if done.returncode:
        say("\n".join(said[-200:]))
        faults = [line for line in said if line.startswith(("FAILED", "ERROR"))]
        raise Problem("\n".join(["Tests of the installed program failed:", *faults[:20], said[-1]]))
    return said[-1].strip("= ")


def tests_in_debian(suite: str, source: Source, file: Path) -> str:
    """Install the package in a bare Debian and run the tests there; return words. Raises Problem."""
    with chroot.bare(suite) as debian:
        debian.bring(file, "/srv/new.deb")
        debian.install("/srv/new.deb", "git", "python3-pip", *libraries("offscreen"))
        for name in NEEDED:
            debian.bring(source.folder / name, f"{_SOURCE}/{name}")
        # Where the installer reads what the test group of the sources is.
        debian.bring(source.folder / "pyproject.toml", "/srv/pyproject.toml")
        debian.run_trial(source, "install", user="root")
        return debian.run_trial(source, "tests")


def _install() -> None:
    """Install, by their hashes, the packages that the bundle hasn't, and Qt's part for tests."""
    names = names_for(["test"], EXTRAS) - names_for((), EXTRAS)
    pip("python3", "install", "--target", _PACKAGES, locked=names)
    (_PACKAGES / f"{_PLUGIN}.py").write_text(_PLUGIN_TEXT)
    with tempfile.TemporaryDirectory(prefix="exacta-qt-") as folder:
        pip("python3", "install", "--target", folder, locked=frozenset({"pyside6-essentials"}))
        for part in _QT_PARTS:
            (_QT / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(folder, part), _QT / part)


def main(words: list[str]) -> None:
    match words:
        case ["before" | "after" as moment, version]:
            use(moment, version)
        case ["install"]:
            _install()
        case ["tests"]:
            more = {"PYTHONPATH": str(_PACKAGES), "PYTEST_PLUGINS": _PLUGIN}
            print(run_tests(BUNDLE / "bin" / "python3", _SOURCE, more))
        case [version, folder, *command]:
            Trial(command, Path(folder).absolute()).walk(version)


if __name__ == "__main__":
    sys.exit(exit_code(lambda: main(sys.argv[1:])))
