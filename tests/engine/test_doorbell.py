"""The bell carries a word, never waits, and losing it loses nothing (design 7)."""

from __future__ import annotations

import select
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from studio.engine import doorbell


@pytest.fixture(autouse=True)
def short_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "s"))


def test_a_ring_arrives_in_order() -> None:
    bell = doorbell.listen()
    assert bell is not None
    try:
        assert doorbell.ring("changed one") and doorbell.ring("open /a b")
        assert select.select([bell.fileno()], [], [], 1)[0]
        assert bell.drain() == ["changed one", "open /a b"]
        assert bell.drain() == []
    finally:
        bell.close()
    assert not doorbell.address().exists()


def test_without_a_listener_a_ring_says_so() -> None:
    assert not doorbell.ring("changed one")


def test_only_one_process_listens_and_a_dead_one_is_replaced() -> None:
    bell = doorbell.listen()
    assert bell is not None
    assert doorbell.listen() is None, "somebody listens already"
    path = doorbell.address()
    kept = path.with_name("kept")
    path.rename(kept)
    bell.close()
    kept.rename(path)  # as after a kill: the socket file stays, nobody listens
    again = doorbell.listen()
    assert again is not None
    again.close()


def test_a_full_bell_never_blocks() -> None:
    bell = doorbell.listen()
    assert bell is not None
    try:
        answers = [doorbell.ring("changed x" * 100) for _ in range(2000)]
        assert answers[0] and not answers[-1]
    finally:
        bell.close()


def test_a_long_path_becomes_a_hashed_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / ("x" * 120)))
    short = tempfile.mkdtemp(prefix="s")
    monkeypatch.setattr("tempfile.tempdir", short)
    assert len(str(doorbell.address()).rpartition("/")[2]) == 32
    bell = doorbell.listen()
    assert bell is not None
    try:
        assert doorbell.ring("hello")
        assert doorbell.address().parent.stat().st_mode & 0o077 == 0
    finally:
        bell.close()
        shutil.rmtree(short)


def test_a_chosen_folder_keeps_its_mode_and_its_files(tmp_path: Path) -> None:
    chosen = tmp_path / "s"
    chosen.mkdir(mode=0o750)
    (chosen / "bell.sock").write_text("mine\n")
    with pytest.raises(FileExistsError):
        doorbell.listen()
    assert (chosen / "bell.sock").read_text() == "mine\n"
    (chosen / "bell.sock").unlink()
    bell = doorbell.listen()
    assert bell is not None
    bell.close()
    assert stat.S_IMODE(chosen.stat().st_mode) == 0o750
