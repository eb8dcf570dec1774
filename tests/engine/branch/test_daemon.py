"""Stopped, running, completed, and the events between."""

from __future__ import annotations

import threading

import pytest

from studio.branch.daemon import (
    Daemon,
    DaemonStateError,
    DaemonStatus,
    FailureOccurred,
    StatusChanged,
)
from studio.errors import TimedOut

RUNNING, COMPLETED = StatusChanged(DaemonStatus.RUNNING), StatusChanged(DaemonStatus.COMPLETED)


def events(daemon: Daemon) -> list[object]:
    return [item.entry for item in daemon.events.read()]


def test_a_life() -> None:
    daemon = Daemon()
    assert daemon.status is DaemonStatus.STOPPED and events(daemon) == []
    daemon.start()
    daemon.start()
    assert daemon.status is DaemonStatus.RUNNING and events(daemon) == [RUNNING]
    daemon.shut_down()
    daemon.shut_down()
    assert daemon.status is DaemonStatus.COMPLETED and events(daemon) == [RUNNING, COMPLETED]


def test_it_cannot_shut_down_without_starting() -> None:
    daemon = Daemon()
    with pytest.raises(DaemonStateError, match="cannot shut down without starting"):
        daemon.shut_down()
    assert events(daemon) == []


def test_it_cannot_start_again() -> None:
    daemon = Daemon()
    daemon.start()
    daemon.shut_down()
    with pytest.raises(RuntimeError, match="can't be started again"):
        daemon.start()
    assert daemon.status is DaemonStatus.COMPLETED


def test_waiting_for_a_status_that_has_been_returns_at_once() -> None:
    daemon = Daemon()
    daemon.start()
    daemon.shut_down()
    daemon.wait_for_status(DaemonStatus.RUNNING, timeout=0)
    daemon.wait_for_status(DaemonStatus.COMPLETED, timeout=0)


def test_waiting_for_a_status_that_comes() -> None:
    daemon = Daemon()
    starting = threading.Timer(0.01, daemon.start)
    starting.start()
    daemon.wait_for_status(DaemonStatus.RUNNING, timeout=5)
    starting.join()


def test_waiting_honours_cancellation() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(TimedOut):
        Daemon().wait_for_status(DaemonStatus.RUNNING, cancel=cancel)


def test_a_failure_is_an_event_and_the_first_is_waited_for() -> None:
    daemon = Daemon()
    daemon.start()
    daemon.fail("one")
    daemon.fail("two")
    assert daemon.wait_for_failure(timeout=0) == FailureOccurred("one")
    assert daemon.status is DaemonStatus.RUNNING
