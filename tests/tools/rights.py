"""What only root may do. What root can't be kept from doing is tested by everybody else."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ONLY_ROOT = "only root may give files away or read what is closed to it"
"""The reason of the only skip: tests/repo/allowed_skips.txt lists it."""

_OVERRIDES_PERMISSIONS = 1 << 1  # CAP_DAC_OVERRIDE
_READS_ALL = 1 << 2  # CAP_DAC_READ_SEARCH
_CAPABILITY_VERSION = 0x20080522  # of Linux since 2.6.26: two sets of 32


def _is_root() -> bool:
    """Whether no permission stops this process. It is no question of the name: root may have put it down."""
    if sys.platform != "linux":
        return False
    lines = Path("/proc/self/status").read_text().splitlines()
    effective = next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
    return bool(effective & _OVERRIDES_PERMISSIONS)


IS_ROOT = _is_root()


def as_root(test: Callable[..., Any]) -> Callable[..., Any]:
    """Only root can run this test; installer/dev.py has it run by root alone."""
    return pytest.mark.root(pytest.mark.skipif(not IS_ROOT, reason=ONLY_ROOT)(test))


AS_ROOT = (pytest.mark.root, pytest.mark.skipif(not IS_ROOT, reason=ONLY_ROOT))
"""The same for one example of a test: `pytest.param(…, marks=AS_ROOT)`."""


@contextmanager
def as_anybody() -> Iterator[None]:
    """Have permissions stop this thread, and those that it starts, also where root runs the tests."""
    if not IS_ROOT:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    held = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, of each set
    assert libc.capget(header, held) == 0
    less = type(held)(*held)
    less[0] &= ~(_OVERRIDES_PERMISSIONS | _READS_ALL)
    assert libc.capset(header, less) == 0
    try:
        yield
    finally:
        assert libc.capset(header, held) == 0
