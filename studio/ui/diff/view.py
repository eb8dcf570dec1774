"""The diff of one step: sub bar, headings, painted sides, overview map; a card where there are no lines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from studio.engine.plan import HunkChoice, Step, StepState
from studio.ui.diff.canvas import DiffCanvas
from studio.ui.diff.document import DiffDocument, form_of
from studio.ui.diff.find import MOST_HITS, Hit, find_in
from studio.ui.diff.find_bar import FindBar
from studio.ui.diff.headings import SideHeadings, after_heading, before_heading
from studio.ui.diff.layout import Mode, Side
from studio.ui.diff.overview import OverviewMap
from studio.ui.diff.special import special_panel
from studio.ui.diff.special_card import SpecialCard
from studio.ui.diff.sub_bar import SubBar
from studio.ui.theme import color
from studio.ui.widgets import Label, Surface

if TYPE_CHECKING:
    from studio.engine.diff import FileDiff
    from studio.ui.runner import Runner


class DiffView(QWidget):
    """Shows what a step would write, exactly, and where its hunks can be left out."""

    hunk_toggled = Signal(int)
    """The person pressed the check box or the button of a hunk (from 1)."""
    change_selected = Signal(int, int)
    """The current hunk (from 1) and how many there are; 0, 0 without lines."""
    painted = Signal(str)
    """The revision of the step that stands on screen now."""
    shown_changed = Signal()
    """Side by side or unified, white space, or folds were switched."""

    def __init__(self, parent: QWidget | None = None, *, runner: Runner | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-view")
        self._runner = runner
        self._step: Step | None = None
        self._diff: FileDiff | None = None
        self._document: DiffDocument | None = None
        self._choices: Mapping[int, HunkChoice] = {}
        self._unified = False
        self._blanks = False
        self._folds = True
        self._one_sided = False
        self._read_only: tuple[str, str] | None = None
        self._hits: list[Hit] = []
        self._hit = -1
        self.sub_bar = SubBar(self)
        self.find_bar = FindBar(self)
        self.find_bar.hide()
        self.headings = SideHeadings(self)
        self.canvas = DiffCanvas(self)
        self.map = OverviewMap(self.canvas, self)
        self.card = SpecialCard(self)
        self.notice = SpecialCard(self)
        self.notice.setObjectName("special-notice")
        self._frame = _FocusFrame(self)
        self._lay_out()
        self._connect()
        self.clear("")

    def set_runner(self, runner: Runner) -> None:
        """Where code is coloured; without one it stays plain."""
        self._runner = runner

    # What is shown

    def show_step(
        self,
        step: Step,
        diff: FileDiff | None,
        base: bytes | None,
        result: bytes | None,
        choices: Mapping[int, HunkChoice],
    ) -> None:
        """Show a step. `choices` says what of each hunk goes in, True where nothing is said.

        A decided step without choices shows those of its decision. The same bytes shown again stay where
        they are.
        """
        if not choices and step.decision is not None and step.state is not StepState.PENDING:
            choices = step.decision.choices
        same = self._document is not None and self._is_same_file(step) and _is_same(diff, self._diff)
        self._step, self._diff, self._choices = step, diff, choices
        panel = special_panel(step, diff, base, result)
        if panel is not None and not panel.above_lines:
            self._drop_document()
            self.card.show_panel(panel, step.revision)
            self._show_page(self.card)
            return
        assert diff is not None
        if panel is not None:
            self.notice.show_panel(panel)
        self.notice.setVisible(panel is not None)
        if same:
            self.canvas.set_choices(choices)
        else:
            self._show_document(step, diff, base, result)
        self.canvas.set_boxes(self._has_boxes(), self._lock())
        self.canvas.stand_for(step.revision)
        self._show_headings()
        self._show_page(self._lines)

    def _is_same_file(self, step: Step) -> bool:
        return self._step is not None and (self._step.id, self._step.target) == (step.id, step.target)

    def clear(self, text: str) -> None:
        """Show nothing but a line of text."""
        self._drop_document()
        self._step = self._diff = None
        self._empty.setText(text)
        self._show_page(self._nothing)

    def set_read_only(self, read_only: bool, before: str = "", after: str = "") -> None:
        """Without check boxes, under other headings: a preview of what a rollback would do."""
        self._read_only = (before, after) if read_only else None
        self.canvas.set_boxes(self._has_boxes(), self._lock())
        self._show_headings()

    def row_count(self) -> int:
        """Rows of the diff as it is shown now, bands and folds among them."""
        return self.canvas.layout_.rows if self.canvas.layout_ is not None else 0

    def special_title(self) -> str:
        """Title of the card that is shown, alone or above the lines; "" without one."""
        page = self._pages.currentWidget()
        if page is self.card:
            return self.card.title()
        return self.notice.title() if page is self._lines and not self.notice.isHidden() else ""

    # How it is shown

    def mode(self) -> str:
        return "unified" if self._unified else "side_by_side"

    def set_mode(self, mode: str) -> None:
        """ "side_by_side" or "unified"."""
        self._unified = mode == "unified"
        self.canvas.set_mode(self._mode())
        self._show_headings()
        self._say_shown()

    def toggle_mode(self) -> None:
        self.set_mode("side_by_side" if self._unified else "unified")

    def whitespace(self) -> bool:
        return self._blanks

    def set_whitespace(self, shown: bool) -> None:
        """Draw spaces, tabs and line ends."""
        self._blanks = shown
        if self._document is not None:
            self._document.set_blanks(shown)
            self.canvas.redraw()
        self._say_shown()

    def toggle_whitespace(self) -> None:
        self.set_whitespace(not self._blanks)

    def folds(self) -> bool:
        return self._folds

    def set_folds(self, folds: bool) -> None:
        """Fold unchanged lines away, or show the whole file."""
        self._folds = folds
        self.canvas.set_folds(folds)
        self._say_shown()

    def toggle_folds(self) -> None:
        self.set_folds(not self._folds)

    def zoom(self, steps: int) -> None:
        """Larger (1) or smaller (-1) code; 0 is the usual size."""
        self.canvas.zoom(steps)

    # Moving, finding, copying

    def current_hunk(self) -> int:
        """The current hunk, from 1; 0 without one."""
        return self.canvas.current_hunk

    def next_change(self) -> None:
        self.canvas.go_to_hunk(self.canvas.current_hunk + 1)

    def previous_change(self) -> None:
        self.canvas.go_to_hunk(self.canvas.current_hunk - 1)

    def go_to_line(self, side: str, line: int) -> None:
        """Bring a line (from 1) of the "base" or the "result" into view."""
        self.canvas.go_to_line(Side(side), line - 1)

    def page(self, pages: int) -> bool:
        """Scroll by pages; says whether there was anything left to scroll."""
        return self._document is not None and self.canvas.page(pages)

    def copy(self) -> bool:
        """Copy the selected text of one side, without signs; says whether any was selected."""
        return self.canvas.copy()

    def select_all(self) -> None:
        self.canvas.select_all()

    def open_find(self) -> None:
        """Open the search and put the cursor into it."""
        if self._document is not None:
            self.find_bar.show()
            self.find_bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.find_bar.field.selectAll()
            self._find(self.find_bar.field.text())

    def close_find(self) -> bool:
        """Close the search; says whether it was open."""
        if self.find_bar.isHidden():
            return False
        self.find_bar.hide()
        self.canvas.set_hits({}, None)
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def find_next(self) -> None:
        self._step_hit(1)

    def find_previous(self) -> None:
        self._step_hit(-1)

    def _find(self, wanted: str) -> None:
        self._hits, self._hit = [], -1
        document = self._document
        if document is not None and wanted:
            removed = _removed_lines(document)
            found = [hit for hit in self._found(document, Side.BASE, wanted) if hit.line in removed]
            found += self._found(document, Side.RESULT, wanted)
            layout = self.canvas.layout_
            if layout is not None:
                found.sort(
                    key=lambda hit: (layout.row_near(hit.side, hit.line), hit.side.value, hit.line, hit.start)
                )
            self._hits = found
        self._step_hit(1)

    @staticmethod
    def _found(document: DiffDocument, side: Side, wanted: str) -> list[Hit]:
        hits: list[Hit] = []
        for hit in find_in(document.lines(side), side, wanted, document.encoding(side)):
            hits.append(hit)
            if len(hits) >= MOST_HITS:
                break
        return hits

    def _step_hit(self, by: int) -> None:
        current = None
        if self._hits:
            self._hit = (self._hit + by) % len(self._hits)
            current = self._hits[self._hit]
            self.canvas.go_to_line(current.side, current.line)
        by_line: dict[tuple[Side, int], tuple[Hit, ...]] = {}
        for hit in self._hits:
            key = (hit.side, hit.line)
            by_line[key] = (*by_line.get(key, ()), hit)
        self.canvas.set_hits(by_line, current)
        self.find_bar.show_count(self._hit + 1, len(self._hits))

    # Inside

    def _lay_out(self) -> None:
        self._nothing = Surface("content", self)
        for page in (self._nothing, self.card):
            page.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._empty = Label(size=13, token="muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self._nothing).addWidget(self._empty)
        self._lines = Surface("content", self)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.canvas, 1)
        body.addWidget(self.map)
        lines = QVBoxLayout(self._lines)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(0)
        lines.addWidget(self.sub_bar)
        lines.addWidget(self.find_bar)
        lines.addWidget(self.notice)
        lines.addWidget(self.headings)
        lines.addLayout(body, 1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        for page in (self._nothing, self._lines, self.card):
            self._pages.addWidget(page)

    def _connect(self) -> None:
        self.sub_bar.previous_pressed.connect(self.previous_change)
        self.sub_bar.next_pressed.connect(self.next_change)
        self.sub_bar.find_pressed.connect(self.open_find)
        self.sub_bar.blanks_pressed.connect(self.toggle_whitespace)
        self.sub_bar.folds_pressed.connect(self.toggle_folds)
        self.sub_bar.mode_pressed.connect(self.set_mode)
        self.find_bar.wanted.connect(self._find)
        self.find_bar.stepped.connect(self._step_hit)
        self.find_bar.closed.connect(self.close_find)
        self.canvas.hunk_pressed.connect(self.hunk_toggled)
        self.canvas.current_changed.connect(self._current_changed)
        # A listener may change widgets, which is not allowed while something is being painted.
        self.canvas.was_painted.connect(self.painted, Qt.ConnectionType.QueuedConnection)
        self.notice.line_wanted.connect(partial(self.go_to_line, Side.RESULT.value))
        self.card.was_painted.connect(self.painted, Qt.ConnectionType.QueuedConnection)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)

    def _show_document(self, step: Step, diff: FileDiff, base: bytes | None, result: bytes | None) -> None:
        self._drop_document()
        self._one_sided = base is None or result is None
        self._document = DiffDocument(
            diff,
            (form_of(base), form_of(result)),
            (step.path, step.target),
            self._runner,
            no_newline=self.tr("no newline at the end"),
            show_blanks=self._blanks,
            parent=self,
        )
        self.canvas.show_document(self._document, self._mode(), self._choices)
        self._say_shown()

    def _drop_document(self) -> None:
        document, self._document = self._document, None
        self._hits, self._hit = [], -1
        self.find_bar.hide()
        if document is not None:
            self.canvas.show_document(None, self._mode(), {})
            document.stop()
            document.deleteLater()

    def _mode(self) -> Mode:
        if self._one_sided:
            return Mode.ONE_SIDE
        return Mode.UNIFIED if self._unified else Mode.SIDE_BY_SIDE

    def _has_boxes(self) -> bool:
        """Hunks of a step that is stale, refused or done with can't be chosen any more."""
        open_states = (StepState.PENDING, StepState.APPROVED)
        return self._read_only is None and self._step is not None and self._step.state in open_states

    def _lock(self) -> str:
        """Why hunks can't be left out now."""
        step = self._step
        if step is None or step.state is StepState.PENDING:
            return ""
        if step.state is StepState.APPROVED:
            return self.tr("This step is approved. Take that back first.")
        return self.tr("Only a pending step can be changed.")

    def _show_headings(self) -> None:
        step, diff = self._step, self._diff
        if step is None or diff is None:
            return
        before, after = before_heading(step), after_heading(step, len(diff.hunks), self._choices)
        if self._read_only is not None:
            before, after = self._read_only
        if self._one_sided:
            gone = not diff.result
            texts: tuple[str, ...] = (f"{before}  →  {after}" if gone else after,)
        elif self._unified:
            texts = (f"{before}  →  {after}",)
        else:
            texts = (before, after)
        self.headings.show_texts(texts, self.map.sizeHint().width())

    def _show_page(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        self.setFocusProxy(self.canvas if page is self._lines else page)
        self._frame.raise_()
        if page is not self._lines:
            self.change_selected.emit(0, 0)

    def _current_changed(self, current: int, total: int) -> None:
        self.sub_bar.show_position(current, total)
        self.change_selected.emit(current, total)

    def _say_shown(self) -> None:
        reason = self.tr("This file stands on one side only.") if self._one_sided else ""
        self.sub_bar.show_state(
            unified=self._unified, blanks=self._blanks, folds=self._folds, one_sided=reason
        )
        self.shown_changed.emit()

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


class _FocusFrame(QWidget):
    """The 2 px frame around the diff while it has the focus; lets every press through."""

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


def _is_same(diff: FileDiff | None, before: FileDiff | None) -> bool:
    """Whether two diffs compare the same bytes: the file was looked at again and nothing is new."""
    if diff is None or before is None:
        return False
    return diff is before or (diff.base == before.base and diff.result == before.result)


def _removed_lines(document: DiffDocument) -> frozenset[int]:
    """Base lines that the result does not have."""
    return frozenset(
        line for change in document.diff.changes for line in range(change.old_first, change.old_end)
    )
