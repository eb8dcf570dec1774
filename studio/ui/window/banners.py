"""Window banners: trust in project settings, recovery of an interrupted apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.names import show_name
from studio.ui.configuration import parts
from studio.ui.limits import INTERRUPTED_FILES_SHOWN, WIDENED_SETTINGS_NAMED
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.review.apply import Recovery
from studio.ui.widgets import Banner, BannerKind, Label, column_of

if TYPE_CHECKING:
    from studio.ui.review.queue import Trust
    from studio.workspace import InterruptedFile

# Banner shown while the project's own file would allow more and the user has not decided about that


class TrustBanner(Banner):
    """Non-modal banner on untrusted project settings."""

    check_wanted = Signal()
    """Emitted to show what the file would allow."""

    def __init__(self, trust: Trust, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="trust-strip", below=True)
        self._trust = trust
        trust.changed.connect(self._refresh)

    def _refresh(self) -> None:
        file = self._trust.file
        if file is None or not self._trust.needs_answer:
            self.hide()
            return
        named = list(dict.fromkeys(parts.title_of(setting.key) for setting in file.waiting))
        more = "…" if len(named) > WIDENED_SETTINGS_NAMED else ""
        title = say(
            self.tr("This project's studio.yaml would loosen settings: {settings}"),
            settings=", ".join(named[:WIDENED_SETTINGS_NAMED]) + more,
        )
        explanation = self.tr("This has no effect until you trust the file.")
        self.show_message(BannerKind.WARNING, title, explanation)
        self.add_choice(
            self.tr("Review…"),
            tip=self.tr("Shows what the file would allow, next to the effective values."),
            name="trust-look",
            pressed=self.check_wanted,
        )
        self.add_choice(
            self.tr("Don't trust"),
            tip=self.tr("You will be asked again when the file changes."),
            name="trust-later",
            pressed=self._trust.postpone,
            leaves=True,
        )


# Banner that asks about an interrupted apply, or about a project folder that was replaced


class RecoveryBanner(Banner):
    """Non-modal banner with each file's disk status and the recovery actions.

    A file holds its old content, its new content, or content of others.
    """

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
            self._offer(self.tr("Try again"), self.tr("Finishes the apply or restores all original files."))
        else:
            self.show_message(
                BannerKind.WARNING,
                self.tr("The history of this project belongs to another folder."),
                self.tr(
                    "The folder was replaced or copied. Nothing is written until you "
                    "confirm that it is the same project."
                ),
            )
            self._offer(
                self.tr("Same project"),
                self.tr("Continues in this folder with the existing plans and history."),
            )
        self._show_files(need.files)

    def _offer(self, text: str, explanation: str) -> None:
        is_busy = self._recovery.is_busy
        self.add_choice(
            text,
            explanation=explanation,
            name="recovery-settle",
            pressed=self._recovery.settle,
            reason=lambda: self.tr("In progress.") if is_busy else "",
            leaves=True,
        )
        self.add_choice(
            self.tr("Later"),
            explanation=self.tr("Nothing can be applied until this is resolved."),
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
            "before": self.tr("{file} has not been written yet ({old}). “{title}” would write {new}."),
            "after": self.tr("{file} has already been written by “{title}” ({new}, previously {old})."),
            "neither": self.tr(
                "{file} has an outside change and matches neither {old} nor {new}. It will be left as is."
            ),
        }
        place = file.disk_state.value if file.disk_state is not None else ""
        template = words.get(place, self.tr("{file} is currently unreadable (previously {old})."))
        return say(
            template, old=self._image(file.before), new=self._image(file.after),
            file=show_name(file.path), title=show_name(file.title),
        )  # fmt: skip

    def _image(self, image: object) -> str:
        digest = getattr(image, "sha256", None)
        if image is None:
            return self.tr("no file")
        return digest[:7] if digest else self.tr("a folder")
