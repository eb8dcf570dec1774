"""`python -m tests.robot [--minutes N] [--seed S]` lets the robot type and decide; an hour unless told.

Exit code 1 when something happened that no key was pressed for; the shortest way there that was found is
printed, with the words that go it again. `--xvfb` does one run with real keys on an X server.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tests.lab.robot.running import main

    sys.exit(main(sys.argv[1:]))
