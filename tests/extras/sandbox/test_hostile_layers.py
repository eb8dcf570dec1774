"""What hostile commands leave behind, and others put in their way: a refused step, or one sentence."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.engine.plan import Plan, StepState
from studio.engine.propose import comparison
from studio.engine.root import ProjectRoot
from studio.errors import Refused, StudioError
from studio.extras.commands import CommandRun
from studio.extras.sandbox import Command, EndedBy, Sandbox, SandboxRefused, Spaces, Way
from studio.program.app_folders import project_key, state_directory
from studio.workspace import Workspace
from tests.faults.rivals import running
from tests.tools.rights import IS_ROOT
from tests.tools.sandboxed import PYTHON, opened, state_of

pytestmark = pytest.mark.root

SECRET = b"as it was\n"
"""What `victim.txt` outside holds."""

UNUSUAL_NAMES = r"""
import os, socket, sys
os.makedirs(b"names")
for name in (b"\xff\xfe.txt", b"two\nlines", b"n" * 255, b"esc\x1b[2J", b" .git ", b"a:b", b"NUL"):
    open(b"names/" + name, "w").write("x")
os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
os.symlink("/etc/passwd", "a link")
open("one", "w").write("one\n")
for number in range(1200): os.link("one", f"other-{number}")
open("setuid", "w").write("x"); os.chmod("setuid", 0o6755)
open("unread", "w").write("x"); os.chmod("unread", 0)
os.mkdir("closed"); open("closed/in", "w").write("x"); os.chmod("closed", 0)
os.chmod("src/deep", 0)
with open("sparse", "wb") as file: file.truncate(4 << 30)
for _ in range(int(sys.argv[1])): os.mkdir("d"); os.chdir("d")
open("bottom", "w").write("x")
"""

SWAPS = r"""
import os, shutil, socket, sys
outside, first = sys.argv[1], True
def taken(name):
    try: os.unlink(name)
    except IsADirectoryError: shutil.rmtree(name)
    except FileNotFoundError: pass
def file(name): open(name, "w").write("inside")
def link(name): os.symlink(outside + "/victim.txt", name)
def way(name): os.symlink(outside, name)
def folder(name): os.mkdir(name); open(name + "/victim.txt", "w").write("inside")
while True:
    for make in (file, link, folder, os.mkfifo, way, lambda name: socket.socket(socket.AF_UNIX).bind(name)):
        for name in ("swapped", "a.txt", "src/deep"):
            taken(name); make(name)
        size = os.path.getsize("grows") if os.path.exists("grows") else 0
        with open("grows", "ab") as grown:
            grown.truncate(0 if size > 400_000 else size); grown.write(bytes(30_000))
    if first: print("begun", flush=True)
    first = False
"""


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("limits: {file_bytes: 200000}\n")
    opened = Workspace.open(project)
    yield opened
    opened.close()


@pytest.fixture(params=[Way.NAMESPACE, Way.COPY], ids=lambda way: way.value)
def way(request: pytest.FixtureRequest) -> Way:
    return request.param


def program(text: str, *words: str) -> Command:
    return Command((PYTHON, "-I", "-S", "-c", text, *words), seconds=60)


def begun(
    workspace: Workspace,
    sandbox: Sandbox,
    command: Command,
    *,
    heard: Callable[[], None] | None = None,
    cancel: threading.Event | None = None,
    given: int | None = None,
) -> CommandRun:
    return CommandRun(
        workspace.proposer,
        sandbox,
        command,
        agent="python",
        heard=None if heard is None else lambda _: heard(),
        cancel=cancel,
        stdin=given,
    )


def test_odd_names_and_kinds_are_refused_steps_and_hold_up_no_other(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    # Longer than any path of the system, once: to remove a folder takes a disk a millisecond.
    levels = 2100 if sandbox.way is Way.NAMESPACE else 100
    with begun(workspace, sandbox, program(UNUSUAL_NAMES, str(levels))) as run:
        plan = run.propose()
    assert plan is not None and run.outcome().exit == 0, run.outcome().output.decode()
    told = {step.path: (step.state, [problem.code for problem in step.problems]) for step in plan.steps}
    assert told["one"] == told["other-1199"] == (StepState.PENDING, [])
    odd = {path for path, (_, codes) in told.items() if codes == ["target.odd"]}
    assert odd == {"pipe", "socket", "a link"}
    assert told["setuid"][0] is StepState.PENDING
    setuid = next(step for step in plan.steps if step.path == "setuid")
    assert setuid.result is not None and setuid.result.mode & 0o6000 == 0
    assert told["sparse"][0] is StepState.INVALID and "policy" in told["sparse"][1][0]
    closed = (StepState.PENDING if IS_ROOT else StepState.INVALID,)
    assert (told["unread"][0], told["closed/in" if IS_ROOT else "closed"][0]) == closed * 2
    assert not any(path.startswith("src/deep") and path != "src/deep" for path in told), "nobody looked"
    assert not any("bottom" in path for path in told)


def test_a_million_files_are_refused_before_all_are_listed(
    workspace: Workspace, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 200,000 here 40 are left; `python -m tests.tools.sandbox million` makes as many as its name says."""
    monkeypatch.setattr(comparison, "TREE_ENTRIES_UP_TO", 40)
    makes = "for number in range({}): open(f'{}-{{number}}', 'w').close()"
    with begun(workspace, sandbox, program(makes.format(36, "file"))) as run:
        plan = run.propose()
    assert plan is not None and len(plan.steps) == 36, "what the project has does not count"
    again = begun(workspace, sandbox, program(makes.format(20, "src/file")))
    with again as run, pytest.raises(Refused, match="more than 40 entries"):
        run.propose()


def test_a_layer_that_is_swapped_while_it_is_read_leads_nowhere(
    workspace: Workspace, sandbox: Sandbox, outside: Path
) -> None:
    """Look now: the command still runs, and makes of everything something else while it is looked at."""
    swapping, over = threading.Event(), threading.Event()
    command = program(SWAPS, str(outside))
    seen: set[str] = set()
    with begun(workspace, sandbox, command, heard=swapping.set, cancel=over) as run:
        assert swapping.wait(30)
        deadline = time.monotonic() + 20
        while not {"inside", "target.odd"} <= seen and time.monotonic() < deadline:
            seen.update(looked_at(workspace, run))
        over.set()
        assert run.outcome().ended_by is EndedBy.CANCEL, run.outcome().output.decode()
    assert {"inside", "target.odd"} <= seen, "each of both was met"


def test_sockets_of_others_that_come_and_go_stop_no_command(sandbox: Sandbox, outside: Path) -> None:
    """Each is to be hidden; it may be gone before that is done, or while the others are hidden."""
    over, times = threading.Event(), 0
    # bubblewrap 0.8.0 fails for each that goes meanwhile, and is started again at most 25 times.
    most = 1 if sandbox.spaces is Spaces.BUBBLEWRAP else 100

    def come_and_go(folder: Path) -> None:
        nonlocal times
        while not over.is_set():
            path = folder / str(times % most)
            path.unlink(missing_ok=True)
            with socket.socket(socket.AF_UNIX) as other:
                other.bind(str(path))
                times += 1

    with tempfile.TemporaryDirectory(prefix="sockets-", dir=outside.parent) as folder:
        others = threading.Thread(target=come_and_go, args=(Path(folder),))
        others.start()
        try:
            ended = [sandbox.run(program("print('ran')")) for _ in range(10)]
        finally:
            over.set()
            others.join()
    assert [(each.exit, each.output) for each in ended] == [(0, b"ran\n")] * 10
    assert times > 10


def test_hidden_folders_that_come_and_go_stop_no_command(project: Path, outside: Path) -> None:
    """Their owner may remove one while the others are hidden."""
    over, times = threading.Event(), 0
    folders = [outside / f"hidden{number}" for number in range(100)]

    def come_and_go() -> None:
        nonlocal times
        while not over.is_set():
            folder = folders[times % 100]
            folder.rmdir()
            folder.mkdir()
            times += 1

    for folder in folders:
        folder.mkdir()
    others = threading.Thread(target=come_and_go)
    with opened(project, hide=tuple(map(str, folders))) as sandbox:
        others.start()
        try:
            ended = [sandbox.run(program("print('ran')")) for _ in range(10)]
        finally:
            over.set()
            others.join()
    assert [(each.exit, each.output) for each in ended] == [(0, b"ran\n")] * 10
    assert times > 10


def looked_at(workspace: Workspace, run: CommandRun) -> Iterator[str]:
    """What a look came to: the codes of refusals, and "inside" for what may be proposed."""
    plan: Plan | None = None
    try:
        plan = run.propose_so_far()
    except StudioError as error:
        assert error.message and error.hint
        yield error.code
    for step in plan.steps if plan is not None else ():
        yield from (problem.code for problem in step.problems)
        is_offered = step.state in (StepState.PENDING, StepState.STALE)
        if plan is not None and is_offered and step.result is not None and not step.result.is_folder:
            result = workspace.proposer.contents(plan.id, step.number).result
            assert result is not None and SECRET not in result and len(result) <= 200_000
            if result == b"inside":
                yield "inside"


@pytest.mark.parametrize("put", ["link", "folder"])
def test_another_folder_in_the_project_s_place_is_never_worked_on(
    put: str, workspace: Workspace, project: Path, outside: Path, way: Way
) -> None:
    """While the command runs, before the next begins, and when what it did is proposed."""
    (outside / "a.txt").write_bytes(SECRET)
    before, around = inside(project), inside(outside)
    moved = project.with_name("moved")
    told, tell = os.pipe()

    def swap() -> None:
        project.rename(moved)
        if put == "link":
            project.symlink_to(outside)
        else:
            outside.rename(project)
        os.close(tell)

    with opened(project, way) as sandbox:
        does = "import sys; print('begun', flush=True); sys.stdin.read()\nopen('a.txt', 'a').write('changed')"
        with begun(workspace, sandbox, program(does), heard=swap, given=told) as run:
            assert run.outcome().exit == 0, run.outcome().output.decode()
            with pytest.raises(StudioError, match="folder") as caught:
                run.propose()
        os.close(told)
        assert caught.value.code == "root.gone"
        assert (sandbox.layer.path / "a.txt").read_bytes() == b"a\nchanged"
        with pytest.raises(SandboxRefused) as refused:
            sandbox.run(program("open('a.txt', 'a').write('changed')"))
        assert refused.value.code == "sandbox.moved"
    where = project if put == "folder" else outside
    assert inside(moved) == before and inside(where) == around


def test_a_project_that_is_swapped_all_the_time_is_the_one_or_none(
    project: Path, outside: Path, way: Way, tmp_path: Path
) -> None:
    (outside / "a.txt").write_bytes(SECRET)
    (project.parent / "decoy").symlink_to(outside)
    with ProjectRoot(project) as root:
        identity, state = root.identity, state_directory() / project_key(root.path)
    before, around = inside(project), inside(outside)
    said: list[str] = []
    opened(project, way).close()
    with running(tmp_path, "exchange", str(project.parent), "project", "decoy"):
        deadline = time.monotonic() + 20
        while not {"ran", "refused"} <= set(said) and time.monotonic() < deadline:
            try:
                with Sandbox(project, ways=(way,), identity=identity, state=state) as sandbox:
                    outcome = sandbox.run(program("print(open('a.txt').read()); open('a.txt', 'w')"))
                    said.append("ran")
            except StudioError as error:
                assert error.message and error.hint
                said.append("refused")
            else:
                assert outcome.exit == 0 and SECRET not in outcome.output, outcome.output.decode()
    assert {"ran", "refused"} <= set(said)
    assert (inside(project), inside(outside)) == (before, around)


def inside(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that a folder holds; its own times change with its name."""
    return {path: state for path, state in state_of(folder).items() if path}
