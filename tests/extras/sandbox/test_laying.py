"""What is laid over a project is what commands see of it, in each way, and none of it reaches that."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from studio.extras.sandbox import Command, OverriddenFile, Sandbox, Way
from tests.tools.sandboxed import container_root, opened, state_of

LOOK = (
    "find . | sort; cat changed deep/er/new in/there; test -x in/there && echo runs; ls -ld kept | cut -c1-10"
)


@pytest.mark.parametrize("way", [Way.NAMESPACE, Way.COPY, Way.CONTAINER])
def test_files_folders_and_what_is_gone(project: Path, way: Way) -> None:
    shutil.rmtree(project)
    project.mkdir()
    opened(project, way).close()
    for folder in ("in", "gone/deep", "kept"):
        (project / folder).mkdir(parents=True)
    (project / "kept").chmod(0o750)
    for name in ("changed", "in/other", "gone/deep/file", "away", "kept/file", "kept/gone"):
        (project / name).write_text(f"{name}\n")
    before = state_of(project)
    laid = [
        OverriddenFile("changed", 0o644, lambda: b"laid\n"),
        OverriddenFile("deep/er/new", 0o600, lambda: b"new\n"),
        OverriddenFile("in/there", 0o755, lambda: b"there\n"),
        OverriddenFile("made", is_folder=True),
        OverriddenFile("gone/deep/file"),
        OverriddenFile("gone/deep"),
        OverriddenFile("gone"),
        OverriddenFile("away"),
        OverriddenFile("kept/gone"),
    ]
    root = container_root() if way is Way.CONTAINER else ""
    with Sandbox(project, overrides=laid, ways=(way,), container=root) as sandbox:
        said = sandbox.run(Command(("sh", "-c", LOOK))).output.decode()
        written = sandbox.run(
            Command(("sh", "-c", "echo x > gone && rm in/there && rmdir made && echo well"))
        )
        upper = {path.relative_to(sandbox.layer.path).as_posix() for path in sandbox.layer.path.rglob("*")}
    assert said.splitlines() == [
        ".", "./changed", "./deep", "./deep/er", "./deep/er/new", "./in", "./in/other", "./in/there",
        "./kept", "./kept/file", "./made", "laid", "new", "there", "runs", "drwxr-x---",
    ]  # fmt: skip
    assert written.output == b"well\n"
    if way is Way.NAMESPACE:
        assert upper == {"gone", "in", "in/there", "made"}, "what was laid is no change of the command"
    assert state_of(project) == before


def test_a_copy_may_have_nothing_of_what_is_gone(project: Path) -> None:
    """It leaves out what a command shall not see, and the project may have moved on."""
    opened(project, Way.COPY).close()
    laid = [
        OverriddenFile("never/was"),
        OverriddenFile("nor_this"),
        OverriddenFile("new", 0o644, lambda: b"new\n"),
    ]
    with Sandbox(project, overrides=laid, ways=(Way.COPY,)) as sandbox:
        said = sandbox.run(Command(("sh", "-c", "cat new; test -e never || test -e nor_this || echo well")))
    assert said.output == b"new\nwell\n"
