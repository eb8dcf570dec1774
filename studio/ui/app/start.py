"""Start of the window process: application, first window, first paint."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from studio.program.app_folders import state_directory
from studio.ui import app
from studio.ui.app import main
from studio.ui.app.application import Session
from studio.ui.app.gc_pauses import GarbagePauses
from studio.ui.language import LANGUAGE, use_language
from studio.ui.look.theme import FUSION
from studio.ui.runner import Runner
from studio.ui.settings import Settings
from studio.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.app.application import GateReader
    from studio.ui.help.diagnostics_page import Bundle


def show_window(
    root: Path | None,
    files: list[Path],
    reason: str,
    *,
    trying: bool,
    screenshot: Path | None,
    theme: str | None,
    gates: GateReader | None,
    agents: Callable[[], AgentProcesses] | None,
    bundle: Bundle | None,
) -> int:
    """Show the first window, and run until the last one closes.

    A smoke run ends by itself. Returns the exit code; see `main.run`. Raises StudioError for what stopped a
    smoke run.
    """
    application = QApplication([*sys.argv[:1], *FUSION])
    if screenshot is not None:
        app.check_screenshot(screenshot, *([root] if root is not None else []))
    # Qt 6.11 puts this name into the D-Bus path of the taskbar's count, which can hold no hyphen.
    application.setApplicationName("ExactaStudio")
    application.setApplicationDisplayName("Exacta Studio")
    application.setDesktopFileName("org.exacta.Studio")
    application.setQuitOnLastWindowClosed(False)
    runner = Runner()
    settings = Settings(state_directory() / "window.ini")
    use_language(application, settings.text(LANGUAGE))
    session = Session(application, runner, settings, agents=agents, is_observing=True, bundle=bundle)
    session.start_theme(theme)
    control = session.open_window(root, files, reason)
    control.window.show()
    first_paint_ms = _paint_first(application, control.window)
    GarbagePauses(application).begin()
    if trying:
        watchdog = app.Watchdog()
        smoke = app.Smoke(control, first_paint_ms, screenshot)
        smoke.done.connect(session.close_all)
        app.run_until_ended(application, session, runner, listen=False)
        watchdog.stop()
        failure = control.failure or smoke.failure
        if failure is not None:
            raise failure
        return 0
    app.run_until_ended(application, session, runner, listen=True, gates=gates)
    return 0


def _paint_first(application: QApplication, window: MainWindow) -> float:
    """Wait for the first paint; return the milliseconds since spawn."""
    painted: list[float] = []
    window.first_painted.connect(lambda: painted.append(main.milliseconds_since_spawn()))
    while not painted and window.isVisible():
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    return painted[0] if painted else main.milliseconds_since_spawn()
