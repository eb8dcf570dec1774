"""Somebody else acts between two system calls of ours, at every place in turn: nobody needs luck.

What the kernel does in one call nobody can come between; so acting before each call of an action is every
way in which another program can get in its way, as far as it acts at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from studio.system import syscalls

CALLS: tuple[tuple[object, str], ...] = (
    *((os, name) for name in "open stat fstat read write fchmod link mkdir rename rmdir unlink".split()),
    *((syscalls, name) for name in ("open_beneath", "exchange", "rename_new", "flush_file_system")),
)
"""Whom the engine asks about files. Flushes of single files are no such place: they change nothing that
another program sees, and they are left out, as nobody cuts the power here."""

Act = Callable[[], object]


class Moments:
    """Counts the calls of one thread from `begin` to `end`, and acts right before those that it was told."""

    def __init__(self, acts: Sequence[Act] = (), first: int = 0) -> None:
        """Does the first act before the call with the number `first` (from 0), each other one before the
        call after that; those that are left then, at the end."""
        self.passed = 0
        self._acts = list(acts)
        self._first = first
        self._thread = threading.get_ident()
        self._is_on = False

    def begin(self, *_: object) -> None:
        self._is_on = True

    def end(self, *_: object) -> None:
        self._is_on = False
        while self._acts:
            self._acts.pop(0)()

    def pass_one(self) -> None:
        if not self._is_on or threading.get_ident() != self._thread:
            return
        if self._acts and self.passed >= self._first:
            self._is_on = False  # what somebody else calls is no moment
            self._acts.pop(0)()
            self._is_on = True
        self.passed += 1


@contextmanager
def between_calls(acts: Sequence[Act] = (), first: int = 0) -> Iterator[Moments]:
    """The calls of the block are moments, from where `begin` is called on; acts that are left are done at the
    end of it, at the latest."""
    moments = Moments(acts, first)

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def replacement(*arguments: Any, **named: Any) -> Any:
            moments.pass_one()
            return call(*arguments, **named)

        return replacement

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in CALLS:
            patch.setattr(owner, name, watched(getattr(owner, name)))
        patch.setattr(os, "fsync", lambda _handle: None)
        try:
            yield moments
        finally:
            moments.end()
