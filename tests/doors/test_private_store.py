"""What the program keeps about a project is its user's alone, whatever the umask."""

from __future__ import annotations

import base64
import os
import random
import sqlite3
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, plan_text

LARGE = {
    "op": "create",
    "path": "large.txt",
    "content": base64.encodebytes(random.Random(5).randbytes(400_000)).decode(),
}
"""Content that lies in a file of its own, beside the database."""


@pytest.mark.usefixtures("allow_review")
def test_nobody_else_reads_what_is_stored(studio: CommandLine, request: pytest.FixtureRequest) -> None:
    """It lies outside of the project."""
    mask = os.umask(0)  # a shell that takes no permission from what its commands make
    request.addfinalizer(lambda: os.umask(mask))
    state = Path(os.environ["STUDIO_STATE_DIR"])
    state.chmod(0o755)
    plan = studio("submit", stdin=plan_text(LARGE)).json["plan"]
    assert studio("approve", plan, "--apply").code == 0
    (store,) = state.rglob("store.sqlite3")
    with sqlite3.connect(store) as connection:
        connection.execute("ALTER TABLE steps DROP COLUMN unit")
        connection.execute("ALTER TABLE steps DROP COLUMN revised")
        connection.execute("ALTER TABLE steps DROP COLUMN part")
        connection.execute("DROP TABLE parts")
        connection.execute("ALTER TABLE plans DROP COLUMN reviews")
        connection.execute("PRAGMA user_version = 12")
    connection.close()
    for copied in (store.parent, store.parent / "blobs"):
        copied.chmod(0o755)  # as whoever copied it there may have made it
    assert studio("plans").code == 0
    kept = {path.relative_to(store.parent): path.stat().st_mode & 0o777 for path in store.parent.rglob("*")}
    assert {len(path.parts) for path in kept} >= {1, 3}, "the content lies beside the database"
    assert any("version-12" in path.name for path in kept), "the store of the version before is kept"
    open_to_others = {str(path): oct(mode) for path, mode in kept.items() if mode & 0o077}
    assert open_to_others == {}
    assert store.parent.stat().st_mode & 0o777 == 0o700


def test_the_log_is_written_through_no_link(studio: CommandLine, project: Path, tmp_path: Path) -> None:
    """Whoever chooses the state folder chooses no file of somebody else's with it."""
    other = tmp_path / "other.txt"
    other.write_text("mine\n")
    Path(os.environ["STUDIO_STATE_DIR"]).mkdir(exist_ok=True)
    Path(os.environ["STUDIO_STATE_DIR"], "studio.log").symlink_to(other)
    assert studio("submit", stdin=plan_text({"op": "create", "path": "../x", "content": "x\n"})).code == 1
    assert other.read_text() == "mine\n"
