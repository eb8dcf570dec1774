"""Controller for a window's error banner, documentation and diagnostics page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from studio import extras
from studio.names import show_name
from studio.ui.help import documentation
from studio.ui.help.diagnostics_page import Bundle, DiagnosticsPage
from studio.ui.help.fault_banner import FaultBanner, Safe
from studio.ui.look.words import say
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.widgets.file_dialogs import ask_where_to_save

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.ui.help.fault_banner import Fault
    from studio.ui.review.desk import Desk
    from studio.ui.runner import Runner
    from studio.ui.window.main_window import MainWindow
    from studio.ui.window.panes import Panes

_log = logging.getLogger(__name__)
_FILE_NAME = "exacta-studio-diagnostics.txt"


class WindowHelp(QObject):
    """Help functions of a window, with or without a project."""

    def __init__(self, window: MainWindow, runner: Runner, bundle: Bundle | None, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._runner, self._bundle = window, runner, bundle or of_program
        self._desk: Desk | None = None
        self._panes: Panes | None = None
        self._banner: FaultBanner | None = None
        self._page: DiagnosticsPage | None = None
        self._first_page = documentation.first_page()
        self._request = 0
        """Number of diagnostics requests, so that outdated results are dropped."""

    def follow(self, desk: Desk, panes: Panes) -> None:
        """Use the panes of an opened project."""
        self._desk, self._panes = desk, panes
        desk.project.closed.connect(self._forget)

    # Faults

    def show_fault(self, fault: Fault) -> None:
        """Store drafts, check for an interrupted apply, and show what is safe."""
        keeps = self._panes.draft_savers() if self._panes is not None else []
        recover = [self._desk.recovery.check] if self._desk is not None else []
        for action in (*keeps, *recover):
            try:
                action()
            except Exception:
                # The cause may be one of these; the others and the banner must still run.
                _log.exception("After a fault")
        if self._banner is None:
            self._banner = banner = FaultBanner(self._safe, self._window)
            banner.wants_diagnostics.connect(self.open_diagnostics)
            banner.opened.connect(partial(self._guard_input, foreign_change_seconds))
            banner.closed.connect(partial(self._guard_input, lambda: OWN_CHANGE_SECONDS))
            self._window.add_banner(banner)
        self._banner.show_fault(fault)

    def close_fault(self) -> bool:
        """Close the banner; return whether it was open."""
        if self._banner is None:
            return False
        had_keyboard = self._banner.isAncestorOf(QApplication.focusWidget() or self._window)
        was_open = self._banner.dismiss_banner()
        if had_keyboard and self._panes is not None:
            self._panes.focus_middle()
        return was_open

    def _guard_input(self, seconds: Callable[[], float]) -> None:
        """Start the input guard, as the panes above moved."""
        if self._desk is not None:
            self._desk.guards.dead_time.begin(seconds())

    def _safe(self) -> Safe:
        if self._desk is None:
            return Safe(has_project=False)
        guards = self._desk.guards
        return Safe(
            has_project=True,
            is_deciding=guards.deciding,
            is_writing=bool(guards.busy),
            is_text_stored=self._desk.project.unsent.is_stored(),
        )

    def _forget(self) -> None:
        self._desk = self._panes = None

    # Documentation

    @property
    def why_no_documentation(self) -> str:
        """Why the documentation can't be opened, else ""."""
        if self._first_page is not None:
            return ""
        return self.tr(
            "The documentation is not installed. Its pages are in the docs folder of the source tree."
        )

    def open_documentation(self) -> None:
        """Open the documentation in the user's browser."""
        if self._first_page is not None and not documentation.open_page(self._first_page):
            self._window.show_failure(
                self.tr("No web browser was found."),
                say(
                    self.tr("The documentation is in {folder}."),
                    folder=show_name(str(self._first_page.parent)),
                ),
            )

    # Diagnostics

    def open_diagnostics(self) -> None:
        """Show the diagnostics, created anew each time."""
        if self._page is None:
            self._page = page = DiagnosticsPage(self._window)
            page.save_wanted.connect(self._ask_where)
            page.close_wanted.connect(self._window.close_over)
        self._page.show_loading()
        self._window.show_over(self._page)
        self._request += 1
        # It takes seconds, and must delay neither decisions nor diffs.
        on_report = partial(self._show_report, self._request)
        self._runner.call_in_background(self._bundle, self._root, then=on_report, failed=self._failed)

    @property
    def _root(self) -> Path | None:
        return self._desk.project.root_path if self._desk is not None else None

    def _show_report(self, request: int, text: str) -> None:
        if self._page is not None and request == self._request:
            self._page.show_text(text)

    def _failed(self, error: StudioError) -> None:
        if self._page is not None:
            self._page.show_failure(error.message, error.hint)

    def _ask_where(self) -> None:
        if self._page is not None:
            text = self._page.text
            ask_where_to_save(
                self._window, self.tr("Save diagnostics"), _FILE_NAME, partial(self._save, text)
            )

    def _save(self, text: str, file: Path) -> None:
        roots = [self._root] if self._root is not None else []
        self._runner.compute(
            extras.diagnostics.write,
            text,
            file,
            *roots,
            then=lambda _: self._report_saved(file),
            failed=self._failed,
        )

    def _report_saved(self, file: Path) -> None:
        if self._page is not None:
            sentence = self.tr("Saved diagnostics as {file}, readable only by you. Nothing was sent.")
            self._page.show_status(say(sentence, file=show_name(str(file))))
            self._page.view.setFocus(Qt.FocusReason.OtherFocusReason)


def of_program(_project: Path | None) -> str:
    """Return basic diagnostics: versions and log.

    Used where no door can be queried for its own.
    """
    diagnostics = extras.diagnostics
    return diagnostics.text_of([diagnostics.versions(), diagnostics.log()])
