"""Virtual environments of the checkout, made from the hash-pinned lock file and from nothing else.

Standard library only, and loadable by Python 3.8: it runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

from system_packages import Problem, captured, run_quietly, say

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "installer" / "requirements.lock"
QT_PACKAGES = frozenset({"pyside6", "pyside6-essentials", "shiboken6", "pytest-qt", "qasync"})


class Environment(NamedTuple):
    """A virtual environment: its folder, groups of pyproject.toml, and what is excluded of these."""

    folder: Path
    groups: tuple[str, ...]
    megabytes: tuple[int, int] = (0, 0)
    """To download and on disk, measured on Linux with Python 3.11."""
    left_out: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return names_for(self.groups) - self.left_out

    def program(self, name: str) -> Path:
        return self._path("scripts") / (name + (sysconfig.get_config_var("EXE") or ""))

    @property
    def packages(self) -> Path:
        return self._path("purelib")

    def _path(self, kind: str) -> Path:
        return Path(sysconfig.get_path(kind, "venv", {"base": str(self.folder)}))


RUN = Environment(ROOT / ".venv", ("build",), (100, 310))
"""What the window needs, and what links the checkout into the environment."""
MAIN = Environment(ROOT / ".venv", ("build", "test", "check"), (205, 685))
"""The same folder, grown by what tests and checks need."""
ENGINE = Environment(ROOT / ".venv-engine", ("build", "test"), (30, 120), QT_PACKAGES)
PAYLOAD = Environment(ROOT / ".venv-payload", ("build", "payload"), (110, 360))
"""What a package for people without Python holds, and what freezes it: nothing else may get in."""
RELEASE = Environment(ROOT / ".venv-release", ("build", "release"), (130, 410))
"""What makes the documentation and says what a release is made of."""


def locked() -> list[tuple[str, str, str]]:
    """Return name, version and lines of each locked package; a name may have one for each Python."""
    blocks = re.findall(r"^((\S+?)==(\S+).*\n(?: .*\n)*)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    return [(normalized(name), version, text) for text, name, version in blocks]


def names_for(groups: Iterable[str], extras: Iterable[str] = ()) -> frozenset[str]:
    """Return the locked packages that the program needs with these groups and extras of pyproject.toml."""
    import tomllib  # since Python 3.11

    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = tables["project"]
    wanted = [project["dependencies"], *(tables["dependency-groups"][group] for group in groups)]
    wanted += [project["optional-dependencies"][extra] for extra in extras]
    found = {normalized(re.split(r"[^\w.-]", each)[0]) for part in wanted for each in part}
    # A comment says what needs it: "via x", or "via" and one name a line.
    needed_by = re.compile(r"# +(?:via )?(\S+)")
    every = [(name, set(map(normalized, needed_by.findall(text)))) for name, _, text in locked()]
    while more := {name for name, others in every if others & found} - found:
        found |= more
    return frozenset(name for name, _ in every if name in found)


def lock_of(names: frozenset[str]) -> str:
    """Return the lock file's text with the blocks of these packages only."""
    return "".join(text for name, _, text in locked() if name in names)


def installed(folder: Path) -> dict[str, Distribution]:
    """Return the packages that are installed in a folder, by name."""
    return {normalized(each.name): each for each in distributions(path=[str(folder)])}


def tops(package: Distribution) -> list[str]:
    """Return what an installed package has at the top of its folder, by its own record."""
    return sorted({file.parts[0] for file in package.files or ()} - {"..", "__pycache__"})


def normalized(name: str) -> str:
    """Return a package's name in its one spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()


def provide(environment: Environment, larger: Environment | None = None) -> None:
    """Install the lock and the project into `environment`, unless it or a `larger` one is current.

    The larger one is in the same folder. Raises Problem.
    """
    folder = environment.folder
    stamp = folder / "studio-installed"
    wanted = {fingerprint(each) for each in (environment, larger) if each is not None}
    if stamp.is_file() and stamp.read_text(encoding="utf-8") in wanted:
        return
    if os.path.lexists(folder) and not (folder / "pyvenv.cfg").is_file():
        raise Problem(f"{folder} is no Python environment: move it away, then run the command again.")
    is_new = not fits(environment)
    try:
        if is_new:
            say(f"Making the environment {folder.name}")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(environment)
        fill(environment)
        stamp.write_text(fingerprint(environment), encoding="utf-8")
    except BaseException:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def fingerprint(environment: Environment) -> str:
    """Digest everything that decides what has to be installed, and the names of what is there.

    The folder is part of it: an editable install and its scripts hold absolute paths.
    """
    place = environment.packages
    there = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
    there += [name for name in ("python", "studio") if environment.program(name).exists()]
    project = (ROOT / "pyproject.toml").read_bytes()
    return digest([project, lock_of(environment.names), sys.version, str(environment.folder), *there])


def digest(parts: Iterable[str | bytes]) -> str:
    """Return the SHA-256 of these texts and bytes, each with its end."""
    return hashlib.sha256(b"\0".join(os.fsencode(part) for part in parts)).hexdigest()


def fits(environment: Environment) -> bool:
    """Whether the folder was made where it is, by this version of Python, and holds nothing excluded."""
    own = "from {} (python {}.{})".format(environment.packages / "pip", *sys.version_info)
    try:
        # Its first line names the Python of the place where the environment was made.
        said = captured([environment.program("pip"), "--version"], variables()).stdout
    except OSError:
        return False
    return own in said and not environment.left_out.intersection(installed(environment.packages))


def make(environment: Environment, python: Iterable[str] = (sys.executable,)) -> None:
    """Make an environment that holds pip alone, of the Python that these words start."""
    run_quietly([*python, "-m", "venv", environment.folder], variables())


def fill(environment: Environment) -> None:
    """Install the lock and the project, and once more each package of which something is gone."""
    python, place, names = environment.program("python"), environment.packages, environment.names
    there = {name: tops(package) for name, package in installed(place).items() if name in names}
    lost = frozenset(name for name in there if not all((place / top).exists() for top in there[name]))
    where = environment.folder.name
    if lost:
        say(f"Missing in {where}, and installed again: {', '.join(sorted(lost))}")
        pip(python, "install", "--force-reinstall", locked=lost)
    download, on_disk = environment.megabytes
    say(
        f"Installing {len(names)} Python packages into {where}, each checked against its hash: "
        f"at most about {download} MB to download and {on_disk} MB on disk"
    )
    pip(python, "install", locked=names)
    pip(python, "install", "--no-deps", "--no-build-isolation", "--editable", ROOT)


def pip(python: Path | str, *words: str | Path, locked: frozenset[str] | None = None) -> None:
    """Run pip, with locked packages by their hashes; its progress goes to stderr. Raises Problem."""
    # A person at a terminal sees how large each download is, and how far it has come.
    quiet = () if sys.stderr.isatty() else ("-qq",)
    command = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", *quiet, *words]
    with tempfile.TemporaryDirectory(prefix="exacta-lock-") as folder:
        if locked is not None:
            chosen = Path(folder, "requirements.lock")
            chosen.write_text(lock_of(locked), encoding="utf-8")
            command += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", chosen]
        code = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=variables())
    if code:
        raise Problem(
            f"{python} -m pip {words[0]} ended with {code}, for the reason above. Mend that (connect to the "
            "network, or set PIP_INDEX_URL or PIP_FIND_LINKS to where the packages are), then try again."
        )


def variables() -> dict[str, str]:
    """Return this process's environment without what would mix other packages into ours."""
    mixing = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV")
    return {**{name: value for name, value in os.environ.items() if name not in mixing}, "PIP_USER": "0"}
