"""Read-only project file page with blame and the plans that changed it."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from studio.engine import FileDiff, Operation, Step, StepState
from studio.extras.reader import BlamedLines
from studio.journal.file_image import FileImage, sha256
from studio.names import show_name
from studio.text import NotText
from studio.ui.diff import DiffView
from studio.ui.diff.model.prepared import form_of
from studio.ui.history.table import TableView
from studio.ui.look.theme import px
from studio.ui.look.words import counted, size, utc_now
from studio.ui.reading.blame_gutter import BlameGutter, change_columns, change_rows
from studio.ui.reading.header import ReadHeader
from studio.ui.review.desk import Desk
from studio.ui.review.reading import FileLocation, PlanLocation, ReadFile
from studio.ui.widgets import HairLine, Surface, column_of, row_of
from studio.ui.widgets.text_field import is_searching

_LIST_WIDTH = 260


class FilePane(Surface):
    """File view; a click on blame or a plan opens that plan."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self._line = 0
        self._shown: tuple[object, bytes] | None = None
        """Source and content of the file on display."""
        self.setObjectName("file-page")
        self.setAccessibleName(self.tr("File"))
        self.header = ReadHeader(desk, "file", "file", self)
        self.diff = DiffView(self, runner=desk.project.runner)
        self.diff.set_read_only(True)
        self.diff.name_sides(self.tr("On disk"), self.tr("On disk now"))
        self.gutter = BlameGutter(self.diff.canvas, self.diff)
        self.diff.add_gutter(self.gutter)
        self.list = TableView(
            change_columns(), self, name="file-changes", accessible=self.tr("Plans that changed this file")
        )
        self.list.setFixedWidth(px(_LIST_WIDTH))
        body = row_of((self.diff, 1), HairLine(self, Qt.Orientation.Vertical), self.list)
        column_of(self.header, (body, 1), parent=self)
        self.setFocusProxy(self.diff)
        self.gutter.pressed.connect(self._open_plan_of)
        self.list.chosen.connect(self._open_row)
        desk.reading.changed.connect(self._show_place)
        desk.reading.content_read.connect(self._show)
        self._show_place()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the file, unless the user is navigating the tree."""
        super().showEvent(event)
        focused = QApplication.focusWidget()
        walks = focused is not None and focused.objectName() == "tree-list"
        if not walks and not is_searching():
            self.diff.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_place(self) -> None:
        place = self._desk.reading.location
        if not isinstance(place, FileLocation):
            return
        folder, _, name = place.path.rpartition("/")
        self.header.title.setText(show_name(name))
        self.header.detail.setText(show_name(folder))
        self._line = place.line
        if self._desk.reading.file is None:
            self._clear("")
            self.gutter.show_blame(None)
            self.list.empty_text = ""
            self.list.rows.set_rows(())
        else:
            self._show()

    def _show(self) -> None:
        reading = self._desk.reading
        file = reading.file
        if not isinstance(reading.location, FileLocation):
            return
        if file is None:
            self._clear(show_name(reading.missing))
            return
        self.header.detail.setText(" · ".join(self._details(file)))
        self.list.empty_text = self.tr("No plan has changed this file.")
        self.list.rows.set_rows(change_rows(file.changes, utc_now()))
        if file.diff is None:
            form = form_of(file.content, file.setting)
            self._clear(form.sentence if isinstance(form, NotText) else "")
        elif not file.content:
            self._clear(self.tr("This file is empty."))
        else:
            self._show_lines(file, file.diff)
        self.gutter.show_blame(reading.blame)

    def _show_lines(self, file: ReadFile, diff: FileDiff) -> None:
        """Show the lines, skipping a new layout if they are unchanged."""
        if self._shown != (file.source, file.content):
            self._shown = file.source, file.content
            self.diff.name_sides(self.tr("On disk"), self._side_words(file))
            self.diff.show_file(_step_of(file), diff, file.content, file.setting)
        line, self._line = self._line, 0
        if line:
            self.diff.go_to_line("result", line)

    def _clear(self, words: str) -> None:
        self._shown = None
        self.diff.clear(words)

    def _details(self, file: ReadFile) -> list[str]:
        folder = file.path.rpartition("/")[0]
        details = [show_name(folder), self._side_words(file) * bool(file.source[3]), size(len(file.content))]
        if file.diff is not None:
            details.append(counted(len(file.diff.result_lines), self.tr("{n} line"), self.tr("{n} lines")))
        reason = self._desk.reading.blame.why if self._desk.reading.blame is not None else ""
        return [each for each in (*details, reason) if each]

    def _side_words(self, file: ReadFile) -> str:
        return {
            "base": self.tr("Before the plan"),
            "result": self.tr("After the plan"),
        }.get(file.source[3], self.tr("On disk now"))

    def _open_plan_of(self, lines: BlamedLines) -> None:
        self._desk.reading.show(PlanLocation(lines.plan_id or "", lines.step or 0))

    def _open_row(self, key: str) -> None:
        plan_id, _, step = key.rpartition("/")
        self._desk.reading.show(PlanLocation(plan_id, int(step)))


def _step_of(file: ReadFile) -> Step:
    """Return a step that only names the file for the view."""
    image = FileImage(sha256(file.content), len(file.content), 0o644)
    step = Step(
        1,
        "/".join(map(str, ("read", *file.source))),
        Operation.MODIFY,
        file.path,
        None,
        StepState.APPLIED,
        image,
        image,
    )
    return replace(step, base=None)
