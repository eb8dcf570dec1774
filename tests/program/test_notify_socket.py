"""Bells carry a word, never wait, and losing a ring loses nothing."""

from __future__ import annotations

import os
import select
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.program import notify_paths, notify_socket
from tests.tools.rights import as_root
from tests.tools.socket_paths import ANOTHER, bell_of_another_process, heard


@pytest.fixture(autouse=True)
def short_state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which sockets have short paths, wherever the tests run."""
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        monkeypatch.setenv("STUDIO_STATE_DIR", f"{folder}/s")
        yield Path(folder) / "s"


def test_a_ring_arrives_in_order() -> None:
    bell = notify_socket.listen()
    assert bell is not None
    try:
        assert notify_socket.hand_over("changed one") and notify_socket.hand_over("open /a b")
        assert select.select([bell.fileno()], [], [], 1)[0]
        assert bell.drain() == ["changed one", "open /a b"]
        assert bell.drain() == []
    finally:
        bell.close()
    assert not notify_paths.address().exists()


def test_without_a_listener_a_ring_says_so() -> None:
    assert not notify_socket.hand_over("changed one")


def test_only_one_process_listens_and_a_dead_one_is_replaced() -> None:
    bell = notify_socket.listen()
    assert bell is not None
    assert notify_socket.listen() is None, "somebody listens already"
    path = notify_paths.address()
    kept = path.with_name("kept")
    path.rename(kept)
    bell.close()
    kept.rename(path)  # as after a kill: the socket file stays, nobody listens
    again = notify_socket.listen()
    assert again is not None
    again.close()


def test_a_full_bell_never_blocks() -> None:
    bell = notify_socket.listen()
    assert bell is not None
    try:
        answers = [notify_socket.hand_over("changed x" * 100) for _ in range(2000)]
        assert answers[0] and not answers[-1]
    finally:
        bell.close()


def test_a_long_path_becomes_a_hashed_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / ("x" * 120)))
    short = tempfile.mkdtemp(prefix="s")
    monkeypatch.setattr("tempfile.tempdir", short)
    assert len(str(notify_paths.address()).rpartition("/")[2]) == 32
    bell = notify_socket.listen()
    assert bell is not None
    try:
        assert notify_socket.hand_over("hello")
        assert notify_paths.address().parent.stat().st_mode & 0o077 == 0
    finally:
        bell.close()
        shutil.rmtree(short)


def test_a_chosen_folder_keeps_its_mode_and_its_files(short_state: Path) -> None:
    chosen = short_state
    chosen.mkdir(mode=0o750)
    (chosen / "bell.sock").write_text("mine\n")
    with pytest.raises(FileExistsError):
        notify_socket.listen()
    assert (chosen / "bell.sock").read_text() == "mine\n"
    (chosen / "bell.sock").unlink()
    bell = notify_socket.listen()
    assert bell is not None
    bell.close()
    assert stat.S_IMODE(chosen.stat().st_mode) == 0o750


def test_one_ring_reaches_every_other_process_that_waits() -> None:
    """Not this one, which knows what it did; two threads of a process have a bell each."""
    window, own, second = notify_socket.listen(), notify_socket.open_listener(), notify_socket.open_listener()
    assert window is not None and own is not None and second is not None
    with bell_of_another_process() as first, bell_of_another_process(2) as other:
        names = {path.name: process for path, process in notify_paths.socket_paths().items()}
        mine, other_s = f"bell-{os.getpid()}", f"bell-{ANOTHER}"
        assert names == {
            f"{mine}.sock": os.getpid(), f"{mine}-2.sock": os.getpid(),
            f"{other_s}.sock": ANOTHER, f"{other_s}-2.sock": ANOTHER,
        }  # fmt: skip
        notify_socket.notify("changed one")
        assert heard(first) == heard(other) == [b"changed one"]
    assert window.drain() == own.drain() == second.drain() == []
    for bell in (window, own, second):
        bell.close()


def test_a_ring_comes_from_another_process_at_once() -> None:
    with notify_socket.notify_listener() as bell:
        assert bell is not None
        program = (
            "from studio.program.notify_socket import notify; notify('changed one'); notify('changed two')"
        )
        notifying = subprocess.Popen([sys.executable, "-c", program])
        assert bell.wait(30)
        assert notifying.wait(30) == 0
        assert set(bell.drain()) <= {"changed two"}
    assert notify_paths.socket_paths() == {}


def test_the_bells_of_dead_processes_are_swept() -> None:
    with bell_of_another_process(), bell_of_another_process(2):
        pass
    assert len(notify_paths.socket_paths()) == 2
    notify_socket.notify("changed one")
    assert notify_paths.socket_paths() == {}


def test_a_dead_bell_with_the_number_of_this_process_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    with bell_of_another_process():
        pass
    monkeypatch.setattr(os, "getpid", lambda: ANOTHER)
    with notify_socket.notify_listener():
        assert list(notify_paths.socket_paths()) == [notify_paths.socket_path(ANOTHER)]


def test_a_foreign_file_is_no_bell(tmp_path: Path) -> None:
    """A file, a pipe and a link to a bell are neither rung nor taken away, nor is one hung in their place."""
    with bell_of_another_process() as listener:
        bell = notify_paths.socket_path(ANOTHER)
        elsewhere = bell.rename(tmp_path / "elsewhere")
        bell.symlink_to(elsewhere)
        file, pipe = notify_paths.socket_path(1), notify_paths.socket_path(2)
        file.write_text("mine\n")
        os.mkfifo(pipe)
        own = notify_paths.socket_path(os.getpid())
        own.write_text("mine too\n")
        notify_socket.notify("changed one")
        assert heard(listener) == []
        with notify_socket.notify_listener() as notify_listener:
            assert notify_listener is not None
            assert notify_paths.socket_path(os.getpid(), 2).is_socket()
        assert bell.is_symlink() and pipe.is_fifo()
        assert (file.read_text(), own.read_text()) == ("mine\n", "mine too\n")
        address = notify_paths.address()
        address.symlink_to(elsewhere)
        assert not notify_socket.hand_over("open /a")
        assert heard(listener) == []


@as_root
def test_the_bell_of_another_user_is_not_rung() -> None:
    with bell_of_another_process() as listener:
        bell = notify_paths.socket_path(ANOTHER)
        os.chown(bell, 12345, -1)
        notify_socket.notify("changed one")
        assert heard(listener) == []
        assert bell.is_socket()


def test_a_ring_never_waits_for_a_bell_that_is_full() -> None:
    with bell_of_another_process() as listener:
        for _ in range(2000):
            notify_socket.notify("changed one")
        assert set(heard(listener)) == {b"changed one"}


def test_where_no_bell_can_hang_nobody_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder\n")
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    notify_socket.notify("changed one")
    with notify_socket.notify_listener() as bell:
        assert bell is None
        assert not notify_socket.wait_for_notification(bell, 0.001, None)
        stop = threading.Event()
        stop.set()
        assert notify_socket.wait_for_notification(bell, 30, stop)


def test_a_wait_for_a_ring_can_be_cancelled() -> None:
    with notify_socket.notify_listener() as bell:
        stop = threading.Event()
        assert not notify_socket.wait_for_notification(bell, 0.001, stop)
        later = threading.Timer(0.05, stop.set)
        later.start()
        began = time.monotonic()
        assert notify_socket.wait_for_notification(bell, 30, stop)
        assert time.monotonic() - began < 10
        later.join()


@pytest.mark.parametrize("length", [60, 70, 80, 90, 120])
def test_all_processes_agree_where_the_bells_hang(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the path is, and however long a process's number; the folder for long ones is private."""
    short = Path(tempfile.mkdtemp(prefix="s"))
    monkeypatch.setattr("tempfile.tempdir", str(short))
    base = Path(tempfile.mkdtemp(prefix="b", dir=short))
    state = base / ("x" * (length - len(str(base)) - 1))
    monkeypatch.setenv("STUDIO_STATE_DIR", str(state))
    try:
        monkeypatch.setattr(os, "getpid", lambda: 7)
        window, short_number = notify_socket.listen(), notify_socket.open_listener()
        monkeypatch.setattr(os, "getpid", lambda: ANOTHER)
        long_number = notify_socket.open_listener()
        assert window is not None and short_number is not None and long_number is not None
        notify_socket.notify("changed one")
        assert short_number.drain() == ["changed one"]
        monkeypatch.setenv("STUDIO_STATE_DIR", str(state.with_name(state.name[:-1] + "y")))
        notify_socket.notify("changed two")
        assert short_number.drain() == [], "the bells of another place are not rung"
        for bell in (window, short_number, long_number):
            bell.close()
        own = short / f"exacta-studio-{os.getuid()}"
        assert not own.exists() or own.stat().st_mode & 0o077 == 0
    finally:
        shutil.rmtree(short)
