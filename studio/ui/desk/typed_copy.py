"""What was typed about a plan, for the clipboard: also where nothing can be decided about it any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from studio.ui.desk.happening import Tone
from studio.ui.desk.unsent import COMMENT, NOTE, REASON

if TYPE_CHECKING:
    from studio.ui.desk.kept_text import KeptTexts
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class TypedCopy(QObject):
    """Collects it from everywhere it is kept."""

    def __init__(self, project: Project, queue: Queue, kept: KeptTexts) -> None:
        super().__init__(project)
        self._project, self._queue, self._kept = project, queue, kept

    def texts(self) -> tuple[str, ...]:
        """Every text that was begun about the current plan, that of an editor too."""
        plan_id, unsent = self._queue.plan_id, self._project.unsent
        if plan_id is None:
            return ()
        found: list[str] = []
        for kind in (REASON, NOTE, COMMENT):
            places = (place for place in unsent.every(kind) if place.plan_id == plan_id)
            found += [unsent.text(place) for place in sorted(places, key=lambda at: (at.step, at.place))]
        found += self._kept.texts_of(plan_id)
        return tuple(text for text in found if text.strip())

    def copy(self) -> None:
        """Put what was typed about the current plan on the clipboard."""
        texts = self.texts()
        if texts:
            QGuiApplication.clipboard().setText("\n\n".join(texts))
            self._project.say(self.tr("Copied what you typed."), Tone.NEWS)
        else:
            self._project.say(self.tr("Nothing that you typed about this plan is kept."), Tone.NEWS)
