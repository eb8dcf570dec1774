"""What tests of the sandbox share: a sandbox or a skip, and whether a folder is as it was."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from studio.extras.sandbox import Command, Sandbox, SandboxRefused, Spaces, Way

REFUSED = "this system gives a test no name space of its own"
NO_CONTAINER = "podman makes no container here"
NO_ROOT = "mmdebstrap makes no root folder for containers here"
UNSEEN = "this checkout lies where a command in the sandbox sees nothing"
"""The reasons of skips: tests/repo/allowed_skips.txt lists them."""


WITHOUT_SPACES = f"""
import os, struct, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from studio.extras.confined import launcher
from studio.system import isolation
number = {{"x86_64": 272, "aarch64": 97}}[os.uname().machine]
judged = ((0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, launcher.SPACES),
          (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7FFF0000))
isolation.control(isolation.NO_NEW_PRIVILEGES, 1)
isolation.filter_calls(b"".join(struct.pack("HBBI", *each) for each in judged))
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""A program that starts a command to which the system refuses the name spaces that ours asks for, and not
those of bubblewrap: what some distributions' AppArmor does."""

WITHOUT_LANDLOCK = f"""
import struct, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from studio.system import isolation
judged = ((0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7FFF0000))
isolation.control(isolation.NO_NEW_PRIVILEGES, 1)
isolation.filter_calls(b"".join(struct.pack("HBBI", *each) for each in judged))
from pathlib import Path
from studio.extras.sandbox import Command, Sandbox, Spaces, Way
with Sandbox(Path(sys.argv[1]), ways=(Way.NAMESPACE,), spaces=(Spaces.OWN,)) as sandbox:
    outcome = sandbox.run(Command(tuple(sys.argv[2:])))
print(outcome.exit, outcome.output.decode(), *outcome.not_enforced)
"""
"""A program that runs a command in a sandbox as on a kernel before 5.13, whose first process nothing but its
own flag protects from being read."""

ROOT = Path(__file__).parents[2]
_PRIVATE = ("/tmp", "/var/tmp", "/run")
PYTHON = str(Path(sys.executable).resolve())
"""What runs the tests, where it is installed: a checkout may lie where a sandboxed command sees nothing."""


def opened(
    project: Path,
    *ways: Way,
    spaces: Spaces = Spaces.OWN,
    hide: tuple[str, ...] = (),
    state: Path | None = None,
    has_files: bool = False,
) -> Sandbox:
    """A sandbox over the project, in the best way if none is named. Skips the test where no command can be
    confined."""
    if ways == (Way.CONTAINER,):
        return Sandbox(project, hide=hide, state=state, container=container_root())
    try:
        return Sandbox(
            project,
            ways=ways or (Way.NAMESPACE,),
            spaces=(spaces,),
            hide=hide,
            state=state,
            has_files=has_files,
        )
    except SandboxRefused as error:
        if error.code == "sandbox.none":
            pytest.skip(REFUSED)
        if spaces is Spaces.BUBBLEWRAP:
            # Where we may have name spaces, bubblewrap may, too.
            opened(project, Way.COPY, hide=hide, state=state).close()
        raise


@cache
def container_root() -> str:
    """A root folder for containers with a Python where the tests have theirs, made once and kept."""
    if shutil.which("podman") is None:
        pytest.skip(NO_CONTAINER)
    root = Path(tempfile.gettempdir(), f"studio-container-root-{os.getuid()}")
    with root.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            _make(root)
    with tempfile.TemporaryDirectory(prefix="try-") as project:
        try:
            with Sandbox(Path(project), container=str(root), state=Path(project, "state")) as sandbox:
                sandbox.run(Command(("/bin/true",)))
        except SandboxRefused as error:
            if error.code == "sandbox.container":
                pytest.skip(f"{NO_CONTAINER}: {error.message}")
            raise
    return str(root)


def _make(root: Path) -> None:
    if os.getuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip(NO_ROOT)
    with tempfile.TemporaryDirectory(prefix="root-", dir=root.parent) as folder:
        made = Path(folder, "root")
        words = ("mmdebstrap", "--variant=minbase", "--include=python3", "bookworm", str(made))
        if subprocess.run(words, capture_output=True, check=False).returncode != 0:
            pytest.skip(NO_ROOT)
        python = made / Path(PYTHON).relative_to("/")
        if not python.exists():
            python.parent.mkdir(parents=True, exist_ok=True)
            python.symlink_to("/usr/bin/python3")
        made.rename(root)


def is_unseen() -> bool:
    """Whether this checkout lies in a temporary folder, of which each command has its own."""
    return any(ROOT.is_relative_to(folder) for folder in _PRIVATE)


def python_words(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """What starts this Python in a sandbox, with all that it finds here. Of a home such folders alone are
    seen there as PATH names: a checkout and a Python may lie in one. In a temporary folder nothing of this
    machine is seen: a checkout that lies there is the home."""
    folders = [*filter(os.path.isdir, sys.path), str(ROOT / "tests")]
    path = [*folders, str(Path(PYTHON).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    if is_unseen():
        monkeypatch.setenv("HOME", str(ROOT))
    return ("env", f"PYTHONPATH={os.pathsep.join(folders)}", PYTHON)


def state_of(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that a folder holds, by path: bytes, modes, owners and times, but those of reading."""
    found = {"": _entry(folder)}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            found[str(path.relative_to(folder))] = _entry(path)
    return found


def _entry(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    held: object = None
    if stat.S_ISREG(status.st_mode):
        held = path.read_bytes()
    elif stat.S_ISLNK(status.st_mode):
        held = path.readlink()
    same = (status.st_ino, status.st_mode, status.st_uid, status.st_nlink)
    return (*same, status.st_size, status.st_mtime_ns, status.st_ctime_ns, held)
