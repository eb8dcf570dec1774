"""User's sandbox commands, remembered permissions, and approval of agents' tool calls."""

from __future__ import annotations

import codecs
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal

from studio import extras
from studio.engine import command_words
from studio.errors import show_lines
from studio.extras.agents import NO_LOGINS, Logins
from studio.names import show_name
from studio.ui import review
from studio.ui.actions.action import Action
from studio.ui.limits import RECENT_COMMANDS_UP_TO
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.review.decision_input import ChosenSteps
from studio.ui.review.guards import foreign_change_seconds
from studio.ui.review.state import Running, Tone
from studio.ui.settings import Settings
from studio.ui.worker import Worker
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import Config, Plan, ToolCall, Trial
    from studio.errors import StudioError
    from studio.ui.command_process import Asked, CommandFailed, CommandOutput, Ended, Order, Proposed, Said
    from studio.ui.review.decision_input import Work
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.worker import Work as ProcessWork
    from studio.workspace import Workspace

LoginFiles = Callable[[Sequence[str]], Logins]
"""Returns the login files of the named agents."""
_IDLE_MS = 5 * 60_000
"""Idle time after which an unused process is ended."""


class CommandPermissions(Value):
    """What a command may use: network and login ("" for none)."""

    network: bool
    login: str


class Commands(QObject):
    """Runner of sandbox commands, with the last one's state and output.

    Each runs in a child process.
    """

    changed = Signal()
    """Whether a command runs, or its status, changed."""
    is_restarted = Signal()
    """Another command starts; earlier output is void."""
    settings_changed = Signal()
    """The user's settings on commands were read or changed."""
    trial_recorded = Signal()
    """A trial result was recorded on a plan."""
    output_received = Signal(str)
    """More output, escaped for display."""

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, work: Work, memory: CommandMemory
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._work, self.memory = work, memory
        self.running = Running.NOTHING
        self.status = ""
        """Status of the command, as a sentence."""
        self._order: Order | None = None
        self._worker: Worker[Asked | Order] | None = None
        """The process that runs the command or will run the next one."""
        self._idle_timer = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self._idle_timer.timeout.connect(self.close)
        self._config: Config | None = None
        self._logins: LoginFiles | None = None
        self._has_started = False
        """Whether the ordered command has started."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        project.closed.connect(self.close)
        self.changed.connect(guards.allowed_changed)

    @property
    def trial_commands(self) -> tuple[str, ...]:
        """The user's configured trial commands, as shell text."""
        commands = () if self._config is None else self._config.sandbox_try
        return tuple(shlex.join(argv) for argv in commands)

    def read_settings(self) -> None:
        """Read the user's settings on commands."""
        self._project.ask(_read_config, self._project.workspace, then=self._set_config)

    def _set_config(self, config: Config) -> None:
        if self._config is None or config.settings != self._config.settings:
            self._config = config
            self.settings_changed.emit()

    def default_permissions(self, line: str) -> CommandPermissions:
        """Return the default permissions of a command.

        Those of its last run, else the configured ones.
        """
        argv = command_words(line)
        if not argv:
            return CommandPermissions(network=False, login="")
        program = PurePath(argv[0]).name
        network = self.memory.network(program)
        if network is None:
            network = self._config is not None and bool(self._config.sandbox_network(argv))
        return CommandPermissions(network=network, login=self.memory.login(program))

    def set_login_reader(self, logins: LoginFiles) -> None:
        """Set how to find agents' login files; the window can't import doors."""
        self._logins = logins

    def run(self, line: str, *, network: bool, login: str, container: str) -> None:
        """Run a command on the project and propose its changes."""
        if not self._guards.can(Action.START_COMMAND):
            order = review.command_process.Order(command_words(line), network, container=container)
            self._start(line, order, login=login, plan=None)

    def try_plan(self, line: str, *, network: bool, proposes: bool, container: str) -> None:
        """Run a trial command on the project with the plan applied.

        The plan is the current one, with its current selection.
        """
        plan = self._queue.current_plan
        if plan is not None and not self._guards.can(Action.START_TRIAL):
            order = review.command_process.Order(
                command_words(line), network, proposes=proposes, container=container
            )
            self._start(line, order, login="", plan=plan)

    def propose_now(self) -> None:
        """Propose what the command has changed so far."""
        if not self._guards.can(Action.PREVIEW_RESULT) and self._worker is not None:
            self._worker.send(review.command_process.ProposeChanges())

    def stop(self) -> None:
        """Stop the command and propose what it has changed."""
        if self._guards.can(Action.STOP_COMMAND) or self._worker is None:
            return
        if not self._has_started:
            # The preparation, perhaps a copy of the project, reads no messages before it ends.
            self._worker.end()
            self._finish(self.tr("Stopped before the command started."))
            return

        self._worker.send(review.command_process.Stop())
        self._set_status(self.tr("Stopping…"))

    def close(self) -> None:
        """End the command when the project closes; propose nothing."""
        if self._worker is not None and self._order is None:
            self._worker.end()  # it reads None only once it has imported the engine: 3 s at a load of 15
        elif self._worker is not None:
            self._worker.send(None)
        self._order = self._worker = None
        self._idle_timer.stop()

    def prepare(self) -> None:
        """Start a process ahead of time for the next command."""
        if self._worker is None:
            project = self._project
            work = partial(_run_next, project.root_path)
            self._worker = Worker(project.runner, work, self._handle_message, self._handle_exit)
            self._idle_timer.start()

    def _start(self, line: str, order: Order, *, login: str, plan: Plan | None) -> None:
        if not order.argv:
            self._set_status(self.tr("This command is not valid. Enter it as you would in a shell."))
            return
        self.memory.store(line, PurePath(order.argv[0]).name, network=order.network, login=login)
        chosen = ChosenSteps((), {}) if plan is None else self._work.chosen(plan)
        plan_id = "" if plan is None else plan.id
        self._order = replace(order, plan=plan_id, steps=chosen.numbers, choices=chosen.decisions)
        self.running = Running.COMMAND if plan is None else Running.TRIAL
        self._has_started = False
        self._decoder.reset()
        self.is_restarted.emit()
        self._set_status(self.tr("Starting…"))
        if login and self._logins is not None:
            self._project.runner.compute(
                self._logins,
                (login,),
                then=partial(self._send_order, self._order),
                failed=partial(self._report_login_error, self._order),
            )
        else:
            self._send_order(self._order, NO_LOGINS)

    def _send_order(self, order: Order, logins: Logins) -> None:
        if order is not self._order:
            return
        self._order = replace(order, logins=logins)
        self.prepare()
        self._idle_timer.stop()
        if self._worker is not None:
            self._worker.send(self._order)

    def _report_login_error(self, order: Order, error: StudioError) -> None:
        if order is self._order:
            self._project.report(error)
            self._set_idle(f"{error.message} {error.hint}".rstrip())

    def _handle_message(self, worker: Worker[Asked | Order], message: Said) -> None:
        if worker is not self._worker:
            return
        match message:
            case review.command_process.CopyProgress(size):
                sentence = self.tr("Copying the project: {files}, {size}…")
                self._set_status(say(sentence, files=words.files(size.files), size=words.size(size.bytes)))
            case review.command_process.CommandStarted():
                self._has_started = True
                self._set_status(self.tr("Running…"))
            case review.command_process.CommandOutput():
                self._show_output(message)
            case review.command_process.CommandFailed():
                self._report_problem(message)
            case review.command_process.Ended() if self._order is not None:
                self._report_outcome(self._order, message)
            case review.command_process.Ended():
                return
            case _:
                self._report_proposal(message)

    def _show_output(self, message: CommandOutput) -> None:
        omission = ""
        if message.dropped:
            omission = say(self.tr("[{size} omitted]"), size=words.size(message.dropped)) + "\n"
            self._decoder.reset()
        text = self._decoder.decode(message.data).replace("\r\n", "\n")
        self.output_received.emit(omission + show_lines(text))

    def _report_proposal(self, message: Proposed) -> None:
        if not message.plan:
            self._set_status(self.tr("No changes so far."))
            return
        sentence = self.tr("The changes so far are in the queue as plan {plan}, version {version}.")
        self._set_status(say(sentence, plan=message.plan[:8], version=message.version))
        self._queue.poll()

    def _report_problem(self, message: CommandFailed) -> None:
        sentence = f"{message.message} {message.hint}"
        if not message.is_over:
            self._set_status(sentence)
            return
        self._project.report_status(message.message, Tone.BAD, message.hint)
        self._finish(sentence)

    def _report_outcome(self, order: Order, message: Ended) -> None:
        sentences = [extras.commands.outcome_sentence(message.outcome), *message.outcome.not_enforced]
        if message.plan:
            sentences.append(
                say(self.tr("The command's changes are in the queue as plan {plan}."), plan=message.plan[:8])
            )
        elif order.proposes:
            sentences.append(self.tr("It made no changes that can be proposed."))
        if message.results is not None:
            self._record_trial(order, message)
        self._finish(" ".join(sentences))
        self._queue.poll()

    def _record_trial(self, order: Order, message: Ended) -> None:
        project = self._project
        would_be = extras.commands.WouldBe(order.plan, message.results or {}, (), (), message.tests)
        record = partial(project.workspace.trials.record, person=project.reviewer.person)
        project.ask(record, would_be, message.outcome, then=self._report_trial)

    def _report_trial(self, trial: Trial) -> None:
        self._project.report_status(
            extras.commands.trial_sentence(trial), Tone.DONE if trial.is_good else Tone.WARNING
        )
        self.trial_recorded.emit()

    def _handle_exit(self, worker: Worker[Asked | Order]) -> None:
        """Handle the end of the process.

        One that reported none was killed.
        """
        if worker is self._worker:
            self._worker = None
            self._idle_timer.stop()
            if self.running is not Running.NOTHING:
                self._finish(self.tr("The command's process was killed. Its result is unknown."))

    def _finish(self, sentence: str) -> None:
        """Set the final status and prepare the next process."""
        self._worker = None
        self._set_idle(sentence)
        self.prepare()

    def _set_idle(self, sentence: str) -> None:
        self.running = Running.NOTHING
        self._order = None
        self._set_status(sentence)

    def _set_status(self, sentence: str) -> None:
        self.status = sentence
        self.changed.emit()


def _read_config(workspace: Workspace) -> Config:
    return workspace.config


def _run_next(root: Path) -> ProcessWork:
    return partial(review.command_process.run_next, root=root)


# Remembered commands and permissions.

_COMMANDS: Final = "recent_commands"
_TO_PROGRAMS: Final = "given_to_programs"
_TO_AGENTS: Final = "given_to_agents"


class CommandMemory:
    """Recent commands and the permissions last given to each program.

    They apply until the user chooses others, and are shown where a command is started.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._permissions = _StoredPermissions(settings, _TO_PROGRAMS)

    @property
    def recent(self) -> tuple[str, ...]:
        """The commands run last, newest first."""
        stored = _stored_value(self._settings, _COMMANDS)
        return tuple(line for line in stored if isinstance(line, str)) if isinstance(stored, list) else ()

    def network(self, program: str) -> bool | None:
        """Return whether a program last had the network, None if unknown."""
        return self._permissions.network(program)

    def login(self, program: str) -> str:
        """Return the login a program last had, "" for none."""
        return self._permissions.login(program)

    def store(self, line: str, program: str, *, network: bool, login: str) -> None:
        """Store the command that starts now and its permissions."""
        others = [other for other in self.recent if other != line]
        self._settings.store_text(_COMMANDS, json.dumps([line, *others][:RECENT_COMMANDS_UP_TO]))
        self._permissions.store(program, {"network": network, "login": login})


class AgentMemory:
    """Where each agent last ran, in the sandbox or not, with permissions."""

    def __init__(self, settings: Settings) -> None:
        self._permissions = _StoredPermissions(settings, _TO_AGENTS)

    def is_in_sandbox(self, program: str) -> bool:
        """Return whether an agent last ran in the sandbox."""
        return bool(self._permissions.of(program).get("sandbox"))

    def network(self, program: str) -> bool | None:
        """Return whether it had the sandbox network, None if unknown."""
        return self._permissions.network(program)

    def login(self, program: str) -> str:
        """Return the login it last had in the sandbox, "" for none."""
        return self._permissions.login(program)

    def keep_outside(self, program: str) -> None:
        """Store that it runs outside; its sandbox permissions stay."""
        self._permissions.store(program, {**self._permissions.of(program), "sandbox": False})

    def keep_inside(self, program: str, *, network: bool, login: str) -> None:
        """Store that it runs in the sandbox, and its permissions."""
        self._permissions.store(program, {"sandbox": True, "network": network, "login": login})


class _StoredPermissions:
    """Stored permissions by program name, of the programs started last."""

    def __init__(self, settings: Settings, key: str) -> None:
        self._settings, self._key = settings, key

    def network(self, program: str) -> bool | None:
        stored = self.of(program).get("network")
        return None if stored is None else bool(stored)

    def login(self, program: str) -> str:
        return str(self.of(program).get("login", ""))

    def of(self, program: str) -> Mapping[str, Any]:
        return self._all_stored().get(program, {})

    def store(self, program: str, permissions: Mapping[str, Any]) -> None:
        others = {name: each for name, each in self._all_stored().items() if name != program}
        latest = dict(list({program: permissions, **others}.items())[:RECENT_COMMANDS_UP_TO])
        self._settings.store_text(self._key, json.dumps(latest))

    def _all_stored(self) -> dict[str, Mapping[str, Any]]:
        stored = _stored_value(self._settings, self._key)
        if not isinstance(stored, dict):
            return {}
        entries = cast("dict[str, Any]", stored).items()
        return {
            name: cast("dict[str, Any]", permissions)
            for name, permissions in entries
            if isinstance(permissions, dict)
        }


def _stored_value(settings: Settings, key: str) -> object:
    try:
        return cast("object", json.loads(settings.text(key) or "null"))
    except ValueError:
        return None


class Calls(QObject):
    """Queue of tool calls to answer, longest waiting first.

    One is shown at a time, the others are counted. A draft answer is kept with its call for as long as that
    waits.
    """

    changed = Signal()
    """Another call is shown, or the number of waiting calls changed."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._drafts: dict[str, str] = {}
        self._answered_ids: set[str] = set()
        self._read_ids: set[str] = set()
        self._skip_count = 0
        self._shown: tuple[tuple[ToolCall, ...], str] = ((), "")
        queue.store_changed.connect(self._update)

    @property
    def waiting(self) -> tuple[ToolCall, ...]:
        """Calls whose agent waits, without those just answered here."""
        return tuple(call for call in self._queue.calls if call.id not in self._answered_ids)

    @property
    def current(self) -> ToolCall | None:
        """The call that is shown."""
        calls = self.waiting
        return calls[self._skip_count % len(calls)] if calls else None

    @property
    def words(self) -> str:
        """The draft answer to the current call."""
        return self._drafts.get(self.current.id, "") if self.current is not None else ""

    @property
    def is_unread(self) -> bool:
        """Whether the end of the current call was never on screen."""
        return self.current is not None and self.current.id not in self._read_ids

    def note_read(self, call_id: str) -> None:
        """Record that the end of a call was on screen.

        From then on it can be allowed.
        """
        if call_id not in self._read_ids:
            self._read_ids.add(call_id)
            self._guards.allowed_changed.emit()

    def store_draft(self, words: str) -> None:
        """Store the draft answer to the current call."""
        if self.current is not None:
            self._drafts[self.current.id] = words

    def next(self) -> None:
        """Show the next waiting call."""
        self._skip_count += 1
        self._update()

    def allow(self) -> None:
        """Allow the current call."""
        call = self.current
        if call is not None and not self._guards.can(Action.ALLOW_CALL):
            message = say(self.tr("Allowed a tool call by {agent}."), agent=show_name(call.agent))
            self._send_answer(
                call, partial(self._project.reviewer.allow, call.id, note=self.words.strip()), message
            )

    def deny(self) -> None:
        """Deny the current call with the typed reason."""
        call = self.current
        if call is not None and self.words.strip() and not self._guards.can(Action.DENY_CALL):
            message = say(self.tr("Denied a tool call by {agent}."), agent=show_name(call.agent))
            self._send_answer(
                call, partial(self._project.reviewer.deny, call.id, reason=self.words.strip()), message
            )

    def _send_answer(self, call: ToolCall, decide: Callable[[], ToolCall], message: str) -> None:
        self._answered_ids.add(call.id)
        self._update()
        self._project.runner.call(
            decide,
            then=lambda _call: self._project.report_status(message, Tone.NEWS),
            failed=partial(self._restore_call, call),
        )

    def _restore_call(self, call: ToolCall, error: StudioError) -> None:
        """Show the call again after an error: its agent still waits."""
        self._answered_ids.discard(call.id)
        self._update()
        self._project.report(error)

    def _update(self) -> None:
        calls = self._queue.calls
        waiting_ids = {call.id for call in calls}
        self._answered_ids &= waiting_ids
        self._read_ids &= waiting_ids
        self._drafts = {call: words for call, words in self._drafts.items() if call in waiting_ids}
        current = self.current
        shown = (self.waiting, current.id if current is not None else "")
        if shown == self._shown:
            return
        is_another_call = shown[1] != self._shown[1]
        self._shown = shown
        if is_another_call:
            # The banner appears, goes or changes under the pointer.
            self._guards.dead_time.begin(foreign_change_seconds())
        self.changed.emit()
