"""Trust in a project configuration that widens what agents may do.

It takes effect only once the user trusts the hash of its bytes.
"""

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

_POSTPONED_KEY = "trust_put_aside"


class Trust(QObject):
    """Trust prompt, once per version of the file.

    What is allowed without trust waits for no answer.
    """

    changed = Signal()
    """The file or its trust changed."""

    def __init__(self, project: Project, queue: Queue, settings: Settings) -> None:
        super().__init__(project)
        self._project, self._queue, self._settings = project, queue, settings
        self._shown: ProjectFile | None = None
        queue.store_changed.connect(self._follow_file)

    @property
    def file(self) -> ProjectFile | None:
        """The project's configuration as read last, None without one."""
        return self._queue.project_file

    @property
    def needs_answer(self) -> bool:
        """Whether this version widens something and the user has not answered."""
        file = self.file
        if file is None or not file.waiting:
            return False
        return file.sha256 != self._settings.text(_POSTPONED_KEY)

    def postpone(self) -> None:
        """Postpone trust in this version; what it widens has no effect."""
        if self.file is not None:
            self._settings.store_text(_POSTPONED_KEY, self.file.sha256)
            self.changed.emit()

    def trust(self, sha256: str) -> None:
        """Trust the file as long as its bytes are those shown."""
        done = partial(self._report_done, self.tr("studio.yaml is trusted until one of its bytes changes."))
        self._project.runner.call(
            self._project.reviewer.trust_configuration, sha256, then=done, failed=self._report_failure
        )

    def distrust(self) -> None:
        """Revoke trust in every version."""
        done = partial(self._report_done, self.tr("studio.yaml is not trusted any more."))
        self._project.runner.call(
            self._project.reviewer.distrust_configuration, then=done, failed=self._report_failure
        )

    def _follow_file(self) -> None:
        if self.file != self._shown:
            if self._shown is not None:  # one of the notices lists what waits for trust
                self._project.read_notices()
            self._shown = self.file
            self.changed.emit()

    def _report_done(self, sentence: str, _nothing: None) -> None:
        self._project.say(sentence)
        self._queue.reload()

    def _report_failure(self, error: StudioError) -> None:
        self._project.report(error)
        self._queue.reload()
