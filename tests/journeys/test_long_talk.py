"""A long session with an agent in the panel, taken up after each end of its window or its agent."""

from __future__ import annotations

from tests.journeys.desktop import Desktop
from tests.journeys.harbour import Harbour
from tests.journeys.long_talk import LongTalk, write_messages

KINDS_OF_TURNS = 10
"""Each of them once here; thirty turns behind 10,000 messages are `python -m tests.perf.talking`."""


def test_no_kind_of_turn_loses_or_decides_anything(harbour: Harbour, desktop: Desktop) -> None:
    write_messages(harbour.root, 200)
    talk = LongTalk(harbour, desktop)
    for _ in range(KINDS_OF_TURNS):
        talk.turn()
    talk.check()
