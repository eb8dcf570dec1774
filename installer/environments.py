"""Virtual environments of the checkout, made from the hash-pinned lock file and from nothing else.

Standard library only: nothing else is there yet when this runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from locked import ROOT, lock_of, measured_names, names_for, normalized, packages, size_of
from system_packages import Problem, last_error, run_quietly, say

QT_PACKAGES = frozenset(
    {"pyside6", "pyside6-addons", "pyside6-essentials", "shiboken6", "pytest-qt", "qasync"}
)
PROJECT = "exacta-studio"

_TOP_LEVELS = """
import importlib.metadata, json
print(json.dumps({
    found.metadata["Name"]: sorted({file.parts[0] for file in found.files or ()} - {"..", "__pycache__"})
    for found in importlib.metadata.distributions()
}))
"""


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
        if sys.platform == "win32":
            return self.folder / "Scripts" / (name + ".exe")
        return self.folder / "bin" / name

    @property
    def packages(self) -> Path:
        """The folder that holds the installed packages."""
        if sys.platform == "win32":
            return self.folder / "Lib" / "site-packages"
        return self.folder / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"

    @property
    def stamp(self) -> Path:
        """Present, with what was installed, once the environment is whole."""
        return self.folder / "studio-installed"

    @property
    def unfinished(self) -> Path:
        """Present while this script fills an environment that it made itself."""
        return self.folder / "studio-unfinished"


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
    try:
        check_place(environment.folder)
        stamp = read_stamp(environment)
        lost = lost_packages(environment, stamp)
        if stamp is not None and not lost and is_whole(environment, larger, stamp):
            return
        made_here = prepare_folder(environment, stamp)
        try:
            fill(environment, () if made_here else lost)
        except BaseException:
            if made_here:
                shutil.rmtree(environment.folder, ignore_errors=True)
            raise
        write_stamp(environment)
    except OSError as error:
        raise unwritable(environment.folder, error) from error


def is_whole(environment: Environment, larger: Environment | None, stamp: Stamp) -> bool:
    """Whether the folder, where it is now, holds what `environment` or `larger` should hold."""
    fits = {fingerprint(each) for each in (environment, larger) if each is not None}
    has_programs = all(environment.program(name).exists() for name in ("python", "studio"))
    # An editable install and its scripts hold absolute paths.
    return stamp.fingerprint in fits and stamp.folder == str(environment.folder) and has_programs


def check_place(folder: Path) -> None:
    """Raise Problem where something else is in the place of an environment."""
    again = "then run the command again."
    if folder.is_symlink() and not folder.exists():
        raise Problem(
            f"{folder} is a link to {folder.readlink()}, where nothing is: remove the link, {again}"
        )
    if folder.exists() and not folder.is_dir():
        raise Problem(f"{folder} is a file, and a folder is to be made there: move it away, {again}")
    is_ours = (folder / "pyvenv.cfg").exists() or (folder / "studio-unfinished").exists()
    if folder.is_dir() and not is_ours and any(folder.iterdir()):
        raise Problem(f"{folder} holds something else than a Python environment: move it away, {again}")


def unwritable(folder: Path, error: OSError) -> Problem:
    """The Problem for what the disk said while an environment was made."""
    where = error.filename if isinstance(error.filename, str) else str(folder)
    return Problem(
        f"{folder.name} can't be made or changed: {where}: {error.strerror or error}. Free some space "
        "there, or copy the checkout to a folder that you may write to, and run the command in the copy."
    )


def fingerprint(environment: Environment) -> str:
    """SHA-256 over everything that decides what has to be installed."""
    parts = [
        lock_of(environment.names).encode(),
        (ROOT / "pyproject.toml").read_bytes(),
        sys.version.encode(),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def read_stamp(environment: Environment) -> Stamp | None:
    try:
        return Stamp(**json.loads(environment.stamp.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_stamp(environment: Environment) -> None:
    """Say that the environment is whole, and what it holds."""
    answer = subprocess.check_output([str(environment.program("python")), "-c", _TOP_LEVELS], env=variables())
    entries = {normalized(name): tops for name, tops in json.loads(answer).items()}
    save(environment, Stamp(fingerprint(environment), str(environment.folder), entries))
    environment.unfinished.unlink(missing_ok=True)


def save(environment: Environment, stamp: Stamp) -> None:
    environment.stamp.write_text(json.dumps(stamp._asdict()), encoding="utf-8")


def lost_packages(environment: Environment, stamp: Stamp | None) -> tuple[str, ...]:
    """The packages of which something was there once the environment was whole, and is there no more."""
    if stamp is None or not environment.packages.is_dir():
        return ()
    present = {entry.name for entry in environment.packages.iterdir()}
    wanted = environment.names | {PROJECT}
    return tuple(
        name for name, tops in stamp.entries.items() if name in wanted and not present.issuperset(tops)
    )


def prepare_folder(environment: Environment, stamp: Stamp | None) -> bool:
    """Leave a folder with a working Python of this version and pip; True when it was made just now."""
    folder = environment.folder
    is_moved = stamp is not None and stamp.folder != str(folder)
    if folder.exists() and (is_moved or environment.unfinished.exists() or not has_same_python(environment)):
        if folder.is_symlink():
            raise Problem(
                f"{folder} is a link to an environment that does not fit: remove the link, then run the "
                "command again."
            )
        if is_moved:
            say(f"The checkout was moved, and {folder.name} knows its old place: it is made anew")
        shutil.rmtree(folder)
    if folder.exists():
        if stamp is not None:
            # Whole it is no more; what it should hold is known all the same.
            save(environment, stamp._replace(fingerprint=""))
        return False
    say(f"Making the environment {folder.name}")
    folder.mkdir()
    environment.unfinished.touch()
    try:
        run_quietly([sys.executable, "-m", "venv", str(folder)], variables())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return True


def has_same_python(environment: Environment) -> bool:
    """Whether the environment runs the very version of Python that runs this script, and has pip."""
    probe = f"import sys, pip; sys.exit(sys.version != {sys.version!r})"
    try:
        run_quietly([str(environment.program("python")), "-c", probe], variables(), show_output=False)
    except (OSError, Problem):
        return False
    return True


def fill(environment: Environment, lost: Iterable[str]) -> None:
    """Install the lock and the project, those that have `lost` something anew."""
    announce(environment, frozenset(lost))
    options = ["--only-binary", ":all:", "--require-hashes"]
    anew = environment.names.intersection(lost)
    if anew:
        install(environment, anew, [*options, "--force-reinstall"])
    install(environment, environment.names, options)
    run_pip(environment, ["--no-build-isolation", "--editable", str(ROOT)])


def announce(environment: Environment, lost: frozenset[str]) -> None:
    """Say what is about to be installed, and how much that is."""
    if lost:
        say(f"Missing in {environment.folder.name}, and installed again: {', '.join(sorted(lost))}")
    new = (environment.names & measured_names()) - installed_names(environment) | (lost - {PROJECT})
    size = size_of(new)
    if new:
        what = f"{len(new)} Python packages" if len(new) > 1 else f"the Python package {min(new)}"
        say(
            f"Installing {what} into {environment.folder.name}, each checked against its hash: about "
            f"{size.download} MB to download and {size.installed} MB on disk (measured on {size.measured_on})"
        )
    else:
        say(f"Bringing {environment.folder.name} up to date")


def installed_names(environment: Environment) -> frozenset[str]:
    """The packages of the lock that the environment has, in a locked version."""
    locked = {(each.name, each.version) for each in packages()}
    folders = (entry.name.removesuffix(".dist-info") for entry in environment.packages.glob("*-*.dist-info"))
    found = {(normalized(name), version) for name, _, version in (each.partition("-") for each in folders)}
    return frozenset(name for name, _ in locked & found)


def install(environment: Environment, names: frozenset[str], options: list[str]) -> None:
    chosen = environment.folder / "requirements.lock"
    chosen.write_text(lock_of(names), encoding="utf-8")
    run_pip(environment, [*options, "-r", str(chosen)])


def run_pip(environment: Environment, words: list[str]) -> None:
    """Run `pip install` without a question; raise Problem with the one line that says why it failed."""
    pip = [str(environment.program("python")), "-m", "pip", "--disable-pip-version-check", "install"]
    done = subprocess.run(
        [*pip, "--quiet", "--no-input", "--no-deps", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables(),
        check=False,
    )
    if done.returncode == 0:
        return
    output = done.stdout.decode("utf-8", "replace")
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
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('PySide6') is not None)"
    if subprocess.call([str(ENGINE.program("python")), "-c", probe], env=variables()) != 0:
        raise Problem(f"PySide6 is installed in {ENGINE.folder.name}: delete that folder and try again.")


def variables() -> dict[str, str]:
    """This process's environment without what would mix other packages into ours."""
    kept = dict(os.environ)
    for name in ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV"):
        kept.pop(name, None)
    kept["PIP_USER"] = "0"
    return kept
