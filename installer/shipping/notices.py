"""The licences of packages of which parts are shipped in another form, as one text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from email import message_from_string
from pathlib import Path

from system_packages import Problem


def notices(packages: Path, names: Iterable[str]) -> str:
    """What each of them says of itself, from the folder that they are installed in. Raises Problem where one
    of them is not there or brings no licence."""
    return "\n\n".join(line for name in names for line in _notice(packages, name)) + "\n"


def _notice(packages: Path, name: str) -> Iterator[str]:
    info = next(packages.glob(f"{name}-*.dist-info"), None)
    if info is None:
        raise Problem(f"{name} is not installed in {packages}: its licence can't be told.")
    told = message_from_string((info / "METADATA").read_text("utf-8"))
    files = told.get_all("License-File", [])
    # Where they lie depends on how old the tool is that packed them.
    found = [path for file in files for path in (info / "licenses" / file, info / file) if path.is_file()]
    if not found:
        raise Problem(f"{name} brings no text of its licence.")
    yield f"{'=' * 78}\n{told['Name']} {told['Version']}"
    yield from (path.read_text("utf-8").strip("\n") for path in found)
