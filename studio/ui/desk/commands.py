"""Runner of the user's sandbox commands, one at a time."""

from __future__ import annotations

import codecs
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, cast

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.config import command_words
from studio.engine.display import show_lines
from studio.engine.limits import RECENT_COMMANDS_UP_TO
from studio.engine.logins import NO_LOGINS, Logins
from studio.ui.actions.action import Action
from studio.ui.desk.state import Running
from studio.ui.desk.status_message import Tone
from studio.ui.desk.work import ChosenSteps
from studio.ui.desk.worker import Worker
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.settings import Settings

if TYPE_CHECKING:
    from studio.engine.config import Config
    from studio.engine.errors import StudioError
    from studio.engine.plan import Plan
    from studio.engine.proposer import Trial
    from studio.engine.workspace import Workspace
    from studio.ui.command_process import Asked, Ended, NotDone, Order, Printed, Proposed, Said
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.work import Work
    from studio.ui.desk.worker import Work as ProcessWork

LoginFiles = Callable[[Sequence[str]], Logins]
"""Returns the login files of the named agents."""
_UNUSED_MS = 5 * 60_000
"""Idle time after which an unused process is ended."""


@dataclass(frozen=True, slots=True)
class Given:
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
    known = Signal()
    """The user's settings on commands were read or changed."""
    tried = Signal()
    """A trial result was recorded on a plan."""
    printed = Signal(str)
    """More output, escaped for display."""

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, work: Work, memory: CommandMemory
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._work, self.memory = work, memory
        self.running = Running.NOTHING
        self.standing = ""
        """Status of the command, as a sentence."""
        self._order: Order | None = None
        self._worker: Worker[Asked | Order] | None = None
        """The process that runs the command or will run the next one."""
        self._unused = QTimer(self, singleShot=True, interval=_UNUSED_MS)
        self._unused.timeout.connect(self.close)
        self._config: Config | None = None
        self._logins: LoginFiles | None = None
        self._has_begun = False
        """Whether the ordered command has started."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        project.closed.connect(self.close)
        self.changed.connect(guards.allowed_changed)

    @property
    def remembered(self) -> tuple[str, ...]:
        """The user's configured trial commands, as shell text."""
        tried = () if self._config is None else self._config.sandbox_try
        return tuple(shlex.join(argv) for argv in tried)

    def look(self) -> None:
        """Read the user's settings on commands."""
        self._project.ask(_config, self._project.workspace, then=self._got_config)

    def _got_config(self, config: Config) -> None:
        if self._config is None or config.settings != self._config.settings:
            self._config = config
            self.known.emit()

    def given(self, line: str) -> Given:
        """Return the default permissions of a command.

        Those of its last run, else the configured ones.
        """
        argv = command_words(line)
        if not argv:
            return Given(network=False, login="")
        program = PurePath(argv[0]).name
        network = self.memory.network(program)
        if network is None:
            network = self._config is not None and bool(self._config.sandbox_network(argv))
        return Given(network=network, login=self.memory.login(program))

    def use_logins(self, logins: LoginFiles) -> None:
        """Set how to find agents' login files; the window can't import doors."""
        self._logins = logins

    def run(self, line: str, *, network: bool, login: str) -> None:
        """Run a command on the project and propose its changes."""
        if not self._guards.can(Action.START_COMMAND):
            self._start(line, network=network, login=login, plan=None, proposes=True)

    def try_plan(self, line: str, *, network: bool, proposes: bool) -> None:
        """Run a trial command on the project with the plan applied.

        The plan is the current one, with its current selection.
        """
        plan = self._queue.current_plan
        if plan is not None and not self._guards.can(Action.START_TRIAL):
            self._start(line, network=network, login="", plan=plan, proposes=proposes)

    def propose_now(self) -> None:
        """Propose what the command has changed so far."""
        if not self._guards.can(Action.LOOK_NOW) and self._worker is not None:
            from studio.ui.command_process import Look

            self._worker.tell(Look())

    def stop(self) -> None:
        """Stop the command and propose what it has changed."""
        if self._guards.can(Action.STOP_COMMAND) or self._worker is None:
            return
        if not self._has_begun:
            # The preparation, perhaps a copy of the project, reads no messages before it ends.
            self._worker.end()
            self._over(self.tr("It was stopped before it began."))
            return
        from studio.ui.command_process import Stop

        self._worker.tell(Stop())
        self._stand(self.tr("It is being stopped…"))

    def close(self) -> None:
        """End the command when the project closes; propose nothing."""
        if self._worker is not None:
            self._worker.tell(None)
        self._order = self._worker = None
        self._unused.stop()

    def prepare(self) -> None:
        """Start a process ahead of time for the next command."""
        if self._worker is None:
            project = self._project
            work = partial(_run_next, project.root_path)
            self._worker = Worker(project.runner, work, self._heard, self._gone)
            self._unused.start()

    def _start(self, line: str, *, network: bool, login: str, plan: Plan | None, proposes: bool) -> None:
        from studio.ui.command_process import Order

        argv = command_words(line)
        if not argv:
            self._stand(self.tr("That is no command. Type it as for a shell."))
            return
        self.memory.keep(line, PurePath(argv[0]).name, network=network, login=login)
        chosen = ChosenSteps((), {}) if plan is None else self._work.chosen(plan)
        self._order = Order(
            argv,
            network,
            plan="" if plan is None else plan.id,
            steps=chosen.numbers,
            choices=chosen.decisions,
            proposes=proposes,
        )
        self.running = Running.COMMAND if plan is None else Running.TRIAL
        self._has_begun = False
        self._decoder.reset()
        self.is_restarted.emit()
        self._stand(self.tr("It begins…"))
        if login and self._logins is not None:
            self._project.runner.compute(
                self._logins,
                (login,),
                then=partial(self._begin, self._order),
                failed=partial(self._no_login, self._order),
            )
        else:
            self._begin(self._order, NO_LOGINS)

    def _begin(self, order: Order, logins: Logins) -> None:
        if order is not self._order:
            return
        self._order = replace(order, logins=logins)
        self.prepare()
        self._unused.stop()
        if self._worker is not None:
            self._worker.tell(self._order)

    def _no_login(self, order: Order, error: StudioError) -> None:
        if order is self._order:
            self._project.report(error)
            self._rest(f"{error.message} {error.hint}".rstrip())

    def _heard(self, worker: Worker[Asked | Order], said: Said) -> None:
        from studio.ui.command_process import Begun, Copying, Ended, NotDone, Printed

        if worker is not self._worker:
            return
        match said:
            case Copying(size):
                told = self.tr("Copying the project first: {files}, {size}…")
                self._stand(say(told, files=words.files(size.files), size=words.size(size.bytes)))
            case Begun():
                self._has_begun = True
                self._stand(self.tr("It is at work."))
            case Printed():
                self._show_printed(said)
            case NotDone():
                self._not_done(said)
            case Ended() if self._order is not None:
                self._ended(self._order, said)
            case Ended():
                return
            case _:
                self._proposed(said)

    def _show_printed(self, said: Printed) -> None:
        left_out = ""
        if said.dropped:
            left_out = say(self.tr("[{size} left out]"), size=words.size(said.dropped)) + "\n"
            self._decoder.reset()
        text = self._decoder.decode(said.data).replace("\r\n", "\n")
        self.printed.emit(left_out + show_lines(text))

    def _proposed(self, said: Proposed) -> None:
        if not said.plan:
            self._stand(self.tr("It has changed nothing so far."))
            return
        told = self.tr("What it has changed so far is in the queue, as plan {plan}, version {version}.")
        self._stand(say(told, plan=said.plan[:8], version=said.version))
        self._queue.poll()

    def _not_done(self, said: NotDone) -> None:
        sentence = f"{said.message} {said.hint}"
        if not said.is_over:
            self._stand(sentence)
            return
        self._project.say(said.message, Tone.BAD, said.hint)
        self._over(sentence)

    def _ended(self, order: Order, said: Ended) -> None:
        from studio.engine.commands import outcome_sentence

        sentences = [outcome_sentence(said.outcome), *said.outcome.not_enforced]
        if said.plan:
            sentences.append(say(self.tr("What it changed is plan {plan}."), plan=said.plan[:8]))
        elif order.proposes:
            sentences.append(self.tr("It changed nothing that can be proposed."))
        if said.results is not None:
            self._record(order, said)
        self._over(" ".join(sentences))
        self._queue.poll()

    def _record(self, order: Order, said: Ended) -> None:
        from studio.engine.commands import WouldBe

        project = self._project
        would_be = WouldBe(order.plan, said.results or {}, (), (), said.tests)
        record = partial(project.workspace.trials.record, person=project.reviewer.person)
        project.ask(record, would_be, said.outcome, then=self._recorded)

    def _recorded(self, trial: Trial) -> None:
        from studio.engine.commands import trial_sentence

        self._project.say(trial_sentence(trial), Tone.DONE if trial.is_good else Tone.WARNING)
        self.tried.emit()

    def _gone(self, worker: Worker[Asked | Order]) -> None:
        """Handle the end of the process.

        One that reported none was killed.
        """
        if worker is self._worker:
            self._worker = None
            self._unused.stop()
            if self.running is not Running.NOTHING:
                self._over(self.tr("What ran the command was killed from outside; no more of it is known."))

    def _over(self, sentence: str) -> None:
        """Set the final status and prepare the next process."""
        self._worker = None
        self._rest(sentence)
        self.prepare()

    def _rest(self, sentence: str) -> None:
        self.running = Running.NOTHING
        self._order = None
        self._stand(sentence)

    def _stand(self, sentence: str) -> None:
        self.standing = sentence
        self.changed.emit()


def _config(workspace: Workspace) -> Config:
    return workspace.config


def _run_next(root: Path) -> ProcessWork:
    from studio.ui.command_process import run_next

    return partial(run_next, root=root)


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
        self._given = _Given(settings, _TO_PROGRAMS)

    @property
    def recent(self) -> tuple[str, ...]:
        """The commands run last, newest first."""
        found = _read(self._settings, _COMMANDS)
        return tuple(line for line in found if isinstance(line, str)) if isinstance(found, list) else ()

    def network(self, program: str) -> bool | None:
        """Return whether a program last had the network, None if unknown."""
        return self._given.network(program)

    def login(self, program: str) -> str:
        """Return the login a program last had, "" for none."""
        return self._given.login(program)

    def keep(self, line: str, program: str, *, network: bool, login: str) -> None:
        """Store the command that starts now and its permissions."""
        others = [other for other in self.recent if other != line]
        self._settings.keep_text(_COMMANDS, json.dumps([line, *others][:RECENT_COMMANDS_UP_TO]))
        self._given.keep(program, {"network": network, "login": login})


class AgentMemory:
    """Where each agent last ran, in the sandbox or not, with permissions."""

    def __init__(self, settings: Settings) -> None:
        self._given = _Given(settings, _TO_AGENTS)

    def is_in_sandbox(self, program: str) -> bool:
        """Return whether an agent last ran in the sandbox."""
        return bool(self._given.of(program).get("sandbox"))

    def network(self, program: str) -> bool | None:
        """Return whether it had the sandbox network, None if unknown."""
        return self._given.network(program)

    def login(self, program: str) -> str:
        """Return the login it last had in the sandbox, "" for none."""
        return self._given.login(program)

    def keep_outside(self, program: str) -> None:
        """Store that it runs outside; its sandbox permissions stay."""
        self._given.keep(program, {**self._given.of(program), "sandbox": False})

    def keep_inside(self, program: str, *, network: bool, login: str) -> None:
        """Store that it runs in the sandbox, and its permissions."""
        self._given.keep(program, {"sandbox": True, "network": network, "login": login})


class _Given:
    """Stored permissions by program name, of the programs started last."""

    def __init__(self, settings: Settings, key: str) -> None:
        self._settings, self._key = settings, key

    def network(self, program: str) -> bool | None:
        found = self.of(program).get("network")
        return None if found is None else bool(found)

    def login(self, program: str) -> str:
        return str(self.of(program).get("login", ""))

    def of(self, program: str) -> Mapping[str, Any]:
        return self._all().get(program, {})

    def keep(self, program: str, given: Mapping[str, Any]) -> None:
        others = {name: each for name, each in self._all().items() if name != program}
        kept = dict(list({program: given, **others}.items())[:RECENT_COMMANDS_UP_TO])
        self._settings.keep_text(self._key, json.dumps(kept))

    def _all(self) -> dict[str, Mapping[str, Any]]:
        found = _read(self._settings, self._key)
        if not isinstance(found, dict):
            return {}
        entries = cast("dict[str, Any]", found).items()
        return {name: cast("dict[str, Any]", given) for name, given in entries if isinstance(given, dict)}


def _read(settings: Settings, key: str) -> object:
    try:
        return cast("object", json.loads(settings.text(key) or "null"))
    except ValueError:
        return None
