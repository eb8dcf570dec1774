"""Window startup: path arguments, handover to a running instance, first paint."""

from __future__ import annotations

import gc
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import NotFound, StudioError
from studio.names import show_name
from studio.ui.display import check_display

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QApplication

    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.app.application import GateReader, Session
    from studio.ui.help.diagnostics_page import Bundle
    from studio.ui.runner import Runner


def run(
    paths: list[Path],
    *,
    project: Path | None = None,
    smoke: bool = False,
    screenshot: Path | None = None,
    theme: str | None = None,
    gates: GateReader | None = None,
    agents: Callable[[], AgentProcesses] | None = None,
    bundle: Bundle | None = None,
) -> int:
    """Open the window, or hand the paths to the running one.

    `paths` are a project folder, or plan files to import. With `smoke` or `screenshot` the window shows its
    first diff, one JSON object goes to stdout, and the process ends. Returns the exit code. Raises
    StudioError where nothing can be opened, and what stopped a trial.
    """
    trying = smoke or screenshot is not None
    check_display(smoke=trying)
    root, files, reason = _choose_paths(paths, project)
    if not trying and _hand_over(root, files):
        return 0
    if reason:
        sys.stderr.write(f"studio: {reason}\n")
    return _show(
        root, files, reason,
        trying=trying, screenshot=screenshot, theme=theme, gates=gates, agents=agents, bundle=bundle,
    )  # fmt: skip


def _choose_paths(paths: list[Path], project: Path | None) -> tuple[Path | None, list[Path], str]:
    """Return the project folder, the plan files, and the reason.

    The folder is None for the start page. The reason is a sentence where the folder was not named. Raises
    NotFound where a path does not exist or is no folder.
    """
    reason = ""
    folders = [path for path in paths if path.is_dir()]
    files = [path.absolute() for path in paths if path.is_file()]
    for path in paths:
        if not path.exists():
            raise NotFound("path.missing", f"{path} does not exist.", "Name a project folder or a plan file.")
    if project is None and folders:
        project = folders[0]
    if project is None and files:
        project, how = _project_around(files[0])
        reason = f"The project is {show_name(str(project))}, {how}."
    if project is None:
        return None, files, ""
    if not project.is_dir():
        raise NotFound("root.missing", f"{project} is not a folder.", "Name the folder of a project.")
    return project.resolve(), files, reason


def _project_around(file: Path) -> tuple[Path, str]:
    """Return the current folder's project, and why.

    A file manager starts this in the home folder, which can't be a project: then the file's own project, if
    any.
    """
    from studio.engine import check_root, find_project_above, find_root

    project, reason = find_root(Path.cwd())
    try:
        check_root(project)
    except StudioError:
        around = find_project_above(file.parent)
        if around is not None:
            return find_root(around).path, "in which the file lies"
    return project, reason


def _hand_over(root: Path | None, files: list[Path]) -> bool:
    """Return whether a running window process took over the paths."""
    from studio.program.notify_socket import hand_over

    if not hand_over("\n".join([f"open {root or ''}", *map(str, files)])):
        return False
    sys.stderr.write("studio: handed to the window that is open already.\n")
    return True


def _show(
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
    # Nothing of the startup becomes garbage; collecting costs a twentieth of the time to the first paint.
    gc.disable()
    from PySide6.QtWidgets import QApplication

    from studio.program.app_folders import state_directory
    from studio.ui.app.application import Session
    from studio.ui.app.gc_pauses import GarbagePauses
    from studio.ui.language import LANGUAGE, use_language
    from studio.ui.look.theme import FUSION
    from studio.ui.runner import Runner
    from studio.ui.settings import Settings

    app = QApplication([*sys.argv[:1], *FUSION])
    if screenshot is not None:
        from studio.ui.app.smoke import check_screenshot

        check_screenshot(screenshot, *([root] if root is not None else []))
    app.setApplicationName("exacta-studio")
    app.setApplicationDisplayName("Exacta Studio")
    app.setDesktopFileName("org.exacta.Studio")
    app.setQuitOnLastWindowClosed(False)
    runner = Runner()
    settings = Settings(state_directory() / "window.ini")
    use_language(app, settings.text(LANGUAGE))
    session = Session(app, runner, settings, agents=agents, is_observing=True, bundle=bundle)
    session.start_theme(theme)
    control = session.open_window(root, files, reason)
    control.window.show()
    first_paint_ms = _paint_first(app, control.window)
    GarbagePauses(app).begin()
    if trying:
        from studio.ui.app.smoke import Smoke, Watchdog

        watchdog = Watchdog()
        smoke = Smoke(control, first_paint_ms, screenshot)
        smoke.done.connect(session.close_all)
        _run_until_ended(app, session, runner, listen=False)
        watchdog.stop()
        failure = control.failure or smoke.failure
        if failure is not None:
            raise failure
        return 0
    _run_until_ended(app, session, runner, listen=True, gates=gates)
    return 0


def _paint_first(app: QApplication, window: object) -> float:
    """Wait for the first paint; return the milliseconds since spawn."""
    from PySide6.QtCore import QEventLoop

    from studio.ui.window.main_window import MainWindow

    assert isinstance(window, MainWindow)
    painted: list[float] = []
    window.first_painted.connect(lambda: painted.append(milliseconds_since_spawn()))
    while not painted and window.isVisible():
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    return painted[0] if painted else milliseconds_since_spawn()


def _run_until_ended(
    app: QApplication, session: Session, runner: Runner, *, listen: bool, gates: GateReader | None = None
) -> None:
    """Run event loop and engine until the last window closes."""
    import signal

    import qasync

    from studio.program.log_file import start_log

    start_log()
    # Python could not handle Ctrl+C in the terminal while Qt waits.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Not Qt's own QtAsyncio: it is not part of PySide6-Essentials, and that of PySide6 6.12 starts no process
    # and serves no socket.
    loop = qasync.QEventLoop(app)
    session.faults.begin(loop)
    with loop:
        ended = loop.create_future()
        session.ended.connect(lambda: None if ended.done() else ended.set_result(None))
        if session.controls:
            # A job that ends before the loop runs is never reported, so nothing starts before.
            loop.call_soon(runner.start, loop)
            loop.call_soon(session.load_after_paint)
            if gates is not None:
                loop.call_soon(session.watch_gates, gates)
            if listen:
                session.listen()
            loop.run_until_complete(ended)
        session.close()
        runner.close()
        session.faults.end()


# Time since this process was spawned, to measure the first paint.

_STAT = Path("/proc/self/stat")
_IMPORTED_NS = time.monotonic_ns()


def milliseconds_since_spawn() -> float:
    """Return the milliseconds since the process was spawned.

    Counts from STUDIO_SPAWNED_NS (CLOCK_MONOTONIC) if that is set, else from the start time that the system
    reports (in clock ticks), else from this import.
    """
    spawned = os.environ.get("STUDIO_SPAWNED_NS", "")
    if spawned.isdigit():
        return (time.monotonic_ns() - int(spawned)) / 1e6
    return _since_start() or (time.monotonic_ns() - _IMPORTED_NS) / 1e6


def _since_start() -> float | None:
    try:
        # The program's name, in parentheses, may hold anything; the start time is field 22.
        ticks = int(_STAT.read_text("ascii", "replace").rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000 - ticks * 1000 / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
