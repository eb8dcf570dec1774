"""The wheel and the sdist: built from a clean tree, the same bytes each time, and installed as people do."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import environments
from dev import python_of
from environments import MAIN, RUN, Environment
from locked import names_for
from system_packages import Problem, run_quietly, say

from shipping import chosen_tests, chroot, wheel_in_debian
from shipping.outcome import Outcome, State, Unavailable
from shipping.source import Source
from shipping.trial import Trial

PYTHONS = ("3.11", "3.12", "3.13")
"""What the program is said to run with; `pyproject.toml` lists the same."""

CHECKED = ["--only-binary", ":all:", "--require-hashes"]
"""How packages of the lock are installed."""


def build(source: Source, into: Path) -> list[Outcome]:
    """Build both twice in two places, and the wheel once more from the sdist. Raises Problem where the bytes
    are not the same."""
    environments.provide(RUN, larger=MAIN)
    with tempfile.TemporaryDirectory(prefix="exacta-wheel-") as made:
        first = _built(source.folder, Path(made, "first"), source.epoch)
        elsewhere = shutil.copytree(source.folder, Path(made, "deeper", "another place"))
        second = _built(elsewhere, Path(made, "second"), source.epoch)
        unpacked = _unpacked(first["sdist"], Path(made, "unpacked"))
        third = _built(unpacked, Path(made, "third"), source.epoch)
        for kind, file in first.items():
            for other, how in ((second, "built a second time"), (third, "built from the sdist")):
                if file.read_bytes() != other[kind].read_bytes():
                    raise Problem(f"The {kind} {how} has other bytes: it is not reproducible.")
        _check_contents(first["wheel"], source.folder)
        return [_kept(kind, file, into) for kind, file in first.items()]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Install the wheel with each Python, with pipx, with uv and in bare Debians, and use it."""
    wheel = built_wheel(source, into)
    with _folder() as made:
        return [
            *(_tried(f"wheel on Python {each}", _on_python, each, source, wheel, made) for each in PYTHONS),
            _tried("pipx install", _by_pipx, source, wheel, made),
            _tried("uv tool install", _by_uv, source, wheel, made),
            *(
                _tried(f"wheel in Debian {suite}", wheel_in_debian.tried, suite, source, wheel)
                for suite in chroot.SUITES
            ),
        ]


def try_briefly(source: Source, into: Path) -> list[Outcome]:
    """Install the wheel with the Python that runs this, and use it once."""
    wheel = built_wheel(source, into)
    version = "{}.{}".format(*sys.version_info)
    with _folder() as made:
        return [_tried(f"wheel on Python {version}", _on_python, version, source, wheel, made, True)]


def built_wheel(source: Source, into: Path) -> Path:
    """The wheel that `build` laid there. Raises Problem without one."""
    wheel = into / f"exacta_studio-{source.version}-py3-none-any.whl"
    if not wheel.is_file():
        raise Problem(f"{wheel.name} is not in {into}: build it first.")
    return wheel


def python_for(version: str) -> list[str]:
    """The words that start a Python of this version. Raises Unavailable."""
    python = python_of(version) if version != "{}.{}".format(*sys.version_info) else [sys.executable]
    if python is None:
        raise Unavailable(f"There is no Python {version} here: python{version} is not on the path.")
    return python


def _built(folder: Path, into: Path, epoch: int) -> dict[str, Path]:
    """The wheel and the sdist that hatchling makes of a tree."""
    run_quietly(
        [str(RUN.program("python")), "-m", "hatchling", "build", "--directory", str(into)],
        {**environments.variables(), "SOURCE_DATE_EPOCH": str(epoch)},
        folder=folder,
    )
    return {"wheel": next(into.glob("*.whl")), "sdist": next(into.glob("*.tar.gz"))}


def _unpacked(sdist: Path, folder: Path) -> Path:
    """The tree in an sdist that was just built here; on Python before 3.11.4 there is no filter to name."""
    with tarfile.open(sdist) as archive:
        for member in archive.getmembers():
            if not (member.isfile() or member.isdir()) or ".." in Path(member.name).parts:
                raise Problem(f"The sdist holds {member.name}, which is no plain file.")
            archive.extract(member, folder)
    return next(folder.iterdir())


def _check_contents(wheel: Path, folder: Path) -> None:
    """Every module and every file that is read at run time, and nothing else. Raises Problem."""
    wanted = {
        file.relative_to(folder).as_posix() for file in (folder / "studio").rglob("*") if file.is_file()
    }
    place = folder / "resources"
    files = (file for file in place.rglob("*") if file.is_file())
    wanted |= {f"studio/_resources/{file.relative_to(place).as_posix()}" for file in files}
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    if found != wanted:
        raise Problem(f"The wheel is not what it should hold: {', '.join(sorted(found ^ wanted)[:10])}.")


def _kept(kind: str, file: Path, into: Path) -> Outcome:
    """Move what was built to where it is shipped from."""
    kept = Path(shutil.move(file, into / file.name))
    digest = hashlib.sha256(kept.read_bytes()).hexdigest()
    words = f"equal bytes twice and from the sdist, sha256 {digest[:16]}…"
    return Outcome(kind, State.BUILT, words, kept)


def _tried(what: str, attempt: object, *arguments: object) -> Outcome:
    """What came of one attempt, as a line of the table."""
    assert callable(attempt)
    say(f"Trying {what}")
    began = time.monotonic()
    try:
        words = attempt(*arguments)
    except Unavailable as reason:
        return Outcome(what, State.UNTRIED, str(reason))
    except (Problem, subprocess.TimeoutExpired) as problem:
        return Outcome(what, State.FAILED, str(problem))
    return Outcome(what, State.TESTED, f"{words}, {time.monotonic() - began:.0f} s")


def _on_python(version: str, source: Source, wheel: Path, made: Path, brief: bool = False) -> str:
    """Install the locked packages by their hashes and our wheel beside them, and use it without and with
    its extras, then run the chosen tests."""
    python = python_for(version)
    place = made / version
    environment = Environment(place / "environment", ("test",))
    run_quietly([*python, "-m", "venv", str(environment.folder)], environments.variables())
    environments.install(environment, names_for(()), CHECKED)
    environments.run_pip(environment, [str(wheel)])
    trial = Trial([str(environment.program("studio"))], place / "trial")
    trial.walk(source.version)
    trial.refuses("mcp", extra="mcp")
    trial.refuses("acp", "--", "true", extra="acp")
    environments.install(environment, environment.names, CHECKED)
    run_quietly([str(environment.program("python")), "-m", "pip", "check"], environments.variables())
    trial.answers_by_mcp()
    trial.speaks_acp()
    if brief:
        return "installed from hashes, used, without and with its extras"
    outside = place / "outside"
    outside.mkdir()
    said = chosen_tests.run(environment.program("python"), source.folder, outside)
    return f"installed from hashes, used, without and with its extras; tests outside of the checkout: {said}"


def _by_pipx(source: Source, wheel: Path, made: Path) -> str:
    """As a person with pipx does, with both extras."""
    tool = _tool("pipx", made)
    bin_folder = made / "pipx" / "bin"
    _install_by(
        [str(tool), "install", f"{wheel}[all]"],
        PIPX_HOME=str(made / "pipx" / "home"),
        PIPX_BIN_DIR=str(bin_folder),
        PIPX_DEFAULT_PYTHON=sys.executable,
    )
    return _used(bin_folder / "studio", source, made / "pipx-trial")


def _by_uv(source: Source, wheel: Path, made: Path) -> str:
    """As a person with uv does, with both extras."""
    tool = _tool("uv", made)
    bin_folder = made / "uv" / "bin"
    _install_by(
        [str(tool), "tool", "install", "--python", sys.executable, f"{wheel}[all]"],
        UV_TOOL_DIR=str(made / "uv" / "tools"),
        UV_TOOL_BIN_DIR=str(bin_folder),
        UV_CACHE_DIR=str(made / "uv" / "cache"),
        UV_PYTHON_DOWNLOADS="never",
        UV_NO_CONFIG="1",
    )
    return _used(bin_folder / "studio", source, made / "uv-trial")


def _tool(name: str, made: Path) -> Path:
    """pipx or uv, whichever is on the path, or else from the package index into an environment of its own.

    Raises Unavailable.
    """
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    environment = Environment(made / f"{name}-itself", ())
    run_quietly([sys.executable, "-m", "venv", str(environment.folder)], environments.variables())
    pip = [str(environment.program("python")), "-m", "pip", "install", "--quiet", "--no-input", name]
    done = subprocess.run(pip, env=environments.variables(), capture_output=True, check=False)
    if done.returncode:
        raise Unavailable(f"{name} is not here and can't be had from the package index.")
    return environment.program(name)


def _install_by(command: list[str], **places: str) -> None:
    run_quietly(command, {**environments.variables(), **places})


def _used(studio: Path, source: Source, folder: Path) -> str:
    trial = Trial([str(studio)], folder)
    trial.walk_with_extras(source.version)
    return "installed with all extras, used"


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for what is installed to be tried; nothing of it stays."""
    with tempfile.TemporaryDirectory(prefix="exacta-installed-", ignore_cleanup_errors=True) as made:
        yield Path(os.path.realpath(made))
