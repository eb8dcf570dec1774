"""Preview page of a rollback: file selection, later changes (drift), and diff."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from studio.engine import DriftResolution, Plan, Step, StepState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.diff import DiffView
from studio.ui.history.table import CHECK_WIDTH, Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.limits import ROLLBACK_ROWS_SHOWN
from studio.ui.look.icons import paint_icon
from studio.ui.look.states import NO_LINES
from studio.ui.look.theme import color, px
from studio.ui.look.words import counted, say, split_path
from studio.ui.review.queue_state import diff_of
from studio.ui.widgets import (
    STRETCH,
    Button,
    ButtonKind,
    CheckBox,
    ElidedLabel,
    HairLine,
    Surface,
    column_of,
    row_of,
)
from studio.ui.widgets.row_painter import SECOND
from studio.ui.widgets.text_field import is_searching
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import FileDiff, RollbackFile, RollbackPreview
    from studio.ui.review.desk import Desk


ROW_HEIGHT = 26


class RollbackHeader(Surface):
    """Title of a rollback, with Cancel and the button that writes.

    `name` is the prefix of the object names.
    """

    def __init__(self, parent: QWidget | None = None, *, name: str = "rollback") -> None:
        super().__init__("window", parent)
        self.setObjectName(f"{name}-header")
        self.setFixedHeight(px(36))
        self.title = ElidedLabel("", self, size=14, weight=600, name=f"{name}-title")
        self.cancel = Button(
            self.tr("Cancel"),
            self,
            kind=ButtonKind.TOOL,
            key="Esc",
            name=f"{name}-cancel",
            tip=self.tr("Closes the preview without writing anything."),
        )
        self.roll_back = Button(
            self.tr("Roll back"),
            self,
            icon="rolled-back",
            kind=ButtonKind.PRIMARY,
            key="Ctrl+Shift+↵",
            name=f"{name}-write",
        )
        row = row_of(self.title, parent=self, margins=(px(38), 0, px(8), 0), spacing=px(10))
        note = self.tr("preview · nothing written yet")
        preview = ElidedLabel(note, self, size=12, token="muted", mode=Qt.TextElideMode.ElideRight)
        preview.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row.addWidget(preview, 1)
        row.addWidget(self.cancel)
        row.addSpacing(px(10))
        row.addWidget(self.roll_back)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        paint_icon(painter, "rolled-back", "accent", px(13), (self.height() - px(18)) / 2, size=18)


class RollbackTools(Surface):
    """Check boxes to choose all files, and to list drifted ones only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("rollback-tools")
        self.setFixedHeight(px(30))
        self.all = CheckBox(self.tr("All files that can be restored"), self, name="rollback-all")
        self.only_unusual = CheckBox(
            self.tr("Only files needing attention"), self, name="rollback-only-changed"
        )
        row_of(
            self.all, self.only_unusual, STRETCH, parent=self, margins=(px(10), 0, px(9), 0), spacing=px(20)
        )

    def show_choice(self, chosen: int, possible: int, unusual: int) -> None:
        """Show how many files are chosen, can be chosen, and have drifted."""
        some = 0 < chosen < possible
        self.all.setTristate(some)
        whole = Qt.CheckState.Checked if possible and chosen == possible else Qt.CheckState.Unchecked
        self.all.setCheckState(Qt.CheckState.PartiallyChecked if some else whole)
        self.all.set_reason("" if possible else self.tr("No files can be restored automatically."))
        self.only_unusual.setVisible(unusual > 0)
        if not unusual:
            self.only_unusual.setChecked(False)


class RollbackPane(Surface):
    """Files with check boxes, drifted ones first, and the selected one's diff.

    Only checked files are written.
    """

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self._preview: RollbackPreview | None = None
        self._shown: dict[int, FilePreview] = {}
        self.setObjectName("rollback")
        self.setAccessibleName(self.tr("Rollback preview"))
        self.header = RollbackHeader(self)
        self.tools = RollbackTools(self)
        self.table = TableView(
            file_columns(),
            self,
            row_height=ROW_HEIGHT,
            left_of_first=CHECK_WIDTH,
            name="rollback-files",
            accessible=self.tr("Files to roll back"),
        )
        self.diff = DiffView(self, runner=desk.project.runner)
        self.diff.set_read_only(True, self.tr("On disk now"), self.tr("After rollback"))
        column_of(self.header, self.tools, self.table, HairLine(self), (self.diff, 1), parent=self)
        self.setFocusProxy(self.table)
        self.header.cancel.clicked.connect(desk.rollback.cancel)
        self.header.roll_back.clicked.connect(desk.rollback.carry_out)
        self.tools.all.clicked.connect(self._choose_all)
        self.tools.only_unusual.toggled.connect(self._refresh)
        self.table.checked.connect(lambda key, on: desk.rollback.choose(int(key), on))
        self.table.acted.connect(lambda _key: self.diff.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.resolutions_menu = QMenu(self)
        self.resolutions_menu.setObjectName("rollback-ways")
        self.resolutions_menu.setAccessibleName(self.tr("Result for this file"))
        self.table.choice_wanted.connect(self._open_resolutions)
        desk.rollback.resolutions.changed.connect(self._on_resolution_changed)
        self.table.selectionModel().currentRowChanged.connect(self._show_file)
        desk.rollback.changed.connect(self._refresh)
        desk.guards.refresh_wanted.connect(self._update_buttons)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the table, as the reviewer opened the preview."""
        super().showEvent(event)
        if not is_searching():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh(self) -> None:
        preview = self._desk.rollback.preview
        is_new = preview is not self._preview
        self._preview = preview
        if preview is None:
            self._shown.clear()
            self.table.rows.set_rows(())
            self.diff.clear("")
            return
        turn = preview.turn
        title = self.tr("Redo “{title}”") if turn.is_redo else self.tr("Roll back “{title}”")
        self.header.title.setText(say(title, title=show_name(turn.title)))
        after = self.tr("After redo") if turn.is_redo else self.tr("After rollback")
        self.diff.set_read_only(True, self.tr("On disk now"), after)
        if is_new:
            self._shown.clear()
            self.table.rows.set_rows(())
        chosen, resolutions = self._desk.rollback.chosen, self._desk.rollback.resolutions
        self.table.rows.set_rows(
            [
                file_row(
                    file, chosen=file.step in chosen, resolution=resolutions.preview(file.step),
                    refusal=resolutions.refusals.get(file.step, ""),
                )
                for file in self._listed_files(preview)
            ]
        )  # fmt: skip
        self.table.fit_rows(ROLLBACK_ROWS_SHOWN)
        if is_new and preview.files:
            first = next((file for file in preview.files if file.does is not None), preview.files[0])
            self.table.setCurrentIndex(self.table.rows.index_of(str(first.step)))
        self._update_buttons()

    def _listed_files(self, preview: RollbackPreview) -> list[RollbackFile]:
        """Return the listed files, those that need attention first."""
        only_unusual = self.tools.only_unusual.isChecked()
        files = sorted(preview.files, key=lambda file: not _is_unusual(file))
        return [file for file in files if _is_unusual(file) or not only_unusual]

    def _choose_all(self) -> None:
        rollback = self._desk.rollback
        rollback.choose_all(rollback.chosen != rollback.possible)
        self._show_choice()

    def _show_choice(self) -> None:
        rollback, preview = self._desk.rollback, self._preview
        unusual = 0 if preview is None else sum(map(_is_unusual, preview.files))
        self.tools.show_choice(len(rollback.chosen), len(rollback.possible), unusual)

    def _update_buttons(self) -> None:
        self._show_choice()
        count = len(self._desk.rollback.chosen)
        words = counted(count, self.tr("Roll back {n} file"), self.tr("Roll back {n} files"))
        if self._preview is not None and self._preview.turn.is_redo:
            words = counted(count, self.tr("Redo {n} file"), self.tr("Redo {n} files"))
        self.header.roll_back.set_label(words)
        self.header.roll_back.set_tip(self.tr("Writes the files. You can undo this."))
        self.header.roll_back.set_reason(self._desk.reasons.of(Action.ROLL_BACK))

    def _file(self) -> RollbackFile | None:
        """Return the file of the current row."""
        row = self.table.current_row()
        files = self._preview.files if self._preview is not None else ()
        return next((file for file in files if row is not None and str(file.step) == row.key), None)

    def _show_file(self) -> None:
        file = self._file()
        if file is None or self._preview is None:
            return
        shown = self._desk.rollback.resolutions.preview(file.step) or file
        if shown.does is None:
            self.diff.clear(self._unchanged_reason(file))
        elif file.step in self._shown:
            self._paint(self._shown[file.step])
        else:
            self.diff.clear("")
            job = partial(preview_of, self._preview.plan, shown)
            self._desk.project.compute(job, then=partial(self._got_file, self._preview))

    def _unchanged_reason(self, file: RollbackFile) -> str:
        """Return why a file stays, and what to do next.

        The row has no room for that.
        """
        name = show_name(file.path)
        if file.problem is not None:
            return show_name(f"{file.problem.message}\n{file.problem.hint}")
        if not file.drifted:
            return f"{name} {show_name(file.sentence)}."
        words = say(
            self.tr("{file} will be kept as is. To change this, choose another option in its row."), file=name
        )
        refusal = show_name(self._desk.rollback.resolutions.refusals.get(file.step, ""))
        return f"{refusal}\n{words}" if refusal else words

    def _on_resolution_changed(self) -> None:
        """Update the diff after the current file's drift resolution changed."""
        file = self._file()
        if file is not None:
            self._shown.pop(file.step, None)
            self._show_file()

    def _open_resolutions(self, key: str, point: QPoint) -> None:
        """Open the menu of drift resolutions for a file."""
        step = int(key)
        chosen = self._desk.rollback.resolutions.preview(step)
        current = (chosen.resolution if chosen is not None else None) or DriftResolution.KEEP
        self.resolutions_menu.clear()
        for value, words in resolution_words().items():
            action = self.resolutions_menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(value == current.value)
            action.triggered.connect(
                partial(self._desk.rollback.resolutions.choose, step, DriftResolution(value))
            )
        self.resolutions_menu.popup(point)

    def _got_file(self, preview: RollbackPreview, shown: FilePreview | None) -> None:
        if shown is None or preview is not self._preview:
            return
        self._shown[shown.step.number] = shown
        file = self._file()
        if file is not None and file.step == shown.step.number:
            self._paint(shown)

    def _paint(self, shown: FilePreview) -> None:
        self.diff.show_step(shown.step, shown.diff, shown.now, shown.after, {}, setting=shown.setting)


def _is_unusual(file: RollbackFile) -> bool:
    """Return whether a file drifted, or can't be rolled back otherwise."""
    return file.drifted or file.problem is not None


# Table rows and paintable steps of a rollback preview.

_tr = translator("Rollback")


class FilePreview(Value):
    """One file of a rollback: content on disk, content after it, diff."""

    step: Step
    diff: FileDiff | None
    now: bytes | None
    after: bytes | None
    setting: str | None = None


def file_columns(outcome: int = 560) -> tuple[Column, ...]:
    """Return the columns; `outcome` is the width of what happens."""
    lines, happens = Column(_tr("Lines"), 100, least=0), Column(_tr("Result"), outcome)
    return Column(_tr("File"), 0), lines, happens


def file_row(
    file: RollbackFile, *, chosen: bool, resolution: RollbackFile | None = None, refusal: str = ""
) -> TableRow:
    """Return a row of the preview's table.

    A file that drifted stays unless a drift resolution is chosen; `resolution` is the file with that
    resolution. `refusal` is why the requested resolution is impossible.
    """
    folder, name = split_path(show_name(file.path))
    is_unusual = file.drifted or file.problem is not None
    icon, token = ("look-out", "warn") if is_unusual else ("file", "muted")
    sentence = show_name(
        refusal or (_resolution_sentence(resolution) if resolution is not None else file.sentence)
    )
    chosen_way = (
        resolution.resolution.value
        if resolution is not None and resolution.resolution is not None
        else "keep"
    )
    choice = resolution_words()[chosen_way] if file.drifted else ""
    is_included = file.does is not None
    counts = Cell(added=file.added, removed=file.removed)
    if not is_included or not (file.added or file.removed):
        counts = Cell(NO_LINES, "muted", size=SECOND)
    cells = (
        Cell(name, icon=icon, icon_token=token, second=folder.rstrip("/"), weight=500, is_path=True),
        counts,
        Cell(sentence, "warn" if is_unusual else "text", size=SECOND),
    )
    accessible = ", ".join(part for part in (show_name(file.path), sentence, choice) if part)
    return TableRow(str(file.step), cells, accessible, checked=chosen, checkable=is_included, choice=choice)


def resolution_words() -> dict[str, str]:
    """Return the label of each drift resolution, by `DriftResolution` value."""
    return {
        "keep": _tr("Keep as is"),
        "restore": _tr("Restore old version"),
        "save_beside": _tr("Save old version as a copy"),
        "merge": _tr("Merge…"),
    }


def _resolution_sentence(file: RollbackFile) -> str:
    """Return a short sentence on a drift resolution, for a row."""
    words = {
        "recreate": _tr("restored with its old content"),
        "delete": _tr("deleted, including later changes"),
        "save_beside": _tr("old version saved as {path}"),
        "merge": _tr("merged: later changes kept, this plan's changes removed"),
    }
    usual = _tr("restored; later changes overwritten")
    return say(words.get(file.effect.value, usual), path=split_path(file.saved_as or "")[1])


def preview_of(plan: Plan, file: RollbackFile) -> FilePreview | None:
    """Return a file's rollback as a step with its diff.

    Returns None where the file stays. Slow for large files: not for the UI thread.
    """
    if file.does is None:
        return None
    # A stable id, so that showing the preview again counts as the same step.
    step = replace(
        file.does, number=file.step, id=f"{plan.id}/back/{file.step}", state=StepState.PENDING, facts=()
    )
    return FilePreview(step, diff_of(file.now, file.after, file.setting), file.now, file.after, file.setting)
