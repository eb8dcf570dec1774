"""Looking for garbage never takes longer than a frame while somebody works."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.ui.app.gc_pauses import GarbagePauses


class Knot:
    """Something that only a look for garbage frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def pauses(qapp: QApplication) -> Iterator[GarbagePauses]:
    pauses = GarbagePauses(qapp)
    pauses.begin()
    yield pauses
    pauses.end()
    pauses.deleteLater()


def test_what_has_lived_through_a_full_look_is_left_out_of_the_next(pauses: GarbagePauses) -> None:
    kept = [[number] for number in range(20_000)]
    gc.collect()
    assert len(gc.get_objects()) < len(kept)


def timer_of(pauses: GarbagePauses) -> QTimer:
    """What measures how long the window has been left."""
    timer = pauses.findChild(QTimer)
    assert isinstance(timer, QTimer)
    return timer


def test_new_garbage_goes_at_once(pauses: GarbagePauses) -> None:
    gone = weakref.ref(Knot())
    gc.collect()
    assert gone() is None


def test_no_other_thread_destroys_what_is_garbage(pauses: GarbagePauses, qtbot: QtBot) -> None:
    """A widget or timer among it belongs to this thread."""
    gone = weakref.ref(Knot())
    made = threading.Thread(target=lambda: [Knot() for _ in range(100_000)])
    made.start()
    made.join()
    assert gone() is not None
    young = pauses.findChildren(QTimer)[1]
    young.setInterval(1)
    qtbot.waitUntil(lambda: gone() is None)


def test_old_garbage_goes_when_the_window_is_left(
    pauses: GarbagePauses, qapp: QApplication, qtbot: QtBot
) -> None:
    knot = Knot()
    gone = weakref.ref(knot)
    gc.collect()
    del knot
    gc.collect()
    assert gone() is not None, "the knot was not set apart, so this test shows nothing"
    timer_of(pauses).setInterval(1)
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    qtbot.waitUntil(lambda: gone() is None)


def test_nothing_is_looked_through_when_the_person_comes_back_soon(
    pauses: GarbagePauses, qapp: QApplication
) -> None:
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert not timer_of(pauses).isActive()


def test_afterwards_python_does_as_it_does_by_itself(qapp: QApplication) -> None:
    before = list(gc.callbacks)
    pauses = GarbagePauses(qapp)
    pauses.begin()
    pauses.end()
    pauses.deleteLater()
    assert gc.callbacks == before
    assert gc.get_freeze_count() == 0
