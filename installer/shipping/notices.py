"""What installed packages say of themselves: under which licence they are, and its texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path

from locked import installed, normalized
from system_packages import Problem

_IS_LICENCE = re.compile(r"(?i)\.dist-info/.*(licen[cs]e|copying|notice|authors)")
"""Where they are, and what they are called, depends on the tool that packed them."""


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


def notice(package: Distribution) -> str:
    """Name, version, terms and every text about them that a package brings."""
    terms = field(package, "License-Expression", "License") or "see its licence"
    return "\n\n".join((f"{'=' * 78}\n{package.name} {package.version}: {terms}", *licence_texts(package)))


def licence_texts(package: Distribution) -> list[str]:
    """The files of a package that are about its licence, in the order of their names."""
    names = sorted(str(file) for file in package.files or () if _IS_LICENCE.search(str(file)))
    files = (Path(str(package.locate_file(name))) for name in names)
    return [file.read_text("utf-8", "replace").strip("\n") for file in files]


def field(package: Distribution, *names: str) -> str:
    """The first of these fields that its metadata has; "" without one."""
    return next((value for name in names for value in package.metadata.get_all(name) or () if value), "")
