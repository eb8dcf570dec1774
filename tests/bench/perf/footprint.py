"""The memory of programs that stay: the window with a large plan, and the MCP server that waits.

Counted is what is resident of a process and its children, in MB. Not their share of common pages (PSS): that
depends on who else has them, and with tests beside it the ratio was 6.0 instead of 4.5.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, output, studio
from tests.bench.perf.serving import PEER as BARE_SERVER, listed_tools
from tests.bench.perf.stalls import make_project

_FILES = 600
_QUIET_SECONDS = 3.0
"""After so long without anything to do the window has loaded what it loads late."""

_WINDOW = """
import sys
sys.argv[1:] = ["--project", {project!r}]
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from studio.__main__ import main
main()
"""

_BARE_WINDOW = """
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
app = QApplication(["bare", "-platform", "offscreen"])
window = QMainWindow()
window.setCentralWidget(QLabel("bare"))
window.resize(1440, 900)
window.show()
app.exec()
"""


def megabytes(process: int) -> float:
    """The resident set of a process and all below it."""
    total = _resident(process)
    for task in Path(f"/proc/{process}/task").iterdir():
        total += sum(megabytes(int(child)) for child in (task / "children").read_text().split())
    return total


def _resident(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) / 1024


def _weighed(
    command: Sequence[str],
    variables: Mapping[str, str],
    begin: Callable[[subprocess.Popen[bytes]], object] = lambda _: None,
) -> float:
    """What a process takes a few seconds after it began."""
    with subprocess.Popen(
        command, env=dict(variables), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        begin(running)
        time.sleep(_QUIET_SECONDS)
        taken = megabytes(running.pid)
        running.kill()
    return taken


def _window(folder: Path, pairs: int) -> Comparison:
    os.environ.update(variables := environment(folder))
    program = _WINDOW.format(project=str(make_project(folder, _FILES)))
    ours, peer = compare(
        lambda: _weighed([sys.executable, "-c", program], variables),
        lambda: _weighed([sys.executable, "-c", _BARE_WINDOW], variables),
        pairs,
    )
    return Comparison(
        f"the window with a plan of {_FILES} files", "a QMainWindow with a label", ours, peer, 2.2, unit="MB"
    )


def _server(folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    output([studio(), "--project", str(folder), "plans"], variables)  # the project's store is made once
    ours, peer = compare(
        lambda: _weighed([studio(), "mcp", "--project", str(folder)], variables, listed_tools),
        lambda: _weighed([sys.executable, str(BARE_SERVER)], variables, listed_tools),
        pairs,
    )
    return Comparison("studio mcp, waiting", "a bare server of the same SDK", ours, peer, 1.3, unit="MB")


WINDOW_MEMORY = Benchmark("window-memory", f"memory of the window with a plan of {_FILES} files", _window)
MCP_MEMORY = Benchmark("mcp-memory", "memory of the MCP server after its tools were listed", _server)
