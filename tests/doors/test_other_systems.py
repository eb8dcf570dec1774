"""On a system whose calls nobody tried no project is opened, and one sentence says so (docs/porting.md)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# The standard library has chosen for the real system by then; ours has not been imported.
AS_IF = """
import sys
system = sys.argv[1]
import argparse, asyncio, ctypes, getpass, multiprocessing, pathlib, selectors, shutil, socket, sqlite3
import subprocess, tempfile, threading, platformdirs, ruamel.yaml
if system == "win32":
    for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
        sys.modules[name] = None
    sys.modules["msvcrt"] = type(sys)("msvcrt")
sys.platform = system
from studio.__main__ import main
for words in ("plans", "submit change.diff", "check a.txt"):
    sys.argv = ["studio", "--json", *words.split()]
    assert main() == 1
"""


@pytest.mark.process
def test_no_project_is_opened_there(tmp_path: Path) -> None:
    for system, name in (("win32", "Windows"), ("darwin", "macOS")):
        project = tmp_path / name
        project.mkdir()
        (project / "a.txt").write_text("hi\n")
        (project / "change.diff").write_text("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-hi\n+ho\n")
        done = subprocess.run(
            [sys.executable, "-c", AS_IF, system],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=project,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(tmp_path),
                "PYTHONPATH": str(ROOT),
                "STUDIO_STATE_DIR": str(tmp_path / "state"),
                "STUDIO_CONFIG_DIR": str(tmp_path / "config"),
            },
            check=False,
        )
        assert done.returncode == 0, done.stderr
        errors = [json.loads(line)["error"] for line in done.stdout.splitlines()]
        assert [error["code"] for error in errors] == ["root.unsupported"] * 3
        assert all(f"can't open projects on {name} yet" in error["message"] for error in errors)
        assert "Traceback" not in done.stderr
        assert (project / "a.txt").read_text() == "hi\n"
        assert not (tmp_path / "state").exists()
