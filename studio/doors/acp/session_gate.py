"""Review of an ACP agent's file writes and permission requests before execution.

It is independent of the protocol and of the event loop: each call may wait for a person, on a thread of its
own. What a person approved is written here, even if the agent could write it.
"""

from __future__ import annotations

import os
import threading
from enum import Enum
from pathlib import Path
from typing import Final, Protocol

from msgspec.structs import replace

from studio.doors import gate
from studio.doors.acp.changes import Drafting, TextChange
from studio.doors.acp.transcript import Transcript
from studio.doors.clients.client import AcpAgent
from studio.doors.gate import ConversationGate, PendingMessages, Verdict
from studio.doors.outcomes import unexpected_results
from studio.doors.shell_tools import Request, arguments_text
from studio.doors.tool_draft import PathConverter
from studio.engine import Plan, PlanDraft, PlanState, Session, StepState
from studio.errors import FileMissing, Refused, StudioError
from studio.names import show_name
from studio.values import Value
from studio.workspace import Workspace

_ON_DISK: Final = (StepState.APPLIED, StepState.ALREADY_APPLIED)


class Permission(Enum):
    """The answer to an agent's permission request."""

    ONCE = "once"
    REFUSED = "refused"
    CALLED_OFF = "called off"


class Asked(Value):
    """An agent's permission request, with its text changes where known.

    `shell` and `folder` are the shell commands and their folder, as far as the agent sends them.
    `holds_command`: its arguments contain a shell command, whatever kind it claims to be; `paths` are those
    in its arguments.
    """

    title: str
    kind: str
    arguments: str
    changes: tuple[TextChange, ...]
    shell: tuple[str, ...] = ()
    folder: str = ""
    holds_command: bool = False
    paths: tuple[str, ...] = ()

    @property
    def request_text(self) -> str:
        """The whole request as text for the reviewer."""
        if not self.changes:
            return self.arguments or self.title
        changes = [{"path": each.path, "old": each.old, "new": each.new} for each in self.changes]
        return f"{self.arguments or self.title}\n\nChanges in this request:\n{arguments_text(changes)}"


class NotWritten(Exception):
    """A file was not written as sent; the text says why.

    It is for the agent's model.
    """


class AgentGate(Protocol):
    """The gate between an agent and the project, sandboxed or not."""

    called_off: threading.Event
    plans: list[str]

    def read(self, path: str, line: int | None, limit: int | None, /) -> str:
        """Return a file's text, or `limit` lines from `line` on.

        Raises a StudioError.
        """
        ...

    def write(self, path: str, content: str, /) -> None:
        """Write a file exactly as sent. Raises NotWritten or a StudioError."""
        ...

    def ask(self, asked: Asked) -> Permission:
        """Return whether an agent may do what it asks. Raises a StudioError."""
        ...

    def error_message(self, error: StudioError) -> str:
        """Return the answer to the agent."""
        ...

    def refuse(self, error: StudioError) -> Permission:
        """Return the denial for a request that no one could decide."""
        ...


class SessionGate:
    """The gate between one session's agent and the project."""

    def __init__(
        self,
        workspace: Workspace,
        session: Session,
        agent: AcpAgent,
        transcript: Transcript,
        untold: PendingMessages,
    ) -> None:
        self.called_off = threading.Event()
        """Set when the turn is stopped: no one waits any longer."""
        self.has_written = False
        """Whether part of a refused change was written here.

        The caller resets it to False.
        """
        self._gate = ConversationGate(workspace, session, transcript.notice, self.called_off)
        self.plans = self._gate.plans
        """The ids of all plans that the agent proposed."""
        self._workspace, self._session, self._agent = workspace, session, agent
        self._transcript, self._untold = transcript, untold
        self._root = workspace.root_path
        places = PathConverter((self._root, self._root.resolve()), str(self._root))
        self._drafting = Drafting(places, session.agent, workspace.config.limits)
        self._lock = threading.Lock()
        self._read_checksums: dict[str, str | None] = {}
        """The SHA-256 of each file as the agent last read it."""

    def read(self, path: str, line: int | None, limit: int | None) -> str:
        """Return a file's text as the session sees it.

        `limit` restricts it to so many lines from `line` (1-based) on. Raises FileMissing, Refused or another
        StudioError.
        """
        with self._workspace.overlay(self._session) as overlay:
            tool = self._workspace.tool(overlay, self._session)
            try:
                found = tool.read(path, max_lines=limit or 0, skip_lines=max(0, (line or 1) - 1))
            except FileMissing:
                if self._agent.model_gets_missing:
                    raise
                # It reads a file before it writes it, and would treat this error as a disk failure.
                return ""
        with self._lock:
            self._read_checksums[found.path] = found.checksum
        return found.content

    def write(self, path: str, content: str) -> None:
        """Propose a whole file and wait.

        On return the file is on disk as sent, or as a person changed it. Raises NotWritten, or a StudioError
        for what can't be proposed.
        """
        if not Path(path).is_absolute():
            raise Refused(
                "acp.relative_path",
                f"{show_name(path)} is not an absolute path.",
                "Use an absolute path.",
            )
        draft = self._drafting.draft_write(path, content)
        with self._lock:
            # The agent overwrites a file that it has not read, whatever its content: the reviewer sees that.
            steps = [replace(step, base_sha256=self._read_checksums.get(step.path)) for step in draft.steps]
        plan = self._propose(replace(draft, steps=tuple(steps)))
        if not _is_on_disk(plan):
            if not plan.state.is_decided or not self._agent.model_gets_errors:
                self._untold.add_plan(plan)
            raise NotWritten(gate.plan_report(self._workspace, plan))
        if unexpected_results(plan):
            self._untold.add_plan(plan)
        with self._lock:
            # The content that it expects: where the file differs, its next change of it is stale.
            self._read_checksums |= {
                step.target: step.result.sha256 for step in plan.steps if step.result is not None
            }

    def ask(self, asked: Asked) -> Permission:
        """Return a person's decision on what an agent asks, file changes included."""
        if not self._is_change(asked):
            return self._decide_tool_call(asked)
        if self._agent.writes_through_client and all(
            self._is_in_project(change.path) for change in asked.changes
        ):
            # The same bytes will arrive as a write, and wait there.
            return Permission.ONCE
        plan = self._propose(self._drafting.draft_changes(asked.changes, self._exists))
        # Report a written change too: the agent's own edit may fail on the file that has it already.
        self._untold.add_plan(plan)
        writes_same = (
            self._agent.writes_whole_file and not unexpected_results(plan) and not _leaves_empty_file(plan)
        )
        if _is_on_disk(plan) and writes_same:
            return Permission.ONCE
        self.has_written |= any(step.state in _ON_DISK for step in plan.steps)
        # It is written, or must not be. Once allowed, claude-agent-acp 0.101.0 and codex-acp 2.6.0 apply
        # their edit again to the file as it is then: an added line would be added twice.
        return Permission.REFUSED if plan.state.is_decided else Permission.CALLED_OFF

    def error_message(self, error: StudioError) -> str:
        """Return the answer to the agent.

        Where its model does not get it, it is also sent with the next prompt.
        """
        if not self._agent.model_gets_errors:
            self._untold.add(_error_text(error))
        return _error_text(error)

    def refuse(self, error: StudioError) -> Permission:
        """Deny a request that no one could decide, with the reason.

        Both the user and the model get the reason.
        """
        self._transcript.notice(_error_text(error), is_bad=True)
        self._untold.add(_error_text(error))
        return Permission.REFUSED

    def _is_change(self, asked: Asked) -> bool:
        """Return whether the request is no more than its text changes.

        The protocol's diffs (version 1) can't express that a file is deleted or moved, so those are left to
        the reviewer, as all other kinds are.
        """
        if asked.kind != "edit" or not asked.changes or asked.shell or asked.holds_command:
            return False
        changed_paths = {os.path.normpath(self._root / change.path) for change in asked.changes}
        return all(os.path.normpath(self._root / path) in changed_paths for path in asked.paths)

    def _decide_tool_call(self, asked: Asked) -> Permission:
        cwd = str(self._root / asked.folder)
        shell = asked.shell if asked.kind == "execute" else ()
        request = Request(asked.kind, asked.request_text, cwd, shell)
        word = self._gate.answer_request(request, f"Waiting for approval: {asked.title}")
        if self.called_off.is_set():
            return Permission.CALLED_OFF
        self._transcript.notice(f"{asked.title}: {word.text or 'allowed'}")
        if word.text:
            self._untold.add(f"On “{asked.title}”: {word.text}")
        if word.plan is not None:
            self._untold.add_plan(word.plan)
        return Permission.ONCE if word.verdict is Verdict.ALLOWED else Permission.REFUSED

    def _propose(self, draft: PlanDraft) -> Plan:
        plan = self._gate.change(draft)
        self._transcript.notice(f"Plan {plan.short_id}: {gate.head_of(plan)}")
        return plan

    def _exists(self, path: str) -> bool:
        with self._workspace.overlay(self._session) as overlay:
            try:
                return self._workspace.tool(overlay, self._session).exists(path)
            except StudioError:
                return False  # not a path that could be written

    def _is_in_project(self, path: str) -> bool:
        """Return whether a path is the project's, by name and links.

        Such an agent writes all other files, and its own, by itself.
        """
        agent_folder = Path.home() / self._agent.own_folder
        try:
            named, real = Path(os.path.normpath(path)), Path(path).resolve()
            is_inside = named.is_relative_to(self._root) and real.is_relative_to(self._root.resolve())
            is_own = bool(self._agent.own_folder) and any(
                each.is_relative_to(base)
                for each in (named, real)
                for base in (agent_folder, agent_folder.resolve())
            )
        except (OSError, RuntimeError, ValueError):
            return False
        return Path(path).is_absolute() and is_inside and not is_own


def _error_text(error: StudioError) -> str:
    return f"{error.message} {error.hint}".rstrip()


def _leaves_empty_file(plan: Plan) -> bool:
    """Return whether a file is left empty.

    An agent that deletes a file sends the same diff.
    """
    return any(step.result is not None and step.result.size == 0 for step in plan.steps)


def _is_on_disk(plan: Plan) -> bool:
    """Return whether the whole plan is on disk.

    Its steps were written as decided, or their result was there already.
    """
    is_there = all(step.state in _ON_DISK for step in plan.steps)
    return plan.state is PlanState.COMPLETED and is_there
