"""Commands that the person runs in the sandbox: one at a time, in a process beside the window (design 7)."""

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
from studio.ui.desk.happening import Tone
from studio.ui.desk.state import Running
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
"""What agents keep their logins in, by their names."""
_UNUSED_MS = 5 * 60_000
"""After that long a process that nobody gave an order is let go."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a command may use: the network, and the login of an agent, "" for none."""

    network: bool
    login: str


class Commands(QObject):
    """The command that runs or ran last, what it printed, and what became of it."""

    changed = Signal()
    """Whether one is at work, or what is said of it."""
    begun_anew = Signal()
    """Another command; nothing that was printed counts any more."""
    known = Signal()
    """What the user's own file says of commands is known, or is other than before."""
    tried = Signal()
    """What came of a command stands on a plan now."""
    printed = Signal(str)
    """More of its output, harmless to show."""

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, work: Work, memory: CommandMemory
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._work, self.memory = work, memory
        self.running = Running.NOTHING
        self.standing = ""
        """How it stands with the command, as a sentence."""
        self._order: Order | None = None
        self._worker: Worker[Asked | Order] | None = None
        """What has the command, or is to get the next one."""
        self._unused = QTimer(self, singleShot=True, interval=_UNUSED_MS)
        self._unused.timeout.connect(self.close)
        self._config: Config | None = None
        self._logins: LoginFiles | None = None
        self._has_begun = False
        """Whether the command of the order is at work, or was."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        project.closed.connect(self.close)
        self.changed.connect(guards.allowed_changed)

    @property
    def remembered(self) -> tuple[str, ...]:
        """The user's own commands to try plans with, as one would type them."""
        tried = () if self._config is None else self._config.sandbox_try
        return tuple(shlex.join(argv) for argv in tried)

    def look(self) -> None:
        """Read what the user's own file says of commands."""
        self._project.ask(_config, self._project.workspace, then=self._got_config)

    def _got_config(self, config: Config) -> None:
        if self._config is None or config.settings != self._config.settings:
            self._config = config
            self.known.emit()

    def given(self, line: str) -> Given:
        """What a command is given unless the person says otherwise: as the last time, or as their own file
        says."""
        argv = command_words(line)
        if not argv:
            return Given(network=False, login="")
        program = PurePath(argv[0]).name
        network = self.memory.network(program)
        if network is None:
            network = self._config is not None and bool(self._config.sandbox_network(argv))
        return Given(network=network, login=self.memory.login(program))

    def use_logins(self, logins: LoginFiles) -> None:
        """How the files of agents' logins are found out: the window knows no door."""
        self._logins = logins

    def run(self, line: str, *, network: bool, login: str) -> None:
        """Run a command over the project; what it changes is proposed."""
        if not self._guards.can(Action.START_COMMAND):
            self._start(line, network=network, login=login, plan=None, proposes=True)

    def try_plan(self, line: str, *, network: bool, proposes: bool) -> None:
        """Run a command over the project as the current plan would leave it, as it is chosen now."""
        plan = self._queue.current_plan
        if plan is not None and not self._guards.can(Action.START_TRIAL):
            self._start(line, network=network, login="", plan=plan, proposes=proposes)

    def look_now(self) -> None:
        """Propose what the command has done so far."""
        if not self._guards.can(Action.LOOK_NOW) and self._worker is not None:
            from studio.ui.command_process import Look

            self._worker.tell(Look())

    def stop(self) -> None:
        """End the command; what it has done until then is proposed."""
        if self._guards.can(Action.STOP_COMMAND) or self._worker is None:
            return
        if not self._has_begun:
            # Whatever it does for that, a copy of the project perhaps, hears nothing before it has ended.
            self._worker.end()
            self._over(self.tr("It was stopped before it began."))
            return
        from studio.ui.command_process import Stop

        self._worker.tell(Stop())
        self._stand(self.tr("It is being stopped…"))

    def close(self) -> None:
        """The project is closed: the command ends, and nothing of it is proposed."""
        if self._worker is not None:
            self._worker.tell(None)
        self._order = self._worker = None
        self._unused.stop()

    def prepare(self) -> None:
        """Have a process ready, so that what is pressed begins at once."""
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
        self.begun_anew.emit()
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
        """The process has ended; where it did not say so before, somebody killed it."""
        if worker is self._worker:
            self._worker = None
            self._unused.stop()
            if self.running is not Running.NOTHING:
                self._over(self.tr("What ran the command was killed from outside; no more of it is known."))

    def _over(self, sentence: str) -> None:
        """The process has done what it was for; the next command gets another."""
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


# What the window remembers of commands and agents: the last ones, and what each program was given.

_COMMANDS: Final = "recent_commands"
_TO_PROGRAMS: Final = "given_to_programs"
_TO_AGENTS: Final = "given_to_agents"


class CommandMemory:
    """Answers of a person that count until they give another; each is shown where the command is begun."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._given = _Given(settings, _TO_PROGRAMS)

    @property
    def recent(self) -> tuple[str, ...]:
        """The commands that were run last, the newest first."""
        found = _read(self._settings, _COMMANDS)
        return tuple(line for line in found if isinstance(line, str)) if isinstance(found, list) else ()

    def network(self, program: str) -> bool | None:
        """Whether a program was given the network the last time, None where it was never begun."""
        return self._given.network(program)

    def login(self, program: str) -> str:
        """The login that a program was given the last time, "" for none."""
        return self._given.login(program)

    def keep(self, line: str, program: str, *, network: bool, login: str) -> None:
        """Remember what is begun now."""
        others = [other for other in self.recent if other != line]
        self._settings.keep_text(_COMMANDS, json.dumps([line, *others][:RECENT_COMMANDS_UP_TO]))
        self._given.keep(program, {"network": network, "login": login})


class AgentMemory:
    """The same of agents, which may work in the sandbox or outside of it."""

    def __init__(self, settings: Settings) -> None:
        self._given = _Given(settings, _TO_AGENTS)

    def is_in_sandbox(self, program: str) -> bool:
        """Whether an agent worked there the last time."""
        return bool(self._given.of(program).get("sandbox"))

    def network(self, program: str) -> bool | None:
        """Whether it was given the network there the last time, None where it was never begun there."""
        return self._given.network(program)

    def login(self, program: str) -> str:
        """The login that it was given there the last time, "" for none."""
        return self._given.login(program)

    def keep_outside(self, program: str) -> None:
        """Remember that it works outside of the sandbox now, and what it had there."""
        self._given.keep(program, {**self._given.of(program), "sandbox": False})

    def keep_inside(self, program: str, *, network: bool, login: str) -> None:
        """Remember that it works there now, and with what."""
        self._given.keep(program, {"sandbox": True, "network": network, "login": login})


class _Given:
    """What is remembered by a program's name, of those that were begun last."""

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
