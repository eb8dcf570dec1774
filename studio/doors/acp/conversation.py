"""ACP session with an agent: start, prompts, stop; sandboxed changes become plans."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final, NoReturn, TypeVar, cast
from uuid import uuid4

from acp import PROTOCOL_VERSION, Client, RequestError, connect_to_agent, text_block
from acp.schema import (
    ClientCapabilities,
    FileSystemCapabilities,
    Implementation,
    InitializeResponse,
    SessionModeState,
)

from studio import __version__
from studio.doors.acp.agent_process import AcpProcess, AgentStoppedForApply, agent_process
from studio.doors.acp.agents import agent_of_command, known_agent
from studio.doors.acp.client import GatedClient
from studio.doors.acp.sandboxed_process import InSandbox, SandboxedProcess, sandboxed_process
from studio.doors.acp.session_gate import Asked, Permission, SessionGate
from studio.doors.acp.startup_programs import startup_program_warning
from studio.doors.acp.transcript import Show, Transcript
from studio.doors.agents.server_process import AgentFailed
from studio.doors.clients.client import AcpAgent
from studio.doors.gate import PendingMessages
from studio.doors.limits import AGENT_START_SECONDS, AGENT_STOP_SECONDS
from studio.engine import EventKind, Plan, Session
from studio.errors import Refused, StudioError
from studio.extras.commands import RunningCommand
from studio.names import show_name
from studio.values import Value
from studio.workspace import Workspace

T = TypeVar("T")

DOOR: Final = "acp"
STOPPED: Final = "cancelled"
"""The protocol's end reason of a turn that was stopped."""
FAILED: Final = "failed"
"""Our end reason of a turn that ended with an error."""
SANDBOXED: Final = "sandbox:"
"""Prefix of the names of sandboxed sessions.

They get names of ours, as the agent's own session id is lost with its home folder.
"""
_NEEDS_LOGIN: Final = -32000
_STEERING: Final = "session/steering"
"""Extension method of claude-agent-acp (0.101.0) and codex-acp (2.6.0).

The protocol prefixes extensions with `_`.
"""
_IF_IT_RUNS: Final = {"idleBehavior": "promptRequired"}
"""Steering option: start no turn where none is running."""
_STEER_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.5
"""Poll interval for a stopped turn.

The agent then has a grace period.
"""


class SessionStart(Value):
    """The agent to start, the session to resume, and the sandbox.

    `sandbox` is None outside of one.
    """

    words: Sequence[str]
    resumed: Session | None
    sandbox: InSandbox | None


class AcpSession:
    """One ACP session with one agent, within `conversation`.

    Its waiting methods raise AgentFailed.
    """

    def __init__(
        self, workspace: Workspace, process: AcpProcess, sandbox: InSandbox | None, untold: PendingMessages
    ) -> None:
        self._workspace, self._process, self._sandbox = workspace, process, sandbox
        self._client = GatedClient(workspace, self._handle_mode_change, self._schedule_decisions)
        self._agent = connect_to_agent(cast("Client", self._client), process.writer, process.reader)
        self._known_agent: AcpAgent = known_agent("")
        self._name = ""
        """The agent's own id of the session."""
        self._mode = ""
        self._can_steer = False
        """Whether it accepts messages for its model during a turn."""
        self._untold = untold
        self._tasks: set[asyncio.Task[None]] = set()
        self._active: tuple[Session, SessionGate | SandboxGate, Transcript] | None = None

    @property
    def session(self) -> Session:
        """The session, once it has started."""
        return self._parts[0]

    @property
    def plans(self) -> Sequence[str]:
        """The ids of all plans that the agent proposed."""
        return self._parts[1].plans

    @property
    def _parts(self) -> tuple[Session, SessionGate | SandboxGate, Transcript]:
        assert self._active is not None, "it has begun"
        return self._active

    async def begin(self, how: SessionStart, show: Show) -> None:
        """Start a session, or resume one of ours, in the asking mode.

        In the sandbox it always starts anew, in its own default mode.
        """
        words, resumed = how.words, how.resumed
        try:
            response = await self._await_response(self._initialize())
            self._can_steer = self._sandbox is None and _takes_steering(response)
            agent_info = response.agent_info
            agent_name = agent_info.name if agent_info is not None else words[0].rpartition("/")[2]
            self._known_agent = known_agent(agent_name)
            title = (
                self._known_agent.title or (agent_info.title if agent_info is not None else "") or agent_name
            )
            is_resumed = await self._await_response(self._start(response, None if self._sandbox else resumed))
            if self._sandbox is None:
                await self._await_response(self._enter_asking_mode())
        except AgentFailed as error:
            failed_agent = self._known_agent if self._known_agent.title else agent_of_command(words)
            programs = self._warn_about_programs(failed_agent)
            if not programs:
                raise
            # The programs that it had started have run, even though the agent failed.
            raise AgentFailed(f"{error}. {programs.removesuffix('.')}") from error
        name = self._name
        if self._sandbox is not None:
            name = resumed.name if resumed is not None else f"{SANDBOXED}{uuid4().hex}"
        session = self._workspace.proposer.open_session(agent_name, DOOR, name=name)
        transcript = Transcript(self._workspace, session, show)
        gate = self._create_gate(session, transcript)
        self._active = (session, gate, transcript)
        version = agent_info.version if agent_info is not None else ""
        programs = self._warn_about_programs(self._known_agent)
        sandbox = self._sandbox
        transcript.add(
            EventKind.BEGAN,
            title=title,
            version=version,
            command=list(words),
            mode=self._mode,
            resumed=is_resumed,
            gated=sandbox is not None or (self._known_agent.writes_through_client and not programs),
            session=session.id,
            sandbox=None if sandbox is None else {"network": sandbox.network, "logins": list(sandbox.names)},
        )
        if resumed is not None and sandbox is not None:
            transcript.notice(
                f"{title} starts anew: it does not know the earlier conversation, but sees the "
                "applied changes."
            )
        elif resumed is not None and not is_resumed:
            transcript.notice(f"{title} can't resume a session. A new one was started.", is_bad=True)
        if sandbox is None:
            for warning in filter(None, (self._known_agent.warning, programs)):
                transcript.notice(warning, is_bad=True)
        self._client.enter(gate, transcript, self._known_agent.shell)

    def _warn_about_programs(self, agent: AcpAgent) -> str:
        """Return a warning about programs that the project has this agent start.

        Returns "" in the sandbox, where their effects stay.
        """
        return "" if self._sandbox is not None else startup_program_warning(agent, self._workspace.root_path)

    def _create_gate(self, session: Session, transcript: Transcript) -> SessionGate | SandboxGate:
        if isinstance(self._process, SandboxedProcess):
            return SandboxGate(self._workspace, session, self._process.run, transcript, self._untold)
        return SessionGate(self._workspace, session, self._known_agent, transcript, self._untold)

    async def turn(self, prompt: str) -> str:
        """Send a prompt, wait for the turn to end, and return how.

        Returns the protocol's end reason, or FAILED.
        """
        _, gate, transcript = self._parts
        gate.called_off.clear()
        transcript.add(EventKind.PROMPT, text=prompt)
        try:
            end = await self._run_turn([*self._untold.take_messages(self._workspace), prompt])
            while self._needs_another_turn(gate):
                end = await self._run_turn(self._untold.take_messages(self._workspace))
        finally:
            # Release every thread that still waits for a person in this turn.
            gate.called_off.set()
        if isinstance(gate, SandboxGate):
            await self._run_gate_work(gate.propose_current_changes)
        transcript.add(EventKind.TURN_ENDED, reason=end)
        return end

    def _needs_another_turn(self, gate: SessionGate | SandboxGate) -> bool:
        """Return whether our denial ended a turn despite a written change.

        Another turn must follow then.
        """
        if (
            not self._known_agent.denial_ends_turn
            or not isinstance(gate, SessionGate)
            or not gate.has_written
        ):
            return False
        gate.has_written = False
        return not gate.called_off.is_set()

    async def _run_turn(self, texts: list[str]) -> str:
        """Send a prompt of these texts, and return how its turn ended."""
        transcript = self._parts[2]
        blocks = [text_block(text) for text in texts]
        turn = asyncio.ensure_future(self._agent.prompt(session_id=self._name, prompt=list(blocks)))
        try:
            await self._wait_for_turn(turn)
            return str(turn.result().stop_reason)
        except RequestError as error:
            transcript.notice(f"The agent reported an error: {show_name(str(error))}", is_bad=True)
            return FAILED
        except ConnectionError as error:
            failure = await self._process.failure()
            if isinstance(failure, AgentStoppedForApply):
                transcript.add(EventKind.TURN_ENDED, reason=FAILED)
            raise failure from error
        finally:
            turn.cancel()

    def _schedule_decisions(self) -> None:
        if self._can_steer and not self._known_agent.denial_ends_turn:
            self._in_background(self._send_decisions())

    async def _send_decisions(self) -> None:
        """Send decisions into the running turn.

        A denial alone is a failure to the model, and it tries again.
        """
        if self._parts[1].called_off.is_set():  # its threads may be gone
            return
        try:
            texts = await self._client.on_thread(lambda: self._untold.take_messages(self._workspace))
        except StudioError:
            return  # the next prompt sends them, or reports the error
        if not texts:
            return
        prompt = [{"type": "text", "text": text} for text in texts]
        request = {"sessionId": self._name, "prompt": prompt, "_meta": {"steering": _IF_IT_RUNS}}
        outcome = ""
        with suppress(RequestError, ConnectionError, TimeoutError):
            response = await asyncio.wait_for(self._agent.ext_method(_STEERING, request), _STEER_SECONDS)
            outcome = response.get("outcome")
        if outcome != "injected":
            self._untold.requeue(texts)

    def record_unsent(self, prompt: str) -> str:
        """Record a prompt that is not sent, as it was stopped before.

        Returns how that ended.
        """
        transcript = self._parts[2]
        transcript.add(EventKind.PROMPT, text=prompt)
        transcript.add(EventKind.TURN_ENDED, reason=STOPPED)
        return STOPPED

    async def stop(self) -> None:
        """Stop the running turn, if any, and notify the agent.

        This also ends its waits for a person.
        """
        self._parts[1].called_off.set()
        with suppress(ConnectionError):
            await self._agent.cancel(session_id=self._name)

    async def wait_for_end(self) -> AgentFailed:
        """Wait for the agent's end and return how it ended.

        Outside of a turn the end would go unnoticed.
        """
        await self._process.ended()
        return await self._process.failure()

    async def close(self, failure: AgentFailed | None) -> None:
        """Close the session and the connection; its plans stay."""
        if isinstance(self._process, SandboxedProcess):
            await self._disconnect()
            await self._process.close()
            await self._close_sandboxed(self._process, failure)
        elif self._active is not None:
            self._close_session(str(failure or ""))
        await self._disconnect()

    async def _close_sandboxed(self, process: SandboxedProcess, failure: AgentFailed | None) -> None:
        """Propose the last changes, then close the session."""
        if self._active is None:
            return
        _, gate, transcript = self._active
        if isinstance(gate, SandboxGate):
            await self._run_gate_work(gate.propose_final_changes)
        if lacking := process.run.outcome().not_enforced:
            transcript.notice(" ".join(lacking))
        if isinstance(failure, AgentStoppedForApply):
            transcript.notice(
                "The agent was stopped because a plan is being applied to this project. Send a prompt to "
                "restart it with the applied changes."
            )
            self._close_session("")
        else:
            self._close_session(str(failure or ""))

    def _close_session(self, reason: str) -> None:
        session, gate, transcript = self._parts
        gate.called_off.set()
        self._client.close()
        transcript.add(EventKind.ENDED, reason=reason)
        transcript.close()
        self._workspace.proposer.close_session(session)

    async def _run_gate_work(self, work: Callable[[], None]) -> None:
        try:
            await self._client.on_thread(work)
        except StudioError as error:
            self._parts[2].notice(f"{error.message} {error.hint}".rstrip(), is_bad=True)

    async def _disconnect(self) -> None:
        with suppress(ConnectionError):  # it stopped reading before: unsent messages are lost
            await self._agent.close()

    async def _wait_for_turn(self, turn: asyncio.Future[Any]) -> None:
        """Wait for a turn's end, with a timeout once stopped.

        Raises AgentFailed.
        """
        called_off = self._parts[1].called_off
        while not turn.done():
            await asyncio.wait([turn], timeout=_POLL_SECONDS)
            if not turn.done() and called_off.is_set():
                await asyncio.wait([turn], timeout=AGENT_STOP_SECONDS)
                if not turn.done():
                    self._process.kill()
                    raise AgentFailed(
                        f"it did not stop within {AGENT_STOP_SECONDS:.0f} seconds and was killed"
                    )

    async def _initialize(self) -> InitializeResponse:
        is_ours = self._sandbox is None  # in the sandbox it accesses files itself
        files = FileSystemCapabilities(read_text_file=is_ours, write_text_file=is_ours)
        return await self._agent.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(fs=files, terminal=False),
            client_info=Implementation(name="exacta-studio", title="Exacta Studio", version=__version__),
        )

    async def _start(self, response: InitializeResponse, resumed: Session | None) -> bool:
        """Start or resume a session; return whether it was resumed."""
        if response.protocol_version != PROTOCOL_VERSION:
            raise AgentFailed(f"it supports only version {response.protocol_version} of the protocol")
        folder = str(self._workspace.root_path)
        capabilities = response.agent_capabilities
        if resumed is not None and capabilities is not None:
            arguments: dict[str, Any] = {"cwd": folder, "session_id": resumed.name, "mcp_servers": []}
            session_capabilities = capabilities.session_capabilities
            resume = self._agent.load_session if capabilities.load_session else None
            resume = (
                self._agent.resume_session
                if session_capabilities is not None and session_capabilities.resume is not None
                else resume
            )
            if resume is not None:
                with suppress(RequestError):
                    self._note_current_mode((await resume(**arguments)).modes)
                    self._name = resumed.name
                    return True
        session = await self._agent.new_session(cwd=folder, mcp_servers=[])
        self._name = session.session_id
        self._note_current_mode(session.modes)
        return False

    def _note_current_mode(self, modes: SessionModeState | None) -> None:
        if modes is not None:
            self._mode = modes.current_mode_id

    async def _enter_asking_mode(self) -> None:
        """Switch to the asking mode. Raises AgentFailed where that fails."""
        mode = self._known_agent.asking_mode
        if mode and self._mode != mode:
            self._mode = mode
            await self._agent.set_session_mode(session_id=self._name, mode_id=mode)
            if self._mode != mode:
                raise AgentFailed(f"it did not enter {mode} mode, in which it asks for approval")

    def _handle_mode_change(self, mode: str) -> None:
        """Record the agent's mode; leave one that does not ask."""
        self._mode = mode
        if (
            self._sandbox is None
            and self._active is not None
            and self._known_agent.asking_mode not in ("", mode)
        ):
            self._in_background(self._leave_mode(mode))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _leave_mode(self, mode: str) -> None:
        self._parts[2].notice(
            (
                f"The agent switched to mode {show_name(mode)}, in which it does not ask for approval. "
                "Its turn was stopped."
            ),
            is_bad=True,
        )
        await self.stop()
        try:
            await self._enter_asking_mode()
        except (AgentFailed, RequestError, ConnectionError):
            self._process.kill()

    async def _await_response(self, response: Awaitable[T]) -> T:
        """Return the agent's response in time. Raises AgentFailed."""
        try:
            return await asyncio.wait_for(response, AGENT_START_SECONDS)
        except TimeoutError as error:
            raise AgentFailed(f"it did not answer within {AGENT_START_SECONDS:.0f} seconds") from error
        except ConnectionError as error:
            raise await self._process.failure() from error
        except RequestError as error:
            if error.code == _NEEDS_LOGIN:
                raise AgentFailed("it is not logged in: start it separately and log in") from error
            raise AgentFailed(f"it refused: {show_name(str(error))}") from error
        except ValueError as error:
            raise AgentFailed("it does not support the Agent Client Protocol") from error


@asynccontextmanager
async def conversation(
    workspace: Workspace, how: SessionStart, show: Show, untold: PendingMessages
) -> AsyncGenerator[AcpSession]:
    """Start an agent and its session, for a `with` block.

    Raises AgentFailed, and GaveWay where it may be started again; in the sandbox also as `sandboxed_process`.
    """
    async with _start_process(workspace, how) as process:
        talk = AcpSession(workspace, process, how.sandbox, untold)
        failure: AgentFailed | None = None
        try:
            await talk.begin(how, show)
            yield talk
        except AgentFailed as error:
            failure = error
            raise
        finally:
            await talk.close(failure)


def pending_messages(sandbox: InSandbox | None) -> PendingMessages:
    """Return an empty message queue for an agent, sandboxed or not."""
    return PendingMessages(of_layer="" if sandbox is None else STAYS_IN_FILES)


def _start_process(workspace: Workspace, how: SessionStart) -> AbstractAsyncContextManager[AcpProcess]:
    if how.sandbox is None:
        return agent_process(how.words, workspace.root_path)
    return sandboxed_process(workspace, how.words, how.sandbox)


def _takes_steering(response: InitializeResponse) -> bool:
    steering: object = (response.field_meta or {}).get("steering")
    return isinstance(steering, dict) and cast("dict[str, object]", steering).get("supported") is True


# Gate of a sandboxed agent: it allows everything and collects changes.
#
# What the agent does reaches its layer and nothing else. So allowing it is harmless, and its changes are
# proposed.

STAYS_IN_FILES: Final = (
    "You work in a sandbox, on a layer over the project. Changes that were not applied are still in your "
    "files: revise or revert them there."
)
"""Sent to its model with each of its decided plans."""


class SandboxGate:
    """The gate of one sandboxed session, which proposes its layer's changes."""

    def __init__(
        self,
        workspace: Workspace,
        session: Session,
        run: RunningCommand,
        transcript: Transcript,
        untold: PendingMessages,
    ) -> None:
        self.called_off = threading.Event()
        """Set when the turn is stopped."""
        self.plans: list[str] = []
        """The ids of all plans that it proposed."""
        self._workspace, self._session, self._run = workspace, session, run
        self._transcript, self._untold = transcript, untold

    def ask(self, asked: Asked) -> Permission:
        """Allow it once."""
        title = show_name(asked.title or asked.kind)
        self._transcript.notice(f"{title}: allowed in the sandbox")
        return Permission.ONCE

    def read(self, *_: object) -> NoReturn:
        """Refuse: the agent sees its own files. Raises Refused."""
        raise _own_files()

    def write(self, *_: object) -> NoReturn:
        """Refuse: the agent writes its own files. Raises Refused."""
        raise _own_files()

    def error_message(self, error: StudioError) -> str:
        """Return the answer to the agent."""
        return f"{error.message} {error.hint}".rstrip()

    def refuse(self, error: StudioError) -> Permission:
        """Report an error to the user and deny the request."""
        self._transcript.notice(self.error_message(error), is_bad=True)
        return Permission.REFUSED

    def propose_current_changes(self) -> None:
        """Propose the agent's changes so far, and report a new plan."""
        self._propose(is_over=False)

    def propose_final_changes(self) -> None:
        """Propose the agent's changes after its end."""
        self._propose(is_over=True)

    def _propose(self, *, is_over: bool) -> None:
        try:
            changes = self._run.changes() if is_over else self._run.changes_so_far()
            plan = self._workspace.proposer.propose_layer(changes, self._session)
        except StudioError as error:
            message = f"The agent's changes can't be proposed: {self.error_message(error)}"
            self._transcript.notice(message, is_bad=True)
            return
        if plan is not None and not plan.duplicate:
            self._report_plan(plan)

    def _report_plan(self, plan: Plan) -> None:
        if plan.id not in self.plans:
            self.plans.append(plan.id)
        self._untold.add_plan(plan)
        self._transcript.notice(
            f"Plan {plan.short_id} (version {plan.version}) has the agent's changes so far."
        )


def _own_files() -> Refused:
    message = "Agents in the sandbox read and write files directly."
    return Refused("acp.own_files", message, "Use your own tools.")
