"""What each client does with each behaviour of a gate: the bytes on disk, and what its model was told.

A row is one run of a real client against a scripted model that wants to change `notes.txt`. Those marked
`always` belong to every run of the tests; `tests/agents/__main__.py` runs them all.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.doors.agents.model_server import Record
from studio.doors.agents.script import Call
from tests.agents import claude_code, codex, hooks
from tests.agents.codex_app_server import AppServer, Message
from tests.agents.lab import CLIENT_SECONDS, Lab, Started

BEFORE = "alpha\nbeta\ngamma\n"
AFTER = "alpha\nBETA\ngamma\n"
EDITED = "alpha\nBETA, reviewed\ngamma\n"
APPENDED = "alpha\nbeta\ngamma\nshell\n"
OTHERS = "alpha\nbeta\ngamma\nmine\n"
ONE_BY_ONE = f"{BEFORE}begun\nended\nbegun\nended\nbegun\nended\n"
MERGED = "alpha\nBETA\ngamma\nmine\n"

MCP_SERVER = Path(__file__).with_name("mcp_server.py")

Ask = Callable[[Path], Call]
"""From the project to what the model wants to do in it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run left: the text of `notes.txt`, and all that its model was told about its calls."""

    text: str
    told: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a client. `told` stands in what its model is told; empty: its turn ends without a word."""

    client: str
    name: str
    text: str
    told: str
    play: Callable[[Path], Seen] = field(repr=False)
    always: bool = False

    def check(self, folder: Path) -> Seen:
        """Play it in an empty folder; raises AssertionError where the client did something else."""
        seen = self.play(folder)
        assert seen.text == self.text, f"notes.txt holds {seen.text!r}; the model was told {seen.told!r}"
        assert self.told in seen.told, f"the model was told {seen.told!r}"
        assert self.told or not seen.told, f"the model was told {seen.told!r}"
        return seen


def make_project(folder: Path) -> Path:
    """A project with `notes.txt` in it."""
    project = folder / "project"
    project.mkdir()
    (project / "notes.txt").write_text(BEFORE, encoding="utf-8")
    return project


def seen_in(project: Path, record: Record) -> Seen:
    """What is there now, and what was said to the model until now beside its instructions."""
    results = [result.text for request in record.work[-1:] for result in request.results]
    # What stands in the first request is the client's own; what comes later is about the calls.
    first = record.work[0].system if record.work else ()
    notes = [text for request in record.work[-1:] for text in request.system if text not in first]
    return Seen((project / "notes.txt").read_text(encoding="utf-8"), "\n".join([*results, *notes]))


# What the models want


def edit(project: Path) -> Call:
    """Claude Code's way to change a line."""
    return Call("Edit", _edit_fields(project, "BETA"))


def _edit_fields(project: Path, new: str) -> dict[str, Any]:
    return {"file_path": str(project / "notes.txt"), "old_string": "beta", "new_string": new}


def overwrite(project: Path) -> Call:
    """Claude Code's way to write a whole file, here one that it has not read."""
    return Call("Write", {"file_path": str(project / "notes.txt"), "content": AFTER})


def write_new(project: Path) -> Call:
    """Claude Code's way to make a file."""
    return Call("Write", {"file_path": str(project / "new.txt"), "content": "new\n"})


def bash(project: Path) -> Call:
    """Claude Code's way around its own tools."""
    return Call("Bash", {"command": f"echo shell >> '{project}/notes.txt'", "description": "Append"})


def patch(_project: Path) -> Call:
    """Codex's way to change a line."""
    return Call("apply_patch", _patch_text("BETA"))


def add_new(_project: Path) -> Call:
    """Codex's way to make a file."""
    return Call("apply_patch", "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch\n")


def _patch_text(new: str) -> str:
    return f"*** Begin Patch\n*** Update File: notes.txt\n@@\n alpha\n-beta\n+{new}\n gamma\n*** End Patch\n"


def shell(_project: Path) -> Call:
    """Codex's way around its patches."""
    return Call("exec_command", {"cmd": "echo shell >> notes.txt"})


def shell_outside(_project: Path) -> Call:
    """The same, asking to be let out of the sandbox."""
    wish = {"sandbox_permissions": "require_escalated", "justification": "To append."}
    return Call("exec_command", {"cmd": "echo shell >> notes.txt", **wish})


def patch_in_shell(_project: Path) -> Call:
    """A patch that is a command of the shell, and applied as a patch all the same."""
    return Call("exec_command", {"cmd": f"apply_patch <<'END'\n{_patch_text('BETA')}END\n"})


# How they are played


def claude(
    name: str,
    commands: str | None,
    text: str,
    told: str,
    *,
    ask: Ask = edit,
    times: int = 1,
    mode: str = "acceptEdits",
    always: bool = False,
    **entry: Any,
) -> Trial:
    """Claude Code with a hook that runs these commands; `entry` goes to `claude_code.hook_settings`.

    `times` it asks in one turn.
    """

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        settings = claude_code.hook_settings(str(hooks.write_hook(folder, commands)), **entry)
        # To root it grants the mode that asks nobody in a sandbox alone.
        sandbox = {"IS_SANDBOX": "1"}
        script = ((ask(project),) * times,)
        ran = claude_code.run_claude(project, script, settings=settings, mode=mode, environment=sandbox)
        assert ran.exit_code == 0, ran
        return seen_in(project, ran.record)

    return Trial("claude-code", f"hook {name}", text, told, play, always)


def claude_edited() -> Trial:
    """Claude Code with a hook that lets the call pass with other arguments."""

    def play(folder: Path) -> Seen:
        arguments = _edit_fields(folder / "project", "BETA, reviewed")
        return claude("", hooks.edits(arguments), "", "").play(folder)

    return Trial("claude-code", "hook allows an edited change", EDITED, hooks.EDITED, play)


def claude_server(name: str, told: str, *words: str, always_load: bool = True) -> Trial:
    """Claude Code with a server of one tool, which must be offered at once, or else must not."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        file = folder / "mcp.json"
        server = ["-I", str(MCP_SERVER)]
        entry = claude_code.mcp_servers("lab", sys.executable, server, always_load=always_load)
        file.write_text(json.dumps(entry), encoding="utf-8")
        script = ((Call("mcp__lab__note", {"text": "hello"}),),)
        options = ["--mcp-config", str(file), *words]
        ran = claude_code.run_claude(project, script, mode="default", words=options)
        assert ("mcp__lab__note" in ran.record.work[0].tools) == always_load
        return seen_in(project, ran.record)

    return Trial("claude-code", f"MCP server {name}", BEFORE, told, play)


def codex_hook(
    name: str,
    commands: str | None,
    text: str,
    told: str,
    *,
    ask: Ask = patch,
    times: int = 1,
    trusted: bool = True,
    always: bool = False,
    **entry: Any,
) -> Trial:
    """`codex exec` with a hook that runs these commands; `entry` goes to `codex.hooks`.

    `times` it asks in one turn.
    """

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        entries = codex.hooks(str(hooks.write_hook(folder, commands)), **entry)
        ran = codex.run_codex(project, ((ask(project),) * times,), hooks=entries, trusted=trusted)
        assert ran.exit_code == 0, ran
        return seen_in(project, ran.record)

    return Trial("codex", f"hook {name}", text, told, play, always)


def codex_approval(
    name: str,
    answer: Mapping[str, Any] | None,
    text: str,
    told: str,
    *,
    ask: Ask = patch,
    asked: str | None = "item/fileChange/requestApproval",
    sandbox: str = "read-only",
    always: bool = False,
) -> Trial:
    """`codex app-server` whose client answers so; None: the client goes while the server waits for it.

    `asked` is the one request for approval that comes; None: none does.
    """

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Lab(project, ((ask(project),),)) as lab:
            requests: list[Message] = []
            with codex.app_server(lab) as server:
                server.turn(lambda request: _answered(server, requests, request, answer), sandbox=sandbox)
            assert [request["method"] for request in requests] == ([asked] if asked else [])
            return seen_in(project, lab.record)

    return Trial("codex", f"app-server {name}", text, told, play, always)


def _answered(
    server: AppServer, requests: list[Message], request: Message, answer: Mapping[str, Any] | None
) -> Message | None:
    requests.append(request)
    if answer is None:
        server.hang_up()
        return None
    return dict(answer)


def codex_server(name: str, told: str, *, approved: bool = True) -> Trial:
    """`codex exec`, read-only, with a server of one tool."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        entry = codex.mcp_server("lab", sys.executable, ["-I", str(MCP_SERVER)], approved=approved)
        script = ((Call("mcp__lab/note", {"text": "hello"}),),)
        ran = codex.run_codex(project, script, sandbox="read-only", configuration=entry)
        assert "tool_search" in {tool["type"] for tool in ran.record.last.body["tools"]}
        assert "mcp__lab/note" not in ran.record.last.tools, "it is offered at once now: say so"
        return seen_in(project, ran.record)

    return Trial("codex", f"MCP server {name}", BEFORE, told, play)


def codex_read_only() -> Trial:
    """`codex exec` in its read-only sandbox, with no gate of anybody else."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        ran = codex.run_codex(project, ((patch(project),),), sandbox="read-only")
        return seen_in(project, ran.record)

    return Trial("codex", "exec with a read-only sandbox", BEFORE, "blocked by read-only sandbox", play)


def killed_client(client: str) -> Trial:
    """A client that is killed while its hook waits: the hook lives on, and can see that nobody listens."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        program = str(hooks.write_hook(folder, hooks.WAITS_ALONE))
        ask = {"claude-code": edit, "codex": patch}[client]
        with Lab(project, ((ask(project),),)) as lab, _told(folder / "told") as heard:
            with _started(client, lab, program) as started:
                assert heard() == "began\n"
                started.kill()
                assert started.wait().exit_code == -signal.SIGKILL
                assert heard() == "alone\n"
            return seen_in(project, lab.record)

    return Trial(client, "hook waits, client is killed", BEFORE, "", play, always=True)


@contextmanager
def _told(pipe: Path) -> Iterator[Callable[[], str]]:
    """A pipe of that name, and what waits for the next thing that somebody says into it."""
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

    def heard() -> str:
        ready, _, _ = select.select([handle], [], [], CLIENT_SECONDS)
        return os.read(handle, 1000).decode() if ready else "nothing"

    try:
        yield heard
    finally:
        os.close(handle)


def _started(client: str, lab: Lab, program: str) -> Started:
    if client == "claude-code":
        return lab.start(*claude_code.claude_command(lab, claude_code.hook_settings(program)))
    codex.set_up(lab, hooks=codex.hooks(f"exec {program}"))
    codex.trust_hooks(lab)
    return lab.start(*codex.codex_command(lab))


_CLOSED = 'blocking because onFailure is "block"'
_ERROR = f"PreToolUse:Edit hook error: {hooks.REASON}"
_DONE = "has been updated successfully"
_APPLIED = "Success. Updated the following files:"
_BLOCKED = f"Command blocked by PreToolUse hook: {hooks.REASON}"
_COMMAND = "item/commandExecution/requestApproval"

CLAUDE_CODE = (
    claude("denies", hooks.DENIES, BEFORE, _ERROR, always=True),
    claude("denies, whatever its own rules", hooks.DENIES, BEFORE, _ERROR, mode="bypassPermissions"),
    claude("denies a shell command", hooks.DENIES, BEFORE, "PreToolUse:Bash hook error", ask=bash),
    claude("allows", hooks.ALLOWS, AFTER, _DONE, mode="default", always=True),
    claude("allows in plan mode", hooks.ALLOWS, BEFORE, "while in plan mode", mode="plan"),
    claude("allows a shell command", hooks.ALLOWS, APPENDED, "Bash completed", ask=bash, mode="default"),
    claude_edited(),
    claude("asks", hooks.ASKS, BEFORE, hooks.REASON),
    claude("exits with 2", hooks.REFUSES, BEFORE, hooks.REASON, always=True),
    claude("has no opinion", hooks.HAS_NO_OPINION, AFTER, _DONE),
    claude("has no opinion, default mode", hooks.HAS_NO_OPINION, BEFORE, "granted it yet", mode="default"),
    claude("has no opinion, plan mode", hooks.HAS_NO_OPINION, BEFORE, "while in plan mode", mode="plan"),
    claude("is killed", hooks.IS_KILLED, BEFORE, _CLOSED, always=True),
    claude("is killed, no rules", hooks.IS_KILLED, BEFORE, _CLOSED, mode="bypassPermissions"),
    claude("is missing", hooks.IS_MISSING, BEFORE, _CLOSED, always=True),
    killed_client("claude-code"),
    claude("exits with 1", hooks.FAILS, BEFORE, _CLOSED),
    claude("is late", hooks.IS_LATE, BEFORE, f"timed out; {_CLOSED}", timeout=1),
    # What a person does to the file while the hook waits: an edit is made on it, a whole file replaces it.
    claude("allows, the file changed", hooks.changes_file(OTHERS), MERGED, _DONE),
    claude("allows, the line is gone", hooks.changes_file("mine\n"), "mine\n", "String not found in file"),
    claude("allows a file, it changed", hooks.changes_file(OTHERS), AFTER, _DONE, ask=overwrite),
    claude(
        "allows three, one by one", hooks.ALLOWS_ONE_BY_ONE, ONE_BY_ONE, "new.txt", ask=write_new, times=3
    ),
    # What exits with 0 has answered, whatever it said: no entry can close that.
    claude("prints garbage", hooks.PRINTS_GARBAGE, AFTER, _DONE, always=True),
    claude("says nothing", hooks.SAYS_NOTHING, AFTER, _DONE),
    claude("denies at top level", hooks.DENIES_AT_TOP, AFTER, _DONE),
    claude("is killed, without onFailure", hooks.IS_KILLED, AFTER, _DONE, on_failure=None),
    claude("is missing, without onFailure", hooks.IS_MISSING, AFTER, _DONE, on_failure=None),
    claude_server("allowed", '{"noted":"hello"}', "--allowedTools", "mcp__lab"),
    claude_server("not allowed", "granted it yet"),
    claude_server("not loaded", '{"noted":"hello"}', "--allowedTools", "mcp__lab", always_load=False),
)

CODEX = (
    codex_hook("denies", hooks.DENIES, BEFORE, _BLOCKED, always=True),
    codex_hook("denies, but is not trusted", hooks.DENIES, AFTER, _APPLIED, trusted=False, always=True),
    codex_hook("denies a shell command", hooks.DENIES, BEFORE, _BLOCKED, ask=shell),
    codex_hook("denies a patch in a shell command", hooks.DENIES, BEFORE, _BLOCKED, ask=patch_in_shell),
    codex_hook("allows", hooks.ALLOWS, AFTER, _APPLIED),
    codex_hook(
        "allows an edited patch",
        hooks.edits({"command": _patch_text("BETA, reviewed")}),
        EDITED,
        hooks.EDITED,
    ),
    codex_hook("asks", hooks.ASKS, AFTER, _APPLIED),
    codex_hook("exits with 2", hooks.REFUSES, BEFORE, _BLOCKED, always=True),
    codex_hook("has no opinion", hooks.HAS_NO_OPINION, AFTER, _APPLIED),
    codex_hook("is killed", hooks.IS_KILLED, AFTER, _APPLIED, always=True),
    killed_client("codex"),
    codex_hook("is missing", hooks.IS_MISSING, AFTER, _APPLIED),
    codex_hook("exits with 1", hooks.FAILS, AFTER, _APPLIED),
    codex_hook("is late", hooks.IS_LATE, AFTER, _APPLIED, timeout=1),
    codex_hook("prints garbage", hooks.PRINTS_GARBAGE, AFTER, _APPLIED),
    codex_hook("says nothing", hooks.SAYS_NOTHING, AFTER, _APPLIED),
    codex_hook("allows, the file changed", hooks.changes_file(OTHERS), MERGED, _APPLIED),
    codex_hook("allows, the line is gone", hooks.changes_file("mine\n"), "mine\n", "Failed to find"),
    codex_hook(
        "allows three, one by one", hooks.ALLOWS_ONE_BY_ONE, ONE_BY_ONE, "A new.txt", ask=add_new, times=3
    ),
    codex_approval("accepts", {"decision": "accept"}, AFTER, _APPLIED, always=True),
    codex_approval("declines", {"decision": "decline"}, BEFORE, "patch rejected by user", always=True),
    codex_approval("cancels", {"decision": "cancel"}, BEFORE, ""),
    codex_approval("gets garbage", {"no": "decision"}, BEFORE, "approval request failed", always=True),
    codex_approval("loses its client", None, BEFORE, "", always=True),
    codex_approval(
        "declines a patch in a shell command",
        {"decision": "decline"},
        BEFORE,
        "patch rejected by user",
        ask=patch_in_shell,
    ),
    codex_approval(
        "accepts a command", {"decision": "accept"}, APPENDED, "code 0", ask=shell_outside, asked=_COMMAND
    ),
    codex_approval(
        "declines a command",
        {"decision": "decline"},
        BEFORE,
        "rejected by user",
        ask=shell_outside,
        asked=_COMMAND,
    ),
    codex_approval("keeps a command inside", {}, BEFORE, "Read-only file system", ask=shell, asked=None),
    codex_approval("may write the workspace", {}, AFTER, _APPLIED, asked=None, sandbox="workspace-write"),
    codex_read_only(),
    codex_server("approved", '{"noted":"hello"}'),
    codex_server("not approved", "requires approval", approved=False),
)

TRIALS = (*CLAUDE_CODE, *CODEX)
