"""Configuration model behind settings page: polls, previews, writes files; tries path rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio import engine
from studio.engine import Setting
from studio.extras.rule_trial import try_rule
from studio.extras.user_configuration import (
    ConfigurationEdit,
    ReadConfiguration,
    SettingChange,
    Signature,
    plan_edit,
    read_if_changed,
    write_edit,
)
from studio.program.app_folders import config_directory

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.rule_trial import RuleBase, RuleTrial
    from studio.ui.review.project import Project
    from studio.ui.runner import Runner

_PAUSE_MS = 1000
Failed = Callable[["StudioError"], object]


class ConfigurationModel(QObject):
    """Configuration of a window.

    It polls the files while the page is visible, and writes only what was previewed.
    """

    changed = Signal()
    """The configuration changed, or was read for the first time."""
    written = Signal(str)
    """Carries the user's file that was just written."""

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._project: Project | None = None
        self._signature: Signature | None = None
        self._is_reading = self._is_wanted = False
        self._base: RuleBase | None = None
        self._lists_again = True
        self.read: ReadConfiguration | None = None
        self._timer = QTimer(self, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.reload)

    @property
    def has_project(self) -> bool:
        """Whether rules can be tried on the files of an open project."""
        return self._project is not None

    @property
    def project_root(self) -> Path | None:
        """Root of the open project, None without one."""
        return self._project.root_path if self._project is not None else None

    def follow(self, project: Project | None) -> None:
        """Switch to another project, None for none."""
        self._project, self._base = project, None
        self._signature = self.read = None
        if project is not None:
            project.closed.connect(self._project_closed)
        if self._timer.isActive():
            self.reload()

    def begin(self) -> None:
        """Read the configuration now and every second."""
        self._timer.start()
        self._lists_again = True
        self.reload()

    def pause(self) -> None:
        """Stop polling: the page is hidden."""
        self._timer.stop()

    def reload(self) -> None:
        """Read changed files off the UI thread.

        A call during a read causes another one.
        """
        self._is_wanted = self._is_reading
        if self._is_reading:
            return
        self._is_reading = True
        root = self.project_root
        read = partial(read_if_changed, root, _folder(), self._signature)
        self._runner.compute(
            read, then=partial(self._store_configuration, root), failed=self._report_not_read
        )

    def settings_of(self, key: str) -> tuple[Setting, ...]:
        """Return a key's effective values, one per entry.

        Empty where there are none or the configuration can't be read.
        """
        effective = self.read.effective if self.read is not None else None
        return tuple(each for each in effective.settings if each.key == key) if effective is not None else ()

    def own_value(self, key: str) -> object:
        """Return a key's value in the user's file, None without one."""
        return self.read.user.value(key) if self.read is not None else None

    def plan(
        self, change: SettingChange, on_planned: Callable[[ConfigurationEdit], object], on_failure: Failed
    ) -> None:
        """Compute the edit for a wish."""
        self._runner.compute(plan_edit, _folder(), change, then=on_planned, failed=on_failure)

    def write(self, edit: ConfigurationEdit, on_written: Callable[[], object], on_failure: Failed) -> None:
        """Write an edit that was previewed."""
        done = partial(self._on_written, str(edit.file.path), on_written)
        self._runner.compute(write_edit, edit, then=done, failed=on_failure)

    def try_rule(
        self, key: str, text: str, on_trial: Callable[[RuleTrial], object], on_failure: Failed
    ) -> None:
        """Compute which files of the open project a rule would touch."""
        if self._project is None:
            return
        if self._base is not None:
            self._try(self._base, key, text, on_trial, on_failure)
            return
        on_base = partial(self._try_on_base, key, text, on_trial, on_failure)
        self._runner.call(self._project.workspace.rule_base, then=on_base, failed=on_failure)

    def _try_on_base(
        self, key: str, text: str, on_trial: Callable[[RuleTrial], object], on_failure: Failed, base: RuleBase
    ) -> None:
        self._base = base
        self._try(base, key, text, on_trial, on_failure)

    def _try(
        self, base: RuleBase, key: str, text: str, on_trial: Callable[[RuleTrial], object], on_failure: Failed
    ) -> None:
        again, self._lists_again = self._lists_again, False
        job = partial(try_rule, engine.file_paths, base, key, text, again=again)
        self._runner.compute_apart(job, then=on_trial, failed=on_failure)

    def _store_configuration(
        self, root: Path | None, found: tuple[Signature, ReadConfiguration | None]
    ) -> None:
        self._is_reading = False
        signature, read = found
        if root == self.project_root:
            self._signature = signature
            if read is not None and read != self.read:
                self.read, self._base = read, None
                self.changed.emit()
        else:
            self._is_wanted = True
        if self._is_wanted:
            self.reload()

    def _report_not_read(self, error: StudioError) -> None:
        self._is_reading = False
        self._runner.unexpected_error.emit(error)

    def _on_written(self, file: str, on_written: Callable[[], object], _nothing: None) -> None:
        self.reload()
        self.written.emit(file)
        on_written()

    def _project_closed(self) -> None:
        self._project, self._base = None, None
        self.pause()


def _folder() -> Path:
    """Return the configuration folder, resolved as the engine has it."""
    return config_directory().resolve()
