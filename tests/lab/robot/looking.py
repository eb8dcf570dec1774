"""What is true of a project, whatever a window shows: read from the store on a handle of its own, and from
disk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from studio.engine.plan import LineComment, PersonSource, Plan, PlanState, StepState, Verdict
from studio.engine.store.database import FILE_NAME
from studio.workspace import Person, Workspace

PlanStep = tuple[str, int]
"""Plan id and step number; 0 is the plan itself."""

UnsentKey = tuple[str, int, str, int]
"""Plan id, step number, kind, and which of several of that kind."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision says; `result` is the hash of what it would write."""

    verdict: Verdict
    when: datetime
    text: str
    result: str | None
    chose: bool
    edited: bool
    comments: tuple[LineComment, ...]
    by: PersonSource | None

    @property
    def is_as_proposed(self) -> bool:
        """Whether what was proposed is approved as it stands."""
        return self.verdict is Verdict.APPROVE and not (self.chose or self.edited)


@dataclass(frozen=True, slots=True)
class Truth:
    """Everything that a key could have changed. `files` is None while the project's folder is away."""

    plans: dict[str, PlanState]
    titles: dict[str, str]
    rollbacks: frozenset[str]
    steps: dict[PlanStep, StepState]
    targets: dict[PlanStep, str]
    decisions: dict[PlanStep, Decided]
    unsent: dict[UnsentKey, bytes]
    files: dict[str, tuple[bool, bytes]] | None
    clipboard: str


class Looker:
    """Reads the truth of one project."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._workspace = Workspace.open(root)
        # Reads unsent texts, which only a reviewer may; it decides nothing.
        self._reviewer = self._workspace.reviewer(Person(PersonSource.WINDOW, "nobody"))
        self._read: tuple[int, tuple[Plan, ...], dict[UnsentKey, bytes]] = (-1, (), {})

    @property
    def store(self) -> Path:
        return self._workspace.state_folder / FILE_NAME

    @property
    def state_folder(self) -> Path:
        return self._workspace.state_folder

    def look(self) -> Truth:
        version = self._workspace.data_version()
        if version != self._read[0]:
            proposer = self._workspace.proposer
            plans = (*proposer.plans(), *proposer.plans(PlanState.DISMISSED))
            unsent = {
                (each.plan_id, each.step, each.kind.value, each.place): each.value
                for each in self._reviewer.unsent()
            }
            self._read = version, plans, unsent
        _, plans, unsent = self._read
        steps = {(plan.id, step.number): step for plan in plans for step in plan.steps}
        return Truth(
            plans={plan.id: plan.state for plan in plans},
            titles={plan.id: plan.title for plan in plans},
            rollbacks=frozenset(plan.id for plan in plans if plan.rolls_back is not None),
            steps={key: step.state for key, step in steps.items()},
            targets={key: step.target for key, step in steps.items()},
            decisions={
                key: Decided(
                    made.verdict, made.when, made.text, made.decided_sha256,
                    any(choice is not True for choice in made.choices.values()), made.edited,
                    made.comments, made.seen,
                )
                for key, step in steps.items() if (made := step.decision) is not None
            },
            unsent=unsent,
            files=files_below(self._root),
            clipboard=QGuiApplication.clipboard().text(),
        )  # fmt: skip

    def close(self) -> None:
        self._workspace.close()


def files_below(root: Path) -> dict[str, tuple[bool, bytes]] | None:
    """By path: whether it can be executed, and its bytes; None where the folder is not there."""
    if not root.is_dir():
        return None
    return {
        file.relative_to(root).as_posix(): (bool(file.stat().st_mode & 0o100), file.read_bytes())
        for file in root.rglob("*")
        if file.is_file()
    }
