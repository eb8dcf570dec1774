"""What watched code calls: remember which test reaches which function.

Processes that tests start inherit the name of their test, so what they reach counts as well.
"""

from __future__ import annotations

import os

FOLDER = "STUDIO_MUTANTS_FOLDER"
_seen: set[tuple[int, bytes]] = set()


def reached(function: int) -> None:
    """Remember that the running test reaches the function with that number."""
    test = os.environb.get(b"PYTEST_CURRENT_TEST", b"").rpartition(b" (")[0]
    if not test or (function, test) in _seen:
        return
    _seen.add((function, test))
    append("reached", b"%d %b\n" % (function, test))


def append(kind: str, line: bytes) -> None:
    """Add a line to what this process remembers of that kind, if anything is to be remembered."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    handle = os.open(f"{folder}/{os.getpid()}.{kind}", flags, 0o666)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)
