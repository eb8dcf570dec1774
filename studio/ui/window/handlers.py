"""Window action handlers, and enabling of actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.engine import StepState
from studio.names import show_name
from studio.ui.actions.action import Action, Needs
from studio.ui.actions.actions import Actions
from studio.ui.actions.table import ACTIONS
from studio.ui.agents.gates_popup import GatesPage
from studio.ui.diff.model.cells import Mode
from studio.ui.finders.code_fonts import CodeFonts
from studio.ui.finders.palette import KeysList, Palette
from studio.ui.finders.switcher import Switcher
from studio.ui.history.observed_pane import ObservedPane
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.review.guards import foreign_change_seconds
from studio.ui.review.state import Running
from studio.ui.step.banners import refused_folder
from studio.ui.step.pane import StepPane
from studio.ui.widgets.file_dialogs import open_file_dialog
from studio.ui.window.empty_page import EmptyPage
from studio.ui.window.interface_settings import COLOURS, fill_menus
from studio.ui.window.pages import diff_of
from studio.ui.window.pane_handlers import DESK_HANDLERS, PANE_HANDLERS, TABS

if TYPE_CHECKING:
    from studio.ui.actions.bindings import Bindings
    from studio.ui.diff import DiffView
    from studio.ui.review.backlogs import RecentProjects
    from studio.ui.review.desk import Desk
    from studio.ui.review.undo_last import UndoWords
    from studio.ui.window.main_window import MainWindow
    from studio.ui.window.panes import Panes
    from studio.ui.window.settings_opener import SettingsDoor
    from studio.ui.window.window_help import WindowHelp


_PATIENCE_MS = 300
_NEEDS = {entry.id: entry.needs for entry in ACTIONS}
_ALSO_IN_CONFLICTS = frozenset({Action.NEXT_CHANGE, Action.PREVIOUS_CHANGE, Action.FOLDS})
_SEARCHES = frozenset({Action.FIND_NEXT, Action.FIND_PREVIOUS})
_ALSO_UNDER_A_PAGE = frozenset({Action.STOP, Action.STOP_COMMAND})
"""Actions that stop something are never disabled by a page."""
_IN_PROJECTS = frozenset(action for action, needs in _NEEDS.items() if needs is not Needs.NOTHING)
_ON_LINES = tuple(action for action, needs in _NEEDS.items() if needs is Needs.LINES)
_ON_DIFFS = tuple(action for action, needs in _NEEDS.items() if needs in (Needs.DIFF, Needs.LINES))


class WindowActions(QObject):
    """Actions of one window; process-wide ones are requested by signals."""

    project_wanted = Signal(object)
    """Emitted with the `Path` of a project to open."""
    file_chosen = Signal(object)
    """Emitted with the `Path` of a plan to import."""
    demo_wanted = Signal()
    quit_wanted = Signal()
    theme_wanted = Signal(str)
    colour_blind_wanted = Signal(bool)
    font_chosen = Signal(str)
    first_steps_wanted = Signal()

    def __init__(
        self,
        window: MainWindow,
        bindings: Bindings,
        parent: QObject,
        *,
        recent_projects: RecentProjects,
        window_help: WindowHelp,
        settings: SettingsDoor,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._recent_projects = recent_projects
        self._help = window_help
        self.settings = settings
        self._desk: Desk | None = None
        self._panes: Panes | None = None
        self._is_long = False
        self._undo: UndoWords | None = None
        """Key, label and tooltip of Undo last as last shown."""
        self._busy_timer = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._busy_timer.timeout.connect(self._on_long_wait)
        self.actions = Actions(
            self._window, self._handlers(), self.reason,
            shown_reasons=self._shown_reasons, bindings=bindings, is_momentary=self._is_momentary,
        )  # fmt: skip
        self.actions.was_off.connect(self._show_off_reason)
        self.actions.recolour()
        fill_menus(self._window, self.actions)
        self._palette = Palette(self.actions, self._window)
        self._palette.text_wanted.connect(self._search_text)
        self._keys = KeysList(self.actions, self._window)
        self._fonts: CodeFonts | None = None
        self._gates: GatesPage | None = None
        self._switcher: Switcher | None = None
        window.over_changed.connect(self._on_cover_changed)

    def follow(self, desk: Desk, panes: Panes) -> None:
        """Connect actions, Apply and gate indicator to an open project."""
        self._desk, self._panes = desk, panes
        self.actions.add_handlers({action: partial(do, panes) for action, do in PANE_HANDLERS.items()})
        self.actions.add_handlers({action: partial(do, desk) for action, do in DESK_HANDLERS.items()})
        self.settings.follow(desk)
        self.actions.guard_with(desk.guards.key_guard)
        desk.guards.key_guard.pressed.connect(self._window.status.end_tip)
        desk.guards.key_guard.dropped.connect(self._show_key_held)
        for signal in (desk.guards.busy_changed, desk.observed.indexing_changed):
            signal.connect(self._show_busy)
        desk.guards.refresh_wanted.connect(self._refresh)
        self._window.status.take_back_pressed.connect(partial(self._revoke_shown, desk))
        panes.pages.page_created.connect(self._follow_page)
        for page in panes.pages.created_pages():
            self._follow_page(page)
        panes.note_left.connect(panes.focus_middle)
        self._refresh()

    def _follow_page(self, page: QWidget) -> None:
        diff, desk = diff_of(page), self._desk
        if diff is None or desk is None:
            return
        diff.card.images.mode_changed.connect(desk.guards.allowed_changed)
        if isinstance(page, StepPane):
            diff.shown_changed.connect(self._update_toggles)
        else:
            diff.change_selected.connect(desk.guards.allowed_changed)

    def show_theme(self, name: str, *, colour_blind: bool) -> None:
        """Check the current theme's menu entry and recolour the icons."""
        self.actions[Action(name)].setChecked(True)
        self.actions[Action.COLOUR_BLIND].setChecked(colour_blind)
        self.actions.recolour()

    def reason(self, action: Action) -> str:
        """Return why an action is off now, "" when it is possible."""
        return self._reasons(self._desk.check_reasons() if self._desk is not None else None)[action]

    def _shown_reasons(self) -> Mapping[Action, str]:
        """Return the same for all actions, as of the last change."""
        return self._reasons(self._desk.reasons if self._desk is not None else None)

    def _reasons(self, of_desk: Mapping[Action, str] | None) -> Mapping[Action, str]:
        """Return the reasons of the desk, overridden by the window's own."""
        desk, panes, covered = self._desk, self._panes, self._cover_reason()
        if desk is None or panes is None or of_desk is None:
            reasons = dict.fromkeys(_NEEDS, "") | dict.fromkeys(
                _IN_PROJECTS, self.tr("Open a project first.")
            )
        else:
            reasons = dict(of_desk)
            self._add_page_reasons(reasons, desk, panes)
            if covered:
                reasons |= dict.fromkeys(_IN_PROJECTS - _ALSO_UNDER_A_PAGE, covered)
        reasons[Action.DOCUMENTATION] = self._help.why_no_documentation
        return reasons

    def _add_page_reasons(self, reasons: dict[Action, str], desk: Desk, panes: Panes) -> None:
        """Add the reasons from the page, diff and dock on screen."""
        diff = self._diff()
        layout = diff.canvas.layout_ if diff is not None else None
        is_beside = layout is not None and layout.mode is Mode.SIDE_BY_SIDE
        reasons[Action.IGNORE_SPACE] = (
            "" if is_beside else self.tr("Available only in the side-by-side view.")
        )
        reasons[Action.COMPARE_IMAGES] = panes.why_no_images()
        for action, tab in TABS.items():
            reasons[action] = panes.why_no_tab(tab)
        if desk.observed.shown_row is not None and isinstance(page := panes.pages.current, ObservedPane):
            reasons[Action.TOGGLE_HUNK] = page.why_no_hunk()
            reasons[Action.LINES] = self.tr("Outside changes can only be reverted in whole hunks.")
        if desk.rollback.preview is not None:
            reasons[Action.APPLY] = reasons[Action.ROLL_BACK]
        elif desk.restore.preview is not None:
            reasons[Action.APPLY] = reasons[Action.RESTORE]
        if diff is None or not diff.row_count():
            reasons |= dict.fromkeys(_ON_LINES, self.tr("No lines are on screen."))
            if diff is None:
                reasons |= dict.fromkeys(_ON_DIFFS, self.tr("Select a step first."))
            reasons[Action.GO_TO_LINE] = self.tr("There are no lines on this page.")
            reasons |= dict.fromkeys(_SEARCHES, f"{panes.bars.nothing}.")
        if desk.rebase.settling is not None:
            reasons |= dict.fromkeys(_ALSO_IN_CONFLICTS, "")

    def _cover_reason(self) -> str:
        """Return the reason if a page covers the window, else ""."""
        over = self._window.over
        return say(self.tr("Close “{page}” first."), page=over.accessibleName()) if over is not None else ""

    def _on_cover_changed(self) -> None:
        """Start the input guard after a page over the window changed.

        What it reveals was not visible before, so a click or key press meant for the page must not decide
        anything.
        """
        if self._desk is not None:
            self._desk.guards.dead_time.begin(foreign_change_seconds())
        self._refresh()

    def _is_momentary(self) -> bool:
        desk = self._desk
        return desk is not None and (desk.guards.deciding or desk.guards.dead_time.seconds_left > 0)

    def _show_off_reason(self, action: Action, reason: str) -> None:
        self._window.status.show_reason(reason)
        if self._panes is not None and action is Action.APPROVE_STEP:
            self._panes.focus_consent()

    def _show_key_held(self) -> None:
        """Explain that a single key was ignored, and how to enable keys."""
        sentence = self.tr("Single-key shortcuts are paused. To resume, click or stop typing for a second.")
        self._window.status.show_reason(sentence)

    def _refresh(self) -> None:
        """Update actions, Apply and gate indicator from the desk."""
        desk, panes = self._desk, self._panes
        if desk is None or panes is None:
            return
        shown = self.actions.refresh()
        label, sentence, reason = self._apply_words(desk)
        toolbar = self._window.toolbar
        toolbar.show_apply(label, sentence, reason)
        self._show_undo(desk, shown[Action.UNDO_LAST])
        toolbar.gate_indicator.set_command_line_allowed(desk.queue.command_line == "allow")
        self._window.status.stop.set_reason(shown[Action.STOP])
        self._show_toggles(desk, panes)

    def _show_undo(self, desk: Desk, reason: str) -> None:
        """Show what Undo last would revert, wherever it is offered."""
        status = self._window.status
        message = status.message
        self._undo = desk.undo.words(message)
        self.actions.name(Action.UNDO_LAST, self._undo.label, self._undo.tip)
        self._window.toolbar.show_undo(self._undo, reason)
        if message is not None and message.undo is not None:
            status.undo.set_label(self.tr("Redo") if desk.undo.redoes(message.undo) else self.tr("Undo"))
            status.undo.set_reason(self._cover_reason() or desk.undo.why_not_write(message.undo))
        else:
            status.undo.set_reason(self.tr("Nothing to undo here."))
        if message is not None and message.decided is not None:
            status.take_back.set_reason(self._cover_reason() or desk.undo.why_not_decision(message.decided))

    def _revoke_shown(self, desk: Desk) -> None:
        """Revoke the decision shown in the status bar."""
        message = self._window.status.message
        if message is not None and message.decided is not None and not self._cover_reason():
            desk.undo.take_back(message.decided)

    def _allow_folder(self) -> None:
        """Open the settings at the folder denied to step or plan."""
        queue = self._desk.queue if self._desk is not None else None
        plan, step = (queue.current_plan, queue.current_step) if queue is not None else (None, None)
        steps = (step,) if step is not None else plan.steps if plan is not None else ()
        self.settings.open_allow(next(filter(None, map(refused_folder, steps)), ""))

    def _connect_agents(self) -> None:
        """List the agents on the empty page, or in the settings."""
        page = self._panes.pages.current if self._panes is not None else None
        if isinstance(page, EmptyPage):
            self._window.close_over()
            page.show_agents(self.settings.make_agents_part)
        else:
            self.settings.open_agents()

    def _undo_last(self) -> None:
        if self._desk is not None and self._undo is not None:
            self._desk.undo.press(self._undo.key, self._window.status.message)
            self._refresh()

    def _apply_words(self, desk: Desk) -> tuple[str, str, str]:
        """Return label, sentence and reason of Apply.

        The sentence says what is missing, or what will happen.
        """
        reason, plan = desk.reasons.of(Action.APPLY), desk.queue.current_plan
        if desk.guards.busy and self._is_long:
            return desk.guards.busy, "", reason
        if covered := self._cover_reason():
            return self.tr("Apply plan"), covered, covered
        if plan is not None and plan.is_review:
            count = len(plan.unwanted)
            label = say(self.tr("Revert rejected ({n})"), n=count) if count else self.tr("Revert rejected")
            return label, reason or self.tr("Creates a plan for you to approve and apply"), reason
        plans = desk.apply.plans
        if plan is None or not plans:
            return self.tr("Apply plan"), reason, reason
        approved = sum(len(each.approved) for each in plans)
        rejected = sum(step.state is StepState.REJECTED for each in plans for step in each.steps)
        if desk.apply.has_waiting_agent:
            # Only this, at the start: there is room for about thirty letters.
            what, after = self.tr("{agent} is waiting"), ""
        elif len(plans) > 1:
            what, after = self.tr("{plans} in this session"), self.tr("can be undone")
        else:
            what, after = "“{title}”", self.tr("can be undone")
        counted = words.counted(len(plans), self.tr("{n} plan"), self.tr("{n} plans"))
        agent = show_name(plan.agent) or self.tr("the agent")
        summary = say(self.tr("{steps} approved"), steps=words.steps(approved))
        if rejected:
            summary += say(self.tr(", {n} rejected"), n=rejected)
        is_running = desk.queue.is_command_running or desk.commands.running is not Running.NOTHING
        ends = self.tr("stops the command") if is_running else ""
        parts = [ends, say(what, title=show_name(plan.title), plans=counted, agent=agent), summary, after]
        label = say(self.tr("Apply {files}"), files=words.files(approved))
        if waiting := len(plan.undecided):
            sentence = self.tr("Apply {n} of {total}, keep {open} open")
            label = say(sentence, n=approved, total=approved + waiting, open=waiting)
        return label, " · ".join(filter(None, parts)), reason

    def _update_toggles(self) -> None:
        if self._desk is not None and self._panes is not None:
            self._show_toggles(self._desk, self._panes)

    def _show_toggles(self, desk: Desk, panes: Panes) -> None:
        plan, step = desk.queue.current_plan, desk.queue.current_step
        viewed = plan is not None and step is not None and desk.viewed.has(plan, step)
        diff = panes.diff()
        of_diff = diff.toggles() if diff is not None else {}
        self.actions.check(
            {
                Action.MARK_VIEWED: viewed,
                Action.COMPARE_ROUND: desk.rounds.comparison is not None,
                Action.SHOW_BASE: panes.shows_base(),
                Action.LEFT_COLUMN: not self._window.left.isHidden(),
                Action.FACTS: not panes.facts.isHidden(),
                Action.DOCK: not panes.dock_is_folded(),
            }
            | {Action(name): is_on for name, is_on in of_diff.items()}
        )

    def _show_busy(self) -> None:
        """Show a running job, unless it finishes within moments."""
        if self._desk is None:
            return
        guards, index_progress = self._desk.guards, self._desk.observed.index_progress
        if guards.busy:
            sentence, share = guards.busy, guards.busy_share
        elif index_progress is not None:
            progress = self.tr("Indexing project: {done} of {total}…")
            sentence = say(progress, done=words.size(index_progress[0]), total=words.size(index_progress[1]))
            share = index_progress[0] / index_progress[1] if index_progress[1] else 0.0
        else:
            sentence, share = "", 0.0
        if not sentence:
            self._busy_timer.stop()
            self._is_long = False
            self._window.status.show_busy("", 0.0)
        elif self._is_long:
            self._window.status.show_busy(sentence, share)
        elif not self._busy_timer.isActive():
            self._busy_timer.start()

    def _on_long_wait(self) -> None:
        self._is_long = True
        self._show_busy()
        self._refresh()

    def _diff(self) -> DiffView | None:
        return self._panes.diff() if self._panes is not None else None

    def _handlers(self) -> dict[Action, Callable[[], object]]:
        """Return the handlers of actions that run without a project."""
        handlers: dict[Action, Callable[[], object]] = {
            Action.OPEN: self._choose_project,
            Action.SWITCH_PROJECT: self._switch_project,
            Action.PASTE: self._paste,
            Action.SUBMIT_FILE: self._choose_file,
            Action.DEMO: self.demo_wanted.emit,
            Action.APPLY: self._apply,
            Action.CLOSE_WINDOW: self._window.close,
            Action.QUIT: self.quit_wanted.emit,
            Action.FIRST_STEPS: self.first_steps_wanted.emit,
            Action.PALETTE: self._open_palette,
            Action.KEYS: self._open_keys,
            Action.MENU_BAR: self._window.open_menu_bar,
            Action.SETTINGS: self.settings.open_page,
            Action.RULES: self.settings.open_rules,
            Action.ALLOW_FOLDER: self._allow_folder,
            Action.CONNECT_AGENTS: self._connect_agents,
            Action.TRUST: self.settings.open_trust,
            Action.GATES: self._open_gates,
            Action.DIAGNOSTICS: self._help.open_diagnostics,
            Action.DOCUMENTATION: self._help.open_documentation,
            Action.LETTERS: self._toggle_letters,
            Action.BACK: self._go_back,
            Action.CODE_FONT: self._choose_font,
            Action.LEFT_COLUMN: self._toggle_left,
            Action.FACTS: self._toggle_facts,
            Action.UNDO_LAST: self._undo_last,
            Action.COLOUR_BLIND: self._toggle_colour_blind,
        }
        return handlers | {action: partial(self.theme_wanted.emit, action.value) for action in COLOURS}

    def _open_palette(self) -> None:
        self._palette.open_finder()

    def _search_text(self, action: Action, text: str) -> None:
        """Search file names or lines for the text of the search box."""
        if self._panes is None:
            return
        if action is Action.GO_TO_FILE:
            self._panes.go_to_file.open_in(text)
        else:
            self._panes.dock.search.ask(text)

    def _open_keys(self) -> None:
        self._keys.open_finder()

    def _toggle_letters(self) -> None:
        self.actions.bindings.set_letters(self.actions[Action.LETTERS].isChecked())

    def _toggle_colour_blind(self) -> None:
        self.colour_blind_wanted.emit(self.actions[Action.COLOUR_BLIND].isChecked())

    def _go_back(self) -> None:
        """Close the innermost part, else focus the queue; never decide."""
        if (self._gates is not None and self._gates.close_page()) or self._window.close_over():
            return
        if self._panes is not None and self._panes.close_innermost():
            return
        if self._window.notice.close_banner() or self._help.close_fault():
            return
        if self._panes is not None:
            self._panes.focus_queue()

    def _toggle_left(self) -> None:
        self._window.toggle_left()
        self._refresh()

    def _toggle_facts(self) -> None:
        self._window.toggle_facts()
        self._refresh()

    def _apply(self) -> None:
        if self._desk is None:
            return
        if self._desk.rollback.preview is not None:
            self._desk.rollback.carry_out()
        elif self._desk.restore.preview is not None:
            self._desk.restore.carry_out()
        elif (plan := self._desk.queue.current_plan) is not None and plan.is_review:
            self._desk.reviews.take_back()
        else:
            self._desk.apply.start()

    def _paste(self) -> None:
        if self._desk is not None:
            self._desk.submission.paste(QGuiApplication.clipboard().text())

    def _choose_project(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Open project"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        dialog.fileSelected.connect(lambda chosen: self.project_wanted.emit(Path(chosen)))
        open_file_dialog(dialog)

    def _switch_project(self) -> None:
        if self._switcher is None:
            self._switcher = Switcher(
                self._recent_projects, self._own_root, self.project_wanted.emit, self._window
            )
        self._switcher.open_finder()

    def _own_root(self) -> Path | None:
        return self._desk.project.root_path if self._desk is not None else None

    def _choose_file(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Import plan"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda chosen: self.file_chosen.emit(Path(chosen)))
        open_file_dialog(dialog)

    def _choose_font(self) -> None:
        if self._fonts is None:
            self._fonts = CodeFonts(self.font_chosen.emit, self._window)
        self._fonts.open_finder()

    def _open_gates(self) -> None:
        if self._gates is None:
            gate_indicator = self._window.toolbar.gate_indicator
            self._gates = page = GatesPage(gate_indicator)
            page.wanted.connect(lambda action: self.actions.trigger(Action(action)))
            gate_indicator.changed.connect(
                lambda: page.show_gates(gate_indicator.gates, gate_indicator.command_line_allowed)
            )
            gate_indicator.changed.emit()
        self._gates.open_page()
