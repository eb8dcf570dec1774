"""The process that computes for the window ends with it, also when the window is killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

import pytest

SECONDS = 20
_KILLED = """
import os, signal
from studio.ui.runner import Runner
print(Runner()._child_process().submit(os.getpid).result(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process is watched through its handle, as on Linux")
def test_it_ends_when_the_window_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", _KILLED], stdout=subprocess.PIPE, text=True) as window:
        assert window.stdout is not None
        process = int(window.stdout.readline())
        handle = os.pidfd_open(process)
        try:
            assert window.wait(SECONDS) == -signal.SIGKILL
            assert select.select([handle], [], [], SECONDS)[0], "it runs on"
        finally:
            os.close(handle)
