"""The guards of tests/conftest.py fail what they are there to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_tests(folder: Path, source: str) -> tuple[int, str]:
    """Run `source` as a test module below the project's conftest; returns exit code and output."""
    tests = folder / "tests"
    (tests / "repo").mkdir(parents=True)
    (tests / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    (tests / "repo" / "allowed_skips.txt").write_text("tests/test_it.py::test_listed | no such * here\n")
    (tests / "test_it.py").write_text(source, encoding="utf-8")
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            f"--basetemp={folder / 'temporary'}",
            "tests",
        ],
        cwd=folder,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


LEAKS = {
    "log": ("import logging\ndef test_it():\n    logging.getLogger('a').warning('so odd')\n", "so odd"),
    "expected log that never comes": (
        "import pytest\n@pytest.mark.expects_log('odd')\ndef test_it():\n    pass\n",
        "it never came",
    ),
    "daemon thread": (
        (
            "import threading\ndef test_it():\n"
            "    threading.Thread(target=threading.Event().wait, name='stays', daemon=True).start()\n"
        ),
        "thread stays",
    ),
    "thread's exception": (
        (
            "import threading\ndef test_it():\n"
            "    thread = threading.Thread(target=lambda: 1 / 0)\n    thread.start()\n    thread.join()\n"
        ),
        "ZeroDivisionError",
    ),
    "child process": (
        (
            "import subprocess, sys\nkept = []\ndef test_it():\n"
            "    kept.append(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE))\n"
        ),
        "child process",
    ),
    "window": (
        (
            "from PySide6.QtWidgets import QLabel\nkept = []\ndef test_it(qapp):\n"
            "    kept.append(QLabel('stays'))\n    kept[0].show()\n"
        ),
        "window QLabel",
    ),
    "timer": (
        (
            "from PySide6.QtCore import QTimer\nkept = []\ndef test_it(qapp):\n"
            "    kept.append(QTimer())\n    kept[0].start(1000)\n"
        ),
        "active timer QTimer",
    ),
    "lost task": (
        (
            "import asyncio\nasync def fail():\n    raise ValueError('lost')\ndef test_it(qapp):\n"
            "    async def main():\n        asyncio.create_task(fail())\n        await asyncio.sleep(0)\n"
            "        await asyncio.sleep(0)\n    asyncio.run(main())\n"
        ),
        "Task exception was never retrieved",
    ),
    "message of Qt": (
        "from PySide6.QtCore import QObject\ndef test_it(qapp):\n    QObject().startTimer(-1)\n",
        "QObject::startTimer",
    ),
    "exception in a slot": (
        (
            "from PySide6.QtCore import QTimer\ndef test_it(qtbot):\n"
            "    QTimer.singleShot(0, lambda: 1 / 0)\n    qtbot.wait(20)\n"
        ),
        "ZeroDivisionError",
    ),
    "unlisted skip": ("import pytest\ndef test_it():\n    pytest.skip('too lazy')\n", "SKIP NOT LISTED"),
    "unlisted skip of a module": ("import pytest\npytest.importorskip('nothing')\n", "SKIP NOT LISTED"),
    "listed skip with another reason": (
        "import pytest\ndef test_listed():\n    pytest.skip('too lazy')\n",
        "SKIP NOT LISTED",
    ),
}


@pytest.mark.parametrize("name", LEAKS)
def test_guard_fails_the_run(name: str, tmp_path: Path) -> None:
    source, message = LEAKS[name]
    code, output = run_tests(tmp_path, source)
    assert code == pytest.ExitCode.TESTS_FAILED, output
    assert message in output


def test_listed_skip_and_clean_tests_pass(tmp_path: Path) -> None:
    source = (
        "import logging, pytest, subprocess, sys, threading\n"
        "from PySide6.QtCore import QTimer\nfrom PySide6.QtWidgets import QLabel\n"
        "def test_listed():\n    pytest.skip('no such tool here')\n"
        "@pytest.mark.expects_log('odd')\ndef test_log():\n    logging.getLogger('a').warning('so odd')\n"
        "def test_child_and_thread():\n    subprocess.run([sys.executable, '-c', ''], check=True)\n"
        "    threading.Thread(target=int).start()\n"
        "def test_window(qtbot):\n    window = QLabel('x')\n    qtbot.addWidget(window)\n    window.show()\n"
        "    timer = QTimer(window)\n    timer.start(1000)\n"
        "def test_home(private_folders):\n    import os\n"
        "    assert os.environ['HOME'].startswith(str(private_folders))\n"
    )
    code, output = run_tests(tmp_path, source)
    assert code == pytest.ExitCode.OK, output
    assert "no such tool here" in output
