"""Main diff widget of one step: assembles bars, canvas, card; display toggles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from studio.engine import HunkChoice, Step, StepState
from studio.extras.diff_view.rows import line_on_other_side
from studio.ui.diff.bars.accessible_text import AccessibleText
from studio.ui.diff.bars.headings import after_heading, before_heading, side_texts
from studio.ui.diff.bars.sub_bar import SubBar
from studio.ui.diff.bars.text_search import Finder
from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.diff.canvas.overview import OverviewMap
from studio.ui.diff.code.document import DiffDocument
from studio.ui.diff.code.wrapping import WrapKind, wrap_kind
from studio.ui.diff.model.cells import Mode, Side
from studio.ui.diff.model.prepared import form_of, is_same, line_total
from studio.ui.diff.special.card import SpecialCard
from studio.ui.diff.special.card_contents import collapsed_panel, special_panel
from studio.ui.diff.special.page import SpecialPage
from studio.ui.look.theme import color
from studio.ui.look.words import say
from studio.ui.widgets import Label, Surface, column_of

if TYPE_CHECKING:
    from studio.engine import FileDiff
    from studio.ui.runner import Runner


class FocusFrame(QWidget):
    """Frame of 2 px around the diff that ignores the mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("diff-focus-frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_shown(self, shown: bool) -> None:
        self.setVisible(shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(color("accent"), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


class DiffPages(QWidget):
    """Base class of the diff view, which lays out its parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-view")
        self.sub_bar = SubBar(self)
        self.headings = self.sub_bar.headings
        self.canvas = DiffCanvas(self)
        self.map = OverviewMap(self.canvas, self)
        self.finder = Finder(self.canvas, self)
        self.text = AccessibleText(self)
        self.card = SpecialPage(self)
        self.notice = SpecialCard(self)
        self.notice.setObjectName("special-notice")
        self.notice.offer_gone.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self._frame = FocusFrame(self)
        self._lay_out()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)

    def _lay_out(self) -> None:
        self._nothing = Surface("content", self)
        for page in (self._nothing, self.card):
            page.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._empty = Label(size=13, token="muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self._nothing).addWidget(self._empty)
        self._lines = Surface("content", self)
        self._body = body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.canvas, 1)
        body.addWidget(self.map)
        column_of(self.sub_bar, self.notice, (body, 1), parent=self._lines)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        for page in (self._nothing, self._lines, self.card, self.text):
            self._pages.addWidget(page)

    def add_gutter(self, gutter: QWidget) -> None:
        """Add a widget left of the lines."""
        self._body.insertWidget(0, gutter)

    def _show_page(self, page: QWidget) -> None:
        focused = QApplication.focusWidget()
        is_here = (
            focused is not None and self.isAncestorOf(focused) and page is not self._pages.currentWidget()
        )
        self._pages.setCurrentWidget(page)
        self.setFocusProxy(self.canvas if page is self._lines else page)
        if is_here:
            # Qt focuses the first button of the page, which Space would then press.
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._frame.raise_()

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        self._frame.set_shown(new is not None and new is self.focusProxy())
        self._place_frame()

    def _place_frame(self) -> None:
        if self._pages.currentWidget() is self._lines:
            area = self.canvas.geometry().united(self.map.geometry())
            self._frame.setGeometry(QRect(self._lines.mapTo(self, area.topLeft()), area.size()))
        else:
            self._frame.setGeometry(self.rect())
        self._frame.raise_()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._place_frame()
        return handled


class DiffView(DiffPages):
    """View of exactly what a step would write, with hunk selection."""

    hunk_toggled = Signal(int)
    """Emitted when the check box or the button of a hunk (from 1) is pressed."""
    lines_toggled = Signal(int, object)
    """Emitted with a hunk (from 1) and the frozenset of its pressed lines.

    The lines are numbered as in a choice of lines.
    """
    action_pressed = Signal(str)
    """Emitted with the id of another button on the current hunk's band."""
    change_selected = Signal(int, int)
    """Emitted with the current hunk (from 1) and the number of hunks; 0, 0 without lines."""
    end_reached = Signal(int)
    """Emitted to ask for the change after the last (1) or before the first (-1)."""
    painted = Signal(str)
    """Emitted with the revision of the step that is on screen now."""
    whole_wanted = Signal()
    """Emitted to show the diff of a collapsed step."""
    find_wanted = Signal()
    """Emitted to ask for the search field."""
    shown_changed = Signal()
    """Emitted when the mode, wrapping, white space, folds, or choosing of lines changed."""

    def __init__(self, parent: QWidget | None = None, *, runner: Runner | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._step: Step | None = None
        self._diff: FileDiff | None = None
        self._setting: str | None = None
        self._document: DiffDocument | None = None
        self._choices: Mapping[int, HunkChoice] = {}
        self._unified = False
        self._blanks = False
        self._folds = True
        self._kind = WrapKind.CODE
        self._wrapped: dict[WrapKind, bool] = {}
        """Whether files of a kind wrap, where a person chose that."""
        self._one_sided = False
        self._is_head = False
        self._read_only = False
        self.goes_on = False
        """Whether the next change after the last is in another file, requested by `end_reached`."""
        self._headings_key: tuple[str, str] | None = None
        self.base_name = ""
        """What the left side is, where it is not the file on disk."""
        self._connect()
        self.clear("")

    # What is shown

    def show_step(
        self,
        step: Step,
        diff: FileDiff | None,
        base: bytes | None,
        result: bytes | None,
        choices: Mapping[int, HunkChoice],
        *,
        stands_for: str = "",
        is_head: bool = False,
        is_collapsed: bool = False,
        setting: str | None = None,
    ) -> None:
        """Show a step with its chosen hunks, all by default.

        `setting` is the project's encoding for its path. `stands_for` is what `painted` emits, by default the
        step's revision. A decided step without choices shows those of its decision. The same bytes shown
        again keep their position. With `is_head` the diff is only the beginning of a long one that is still
        being compared: nothing can be chosen, and `painted` is not emitted. Other bytes of the same file
        replace the old ones without scrolling. With `is_collapsed` a card that sums it up replaces the lines.
        """
        if not choices and step.decision is not None and step.state is not StepState.PENDING:
            choices = step.decision.choices
        same_file = self._document is not None and self._is_same_file(step)
        same = same_file and setting == self._setting and is_same(diff, self._diff)
        self._is_head, self._setting = is_head, setting
        self._step, self._diff, self._choices = step, diff, choices
        panel = special_panel(step, diff, base, result, setting)
        if is_head and panel is not None and panel.above_lines:
            panel = None
        if is_collapsed and diff is not None and (panel is None or panel.above_lines):
            panel = collapsed_panel(step)
        if panel is not None and not panel.above_lines:
            self._drop_document()
            revision = "" if is_head else stands_for or step.revision
            self.card.show_panel(panel, revision, base, result, self._runner, setting=setting)
            self._show_page(self.card)
            return
        assert diff is not None
        if panel is not None:
            self.notice.show_panel(panel)
        self.notice.setVisible(panel is not None)
        if same:
            self.canvas.set_choices(choices)
        else:
            self._show_document(step, diff, base, result, setting, stay=same_file)
        self.canvas.set_boxes(self._has_boxes(), self._lock())
        self.canvas.await_paint("" if is_head else stands_for or step.revision)
        self._show_headings()
        if same and self.is_text():
            self._fill_text()
        else:
            self._show_page(self._lines)

    def show_file(self, step: Step, diff: FileDiff, content: bytes, setting: str | None) -> None:
        """Show a file without marks and folds, under the step's name."""
        stay = self._document is not None and self._is_same_file(step)
        self._step, self._diff, self._choices, self._is_head = step, diff, {}, False
        self.notice.hide()
        self._show_document(step, diff, None, content, setting, stay=stay)
        self.set_folds(False)
        self._show_headings()
        self._show_page(self._lines)

    def _is_same_file(self, step: Step) -> bool:
        return self._step is not None and (self._step.id, self._step.target) == (step.id, step.target)

    def clear(self, text: str) -> None:
        """Show only a line of text."""
        self._drop_document()
        self._step = self._diff = None
        self._empty.setText(text)
        self._show_page(self._nothing)

    def set_read_only(self, read_only: bool, before: str = "", after: str = "") -> None:
        """Switch to read-only with other headings, as for rollback previews.

        `read_only=False` restores the check boxes and headings of a step.
        """
        self._read_only = read_only
        self.canvas.set_boxes(self._has_boxes(), self._lock())
        self.name_sides(before if read_only else "", after)

    def name_sides(self, before: str, after: str) -> None:
        """Set the headings; "" restores those of the step."""
        self._headings_key = (before, after) if before and after else None
        if self._headings_key is not None:
            self.card.images.name_sides(before, after)
        self._show_headings()

    def row_count(self) -> int:
        """Return the number of rows shown, including bands and folds."""
        return self.canvas.layout_.rows if self.canvas.layout_ is not None else 0

    def special_title(self) -> str:
        """Return the title of the card or notice shown, else ""."""
        page = self._pages.currentWidget()
        if page is self.card:
            return self.card.title()
        return self.notice.title() if page is self._lines and not self.notice.isHidden() else ""

    # How it is shown

    def toggles(self) -> dict[str, bool]:
        """Return the state of each view toggle by action id."""
        return {
            "unified": self._unified,
            "wrap": self.canvas.wraps,
            "white_space": self._blanks,
            "ignore_space": self.canvas.ignores_space,
            "folds": self._folds,
            "text": self.is_text(),
            "lines": self.canvas.lines_hunk > 0,
        }

    def mode(self) -> str:
        return "unified" if self._unified else "side_by_side"

    def set_mode(self, mode: str) -> None:
        """Set the mode, "side_by_side" or "unified"."""
        self._unified = mode == "unified"
        self.canvas.set_mode(self._mode())
        self._show_headings()
        self._update_buttons()

    def toggle_mode(self) -> None:
        self.set_mode("side_by_side" if self._unified else "unified")

    def set_wrap(self, wraps: bool) -> None:
        """Wrap long lines of files like this one; both sides stay aligned."""
        self._wrapped[self._kind] = wraps
        self.canvas.set_wrap(wraps)
        self._update_buttons()

    def toggle_wrap(self) -> None:
        self.set_wrap(not self.canvas.wraps)

    def whitespace(self) -> bool:
        return self._blanks

    def set_whitespace(self, shown: bool) -> None:
        """Show or hide spaces, tabs and line ends."""
        self._blanks = shown
        if self._document is not None:
            self._document.set_blanks(shown)
            self.canvas.redraw()
            if self.is_text():
                self._fill_text()
        self._update_buttons()

    def toggle_whitespace(self) -> None:
        self.set_whitespace(not self._blanks)

    def toggle_ignored_space(self) -> None:
        """Ignore white space in the display or not; the step is unaffected."""
        self.canvas.set_ignores_space(not self.canvas.ignores_space)
        self._show_headings()
        self._update_buttons()

    def folds(self) -> bool:
        return self._folds

    def set_folds(self, folds: bool) -> None:
        """Fold unchanged lines, or show the whole file."""
        self._folds = folds
        self.canvas.set_folds(folds)
        if self.is_text():
            self._fill_text()
        self._update_buttons()

    def toggle_folds(self) -> None:
        self.set_folds(not self._folds)

    def zoom(self, steps: int) -> None:
        """Enlarge (1) or shrink (-1) the code; 0 resets its size."""
        self.canvas.zoom(steps)
        self.text.code_font.use(self.canvas.zoom_factor)

    def is_text(self) -> bool:
        """Return whether the diff is shown as accessible text (F7)."""
        return self._pages.currentWidget() is self.text

    def toggle_text(self) -> None:
        """Switch between painted rows and accessible text."""
        if self.is_text():
            self._show_page(self._lines)
            self.canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif self._document is not None and self._pages.currentWidget() is self._lines:
            # The text must be on screen before a line can be scrolled to its middle.
            self._show_page(self.text)
            self._fill_text()
            self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_text(self) -> bool:
        """Show painted rows again; return whether the text was shown."""
        if not self.is_text():
            return False
        self.toggle_text()
        return True

    # Choosing

    def toggle_current(self) -> None:
        """Toggle the current hunk, or the current or selected lines.

        Lines are toggled while the lines of the hunk are being chosen.
        """
        if self.canvas.lines_hunk and self.canvas.lines_hunk == self.canvas.current_hunk:
            self.canvas.toggle_lines()
        elif self.canvas.current_hunk:
            self.hunk_toggled.emit(self.canvas.current_hunk)

    def chosen_lines(self) -> frozenset[int] | None:
        """Return the selected changed lines, else the current one.

        Returns None unless lines of the current hunk are being chosen.
        """
        is_choosing = self.canvas.lines_hunk and self.canvas.lines_hunk == self.canvas.current_hunk
        return self.canvas.chosen_lines() if is_choosing else None

    def lines_hunk(self) -> int:
        """Return the hunk whose single lines are being chosen, 0 for none."""
        return self.canvas.lines_hunk

    def toggle_lines_mode(self) -> None:
        """Start or stop choosing single lines of the current hunk."""
        self.canvas.toggle_lines_mode()

    def close_lines_mode(self) -> bool:
        """Stop choosing single lines; return whether that was active."""
        if not self.canvas.lines_hunk:
            return False
        self.canvas.leave_lines_mode()
        return True

    # Navigation, search, clipboard

    def current_hunk(self) -> int:
        """Return the current hunk, from 1, or 0 without one."""
        return self.canvas.current_hunk

    def next_change(self) -> None:
        self._move_change(1)

    def previous_change(self) -> None:
        self._move_change(-1)

    def last_change(self) -> None:
        self._go_to_hunk(self._hunk_count())

    def _move_change(self, by: int) -> None:
        hunk = self.canvas.hunk_beside(by)
        if 1 <= hunk <= self._hunk_count():
            self._go_to_hunk(hunk)
        elif not (self._is_head or self.is_waiting()):
            self.end_reached.emit(by)

    def _hunk_count(self) -> int:
        return len(self._diff.hunks) if self._diff is not None and self._document is not None else 0

    def _go_to_hunk(self, hunk: int) -> None:
        self.canvas.go_to_hunk(hunk)
        if self.is_text():
            self._place_text()

    def go_to_line(self, side: str, line: int) -> None:
        """Scroll to a line (from 1) of the "base" or the "result"."""
        self.canvas.select_line(Side(side), line - 1)
        if self.is_text():
            # The fold that hid the line is open now.
            self._fill_text()
            self.text.go_to(Side(side), line - 1)

    def current_line_of(self, side: Side) -> int:
        """Return the current line (from 1) as numbered on a side."""
        position = self.canvas.clicked_line()
        if position is None or self._diff is None:
            return 1
        found, line = position
        if found is not side and not self._one_sided:
            line = line_on_other_side(self._diff, line, is_base=found is Side.BASE)
        return line + 1

    def line_count(self) -> int:
        """Return the line count of the result, or of a deleted base.

        It is 0 where no lines are shown.
        """
        return len(self._document.lines(self._only_side())) if self._document is not None else 0

    def go_to_shown_line(self, line: int) -> None:
        """Scroll to a line (from 1) of the side that `line_count` counts."""
        self.go_to_line(self._only_side().value, line)

    def is_waiting(self) -> bool:
        """Return whether the content to show has not arrived yet."""
        return self._pages.currentWidget() is self._nothing and not self._empty.text()

    def _only_side(self) -> Side:
        return Side.BASE if self._diff is not None and not self._diff.result else Side.RESULT

    def page(self, pages: int) -> bool:
        """Scroll by pages; return whether the view moved."""
        return self._document is not None and self.canvas.page(pages)

    def copy(self) -> bool:
        """Copy the selected text of one side; return whether there was any."""
        if self.is_text() and self.text.textCursor().hasSelection():
            self.text.copy()
            return True
        return self.canvas.copy()

    def select_all(self) -> None:
        self.canvas.select_all()

    def close_innermost(self) -> bool:
        """Close the innermost open part of the diff; return whether any was."""
        on_card = self._pages.currentWidget() is self.card
        return (on_card and self.card.close_reading()) or self.close_text() or self.close_lines_mode()

    # Internals

    def _connect(self) -> None:
        self.sub_bar.previous_pressed.connect(self.previous_change)
        self.sub_bar.next_pressed.connect(self.next_change)
        self.sub_bar.find_pressed.connect(self.find_wanted)
        self.sub_bar.blanks_pressed.connect(self.toggle_whitespace)
        self.sub_bar.folds_pressed.connect(self.toggle_folds)
        self.sub_bar.mode_pressed.connect(self.set_mode)
        self.sub_bar.wrap_pressed.connect(self.toggle_wrap)
        self.text.line_reached.connect(self.canvas.go_to_line)
        self.canvas.hunk_pressed.connect(self.hunk_toggled)
        self.canvas.lines_pressed.connect(self.lines_toggled)
        self.canvas.action_pressed.connect(self.action_pressed)
        self.canvas.lines_mode_changed.connect(self._update_buttons)
        self.canvas.current_changed.connect(self._current_changed)
        # A listener may change widgets, which is not allowed during painting.
        self.canvas.was_painted.connect(self.painted, Qt.ConnectionType.QueuedConnection)
        self.notice.offered.connect(self._carry_out)
        self.card.whole_wanted.connect(self.whole_wanted)
        self.card.was_painted.connect(self.painted, Qt.ConnectionType.QueuedConnection)

    def _carry_out(self, offer: str) -> None:
        """Carry out the action that the notice above the lines offers."""
        if offer == "line":
            self.go_to_line(Side.RESULT.value, self.notice.line)
        elif offer == "white_space":
            self.set_whitespace(True)
        elif offer == "change":
            self.canvas.go_to_hunk(1)

    def _show_document(
        self,
        step: Step,
        diff: FileDiff,
        base: bytes | None,
        result: bytes | None,
        setting: str | None,
        *,
        stay: bool,
    ) -> None:
        shown = self._document if stay else None
        position, before = (
            (self.canvas.scroll_state(), shown.colours.cached_colours())
            if shown is not None
            else (None, None)
        )
        self._drop_document()
        self._one_sided = base is None or result is None
        self._document = DiffDocument(
            diff,
            (form_of(base, setting), form_of(result, setting)),
            (step.path, step.target),
            self._runner,
            no_newline=self.tr("no newline at end of file"),
            show_blanks=self._blanks,
            lines=max(map(line_total, (base or b"", result or b""))) if self._is_head else 0,
            before=before,
            facts=step.facts,
            parent=self,
        )
        self._kind = wrap_kind(step.target, diff.base_lines, diff.result_lines)
        self.canvas.set_wrap(self._wrapped.get(self._kind, self._kind is not WrapKind.CODE))
        self.canvas.show_document(self._document, self._mode(), self._choices)
        if position is not None:
            self.canvas.restore_scroll(position)
        self.finder.set_document(self._document)
        self._update_buttons()

    def _drop_document(self) -> None:
        document, self._document = self._document, None
        self.finder.set_document(None)
        if document is not None:
            self.text.clear_diff()
            self.canvas.show_document(None, self._mode(), {})
            document.stop()
            document.deleteLater()

    def _fill_text(self) -> None:
        if self._document is not None:
            self.text.show_diff(self._document, self._choices, self.canvas.revealed)
            self._place_text()

    def _place_text(self) -> None:
        """Move the text's caret to the line of the painted diff."""
        position = self.canvas.clicked_line()
        if position is not None:
            self.text.go_to(*position)

    def _mode(self) -> Mode:
        if self._one_sided:
            return Mode.ONE_SIDE
        return Mode.UNIFIED if self._unified else Mode.SIDE_BY_SIDE

    def _has_boxes(self) -> bool:
        """Return whether hunks can be chosen.

        They can't in a step that is stale, refused or closed, nor in a symbolic link.
        """
        open_states = (StepState.PENDING, StepState.APPROVED)
        step = self._step if not self._read_only and not self._is_head else None
        return step is not None and step.state in open_states and not step.has_link_side

    def _lock(self) -> str:
        """Return why hunks can't be excluded now, else ""."""
        if (step := self._step) is not None and step.state is StepState.APPROVED:
            return self.tr("This step is approved. Undo that decision first.")
        if step is not None and step.state is not StepState.PENDING:
            return self.tr("Only a pending step can be changed.")
        is_part = step is not None and step.unit is not None
        return (
            self.tr("This step is part of a larger change that can only be approved or rejected as a whole.")
            if is_part
            else ""
        )

    def _show_headings(self) -> None:
        step, diff = self._step, self._diff
        if step is None or diff is None:
            return
        before = self.base_name or before_heading(step)
        after = after_heading(step, diff, self._choices)
        if self._headings_key is not None:
            before, after = self._headings_key
        elif self._is_head:
            after = self.tr("After this step · comparing remaining lines…")
        is_deleted = not diff.result
        texts = side_texts(
            before, after, one_sided=self._one_sided, unified=self._unified, is_deleted=is_deleted
        )
        if self.canvas.ignores_space and len(texts) > 1:
            texts = (before, say(self.tr("Whitespace ignored · {after}"), after=after))
        self.headings.show_texts(texts, self.map.sizeHint().width())

    def _show_page(self, page: QWidget) -> None:
        super()._show_page(page)
        if page is not self._lines:
            self.change_selected.emit(0, 0)

    def _current_changed(self, current: int, total: int) -> None:
        self.sub_bar.show_position(current, total, has_more=self.goes_on)
        self.change_selected.emit(current, total)

    def _update_buttons(self) -> None:
        reason = self.tr("This file exists only before or only after the change.") if self._one_sided else ""
        self.sub_bar.show_state(
            unified=self._unified,
            wrap=self.canvas.wraps,
            blanks=self._blanks,
            folds=self._folds,
            one_sided=reason,
        )
        self.shown_changed.emit()
