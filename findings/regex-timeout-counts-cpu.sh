#!/usr/bin/env bash
# regex: the seconds of `timeout` are processor time of the whole process. What other threads compute is counted, and
# time in which the process waits is not: a search may be ended early beside others, or late on a busy machine.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv python && python/bin/pip install -q regex==2026.11.19

python/bin/python - <<'PYTHON' | tee seen
import hashlib
import threading
import time

import regex

print("regex", regex.__version__)
pattern, text = regex.compile(r"(a|aa){1,6}c"), ("a" * 20 + "b c") * 4_000


def searched(limit):
    """Search with a limit in seconds; returns what came of it and the time that this thread computed."""
    started = time.thread_time()
    try:
        found = "came to its end" if pattern.search(text, concurrent=True, timeout=limit) is None else "found"
    except TimeoutError:
        found = "ended by the timeout"
    return found, time.thread_time() - started


alone = searched(60)[1]
print("alone, limit three times what it takes:", searched(3 * alone)[0])
stop = threading.Event()
block = b"x" * 1_000_000


def compute():
    while not stop.is_set():
        hashlib.sha256(block)  # without the interpreter's lock


others = [threading.Thread(target=compute) for _ in range(8)]
for each in others:
    each.start()
outcome, own = searched(3 * alone)
stop.set()
for each in others:
    each.join()
print("beside eight threads that hash, same limit:", outcome)
print("its own time was below the limit:", own < 3 * alone)
PYTHON
diff seen - <<'SEEN'
regex 2026.11.19
alone, limit three times what it takes: came to its end
beside eight threads that hash, same limit: ended by the timeout
its own time was below the limit: True
SEEN
