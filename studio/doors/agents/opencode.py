"""Conversation with opencode: changes and commands need approval; guarded server and shell.

opencode asks before it does anything but read. The answer is yes only for a command or tool that a person
allowed. A file change is always refused: what a person approved is written by us. If anything fails on our
side, opencode gets no answer, and waits.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Self, cast

from studio.doors.agents.opencode_server import OpencodeFailed, OpencodeRefused, OpencodeServer
from studio.doors.agents.requests import AgentRequests, TurnEnd
from studio.doors.agents.server_process import Message, as_fields, as_list, as_text
from studio.doors.gate import Verdict
from studio.doors.shell_tools import ShellTool, request_of
from studio.doors.tool_draft import draft_of_tool
from studio.program.work_folder import WorkFolder
from studio.values import Value
from studio.workspace import Workspace

AGENT: Final = "opencode"
DOOR: Final = "serve"
TITLE: Final = "opencode"
_ABORTED: Final = "MessageAbortedError"


class _PermissionRequest(Value):
    """A permission request: the permission, and the tool with its arguments."""

    permission: str
    tool: str
    arguments: Mapping[str, Any]


class _Verdict(Value):
    """The answer to a request, and the text for the model."""

    is_allowed: bool
    for_model: str = ""


class GuardedServer(OpencodeServer):
    """The server together with the shell that it was given."""

    def __init__(self, program: str, folder: Path, environment: Mapping[str, str], guard: ShellGuard) -> None:
        super().__init__(program, folder, environment)
        self.guard = guard


@contextmanager
def serve(program: str, workspace: Workspace, model: str) -> Generator[GuardedServer]:
    """Run the server in the workspace's project, for a `with` block.

    `model` is "" for the user's own. Raises OpencodeFailed.
    """
    root = workspace.root_path
    with ShellGuard() as guard:
        environment = environment_with(root, guard.program, model)
        with GuardedServer(program, root, environment, guard) as server:
            yield server


class Talk:
    """One opencode session in a project, from `begin` on.

    Each method may raise OpencodeFailed.
    """

    def __init__(
        self, server: GuardedServer, agent_requests: AgentRequests, shells: Mapping[str, ShellTool]
    ) -> None:
        self._server = server
        self._shells = shells
        self._requests = agent_requests
        self._write = agent_requests.write
        self._session = self._agent = ""
        self._is_busy = False
        self._end: TurnEnd | None = None
        self._failed: TurnEnd | None = None
        self._shown_parts: dict[str, bool] = {}
        """Ids of the model's text parts; true once any was shown."""

    def begin(self) -> None:
        """Start the session in the project, behind the gate."""
        self._session, self._agent = start_session(self._server, self._server.guard.program)

    def turn(self, prompt: str) -> TurnEnd:
        """Send a prompt and answer requests until the turn ends.

        `call_off` interrupts it.
        """
        self._server.reset_called_off()
        self._end = self._failed = None
        self._is_busy = False
        parts = [{"type": "text", "text": part} for part in (*self._requests.take_messages(), prompt)]
        self._post("prompt_async", {"agent": self._agent, "parts": parts})
        while self._end is None:
            event = self._server.next()
            if event is None:
                raise OpencodeFailed("it ended")
            if not event:
                self._interrupt()
            else:
                self._handle_event(as_text(event.get("type")), as_fields(event.get("properties")))
        return self._end

    def _post(self, action: str, body: Mapping[str, Any] | None = None) -> None:
        self._server.ask("POST", f"/session/{self._session}/{action}", body or {})

    def _interrupt(self) -> None:
        """End the turn, unless it has already ended."""
        if self._server.called_off.is_set() and self._end is None:
            self._failed = TurnEnd.INTERRUPTED
            with suppress(OpencodeRefused):
                self._post("abort")

    # Requests of opencode

    def _answer_requests(self) -> None:
        """Answer all pending permission requests.

        Rejecting one rejects all others that wait in the session, without a message. So each is judged
        before, and the rejection that takes effect has the texts of all.
        """
        refused: dict[str, str] = {}
        judged: set[str] = set()
        while waiting := [each for each in self._pending_requests() if as_text(each.get("id")) not in judged]:
            request = as_text(waiting[0].get("id"))
            judged.add(request)
            verdict = self._judge(waiting[0])
            if verdict is None:
                self._interrupt()
                return
            if not verdict.is_allowed:
                refused[request] = verdict.for_model
            elif self._reply(request, {"reply": "once"}) and verdict.for_model:
                self._requests.untold.add(verdict.for_model)
        for_model = "\n\n".join(refused.values())
        if refused and not any(
            self._reply(each, {"reply": "reject", "message": for_model}) for each in refused
        ):
            self._requests.untold.add(for_model)

    def _pending_requests(self) -> list[Message]:
        every = map(as_fields, as_list(self._server.ask("GET", "/permission")))
        return [each for each in every if each.get("sessionID") == self._session]

    def _reply(self, request: str, reply: Mapping[str, str]) -> bool:
        """Answer a request; return whether it was still pending."""
        try:
            self._server.ask("POST", f"/permission/{request}/reply", reply)
        except OpencodeRefused:
            return False
        return True

    def _judge(self, request: Message) -> _Verdict | None:
        """Return the verdict on a request; None where it was called off.

        An error becomes a refusal.
        """
        try:
            return self._decide(self._find_tool_use(request))
        except OpencodeFailed:
            raise
        except Exception as error:  # on any error the request must be denied
            return _Verdict(False, self._requests.error_message(error))

    def _find_tool_use(self, request: Message) -> _PermissionRequest:
        """Look up the request's tool and arguments in its message.

        The request itself has too little of them.
        """
        reference = as_fields(request.get("tool"))
        message = as_text(reference.get("messageID"))
        reply = as_fields(self._server.ask("GET", f"/session/{self._session}/message/{message}"))
        for part in map(as_fields, as_list(reply.get("parts"))):
            if part.get("callID") == reference.get("callID") and part.get("type") == "tool":
                arguments = as_fields(as_fields(part.get("state")).get("input"))
                return _PermissionRequest(
                    as_text(request.get("permission")), as_text(part.get("tool")), arguments
                )
        return _PermissionRequest(as_text(request.get("permission")), "", as_fields(request.get("metadata")))

    def _decide(self, wish: _PermissionRequest) -> _Verdict | None:
        if wish.permission == OUTSIDE and wish.tool in (*CHANGES, SHELL):
            # The tool itself is asked for next, and the shell runs only commands that were asked for.
            return _Verdict(True)
        if wish.permission == "edit":
            workspace = self._requests.workspace
            limits = workspace.config.limits
            for_model = self._requests.change(
                draft_of_tool(wish.tool, wish.arguments, self._requests.places, AGENT, limits)
            )
            return _Verdict(False, for_model) if for_model else None
        return self._decide_tool_call(wish)

    def _decide_tool_call(self, wish: _PermissionRequest) -> _Verdict | None:
        root = self._requests.workspace.root_path
        is_shell = wish.permission == SHELL
        cwd = root / as_text(wish.arguments.get("workdir")) if is_shell else root
        tool = "shell" if is_shell else wish.tool or wish.permission
        keys = self._shells.get(wish.tool) if is_shell else None
        word = self._requests.answer_request(request_of(tool, wish.arguments, str(root), keys))
        if word.verdict is not Verdict.ALLOWED:
            return None if self._server.called_off.is_set() else _Verdict(False, word.text)
        command = as_text(wish.arguments.get("command"))
        if is_shell:
            self._server.guard.permit(command, cwd)
            self._write(f"$ {command}\n")
        return _Verdict(True, word.text)

    # Events of opencode

    def _handle_event(self, kind: str, properties: Message) -> None:
        part = as_fields(properties.get("part"))
        if as_text(properties.get("sessionID")) not in ("", self._session):
            return
        if kind == "permission.asked":
            self._answer_requests()
        elif kind == "session.status":
            self._is_busy |= as_fields(properties.get("status")).get("type") == "busy"
        elif kind == "session.idle" and self._is_busy:
            self._end = self._failed or TurnEnd.COMPLETED
        elif kind == "session.error":
            self._note_error(as_fields(properties.get("error")))
        elif kind == "message.part.delta":
            self._show_piece(as_text(properties.get("partID")), as_text(properties.get("delta")))
        elif kind == "message.part.updated" and part.get("type") == "text" and "time" in part:
            self._show_text(part)

    def _note_error(self, error: Message) -> None:
        if error.get("name") == _ABORTED:
            self._failed = TurnEnd.INTERRUPTED
            return
        self._failed = self._failed or TurnEnd.FAILED
        self._write(f"{as_text(as_fields(error.get('data')).get('message')) or as_text(error.get('name'))}\n")

    def _show_piece(self, part: str, piece: str) -> None:
        if part in self._shown_parts:
            self._shown_parts[part] = True
            self._write(piece)

    def _show_text(self, part: Message) -> None:
        """Show the model's finished text; a user's text has no `time`."""
        name = as_text(part.get("id"))
        was_shown = self._shown_parts.setdefault(name, False)
        if "end" in as_fields(part.get("time")):
            del self._shown_parts[name]
            self._write(("" if was_shown else as_text(part.get("text"))) + "\n")


# opencode settings that make it ask before every write.
#
# Found by running opencode 1.18.33. A session's own rules are applied last, after every setting of a
# project, a user or an agent; but they do not apply to the sessions of its subagents, so starting subagents
# is denied. The project's settings are disabled, except for its instructions to all agents; plugins are
# searched for before it is started.

CHANGES: Final = ("edit", "write", "apply_patch")
"""Tools that change files, all under the permission `edit`."""
SHELL: Final = "bash"
OUTSIDE: Final = "external_directory"
"""The extra permission for tool uses outside of the project."""

_READS: Final = ("read", "glob", "grep", "list", "lsp", "skill", "todowrite", "todoread", OUTSIDE)
_ASK_PERMISSIONS: Final = (*CHANGES, SHELL, "webfetch", "websearch", "codesearch", "invalid")
_NEVER: Final = ("task", "question", "plan_enter", "plan_exit")
"""Always denied.

A subagent has rules of its own, and the others wait for a window that does not exist.
"""

_INSTRUCTIONS: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")

Rule = Mapping[str, str]


def environment_with(project: Path, shell: Path, model: str) -> dict[str, str]:
    """Return the user's environment with settings that make opencode ask.

    Raises OpencodeFailed.
    """
    content = os.environ.get("OPENCODE_CONFIG_CONTENT") or "{}"
    try:
        settings: object = json.loads(content)
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise OpencodeFailed("OPENCODE_CONFIG_CONTENT is not a JSON object")
    instructions = [str(file) for name in _INSTRUCTIONS if (file := project / name).is_file()][:1]
    overrides: dict[str, Any] = {
        "shell": str(shell),
        "share": "disabled",
        # Programs that it starts by itself; a language server may belong to the project.
        "lsp": False,
        "formatter": False,
        "instructions": instructions,
        # A denial is an answer, and no reason to end the turn.
        "experimental": {"continue_loop_on_deny": True},
        **({"model": model} if model else {}),
    }
    return {
        **os.environ,
        "OPENCODE_CONFIG_CONTENT": json.dumps({**cast("dict[str, Any]", settings), **overrides}),
        "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        "OPENCODE_PURE": "1",
    }


def start_session(server: OpencodeServer, shell: Path) -> tuple[str, str]:
    """Start a session that asks for all but reading.

    Returns its id, and the name of the agent that works in it. Raises OpencodeFailed where opencode does not
    itself confirm the rules.
    """
    if as_fields(server.ask("GET", "/config")).get("shell") != str(shell):
        raise OpencodeFailed("it did not use the configured shell")
    agents = as_list(server.ask("GET", "/agent"))
    tools = as_list(server.ask("GET", "/experimental/tool/ids"))
    agent = as_fields(agents[0]) if agents else {}
    if not agent or not tools:
        raise OpencodeFailed("it did not list its agents and tools")
    rules = closed_rules(as_list(agent.get("permission")), [as_text(tool) for tool in tools])
    reply = as_fields(server.ask("POST", "/session", {"title": "Exacta Studio", "permission": rules}))
    session = as_text(reply.get("id"))
    if reply.get("permission") != rules or not session:
        raise OpencodeFailed("it did not start with the configured rules")
    return session, as_text(agent.get("name"))


def closed_rules(rules: Sequence[object], tools: Sequence[str]) -> list[Rule]:
    """Return an agent's rules with every permission but reading set to ask.

    The last matching rule applies. A rule that denies or asks stays so; unknown tools are denied.
    """
    closed = [_rule("*", "*", "ask")]
    for rule in map(as_fields, rules):
        closed += _closed(rule)
    named = {*_READS, *_ASK_PERMISSIONS, *_NEVER}
    return closed + [_rule(name, "*", "deny") for name in (*_NEVER, *sorted(set(tools) - named))]


def _closed(rule: Message) -> Iterator[Rule]:
    name, pattern, action = (as_text(rule.get(key)) for key in ("permission", "pattern", "action"))
    if action != "allow":
        yield _rule(name, pattern, action)
        return
    if name not in _READS:
        yield _rule(name, pattern, "ask")
    yield from (_rule(read, pattern, "allow") for read in _READS if fnmatchcase(read, name))


def _rule(permission: str, pattern: str, action: str) -> Rule:
    return {"permission": permission, "pattern": pattern, "action": action}


# Shell that runs only permitted commands, each of them once.
#
# Found by running opencode 1.18.33: it asks for the commands that it finds in what its model wants to run,
# and in `cd . > notes.txt` or `> notes.txt` it finds none: that runs unasked, and empties the file. So
# opencode is given this shell, which passes permitted commands to the user's own.

_SHELLS: Final = ("bash", "zsh", "ksh", "dash", "sh")
"""Shells that accept `-c` with a command and nothing else."""
_SECRETS: Final = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_CONFIG_CONTENT")

_SCRIPT: Final = """\
#!/bin/sh
asked="$(pwd -P)
$2"
if [ "$#" -eq 2 ] && [ "$1" = -c ]; then
  for permit in {folder}/*; do
    if [ -f "$permit" ] && [ "$(cat "$permit"; printf .)" = "$asked." ] && rm "$permit" 2>/dev/null; then
      unset {secrets}
      exec {shell} -c "$2"
    fi
  done
fi
echo "Exacta Studio did not run this: the reviewer was not asked. A command that starts with a redirection," \
"or only changes the folder, can't be reviewed. Write it another way." >&2
exit 126
"""


class ShellGuard:
    """The shell script in a temporary folder, for a `with` block."""

    def __enter__(self) -> Self:
        self._folder = WorkFolder("shell")
        shell = _own_shell()
        folder = self._folder.path
        self._permits = folder / "permits"
        self._permits.mkdir(mode=0o700)
        self._permit_count = 0
        # An agent derives the shell syntax from this name.
        self.program = folder / Path(shell).name
        script = _SCRIPT.format(
            folder=shlex.quote(str(self._permits)), secrets=" ".join(_SECRETS), shell=shlex.quote(shell)
        )
        self.program.write_text(script, encoding="utf-8")
        self.program.chmod(0o700)
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.close()

    def permit(self, command: str, cwd: Path) -> None:
        """Permit this command in this folder, once."""
        self._permit_count += 1
        permit = self._permits / str(self._permit_count)
        part = self._permits.with_name("part")
        part.write_bytes(f"{cwd.resolve()}\n{command}".encode())
        part.rename(permit)


def _own_shell() -> str:
    """Return the user's shell if supported, else bash or sh."""
    shell = os.environ.get("SHELL", "")
    if Path(shell).is_absolute() and Path(shell).name in _SHELLS and Path(shell).is_file():
        return shell
    return shutil.which("bash") or "/bin/sh"
