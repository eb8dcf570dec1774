"""A project on disk, agents, and a person before the real window."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
import qasync
from PySide6.QtWidgets import QApplication

from studio import ui
from studio.engine.project import context
from tests.journeys.desktop import Desktop, SharedProcess, shared_process
from tests.journeys.harbour import Harbour
from tests.journeys.replaying import Replays
from tests.tools.forked import ForkServer

_WINDOW = Path(str(ui.__file__)).parent


@pytest.fixture(scope="module")
def most_entries() -> list[int]:
    """How many entries the journals had that were run again in this module, the most last."""
    return [0]


@pytest.fixture(autouse=True)
def replays(
    private_folders: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, most_entries: list[int]
) -> Iterator[Replays]:
    """After a journey whose journals have more entries than any before in its module they are run again, and
    every path they wrote is compared: before the folder of the test goes."""
    made = Replays(tmp_path_factory.mktemp("replays"))
    yield made
    entries = made.entries()
    if entries > most_entries[-1]:
        most_entries.append(entries)
        print(f"{made.check()} requests run again")


@pytest.fixture(autouse=True)
def stores_of_the_window(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The thread that paints opens none: it would wait for the disk, and nobody would close it there."""
    opened: list[str] = []

    class WatchedStore(context.Store):
        def __init__(self, folder: Path) -> None:
            stack = traceback.extract_stack()
            if threading.current_thread() is threading.main_thread() and any(
                Path(frame.filename).is_relative_to(_WINDOW) for frame in stack
            ):
                opened.append("".join(traceback.format_list(stack[-8:])))
            super().__init__(folder)

    monkeypatch.setattr(context, "Store", WatchedStore)
    yield
    assert not opened, f"The window opened a store {len(opened)} times, first here:\n{opened[0]}"


@pytest.fixture
def harbour(
    request: pytest.FixtureRequest, tmp_path: Path, replays: Replays, forks: ForkServer | None
) -> Harbour:
    is_apart = request.node.get_closest_marker("process") is not None
    made = Harbour(tmp_path, forks, apart=is_apart)
    replays.begin(made.root)
    made.on_write = lambda name: replays.wrote_from_outside(made.root, name)
    return made


@pytest.fixture
def is_observing() -> bool:
    """Whether the window has a process look at the project; most journeys need none."""
    return False


@pytest.fixture
def is_first_day() -> bool:
    """Whether nobody has seen the first steps yet."""
    return False


@pytest.fixture(scope="session")
def process() -> Iterator[SharedProcess]:
    """What computes beside the windows of this session."""
    with shared_process() as made:
        yield made


@pytest.fixture
def desktop(
    qapp: QApplication, process: SharedProcess, *, is_observing: bool, is_first_day: bool
) -> Iterator[Desktop]:
    qapp.setDesktopFileName("org.exacta.Studio")  # as the program does: on an X server its badge asks for it
    with qasync.QEventLoop(qapp) as loop:
        # Never told to run: the journey lets Qt's events through, and the loop's callbacks are such events.
        asyncio.set_event_loop(loop)
        made = Desktop(qapp, loop, process, is_observing=is_observing, is_first_day=is_first_day)
        yield made
        made.close()
        asyncio.set_event_loop(None)
