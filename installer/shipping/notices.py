"""What installed packages say of themselves: what files they have, and under which licence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email import message_from_string
from pathlib import Path

from system_packages import Problem

_IS_LICENCE = re.compile(r"(?i)licen[cs]e|copying|notice|authors")


def notices(packages: Path, names: Iterable[str]) -> str:
    """The licences of these packages as one text, from the folder that they are installed in. Raises Problem
    where one of them is not there or brings no licence."""
    return "\n\n".join(notice(_installed(packages, name)) for name in names) + "\n"


def notice(info: Path) -> str:
    """Name, version, terms and every text about them that a package brings; `info` is its .dist-info."""
    told = message_from_string((info / "METADATA").read_text("utf-8"))
    terms = told["License-Expression"] or told["License"] or "see its licence"
    texts = (path.read_text("utf-8", "replace").strip("\n") for path in _licences(info))
    return "\n\n".join((f"{'=' * 78}\n{told['Name']} {told['Version']}: {terms}", *texts))


def tops(info: Path) -> list[str]:
    """What a package has at the top of the folder of packages, by its own record."""
    rows = (info / "RECORD").read_text("utf-8").splitlines()
    found = {row.strip('"').split("/")[0].split(",")[0] for row in rows}
    return sorted(found - {"..", "__pycache__"})


def _installed(packages: Path, name: str) -> Path:
    info = next(packages.glob(f"{name}-*.dist-info"), None)
    if info is None:
        raise Problem(f"{name} is not installed in {packages}: its licence can't be told.")
    if not _licences(info):
        raise Problem(f"{name} brings no text of its licence.")
    return info


def _licences(info: Path) -> list[Path]:
    """Where they lie, and what they are called, depends on the tool that packed them."""
    files = sorted(path for path in info.rglob("*") if path.is_file())
    return [path for path in files if _IS_LICENCE.search(path.relative_to(info).as_posix())]
