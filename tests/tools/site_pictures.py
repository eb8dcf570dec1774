"""The pictures of the documentation's site: `python -m tests.tools.site_pictures FOLDER`.

They are made when the site is built, and are the same bytes each time on one machine: the clock stands still
and ids are drawn from a fixed seed, which has to be so before anything of the program is loaded.
"""

from __future__ import annotations

import argparse
import datetime
import random
import sys
import uuid
from pathlib import Path
from unittest import mock

SHOWN = ("first-step", "hunk-left-out", "apply-ready", "history", "rollback", "settings-rules")
"""The scenes that pages show, each as a file of its name."""

_MOMENT = 1_767_268_800
"""Noon of New Year's Day 2026, UTC, in seconds; a day on which nothing else was made."""


class StandingClock(datetime.datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> StandingClock:
        """The one moment."""
        moment = cls.fromtimestamp(_MOMENT, datetime.UTC)
        return moment.astimezone(tz) if tz is not None else moment.replace(tzinfo=None)


def paint(folder: Path) -> None:
    """Save the pictures. Nothing of the program may have been loaded yet."""
    assert not any(name.partition(".")[0] == "studio" for name in sys.modules)
    drawn = random.Random(1)
    standing = mock.patch.object(datetime, "datetime", StandingClock)
    fixed = mock.patch.object(uuid, "uuid4", lambda: uuid.UUID(int=drawn.getrandbits(128), version=4))
    with standing, fixed:
        from tests.tools.pictures import paint_pages
        from tests.tools.scenes import SCENES

        scenes = {scene.name: scene for scene in SCENES}
        paint_pages({folder / f"{name}.png": scenes[name] for name in SHOWN})


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.site_pictures", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args(words)
    if chosen.here is not None:
        paint(chosen.folder)
        return 0
    from tests.tools.pictures import start

    return start([str(chosen.folder.absolute())], 100, "tests.tools.site_pictures")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
