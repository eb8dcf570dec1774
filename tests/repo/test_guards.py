"""The guards of tests/conftest.py fail what they are there to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]


def run_tests(
    folder: Path, sources: Mapping[str, str], *, terminal: int | None = None
) -> tuple[int, dict[str, str], str]:
    """Run these sources as modules below the project's conftest, at a terminal where one is given.

    Returns the exit code, what was said of each, and the rest of the output.
    """
    tests = folder / "tests"
    (tests / "repo").mkdir(parents=True)
    guards = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    assert "GRACE_SECONDS = 5.0" in guards
    (tests / "conftest.py").write_text(guards.replace("= 5.0", "= 0.5"), encoding="utf-8")
    (tests / "repo" / "allowed_skips.txt").write_text("tests/test_it.py::test_listed | no such * here\n")
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    files = {f"test_it{number or ''}": name for number, name in enumerate(sources)}
    for file, name in files.items():
        (tests / f"{file}.py").write_text(sources[name], encoding="utf-8")
    report = folder / "report.xml"
    # A shell leads the terminal's session, as a user's does.
    at_terminal = ["setsid", "--ctty", "--wait", "sh", "-c", '"$@"; exit $?', "sh"] if terminal else []
    done = subprocess.run(
        [
            *at_terminal, sys.executable, "-m", "pytest", "-p", "no:cacheprovider",
            f"--basetemp={folder / 'temporary'}", f"--junit-xml={report}", "tests",
        ],
        cwd=folder,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdin=terminal,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )  # fmt: skip
    said = dict.fromkeys(sources, "")
    for case in ElementTree.parse(report).iter("testcase"):
        module = f"{case.get('classname') or case.get('name')}".rpartition(".")[2]
        said[files[module]] += "".join(f"{each.tag} {each.get('message')} {each.text}" for each in case)
    return done.returncode, said, done.stdout + done.stderr


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
    "studio without the mark": (
        "import subprocess\ndef test_it():\n    subprocess.run(['true', '-m', 'studio'])\n",
        "without the mark process",
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
}

SKIPS = {
    "listed skip with another reason": "import pytest\ndef test_listed():\n    pytest.skip('too lazy')\n",
    "unlisted skip": "import pytest\ndef test_it():\n    pytest.skip('too lazy')\n",
    "unlisted skip of a module": "import pytest\npytest.importorskip('nothing')\n",
}


def test_guards_fail_what_they_are_there_to_fail(tmp_path: Path) -> None:
    """All of them in one run, each in a module of its own."""
    code, said, output = run_tests(tmp_path, {name: source for name, (source, _) in LEAKS.items()})
    assert code == pytest.ExitCode.TESTS_FAILED, output
    missed = {name: said[name] for name, (_, message) in LEAKS.items() if message not in said[name]}
    assert not missed, output


def test_skips_that_are_not_listed_fail_the_run(tmp_path: Path) -> None:
    code, _, output = run_tests(tmp_path, SKIPS)
    assert code == pytest.ExitCode.TESTS_FAILED, output
    assert output.count("SKIP NOT LISTED") == len(SKIPS), output


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
    code, _, output = run_tests(tmp_path, {"clean": source})
    assert code == pytest.ExitCode.OK, output
    assert "no such tool here" in output


def test_a_run_from_a_terminal_gives_the_same_as_any_other(tmp_path: Path) -> None:
    """Whether commands run in the test's process goes by /dev/tty, which all tests would have there."""
    source = (
        "import os, pytest\ndef test_it():\n"
        "    with pytest.raises(OSError):\n        os.open('/dev/tty', os.O_RDWR)\n"
    )
    screen, terminal = os.openpty()
    try:
        code, _, output = run_tests(tmp_path, {"terminal": source}, terminal=terminal)
    finally:
        os.close(screen)
        os.close(terminal)
    assert code == pytest.ExitCode.OK, output
