"""Virtual environments of the checkout, made from the hash-pinned lock file and from nothing else.

Standard library only: nothing else is there yet when this runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from locked import ROOT, installed, lock_of, names_for, packages, sizes, tops
from system_packages import Problem, captured, last_error, run_quietly, say

QT_PACKAGES = frozenset(
    {"pyside6", "pyside6-addons", "pyside6-essentials", "shiboken6", "pytest-qt", "qasync"}
)
PROJECT = "exacta-studio"
CHECKED = ("--only-binary", ":all:", "--require-hashes")
"""How packages of the lock are installed."""


class Environment(NamedTuple):
    """One virtual environment: its folder, the groups of pyproject.toml that belong into it beside what the
    program itself needs, and the packages that are left out all the same."""

    folder: Path
    groups: tuple[str, ...]
    left_out: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The locked packages that belong into it."""
        return names_for(self.groups) - self.left_out

    def program(self, name: str) -> Path:
        name += sysconfig.get_config_var("EXE") or ""
        return Path(sysconfig.get_path("scripts", "venv", {"base": str(self.folder)}), name)

    @property
    def packages(self) -> Path:
        """The folder that holds the installed packages."""
        return Path(sysconfig.get_path("purelib", "venv", {"base": str(self.folder)}))

    @property
    def stamp(self) -> Path:
        """Present, with what was installed, once the environment is whole."""
        return self.folder / "studio-installed"


RUN = Environment(ROOT / ".venv", ("build",))
"""What the window needs, and what links the checkout into the environment."""

MAIN = Environment(ROOT / ".venv", ("build", "test", "check"))
"""The same folder, grown by what tests and checks need."""

ENGINE = Environment(ROOT / ".venv-engine", ("build", "test"), QT_PACKAGES)

PAYLOAD = Environment(ROOT / ".venv-payload", ("build", "payload"))
"""What a package for people without Python holds, and what freezes it: nothing else may get in."""

RELEASE = Environment(ROOT / ".venv-release", ("build", "release"))
"""What makes the documentation and says what a release is made of."""


class Stamp(NamedTuple):
    """What was installed where, when an environment was whole the last time.

    `entries` are the files and folders that each package has at the top of the environment.
    """

    fingerprint: str
    folder: str
    entries: dict[str, list[str]]


def provide(environment: Environment, larger: Environment | None = None) -> None:
    """Make `environment` hold the lock and the project; does nothing when it, or a `larger` one in the same
    folder, is there already. Raises Problem."""
    folder = environment.folder
    try:
        check_place(folder)
        stamp = read_stamp(environment)
        lost = lost_packages(environment, stamp)
        if stamp is not None and not lost and is_whole(environment, larger, stamp):
            return
        discard_unfit(environment, stamp)
        is_new = not folder.exists()
        try:
            if is_new:
                say(f"Making the environment {folder.name}")
                folder.mkdir()
                make(environment)
            elif stamp is not None:
                # Whole it is no more; what it should hold is known all the same.
                save(environment, stamp._replace(fingerprint=""))
            fill(environment, () if is_new else lost)
            entries = {name: tops(each) for name, each in installed(environment.packages).items()}
            save(environment, Stamp(fingerprint(environment), str(folder), entries))
        except BaseException:
            if is_new:
                shutil.rmtree(folder, ignore_errors=True)
            raise
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(folder)
        raise Problem(
            f"{folder.name} can't be made or changed: {where}: {error.strerror or error}. Free some space "
            "there, or copy the checkout to a folder that you may write to, and run the command in the copy."
        ) from error


def is_whole(environment: Environment, larger: Environment | None, stamp: Stamp) -> bool:
    """Whether the folder, where it is now, holds what `environment` or `larger` should hold."""
    fits = {fingerprint(each) for each in (environment, larger) if each is not None}
    has_programs = all(environment.program(name).exists() for name in ("python", "studio"))
    # An editable install and its scripts hold absolute paths.
    return stamp.fingerprint in fits and stamp.folder == str(environment.folder) and has_programs


def check_place(folder: Path) -> None:
    """Raise Problem where something else is in the place of an environment."""
    found = ""
    if folder.is_symlink() and not folder.exists():
        found = f"is a link to {folder.readlink()}, where nothing is: remove the link"
    elif folder.exists() and not folder.is_dir():
        found = "is a file, and a folder is to be made there: move it away"
    elif folder.is_dir() and not (folder / "pyvenv.cfg").exists() and any(folder.iterdir()):
        found = "holds something else than a Python environment: move it away"
    if found:
        raise Problem(f"{folder} {found}, then run the command again.")


def fingerprint(environment: Environment) -> str:
    """SHA-256 over everything that decides what has to be installed."""
    project = (ROOT / "pyproject.toml").read_bytes()
    parts = [lock_of(environment.names).encode(), project, sys.version.encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def read_stamp(environment: Environment) -> Stamp | None:
    try:
        return Stamp(**json.loads(environment.stamp.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def save(environment: Environment, stamp: Stamp) -> None:
    environment.stamp.write_text(json.dumps(stamp._asdict()), encoding="utf-8")


def lost_packages(environment: Environment, stamp: Stamp | None) -> tuple[str, ...]:
    """The packages of which something was there once the environment was whole, and is there no more."""
    if stamp is None or not environment.packages.is_dir():
        return ()
    present = {entry.name for entry in environment.packages.iterdir()}
    wanted = environment.names | {PROJECT}
    return tuple(
        each for each, top in stamp.entries.items() if each in wanted and not present.issuperset(top)
    )


def discard_unfit(environment: Environment, stamp: Stamp | None) -> None:
    """Remove the folder where it was moved, or has another Python or no pip. Raises Problem."""
    folder = environment.folder
    is_moved = stamp is not None and stamp.folder != str(folder)
    if not folder.exists() or (not is_moved and has_same_python(environment)):
        return
    if folder.is_symlink():
        raise Problem(
            f"{folder} is a link to an environment that does not fit: remove the link, then run the "
            "command again."
        )
    if is_moved:
        say(f"The checkout was moved, and {folder.name} knows its old place: it is made anew")
    shutil.rmtree(folder)


def has_same_python(environment: Environment) -> bool:
    """Whether the environment runs the very version of Python that runs this script, and has pip."""
    probe = f"import sys, pip; sys.exit(sys.version != {sys.version!r})"
    try:
        return captured([environment.program("python"), "-c", probe], variables()).returncode == 0
    except OSError:
        return False


def make(environment: Environment, python: Sequence[str] = (sys.executable,)) -> None:
    """Make an environment that holds pip alone, of the Python that these words start."""
    run_quietly([*python, "-m", "venv", environment.folder], variables())


def fill(environment: Environment, lost: Iterable[str]) -> None:
    """Install the lock and the project, those that have `lost` something anew."""
    announce(environment, frozenset(lost))
    anew = environment.names.intersection(lost)
    if anew:
        install(environment, anew, "--force-reinstall")
    install(environment, environment.names)
    run_pip(environment, ["--no-build-isolation", "--editable", str(ROOT)])


def announce(environment: Environment, lost: frozenset[str]) -> None:
    """Say what is about to be installed, and how much that is."""
    if lost:
        say(f"Missing in {environment.folder.name}, and installed again: {', '.join(sorted(lost))}")
    locked = {(each.name, each.version) for each in packages()}
    there = {(name, each.version) for name, each in installed(environment.packages).items()}
    known = sizes()
    new = (environment.names & set(known.kilobytes)) - {name for name, _ in locked & there} | (
        lost - {PROJECT}
    )
    if new:
        what = f"{len(new)} Python packages" if len(new) > 1 else f"the Python package {min(new)}"
        download, on_disk = known.megabytes(new)
        say(
            f"Installing {what} into {environment.folder.name}, each checked against its hash: about "
            f"{download} MB to download and {on_disk} MB on disk (measured on {known.measured_on})"
        )
    else:
        say(f"Bringing {environment.folder.name} up to date")


def install(environment: Environment, names: frozenset[str], *options: str) -> None:
    """Install packages of the lock, each checked against its hash."""
    chosen = environment.folder / "requirements.lock"
    chosen.write_text(lock_of(names), encoding="utf-8")
    run_pip(environment, [*CHECKED, *options, "-r", str(chosen)])


def pip_locked(pip: Sequence[str | Path], words: Sequence[str | Path], names: frozenset[str]) -> None:
    """Have a pip download or install packages of the lock, each checked against its hash. Raises Problem."""
    with tempfile.NamedTemporaryFile("w", suffix=".lock") as lock:
        lock.write(lock_of(names))
        lock.flush()
        run_quietly([*pip, *words, "--no-deps", "--quiet", *CHECKED, "-r", lock.name], variables())


def run_pip(environment: Environment, words: list[str]) -> None:
    """Run `pip install` without a question; raise Problem with the one line that says why it failed."""
    pip = [environment.program("python"), "-m", "pip", "--disable-pip-version-check", "install"]
    done = captured([*pip, "--quiet", "--no-input", "--no-deps", *words], variables())
    if done.returncode == 0:
        return
    output = done.stdout + done.stderr
    reason = last_error(output, "ERROR: ")
    if not reason:
        sys.stderr.write(output)
    remedy = "Mend that, then run the command again."
    if "No matching distribution found" in reason or "onnection" in reason:
        remedy = (
            "Connect to the network, or set PIP_INDEX_URL or PIP_FIND_LINKS to where the packages are, then "
            "run the command again."
        )
    raise Problem(
        f"{environment.folder.name} can't be filled: pip ended with {done.returncode}"
        f"{': ' + reason if reason else ', and said the above'}. {remedy}"
    )


def refuse_qt() -> None:
    """Raise Problem where the engine's environment could import Qt: its tests would prove nothing."""
    if any(ENGINE.packages.glob("PySide6*")):
        raise Problem(f"PySide6 is installed in {ENGINE.folder.name}: delete that folder and try again.")


def variables() -> dict[str, str]:
    """This process's environment without what would mix other packages into ours."""
    mixing = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV")
    return {**{name: value for name, value in os.environ.items() if name not in mixing}, "PIP_USER": "0"}
