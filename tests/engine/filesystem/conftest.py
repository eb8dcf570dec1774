"""The backends of the protocol, for tests that run unchanged on each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.root import ProjectRoot
from tests.engine.filesystem.backends import BACKENDS, SANDBOX, Backends, Make, Tree


@pytest.fixture
def backends(tmp_path: Path) -> Iterator[Backends]:
    before = os.umask(0o022)
    with ExitStack() as stack:
        yield Backends(tmp_path, stack)
    os.umask(before)


@pytest.fixture(params=(*BACKENDS, SANDBOX))
def make(request: pytest.FixtureRequest, backends: Backends) -> Make:
    """Makes the filesystem under test: `make(tree)`, `make(tree, read_only=True)`."""

    def call(tree: Tree | None = None, *, read_only: bool = False) -> BackedFilesystem:
        return backends.make(request.param, tree or {}, read_only=read_only)

    return call


@pytest.fixture
def backing(project: Path) -> Iterator[HostBacking]:
    """The primitives over the project."""
    with ProjectRoot(project) as root:
        yield HostBacking(root)
