"""What a command sees and leaves, how its output is kept, and by what it ends."""

from __future__ import annotations

import errno
import os
import pty
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from studio.engine.disk.run_lock import RunLock
from studio.errors import TimedOut
from studio.extras.sandbox import (
    Command,
    EndedBy,
    LayerKind,
    Sandbox,
    SandboxRefused,
    Spaces,
    Way,
    launch,
    sandbox as sandbox_module,
)
from studio.program import work_folder
from studio.program.app_folders import project_key, state_directory
from tests.tools.sandbox import SECONDS, kill_some, lay_out, running
from tests.tools.sandboxed import PYTHON, REFUSED, opened, state_of

pytestmark = pytest.mark.root

STAYS = (
    "import os, signal, sys, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        for number in range(1, 32):\n"
    "            try: signal.signal(number, signal.SIG_IGN)\n"
    "            except OSError: pass\n"
    "        os.close(1); os.close(2)\n"
    "        time.sleep(600)\n"
    "    os._exit(0)\n"
)
"""A program that leaves a process behind which has left its session and takes no signal."""


def shell(text: str, *words: str) -> Command:
    return Command(("/bin/sh", "-c", text, "sh", *words), seconds=30)


def test_a_command_works_on_what_looks_like_the_project(sandbox: Sandbox, project: Path) -> None:
    changes = "echo new > new.txt; rm src/deep/b.txt"
    outcome = sandbox.run(shell(f"pwd; cat a.txt; ./src/program.sh; {changes}; exit 3"))
    assert outcome.output == f"{project}\na\nran\n".encode()
    assert (outcome.exit, outcome.signal, outcome.ended_by) == (3, None, EndedBy.ITSELF)
    assert not outcome.left_out_bytes and outcome.seconds > 0 and outcome.way is sandbox.way
    assert (sandbox.layer.path / "new.txt").read_bytes() == b"new\n"
    again = sandbox.run(shell("cat new.txt; ls src/deep"))
    assert again.output == b"new\n", "the next command works on what the one before left"


SAYS_LATE = """#!{python}
import fcntl, os, re, sys, termios
words = os.pread(int(sys.argv[2]), 1 << 20, 0).split(b"\\0")
if b"--json-status-fd" in words:
    status, reader = int(words[words.index(b"--json-status-fd") + 1]), os.getppid()
    begun = int(re.search(r"^echo >&(\\d+)$", sys.argv[6], re.M)[1])  # of the shell's words
    told, tells = os.pipe()
    began, begins = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.close(tells)
            os.close(begins)
            os.write(begun, os.read(began, 16))
            while fcntl.ioctl(begun, termios.FIONREAD, bytes(4)) != bytes(4):
                os.kill(reader, 0)
            while part := os.read(told, 4096):
                os.write(status, part)
        os._exit(0)
    os.wait()
    os.dup2(tells, status)
    os.dup2(begins, begun)
os.execv("{program}", sys.argv)
"""
"""A bubblewrap whose words come once the command's word that it began was read."""


KILLS = """#!{python}
import os, sys, time
WAITS = "python", "-c", "import time; time.sleep(60)"
if b"--json-status-fd" in os.pread(int(sys.argv[2]), 1 << 20, 0).split(b"\\0"):
    asked = os.getppid()
    {killed}
os.execv("{program}", sys.argv)
"""


def test_who_began_may_be_said_after_it_began(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unchanged: None
) -> None:
    """A busy machine saw the two in this order, and the command was killed before it began."""
    program = sandbox_module.bubblewrap()
    if program is None:
        pytest.skip(REFUSED)
    late = tmp_path / "bwrap"
    late.write_text(SAYS_LATE.format(python=PYTHON, program=program))
    late.chmod(0o755)
    monkeypatch.setattr(sandbox_module, "bubblewrap", lambda: str(late))
    with opened(project, Way.COPY, spaces=Spaces.BUBBLEWRAP) as sandbox:
        outcome = sandbox.run(shell("cat a.txt; exit 3"))
    assert (outcome.exit, outcome.output) == (3, b"a\n")


@pytest.mark.parametrize(
    "killed",
    [
        "os.kill(os.getppid(), 9)\n    while os.getppid() == asked: time.sleep(0.001)",
        "os.fork() and os.kill(os.getpid(), 9)\n    os.execv(sys.executable, [*WAITS, sys.argv[-1]])",
    ],
    ids=["who asked", "bubblewrap"],
)
def test_nothing_waits_for_bubblewrap_after_a_kill_at_its_start(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unchanged: None, killed: str
) -> None:
    program = sandbox_module.bubblewrap()
    if program is None:
        pytest.skip(REFUSED)
    kills = tmp_path / "bwrap"
    kills.write_text(KILLS.format(python=PYTHON, program=program, killed=killed))
    kills.chmod(0o755)
    monkeypatch.setattr(sandbox_module, "bubblewrap", lambda: str(kills))
    mark = f"waits-{os.urandom(6).hex()}"
    with opened(project, Way.COPY, spaces=Spaces.BUBBLEWRAP) as sandbox, suppress(SandboxRefused):
        sandbox.run(Command(("/bin/sh", "-c", ":", mark)))
    until = time.monotonic() + SECONDS
    while left := list(running(mark)):
        assert time.monotonic() < until, left
        time.sleep(0.005)


def test_a_layer_goes_with_its_sandbox(project: Path, unchanged: None) -> None:
    with opened(project) as sandbox:
        sandbox.run(shell("mkdir -p d/e; chmod 000 d/e; echo x > f; chmod 000 d"))
        assert sandbox.layer.kind is LayerKind.OVERLAY
        layer = sandbox.layer.path
        assert layer.is_relative_to(state_directory())
    assert not layer.parent.exists()
    assert list(layer.parent.parent.iterdir()) == []


def test_what_is_named_is_hidden(project: Path) -> None:
    (project / ".env").write_bytes(b"key\n")
    before = state_of(project)
    hidden = str(Path(sys.prefix, "pyvenv.cfg").resolve())
    with opened(project, hide=(".env", hidden, "src/deep", "missing")) as sandbox:
        tries = 'cat .env "$1"; ls src/deep; echo x > .env; echo x > src/deep/new'
        outcome = sandbox.run(shell(tries, hidden))
        assert not any(word in outcome.output for word in (b"key", b"home = ", b"b.txt"))
        assert list(sandbox.layer.path.rglob("*")) == []
    assert state_of(project) == before


def test_output_is_heard_as_it_comes_and_kept_at_both_ends(sandbox: Sandbox) -> None:
    heard: list[bytes] = []
    command = Command(("/bin/sh", "-c", "seq 100000; echo end >&2"), output_bytes=1000)
    outcome = sandbox.run(command, on_output=heard.append)
    whole = b"".join(heard)
    if sandbox.way is Way.CONTAINER:  # podman copies both streams, in any order
        assert b"end\n" in whole
        whole, tail = whole.replace(b"end\n", b""), whole[-500:]
        assert outcome.output[outcome.cut_at :] == tail
        whole += b"end\n"
    else:
        assert outcome.output[outcome.cut_at :] == whole[-500:]
    assert whole == b"".join(b"%d\n" % number for number in range(1, 100_001)) + b"end\n"
    assert outcome.left_out_bytes and len(outcome.output) == 1000
    assert outcome.output[: outcome.cut_at] == whole[:500]
    assert outcome.left_out_bytes == len(whole) - 1000


def test_it_reads_and_writes_handles_that_are_given(sandbox: Sandbox) -> None:
    told, tell = os.pipe()
    answered, answer = os.pipe()
    os.write(tell, b"a word\n")
    os.close(tell)
    outcome = sandbox.run(shell("cat; echo trouble >&2"), stdin=told, output=answer)
    os.close(told)
    os.close(answer)
    assert os.read(answered, 100) == b"a word\n"
    os.close(answered)
    assert outcome.output == b"trouble\n"


def test_nothing_is_typed_into_a_terminal_that_is_given(sandbox: Sandbox) -> None:
    ours, theirs = pty.openpty()
    program = (
        "import fcntl, os, sys\n"
        "if os.getsid(0) != os.getpid(): os.setsid()\n"
        "fcntl.ioctl(0, 0x540E, 1)  # nobody has it yet, so it becomes ours\n"
        "for number, value in ((0x5412, b'x'), (0x541C, b'\\2')):\n"
        "    try: fcntl.ioctl(0, number, value); print('typed')\n"
        "    except OSError as error: print(error.errno)\n"
    )
    outcome = sandbox.run(Command((PYTHON, "-I", "-S", "-c", program)), stdin=theirs)
    os.close(theirs)
    os.close(ours)
    if sandbox.way is Way.CONTAINER:  # it gets a pipe
        assert outcome.exit != 0 and b"typed" not in outcome.output
    else:
        assert (outcome.exit, outcome.output) == (0, b"1\n1\n")


def test_what_it_left_behind_ends_with_it(sandbox: Sandbox) -> None:
    mark = f"left-{os.urandom(6).hex()}"
    outcome = sandbox.run(Command((PYTHON, "-I", "-S", "-c", STAYS, mark)))
    assert outcome.ended_by is EndedBy.ITSELF
    assert list(running(mark)) == []


@pytest.mark.parametrize("why", ["time", "cancel", "apply"])
def test_it_is_ended(why: str, sandbox: Sandbox, project: Path) -> None:
    mark, cancel = f"ended-{os.urandom(6).hex()}", threading.Event()
    lock, applied = RunLock(state_directory() / project_key(project)), threading.Event()

    def apply() -> None:
        with pytest.raises(TimedOut), lock.stopped(timeout=5, cancel=applied):
            pass

    def heard(_: bytes) -> None:
        if why == "cancel":
            cancel.set()
        elif why == "apply" and not applying.is_alive():
            applying.start()

    applying = threading.Thread(target=apply)
    seconds = 0.3 if why == "time" else 30.0
    command = Command((PYTHON, "-I", "-S", "-u", "-c", f"print(1)\n{STAYS}time.sleep(60)", mark))
    begun = time.monotonic()
    outcome = sandbox.run(
        Command(command.argv, seconds=seconds), on_output=heard if why != "time" else None, cancel=cancel
    )
    assert time.monotonic() - begun < 10
    assert outcome.ended_by is EndedBy(why) and outcome.exit is None
    assert list(running(mark)) == []
    if why == "apply":
        assert lock.is_running(), "the sandbox is still open"
        applied.set()
        applying.join()


def test_it_is_ended_before_the_disk_is_full(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    disk = os.statvfs(tmp_path)
    spare = disk.f_bavail * disk.f_frsize - (32 << 20)
    monkeypatch.setattr(launch, "SANDBOX_DISK_SPARE_BYTES", spare)
    outcome = sandbox.run(shell("head -c 256M /dev/zero > filler; sync filler; sleep 20"))
    assert outcome.ended_by is EndedBy.DISK


def test_an_apply_waits_until_no_sandbox_is_open(project: Path, unchanged: None) -> None:
    lock = RunLock(state_directory() / project_key(project))
    with opened(project):
        assert lock.is_running() and not lock.is_asked_to_stop()
        with pytest.raises(TimedOut), lock.stopped(timeout=0.05):
            pytest.fail("a run is there")
        assert not lock.is_asked_to_stop()
    with lock.stopped(timeout=1):
        assert lock.is_asked_to_stop()
        with pytest.raises(TimedOut), lock.running(timeout=0.05):
            pytest.fail("an apply is there")
    assert not lock.is_running()


def test_a_lock_that_can_not_be_closed_hides_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What came of an apply is said, and not that the disk failed once more after it."""
    close = os.close

    def fail(handle: int) -> None:
        close(handle)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    lock = RunLock(state_directory() / project_key(project))
    with pytest.raises(TimedOut, match="what came of it"), monkeypatch.context() as patch, lock.stopped():
        patch.setattr(os, "close", fail)
        raise TimedOut("a.code", "what came of it", "")


def test_nobody_waits_for_a_layer_to_be_removed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million files take longer than an apply waits."""
    lock = RunLock(state_directory() / project_key(project))
    removed, was_running = work_folder.remove_tree, list[bool]()

    def remove(folder: Path, *, last: str) -> None:
        was_running.append(lock.is_running())
        removed(folder, last=last)

    with opened(project) as sandbox:
        sandbox.run(shell("echo new > new.txt"))
        monkeypatch.setattr(work_folder, "remove_tree", remove)
    assert was_running == [False]


def test_a_command_that_is_not_there_is_refused(sandbox: Sandbox) -> None:
    if sandbox.way is Way.CONTAINER:  # its first process says so
        assert sandbox.run(Command(("/no/such/program",))).exit != 0
    else:
        with pytest.raises(SandboxRefused, match="No such file") as refused:
            sandbox.run(Command(("/no/such/program",)))
        assert refused.value.code == "sandbox.unstarted"
    with pytest.raises(SandboxRefused, match="no folder of the project"):
        sandbox.run(Command(("true",), folder="../elsewhere"))
    assert sandbox.run(Command(("true",), folder="src")).exit == 0


def test_another_folder_in_the_project_s_place_is_refused(project: Path) -> None:
    with opened(project) as sandbox:
        sandbox.run(Command(("true",)))
        project.rename(project.with_name("moved"))
        project.mkdir()
        with pytest.raises(SandboxRefused, match="another folder"):
            sandbox.run(Command(("true",)))


@pytest.mark.parametrize("way", [Way.NAMESPACE, Way.CONTAINER])
def test_nothing_is_left_after_kills(way: Way, tmp_path: Path) -> None:
    opened(tmp_path, way).close()
    place = lay_out(tmp_path / "kills")
    before = state_of(place.project)
    assert len(kill_some(place, 3, 5, contained=way is Way.CONTAINER)) == 3
    assert state_of(place.project) == before


def test_with_the_memory_of_all_processes_something_is_not_enforced(sandbox: Sandbox) -> None:
    outcome = sandbox.run(Command(("true",), network=True))
    assert "memory" in outcome.not_enforced[0] or sandbox.way is Way.CONTAINER
    assert "listens on this machine" in outcome.not_enforced[-1]
    assert outcome.way in (Way.NAMESPACE, Way.COPY, Way.CONTAINER)


def test_the_limits_are_those_that_are_named(sandbox: Sandbox) -> None:
    asked = "ulimit -c; ulimit -n; cat /proc/self/oom_score_adj; cat /proc/1/oom_score_adj"
    outcome = sandbox.run(shell(asked))
    core, handles, *scores = map(int, outcome.output.split())
    assert core == 0 and handles <= sandbox_module.SANDBOX_OPEN_FILES_UP_TO and scores == [1000, 1000]
