"""Applies that the system refuses for one reason after another, in a mount name space of their own.

    python -m tests.faults.refusing FOLDER

Prints one JSON object with each case: what was told, whether anything was written, how the same plan went
afterwards.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from studio.engine.disk import Batch, DiskChange
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.root import ProjectRoot
from studio.errors import StudioError
from studio.journal.file_image import FileImage, sha256
from tests.faults.bench import PERSON, Bench, propose_and_approve, run_each, tree
from tests.faults.injection import Injection, inject, run_plain, stop_here

NOBODY = 65534
TOLD = 10
STEPS = (
    {"op": "modify", "path": "sub/a.txt", "content": "new\n"},
    {"op": "create", "path": "sub/n/b.txt", "content": "b"},
    {"op": "delete", "path": "sub/c.txt"},
)


class Refusal:
    """One project with an approved plan; every apply runs in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bench = Bench(folder)
        self.project = self.bench.project
        self.plan_id = ""

    def propose(self) -> None:
        """Lay the project out, and propose and approve the plan."""
        (self.project / "sub").mkdir()
        (self.project / "sub/a.txt").write_text("old\n")
        (self.project / "sub/c.txt").write_text("going\n")
        workspace = self.bench.open()
        self.plan_id = propose_and_approve(workspace, *STEPS)
        workspace.close()

    def act(self, prepare: Callable[[], object] = lambda: None) -> int:
        """Apply, in a child; `prepare` is called when everything is open."""
        try:
            workspace = self.bench.open()
            prepare()
            stop_here()
            workspace.reviewer(PERSON).apply(self.plan_id)
            workspace.close()
        except StudioError as error:
            self.bench.tell([error.code, error.message, error.hint])
            return TOLD
        return 0

    def act_as(self, user: int) -> int:
        """The same by somebody without rights."""
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        return self.act()

    def see(self, mend: Callable[[], object], run: Callable[[], int] | None = None) -> dict[str, Any]:
        """Try, mend, and try again."""
        before = tree(self.project) if self.is_there() else None
        code = (run or (lambda: run_plain(self.act)))()
        told = self.bench.told() if code == TOLD else [f"ended with {code}", "", ""]
        untouched = tree(self.project) == before if self.is_there() else None
        mend()
        after = tree(self.project)
        if told[0] == "step.stale":
            workspace = self.bench.open()
            workspace.proposer.refresh()
            workspace.close()
        again = run_plain(self.act)
        found = {name: entry[2].decode() for name, entry in tree(self.project).items() if entry[0] == "file"}
        return {
            "told": told,
            "untouched": untouched
            if before is not None and untouched is not None
            else before in (None, after),
            "again": again if again != TOLD else self.bench.told(),
            "found": found,
        }

    def is_there(self) -> bool:
        try:
            return self.project.is_dir()
        except OSError:
            return False


def command(*words: str | Path) -> None:
    subprocess.run(
        [str(word) for word in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def quota(case: Refusal) -> dict[str, Any]:
    """A disk on which the project may take no more room, though there is plenty."""
    image = case.folder / "image"
    with image.open("wb") as stream:
        stream.truncate(128 << 20)
    command("mkfs.btrfs", "-q", "-m", "single", image)
    command("mount", "-o", "loop", image, case.project)
    command("btrfs", "quota", "enable", case.project)
    case.propose()
    command("btrfs", "qgroup", "limit", "16K", case.project)
    seen = case.see(lambda: command("btrfs", "quota", "disable", case.project))
    command("umount", case.project)
    return seen


def quota_in_the_middle(case: Refusal) -> dict[str, Any]:
    """The room is used up once the prepared file is there: the system call answers so."""
    case.propose()
    # The writing of our own files is all that calls write, apart from the store.
    wrote = Injection("write", 1, "EDQUOT", onwards=True)
    return case.see(lambda: None, lambda: inject(case.act, wrote))


def permission(case: Refusal) -> dict[str, Any]:
    """A folder that is not ours, seen by somebody who is not root."""
    case.propose()
    for path in (case.folder, *case.folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    for above in case.folder.parents:
        if above.stat().st_uid == os.geteuid() and not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    os.chown(case.project / "sub", 0, 0)
    return case.see(
        lambda: os.chown(case.project / "sub", NOBODY, NOBODY),
        lambda: run_plain(lambda: case.act_as(NOBODY)),
    )


def immutable(case: Refusal) -> dict[str, Any]:
    case.propose()
    command("chattr", "+i", case.project / "sub/a.txt")
    return case.see(lambda: command("chattr", "-i", case.project / "sub/a.txt"))


def append_only(case: Refusal) -> dict[str, Any]:
    case.propose()
    command("chattr", "+a", case.project / "sub")
    return case.see(lambda: command("chattr", "-a", case.project / "sub"))


def busy(case: Refusal) -> dict[str, Any]:
    """A file is mounted over the target."""
    case.propose()
    command("mount", "--bind", case.project / "sub/a.txt", case.project / "sub/a.txt")
    return case.see(lambda: command("umount", case.project / "sub/a.txt"))


def not_a_folder(case: Refusal) -> dict[str, Any]:
    """A file stands where the plan makes a folder."""
    case.propose()
    (case.project / "sub/n").write_text("theirs")
    return case.see((case.project / "sub/n").unlink)


def is_a_folder(case: Refusal) -> dict[str, Any]:
    """A folder stands where the plan makes a file."""
    case.propose()
    (case.project / "sub/n/b.txt").mkdir(parents=True)
    return case.see(lambda: shutil.rmtree(case.project / "sub/n"))


def too_many_open(case: Refusal) -> dict[str, Any]:
    case.propose()

    def few() -> None:
        used = len([*Path("/proc/self/fd").iterdir()])
        resource.setrlimit(resource.RLIMIT_NOFILE, (used, used))

    return case.see(lambda: None, lambda: run_plain(lambda: case.act(few)))


def gone(case: Refusal) -> dict[str, Any]:
    """The program that serves the disk is killed; the same image is mounted again afterwards."""
    image = case.folder / "image"
    with image.open("wb") as stream:
        stream.truncate(8 << 20)
    command("mkntfs", "-q", "-F", "-Q", image)

    def mount() -> subprocess.Popen[bytes]:
        serving = subprocess.Popen(
            ["lowntfs-3g", "-o", "no_detach", str(image), str(case.project)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not os.path.ismount(case.project):
            assert serving.poll() is None
        return serving

    serving = mount()
    case.propose()

    def cut() -> None:
        os.kill(serving.pid, signal.SIGKILL)
        while case.is_there():
            pass

    before, number = tree(case.project), case.project.stat().st_dev
    with ProjectRoot(case.project) as root:
        code = run_plain(lambda: case.act(cut))
        serving.wait()
        told = case.bench.told() if code == TOLD else [f"ended with {code}", "", ""]
        created = DiskChange("x.txt", None, FileImage(sha256(b"x"), 1, 0o644), temporary_name("1", 1))
        alone: list[str] = []
        try:
            Batch(root, [created], lambda _: b"x").prepare()
        except StudioError as error:
            alone = [error.code, error.message, error.hint]
    command("umount", case.project)
    other = case.folder / "other"
    other.mkdir()
    command("mount", "-t", "tmpfs", "none", other)  # takes the number that was the disk's
    again_served = mount()
    seen: dict[str, Any] = {"told": told, "writer": alone, "untouched": tree(case.project) == before}
    if case.project.stat().st_dev != number:
        # Such a disk has nothing else by which it is known.
        assert run_plain(case.act) == TOLD
        seen["replaced"] = case.bench.told()
        workspace = case.bench.open()
        workspace.reviewer(PERSON).recover()
        assert run_plain(case.act) == TOLD, "what was decided was decided of the folder before"
        workspace.reviewer(PERSON).approve(case.plan_id)
        workspace.close()
    again = run_plain(case.act)
    seen["again"] = again if again != TOLD else case.bench.told()
    seen["found"] = {n: e[2].decode() for n, e in tree(case.project).items() if e[0] == "file"}
    command("umount", case.project, other)
    again_served.wait()
    return seen


def mounted_anew(case: Refusal) -> dict[str, Any]:
    """The disk comes back under another number, as after a start of the machine or on another plug."""
    image, other = case.folder / "image", case.folder / "other"
    other.mkdir()
    with image.open("wb") as stream:
        stream.truncate(8 << 20)
    command("mkfs.ext4", "-q", "-F", image)
    command("mount", "-o", "loop", image, case.project)
    case.propose()
    number = case.project.stat().st_dev
    command("umount", case.project)
    shutil.copyfile(image, case.folder / "copy")
    command("mount", "-o", "loop", case.folder / "copy", other)
    command("mount", "-o", "loop", image, case.project)
    assert case.project.stat().st_dev != number
    seen = {"again": run_plain(case.act), "found": tree(case.project)["sub/a.txt"][2].decode()}
    command("umount", case.project, other)
    return seen


def running(case: Refusal) -> dict[str, Any]:
    """A program that runs can't be written to (ETXTBSY), but replaced it can be: it goes on undisturbed."""
    (case.project / "sub").mkdir()
    program = case.project / "sub/a.txt"
    shutil.copyfile("/bin/sleep", program)
    program.chmod(0o755)
    sleeping = subprocess.Popen([str(program), "60"])
    workspace = case.bench.open()
    case.plan_id = propose_and_approve(workspace, {"op": "delete", "path": "sub/a.txt"})
    workspace.close()
    try:
        program.open("r+b").close()
        is_busy = False
    except OSError as error:
        is_busy = error.errno == 26
    code = run_plain(case.act)
    still = sleeping.poll() is None
    sleeping.kill()
    sleeping.wait()
    return {"busy": is_busy, "code": code, "still running": still, "there": program.exists()}


CASES = {
    case.__name__: case
    for case in (
        *(quota, quota_in_the_middle, permission, immutable, append_only, busy),
        *(not_a_folder, is_a_folder, too_many_open, gone, mounted_anew, running),
    )
}


def main() -> None:
    (folder,) = sys.argv[1:]
    print(json.dumps(run_each({name: partial(_seen, case) for name, case in CASES.items()}, Path(folder))))


def _seen(run: Callable[[Refusal], dict[str, Any]], folder: Path) -> dict[str, Any]:
    return run(Refusal(folder))


if __name__ == "__main__":
    main()
