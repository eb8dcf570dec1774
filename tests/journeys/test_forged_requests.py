"""Requests appended straight to the journal: the window and every door are started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio import doors
from studio.doors.cli.command_table import TABLE
from studio.engine.store import Store
from studio.journal.entries import (
    Content,
    CreateMode,
    DirectoryCreate,
    Entry,
    FileDelete,
    FileModeSet,
    FileMove,
    FileWrite,
)
from studio.journal.file_image import FileImage, sha256
from studio.program.app_folders import state_directory
from studio.workspace import Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import NAMES, Harbour, lines_with
from tests.journeys.person import PROCESS_SECONDS
from tests.tools.forked import ForkServer, command_of

KNOWN_DOORS = {
    *(
        "acp",
        "agents",
        "clients",
        "cli",
        "connect",
        "chosen_project.py",
        "demo.py",
        "doctor",
        "gate.py",
        "hook.py",
        "hooks",
        "inbox",
        "mcp",
        "outcomes.py",
    ),
    *("json_documents.py", "limits.py", "logins.py", "sandboxed_call.py", "shell_tools.py", "tool_draft.py"),
}
"""Whoever adds a door starts it below."""

SDK_AGENT = Path(__file__).parents[1] / "doors/acp/sdk_agent.py"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
CALL = {"name": "exists", "arguments": {"path": "one.txt"}}
USE = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/one.txt"}}
SAID = {
    "acp": json.dumps({"prompt": json.dumps([{"say": "Hello."}])}) + "\n",
    "hook": json.dumps({**USE, "session_id": "a", "tool_use_id": "b", "cwd": "/"}),
    "mcp": "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
        for number, (method, params) in enumerate({"initialize": HELLO, "tools/call": CALL}.items())
    ),
}
"""What a command is told on standard input; the others nothing."""

OLD = lines_with().encode()
NEW = b"forged\n"


def _forged(plan_id: str, step_id: str) -> list[tuple[str, Entry]]:
    """One request of every kind that writes: for a step of a plan that waits, and for none."""
    old, new = FileImage(sha256(OLD), len(OLD), 0o644), FileImage(sha256(NEW), len(NEW), 0o644)
    was, content = Content(sha256(OLD), len(OLD)), Content(sha256(NEW), len(NEW))
    runnable = FileImage(sha256(OLD), len(OLD), 0o755)
    temporary = f".exacta-{step_id}-1.tmp"
    return [
        (
            step_id,
            FileWrite(f"{step_id}-1", "one.txt", content, CreateMode.REPLACE_EXISTING, new, old, temporary),
        ),
        ("", FileWrite("forged-1", "forged.txt", content, CreateMode.CREATE_NEW, new, None, ".exacta-1.tmp")),
        ("", FileDelete("forged-2", "two.txt", old, ".exacta-2.tmp")),
        ("", FileMove("forged-3", "three.txt", "moved.txt", was, old, old, ".exacta-3.tmp", ".exacta-4.tmp")),
        ("", FileModeSet("forged-4", "three.txt", was, runnable, old, ".exacta-5.tmp")),
        ("", DirectoryCreate("forged-5", "folder", 0o755)),
    ]


@pytest.fixture
def forged(harbour: Harbour) -> tuple[str, int]:
    """A plan that waits, and how many requests were appended to the journal beside it."""
    plan = harbour.propose_three()
    (file,) = state_directory().glob("*/store.sqlite3")
    store = Store(file.parent)
    step = store.plans.get(plan).steps[0]
    requests = _forged(plan, step.id)
    store.blobs.add([OLD, NEW])
    with store.database.write() as connection:
        store.journal.append(connection, plan, requests[:1])
        store.journal.append(connection, "", requests[1:])
    store.close()
    return plan, len(requests)


@pytest.fixture
def call(harbour: Harbour) -> Iterator[str]:
    """A call that waits for somebody's word."""
    workspace = Workspace.open(harbour.root)
    session = workspace.proposer.open_session("some-agent", "hook")
    yield workspace.proposer.ask(session, "Bash", command="make").id
    workspace.close()


def _commands(harbour: Harbour, plan: str, call: str, folder: Path) -> dict[str, tuple[str, ...]]:
    """Every command, with what it needs; the plan itself is withdrawn last."""
    (folder / "replayed").mkdir()
    diff = folder / "more.diff"
    diff.write_text(harbour.diff("two.txt", lines_with(l5="changed 5")))
    return {
        "submit": (str(diff),),
        "plans": (),
        "show": (plan, "--diff"),
        "wait": (plan, "--timeout", "0.1"),
        "approve": (plan, "--apply"),
        "reject": (plan, "--reason", "no"),
        "apply": (plan,),
        "rollback": (plan,),
        "history": (),
        "recover": (),
        "journal": ("--replay", str(folder / "replayed")),
        "blame": ("one.txt",),
        "review": ("--propose", plan),
        "check": ("one.txt",),
        "sessions": (),
        "calls": (),
        "allow": (call,),
        "deny": (call, "--reason", "no"),
        "fs": ("exists", "one.txt"),
        "config": ("show",),
        "forget": (),
        "demo": ("--dir", str(folder / "demo"), "--smoke"),
        "withdraw": (plan,),
        "dismiss": (plan,),
        "connect": ("claude-code", "--dry-run"),
        "mcp": (),
        "completion": ("bash",),
        "hook": ("claude-code",),
        "doctor": (),
        "agent": ("codex",),
        "acp": ("--", sys.executable, str(SDK_AGENT)),
        "inbox": ("--once",),
        "snapshot": ("list",),
        "observed": ("list",),
        "watch": ("--once",),
        "run": ("--", "true"),
        "try": (plan, "--", "true"),
    }


def _names(harbour: Harbour) -> set[str]:
    return {path.name for path in harbour.root.iterdir()}


def test_neither_the_window_nor_a_door_carries_out_what_stands_in_the_journal(
    harbour: Harbour,
    desktop: Desktop,
    forged: tuple[str, int],
    *,
    call: str,
    tmp_path: Path,
    forks: ForkServer | None,
) -> None:
    """Not one of them, and a replay doesn't either; nor the window, while it applies another plan,
    takes it back, and is opened once more."""
    other = harbour.propose("Another", two_txt=lines_with(l6="changed 6"))
    person = desktop.open(harbour.root)
    assert not person.sees("recovery")
    person.click_step(other, 1)
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    wait_for(lambda: person.history_states() == ["applied"], "the plan in the history")
    assert harbour.read("two.txt") == lines_with(l6="changed 6")
    person.open_rollback(0)
    person.click("rollback-write")
    wait_for(lambda: len(person.desk.queue.history) == 2, "the rollback in the history")
    person.window.close()
    desktop.open(harbour.root).window.close()
    assert harbour.untouched() and _names(harbour) == set(NAMES)
    assert harbour.agent.states(forged[0]) == ["pending"] * 3
    verified = harbour.agent.json("journal", "--verify")
    assert verified["entries"] > forged[1] and verified["damaged_at"] is None

    assert {file.name for file in Path(doors.__file__).parent.iterdir()} - {"__init__.py", "__pycache__"} == (
        KNOWN_DOORS
    )
    commands = _commands(harbour, forged[0], call, tmp_path)
    assert set(commands) == set(TABLE)
    for name, words in commands.items():
        command, handles = command_of(forks, "--json", name, *words)
        done = subprocess.run(
            command, pass_fds=handles,
            cwd=harbour.root, input=SAID.get(name, ""), capture_output=True, text=True, check=False,
            timeout=PROCESS_SECONDS, start_new_session=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )  # fmt: skip
        codes = (1, 4) if name == "agent" else (0, 1, 5)  # 4: it is not installed
        assert done.returncode in codes, f"{name}: {done.stdout} {done.stderr}"
        assert harbour.untouched() and _names(harbour) == set(NAMES), name
    replayed = {file.name: file.read_bytes() for file in (tmp_path / "replayed").iterdir()}
    assert replayed == {"two.txt": OLD}, "what the window wrote and took back, and nothing else"
    assert harbour.agent.json("journal", "--verify") == verified
