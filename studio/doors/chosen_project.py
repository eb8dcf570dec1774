"""Choice of the project folder, with reason; notices of nearby open plans."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from studio.engine import check_root, find_root
from studio.errors import NotFound
from studio.extras.backlog import OpenPlans, find_open_plans_near
from studio.names import show_name
from studio.values import Value


class ChosenProject(Value):
    """A project folder, and the reason why it was chosen.

    `others` are projects around it with open plans; empty where the project was named explicitly.
    """

    path: Path
    reason: str
    others: tuple[OpenPlans, ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The keys to add to the answer about a proposal."""
        document: dict[str, Any] = {"project": {"path": str(self.path), "reason": self.reason}}
        if self.others:
            document["other_projects"] = [
                {"path": str(other.path), "open_plans": other.plans} for other in self.others
            ]
        return document

    @property
    def notices(self) -> tuple[str, ...]:
        """One sentence per surrounding project with open plans, naming its list command."""
        return tuple(map(_notice, self.others))


def choose_project(folder: Path | None) -> ChosenProject:
    """Return the given folder, or else the project of the current folder.

    Raises NotFound where the current folder is gone, and NotFound or Refused as `check_root` and `find_root`
    do.
    """
    if folder is not None:
        return ChosenProject(check_root(folder), "the given folder")
    try:
        here = Path.cwd()
    except FileNotFoundError as error:
        raise NotFound(
            "root.missing", "The current folder no longer exists.", "Change to the project folder first."
        ) from error
    found = find_root(here)
    root = check_root(found.path)
    return ChosenProject(root, found.reason, find_open_plans_near(here, root))


def _notice(other: OpenPlans) -> str:
    folder, plans = show_name(str(other.path)), "plan" if other.plans == 1 else "plans"
    listed = f"studio plans --project {shlex.quote(folder)}"
    return f"The project {folder} also has {other.plans} open {plans}. List them with: {listed}"
