"""File systems that lack something, as the calls of the writer find them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from studio.system import syscalls
from tests.faults.outcomes import Numbers, Scene


@contextmanager
def lacking_exchange() -> Iterator[None]:
    """As on a file system that can neither exchange nor rename without replacing."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("exchange", "rename_new"):
            patch.setattr(syscalls, name, refuse)
        yield


@contextmanager
def lacking_links() -> Iterator[None]:
    """As on FAT by libfuse 2, which has no hard links either: a new file reserves its name."""
    with lacking_exchange(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", no_links)
        yield


def no_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def refuse(*_: object) -> None:
    raise syscalls.Unsupported


def without_exchange(part: Callable[[Scene], Numbers], scene: Scene) -> Numbers:
    with lacking_exchange():
        return part(scene)


def without_links(part: Callable[[Scene], Numbers], scene: Scene) -> Numbers:
    with lacking_links():
        return part(scene)
