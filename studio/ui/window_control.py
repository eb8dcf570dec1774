"""One window and its project: what each action does there, and what stands in the middle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from studio.engine.errors import StudioError
from studio.engine.names import show_name
from studio.engine.plan import PlanState, StepState
from studio.ui import words
from studio.ui.actions import ACTIONS, Actions
from studio.ui.happening import Happening, Tone
from studio.ui.main_window import MainWindow, project_name
from studio.ui.memory import Memory
from studio.ui.menus import COLOURS, add_menus
from studio.ui.opening import OpenedProject, close_project, open_project, start_watching

if TYPE_CHECKING:
    from studio.engine.watch import Watcher
    from studio.ui.desk import Desk
    from studio.ui.diff import DiffView
    from studio.ui.palette import Palette
    from studio.ui.panes import Panes
    from studio.ui.runner import Runner

_NEEDS_PROJECT = frozenset(entry.id for entry in ACTIONS if entry.needs_project)
_NEEDS_DIFF = frozenset(
    {
        "copy", "find", "find_next", "find_previous", "unified", "white_space", "folds", "zoom_in",
        "zoom_out", "zoom_reset", "next_change", "previous_change", "read_on", "read_back",
    }
)  # fmt: skip


class WindowControl(QObject):
    """Connects window, actions and desk. Without a project it shows the start page."""

    project_wanted = Signal(object)
    """A `Path` the person chose to open."""
    demo_wanted = Signal()
    quit_wanted = Signal()
    theme_wanted = Signal(str)
    colour_blind_wanted = Signal(bool)
    opened = Signal()
    """The project's panes are filled."""
    closed = Signal()

    def __init__(self, runner: Runner, memory: Memory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._memory = memory
        self._watcher: Watcher | None = None
        self._project: OpenedProject | None = None
        self._files: list[Path] = []
        self.is_opening = False
        self.desk: Desk | None = None
        self.panes: Panes | None = None
        self.window = MainWindow(memory)
        self.actions = Actions(self.window, self._handlers(), self.reason)
        add_menus(self.window, self.actions)
        self.window.pressed.connect(self.actions.trigger)
        self.window.closing.connect(self._close)
        self.window.activated.connect(self._activated)

    @property
    def key(self) -> str:
        """The name of the open project's store, "" without one; bell messages name it."""
        return self._project.workspace.key if self._project is not None else ""

    @property
    def root_path(self) -> Path | None:
        return self.desk.root_path if self.desk is not None else None

    def show_start_page(self) -> None:
        """What a window shows before a project is chosen."""
        from studio.ui.start_page import StartPage

        page = StartPage(self._memory.recent_projects(), self.window)
        page.pressed.connect(self.actions.trigger)
        page.chosen.connect(self.project_wanted)
        self.window.show_start_page(page)

    def open_project(self, path: Path, files: list[Path] | None = None) -> None:
        """Open a project in this window, then propose what stands in these files."""
        self._files = list(files or ())
        self.is_opening = True
        self.window.prepare_project(show_name(project_name(path)))
        self._runner.call(open_project, path, then=self._opened, failed=self._not_opened)

    def submit_files(self, files: list[Path]) -> None:
        """Take in plan files; waits for the project if it is still being opened."""
        if self.desk is None:
            self._files += files
            return
        for file in files:
            self.desk.submit_file(file)

    def reason(self, action: str) -> str:
        """Why an action is off in this window now, "" when it is on."""
        desk = self.desk
        if desk is None:
            return self.tr("Open a project first.") if action in _NEEDS_PROJECT else ""
        if action in _NEEDS_DIFF and self._diff() is None:
            return self.tr("Select a step first.")
        if action == "apply" and desk.rollback is not None:
            return desk.can("roll_back")
        if action.startswith("dock_") and self.panes is not None:
            return self.panes.why_no_tab(int(action[-1]))
        if action == "copy_reply":
            return desk.can("next_step")
        return desk.can(action)

    def window_is_up(self) -> None:
        """The frame is painted: load what the first paint did not need."""
        self.actions.recolour()

    def show_theme(self, name: str, *, colour_blind: bool) -> None:
        """Another theme is in use: tick it in the menu and draw the icons again."""
        self.actions[name].setChecked(True)
        self.actions["colour_blind"].setChecked(colour_blind)
        if self.desk is not None:
            self.actions.recolour()

    def say(self, happening: Happening) -> None:
        """Show a sentence in the status bar."""
        self.window.status.show_happening(happening)

    def _opened(self, project: OpenedProject) -> None:
        from studio.ui.desk import Desk
        from studio.ui.panes import Panes

        self._project = project
        self.is_opening = False
        workspace = project.workspace
        memory = Memory(workspace.state_folder / "window.ini")
        self.window.use_memory(memory)
        self._memory.keep_recent_project(workspace.root_path)
        desk = self.desk = Desk(self._runner, workspace, project.reviewer, memory=memory, parent=self)
        self.panes = Panes(desk, self.actions, self.window)
        desk.happened.connect(self.say)
        desk.busy_changed.connect(self._show_busy)
        for signal in (desk.allowed_changed, desk.contents_changed):
            signal.connect(self._refresh)
        self.panes.note_left.connect(self._to_middle)
        desk.start()
        self._say_first(project)
        told = partial(self._runner.post, self._disk_changed)
        self._runner.compute(start_watching, desk.root_path, told, then=self._watching)
        files, self._files = self._files, []
        self.submit_files(files)
        self._refresh()
        self.opened.emit()

    def _say_first(self, project: OpenedProject) -> None:
        for notice in project.workspace.notices:
            self.say(Happening(notice, Tone.WARNING))
        for plan in project.recovered:
            whole = plan.state is PlanState.COMPLETED
            sentence = (
                self.tr("An interrupted apply of “{title}” was finished.")
                if whole
                else self.tr("An interrupted apply of “{title}” was undone.")
            )
            tone = Tone.NEWS if whole else Tone.WARNING
            self.say(Happening(sentence.replace("{title}", show_name(plan.title)), tone))

    def _not_opened(self, error: StudioError) -> None:
        self.is_opening = False
        self.show_start_page()
        self.say(Happening(error.message, Tone.BAD, error.hint))

    def _watching(self, watcher: Watcher | None) -> None:
        self._watcher = watcher

    def _disk_changed(self, _paths: frozenset[str]) -> None:
        if self.desk is not None:
            self.desk.disk_changed()

    def _activated(self) -> None:
        """The click that brings the window to the front decides nothing (look.md 9.2)."""
        if self.desk is not None:
            self.desk.window_activated()

    def _close(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if self.desk is not None and self._project is not None:
            self.window.keep_sizes(self.desk.memory)
            self.desk.close()
            self._runner.call(close_project, self._project.workspace)
        self.closed.emit()

    def _refresh(self) -> None:
        """Bring actions, Apply and lamp in line with the desk."""
        desk, panes = self.desk, self.panes
        if desk is None or panes is None:
            return
        self.actions.refresh()
        label, sentence, reason = self._apply_words(desk)
        toolbar = self.window.toolbar
        toolbar.show_apply(label, sentence, reason)
        toolbar.paste.set_reason(self.reason("paste"))
        toolbar.undo.set_reason(self.reason("undo_last"))
        if desk.command_line == "allow":
            toolbar.lamp.show_command_line_allowed()
        else:
            toolbar.lamp.show_ready()
        self._show_toggles(desk, panes)

    def _apply_words(self, desk: Desk) -> tuple[str, str, str]:
        """Label, sentence and reason of Apply: what is missing, or what will happen (look.md 4.1)."""
        reason, plan = desk.can("apply"), desk.current_plan
        if desk.busy:
            return desk.busy, "", reason
        if plan is None or plan.state is not PlanState.APPROVED:
            return self.tr("Apply plan"), reason, reason
        approved = len(plan.approved)
        rejected = sum(step.state is StepState.REJECTED for step in plan.steps)
        said = self.tr("“{title}” · {steps} approved").replace("{title}", show_name(plan.title))
        parts = [said.replace("{steps}", words.steps(approved))]
        if rejected:
            parts[0] += self.tr(", {n} rejected").replace("{n}", str(rejected))
        parts.append(self.tr("can be undone"))
        label = self.tr("Apply {files}").replace("{files}", words.files(approved))
        return label, " · ".join(parts), reason

    def _show_toggles(self, desk: Desk, panes: Panes) -> None:
        plan, step = desk.current_plan, desk.current_step
        viewed = plan is not None and step is not None and desk.is_viewed(plan, step)
        self.actions["mark_viewed"].setChecked(viewed)
        self.actions["left_column"].setChecked(not self.window.left.isHidden())
        self.actions["facts"].setChecked(not panes.facts.isHidden())
        self.actions["dock"].setChecked(not panes.dock_is_folded())

    def _show_busy(self) -> None:
        if self.desk is not None:
            self.window.status.show_busy(self.desk.busy, self.desk.busy_share)

    def _diff(self) -> DiffView | None:
        return self.panes.diff() if self.panes is not None else None

    def _to_middle(self) -> None:
        if self.panes is not None:
            self.panes.focus_middle()

    def _handlers(self) -> dict[str, Callable[[], object]]:
        """What each action of the table does in this window."""
        panes, desk = self._with_panes, self._with_desk
        handlers: dict[str, Callable[[], object]] = {
            "open": self._choose_project,
            "paste": self._paste,
            "submit_file": self._choose_file,
            "demo": self.demo_wanted.emit,
            "apply": self._apply,
            "close_window": self.window.close,
            "quit": self.quit_wanted.emit,
            "palette": lambda: self._palette().open_palette(),
            "keys": lambda: self._palette().open_palette(),
            "back": self._back,
            "left_column": self._toggle_left,
            "facts": self._toggle_facts,
            "copy_reply": panes(lambda p: p.copy_reply()),
            "preview_rollback": panes(lambda p: p.show_history()),
            "dock": panes(lambda p: p.toggle_dock()),
            "next_pane": panes(lambda p: p.next_pane(1)),
            "previous_pane": panes(lambda p: p.next_pane(-1)),
            "reject_step": panes(lambda p: p.ask_reject_step()),
            "reject_plan": panes(lambda p: p.ask_reject_plan()),
            "request_changes": panes(lambda p: p.ask_for_changes()),
            "approve_undecided": panes(lambda p: p.ask_approve_undecided()),
            "note": panes(lambda p: p.facts.focus_note()),
            "read_on": panes(lambda p: p.read_on()),
            "read_back": panes(lambda p: p.read_back()),
            "undo_last": desk(lambda d: d.undo_last()),
            "approve_step": desk(lambda d: d.approve_step()),
            "take_back": desk(lambda d: d.take_back()),
            "discard_stale": desk(lambda d: d.discard_stale()),
            "next_step": desk(lambda d: d.next_step()),
            "previous_step": desk(lambda d: d.previous_step()),
            "toggle_hunk": panes(lambda p: p.toggle_current_hunk()),
            "mark_viewed": desk(_toggle_viewed),
            "colour_blind": lambda: self.colour_blind_wanted.emit(self.actions["colour_blind"].isChecked()),
        }
        handlers |= {name: partial(self.theme_wanted.emit, name) for name in COLOURS}
        handlers |= {f"dock_{n}": panes(partial(_show_tab, n)) for n in range(1, 5)}
        handlers |= {name: panes(partial(_in_diff, name)) for name in _DIFF_CALLS}
        return handlers

    def _with_panes(self, do: Callable[[Panes], object]) -> Callable[[], object]:
        return lambda: do(self.panes) if self.panes is not None else None

    def _with_desk(self, do: Callable[[Desk], object]) -> Callable[[], object]:
        return lambda: do(self.desk) if self.desk is not None else None

    def _palette(self) -> Palette:
        from studio.ui.palette import Palette

        palette = self.window.findChild(Palette)
        return palette if palette is not None else Palette(self.actions, self.window)

    def _back(self) -> None:
        """Esc: close the innermost thing, else go back to the queue. Never decides."""
        from studio.ui.palette import Palette

        palette = self.window.findChild(Palette)
        if palette is not None and palette.isVisible():
            palette.close_palette()
        elif self.panes is not None and not self.panes.close_innermost():
            self.panes.queue.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _toggle_left(self) -> None:
        self.window.toggle_left()
        self._refresh()

    def _toggle_facts(self) -> None:
        self.window.toggle_facts()
        self._refresh()

    def _apply(self) -> None:
        if self.desk is None:
            return
        if self.desk.rollback is not None:
            self.desk.roll_back()
        else:
            self.desk.apply()

    def _paste(self) -> None:
        if self.desk is not None:
            self.desk.paste(QGuiApplication.clipboard().text())

    def _choose_project(self) -> None:
        dialog = QFileDialog(self.window, self.tr("Open a project"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        dialog.fileSelected.connect(lambda chosen: self.project_wanted.emit(Path(chosen)))
        self._open_dialog(dialog)

    def _choose_file(self) -> None:
        dialog = QFileDialog(self.window, self.tr("Take in a plan file"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda chosen: self.submit_files([Path(chosen)]))
        self._open_dialog(dialog)

    def _open_dialog(self, dialog: QFileDialog) -> None:
        dialog.setObjectName("file-dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


_DIFF_CALLS: dict[str, Callable[[DiffView], object]] = {
    "copy": lambda diff: diff.copy(),
    "find": lambda diff: diff.open_find(),
    "find_next": lambda diff: diff.find_next(),
    "find_previous": lambda diff: diff.find_previous(),
    "unified": lambda diff: diff.toggle_mode(),
    "white_space": lambda diff: diff.toggle_whitespace(),
    "folds": lambda diff: diff.toggle_folds(),
    "zoom_in": lambda diff: diff.zoom(1),
    "zoom_out": lambda diff: diff.zoom(-1),
    "zoom_reset": lambda diff: diff.zoom(0),
    "next_change": lambda diff: diff.next_change(),
    "previous_change": lambda diff: diff.previous_change(),
}


def _in_diff(name: str, panes: Panes) -> None:
    diff = panes.diff()
    if diff is not None:
        _DIFF_CALLS[name](diff)


def _show_tab(number: int, panes: Panes) -> None:
    panes.show_tab(number)


def _toggle_viewed(desk: Desk) -> None:
    plan, step = desk.current_plan, desk.current_step
    if plan is not None and step is not None:
        desk.mark_viewed(not desk.is_viewed(plan, step))
