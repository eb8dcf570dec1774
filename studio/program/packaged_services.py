"""Child processes of a packaged app, which starts itself for them."""

from __future__ import annotations

import os
from importlib import import_module

from studio.program.own_program import leave_own_libraries
from studio.system.child_process import SERVICES

_TRACKING = "from multiprocessing.resource_tracker import main;main("
"""Start of the code with which multiprocessing runs its resource tracker.

It cleans up after killed processes; a packaged app is started with it, too.
"""


def run_service(words: list[str]) -> bool:
    """Run the service that a packaged app was started as.

    Returns whether it was.
    """
    leave_own_libraries(os.environ)
    if words[:1] == ["--multiprocessing-fork"]:
        from multiprocessing.spawn import freeze_support

        freeze_support()  # this ends the process
    if words[-2:-1] == ["-c"] and words[-1].startswith(_TRACKING):
        from multiprocessing.resource_tracker import main as track

        track(int(words[-1].removeprefix(_TRACKING).removesuffix(")")))
        os._exit(0)  # stdout is closed, and would be flushed on exit
    for service in SERVICES:
        if words == [service.argument]:
            getattr(import_module(service.module), service.name)()
            return True
    return False
