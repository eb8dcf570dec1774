"""A project, what is outside of it, and whether both are as they were."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.extras.sandbox import Sandbox, Spaces, Way
from tests.tools.sandboxed import opened, state_of


@pytest.fixture(autouse=True)
def python_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs the tests is what commands run, wherever it is installed."""
    folder = str(Path(sys.executable).resolve().parent)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src/deep").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"a\n")
    (root / "src/program.sh").write_bytes(b"#!/bin/sh\necho ran\n")
    (root / "src/program.sh").chmod(0o755)
    (root / "src/deep/b.txt").write_bytes(b"b\n")
    (root / "link.txt").symlink_to("a.txt")
    for path in (root / "a.txt", root / "src/deep/b.txt", root / "src"):
        os.utime(path, ns=(10**18, 10**18))
    return root


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder outside that a command can see, where the tests may make one: no temporary one is seen."""
    place = sys.prefix if os.access(sys.prefix, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(prefix="outside-", dir=place) as name:
        folder = Path(name)
        (folder / "victim.txt").write_bytes(b"as it was\n")
        os.mkfifo(folder / "pipe")
        yield folder


@pytest.fixture
def unchanged(project: Path, outside: Path) -> Iterator[None]:
    """Fails where the project, or what is outside, is not byte for byte as it was, times included."""
    (project / "out").symlink_to(outside)
    before = state_of(project), state_of(outside)
    yield
    assert (state_of(project), state_of(outside)) == before


MADE = (
    ((Way.NAMESPACE,), Spaces.OWN),
    ((Way.COPY,), Spaces.OWN),
    ((Way.NAMESPACE, Way.COPY), Spaces.BUBBLEWRAP),  # before 0.11 it makes no overlay
    ((Way.CONTAINER,), Spaces.OWN),
)


@pytest.fixture(params=MADE, ids=["namespace", "copy", "bubblewrap", "container"])
def sandbox(request: pytest.FixtureRequest, project: Path, unchanged: None) -> Iterator[Sandbox]:
    """A sandbox over the project, in each way that asks nothing of the disk."""
    ways, spaces = request.param
    with opened(project, *ways, spaces=spaces) as made:
        place = made.layer.path.parents[1]
        yield made
    assert list(place.iterdir()) == [], "a layer goes with its sandbox"
