"""Many followers of one journal while it is written: the store's write-ahead file must stay small, although
SQLite can begin it anew only in a moment in which nobody reads from it.

    python -m tests.faults.followers                               50 followers, 20,000 entries
    python -m tests.faults.followers --processes 2 --threads 3 --entries 1000

Each follower is a thread with a store of its own; every entry is a durable transaction of its own. The last
line is one JSON object; the exit code is 1 if the file grew beyond its limit or a follower missed an entry.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from studio.engine.store import Store
from studio.journal.entries import FileStat

ROOT = Path(__file__).parents[2]
AT_MOST_BYTES = 16 * 1024 * 1024
PATIENCE_SECONDS = 120.0


def follow(folder: Path, threads: int, entries: int) -> list[bool]:
    """For every follower whether it saw all entries, each once and in order."""
    saw_all: list[bool] = []

    def one() -> None:
        store = Store(folder)
        expected = 0
        for expected, item in enumerate(store.journal.tail(timeout=PATIENCE_SECONDS), start=1):
            if item.position != expected or expected == entries:
                break
        saw_all.append(expected == entries)
        store.close()

    started = [threading.Thread(target=one) for _ in range(threads)]
    for thread in started:
        thread.start()
    print("ready", flush=True)
    for thread in started:
        thread.join()
    return saw_all


def write(folder: Path, entries: int) -> int:
    """Write the entries; the largest size that the write-ahead file had."""
    store = Store(folder)
    log = store.database.file.with_name(store.database.file.name + "-wal")
    largest = 0
    for number in range(entries):
        store.journal.write(FileStat(f"c{number}", "folder/file.txt"))
        largest = max(largest, log.stat().st_size)
    store.close()
    return largest


def measure(folder: Path, processes: int, threads: int, entries: int) -> dict[str, float]:
    Store(folder).close()
    command = [sys.executable, "-m", "tests.faults.followers", "--follow", str(folder)]
    command += ["--threads", str(threads), "--entries", str(entries)]
    followers = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    for follower in followers:
        assert follower.stdout is not None
        assert follower.stdout.readline() == "ready\n"
    started = time.monotonic()
    largest = write(folder, entries)
    written = time.monotonic()
    answers = [json.loads(follower.communicate()[0]) for follower in followers]
    saw_all = sum(sum(answer) for answer in answers)
    return {
        "followers": processes * threads,
        "entries": entries,
        "saw_all": saw_all,
        "largest_bytes": largest,
        "write_seconds": round(written - started, 1),
        "follow_seconds": round(time.monotonic() - started, 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--threads", type=int, default=5, help="followers in each process")
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--follow", type=Path, help="be one of those processes, at this store")
    chosen = parser.parse_args(arguments)
    if chosen.follow is not None:
        print(json.dumps(follow(chosen.follow, chosen.threads, chosen.entries)))
        return 0
    with tempfile.TemporaryDirectory(prefix="followers-") as folder:
        found = measure(Path(folder) / "store", chosen.processes, chosen.threads, chosen.entries)
    print(json.dumps(found))
    is_small = found["largest_bytes"] <= AT_MOST_BYTES
    return 0 if is_small and found["saw_all"] == found["followers"] else 1


if __name__ == "__main__":
    sys.exit(main())
