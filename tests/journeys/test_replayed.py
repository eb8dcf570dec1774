"""Every operation, a rollback and its rollback through the window; and that a replay sees what differs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.replaying import Replays

STEPS = (
    {"op": "modify", "path": "one.txt", "content": lines_with(l3="changed 3")},
    {"op": "move", "path": "two.txt", "to": "moved/two.txt", "edits": [{"old": "line 40", "new": "the end"}]},
    {"op": "delete", "path": "three.txt"},
    {"op": "create", "path": "new/deep/made.txt", "content": "made\n"},
    {"op": "append", "path": "log.txt", "content": "more\n"},
    {"op": "copy", "path": "run.sh", "to": "copied.sh"},
    {"op": "mode", "path": "tool.sh", "executable": True},
    {"op": "mkdir", "path": "empty"},
)


@pytest.fixture
def applied(harbour: Harbour, desktop: Desktop) -> Person:
    """The window after one plan of every operation was approved and applied in it."""
    for name, mode in (("log.txt", 0o640), ("run.sh", 0o755), ("tool.sh", 0o644)):
        harbour.write(name, f"{name}\n")
        (harbour.root / name).chmod(mode)
    file = harbour.texts / "every.json"
    file.write_text(json.dumps({"title": "Every operation", "steps": STEPS}))
    plan = harbour.agent.submit(file, "Every operation")
    person = desktop.open(harbour.root)
    person.click_step(plan)
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    wait_for(lambda: person.history_states() == ["applied"], "the plan in the history")
    return person


def _rolled_back(person: Person, entries: int) -> None:
    person.open_rollback(0)
    person.click("rollback-write")
    wait_for(lambda: len(person.history_states()) == entries, "the rollback in the history")


def _flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


Change = Callable[[Path], object]
DIFFERENCES: dict[str, tuple[str, Change, Change]] = {
    "a byte": ("one.txt", _flip, _flip),
    "a mode": ("tool.sh", lambda file: file.chmod(0o644), lambda file: file.chmod(0o755)),
    "a file that came back": ("three.txt", lambda file: file.write_text("back\n"), Path.unlink),
    "a file that is gone": (
        "moved/two.txt",
        lambda file: file.rename(f"{file}.off"),
        lambda file: Path(f"{file}.off").rename(file),
    ),
    "a folder that is gone": ("empty", Path.rmdir, Path.mkdir),
}
"""Which path is changed behind the journal's back, how, and how it is mended."""


def test_every_operation_and_two_rollbacks_are_replayed_and_what_differs_is_seen(
    applied: Person, harbour: Harbour, replays: Replays
) -> None:
    """Moves, deletes, modes and folders too."""
    once = replays.check()
    assert once >= len(STEPS)
    for path, differ, mend in DIFFERENCES.values():
        differ(harbour.root / path)
        with pytest.raises(AssertionError, match=path):
            replays.check()
        mend(harbour.root / path)
    _rolled_back(applied, 2)
    twice = replays.check()
    assert twice > once
    _rolled_back(applied, 3)
    assert replays.check() > twice
