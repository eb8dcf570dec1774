"""pygit2 is loaded where the system has no certificates: a bare container, a package in a small system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

COMPARE = """
import os, sys
sys.path.insert(0, sys.argv[1])
from studio.engine.diff.line_runs import line_runs
print(list(line_runs(b"a\\n", b"b\\n")), os.environ.get("SSL_CERT_DIR"))
"""


def test_lines_are_compared_without_certificates(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none")
    done = subprocess.run(
        [sys.executable, "-c", COMPARE, str(ROOT)],
        env={**os.environ, "SSL_CERT_FILE": nowhere, "SSL_CERT_DIR": nowhere},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    # What is started later is told what was told to us.
    assert done.stdout == f"[0, 1, 0, 1] {nowhere}\n", done.stderr
