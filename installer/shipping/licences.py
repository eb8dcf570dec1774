"""Under which licence installed packages, libraries and Python are, with the texts that go along in packages.

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
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution
from pathlib import Path

from environments import installed, normalized, tops
from system_packages import Problem, captured

COMMON = "STUDIO_COMMON_LICENCES"
"""Names a folder with the texts of Qt's licences, LGPL-3 and GPL-3, where the machine that packs has none."""
_COMMON_OF_DEBIAN = "/usr/share/common-licenses"
DOCUMENTS = Path("/usr/share/doc")
"""Where each package of Debian has its copyright."""
_OF_QT = frozenset({"LGPL-3", "GPL-3"})
"""The first refers to the second."""
_PACKER = "pyinstaller"
"""What starts the packed program is a part of it."""

_IS_LICENCE = re.compile(r"(?i)\.dist-info/.*(licen[cs]e|copying|notice|authors)")
"""Where they are, and what they are called, depends on the tool that packed them."""
_TEXTS_OF_DEBIAN = {
    "GNU GENERAL PUBLIC LICENSE": "GPL-2",
    "Apache License": "Apache-2.0",
    "Mozilla Public License.*": "MPL-2.0",
}
"""How the licences begin whose texts every Debian has, and what those are called there."""

_HEAD_OF_DEBIAN = """Exacta Studio is Copyright 2026 Exacta Studio contributors, under the MIT licence below.

Everything below /usr/lib/exacta-studio that is not the program itself comes unchanged, but for what was left
out, from packages of the Python Package Index, which are listed here with their terms and notices. Qt and Qt
for Python, Copyright The Qt Company Ltd. and other contributors, are used under the LGPL, version 3: Qt's
libraries are files of their own in PySide6/Qt/lib, and who wants to can put other builds in their place. The
pages in /usr/share/doc/exacta-studio/html hold styles and scripts of what made them, whose licences are in
notices.txt there.

The LGPL is in /usr/share/common-licenses/LGPL-3, and refers to /usr/share/common-licenses/GPL-3.
"""


def notices(folder: Path, names: Iterable[str]) -> str:
    """The licences of these packages as one text, from the folder that they are installed in. Raises Problem
    where one of them is not there or brings no licence."""
    there = installed(folder)
    for name in names:
        if normalized(name) not in there:
            raise Problem(f"{name} is not installed in {folder}: its licence can't be told.")
        if not licence_texts(there[normalized(name)]):
            raise Problem(f"{name} brings no text of its licence.")
    return "\n\n".join(notice(there[normalized(name)]) for name in names) + "\n"


def notice(package: Distribution, texts: Iterable[str] | None = None) -> str:
    """Name, version, terms and every text about them that a package brings, or these instead."""
    said = [package.metadata.get_all(name) or [] for name in ("License-Expression", "License")]
    terms = next(filter(None, said[0] + said[1]), "see its licence")
    head = f"{'=' * 78}\n{package.name} {package.version}: {terms}"
    return "\n\n".join((head, *(licence_texts(package) if texts is None else texts)))


def licence_texts(package: Distribution) -> list[str]:
    """The files of a package that are about its licence, in the order of their names."""
    names = sorted(str(file) for file in package.files or () if _IS_LICENCE.search(str(file)))
    files = (Path(str(package.locate_file(name))) for name in names)
    return [file.read_text("utf-8", "replace").strip("\n") for file in files]


def copyright_of_debian(packages: Path) -> str:
    """Debian's copyright file for a folder of installed packages, which still has their records."""
    parts = [_HEAD_OF_DEBIAN]
    for _, package in sorted(installed(packages).items()):
        parts.append(notice(package, map(_without_texts_of_debian, licence_texts(package))))
    return "\n".join(line.rstrip() for line in "\n\n".join(parts).splitlines()) + "\n"


def _without_texts_of_debian(text: str) -> str:
    """A licence's file, in which the text of one that every Debian has is named only."""
    for begin, name in _TEXTS_OF_DEBIAN.items():
        found = re.search(rf"^\s*{begin}\s*$", text, re.MULTILINE)
        if found is not None:
            head = text[: found.start()].rstrip("= -\n")
            text = f"{head}\n\nSee {_COMMON_OF_DEBIAN}/{name}".strip()
    return text


def texts(modules: Iterable[Path], libraries: Iterable[Path], packages: Path) -> dict[str, str]:
    """By the name of the file that is to hold it, for modules and libraries from packages, Python and the
    machine. Raises Problem where a library is of nobody who is known."""
    packages = packages.resolve()  # the checkout may be reached through a link
    real = {library.resolve() for library in libraries}
    inside = {
        file for file in (*real, *(each.resolve() for each in modules)) if file.is_relative_to(packages)
    }
    packed = {file.relative_to(packages).parts[0] for file in inside}
    told = [
        notice(package)
        for name, package in sorted(installed(packages).items())
        if name == _PACKER or packed & set(tops(package))
    ]
    python = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    if not python.is_file():
        raise Problem(f"{python} is missing: Python's licence can't go along.")
    of_system = _of_system(sorted(real - inside))
    common = {
        name for text in of_system.values() for name in re.findall(rf"{_COMMON_OF_DEBIAN}/([\w.-]*\w)", text)
    }
    return {
        "packages.txt": "\n\n".join(told),
        "python.txt": python.read_text("utf-8"),
        **{f"debian-{name}.txt": text for name, text in of_system.items()},
        **{f"{name}.txt": _common(name) for name in sorted(common | _OF_QT)},
    }


def _common(name: str) -> str:
    file = Path(os.environ.get(COMMON) or _COMMON_OF_DEBIAN, name)
    if not file.is_file():
        raise Problem(f"{file} is missing: name a folder with the text of {name} in {COMMON}.")
    return file.read_text("utf-8")


def _of_system(files: Iterable[Path]) -> Mapping[str, str]:
    """What Debian says of the packages that these libraries are of."""
    found: dict[str, str] = {}
    # One that somebody built into a folder of its own brings what it needs, but for the machine's libraries.
    base = Path(sys.base_prefix).resolve()
    for file in files:
        if base == Path("/usr") or not file.is_relative_to(base):
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
