"""An interrupted apply that could not be settled by itself, and a project folder that is another one.

A person says what comes next (design 5, promise 6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.errors import StudioError, TimedOut
from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.ui.desk.happening import Happening, Tone
from studio.ui.look.theme import px
from studio.ui.look.words import counted
from studio.ui.widgets import Button, Label, Strip, StripKind

if TYPE_CHECKING:
    from studio.engine.workspace import InterruptedFile, Reviewer, Workspace
    from studio.ui.desk.desk import Desk

_MOST_FILES = 6


@dataclass(frozen=True, slots=True)
class RecoveryNeed:
    """Why a person is asked. `is_same_folder` False: the folder is not the one the history belongs to."""

    is_same_folder: bool
    files: tuple[InterruptedFile, ...] = ()
    sentence: str = ""
    hint: str = ""


def read_need(workspace: Workspace) -> RecoveryNeed | None:
    """On the engine thread: try to settle what was interrupted; None where no person is needed."""
    if not workspace.is_same_folder:
        return RecoveryNeed(False, workspace.interrupted_files())
    if not workspace.needs_recovery:
        return None
    try:
        workspace.recover()
    except TimedOut:
        return None  # another process is writing: it is not interrupted
    except StudioError as error:
        return RecoveryNeed(True, workspace.interrupted_files(), error.message, error.hint)
    return None


class Recovery(QObject):
    """Asks the engine, at the start and after a write that failed, and carries out what the person says."""

    changed = Signal()

    def __init__(self, desk: Desk, workspace: Workspace, reviewer: Reviewer) -> None:
        super().__init__(desk)
        self._desk = desk
        self._workspace = workspace
        self._reviewer = reviewer
        self.need: RecoveryNeed | None = None
        self.is_put_off = False
        """Whether the person has said "later"; it still waits."""
        self.is_busy = False

    def look(self) -> None:
        """Ask whether a person is needed."""
        self._desk.runner.call(read_need, self._workspace, then=self.show, failed=self._failed)

    def settle(self) -> None:
        """Finish or undo what was interrupted; accepts the folder that is there now as the project."""
        if self.need is not None and not self.is_busy:
            self.is_busy = True
            self.changed.emit()
            self._desk.runner.call(self._reviewer.recover, then=self._settled, failed=self._failed)

    def put_off(self) -> None:
        """Take the strip away until it is asked for; nothing can be written before it is settled."""
        self.is_put_off = True
        self.changed.emit()

    def ask_again(self) -> None:
        """Show again what was put off."""
        self.is_put_off = False
        self.changed.emit()

    def show(self, need: RecoveryNeed | None) -> None:
        """Tell what has to be settled before anything can be written; None: nothing."""
        if need != self.need or self.is_put_off:
            self.need, self.is_put_off = need, False
            self.changed.emit()

    def _settled(self, plans: tuple[Plan, ...]) -> None:
        self.is_busy = False
        self.need = None
        self.changed.emit()
        said = counted(
            len(plans), self.tr("Settled {n} interrupted apply."), self.tr("Settled {n} interrupted applies.")
        )
        if not plans:
            said = self.tr("This folder is the project from now on.")
        self._desk.happened.emit(Happening(said))
        self._desk.disk_changed()

    def _failed(self, error: StudioError) -> None:
        self.is_busy = False
        self._desk.happened.emit(Happening(error.message, Tone.BAD, error.hint))
        self.changed.emit()


class RecoveryStrip(Strip):
    """Says what happened to each file, old, new or somebody else's, and what can be done. Not modal."""

    stands_below = True

    left = Signal()
    """The person has chosen: the keyboard goes on to what stands in the middle."""

    def __init__(self, recovery: Recovery, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._recovery = recovery
        self.setObjectName("recovery")
        self._lines = QWidget(self)
        self._lines.setObjectName("recovery-files")
        self._column = QVBoxLayout(self._lines)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(px(2))
        self.add_field(self._lines)
        self.hide()
        recovery.changed.connect(self._refresh)

    def _refresh(self) -> None:
        need = self._recovery.need
        if need is None or self._recovery.is_put_off:
            self.hide()
            return
        if need.is_same_folder:
            self.show_message(StripKind.DANGER, need.sentence, need.hint)
            self._offer(self.tr("Try again"), self.tr("Finishes the apply, or puts every old file back."))
        else:
            self.show_message(
                StripKind.WARNING,
                self.tr("This is not the folder that the history of this project belongs to."),
                self.tr("It was replaced or copied. Nothing is written until you say it is the same one."),
            )
            self._offer(self.tr("It is the same project"), self.tr("Plans and history go on in this folder."))
        self._show_files(need.files)

    def _offer(self, text: str, explanation: str) -> None:
        settle = self._button("recovery-settle", text, explanation)
        settle.set_reason(self.tr("This is being done.") if self._recovery.is_busy else "")
        for press in (self.left.emit, self._recovery.settle):
            settle.clicked.connect(press)
        until_then = self.tr("Nothing can be applied until then.")
        later = self._button("recovery-later", self.tr("Later"), until_then)
        for press in (self.left.emit, self._recovery.put_off):
            later.clicked.connect(press)

    def _button(self, name: str, text: str, explanation: str) -> Button:
        button = self.add_choice(text, explanation=explanation)
        button.setObjectName(name)
        return button

    def _show_files(self, files: tuple[InterruptedFile, ...]) -> None:
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for file in files[:_MOST_FILES]:
            self._column.addWidget(Label(self._sentence(file), self._lines, size=12, wrap=True))
        if len(files) > _MOST_FILES:
            more = counted(len(files) - _MOST_FILES, self.tr("and {n} more"), self.tr("and {n} more"))
            self._column.addWidget(Label(more, self._lines, size=12))
        self._lines.setVisible(bool(files))

    def _sentence(self, file: InterruptedFile) -> str:
        words = {
            "before": self.tr("{file}: the old file is there ({old}); “{title}” was to write {new}."),
            "after": self.tr("{file}: what “{title}” writes is there already ({new}); before it was {old}."),
            "neither": self.tr("{file}: somebody else's work is there, neither {old} nor {new}. It stays."),
        }
        place = file.place.value if file.place is not None else ""
        said = words.get(place, self.tr("{file}: it can't be looked at now; before it was {old}."))
        return said.format(
            old=self._image(file.before), new=self._image(file.after),
            file=show_name(file.path), title=show_name(file.title),
        )  # fmt: skip

    def _image(self, image: object) -> str:
        digest = getattr(image, "sha256", None)
        if image is None:
            return self.tr("no file")
        return digest[:7] if digest else self.tr("a folder")
