"""A long session with an agent in the panel, taken up after each end of its window or its agent."""

from __future__ import annotations

from tests.journeys.desktop import Desktop
from tests.journeys.harbour import Harbour
from tests.journeys.long_talk import LongTalk, write_messages

TURNS = 30


def test_thirty_turns_lose_nothing_and_decide_nothing(harbour: Harbour, desktop: Desktop) -> None:
    write_messages(harbour.root, 200)
    talk = LongTalk(harbour, desktop)
    for _ in range(TURNS):
        talk.turn()
    talk.check()
