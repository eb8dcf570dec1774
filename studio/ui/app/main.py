"""Window startup: path arguments, handover to a running instance, time since spawn."""

from __future__ import annotations

import gc
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import NotFound, StudioError
from studio.names import show_name
from studio.ui import app
from studio.ui.display import check_display

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.app.application import GateReader
    from studio.ui.help.diagnostics_page import Bundle


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
    # Nothing of the startup becomes garbage; collecting costs a twentieth of the time to the first paint.
    gc.disable()
    return app.show_window(
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
    # Not at the top: a window without a file to import starts without the engine.
    from studio import engine

    project, reason = engine.find_root(Path.cwd())
    try:
        engine.check_root(project)
    except StudioError:
        around = engine.find_project_above(file.parent)
        if around is not None:
            return engine.find_root(around).path, "the folder around the file"
    return project, reason


def _hand_over(root: Path | None, files: list[Path]) -> bool:
    """Return whether a running window process took over the paths."""
    from studio.program.notify_socket import hand_over

    if not hand_over("\n".join([f"open {root or ''}", *map(str, files)])):
        return False
    sys.stderr.write("studio: opened in the running window.\n")
    return True


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
