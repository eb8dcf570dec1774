"""The licences of all that is packed into one folder with the program: texts that go along in that folder.

Nothing of them is kept here: packages bring their own, and the machine that packs has those of its
libraries, of Python, and of Qt, whose packages bring none. Runs in the Python whose packages are packed;
standard library only.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from locked import installed, tops
from system_packages import Problem, captured

from shipping.notices import notice

COMMON = "STUDIO_COMMON_LICENCES"
"""Names a folder with the texts of Qt's licences, LGPL-3 and GPL-3, where the machine that packs has none."""
_COMMON_OF_DEBIAN = "/usr/share/common-licenses"
DOCUMENTS = Path("/usr/share/doc")
"""Where each package of Debian has its copyright."""
_OF_QT = frozenset({"LGPL-3", "GPL-3"})
"""The first refers to the second."""
_PACKER = "pyinstaller"
"""What starts the packed program is a part of it."""


def texts(modules: Iterable[Path], libraries: Iterable[Path], packages: Path) -> dict[str, str]:
    """By the name of the file that is to hold it, for modules and libraries from packages, Python and the
    machine. Raises Problem where a library is of nobody who is known."""
    packages = packages.resolve()  # the checkout may be reached through a link
    real = [library.resolve() for library in libraries]
    modules = (module.resolve() for module in modules)
    inside = [file for file in (*real, *modules) if file.is_relative_to(packages)]
    of_system = _of_system(sorted(set(real) - set(inside)))
    return {
        "packages.txt": "\n\n".join(_of_packages(inside, packages)),
        "python.txt": _of_python(),
        **{f"debian-{name}.txt": text for name, text in of_system.items()},
        **{f"{name}.txt": _common(name) for name in sorted(_named(of_system.values()) | _OF_QT)},
    }


def _of_packages(files: Iterable[Path], packages: Path) -> Iterator[str]:
    """What each package says of itself of which a file is packed."""
    packed = {file.relative_to(packages).parts[0] for file in files}
    for name, package in sorted(installed(packages).items()):
        if name == _PACKER or packed & set(tops(package)):
            yield notice(package)


def _of_python() -> str:
    file = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    if file.is_file():
        return file.read_text("utf-8")
    raise Problem(f"{file} is missing: Python's licence can't go along.")


def _common(name: str) -> str:
    file = Path(os.environ.get(COMMON) or _COMMON_OF_DEBIAN, name)
    if not file.is_file():
        raise Problem(f"{file} is missing: name a folder with the text of {name} in {COMMON}.")
    return file.read_text("utf-8")


def _named(told: Iterable[str]) -> set[str]:
    """The licences that Debian's texts refer to."""
    return {name for text in told for name in re.findall(rf"{_COMMON_OF_DEBIAN}/([\w.-]*\w)", text)}


def _of_system(files: Iterable[Path]) -> Mapping[str, str]:
    """What Debian says of the packages that these libraries are of."""
    found: dict[str, str] = {}
    # One that somebody built into a folder of its own brings what it needs, but for the machine's libraries.
    base = Path(sys.base_prefix).resolve()
    is_own_python = base != Path("/usr")
    for file in files:
        if is_own_python and file.is_relative_to(base):
            continue
        name = _owner(file)
        found[name] = (DOCUMENTS / name / "copyright").read_text("utf-8")
    return found


def _owner(file: Path) -> str:
    """The package of Debian that a library is of; it may know it by the name from before /usr was merged."""
    for known in (str(file), str(file).removeprefix("/usr")) if shutil.which("dpkg") else ():
        said = captured(["dpkg", "-S", known])
        if said.returncode == 0:
            return said.stdout.partition(":")[0]
    raise Problem(f"{file} is of no package: whose licence goes along with it is not known.")
