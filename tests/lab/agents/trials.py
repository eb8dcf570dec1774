"""What each client does with each behaviour of a gate: the bytes on disk, and what its model was told.

A row is one run of a real client against a scripted model that wants to change `notes.txt`. Those marked
`always` belong to every run of the tests: the clients stay the same until a version in cache.py is changed,
and then `tests/lab/agents/__main__.py` runs them all.
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
from functools import partial
from pathlib import Path
from typing import Any

from studio.doors.agents.model_server import Record
from studio.doors.agents.script import Call
from tests.lab.agents import claude_code, codex, hooks
from tests.lab.agents.codex_app_server import AppServer, Message
from tests.lab.agents.hooked import hooked
from tests.lab.agents.lab import CLIENT_SECONDS, Lab
from tests.lab.agents.wishes import (
    AFTER,
    APPENDED,
    BEFORE,
    BESIDE,
    EDITED,
    NOTES,
    WISHES,
    Ask,
    add_three,
    bash,
    edit_fields,
    overwrite_with,
    patch_in_shell,
    patch_reviewed,
    shell,
    shell_outside,
    tool,
    write_three,
)

OTHERS = b"alpha\nbeta\ngamma\nmine\n"
ONE_BY_ONE = BEFORE + b"begun\nended\n" * 3
MERGED = b"alpha\nBETA\ngamma\nmine\n"

MCP_SERVER = Path(__file__).with_name("mcp_server.py")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run left: the bytes of `notes.txt`, the names of all other files, and all that its model was
    told about its calls. `left` is what stands in the store of our own gate, in words."""

    content: bytes
    others: tuple[str, ...]
    told: str
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a client. Each line of `told` stands in what its model is told; empty: its turn ends without
    a word. Of other files there are `others`, and no more."""

    client: str
    name: str
    content: bytes
    told: str
    play: Callable[[Path], Seen] = field(repr=False)
    always: bool = False
    others: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def check(self, folder: Path) -> Seen:
        """Play it in an empty folder; raises AssertionError where the client did something else."""
        seen = self.play(folder)
        said = f"the model was told {seen.told!r}"
        assert seen.content == self.content, f"notes.txt holds {seen.content[:1000]!r}; {said}"
        assert seen.others == self.others, f"there are {seen.others}; {said}"
        assert seen.left == self.left, f"the store holds {seen.left}; {said}"
        assert all(line in seen.told for line in self.told.splitlines()), said
        assert self.told or not seen.told, said
        return seen


def make_project(folder: Path, content: bytes = BEFORE) -> Path:
    """A project with `notes.txt` in it."""
    project = folder / "project"
    project.mkdir()
    (project / NOTES).write_bytes(content)
    return project


def seen_in(project: Path, *records: Record) -> Seen:
    """What is there now, and what was said to the models until now beside their instructions and prompts."""
    files = [file for file in (*project.rglob("*"), project.parent / BESIDE) if file.is_file()]
    others = sorted(os.path.relpath(file, project) for file in files if file != project / NOTES)
    told = [text for record in records for text in _told(record)]
    return Seen((project / NOTES).read_bytes(), tuple(others), "\n".join(told))


def _told(record: Record) -> Iterator[str]:
    # What stands in the first request is the client's own; what comes later is about the calls.
    first = record.work[0] if record.work else None
    for last in record.work[-1:]:
        yield from (result.text for result in last.results)
        yield from (text for text in last.system if first is not None and text not in first.system)
        yield from (text for text in last.prompts if first is not None and text not in first.prompts)


# How they are played


def hook(
    client: str,
    name: str,
    commands: str | None,
    content: bytes,
    told: str,
    *,
    ask: Ask | None = None,
    others: tuple[str, ...] = (),
    always: bool = False,
    **options: Any,
) -> Trial:
    """This client with a hook that runs these commands; `options` go to `hooked`."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        program = hooks.write_hook(folder, commands)
        with Lab(project, ((ask or WISHES[client].change)(project),)) as lab:
            ran = lab.run(*hooked(client, lab, program, **options))
            assert ran.exit_code == 0, ran
            return seen_in(project, lab.record)

    return Trial(client, f"hook {name}", content, told, play, always, others)


claude = partial(hook, "claude-code")
codex_hook = partial(hook, "codex")


def claude_edited() -> Trial:
    """Claude Code with a hook that lets the call pass with other arguments."""

    def play(folder: Path) -> Seen:
        arguments = edit_fields(folder / "project", "beta", "BETA, reviewed")
        return claude("", hooks.edits(arguments), b"", "").play(folder)

    return Trial("claude-code", "hook allows an edited change", EDITED, hooks.EDITED, play)


def claude_skill(name: str, commands: str, content: bytes, told: str) -> Trial:
    """Claude Code with a hook for the shell commands of skills alone, and a skill that appends a line."""

    def appends(project: Path) -> tuple[Call, ...]:
        skill = project / ".claude/skills/append/SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("---\nname: append\ndescription: Appends.\n---\nRan: !`echo shell >> notes.txt`\n")
        return (Call("Skill", {"skill": "append"}),)

    files = (".claude/skills/append/SKILL.md",)
    name = f"at a skill's command {name}"
    event, mode = "PreSkillShellCommand", "bypassPermissions"
    return claude(name, commands, content, told, ask=appends, others=files, event=event, mode=mode)


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
        ran = claude_code.run_claude(project, script, *options)
        assert ("mcp__lab__note" in ran.record.work[0].tools) == always_load
        return seen_in(project, ran.record)

    return Trial("claude-code", f"MCP server {name}", BEFORE, told, play)


def codex_approval(
    name: str,
    answer: Mapping[str, Any] | None,
    content: bytes,
    told: str,
    *,
    ask: Ask | None = None,
    asked: str | None = "item/fileChange/requestApproval",
    sandbox: str = "read-only",
    always: bool = False,
) -> Trial:
    """`codex app-server` whose client answers so; None: the client goes while the server waits for it.

    `asked` is the one request for approval that comes; None: none does.
    """

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Lab(project, ((ask or WISHES["codex"].change)(project),)) as lab:
            requests: list[Message] = []
            with codex.app_server(lab) as server:
                server.turn(lambda request: _answered(server, requests, request, answer), sandbox=sandbox)
            assert [request["method"] for request in requests] == ([asked] if asked else [])
            return seen_in(project, lab.record)

    return Trial("codex", f"app-server {name}", content, told, play, always)


def _answered(
    server: AppServer, requests: list[Message], request: Message, answer: Mapping[str, Any] | None
) -> Message | None:
    requests.append(request)
    if answer is None:
        server.close_input()
        return None
    return dict(answer)


def codex_server(name: str, told: str, *, approved: bool = True) -> Trial:
    """`codex exec`, read-only, with a server of one tool."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        entry = codex.mcp_server("lab", sys.executable, ["-I", str(MCP_SERVER)], approved=approved)
        script = (tool(project),)
        ran = codex.run_codex(project, script, configuration=entry)
        assert "tool_search" in {tool["type"] for tool in ran.record.last.body["tools"]}
        assert "mcp__lab/note" not in ran.record.last.tools, "it is offered at once now: say so"
        return seen_in(project, ran.record)

    return Trial("codex", f"MCP server {name}", BEFORE, told, play)


def codex_read_only() -> Trial:
    """`codex exec` in its read-only sandbox, with no gate of anybody else."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        ran = codex.run_codex(project, (WISHES["codex"].change(project),))
        return seen_in(project, ran.record)

    return Trial("codex", "exec with a read-only sandbox", BEFORE, "blocked by read-only sandbox", play)


def killed_client(client: str) -> Trial:
    """A client that is killed while its hook waits: the hook lives on, and can see that nobody listens."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        program = hooks.write_hook(folder, hooks.WAITS_ALONE)
        with Lab(project, (WISHES[client].change(project),)) as lab, _listening(folder / "told") as heard:
            with lab.start(*hooked(client, lab, program)) as started:
                assert heard() == "began\n"
                started.kill()
                assert started.wait().exit_code == -signal.SIGKILL
                assert heard() == "alone\n"
            return seen_in(project, lab.record)

    return Trial(client, "hook waits, client is killed", BEFORE, "", play)


@contextmanager
def _listening(pipe: Path) -> Iterator[Callable[[], str]]:
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


NEW = ("new.txt",)
_CLOSED = 'blocking because onFailure is "block"'
_ERROR = f"PreToolUse:Edit hook error: {hooks.REASON}"
_DONE = "has been updated successfully"
_APPLIED = "Success. Updated the following files:"
_BLOCKED = f"Command blocked by PreToolUse hook: {hooks.REASON}"
_COMMAND = "item/commandExecution/requestApproval"

CLAUDE_CODE = (
    claude("denies", hooks.DENIES, BEFORE, _ERROR),
    claude("denies, whatever its own rules", hooks.DENIES, BEFORE, _ERROR, mode="bypassPermissions"),
    claude("denies a shell command", hooks.DENIES, BEFORE, "PreToolUse:Bash hook error", ask=bash),
    claude("allows", hooks.ALLOWS, AFTER, _DONE, mode="default"),
    claude("allows in plan mode", hooks.ALLOWS, BEFORE, "while in plan mode", mode="plan"),
    claude("allows a shell command", hooks.ALLOWS, APPENDED, "Bash completed", ask=bash, mode="default"),
    claude_edited(),
    claude("asks", hooks.ASKS, BEFORE, hooks.REASON),
    claude("exits with 2", hooks.REFUSES, BEFORE, hooks.REASON),
    claude("exits with 2 without a word", hooks.STOPS_UNSAID, BEFORE, "No stderr output"),
    claude("has no opinion", hooks.HAS_NO_OPINION, AFTER, _DONE),
    claude("has no opinion, default mode", hooks.HAS_NO_OPINION, BEFORE, "granted it yet", mode="default"),
    claude("has no opinion, plan mode", hooks.HAS_NO_OPINION, BEFORE, "while in plan mode", mode="plan"),
    claude("is killed", hooks.IS_KILLED, BEFORE, _CLOSED, always=True),
    claude("is killed, no rules", hooks.IS_KILLED, BEFORE, _CLOSED, mode="bypassPermissions"),
    claude("is missing", hooks.IS_MISSING, BEFORE, _CLOSED),
    claude_skill("denies", hooks.DENIES_SKILL, BEFORE, f"[not run: blocked by hook: {hooks.REASON}"),
    claude_skill("allows", hooks.ALLOWS_SKILL, APPENDED, "Ran:"),
    claude_skill("has no opinion", hooks.HAS_NO_OPINION_OF_SKILL, APPENDED, "Ran:"),
    claude_skill("is killed", hooks.IS_KILLED, BEFORE, "[not run: blocked by hook"),
    killed_client("claude-code"),
    claude("exits with 1", hooks.FAILS, BEFORE, _CLOSED),
    claude("is late", hooks.IS_LATE, BEFORE, f"timed out; {_CLOSED}", timeout=1),
    # What a person does to the file while the hook waits: an edit is made on it, a whole file replaces it.
    claude("allows, the file changed", hooks.changes_file(OTHERS), MERGED, _DONE),
    claude("allows, the line is gone", hooks.changes_file(b"mine\n"), b"mine\n", "String not found in file"),
    claude("allows a file, it changed", hooks.changes_file(OTHERS), AFTER, _DONE, ask=overwrite_with(AFTER)),
    claude(
        "allows three, one by one",
        hooks.ALLOWS_ONE_BY_ONE,
        ONE_BY_ONE,
        "new.txt",
        ask=write_three,
        others=NEW,
    ),
    # What exits with 0 has answered, whatever it said: no entry can close that.
    claude("prints garbage", hooks.PRINTS_GARBAGE, AFTER, _DONE),
    claude("says nothing", hooks.SAYS_NOTHING, AFTER, _DONE),
    claude("denies at top level", hooks.DENIES_AT_TOP, AFTER, _DONE),
    claude("denies, but hooks are off", hooks.DENIES, AFTER, _DONE, switches={"disableAllHooks": True}),
    claude("is killed, without onFailure", hooks.IS_KILLED, AFTER, _DONE, on_failure=None),
    claude("is missing, without onFailure", hooks.IS_MISSING, AFTER, _DONE, on_failure=None),
    claude_server("allowed", '{"noted":"hello"}', "--allowedTools", "mcp__lab"),
    claude_server("not allowed", "granted it yet"),
    claude_server("not loaded", '{"noted":"hello"}', "--allowedTools", "mcp__lab", always_load=False),
)

CODEX = (
    codex_hook("denies", hooks.DENIES, BEFORE, _BLOCKED),
    codex_hook("denies, but is not trusted", hooks.DENIES, AFTER, _APPLIED, trusted=False, always=True),
    codex_hook("denies a shell command", hooks.DENIES, BEFORE, _BLOCKED, ask=shell),
    codex_hook("denies a patch in a shell command", hooks.DENIES, BEFORE, _BLOCKED, ask=patch_in_shell),
    codex_hook("allows", hooks.ALLOWS, AFTER, _APPLIED),
    codex_hook(
        "allows an edited patch",
        hooks.edits({"command": patch_reviewed}),
        EDITED,
        hooks.EDITED,
    ),
    codex_hook("asks", hooks.ASKS, AFTER, _APPLIED),
    codex_hook("exits with 2", hooks.REFUSES, BEFORE, _BLOCKED),
    codex_hook("exits with 2 without a word", hooks.STOPS_UNSAID, AFTER, _APPLIED),
    codex_hook("has no opinion", hooks.HAS_NO_OPINION, AFTER, _APPLIED),
    codex_hook("is killed", hooks.IS_KILLED, AFTER, _APPLIED),
    killed_client("codex"),
    codex_hook("is missing", hooks.IS_MISSING, AFTER, _APPLIED),
    codex_hook("exits with 1", hooks.FAILS, AFTER, _APPLIED),
    codex_hook("is late", hooks.IS_LATE, AFTER, _APPLIED, timeout=1),
    codex_hook("prints garbage", hooks.PRINTS_GARBAGE, AFTER, _APPLIED),
    codex_hook("says nothing", hooks.SAYS_NOTHING, AFTER, _APPLIED),
    codex_hook("allows, the file changed", hooks.changes_file(OTHERS), MERGED, _APPLIED),
    codex_hook("allows, the line is gone", hooks.changes_file(b"mine\n"), b"mine\n", "Failed to find"),
    codex_hook(
        "allows three, one by one",
        hooks.ALLOWS_ONE_BY_ONE,
        ONE_BY_ONE,
        "A new.txt",
        ask=add_three,
        others=NEW,
    ),
    codex_approval("accepts", {"decision": "accept"}, AFTER, _APPLIED),
    codex_approval("declines", {"decision": "decline"}, BEFORE, "patch rejected by user"),
    codex_approval("cancels", {"decision": "cancel"}, BEFORE, ""),
    codex_approval("gets garbage", {"no": "decision"}, BEFORE, "approval request failed"),
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
