"""Commands in the sandbox, by the hundred or the million.

    python -m tests.tools.sandbox kills [NUMBER] [SEED]
    python -m tests.tools.sandbox million [FILES]

Kills of a command, of what is around it and of our own process, at random moments: after each nothing of it
runs, nothing is mounted, and the project is as it was. And commands that make so many files, in one folder
and in many, in both ways: each is refused in one sentence, printed with the time and memory that took.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from studio.program.work_folder import WorkFolder
from studio.system.syscalls import mount_points
from tests.tools.sandboxed import state_of

ROOT = Path(__file__).parents[2]
SECONDS = 10.0
"""How long all may take to be gone."""

OURS = """
import sys
from pathlib import Path
from studio.extras.sandbox import Command, Sandbox, Spaces, Way
from tests.tools.sandboxed import container_root
project, way, spaces, mark = Path(sys.argv[1]), Way(sys.argv[2]), Spaces(sys.argv[3]), sys.argv[4]
root = container_root() if way is Way.CONTAINER else ""
with Sandbox(project, ways=(way,), spaces=(spaces,), container=root) as sandbox:
    while True:
        sandbox.run(Command(("/bin/sh", "-c", BUSY, mark)))
"""
BUSY = """
trap "" TERM HUP INT
(setsid sh -c 'trap "" TERM HUP; while :; do echo more >> "left behind"; done' "$0" &)
while :; do
    echo new > "$(date +%N).txt"; mkdir -p made/deep; chmod 000 made; rm -f a.txt; chmod 700 made
done
"""

MAKES = """
import os, sys
files, folders = map(int, sys.argv[1:])
for folder in range(folders):
    os.mkdir(str(folder))
    for number in range(files // folders):
        os.close(os.open(f"{folder}/{number}.txt", os.O_CREAT | os.O_WRONLY))
"""
PROPOSES = """
import resource, sys, time
from pathlib import Path
from studio.extras.commands import CommandRun
from studio.errors import Refused
from studio.extras.sandbox import Command, Sandbox, Way
from studio.workspace import Workspace
project, way, *words = sys.argv[1:]
python = str(Path(sys.executable).resolve())
command = Command((python, "-I", "-S", "-c", *words), seconds=3600)
workspace = Workspace.open(Path(project))
def memory(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
with Sandbox(Path(project), ways=(Way(way),)) as sandbox:
    with CommandRun(workspace.proposer, sandbox, command, agent="python") as run:
        assert run.outcome().exit == 0, run.outcome()
        begun, before = time.perf_counter(), memory()
        try: came = f"a plan of {len(run.propose().steps)} steps"
        except Refused as error: came = f"refused: {error}"
        print(f"{came} ({time.perf_counter() - begun:.1f} s, {memory() - before} MiB)")
workspace.close()
"""


class NotClean(Exception):
    """Something was left, or changed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the kills are tried: a project, and our folder with what stands for this program in it."""

    project: Path
    state: Path
    program: Path

    @property
    def mark(self) -> str:
        """A word in the command line of every process that is started."""
        return self.program.name


def lay_out(folder: Path) -> Place:
    """Make a project, an empty state folder and a link to this program whose name nobody else has."""
    place = Place(folder / "project", folder / "state", folder / f"program-{os.urandom(6).hex()}")
    (place.project / "src").mkdir(parents=True)
    (place.project / "a.txt").write_bytes(b"a\n")
    (place.project / "src/b.txt").write_bytes(b"b\n")
    place.state.mkdir(mode=0o700)
    place.program.symlink_to(ROOT)
    return place


def kill_some(place: Place, number: int, seed: int, *, contained: bool = False) -> list[str]:
    """Kill so many times, in both ways or in containers; who was killed each time. Raises NotClean."""
    chosen = random.Random(seed)
    before = state_of(place.project)
    mounted = _mounted(place, contained=contained)
    killed: list[str] = []
    for _ in range(number):
        killed.append(_kill_once(place, chosen, contained=contained))
        if state_of(place.project) != before:
            raise NotClean(f"the project was changed after a kill of {killed[-1]}")
        until = time.monotonic() + SECONDS
        while (
            (left := _mounted(place, contained=contained) - mounted)
            and contained
            and time.monotonic() < until
        ):
            time.sleep(0.05)  # podman cleans up in a process of its own
        if left:
            raise NotClean(f"still mounted after a kill of {killed[-1]}: {left}")
    with WorkFolder("run", place.state / "sandbox") as last:
        left = [each for each in last.parent.iterdir() if each != last]
    if left:
        raise NotClean(f"folders were left: {left}")
    return killed


def _mounted(place: Place, *, contained: bool) -> Counter[str]:
    """What is mounted where a command has mounts; others may mount elsewhere meanwhile."""
    found = (os.fsdecode(where) for where in mount_points())
    top = place.project.parent
    ours = ("/", "/tmp", "/run", "/var/tmp", "/dev", "/dev/shm", "/dev/pts", "/proc", str(Path.home()))
    return Counter(
        where
        for where in found
        if where in ours or Path(where).is_relative_to(top) or (contained and _is_of_container(where, top))
    )


def _is_of_container(where: str, top: Path) -> bool:
    """Whether podman mounted it for a container over this folder, or for one that is half removed."""
    *_, container = where.partition("/overlay-containers/")
    if not container:
        return False
    storages = (Path("/var/lib/containers/storage"), Path.home() / ".local/share/containers/storage")
    name = Path("overlay-containers", container.partition("/")[0], "userdata/config.json")
    told = [(storage / name).read_text() for storage in storages if (storage / name).exists()]
    return not told or any(str(top) in each for each in told)


def _kill_once(place: Place, chosen: random.Random, *, contained: bool) -> str:
    ways = [("namespace", "own"), ("copy", "own"), ("copy", "bubblewrap")]
    way = chosen.choice(ways if shutil.which("bwrap") else ways[:2])
    way = ("container", "own") if contained else way
    paths = os.pathsep.join((str(place.program), os.environ.get("PYTHONPATH", "")))
    variables = {**os.environ, "PYTHONPATH": paths, "STUDIO_STATE_DIR": str(place.state)}
    words = (f"BUSY = {BUSY!r}\n{OURS}", str(place.project), *way, place.mark)
    # Not from here: what lies in the current folder would be imported first.
    ours = subprocess.Popen(
        [sys.executable, "-c", *words], cwd=place.state, env=variables, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(chosen.uniform(0.05, 3.0 if contained else 0.6))
        victims = {"ours": ours.pid, **dict(_named(place.mark, ours.pid))}
        name = chosen.choice(sorted(victims))
        if ours.poll() is not None:
            raise NotClean("our own process ended by itself: nothing is tried here")
        with suppress(ProcessLookupError):
            os.kill(victims[name], signal.SIGKILL)
        if name != "ours":  # it goes on with the next command, or ends for want of an answer
            time.sleep(chosen.uniform(0, 0.1))
            ours.kill()
    finally:
        ours.kill()
        ours.wait()
    until = time.monotonic() + SECONDS
    while left := list(running(place.mark)):
        if time.monotonic() > until:
            raise NotClean(f"still running after a kill of {name}: {left}")
        time.sleep(0.005)
    return f"{name} ({' '.join(way)})"


def _named(mark: str, ours: int) -> Iterator[tuple[str, int]]:
    """What runs of it beside our own process: the launcher, the first process in there, the command."""
    for process, words in running(mark):
        if "confined.launcher" in words:
            yield ("launcher" if _parent(process) == ours else "first process"), process
        elif process != ours:
            yield "command", process


def running(mark: str) -> Iterator[tuple[int, str]]:
    """Each process with this word in its command line."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                words = (folder / "cmdline").read_bytes().decode(errors="replace")
                if mark in words:
                    yield int(folder.name), words


def _parent(process: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def refuse_many(place: Place, files: int) -> Iterator[str]:
    """What came of so many files, for each shape and way. Raises NotClean where a plan came of them."""
    before = state_of(place.project)
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "STUDIO_STATE_DIR": str(place.state)}
    for way in ("namespace", "copy"):
        for folders in (1, 1000):
            words = [sys.executable, "-c", PROPOSES, str(place.project), way, MAKES, str(files), str(folders)]
            told = subprocess.run(words, env=variables, capture_output=True, text=True, check=True)
            if state_of(place.project) != before or "refused" not in told.stdout:
                raise NotClean(f"{way}, {folders} folders: {told.stdout}")
            yield f"{way:9} {folders:5} folders: {told.stdout.strip()}"


def kill(words: list[str]) -> None:
    """See above."""
    number, seed = (int(word) for word in (*words[1:], *("200", "1")[len(words) - 1 :]))
    with _places() as place:
        killed = kill_some(place, number, seed)
    for name in sorted(set(killed)):
        print(f"{killed.count(name):5}  {name}")
    print(f"{number} kills with seed {seed}: nothing left running or mounted, the project as it was")


def make_millions(words: list[str]) -> None:
    """See above."""
    files = int(words[1]) if len(words) > 1 else 1_000_000
    with _places() as place:
        for line in refuse_many(place, files):
            print(line, flush=True)


@contextmanager
def _places() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="sandbox-", ignore_cleanup_errors=True) as folder:
        yield lay_out(Path(folder))


if __name__ == "__main__":
    tools = {"kills": kill, "million": make_millions}
    if len(sys.argv) < 2 or sys.argv[1] not in tools:
        sys.exit(__doc__)
    tools[sys.argv[1]](sys.argv[1:])
