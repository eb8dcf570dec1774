"""Record a scripted day with the build of one commit, for later builds to open.

    .venv/bin/python -m tests.tools.day

writes `tests/data/day-55ba95a0` anew: the command line of that commit fills a project's store with plans in
every state, snapshots, a session, a tool call and changes from outside, and opens the window on it. The
folder holds

- `store.sql`, `config.yaml` and `window.ini`: the store and the user's own files;
- `files.zip`: the project, and the files beside the store (`window.ini` of the project, snapshots);
- `export.ndjson` and `export-both-rules.ndjson`: journals; the rows of the second begin by the first rule;
- `record.json`: what the commands printed, and the project's files before each apply.

The folders of the day and the identity of the project's folder are placeholders.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

from studio.engine.root.project_root import lasting_identity
from studio.program.app_folders import project_key
from tests.engine.snapshot_store.folders import standing
from tests.tools.older_builds import (
    DATA,
    STORE,
    Work,
    check_out,
    dump,
    files_beside,
    lay_out_both_rules,
)

COMMIT, SCHEMA = "55ba95a0", 12
FIXTURE = DATA / f"day-{COMMIT}"
EXPORTS = ("export.ndjson", "export-both-rules.ndjson")
PROJECT, CONFIG, STATE, IDENTITY = "@PROJECT@", "@CONFIG@", "@STATE@", "@IDENTITY@"
"""What replaces the folders of the recorded day, and the identity of the project's."""

CONFIGURATION = """\
schema_version: 1
file_rules: {deny: ["private/"]}
limits: {steps: 200}
retention: {plans: 50, days: 100000}
review: {command_line: allow, groups: ["catalogues: *.po *.mo"]}
"""
"""The user's own file. Undo never expires: the day becomes older than the default of 7 days."""

PROJECT_CONFIGURATION = """\
schema_version: 1
file_rules: {deny: ["generated/"]}
limits: {hunks: 500}
"""

TITLES = {
    "Every operation": "completed",
    "Some hunks": "completed",
    "Some steps": "completed",
    "Taken back": "rolled_back",
    "Roll back “Taken back”": "completed",
    "One step back": "completed",
    "Roll back “One step back”": "completed",
    "Waits": "pending",
    "Outdated": "pending",
    "No": "rejected",
    "Shorter": "changes_requested",
    "Approved": "approved",
    "Refused": "invalid",
    "Withdrawn": "cancelled",
    "2 steps": "pending",
    "Take back what was observed in reverted.txt": "completed",
    "Dismissed": "dismissed",
}
"""The plans of the day by title, and their states at its end."""

OUTSIDE = {
    "kept.txt": ("modify", "kept"),
    "reverted.txt": ("create", "reverted"),
    "outdated.txt": ("modify", "open"),
    "late.txt": ("create", "open"),
}
"""The files that were changed without a plan: how, and what was decided about that."""

LINES = [f"line {number}\n" for number in range(1, 41)]

Digest = dict[str, str]
"""The entries of a folder by path: type and permissions in octal, and for files half of the SHA-256."""


def digest(folder: Path) -> Digest:
    """Return what a folder holds, in a form that JSON keeps."""
    return {
        path: f"{mode:o} {hashlib.sha256(data).hexdigest()[:32] if stat.S_ISREG(mode) else ''}".strip()
        for path, (mode, data) in sorted(standing(folder).items())
    }


def replace_all(text: str, values: Mapping[str, str]) -> str:
    """Replace values in a text, also where SQL has them as the hex digits of their bytes."""
    for old, new in values.items():
        text = text.replace(old, new).replace(_hex(old), _hex(new))
    return text


def _hex(value: str) -> str:
    return os.fsencode(value).hex().upper()


def _identity(project: Path) -> str:
    return lasting_identity(project, project.stat())


def lay_out(project: Path) -> dict[str, Any]:
    """Write the day's files where this build looks for them; returns its record.

    `project` is an empty folder. Configuration and state go where the environment says.
    """
    config, state = Path(os.environ["STUDIO_CONFIG_DIR"]), Path(os.environ["STUDIO_STATE_DIR"])
    values = {
        PROJECT: str(project),
        CONFIG: str(config.resolve()),
        STATE: str(state),
        IDENTITY: _identity(project),
    }

    def text(name: str) -> str:
        return replace_all((FIXTURE / name).read_bytes().decode(), values)

    beside = state / project_key(project)
    beside.mkdir(parents=True, mode=0o700)
    with zipfile.ZipFile(FIXTURE / "files.zip") as archive:
        for info in archive.infolist():
            part, _, path = info.filename.rstrip("/").partition("/")
            target = {"project": project, "beside": beside}[part] / path
            if info.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(info))
            target.chmod(stat.S_IMODE(info.external_attr >> 16))
    with closing(sqlite3.connect(beside / STORE)) as connection:
        connection.executescript(text("store.sql"))
    (config / "config.yaml").write_text(text("config.yaml"))
    (state / "window.ini").write_text(text("window.ini"))
    return json.loads(text("record.json"))


class Day(Work):
    """The day's work in folders of its own; `before` holds the project as each apply found it."""

    def __init__(self, folder: Path, tree: Path) -> None:
        super().__init__(folder, tree)
        self.config = folder / "config"
        (self.config / "config.yaml").write_text(CONFIGURATION)
        self.environment["QT_QPA_PLATFORM"] = "offscreen"
        self.before: dict[str, Digest] = {}
        self.snapshots: dict[str, Digest] = {}

    def run(self) -> None:
        self._write_first_files()
        self.read("observed", "list")  # what is there before is nobody's change
        self._snapshot("morning")
        self._apply_plans()
        self._snapshot("evening")
        self._leave_plans_open()
        self._close_plans()
        self._work_as_agents()
        self._change_from_outside()
        self.studio("--smoke", "--project", str(self.project))

    def read(self, *words: str) -> dict[str, Any]:
        return json.loads(self.studio(*words))

    def _write_first_files(self) -> None:
        contents = {
            "studio.yaml": PROJECT_CONFIGURATION.encode(),
            "a.txt": b"one\ntwo\n",
            "crlf.txt": b"gone\r\nsoon\r\n",
            "latin.txt": "Grüße\n".encode("windows-1252"),
            "log.txt": b"first\n",
            "lines.txt": "".join(LINES).encode(),
            "bytes.bin": bytes(range(256)),
            "run.sh": b"#!/bin/sh\n",
            "kept.txt": b"before\n",
            "outdated.txt": b"before\n",
        }
        for path, data in contents.items():
            (self.project / path).write_bytes(data)
            (self.project / path).chmod(0o644)

    def _snapshot(self, tag: str) -> None:
        self.snapshots[tag] = digest(self.project)
        self.studio("snapshot", "create", tag)

    def _apply_plans(self) -> None:
        plan = self.submit(
            "Every operation",
            _edit("a.txt", "one", "eins"),
            {"op": "create", "path": "src/new.txt", "content": "new\n"},
            {"op": "append", "path": "log.txt", "content": "second\n"},
            {"op": "delete", "path": "crlf.txt"},
            {"op": "move", "path": "latin.txt", "to": "moved/latin.txt"},
            {"op": "copy", "path": "bytes.bin", "to": "copy.bin"},
            {"op": "mkdir", "path": "empty/deep"},
            {"op": "mode", "path": "run.sh", "executable": True},
        )
        self._writing("approve", plan, "--apply")
        lines = LINES.copy()
        for number in (3, 20, 37):
            lines[number - 1] = f"changed {number}\n"
        plan = self.submit("Some hunks", {"op": "modify", "path": "lines.txt", "content": "".join(lines)})
        self._writing("approve", plan, "--hunks", "1:1,3", "--apply")
        plan = self.submit("Some steps", _create("taken.txt"), _create("refused.txt"))
        self.studio("approve", plan, "--step", "1")
        self.studio("reject", plan, "--step", "2", "--reason", "one is enough")
        self._writing("apply", plan)
        data = base64.b64encode(b"\0\1\2").decode()
        plan = self.submit("Taken back", {"op": "modify", "path": "bytes.bin", "content_base64": data})
        self._writing("approve", plan, "--apply")
        self._writing("rollback", plan)
        plan = self.submit("One step back", _edit("a.txt", "two", "zwei"), _create("src/back.txt"))
        self._writing("approve", plan, "--apply")
        self._writing("rollback", plan, "--step", "2")

    def _leave_plans_open(self) -> None:
        self.submit("Waits", _edit("a.txt", "eins", "uno"), {"op": "delete", "path": "src/new.txt"})
        self.studio("approve", self.submit("Approved", _create("approved.txt")))
        self.submit("Outdated", _edit("outdated.txt", "before", "after"))

    def _close_plans(self) -> None:
        self.studio("reject", self.submit("No", _create("no.txt")), "--reason", "not now")
        shorter = self.submit("Shorter", _create("long.txt"))
        self.studio("reject", shorter, "--ask-changes", "--reason", "make it shorter")
        self.submit("Refused", _create("../out.txt"), code=1)
        self.studio("withdraw", self.submit("Withdrawn", _create("gone.txt")))
        dismissed = self.submit("Dismissed", _create("never.txt"))
        self.studio("reject", dismissed, "--reason", "never")
        self.studio("dismiss", dismissed)

    def _work_as_agents(self) -> None:
        session = ("--agent", "codex", "--session", "s1")
        self.studio("fs", "write", "session.txt", *session, stdin="new\n")
        self.studio("fs", "append", "log.txt", *session, stdin="third\n")
        call = {
            "session_id": "s2",
            "cwd": str(self.project),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
        }
        self.studio("hook", "claude-code", "--timeout", "1", stdin=json.dumps(call))

    def _change_from_outside(self) -> None:
        for path in OUTSIDE:
            (self.project / path).write_bytes(f"{path} from outside\n".encode())
            (self.project / path).chmod(0o644)
        changes = {each["path"]: each["observed"] for each in self.read("observed", "list")["observed"]}
        self.studio("observed", "keep", changes["kept.txt"])
        self._writing("observed", "revert", changes["reverted.txt"])

    def _writing(self, *words: str) -> None:
        """Run a command that applies a plan, and note the project before."""
        before = digest(self.project)
        self.before[self.read(*words)["plan"]] = before

    def record(self) -> dict[str, Any]:
        """Return what the commands print now."""
        plans = [*self.read("plans")["plans"], *self.read("plans", "--state", "dismissed")["plans"]]
        for each in (step for plan in plans for step in (plan, *plan["steps"])):
            for name in ("problems", "facts"):  # a later build may word them better
                each.pop(name, None)
        return {
            "plans": plans,
            "before": self.before,
            "snapshots": self.snapshots,
            "history": self.read("history")["entries"],
            "settings": self.read("config")["settings"],
            "observed": self.read("observed", "list", "--all")["observed"],
            "sessions": self.read("sessions")["sessions"],
            "calls": self.read("calls")["calls"],
            "journal": self.read("journal", "--verify"),
        }


def _edit(path: str, old: str, new: str) -> dict[str, Any]:
    return {"op": "modify", "path": path, "edits": [{"old": old, "new": new}]}


def _create(path: str) -> dict[str, Any]:
    return {"op": "create", "path": path, "content": "new\n"}


def make(fixture: Path) -> None:
    """Replace the fixture by a day that the build of `COMMIT` records."""
    with tempfile.TemporaryDirectory(prefix="exacta-day-") as name:
        folder = Path(name).resolve()
        tree = check_out(COMMIT, folder / "tree", "studio", "resources")
        (folder / "day").mkdir()
        (folder / "older").mkdir()
        day = Day(folder / "day", tree)
        day.run()
        record = day.record()
        exports = [folder / name for name in EXPORTS]
        day.studio("journal", "--export", str(exports[0]), "--with-contents")
        _export_both_rules(Work(folder / "older", tree), exports[1])
        shutil.rmtree(fixture, ignore_errors=True)
        fixture.mkdir()
        for file in exports:
            shutil.copyfile(file, fixture / file.name)
        values = {
            str(day.project): PROJECT,
            str(day.config): CONFIG,
            str(day.state): STATE,
            _identity(day.project): IDENTITY,
        }

        def write(name: str, text: str) -> None:
            (fixture / name).write_bytes(replace_all(text, values).encode())

        write("store.sql", dump(day.store, SCHEMA))
        write("config.yaml", (day.config / "config.yaml").read_text())
        write("window.ini", (day.state / "window.ini").read_text())
        write("record.json", json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n")
        _pack(day, fixture / "files.zip")
        for file in fixture.iterdir():
            assert name.encode() not in file.read_bytes(), f"{file.name} names the folder of the day"


def _export_both_rules(work: Work, export: Path) -> None:
    """Export a journal that an older build began, after this one upgraded its store and went on."""
    with patch.dict(os.environ, {"STUDIO_STATE_DIR": str(work.state)}):
        lay_out_both_rules(work.project)
    plans = json.loads(work.studio("plans"))["plans"]
    (waiting,) = (plan["plan"] for plan in plans if plan["state"] == "pending")
    work.studio("approve", waiting, "--apply")
    work.studio("journal", "--export", str(export), "--with-contents")


def _pack(day: Day, archive: Path) -> None:
    """Write the project and the files beside its store, with their permissions and without their times."""
    files = [("project", day.project, path) for path in sorted(day.project.rglob("*"))]
    beside = day.store.parent
    files += [("beside", beside, path) for path in files_beside(day.store)]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for part, above, path in files:
            name = f"{part}/{path.relative_to(above).as_posix()}"
            info = zipfile.ZipInfo(f"{name}/" if path.is_dir() else name)
            info.external_attr = path.stat().st_mode << 16
            packed.writestr(info, b"" if path.is_dir() else path.read_bytes(), zipfile.ZIP_DEFLATED)


def main(arguments: Sequence[str]) -> None:
    make(Path(arguments[0]) if arguments else FIXTURE)


if __name__ == "__main__":
    main(sys.argv[1:])
