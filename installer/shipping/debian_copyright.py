"""Who wrote what is in the package, and under which licence: Debian's copyright file, from the packages' own.

Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from locked import installed, tops

from shipping.notices import field, licence_texts

_OWN = "exacta-studio"

_HEAD = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Exacta Studio
Comment:
 Everything below /usr/lib/exacta-studio that is not the program itself comes
 unchanged, but for what was left out, from packages of the Python Package
 Index. Qt is used under the LGPL, version 3: its libraries are files of their
 own in PySide6/Qt/lib, and who wants to can put other builds in their place.
 The pages in /usr/share/doc/exacta-studio/html hold styles and scripts of what
 made them, whose licences are in notices.txt there.
"""
_COMMON = {
    "LGPL-3.0-only": ("LGPL-3", "GNU Lesser General Public License, version 3"),
    "GPL-2.0-only": ("GPL-2", "GNU General Public License, version 2"),
    "Apache-2.0": ("Apache-2.0", "Apache License, version 2.0"),
    "MPL-2.0": ("MPL-2.0", "Mozilla Public License, version 2.0"),
}
"""Licences whose texts every Debian has."""

_FROM_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
}
_UNTOLD = {"agent-client-protocol": "Apache-2.0"}
"""What a package says in the text of its licence alone."""

_BUNDLED_COPYRIGHTS = {
    "pyside6-essentials": "The Qt Company Ltd. and other contributors",
    "shiboken6": "The Qt Company Ltd. and other contributors",
    "exacta-studio": "2026 Exacta Studio contributors",
}


@dataclass(frozen=True)
class _Part:
    """One bundled package: its files in the package, its licence and texts."""

    name: str
    files: list[str]
    licence: str
    text: str
    holders: list[str]


def copyright_text(packages: Path) -> str:
    """The copyright file for a folder of installed packages, which still has their records."""
    parts = [_part(name, each) for name, each in sorted(installed(packages).items())]
    parts.sort(key=lambda part: part.name != _OWN)
    blocks = [_HEAD.rstrip()]
    for part in parts:
        where = [f"usr/lib/exacta-studio/lib/*/{each}" for each in part.files]
        files = "\n ".join(["*"] if part.name == _OWN else where)
        holders = "\n ".join(part.holders)
        blocks.append(f"Files: {files}\nCopyright: {holders}\nLicense: {_short(part)}")
    blocks += [f"License: {_short(part)}\n{_indented(part)}" for part in parts]
    return "\n\n".join(dict.fromkeys(blocks)) + "\n"


def _part(name: str, package: Distribution) -> _Part:
    texts = (_without_common_texts(text).strip() for text in licence_texts(package))
    text = "\n\n".join(filter(None, texts))
    return _Part(name, tops(package), _licence(name, package), text, _holders(name, package, text))


def _without_common_texts(text: str) -> str:
    """A licence's file but for what is the text of one that every Debian has."""
    for begin in ("GNU GENERAL PUBLIC LICENSE", "Apache License", "Mozilla Public License.*"):
        found = re.search(rf"^\s*{begin}\s*$", text, re.M)
        if found is not None:
            text = text[: found.start()].rstrip("= -\n")
    return text


def _licence(name: str, package: Distribution) -> str:
    for value in (field(package, "License-Expression"), field(package, "License")):
        if value and "\n" not in value and value != "UNKNOWN":
            return re.sub(r"(?i)^MIT license$", "MIT", value)
    told = (line.rpartition(" :: ")[2] for line in package.metadata.get_all("Classifier") or ())
    return (
        next((_FROM_CLASSIFIERS[each] for each in told if each in _FROM_CLASSIFIERS), None) or _UNTOLD[name]
    )


def _holders(name: str, package: Distribution, text: str) -> list[str]:
    """The lines of the licence that say whose it is, else whom the package names."""
    if name in _BUNDLED_COPYRIGHTS:
        return [_BUNDLED_COPYRIGHTS[name]]
    found = re.findall(r"(?im)^\s*(?:copyright\s+)(?:\(c\)|\N{COPYRIGHT SIGN})?\s*(.*\d{4}.*?)\s*$", text)
    lines = [re.sub(r"\s+", " ", each) for each in found if "name of copyright owner" not in each]
    told_by = field(package, "Author", "Author-email", "Maintainer", "Maintainer-email")
    return list(dict.fromkeys(lines)) or [f"the authors of {name}" + (f": {told_by}" if told_by else "")]


def _short(part: _Part) -> str:
    """A name that stands for this very text; Debian's have no spaces but around `or`."""
    names = part.licence.replace("GPLv2 with linking exception", "GPL-2.0-only").split(" OR ")
    if part.text:
        names[-1] += f"~{part.name}"
    return " or ".join(names)


def _indented(part: _Part) -> str:
    lines: list[str] = []
    for name in _short(part).split(" or "):
        common = _COMMON.get(name.partition("~")[0])
        if common is not None:
            lines += [f"{common[1]}: see", f"/usr/share/common-licenses/{common[0]}", ""]
    lines += part.text.splitlines()
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in lines or ["."])
