"""The files of a sandbox are those of its commands, both ways, and nothing leads out of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine import Filesystem, Person, PersonSource
from studio.extras.commands import changes_of
from studio.extras.sandbox import Command, Sandbox, Spaces, Way
from studio.extras.tools import FileSystemTool, ToolContext
from studio.workspace import Workspace
from tests.tools.sandboxed import opened, state_of

HIDDEN = "src/deep"
WAYS = [(Way.NAMESPACE, Spaces.OWN), (Way.COPY, Spaces.OWN), (Way.COPY, Spaces.BUBBLEWRAP)]


@pytest.fixture(params=WAYS, ids=["namespace", "copy", "bubblewrap"])
def sandbox(request: pytest.FixtureRequest, project: Path) -> Iterator[Sandbox]:
    way, spaces = request.param
    with opened(project, way, spaces=spaces, hide=(HIDDEN,), has_files=True) as made:
        yield made
    assert os.fsencode(made.layer.path.parent) not in Path("/proc/self/mountinfo").read_bytes()


def shell(sandbox: Sandbox, script: str) -> str:
    return sandbox.run(Command(("/bin/sh", "-c", script))).output.decode()


def handler(context: ToolContext, path: str, text: str) -> str:
    """What a handler of a program does: it knows the protocol, and nothing of a sandbox."""
    files = context.filesystem
    assert files is not None
    files.write(path, text, mode="overwrite")
    return files.read("made.txt").content if files.exists("made.txt") else ""


def test_a_handler_and_commands_share_files_and_make_one_plan(project: Path) -> None:
    before = state_of(project)
    with closing(Workspace.open(project)) as workspace:
        opened(project).close()
        session = workspace.proposer.open_session("mybot", "test")
        with workspace.sandbox(has_files=True) as sandbox:
            context = ToolContext.over(sandbox.filesystem)
            tool = FileSystemTool(context)
            assert handler(context, "a.txt", "by a handler\n") == ""
            assert shell(sandbox, "cat a.txt; mv a.txt b.txt; echo made > made.txt; rm src/program.sh") == (
                "by a handler\n"
            )
            assert handler(context, "b.txt", "again\n") == "made"
            assert not tool.exists("src/program.sh")
            snapshot = sandbox.filesystem.snapshot()
            handler(context, "made.txt", "spoiled\n")
            shell(sandbox, "rm -r b.txt src; mkdir new; echo > new/file")
            tool.move("new", "src")
            sandbox.filesystem.restore(snapshot)
            assert shell(sandbox, "cat b.txt made.txt; ls; ls src") == (
                "again\nmade\nb.txt\nlink.txt\nmade.txt\nsrc\ndeep\n"
            )
            assert state_of(project) == before
            plan = workspace.proposer.propose_layer(changes_of(sandbox, "a script", ""), session)
        assert plan is not None
        reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "tester"))
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
    assert {path: (project / path).exists() for path in ("a.txt", "src/program.sh", "new")} == {
        "a.txt": False,
        "src/program.sh": False,
        "new": False,
    }
    assert ((project / "b.txt").read_text(), (project / "made.txt").read_text()) == ("again\n", "made\n")


def test_nothing_that_a_command_makes_leads_out(sandbox: Sandbox, outside: Path) -> None:
    """Each is harmless here: what could be reached is a folder of the test."""
    before = state_of(outside)
    files: Filesystem = sandbox.filesystem
    files.write("swapped/victim.txt", "ours")
    shell(
        sandbox,
        f"ln -s {outside} out; ln -s {outside}/victim.txt file; rm -r swapped; ln -s {outside} swapped;"
        "mkfifo pipe; ln -s /proc/self/root root; mkdir real; ln -s . real/loop",
    )
    for path in (
        "out/victim.txt",
        "file",
        "swapped/victim.txt",
        f"root{outside}/victim.txt",
        "real/loop/x",
        "pipe",
    ):
        for call in (
            lambda path=path: files.read_bytes(path),
            lambda path=path: files.write(path, "x", mode="overwrite"),
            lambda path=path: files.copy("a.txt", path, overwrite=True),
        ):
            with pytest.raises((OSError, ValueError)):
                call()
    sandbox.filesystem.restore(sandbox.filesystem.snapshot())
    assert state_of(outside) == before
    assert files.read("a.txt").content == "a" and not files.grep("as it was")


def test_hidden_places_are_hidden_from_both(sandbox: Sandbox) -> None:
    files = sandbox.filesystem
    assert shell(sandbox, f"ls {HIDDEN}") == "" and "deep" not in [entry.name for entry in files.list("src")]
    for call in (
        lambda: files.read(f"{HIDDEN}/b.txt"),
        lambda: files.write(f"{HIDDEN}/c.txt", "x"),
        lambda: files.list(HIDDEN),
        lambda: files.move("src", "moved"),
    ):
        with pytest.raises(PermissionError):
            call()


def test_a_running_command_is_seen_and_its_end_leaves_the_files(sandbox: Sandbox) -> None:
    files, seen = sandbox.filesystem, list[str]()

    def read(data: bytes) -> None:
        if not seen:
            seen.append(files.read("now.txt").content)
            files.write("answer.txt", "seen")

    script = "echo now > now.txt; echo; until cat answer.txt; do sleep 0.01; done 2>/dev/null; kill -9 $$"
    outcome = sandbox.run(Command(("/bin/sh", "-c", script)), on_output=read)
    assert (outcome.output, seen) == (b"\nseen", ["now"])
    assert signal.SIGKILL in (outcome.signal, (outcome.exit or 0) - 128)
    files.write("later.txt", "later")
    assert shell(sandbox, "cat later.txt now.txt") == "laternow\n"
