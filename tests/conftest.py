"""What every test gets: folders of its own, and a failure for whatever it leaves behind.

Works without Qt: the engine's tests also run where neither PySide6 nor pytest-qt is installed.
"""

from __future__ import annotations

import gc
import importlib.util
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from fnmatch import fnmatchcase
from itertools import pairwise
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest
from hypothesis import HealthCheck, settings

if sys.platform != "win32":
    import fcntl
    import termios

if TYPE_CHECKING:
    from tests.tools.forked import ForkServer

GRACE_SECONDS = 5.0
"""How long threads and processes that were told to end may take; windows of journeys are waited for."""

T = TypeVar("T")

ALLOWED_SKIPS = Path(__file__).parent / "repo" / "allowed_skips.txt"

# The machine may be busy: no deadline per example. The same examples every time, so that a failure is
# about the change at hand; `--hypothesis-profile=search` looks for new ones.
settings.register_profile(
    "repeat", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("repeat")


def pytest_addoption(parser: pytest.Parser) -> None:
    if importlib.util.find_spec("pytestqt") is None:
        # pyproject.toml sets these for pytest-qt; without it pytest would refuse them as unknown.
        for name in ("qt_api", "qt_log_level_fail"):
            parser.addini(name, "read by pytest-qt")
        parser.addini("qt_log_ignore", "read by pytest-qt", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "expects_log(pattern): the test makes a log record of level WARNING or above that the regular "
        "expression matches; one that never comes fails the test, as does any other such record",
    )
    config.pluginmanager.register(SkipCheck(), "skip-check")
    # What a shell starts in the background ignores Ctrl-C, and so would all that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    leave_terminal()


def leave_terminal() -> None:
    """Give up the terminal of whoever runs the tests; its Ctrl-C still comes.

    Commands that ask a person at `/dev/tty` would ask there. The leader of a session stays: the kernel would
    send it SIGHUP.
    """
    if sys.platform == "win32" or os.getsid(0) == os.getpid():
        return
    with suppress(OSError), Path("/dev/tty").open("rb", buffering=0) as terminal:
        fcntl.ioctl(terminal, termios.TIOCNOTTY)


def pytest_collection_finish() -> None:
    collect_garbage()


@pytest.fixture(scope="session")
def forks() -> Iterator[ForkServer | None]:
    """What starts the commands of tests, where the system can do that."""
    # Not above: tests of this file have a copy of it alone.
    from tests.tools.forked import IS_POSSIBLE, ForkServer

    if not IS_POSSIBLE:
        yield None
        return
    server = ForkServer()
    yield server
    server.close()


# Private folders


@pytest.fixture(scope="session", autouse=True)
def private_session_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The same for fixtures that outlive a test."""
    with private_environment(tmp_path_factory.mktemp("private-session")):
        yield


@pytest.fixture(autouse=True)
def private_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Point home, state, configuration and git at an empty folder of this test; yields that folder."""
    private = tmp_path_factory.mktemp("private")
    with private_environment(private):
        yield private


@contextmanager
def private_environment(private: Path) -> Iterator[None]:
    places = {
        "HOME": "home",
        "USERPROFILE": "home",
        "APPDATA": "home",
        "LOCALAPPDATA": "home",
        "XDG_CACHE_HOME": "cache",
        "XDG_CONFIG_HOME": "config",
        "XDG_DATA_HOME": "data",
        "XDG_STATE_HOME": "state",
        "XDG_RUNTIME_DIR": "runtime",
        "STUDIO_CONFIG_DIR": "studio-config",
        "STUDIO_STATE_DIR": "studio-state",
    }
    with pytest.MonkeyPatch.context() as patch:
        for variable, name in places.items():
            folder = private / name
            folder.mkdir(mode=0o700, exist_ok=True)
            patch.setenv(variable, str(folder))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


# Log records


_SKIPPED: Final = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[_SKIPPED] = item.stash.get(_SKIPPED, False) or report.skipped
    return report


class Warnings(logging.Handler):
    """Keeps the records of level WARNING and above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(f"{record.levelname} {record.name}: {record.getMessage()}")

    def take(self, records: list[logging.LogRecord]) -> None:
        """Add those of pytest's own handler that did not come here."""
        for record in records:
            if record.levelno >= self.level:
                message = f"{record.levelname} {record.name}: {record.getMessage()}"
                if message not in self.messages:
                    self.messages.append(message)


@pytest.fixture(autouse=True)
def no_unexpected_log(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail on log records of level WARNING or above, save those of `expects_log` marks."""
    handler = Warnings()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
    # Once, in hundreds of runs, records reached pytest's handler of the root logger and not this one.
    handler.take(caplog.get_records("call"))
    patterns = [str(mark.args[0]) for mark in request.node.iter_markers("expects_log")]
    for pattern in () if request.node.stash.get(_SKIPPED, False) else patterns:
        if not any(re.search(pattern, message) for message in handler.messages):
            pytest.fail(f"Expected a log record that matches {pattern!r}; it never came.", pytrace=False)
    unexpected = [m for m in handler.messages if not any(re.search(pattern, m) for pattern in patterns)]
    if unexpected:
        pytest.fail("Unexpected log records:\n" + "\n".join(unexpected), pytrace=False)


@pytest.fixture(scope="module", autouse=True)
def leaves_no_timer_and_no_lost_exception() -> Iterator[None]:
    """Fail where tests of this module left a timer running, or a task whose exception nobody fetched: that is
    logged once the task is collected."""
    timers_before = active_timers()
    yield
    if qt_application() is None:
        return
    left = [f"active timer {describe(timer)}" for timer in dispose(active_timers(), timers_before)]
    assert not left, f"Tests of this module left behind: {', '.join(left)}"
    handler = Warnings()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        collect_garbage()
    finally:
        root.removeHandler(handler)
    if handler.messages:
        pytest.fail("Log records of what was collected:\n" + "\n".join(handler.messages), pytrace=False)


def collect_garbage() -> None:
    """Collect it, and leave what is loaded before the first test out of every later look at all objects.

    Such looks, for garbage and for timers, were half of the time of each test with a window; they are once
    for each module. The end of the program's window brings back what was left out.
    """
    gc.collect()
    if gc.get_freeze_count() == 0:
        gc.freeze()


# Processes of the program

PROCESSES_UP_TO = 39
"""How many tests may start `studio` as a process of its own, which takes six times as long."""
NOT_COUNTED = ("tests/bench/", "tests/journeys/", "tests/lab/", "tests/packaging/", "tests/ui/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("process") and _is_counted(item)]
    if len(marked) > PROCESSES_UP_TO:
        message = f"{len(marked)} tests have the mark process, {PROCESSES_UP_TO} may: run one in the test's."
        raise pytest.UsageError(message)


@pytest.fixture(autouse=True)
def starts_no_command_unmarked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail where a test without the mark `process` starts `studio`."""
    if request.node.get_closest_marker("process") or not _is_counted(request.node):
        yield
        return
    start = subprocess.Popen.__init__
    started: list[str] = []

    def watched(process: Any, command: Any, *rest: Any, **named: Any) -> None:
        words = [command] if isinstance(command, str | bytes | os.PathLike) else command
        said = [os.fsdecode(word) for word in words]
        if ("-m", "studio") in pairwise(said) or any("studio.__main__" in each for each in said):
            started.append(" ".join(said)[:200])
        elif "os._exit(code)" in "".join(said):  # the client of tests/tools/forked.py
            started.append("a fork of it")
        start(process, command, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", watched)
        yield
    if started:
        pytest.fail(f"Started studio without the mark process: {started[0]}", pytrace=False)


def _is_counted(item: pytest.Item) -> bool:
    return not item.nodeid.startswith(NOT_COUNTED)


# Windows, timers, threads, child processes


@pytest.fixture(autouse=True)
def leaves_nothing_running(private_folders: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail when a window, an active timer, a thread or a child process outlives the test."""
    threads_before = set(threading.enumerate())
    processes_before = child_processes()
    windows_before = top_level_widgets()
    with garbage_collected_here() if uses_qt(request) else nullcontext():
        yield
    # Kept between comparisons and searches on purpose: a test that needed them gives them back here.
    if (kept := sys.modules.get("studio.engine.diff.worker")) is not None:
        kept.shared_worker().close()
    if (kept := sys.modules.get("studio.engine.filesystem.grep_workers")) is not None:
        kept.shared_workers().close()
    left: list[str] = []
    if uses_qt(request):
        process_deferred_deletes()
        left += [f"window {describe(window)}" for window in dispose(top_level_widgets(), windows_before)]
        left += leftover_pool_threads()
    left += [f"thread {thread.name}" for thread in leftover_threads(threads_before)]
    left += [f"child process {process}" for process in leftover_processes(processes_before)]
    if left:
        pytest.fail("The test left behind: " + ", ".join(left), pytrace=False)


@contextmanager
def garbage_collected_here() -> Iterator[None]:
    """Collect what the test leaves once it is over, on this thread: Python does so on whichever allocates,
    and where another destroyed a timer of a closed window Qt 6.11 crashed."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        gc.enable()


def uses_qt(request: pytest.FixtureRequest) -> bool:
    return "qapp" in request.fixturenames or qt_application() is not None


def qt_application() -> Any | None:
    widgets = sys.modules.get("PySide6.QtWidgets")
    return widgets.QApplication.instance() if widgets is not None else None


def top_level_widgets() -> list[Any]:
    """Every window of the application, shown or not; those Qt keeps for itself are left out."""
    if qt_application() is None:
        return []
    from PySide6.QtWidgets import QApplication

    return [
        widget
        for widget in QApplication.topLevelWidgets()
        if widget.metaObject().className() not in ("QTipLabel", "QComboBoxPrivateContainer")
    ]


def active_timers() -> list[Any]:
    if qt_application() is None:
        return []
    import shiboken6
    from PySide6.QtCore import QTimer

    timers = [found for found in gc.get_objects() if issubclass(type(found), QTimer)]
    return [timer for timer in timers if shiboken6.isValid(timer) and timer.isActive()]


def process_deferred_deletes() -> None:
    """Carry out what deleteLater asked for; without a running event loop Qt would keep it waiting."""
    if qt_application() is None:
        return
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def dispose(now: list[Any], before: list[Any]) -> list[Any]:
    """Those of `now` that were not there `before`, stopped or hidden so that they harm no later test."""
    new = [found for found in now if all(found is not known for known in before)]
    for found in new:
        if hasattr(found, "stop"):
            found.stop()
        else:
            found.hide()
    return new


def describe(qt_object: Any) -> str:
    name = qt_object.objectName() or "without a name"
    owner = qt_object.parent()
    return f"{type(qt_object).__name__} ({name}{', of ' + type(owner).__name__ if owner is not None else ''})"


def leftover_pool_threads() -> list[str]:
    if qt_application() is None:
        return []
    from PySide6.QtCore import QThreadPool

    pool = QThreadPool.globalInstance()
    return [] if pool.waitForDone(int(GRACE_SECONDS * 1000)) else ["a job of the global thread pool"]


def leftover_threads(before: set[threading.Thread]) -> list[threading.Thread]:
    """Threads, daemon or not, that the test started and that do not end; Qt's own have no thread object."""

    def started_by_test() -> list[threading.Thread]:
        return [
            thread
            for thread in threading.enumerate()
            if thread not in before and not isinstance(thread, threading._DummyThread)
        ]

    return ended_or_left(started_by_test)


def leftover_processes(before: set[int]) -> list[str]:
    """Child processes that the test started and did not wait for, killed now."""
    tracker = vars(vars(resource_tracker)["_resource_tracker"])
    left = ended_or_left(lambda: sorted(child_processes() - before - {tracker["_pid"]}))
    commands = [f"{process} ({command_line(process)})" for process in left]
    for process in left:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    # multiprocessing keeps one for the rest of the process; it ends after all that it looks after.
    if not child_processes() - {tracker["_pid"]}:
        vars(resource_tracker)["_resource_tracker"]._stop()
    return commands


def ended_or_left(running: Callable[[], list[T]]) -> list[T]:
    """What `running` still returns after the time of grace."""
    clock = threading.Event()
    for _ in range(int(GRACE_SECONDS / 0.02)):
        if not running():
            return []
        clock.wait(0.02)
    return running()


def child_processes() -> set[int]:
    """Process ids of this process's children, ended but not waited for among them (Linux only)."""
    children: set[int] = set()
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            children.update(int(process) for process in listing.read_text().split())
        except OSError:
            continue  # the thread has ended meanwhile
    return children


def command_line(process: int) -> str:
    try:
        return (
            Path(f"/proc/{process}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode(errors="replace")
            .strip()
        )
    except OSError:
        return "ended"


# Skips


class SkipCheck:
    """Fails the run for a skip that tests/repo/allowed_skips.txt does not list."""

    def __init__(self) -> None:
        self.unlisted: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.check(report.nodeid, report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.check(report.nodeid, report.longrepr)

    def check(self, node_id: str, place_and_reason: object) -> None:
        reason = place_and_reason[2] if isinstance(place_and_reason, tuple) else str(place_and_reason)
        reason = str(reason).removeprefix("Skipped: ")
        if not any(fnmatchcase(node_id, test) and fnmatchcase(reason, why) for test, why in allowed_skips()):
            self.unlisted.append(f"{node_id}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unlisted and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        """Prints them last, where the end of a long output has them."""
        yield
        for skip in self.unlisted:
            terminalreporter.write_line(f"SKIP NOT LISTED in {ALLOWED_SKIPS.name}: {skip}", red=True)


def allowed_skips() -> list[tuple[str, str]]:
    """Pairs of patterns (fnmatch): the test's node id, the reason it gives."""
    lines = ALLOWED_SKIPS.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("|", 1) for line in lines if line.strip() and not line.startswith("#")]
    return [(test.strip(), reason.strip()) for test, reason in pairs]
