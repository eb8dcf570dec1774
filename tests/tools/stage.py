"""One real window on a demo project in some condition, for pictures and for checks of what is on screen."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QApplication, QWidget

    from studio.engine.plan import Plan, Step, StepState
    from studio.engine.session import EventKind
    from studio.ui.agents.agent_process import AgentConnections, AgentProcesses
    from studio.ui.agents.agents_part import AgentsPart
    from studio.ui.review.desk import Desk
    from studio.ui.window.control import WindowControl
    from studio.ui.window.panes import Panes
    from studio.workspace import Reviewer, Workspace

_STALE = "src/tidewatch/store.py"
_CHANGED_BY_THE_PLAN = 'self.connection.executemany("INSERT OR REPLACE INTO tide VALUES (?, ?, ?, ?)", rows)'
_CHANGED_ON_DISK = 'self.connection.executemany("REPLACE INTO tide VALUES (?, ?, ?, ?)", sorted(rows))'
ODD_NAME = "docs/\u202egnp.<b>bold<\uff0fb> & \u05e9\u05dc\u05d5\u05dd " + "long" * 40 + ".md"
"""A name that turns writing around, holds marks of a language, Hebrew, and is long."""

_LARGE_LINES = 1_600_000
"""Of 22 bytes each: more than 32 MiB."""


class _Clock:
    """Seconds that pass when a scene says so, so that no dead time is on a picture by chance."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """One window on one project, and what a scene does to it."""

    def __init__(
        self,
        app: QApplication,
        project: Path | None,
        recent: tuple[Path, ...] = (),
        *,
        size: tuple[int, int] | None = None,
        connections: AgentConnections | None = None,
    ) -> None:
        from studio.ui.runner import Runner
        from studio.ui.settings import Settings
        from studio.ui.window.control import WindowControl

        self._app = app
        self._clock = _Clock()
        self._runner = Runner(immediate=True)
        settings = Settings(None)
        for folder in reversed(recent):
            settings.store_recent_project(folder)
        settings.end_first_day()
        self.control: WindowControl = WindowControl(
            self._runner, settings, clock=self._clock, agents=partial(_no_agents, connections)
        )
        self.control.finish_startup()
        self.control.show_gates(())
        if size is not None:
            self.control.window.resize(*size)
        self.control.window.show()
        if project is None:
            self.control.show_start_page()
        else:
            self.control.open_project(project)
        self.settle()

    def settle(self) -> None:
        self._turn()
        self._clock.now += 1.0
        if self.control.desk is not None:
            self.control.desk.guards.dead_time.changed.emit()
        self._turn()

    def _turn(self) -> None:
        for _ in range(6):
            self._app.processEvents()

    @property
    def desk(self) -> Desk:
        assert self.control.desk is not None
        return self.control.desk

    @property
    def panes(self) -> Panes:
        assert self.control.panes is not None
        return self.control.panes

    def select(self, title: str, step: int | None) -> None:
        self.desk.select(self.plan(title).id, step)
        self.settle()

    def plan(self, title: str) -> Plan:
        return next(plan for plan in self.desk.queue.plans if plan.title == title)

    def select_state(self, state: StepState) -> None:
        """The first step in that state."""
        places = [(plan, step) for plan in self.desk.queue.plans for step in plan.steps]
        found: tuple[Plan, Step] = next((plan, step) for plan, step in places if step.state is state)
        self.desk.select(found[0].id, found[1].number)
        self.settle()

    def trigger(self, action: str) -> None:
        from studio.ui.actions.action import Action

        self.control.trigger(Action(action))
        self.settle()

    def withdraw(self, title: str) -> None:
        """Let the plan's agent withdraw it, in a process of its own as far as the window knows."""
        with _workspace(self.desk.project.root_path) as workspace:
            workspace.proposer.withdraw(self.plan(title).id)
        self.desk.queue.reload()
        self.settle()

    def ask(self, tool: str, command: str) -> None:
        """Let an agent ask for a command, and wait as long as the stage stands."""
        from studio.workspace import Workspace

        asking = self._asking = Workspace.open(self.desk.project.root_path)
        session = asking.proposer.open_session("claude-code", "hook", name="stage")
        asking.proposer.ask(session, tool, command=command, cwd=str(self.desk.project.root_path))
        self.desk.queue.reload()
        self.settle()

    def talk(self, agent: str, *events: tuple[EventKind, Mapping[str, Any]]) -> None:
        """Let an agent be there, and that be said and done in its session."""
        from studio.workspace import Workspace

        talking = self._talking = Workspace.open(self.desk.project.root_path)
        session = talking.proposer.open_session(agent, "acp", name="stage")
        talking.proposer.record(session, events)
        self.desk.queue.reload()
        self.settle()

    def tried(self, title: str, line: str) -> None:
        """Leave on the plan of that title that somebody ran a command with it, which failed."""
        from contextlib import closing

        from studio.extras.commands import WouldBe
        from studio.extras.sandbox import EndedBy, Outcome, Way
        from studio.workspace import Workspace

        plan = next(plan for plan in self.desk.queue.plans if plan.title == title)
        words, way, by = tuple(line.split()), Way.NAMESPACE, EndedBy.ITSELF
        ended = Outcome(words, 1, None, 0.9, way, False, (), b"", 0, 0, by)
        with closing(Workspace.open(self.desk.project.root_path)) as workspace:
            would_be = WouldBe(plan.id, workspace.trials.results(plan.id), (), (), ("tests/test_fetch.py",))
            workspace.trials.record(would_be, ended, who="codex")
        self.desk.record.read()
        self.settle()

    def click(self, label: str) -> None:
        """Wait for the button or the row with this label, and press it in its middle."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        self.place_of(label)[0].setFocus()
        self.settle()
        widget, place = self.place_of(label)
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)
        self.settle()

    def place_of(self, label: str) -> tuple[QWidget, QPoint]:
        """Return where to press the button or the row with this label, once it can be pressed."""
        from tests.journeys.hands import wait_for

        found: list[tuple[QWidget, QPoint]] = []
        wait_for(lambda: found.extend(self._places_of(label)) or found, f"{label} in the window")
        assert len(found) == 1, f"{len(found)} buttons are called {label}"
        return found[0]

    def _places_of(self, label: str) -> list[tuple[QWidget, QPoint]]:
        from PySide6.QtWidgets import QAbstractButton

        every = self.control.window.findChildren(QAbstractButton)
        buttons = [each for each in every if each.text() == label and each.isVisible() and each.isEnabled()]
        if buttons:
            return [(each, each.rect().center()) for each in buttons]
        row = self._place_of_row(label)
        return [row] if row is not None else []

    def _place_of_row(self, label: str) -> tuple[QWidget, QPoint] | None:
        """Return where a row with this text is in a list or tree, or its check box."""
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtWidgets import QAbstractItemView, QHeaderView

        roles = Qt.ItemDataRole
        flags = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive
        for view in self.control.window.findChildren(QAbstractItemView):
            model = view.model()
            if model is None or not view.isVisible() or isinstance(view, QHeaderView):
                continue
            for column, role in product(
                range(model.columnCount()), (roles.DisplayRole, roles.AccessibleTextRole)
            ):
                for index in model.match(model.index(0, column), role, label, 1, flags):
                    area = view.visualRect(index)
                    is_box = index.data(roles.CheckStateRole) is not None
                    x = area.left() + 12 if is_box else area.center().x()
                    return view.viewport(), QPoint(x, area.center().y())
        return None

    def key(self, keys: str) -> None:
        """Press keys, such as Ctrl+Z, where the keyboard is."""
        from PySide6.QtGui import QKeySequence
        from PySide6.QtTest import QTest

        focused = self.focused()
        assert focused is not None
        QTest.keySequence(focused, QKeySequence(keys))
        self.settle()

    def press(self, widget: QWidget, key: Qt.Key) -> None:
        """Press a key in a widget, whoever has the keyboard."""
        from PySide6.QtTest import QTest

        QTest.keyClick(widget, key)
        self.settle()

    def focused(self) -> QWidget | None:
        """Where the keyboard is; without a window manager no window is the active one."""
        from PySide6.QtWidgets import QApplication

        return QApplication.focusWidget() or self.control.window.focusWidget()

    def write(self, text: str) -> None:
        """Put text where the keyboard is."""
        from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

        field = self.focused()
        if isinstance(field, QPlainTextEdit):
            field.insertPlainText(text)
        else:
            assert isinstance(field, QLineEdit), field
            field.insert(text)
        self.settle()

    def open_agents(self) -> AgentsPart:
        """The agents' part of the settings."""
        from studio.ui.agents.agents_part import AgentsPart

        self.trigger("connect_agents")
        part = self.control.window.findChild(AgentsPart)
        assert part is not None
        return part

    def wait_for_button(self, parent: QWidget, name: str) -> None:
        """Until a button of that name is there and can be pressed."""
        from PySide6.QtCore import QEventLoop
        from PySide6.QtWidgets import QAbstractButton

        button = None
        while button is None or not button.isEnabled():
            # Asleep until the answer of another process comes: turns without it were a sixth of a walk.
            self._app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            button = parent.findChild(QAbstractButton, name)
        self.settle()

    def picture(self) -> QImage:
        return self.control.window.grab().toImage()

    def close(self) -> None:
        from PySide6.QtCore import QEvent

        self.control.window.close()
        self.control.window.deleteLater()
        self.control.deleteLater()
        self._runner.close()
        # Outside of an event loop nothing else deletes what was asked to go, and every window that stays is
        # painted and given each theme again.
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._app.processEvents()


def _no_agents(connections: AgentConnections | None = None) -> AgentProcesses:
    """Agents that can be chosen, each gated and proved; none of them is ever started."""
    from studio.extras.agents import NO_LOGINS, Gate, GateStatus
    from studio.ui.agents.agent_process import AgentChoice, AgentProcesses
    from tests.tools.connectable import stand_in_connections

    choices = (AgentChoice("Gemini CLI", ("gemini", "--acp")), AgentChoice("Qwen Code", ("qwen", "--acp")))
    standing = GateStatus("qwen-acp", Gate.CLOSED, True, "The client wrote nothing in any failure we tested.")
    return AgentProcesses(
        lambda: choices,
        lambda _words, _session, _given: ("false",),
        lambda _agent, _words, _project: standing,
        lambda: replace(standing, why="It runs in the sandbox; its changes do not reach the project."),
        lambda _names: NO_LOGINS,
        lambda _names: b"",
        connections or stand_in_connections(),
    )


class Projects:
    """Copies of the demo project in several conditions, each made when somebody first asks for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, name: str) -> Path | None:
        """A fresh copy: "demo", "empty" (no plans), "applied", "drifted" (a file changed after that),
        "conflict" (a file changed where a plan wants to), "rounds" (a plan sent back once), "panels" (steps
        that are not lines), "large" (a file too large to colour, and rules that allow it), "images" (a
        deleted image, and another one in its place); None for no project.
        """
        if not name:
            return None
        parent = self._folder / f"{len(list(self._folder.iterdir()))}"
        parent.mkdir()
        project = parent / "tidewatch"
        if name in ("empty", "panels", "large", "images"):
            from studio.doors.demo import make_demo

            make_demo(project)
            if name == "panels":
                self._propose_panels(project)
            elif name == "large":
                _propose_large(project)
            elif name == "images":
                self._replace_image(project)
            return project
        from studio.doors.cli.commands.demo import prepare_demo

        prepare_demo(project)
        if name in ("applied", "drifted"):
            self._apply(project, "Show the next high water")
        if name == "drifted":
            changed = next(file for file in self._written if file.exists())
            changed.write_bytes(changed.read_bytes() + b"\n")
        if name == "conflict":
            changed = project / _STALE
            text = changed.read_text("utf-8")
            assert _CHANGED_BY_THE_PLAN in text
            changed.write_text(text.replace(_CHANGED_BY_THE_PLAN, _CHANGED_ON_DISK), "utf-8")
        if name == "rounds":
            self._send_back(project, "Retry failed downloads")
        return project

    def _apply(self, project: Path, title: str) -> None:
        with review(project) as (reviewer, plans):
            plan = _titled(plans, title)
            reviewer.approve(plan.id)
            reviewer.apply(plan.id)
        self._written = [project / step.target for step in plan.steps]

    def _send_back(self, project: Path, title: str) -> None:
        """Ask for changes of a plan; the agent answers with other attempts in its first step."""
        from studio.doors.demo import demo_submissions

        sent = next(each for each in demo_submissions() if each.title == title)
        with review(project) as (reviewer, plans):
            plan = _titled(plans, title)
            reviewer.request_changes(plan.id, reason="Six attempts, the line is slow.")
        with _workspace(project) as workspace:
            text = sent.text.replace(b"+ATTEMPTS = 4", b"+ATTEMPTS = 6")
            propose_plan(workspace, text, title, sent.agent)

    def _replace_image(self, project: Path) -> None:
        """The lighthouse is deleted by a plan; afterwards somebody puts one with another lamp there."""
        from PySide6.QtGui import QColor, QImage

        image = project / "assets" / "lighthouse.png"
        other = QImage(str(image)).convertToFormat(QImage.Format.Format_ARGB32).scaled(256, 256)
        QImage(str(image)).scaled(224, 224).save(str(image))
        for x in range(96, 160):
            for y in range(16, 48):
                other.setPixelColor(x, y, QColor("#1B5FA6"))
        with _workspace(project) as workspace:
            step = {"op": "delete", "path": "assets/lighthouse.png"}
            text = json.dumps({"title": "Take the lighthouse away", "steps": [step]}).encode()
            propose_plan(workspace, text, "Take the lighthouse away", "codex")
        self._apply(project, "Take the lighthouse away")
        other.save(str(image))

    def _propose_panels(self, project: Path) -> None:
        (project / "data" / "tides.bin").write_bytes(bytes(range(256)) * 20)
        tabs = (project / "src/tidewatch/tides.py").read_text("utf-8").replace("    ", "\t")
        steps = [
            {"op": "move", "path": "docs/guide.md", "to": "docs/introduction.md"},
            {"op": "mode", "path": "scripts/nightly.sh", "executable": True},
            {"op": "modify", "path": "src/tidewatch/tides.py", "content": tabs},
            {"op": "delete", "path": "data/tides.bin"},
            {"op": "delete", "path": "assets/lighthouse.png"},
            {"op": "mkdir", "path": "docs/pictures"},
            {"op": "create", "path": ODD_NAME, "content": "# Names are text\n"},
            {"op": "create", "path": "docs/wide.md", "content": "word " * 3000 + "\n"},
        ]
        with _workspace(project) as workspace:
            text = json.dumps({"title": "Tidy up", "steps": steps}).encode()
            propose_plan(workspace, text, "Tidy up", "codex")


def _propose_large(project: Path) -> None:
    """A change in the middle of more lines than are coloured; the person's rules allow such a file."""
    (project / "studio.yaml").unlink(missing_ok=True)
    (project / "data" / "readings.csv").write_bytes(b"2026-11-22T10:00,4.10\n" * _LARGE_LINES)
    middle = _LARGE_LINES // 2
    text = (
        "--- a/data/readings.csv\n+++ b/data/readings.csv\n"
        f"@@ -{middle},3 +{middle},3 @@\n"
        " 2026-11-22T10:00,4.10\n-2026-11-22T10:00,4.10\n+2026-11-22T10:00,4.12\n 2026-11-22T10:00,4.10\n"
    )
    configuration = Path(os.environ["STUDIO_CONFIG_DIR"])
    configuration.mkdir(parents=True, exist_ok=True)
    own = configuration / "config.yaml"
    own.write_text("schema_version: 1\nlimits: {file_bytes: 100000000}\n")
    try:
        with _workspace(project) as workspace:
            propose_plan(workspace, text.encode(), "Correct one reading", "codex", form="unified")
    finally:
        own.unlink()


@contextmanager
def _workspace(project: Path) -> Iterator[Workspace]:
    from studio.workspace import Workspace

    workspace = Workspace.open(project)
    try:
        yield workspace
    finally:
        workspace.close()


@contextmanager
def review(project: Path) -> Iterator[tuple[Reviewer, Sequence[Plan]]]:
    """A person who reviews without a window, and the plans that there are."""
    from studio.engine.plan import PersonSource
    from studio.workspace import Person

    with _workspace(project) as workspace:
        yield workspace.reviewer(Person(PersonSource.WINDOW, "ada")), workspace.proposer.plans()


def _titled(plans: Sequence[Plan], title: str) -> Plan:
    return next(plan for plan in plans if plan.title == title)


def propose_plan(workspace: Workspace, text: bytes, title: str, agent: str, form: str = "plan") -> None:
    """Propose a plan as an agent would."""
    from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission

    said = SubmissionOptions(form, title, agent)
    workspace.proposer.propose(read_submission([SubmittedText(text)], said))
