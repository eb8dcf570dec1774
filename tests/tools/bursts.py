"""`python -m tests.tools.bursts [PART]`: another process works in a tree of 5,000 folders that is watched.

files    20,000 files made, changed, moved and removed: each must be told
million  a million changes, while whoever is told is slow: the memory they take, which must stay below 20 MiB
looks    a million changes beside `studio watch`, which looks at them all the while: its memory, which may
         grow by no more than 20 MiB after the first rounds; what it told is compared with two plain walks
idle     the processor's time of ten seconds in which nothing happens, which must stay below 1 %

Exit code 1 where one is not so.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from studio.extras.observed import Watcher, WatchState
from studio.workspace import Workspace
from tests.extras.observed.heard import (
    EVERYTHING,
    Heard,
    Outside,
    covers,
    folder_inodes,
    watched_inodes,
    watching,
)
from tests.extras.observed.model import Model, said

FOLDERS = 5000
FILES = 20_000
CHANGES = 1_000_000
LOOKED_AT = 25_000
_MIB = 1 << 20


def files(root: Path) -> str:
    names = [f"{number}.txt" for number in range(FILES)]
    said: list[str] = []
    with watching(root) as (watcher, heard), Outside(root) as outside:
        outside.do(("mkdir", "new"), ("mkdir", "next"))
        for what, does, paths in (
            ("made", [("fill", "new", 0, FILES)], [f"new/{name}" for name in names]),
            ("changed", [("append", f"new/{name}") for name in names], [f"new/{name}" for name in names]),
            ("moved with their folder", [("rename", "new", "old")], ["new", "old"]),
            (
                "moved one by one",
                [("rename", f"old/{name}", f"next/{name}") for name in names],
                [f"{folder}/{name}" for folder in ("old", "next") for name in names],
            ),
            ("removed", [("rmtree", "next")], [f"next/{name}" for name in names]),
        ):
            heard.settled(root)
            started = time.perf_counter()
            outside.do(*does)
            done = time.perf_counter()
            told = heard.settled(root)
            lost = [] if EVERYTHING in told else [path for path in paths if not covers(told, path)]
            said.append(
                f"{what} in {done - started:.1f} s, told {time.perf_counter() - done:.1f} s later in "
                f"{len(told):,} paths{', everything' * (EVERYTHING in told)}: {len(lost)} lost"
            )
            assert not lost, said
        assert watched_inodes() == folder_inodes(root)
        assert watcher.state == WatchState()
    return "\n".join(said)


def million(root: Path) -> str:
    heard, rounds = Heard(), threading.Semaphore(0)

    def slowly(paths: frozenset[str]) -> None:
        heard(paths)
        heard.forget()
        rounds.acquire()  # until the next 100,000 changes are made

    watcher = Watcher(root, slowly)
    watcher.start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with Outside(root) as outside:
        started = time.perf_counter()
        for _ in range(CHANGES // 100_000):
            outside.do(
                *(("fill", f"{number % 50}/{number % 100}", 0, 250) for number in range(100)),
                *(("touch", 250, f"{number % 50}/{number % 100}/1.txt", "mark") for number in range(100)),
            )
            rounds.release()
        taken = time.perf_counter() - started
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    rounds.release(CHANGES)
    watcher.stop()
    assert grown < 20 * _MIB, f"{grown / _MIB:.1f} MiB more"
    return f"a million changes in {taken:.0f} s: {grown / _MIB:.1f} MiB more, told {heard.calls} times"


def looks(root: Path) -> str:
    paths = [f"{number % 50}/{number % 100}/{number}.txt" for number in range(LOOKED_AT)]
    for path in paths:
        (root / path).write_text("as it was\n")
    model = Model(root)
    changes = [("append", path) for path in paths]
    with tempfile.TemporaryDirectory(prefix="studio-bursts-state-") as state, Outside(root) as outside:
        os.environ["STUDIO_STATE_DIR"] = os.environ["STUDIO_CONFIG_DIR"] = state
        command = [sys.executable, "-m", "studio", "watch", "--json", "--project", str(root)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as watching_process:
            _wait_until_looked(root, None)
            outside.do(*changes)
            _wait_until_looked(root, model)
            for _ in range(10):
                outside.do(*changes)
            _wait_until_looked(root, model)
            before, started = _peak_bytes(watching_process.pid), time.perf_counter()
            for _ in range(CHANGES // LOOKED_AT):
                outside.do(*changes)
            taken = time.perf_counter() - started
            _wait_until_looked(root, model)
            grown = _peak_bytes(watching_process.pid) - before
            watching_process.send_signal(signal.SIGINT)
        with closing(Workspace.open(root)) as workspace:
            workspace.observed.look()
            assert said(workspace.observed.open()) == model.expected()
    assert grown < 20 * _MIB, f"{grown / _MIB:.1f} MiB more"
    return (
        f"a million changes looked at in {taken:.0f} s: {grown / _MIB:.1f} MiB more than {before / _MIB:.0f}"
    )


def _wait_until_looked(root: Path, model: Model | None) -> None:
    """Until somebody has a baseline, and told of all that is on disk now."""
    expected = model.expected() if model is not None else {}
    with closing(Workspace.open(root)) as workspace:
        while not workspace.observed.has_baseline or said(workspace.observed.open()) != expected:
            time.sleep(0.5)


def _peak_bytes(process: int) -> int:
    """The most memory that it had at once."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def idle(root: Path) -> str:
    with watching(root):
        before, started = time.process_time(), time.perf_counter()
        time.sleep(10)
        share = (time.process_time() - before) / (time.perf_counter() - started)
    assert share < 0.01, f"{share:.2%}"
    return f"idle: {share:.3%} of a processor"


PARTS: dict[str, Callable[[Path], str]] = {part.__name__: part for part in (files, million, looks, idle)}


def main(words: list[str]) -> int:
    for name in words or PARTS:
        with tempfile.TemporaryDirectory(prefix="studio-bursts-") as folder:
            for number in range(FOLDERS):
                Path(folder, f"{number // 100}/{number % 100}").mkdir(parents=True)
            Path(folder, "mark").touch()
            print(PARTS[name](Path(folder)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
