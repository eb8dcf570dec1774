"""Plans as an agent would have proposed them, and a desk that needs no engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.draft import ExcludedPath
from studio.engine.plan import (
    Decision,
    Fact,
    HunkRange,
    Operation,
    Plan,
    PlanState,
    Problem,
    Severity,
    Step,
    StepState,
    Verdict,
)
from studio.engine.policy import PathVerdict
from studio.engine.trial import Trial
from studio.extras.journal_search import JournalFound
from studio.extras.journal_view import JournalFilter
from studio.journal.file_image import FileImage
from studio.ui.review.choices import HunkChoices, Outcomes
from studio.ui.review.queue_state import is_archived
from studio.ui.review.state import Running
from studio.ui.review.unsent import DraftKey
from studio.ui.review.walk import StepFilter
from studio.ui.runner import Runner
from studio.ui.settings import Settings

NOW = datetime(2026, 11, 22, 10, 45, tzinfo=UTC)


def image(letter: str, size: int, mode: int = 0o644) -> FileImage:
    return FileImage(sha256=letter * 64, size=size, mode=mode)


def decision(verdict: Verdict = Verdict.APPROVE, choices: dict[int, Any] | None = None) -> Decision:
    return Decision(
        verdict=verdict,
        who="you",
        when=NOW - timedelta(minutes=2),
        text="",
        base_sha256=None,
        decided_sha256="d" * 64,
        choices=choices or {},
        edited=False,
        root_identity="root",
        policy_fingerprint="policy",
    )


def step(
    number: int,
    path: str,
    state: StepState = StepState.PENDING,
    op: Operation = Operation.MODIFY,
    *,
    plan: str = "a",
    **changes: Any,
) -> Step:
    base = None if op in (Operation.CREATE, Operation.MKDIR) else image("a", 4200)
    result = None if op is Operation.DELETE else image("b", 4710)
    if op is Operation.MKDIR:
        result = FileImage(sha256=None, size=0, mode=0o755)
    values: dict[str, Any] = {
        "number": number,
        "id": f"{plan}-{number}",
        "op": op,
        "path": path,
        "to": None,
        "state": state,
        "base": base,
        "result": result,
        "hunks": (HunkRange(1, 1, 3, 1, 4),),
        "decision": decision() if state is StepState.APPROVED else None,
    }
    return Step(**(values | changes))


def retry_plan() -> Plan:
    executable = Fact("executable", Severity.WARNING, "The file becomes executable.")
    refused = Problem(
        "policy_denied",
        "“.*/” denies folders that start with a dot (built-in default).",
        "You may allow this path in your own rules and ask for the plan again.",
    )
    return Plan(
        id="4f1c09ab-0000-4000-8000-000000000001",
        version=1,
        title="Retry failed downloads",
        agent="claude-code",
        state=PlanState.PENDING,
        created=NOW - timedelta(minutes=4),
        steps=(
            step(1, "src/tidewatch/fetch.py", added=18, removed=8, reason="Retry four times, then give up."),
            step(2, "src/tidewatch/config.py", StepState.APPROVED, added=6),
            step(3, "src/tidewatch/backoff.py", StepState.APPROVED, Operation.CREATE, added=41),
            step(
                4,
                "tests/test_fetch.py",
                StepState.APPROVED,
                added=38,
                removed=4,
                decision=decision(choices={1: True, 2: False}),
            ),
            step(5, "docs/usage.md", op=Operation.MOVE, to="docs/guide.md", added=3, removed=3),
            step(
                6,
                "scripts/deploy.sh",
                op=Operation.MODE,
                facts=(executable,),
                result=image("a", 4200, 0o755),
                hunks=(),
            ),
            step(7, "src/tidewatch/store.py", StepState.STALE, added=5, removed=6),
            step(
                8,
                ".github/workflows/release.yml",
                StepState.INVALID,
                Operation.CREATE,
                added=18,
                problems=(refused,),
            ),
        ),
    )


def readme_plan() -> Plan:
    return Plan(
        id="5a000000-0000-4000-8000-000000000002",
        version=1,
        title="German readme",
        agent="codex",
        state=PlanState.PENDING,
        created=NOW - timedelta(minutes=12),
        steps=(
            step(1, "legacy/readme_de.txt", added=14, removed=14, plan="b"),
            step(2, "web/index.html", added=2, removed=1, plan="b"),
        ),
    )


def logo_plan() -> Plan:
    return Plan(
        id="6b000000-0000-4000-8000-000000000003",
        version=1,
        title="New harbour logo",
        agent="codex",
        state=PlanState.PENDING,
        created=NOW - timedelta(minutes=31),
        steps=tuple(
            step(number, f"assets/logo_{number}.svg", added=number, plan="c") for number in (1, 2, 3)
        ),
    )


def pasted_plan() -> Plan:
    return Plan(
        id="7c000000-0000-4000-8000-000000000004",
        version=1,
        title="Pasted diff, 22 Nov 10:02",
        agent="",
        state=PlanState.APPROVED,
        created=NOW - timedelta(minutes=62),
        steps=(step(1, "src/tidewatch/cli.py", StepState.APPROVED, added=2, plan="d"),),
    )


def with_step(plan: Plan, number: int, **changes: Any) -> Plan:
    """The plan as the store would return it after one step changed."""
    steps = tuple(replace(item, **changes) if item.number == number else item for item in plan.steps)
    return replace(plan, version=plan.version + 1, steps=steps)


@dataclass(frozen=True)
class Entry:
    """A folder's entry as the workspace lists it."""

    path: str
    is_folder: bool
    size: int = 0
    is_link: bool = False


class FakeUnsentTexts(dict[tuple[str, str, int], str]):
    """What is kept, by kind, plan and step."""

    def store(self, place: DraftKey, text: str) -> None:
        key = (place.kind, place.plan_id, place.step)
        self.pop(key, None)
        if text:
            self[key] = text

    def text(self, place: DraftKey) -> str:
        return self.get((place.kind, place.plan_id, place.step), "")


class FakeWays(QObject):
    """No way is chosen unless a test says so."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.previews: dict[int, Any] = {}
        self.chosen: dict[int, Any] = {}
        self.refusals: dict[int, str] = {}
        self.asked: list[tuple[Any, ...]] = []

    def preview(self, step: int) -> Any:
        return self.previews.get(step)

    def choose(self, step: int, way: Any, _checked: bool = False) -> None:
        self.asked.append((step, way))


class FakeShownStep(QObject):
    """What a test lays out of the current step."""

    changed = Signal()
    contents: Any = None
    diff: Any = None
    is_head = False

    def __init__(self, desk: FakeDesk) -> None:
        super().__init__(desk)
        self._desk = desk

    def key_of(self, plan: Plan, step: Step) -> str:
        return f"{plan.id}/{step.revision}/{self._desk.edited.current!r}"


class FakeLineSearch(QObject):
    """Notes what was looked for; what is found a test lays out."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.query: Any = None
        self.hits: tuple[Any, ...] = ()
        self.is_running, self.is_whole, self.refusal = False, True, ""

    def search(self, query: Any) -> None:
        self.query = query

    def forget(self) -> None:
        self.query = None


class FakeReading(QObject):
    """Notes with its desk what was to be read."""

    changed = Signal()
    content_read = Signal()

    def __init__(self, desk: Any) -> None:
        super().__init__()
        self._desk = desk
        self.place: Any = None

    def show(self, place: Any) -> None:
        self._desk.asked.append(("read", place))


class FakeRollback(QObject):
    """Shows the preview that a test lays out, and notes what was asked of it with its desk."""

    changed = Signal()

    def __init__(self, desk: FakeDesk) -> None:
        super().__init__(desk)
        self._desk = desk
        self.preview: Any = None
        self.chosen: frozenset[int] = frozenset()
        self.resolutions = FakeWays(self)

    def show(self, plan_id: str, steps: tuple[int, ...] | None = None) -> None:
        self._desk.asked.append(("preview_rollback", plan_id, *(() if steps is None else (steps,))))

    def choose(self, step: int, chosen: bool) -> None:
        steps = self.chosen | {step} if chosen else self.chosen - {step}
        self.chosen = frozenset(steps & self.possible)

    @property
    def possible(self) -> frozenset[int]:
        return self.preview.step_numbers if self.preview is not None else frozenset()

    def choose_all(self, chosen: bool) -> None:
        self.chosen = self.possible if chosen else frozenset()
        self.changed.emit()

    def carry_out(self) -> None:
        self._desk.asked.append(("roll_back",))

    def cancel(self) -> None:
        self._desk.asked.append(("cancel_rollback",))


class FakeRecovery(QObject):
    """Nothing was interrupted."""

    changed = Signal()
    need = None


class FakeUndoDiscard(QObject):
    """Puts the question that a test lays out, and notes the answer."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.prompt_loss: Any = None
        self.told: list[tuple[Any, ...]] = []

    def open_prompt(self, plan_id: str) -> None:
        self.told.append(("ask", plan_id))

    def show(self, loss: Any) -> None:
        self.prompt_loss = loss
        self.changed.emit()

    def close_prompt(self) -> None:
        self.told.append(("keep",))
        self.show(None)

    def discard(self) -> None:
        self.told.append(("discard",))
        self.show(None)


class FakeKeptTexts(QObject):
    """Nobody began a text."""

    changed = Signal()
    steps: frozenset[tuple[str, int]] = frozenset()


class FakeCommands(QObject):
    """No command is at work, and none was."""

    changed = Signal()
    settings_changed = Signal()
    is_restarted = Signal()
    output_received = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.asked: list[tuple[Any, ...]] = []
        self.trial_commands: tuple[str, ...] = ()
        self.memory = SimpleNamespace(recent=())
        self.running = Running.NOTHING
        self.status = ""

    def read_settings(self) -> None: ...

    def prepare(self) -> None: ...

    def propose_now(self) -> None: ...

    def stop(self) -> None: ...

    def default_permissions(self, _line: str) -> SimpleNamespace:
        return SimpleNamespace(network=False, login="")

    def set_login_reader(self, _logins: object) -> None: ...

    def run(self, line: str, *, network: bool, login: str, container: str) -> None:
        self.asked.append(("run", line, network, login))

    def try_plan(self, line: str, *, network: bool, proposes: bool, container: str) -> None:
        self.asked.append(("try", line, network, proposes))


class FakeRecord(QObject):
    """Nothing was tried, and nothing left out."""

    changed = Signal()
    trials: tuple[Trial, ...] = ()
    excluded_paths: tuple[ExcludedPath, ...] = ()

    def is_current(self, _trial: Trial) -> bool:
        return True


class FakeSnapshots(QObject):
    """The snapshots that a test lays out; notes what it was asked."""

    changed = Signal()
    progressed = Signal()
    records: tuple[Any, ...] = ()
    use: Any = None
    prompt_snapshot: Any = None
    reading: Any = None
    share = 0.0

    def __init__(self, desk: FakeDesk) -> None:
        super().__init__(desk)
        self._desk = desk

    def read_list(self) -> None:
        self._desk.asked.append(("look",))

    def create(self, tag: str) -> None:
        self._desk.asked.append(("create", tag))

    def ask_to_delete(self, snapshot_id: str) -> None:
        self.prompt_snapshot = next(record for record in self.records if record.id == snapshot_id)
        self.changed.emit()

    def close_prompt(self) -> None:
        self.prompt_snapshot = None
        self.changed.emit()

    def delete(self) -> None:
        self._desk.asked.append(("delete", self.prompt_snapshot.id))
        self.close_prompt()

    def stop(self) -> None:
        self._desk.asked.append(("stop",))


class FakeRestore(QObject):
    """A preview that a test lays out."""

    changed = Signal()
    progressed = Signal()
    preview: Any = None
    restore_source: Any = None
    reading: Any = None
    share = 0.0

    def __init__(self, desk: FakeDesk) -> None:
        super().__init__(desk)
        self._desk = desk

    def show(self, record: Any) -> None:
        self._desk.asked.append(("restore", record.id))

    def report_unreadable(self, error: Any) -> None:
        self._desk.asked.append(("not shown", error))

    def cancel(self) -> None:
        self._desk.asked.append(("cancel",))

    def carry_out(self) -> None:
        self._desk.asked.append(("carry out",))

    def stop(self) -> None:
        self._desk.asked.append(("stop",))


class FakeObserved(QObject):
    """The observed changes that a test lays out; notes what it was asked."""

    changed = Signal()
    shown_changed = Signal()
    chosen_changed = Signal()
    rows: tuple[Any, ...] = ()
    count = 0
    shown_row: Any = None
    prompt_changes: tuple[Any, ...] = ()
    why_not = ""

    def __init__(self, desk: FakeDesk) -> None:
        super().__init__(desk)
        self._desk = desk
        self.lines: dict[str, tuple[int, int]] = {}
        self.files: dict[str, Any] = {}
        self.out: frozenset[int] = frozenset()

    def show(self, key: str) -> None:
        self.shown_row = next((row for row in self.rows if row.key == key), None)
        self._desk.asked.append(("show", key))
        self.shown_changed.emit()

    def cancel(self) -> None:
        self._desk.asked.append(("cancel",))

    def file_of(self, change: Any, then: Callable[[Any], object]) -> None:
        then(self.files[change.id])

    def excluded_hunks(self, change: Any) -> frozenset[int]:
        return self.out

    def toggle_hunk(self, change: Any, number: int) -> None:
        self.out = self.out ^ {number}
        self.chosen_changed.emit()

    def keep(self, changes: Any) -> None:
        self._desk.asked.append(("keep", tuple(change.id for change in changes)))

    def revert(self, changes: Any) -> None:
        self._desk.asked.append(("revert", tuple(change.id for change in changes)))

    def confirm_keep_all(self) -> None:
        self.prompt_changes = tuple(change for row in self.rows for change in row.changes)
        self.changed.emit()

    def keep_prompted(self) -> None:
        self._desk.asked.append(("keep", tuple(change.id for change in self.prompt_changes)))
        self.close_prompt()

    def close_prompt(self) -> None:
        self.prompt_changes = ()
        self.changed.emit()


class FakeEdited(QObject):
    """Nobody wrote another result unless a test says so."""

    changed = Signal()
    current: bytes | None = None


class FakeComments(QObject):
    """Nothing was said about lines."""

    changed = Signal()
    current: tuple[Any, ...] = ()

    def of_plan(self, _plan: Plan) -> dict[int, tuple[Any, ...]]:
        return {}


class FakeRounds(QObject):
    """No plan has an earlier round."""

    changed = Signal()
    earlier: tuple[Plan, ...] = ()


class FakeChoices(QObject):
    """The choices that a test lays out."""

    changed = Signal()

    def __init__(self, desk: FakeDesk) -> None:
        super().__init__(desk)
        self._desk = desk
        self.current = HunkChoices()

    @property
    def are_edited(self) -> bool:
        return self._desk.edited.current is not None

    @property
    def replace_proposal(self) -> bool:
        return self.are_edited or bool(self.current.named)

    @property
    def key(self) -> str:
        step = self._desk.current_step
        edited, named = self._desk.edited.current, sorted(self.current.named.items())
        return f"{step.revision if step else ''}/{edited!r}/{named}"


class FakeTicks(QObject):
    """Nothing is ticked."""

    changed = Signal()
    numbers: frozenset[int] = frozenset()


class FakeGroups(QObject):
    """The reviewer named no groups."""

    changed = Signal()


class FakeDesk(QObject):
    """Answers like the desk, at once and from memory, and notes what it was asked."""

    """Each part is the desk itself, but for those that a test lays out."""

    plans_changed = Signal()
    current_changed = Signal()
    history_changed = Signal()
    store_changed = Signal()
    tree_changed = Signal()
    rules_changed = Signal()
    status_reported = Signal(object)
    busy_changed = Signal()
    allowed_changed = Signal()
    refresh_wanted = Signal()
    notices_changed = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.allowed_changed.connect(self.refresh_wanted)
        nobody = SimpleNamespace(sessions=tuple, events=lambda *_: ())
        self.workspace = SimpleNamespace(proposer=nobody)
        self.plans: tuple[Plan, ...] = ()
        self.history: tuple[Any, ...] = ()
        self.current_plan: Plan | None = None
        self.current_step: Step | None = None
        self.comments = FakeComments(self)
        self.rounds = FakeRounds(self)
        self.viewed = SimpleNamespace(marks=frozenset(), revised=frozenset())
        self.busy = ""
        self.choices = FakeChoices(self)
        self.notices: tuple[str, ...] = ()
        self.new_plans: frozenset[str] = frozenset()
        self.name = "tidewatch"
        self.retention: Any = None
        self.journal: list[Any] = []
        self.edited = FakeEdited()
        self.shown = FakeShownStep(self)
        self.rollback = FakeRollback(self)
        self.reading = FakeReading(self)
        self.line_search = FakeLineSearch()
        self.undo_discard = FakeUndoDiscard(self)
        self.settings = Settings(None)
        self.commands = FakeCommands(self)
        self.record = FakeRecord(self)
        self.snapshots = FakeSnapshots(self)
        self.restore = FakeRestore(self)
        self.observed = FakeObserved(self)
        self.edit_drafts = FakeKeptTexts(self)
        self.recovery = FakeRecovery(self)
        self.runner = Runner(immediate=True, parent=self)
        self.unsent = FakeUnsentTexts()
        self.walk = SimpleNamespace(filter=StepFilter(self), listed_steps=None, folded_steps=())
        self.ticked = FakeTicks(self)
        self.review_context = FakeGroups(self)
        self.plan_id = None
        self.is_loaded = True
        self.waiting: frozenset[str] = frozenset()
        self.folders: dict[str, tuple[Entry, ...]] = {}
        self.denied: frozenset[str] = frozenset()
        self.asked: list[tuple[Any, ...]] = []
        self.refusals: dict[str, str] = {}
        parts = (self, self, self.shown, self.choices)
        self.outcomes = Outcomes(*cast("Any", parts))

    @property
    def queue(self) -> FakeDesk:
        return self

    project = guards = queue

    def is_archived(self, plan: Plan) -> bool:
        return is_archived(plan)

    def select(self, plan_id: str, step: int | None, *, by_user: bool = True) -> None:
        self.asked.append(("select", plan_id, step))
        self.current_plan = next((plan for plan in self.plans if plan.id == plan_id), None)
        self.current_step = self.current_plan.step(step) if self.current_plan and step else None
        self.current_changed.emit()

    def can(self, action_id: str) -> str:
        return self.refusals.get(action_id, "")

    @property
    def reasons(self) -> SimpleNamespace:
        return SimpleNamespace(of=self.can)

    def draft_key(self, kind: str) -> DraftKey:
        plan, step = self.current_plan, self.current_step
        return DraftKey(plan.id if plan else "", step.number if step else 0, kind)

    def ask(self, question: Callable[..., Any], *args: object, then: Callable[[Any], object]) -> None:
        then(question(*args))

    def ask_in_background(
        self,
        question: Callable[..., Any],
        *args: object,
        then: Callable[[Any], object],
        failed: object = None,
    ) -> None:
        then(question(*args))

    def check_paths(self, paths: Any, then: Callable[[Any], object], plan: Any = None) -> None:
        then(
            tuple(
                PathVerdict(path, path not in self.denied, "", "default", "")
                if path not in self.denied
                else PathVerdict(path, False, ".*/", "default", "Folders that start with a dot are denied.")
                for path in paths
            )
        )

    def list_folder(self, path: str, then: Callable[[Any], object]) -> None:
        self.asked.append(("list_folder", path))
        then(self.folders.get(path, ()))

    def read_retention(self, then: Callable[[Any], object]) -> None:
        if self.retention is not None:
            then(self.retention)

    def find_in_journal(
        self, _words: str, before: int | None, only: JournalFilter, then: Callable[..., object], *_: object
    ) -> None:
        """The newest 200 entries that pass, each with its request and replies."""
        self.asked.append(("find_in_journal", before))
        found = [
            row
            for row in self.journal
            if (before is None or row.position < before)
            and (not only.types or type(row.entry).__name__ in only.types)
            and only.plan_id in ("", row.plan_id)
            and row.plan_id not in only.but_plans
        ]
        names = {row.entry.correlation_id for row in found[:200]}
        rows = tuple(row for row in self.journal if row.entry.correlation_id in names)
        then(JournalFound(rows, found[199].position if len(found) > 200 else None))

    def count_files(self, then: Callable[[int], object]) -> None:
        then(1204)

    def compute(self, function: Callable[..., Any], *arguments: Any, then: Callable[[Any], object]) -> None:
        then(function(*arguments))

    def show(self, *plans: Plan) -> None:
        """What a snapshot of the store brings."""
        self.plans = plans
        self.plans_changed.emit()

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("_"):
            raise AttributeError(name)

        def note(*arguments: Any, **named: Any) -> None:
            self.asked.append((name, *arguments, *named.values()))

        return note


@pytest.fixture
def desk(qapp: object) -> FakeDesk:
    desk = FakeDesk()
    desk.plans = (retry_plan(), readme_plan(), logo_plan(), pasted_plan())
    return desk


@pytest.fixture
def samples() -> SimpleNamespace:
    """The builders above, for tests that make their own plans."""
    return SimpleNamespace(
        now=NOW,
        image=image,
        decision=decision,
        step=step,
        retry=retry_plan,
        readme=readme_plan,
        logo=logo_plan,
        pasted=pasted_plan,
        with_step=with_step,
        entry=Entry,
    )


@pytest.fixture
def nameless() -> Callable[[QWidget], list[QWidget]]:
    """Visible widgets that take the keyboard but could not be read aloud or found by a test."""

    def find(pane: QWidget) -> list[QWidget]:
        takers = [
            each
            for each in pane.findChildren(QWidget)
            if each.isVisible() and each.focusPolicy() is not Qt.FocusPolicy.NoFocus
        ]
        assert takers
        return [each for each in takers if not (each.objectName() and each.accessibleName())]

    return find
