"""What becomes of each diff of the archive: the tree that its tool meant, a refusal, or a wrong tree."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from studio.engine.draft import PlanDraft
from studio.engine.plan import PersonSource, Problem, StepState
from studio.formats import detect
from studio.workspace import Person, Workspace
from tests.diffs.archive import VERSIONS, read_archive
from tests.diffs.changes import CHANGES, Change, Tree
from tests.diffs.tools import TOOLS, Tool

READ: Final = "read"
WRONG: Final = "wrong"

_CHANGES: Final = {change.name: change for change in CHANGES}
_TOOLS: Final = {tool.name: tool for tool in TOOLS}
# They count the problems of the others.
_SUMS: Final = frozenset({"plan.steps_refused"})

Judged = tuple[str, tuple[Problem, ...]]


class Kept(NamedTuple):
    """What diffs of one form can say at all."""

    mode: bool
    last_newline: bool

    @classmethod
    def by(cls, tool: Tool, form: str) -> Kept:
        """What a form of a tool can say."""
        return cls(tool.keeps_mode is not None and tool.keeps_mode in form, tool.tells_last_newline)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the diff that one form of a tool wrote of a change: READ, WRONG, or why not."""

    tool: str
    form: str
    change: str
    judged: str
    problems: tuple[Problem, ...] = ()


def outcomes() -> Iterator[Outcome]:
    """All of them, in the order of tools and forms; what says the same is applied once."""
    known: dict[Hashable, Judged] = {}
    found: list[Outcome] = []
    for name, diff in read_archive():
        if name == VERSIONS:
            continue
        tool, form, change = name.split("/")
        draft = detect.read(diff)
        kept = Kept.by(_TOOLS[tool], form)
        key = change, kept, _meaning(draft)
        if key not in known:
            known[key] = _judged(_CHANGES[change], draft, kept)
        found.append(Outcome(tool, form, change, *known[key]))
    forms = [(tool.name, form) for tool in TOOLS for form in tool.forms]
    yield from sorted(found, key=lambda each: forms.index((each.tool, each.form)))


def _meaning(draft: PlanDraft) -> Hashable:
    """What two drafts share that say the same."""
    return draft.problems, tuple(
        (
            (step.op, step.path, step.to, step.executable, step.problems),
            step.patch and (step.patch.binary, step.patch.may_be_prefixed, step.patch.may_create),
            step.patch and tuple((h.old_start, h.data[h.start : h.end]) for h in step.patch.hunks),
        )
        for step in draft.steps
    )


def _judged(change: Change, draft: PlanDraft, kept: Kept) -> Judged:
    if draft.problems:
        return "", draft.problems
    with tempfile.TemporaryDirectory(prefix="diffs-") as name:
        folder = Path(name)
        for path, data in change.before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        workspace = Workspace.open(folder)
        try:
            plan = workspace.proposer.propose(draft)
            found = [*plan.problems, *(problem for step in plan.steps for problem in step.problems)]
            if found or not plan.steps or any(step.state is StepState.INVALID for step in plan.steps):
                return "", tuple(problem for problem in found if problem.code not in _SUMS)
            reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "tester"))
            reviewer.approve(plan.id)
            reviewer.apply(plan.id)
        finally:
            workspace.close()
        return READ if _is_right(folder, change, kept) else WRONG, ()


def _is_right(folder: Path, change: Change, kept: Kept) -> bool:
    """Whether the tree is that after the change, in what the tool's diffs can say at all."""
    found, meant = _tree(folder), dict(change.after)
    if not kept.last_newline:
        found, meant = ({path: data.rstrip(b"\n") for path, data in tree.items()} for tree in (found, meant))
    executable = {path for path in found if (folder / path).stat().st_mode & stat.S_IXUSR}
    return found == meant and (not kept.mode or executable == change.executable)


def _tree(folder: Path) -> Tree:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
