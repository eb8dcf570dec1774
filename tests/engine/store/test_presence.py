"""Who is there: told by locks that end with their process, never by a number or the clock."""

from __future__ import annotations

from pathlib import Path

from studio.engine.session import SessionState
from studio.engine.store.presence import Presence


def test_a_session_is_there_while_somebody_holds_it(tmp_path: Path) -> None:
    here, there, looker = Presence(tmp_path), Presence(tmp_path), Presence(tmp_path)
    here.acquire("one")
    here.acquire("one")
    there.acquire("one")
    there.acquire("two")
    assert looker.states() == {"one": SessionState.ALIVE, "two": SessionState.ALIVE}
    here.release("one")
    assert looker.states()["one"] is SessionState.ALIVE
    there.close()
    assert looker.states() == {}
    assert list((tmp_path / "sessions").iterdir()) == []


def test_waiting_outranks_being_there_and_ends(tmp_path: Path) -> None:
    here = Presence(tmp_path)
    here.acquire("one")
    with here.waiting("one"), here.waiting("other"):
        assert Presence(tmp_path).states() == {"one": SessionState.WAITING, "other": SessionState.WAITING}
    assert Presence(tmp_path).states() == {"one": SessionState.ALIVE}
    here.close()


def test_what_nobody_locks_says_nothing_and_is_swept(tmp_path: Path) -> None:
    """The file of a process that was killed, as it lies there afterwards; whatever its age."""
    left = tmp_path / "sessions" / "two.0123.alive"
    left.parent.mkdir()
    left.write_bytes(b"")
    assert "two" not in Presence(tmp_path).states()
    assert not left.exists()


def test_a_folder_that_takes_no_file_hides_who_waits_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_bytes(b"")
    here = Presence(tmp_path)
    with here.waiting("one"):
        assert here.states() == {}
