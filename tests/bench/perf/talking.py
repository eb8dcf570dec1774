"""`python -m tests.perf.talking [MESSAGES]`: how long the window is held up while a person talks.

It takes up a session of 10,000 messages; thirty turns follow, with edits in part, stops, a killed agent and
a window that is closed and opened again, then the window is given other sizes. Measured and printed as
`stalls` does, each time from one second after a window was opened; what was decided is compared with what
became of it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.perf.processes import environment
from tests.bench.perf.stalls import Heartbeat, heard_desktop, statement

MESSAGES = 10_000
TURNS = 30
_SIZES = ((1200, 800), (1300, 850), (1100, 760), (1440, 900))


def talk(root: Path, messages: int, heartbeat: Heartbeat) -> dict[str, list[float]]:
    """Talk in a project that holds so many messages; the milliseconds of each kind of turn."""
    from PySide6.QtTest import QTest

    from tests.journeys.harbour import Harbour
    from tests.journeys.long_talk import LongTalk, write_messages

    harbour = Harbour(root)
    write_messages(harbour.root, messages)
    taken: dict[str, list[float]] = {}
    with heard_desktop(heartbeat) as desktop:
        heartbeat.during = "showing what was said before"
        talk = LongTalk(harbour, desktop, heartbeat.begin_anew)
        for _ in range(TURNS):
            heartbeat.during = f"turn {talk.number + 1}"
            started = time.perf_counter()
            name = talk.turn()
            taken.setdefault(name, []).append((time.perf_counter() - started) * 1000)
        heartbeat.during = "resizing"
        for width, height in _SIZES:
            talk.person.window.resize(width, height)
            QTest.qWait(200)
        view = talk.person.panes.dock.agents.view
        assert view.document().blockCount() > messages // 2, "all of it is there"
        talk.check()
    return taken


def main(words: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="studio-talking-") as folder:
        os.environ.update(environment(Path(folder)))
        heartbeat = Heartbeat()
        taken = talk(Path(folder), int(words[0]) if words else MESSAGES, heartbeat)
    said, is_met = statement(heartbeat, taken)
    print(said)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
