"""Preview page of a snapshot restore or a revert: paths and diff."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio import engine
from studio.engine import Operation
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.diff import DiffView
from studio.ui.history.rollback_pane import ROW_HEIGHT, FilePreview, RollbackHeader, file_columns
from studio.ui.history.table import Cell, TableRow, TableView
from studio.ui.language import translator
from studio.ui.limits import RESTORE_ROWS_AT_ONCE, ROLLBACK_ROWS_SHOWN
from studio.ui.look.states import NO_LINES
from studio.ui.look.words import counted, say, split_path
from studio.ui.review.queue_state import diff_of
from studio.ui.widgets import Banner, BannerKind, HairLine, Surface, column_of
from studio.ui.widgets.row_painter import SECOND
from studio.ui.widgets.text_field import is_searching

if TYPE_CHECKING:
    from studio.engine import Step
    from studio.extras.snapshots import RestorePreview
    from studio.ui.review.desk import Desk
    from studio.ui.review.restore import RestoreSource
    from studio.workspace import Workspace

_tr = translator("Restore")


class RestorePane(Surface):
    """Every path above, the diff of the selected one below."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self._preview: RestorePreview | None = None
        self._shown: dict[int, FilePreview] = {}
        self.setObjectName("restore")
        self.setAccessibleName(self.tr("Restore preview"))
        self.header = RollbackHeader(self, name="restore")
        self.banner = Banner(self, name="restore-refusal")
        self.table = TableView(
            file_columns(outcome=340),
            self,
            row_height=ROW_HEIGHT,
            name="restore-files",
            accessible=self.tr("Result for each path"),
        )
        self.diff = DiffView(self, runner=desk.project.runner)
        self.diff.set_read_only(True, self.tr("On disk now"), self.tr("After restore"))
        column_of(self.header, self.banner, self.table, HairLine(self), (self.diff, 1), parent=self)
        self.setFocusProxy(self.table)
        self.header.cancel.clicked.connect(desk.restore.cancel)
        self.header.roll_back.clicked.connect(desk.restore.carry_out)
        self.table.acted.connect(lambda _key: self.diff.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.table.selectionModel().currentRowChanged.connect(self._show_path)
        desk.restore.changed.connect(self._refresh)
        desk.guards.refresh_wanted.connect(self._update_buttons)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the table, as the reviewer opened the preview."""
        super().showEvent(event)
        if not is_searching():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh(self) -> None:
        preview, restore_source = self._desk.restore.preview, self._desk.restore.restore_source
        if preview is self._preview:
            return
        self._preview = preview
        self._shown.clear()
        self.table.rows.set_rows(())
        self.diff.clear("")
        if preview is None or restore_source is None:
            return
        self.header.title.setText(restore_source.title)
        self.diff.name_sides(self.tr("On disk now"), restore_source.after)
        self._show_refusal(preview)
        self.table.rows.set_rows(_rows(preview, RESTORE_ROWS_AT_ONCE))
        if len(preview.steps) + len(preview.left_out) > RESTORE_ROWS_AT_ONCE:
            self._desk.project.compute(_rows, preview, then=partial(self._got_rows, preview))
        self.table.fit_rows(ROLLBACK_ROWS_SHOWN)
        if self.table.rows.rowCount():
            self.table.setCurrentIndex(self.table.rows.index(0, 0))
        self._update_buttons()

    def _got_rows(self, preview: RestorePreview, rows: list[TableRow]) -> None:
        if preview is self._preview:
            self.table.rows.set_rows(rows)

    def _show_refusal(self, preview: RestorePreview) -> None:
        refusal = preview.refusal
        if refusal is not None:
            self.banner.show_message(BannerKind.DANGER, show_name(refusal.message), show_name(refusal.hint))
        elif not preview.steps:
            self.banner.show_message(BannerKind.INFO, self.tr("The project already matches the snapshot."))
        elif preview.unplanned:
            sentence = counted(
                len(preview.unplanned),
                self.tr("{n} file has outside changes"),
                self.tr("{n} files have outside changes"),
            )
            explanation = self.tr("The current content is kept only while this restore can be undone.")
            self.banner.show_message(BannerKind.WARNING, sentence, explanation)
        else:
            self.banner.hide()

    def _update_buttons(self) -> None:
        count = len(self._preview.steps) if self._preview is not None else 0
        restore_source = self._desk.restore.restore_source
        if restore_source is not None:
            self.header.roll_back.set_label(restore_source.button(count))
        self.header.roll_back.set_tip(self.tr("Writes all changes or none. You can undo this."))
        self.header.roll_back.set_reason(self._desk.reasons.of(Action.RESTORE))

    def _show_path(self) -> None:
        row, preview, restore_source = (
            self.table.current_row(),
            self._preview,
            self._desk.restore.restore_source,
        )
        if row is None or preview is None or restore_source is None:
            return
        step = next((step for step in preview.steps if str(step.number) == row.key), None)
        if step is None:
            self.diff.clear(row.accessible_text)
        elif step.number in self._shown:
            self._paint(self._shown[step.number])
        else:
            self.diff.clear("")
            job = partial(_file_of, self._desk.project.workspace, restore_source, preview, step)
            failed = self._desk.restore.report_unreadable
            self._desk.project.ask_in_background(job, then=partial(self._got_file, preview), failed=failed)

    def _got_file(self, preview: RestorePreview, shown: FilePreview) -> None:
        if preview is not self._preview:
            return
        self._shown[shown.step.number] = shown
        row = self.table.current_row()
        if row is not None and row.key == str(shown.step.number):
            self._paint(shown)

    def _paint(self, shown: FilePreview) -> None:
        self.diff.show_step(shown.step, shown.diff, shown.now, shown.after, {}, setting=shown.setting)


def _file_of(
    workspace: Workspace, restore_source: RestoreSource, preview: RestorePreview, step: Step
) -> FilePreview:
    """Return one path with both sides and diff; slow for large files."""
    now, after, setting = restore_source.sides(workspace, preview, step)
    shown = replace(step, state=engine.StepState.PENDING, facts=())
    return FilePreview(shown, diff_of(now, after, setting), now, after, setting)


def _rows(preview: RestorePreview, most: int | None = None) -> list[TableRow]:
    """Return a row per path, at most `most`; slow for thousands."""
    unplanned = frozenset(preview.unplanned)
    rows = [_step_row(step, is_unplanned=step.path in unplanned) for step in preview.steps[:most]]
    left = len(preview.left_out) if most is None else most - len(rows)
    return rows + [_left_out_row(path, reason) for path, reason in islice(preview.left_out.items(), left)]


def _step_row(step: Step, *, is_unplanned: bool) -> TableRow:
    sentence = _step_words(step)
    if is_unplanned:
        sentence = say(_tr("{what}; the file has outside changes"), what=sentence)
    counts = Cell(added=step.added, removed=step.removed)
    if not (step.added or step.removed):
        counts = Cell(NO_LINES, "muted", size=SECOND)
    sign, token = ("look-out", "warn") if is_unplanned else ("file", "muted")
    cells = (
        _name_cell(step.path, sign, token),
        counts,
        Cell(sentence, "warn" if is_unplanned else "text", size=SECOND),
    )
    return TableRow(str(step.number), cells, f"{show_name(step.path)}, {sentence}")


def _step_words(step: Step) -> str:
    image = step.result if step.result is not None else step.base
    is_folder = image is not None and image.is_folder
    words = {
        Operation.CREATE: _tr("restored"),
        Operation.MKDIR: _tr("folder restored"),
        Operation.DELETE: _tr("folder deleted") if is_folder else _tr("deleted"),
        Operation.MODE: _tr("old permissions restored"),
    }
    return words.get(step.op, _tr("restored"))


def _left_out_row(path: str, reason: str) -> TableRow:
    sentence = say(_tr("unchanged: {why}"), why=show_name(reason))
    cells = (
        _name_cell(path, "denied", "muted"),
        Cell(NO_LINES, "muted", size=SECOND),
        Cell(sentence, "muted", size=SECOND),
    )
    return TableRow(f"left-out/{path}", cells, f"{show_name(path)}, {sentence}")


def _name_cell(path: str, sign: str, token: str) -> Cell:
    folder, name = split_path(show_name(path))
    return Cell(name, icon=sign, icon_token=token, second=folder.rstrip("/"), weight=500, is_path=True)
