"""Projects with something mounted in them, or on a disk that folds case; prints what became of it as JSON.

    python -m tests.engine.root.mounting mounted|folding|respelling PROJECT

Runs where the mounts are, with its state beside the project.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.engine.disk import Obstacles
from studio.engine.plan import PersonSource
from studio.engine.project.context import Person
from studio.engine.root import ProjectRoot
from studio.errors import StudioError
from studio.formats import detect
from studio.workspace import Workspace

PERSON = Person(PersonSource.WINDOW, "tester")


def propose(workspace: Workspace, *steps: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is said to each step, and how its plan ended when every valid step was approved and applied."""
    text = json.dumps({"title": "t", "steps": steps}).encode()
    plan = workspace.proposer.propose(detect.read(text))
    said: list[dict[str, Any]] = [
        {
            "path": step.path,
            "state": step.state.value,
            "problems": [problem.code for problem in step.problems],
            "facts": [f"{fact.kind}: {fact.message}" for fact in step.facts],
        }
        for step in plan.steps
    ]
    ended = "not applied"
    if plan.valid_steps:
        reviewer = workspace.reviewer(PERSON)
        reviewer.approve(plan.id)
        try:
            ended = reviewer.apply(plan.id).state.value
        except StudioError as error:
            ended = str(error)
            workspace.proposer.withdraw(plan.id)
    return [*said, {"ended": ended}]


def mounted(project: Path) -> dict[str, Any]:
    """`other` is a disk of its own, `twin` a folder bound to another place, `bound.txt` a bound file."""
    seen: dict[str, Any] = {}
    with ProjectRoot(project) as root:
        seen["mounts"] = sorted(root.mounts())
        with Obstacles(root) as obstacles:
            seen["obstacles"] = {name: obstacles.of(name) for name in ("plain.txt", "bound.txt", "twin")}
        seen["walked"] = sorted(entry.path for entry in root.walk())
    workspace = Workspace.open(project)
    try:
        for name, step in {
            "plain": {"op": "modify", "path": "plain.txt", "content": "new\n"},
            "in other": {"op": "modify", "path": "other/file.txt", "content": "new\n"},
            "in twin": {"op": "create", "path": "twin/new.txt", "content": "new\n"},
            "bound": {"op": "modify", "path": "bound.txt", "content": "new\n"},
            "delete other": {"op": "delete", "path": "other"},
        }.items():
            seen[name] = propose(workspace, step)
        seen["git"] = propose(workspace, {"op": "create", "path": "innocent/description", "content": "x"})
        seen["configuration"] = propose(workspace, {"op": "modify", "path": "settings", "content": "x"})
    finally:
        workspace.close()
    return seen


def folding(project: Path) -> dict[str, Any]:
    """The disk takes ReadMe.txt for README.TXT, but not a Kelvin sign for a k."""
    (project / "ReadMe.txt").write_text("old\n")
    (project / ".git").mkdir()
    (project / ".git/config").write_text("")
    (project / "studio.yaml").write_text("")
    seen: dict[str, Any] = {}
    with ProjectRoot(project) as root:
        seen["folds"] = root.folds_case
        seen["names"] = [entry.path for entry in root.list_folder("")]
        seen["other spelling"] = root.read_bytes("README.TXT", 100).decode()
    workspace = Workspace.open(project)
    try:
        seen["twins"] = propose(
            workspace,
            {"op": "modify", "path": "ReadMe.txt", "content": "one\n"},
            {"op": "modify", "path": "README.TXT", "content": "two\n"},
        )
        seen["now"] = (project / "readme.txt").read_text()
        seen["create"] = propose(workspace, {"op": "create", "path": "rEADME.txt", "content": "x"})
        for name in (".GIT/config", ".Git", "STUDIO.yaml"):
            seen[name] = propose(workspace, {"op": "modify", "path": name, "content": "x"})
        seen["composed twins"] = propose(
            workspace,
            {"op": "create", "path": "\u00e9.txt", "content": "composed\n"},
            {"op": "create", "path": "e\u0301.txt", "content": "decomposed\n"},
        )
        seen["kelvin twins"] = propose(
            workspace,
            {"op": "create", "path": "\u212aelvin.txt", "content": "sign\n"},
            {"op": "create", "path": "kelvin.txt", "content": "letter\n"},
        )
        seen["sharp s twins"] = propose(
            workspace,
            {"op": "create", "path": "stra\u00dfe.txt", "content": "one\n"},
            {"op": "create", "path": "STRASSE.txt", "content": "two\n"},
        )
        seen["not for Windows"] = propose(workspace, {"op": "create", "path": "what?.txt", "content": "x"})
    finally:
        workspace.close()
    return seen


def respelling(project: Path) -> dict[str, Any]:
    """The disk takes readme.md for README.md."""
    (project / "readme.md").write_text("words\n")
    workspace = Workspace.open(project)
    try:
        seen = {
            "at once": propose(workspace, {"op": "move", "path": "readme.md", "to": "README.md"}),
            "away": propose(workspace, {"op": "move", "path": "readme.md", "to": "third.md"}),
            "back": propose(workspace, {"op": "move", "path": "third.md", "to": "README.md"}),
        }
    finally:
        workspace.close()
    return {**seen, "content": (project / "README.md").read_text()}


def main() -> None:
    what, name = sys.argv[1:]
    project = Path(name)
    for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
        os.environ[variable] = str(project.parent / variable)
    print(json.dumps({"mounted": mounted, "folding": folding, "respelling": respelling}[what](project)))


if __name__ == "__main__":
    main()
