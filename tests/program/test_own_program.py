"""How the program starts itself: as a package with its own Python in it, as well."""

from __future__ import annotations

import importlib.util
import json
import os
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from studio.program import own_program
from studio.program.own_program import leave_own_libraries, own_command

ROOT = Path(__file__).parents[2]


def packaged(folder: Path, name: str) -> Path:
    """A program that takes itself for a package, as the packager's do."""
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.frozen = True\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from studio.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
    )
    program.chmod(0o755)
    return program


def is_started_as(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(sys, "frozen", True, raising=False)


def test_a_window_without_a_terminal_names_the_program_that_has_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    beside = packaged(tmp_path, "studio")
    is_started_as(monkeypatch, packaged(tmp_path, "Exacta Studio"))
    assert own_command() == (str(beside),)


def test_a_program_in_an_image_names_the_image_that_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its own folder goes when it ends; a connected agent starts it long after."""
    inside = tmp_path / "mounted"
    inside.mkdir()
    is_started_as(monkeypatch, packaged(inside, "studio"))
    image = tmp_path / "Exacta Studio.AppImage"
    image.touch()
    monkeypatch.setenv("APPIMAGE", str(image))
    monkeypatch.setenv("APPDIR", str(inside))
    assert own_command() == (str(image),)


def test_another_programs_image_is_not_taken_for_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A terminal that came as an image hands its variables on to all that is started in it."""
    own = packaged(tmp_path, "studio")
    is_started_as(monkeypatch, own)
    image = tmp_path / "terminal.AppImage"
    image.touch()
    monkeypatch.setenv("APPIMAGE", str(image))
    monkeypatch.setenv("APPDIR", str(tmp_path / "elsewhere"))
    assert own_command() == (str(own),)


@pytest.mark.skipif(sys.platform != "linux", reason="LD_LIBRARY_PATH is Linux's")
def test_what_a_package_starts_finds_its_own_libraries() -> None:
    given = {"LD_LIBRARY_PATH": "/app:/mine", "LD_LIBRARY_PATH_ORIG": "/mine", "_PYI_ARCHIVE_FILE": "/app/x"}
    leave_own_libraries(given)
    assert given == {"LD_LIBRARY_PATH": "/mine"}
    bare = {"LD_LIBRARY_PATH": "/app", "HOME": "/a/home"}
    leave_own_libraries(bare)
    assert bare == {"HOME": "/a/home"}


def test_multiprocessing_starts_a_package_as_it_would_a_python(tmp_path: Path) -> None:
    """The window computes in such processes; they come with a sweeper of multiprocessing's own."""
    program = packaged(tmp_path, "app")
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import json, sys, multiprocessing\nfrom multiprocessing import resource_tracker\n"
        "def answer(pipe, word):\n    pipe.send([word, sys.argv[0]])\n"
        "if __name__ == '__main__':\n"
        "    sys.frozen = True\n    multiprocessing.set_executable(sys.argv[1])\n"
        "    spawn = multiprocessing.get_context('spawn')\n    ours, theirs = spawn.Pipe()\n"
        "    process = spawn.Process(target=answer, args=(theirs, 'there'))\n    process.start()\n"
        "    theirs.close()\n    print(json.dumps(ours.recv()), flush=True)\n"
        "    process.join()\n    tracker = resource_tracker._resource_tracker\n"
        "    print(process.exitcode, tracker._check_alive())\n"
    )
    done = subprocess.run(
        [sys.executable, str(parent), str(program)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    first, last = done.stdout.splitlines()
    assert json.loads(first)[0] == "there", done.stderr
    assert last == "0 True", done.stderr


def test_a_missing_library_of_the_system_is_named(tmp_path: Path) -> None:
    """Such a package brings all but what belongs to the graphics driver."""
    program = packaged(tmp_path, "app")
    text = program.read_text().replace(
        "from studio.__main__ import main\n",
        "from studio.__main__ import main\nimport studio.open_window as entry\n"
        "def lacks(words, **given):\n    raise ImportError('libEGL.so.1: cannot open shared object file')\n"
        "entry.open_window = lacks\n",
    )
    program.write_text(text)
    done = subprocess.run([str(program), "--smoke"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "This system lacks libEGL.so.1" in done.stderr
    assert "apt install libegl1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_that_one_user_installed_names_their_script(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`pip install --user`: a Python that is started with -I does not see it, and a hook would fail."""
    packages, script = tmp_path / "packages", tmp_path / "bin" / "studio"
    monkeypatch.setattr(site, "USER_SITE", str(packages))
    monkeypatch.setitem(sysconfig.get_config_vars(), "userbase", str(tmp_path))
    for file in (script, packages / "studio" / "engine" / "own_program.py"):
        file.parent.mkdir(parents=True)
        file.write_bytes(Path(own_program.__file__).read_bytes())
    found = importlib.util.spec_from_file_location("installed", file)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    assert module.own_command() == (str(script),)
    script.unlink()
    assert module.own_command()[1:] == ("-I", "-m", "studio")


def test_the_sweeper_of_multiprocessing_ends_without_a_word(tmp_path: Path) -> None:
    program = packaged(tmp_path, "app")
    reads, writes = os.pipe()
    os.close(writes)
    words = [str(program), "-I", "-c", f"from multiprocessing.resource_tracker import main;main({reads})"]
    done = subprocess.run(words, capture_output=True, pass_fds=(reads,), timeout=60, check=False)
    os.close(reads)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
