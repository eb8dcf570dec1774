"""The strip that asks what becomes of an interrupted apply, or of a folder that is another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from studio.engine.limits import INTERRUPTED_FILES_SHOWN
from studio.engine.names import show_name
from studio.ui.desk.recovery import Recovery
from studio.ui.look.theme import px
from studio.ui.look.words import counted
from studio.ui.widgets import Banner, BannerKind, Label, column_of

if TYPE_CHECKING:
    from studio.engine.workspace import InterruptedFile


class RecoveryStrip(Banner):
    """Says what happened to each file, old, new or somebody else's, and what can be done. Not modal."""

    def __init__(self, recovery: Recovery, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="recovery", below=True)
        self._recovery = recovery
        self._lines = QWidget(self)
        self._lines.setObjectName("recovery-files")
        self._column = column_of(parent=self._lines, spacing=px(2))
        self.add_field(self._lines)
        recovery.changed.connect(self._refresh)

    def _refresh(self) -> None:
        need = self._recovery.need
        if need is None or self._recovery.is_postponed:
            self.hide()
            return
        if need.is_same_folder:
            self.show_message(BannerKind.DANGER, need.sentence, need.hint)
            self._offer(self.tr("Try again"), self.tr("Finishes the apply, or puts every old file back."))
        else:
            self.show_message(
                BannerKind.WARNING,
                self.tr("This is not the folder that the history of this project belongs to."),
                self.tr("It was replaced or copied. Nothing is written until you say it is the same one."),
            )
            self._offer(self.tr("It is the same project"), self.tr("Plans and history go on in this folder."))
        self._show_files(need.files)

    def _offer(self, text: str, explanation: str) -> None:
        is_busy = self._recovery.is_busy
        self.add_choice(
            text,
            explanation=explanation,
            name="recovery-settle",
            pressed=self._recovery.settle,
            reason=lambda: self.tr("This is being done.") if is_busy else "",
            leaves=True,
        )
        self.add_choice(
            self.tr("Later"),
            explanation=self.tr("Nothing can be applied until then."),
            name="recovery-later",
            pressed=self._recovery.postpone,
            leaves=True,
        )

    def _show_files(self, files: tuple[InterruptedFile, ...]) -> None:
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for file in files[:INTERRUPTED_FILES_SHOWN]:
            self._column.addWidget(Label(self._sentence(file), self._lines, size=12, wrap=True))
        if len(files) > INTERRUPTED_FILES_SHOWN:
            more = counted(
                len(files) - INTERRUPTED_FILES_SHOWN, self.tr("and {n} more"), self.tr("and {n} more")
            )
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
