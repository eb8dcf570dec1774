"""Whether a person trusts the project's own configuration, which may widen what agents may do (promise 8)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from studio.engine.config import ProjectFile
    from studio.engine.errors import StudioError
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.settings import Settings

_PUT_ASIDE = "trust_put_aside"


class Trust(QObject):
    """Asked once for each version of the file; what is allowed anyway waits for no answer."""

    changed = Signal()
    """The file is another one, or is trusted or not any more."""

    def __init__(self, project: Project, queue: Queue, settings: Settings) -> None:
        super().__init__(project)
        self._project, self._queue, self._settings = project, queue, settings
        self._shown: ProjectFile | None = None
        queue.store_changed.connect(self._look)

    @property
    def file(self) -> ProjectFile | None:
        """The project's own configuration as it was read last, None without one."""
        return self._queue.project_file

    @property
    def is_asked(self) -> bool:
        """Whether it widens something, and nobody has said yet what of this version."""
        file = self.file
        if file is None or not file.waiting:
            return False
        return file.sha256 != self._settings.text(_PUT_ASIDE)

    def put_aside(self) -> None:
        """Ask no more about this version; nothing that it widens counts."""
        if self.file is not None:
            self._settings.keep_text(_PUT_ASIDE, self.file.sha256)
            self.changed.emit()

    def trust(self, sha256: str) -> None:
        """Let the file widen the rules as long as its bytes are those that were shown."""
        done = partial(self._done, self.tr("studio.yaml is trusted until one of its bytes changes."))
        self._project.runner.call(
            self._project.reviewer.trust_configuration, sha256, then=done, failed=self._failed
        )

    def distrust(self) -> None:
        """Take that back, for every version."""
        done = partial(self._done, self.tr("studio.yaml is not trusted any more."))
        self._project.runner.call(
            self._project.reviewer.distrust_configuration, then=done, failed=self._failed
        )

    def _look(self) -> None:
        if self.file != self._shown:
            if self._shown is not None:  # one of the notices says what waits for trust
                self._project.read_notices()
            self._shown = self.file
            self.changed.emit()

    def _done(self, sentence: str, _nothing: None) -> None:
        self._project.say(sentence)
        self._queue.reload()

    def _failed(self, error: StudioError) -> None:
        self._project.report(error)
        self._queue.reload()
