"""What each picture of the window shows, and how a person gets there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from studio.engine.session import EventKind
from studio.extras.agents import Gate, GateStatus
from tests.tools.settings_scenes import (
    folder_to_be_allowed,
    refused_value,
    searched,
    settings,
    tried_rule,
    trust_strip,
    with_trust,
)
from tests.tools.stage import ODD_NAME, propose_plan

if TYPE_CHECKING:
    from tests.tools.stage import Stage

_RETRY = "Retry failed downloads"
_NEXT = "Show the next high water"


_BOTH = ("light", "dark")
_EVERY_LOOK = (*_BOTH, "contrast", *(f"colourblind-{name}" for name in (*_BOTH, "contrast")))
"""For scenes in which colours mean something."""


@dataclass(frozen=True, slots=True)
class Scene:
    """`play` brings a fresh stage to what the picture shows; `project` says what it opens.

    `size` is that of the window in logical pixels, its usual one for None.
    """

    name: str
    play: Callable[[Stage], None]
    project: str = "demo"
    looks: tuple[str, ...] = _BOTH
    percents: tuple[int, ...] = (100, 200)
    size: tuple[int, int] | None = None


def _nothing(_stage: Stage) -> None:
    pass


def _problems(stage: Stage) -> None:
    stage.panes.show_problems()


def _trigger(*actions: str) -> Callable[[Stage], None]:
    """Run actions one after the other."""

    def play(stage: Stage) -> None:
        for action in actions:
            stage.trigger(action)

    return play


def _select(title: str, step: int | None) -> Callable[[Stage], None]:
    def play(stage: Stage) -> None:
        stage.select(title, step)

    return play


def _panel(path: str) -> Callable[[Stage], None]:
    """The step of the project "panels" that is about a path."""

    def play(stage: Stage) -> None:
        step = next(step for step in stage.plan("Tidy up").steps if path in (step.path, step.to))
        stage.select("Tidy up", step.number)

    return play


def _in_state(name: str, stage: Stage) -> None:
    from studio.engine.plan import StepState

    stage.select_state(StepState(name))


def _lines(stage: Stage) -> None:
    """Two lines of the first hunk left out, the third one current."""
    from PySide6.QtCore import Qt

    canvas = stage.panes.pages.step.diff.canvas
    canvas.setFocus()
    stage.trigger("lines")
    stage.trigger("toggle_hunk")
    stage.press(canvas, Qt.Key.Key_Down)
    stage.press(canvas, Qt.Key.Key_Down)
    stage.trigger("toggle_hunk")


def _lines_in_one_column(stage: Stage) -> None:
    stage.trigger("unified")
    _lines(stage)


def _hunk_left_out(stage: Stage) -> None:
    stage.trigger("next_change")
    stage.trigger("toggle_hunk")


def _wrapped(stage: Stage) -> None:
    _panel("docs/wide.md")(stage)


def _editing(stage: Stage) -> None:
    stage.trigger("edit")
    stage.write("# typed by a person\n")


def _edited(stage: Stage) -> None:
    _editing(stage)
    stage.panes.pages.step.editor.done.click()
    stage.settle()


def _kept(stage: Stage) -> None:
    """A text that was begun and left with Esc."""
    _editing(stage)
    stage.trigger("back")


def _kept_in_plan(stage: Stage) -> None:
    _kept(stage)
    stage.trigger("approve_undecided")


def _commenting(stage: Stage) -> None:
    stage.panes.pages.step.diff.canvas.setFocus()
    stage.trigger("comment")
    stage.write("Why four? The office asks for at most three.")
    # What is kept at the next pause is on every picture, not on the later ones only.
    stage.panes.pages.step.comment.store_draft()
    stage.settle()


def _commented(stage: Stage) -> None:
    _commenting(stage)
    stage.panes.pages.step.comment.done.click()
    stage.settle()


def _rejected(stage: Stage) -> None:
    stage.trigger("reject_step")
    stage.write("The office allows three attempts.")
    stage.panes.pages.step.reason.reject.click()
    stage.settle()
    stage.select(_RETRY, 1)


def _approved_in_part(stage: Stage) -> None:
    _hunk_left_out(stage)
    stage.trigger("approve_step")
    stage.select(_RETRY, 1)


def _apply_ready(stage: Stage) -> None:
    stage.select(_NEXT, 1)
    for _ in stage.plan(_NEXT).steps:
        stage.trigger("approve_step")
    stage.select(_NEXT, None)


def _applied(stage: Stage) -> None:
    _apply_ready(stage)
    stage.trigger("apply")
    # As a moment later, when the tree has looked again.
    stage.panes.tree.model.reload()
    stage.settle()


def _approving_all(stage: Stage) -> None:
    stage.select(_RETRY, None)
    stage.trigger("approve_undecided")


def _rejecting_plan(stage: Stage) -> None:
    stage.select(_RETRY, None)
    stage.trigger("reject_plan")


def _conflict(stage: Stage) -> None:
    _in_state("stale", stage)
    stage.trigger("rebase")
    assert stage.desk.rebase.settlement is not None


def _settled(stage: Stage) -> None:
    _conflict(stage)
    assert stage.desk.rebase.settlement is not None
    for _ in stage.desk.rebase.settlement.conflicts:
        stage.trigger("settle_proposed")
    stage.trigger("folds")


def _conflict_edited(stage: Stage) -> None:
    _conflict(stage)
    stage.trigger("show_base")
    stage.trigger("edit")


def _compared(stage: Stage) -> None:
    newest = max(stage.desk.queue.plans, key=lambda plan: plan.created)
    assert newest.title == _RETRY
    stage.desk.select(newest.id, 1)
    stage.settle()
    stage.trigger("compare_round")
    assert stage.desk.rounds.comparison is not None


def _rollback(stage: Stage) -> None:
    """The plan applied before, one of whose files was changed since."""
    stage.desk.rollback.show(stage.desk.queue.history[0].plan.id)
    stage.settle()


def _rollback_way(stage: Stage) -> None:
    from studio.engine.history import DriftResolution

    _rollback(stage)
    assert stage.desk.rollback.preview is not None
    stage.desk.rollback.resolutions.choose(
        stage.desk.rollback.preview.drifted[0].step, DriftResolution.SAVE_BESIDE
    )
    stage.settle()


def _rollback_nowhere(stage: Stage) -> None:
    """A way that leads nowhere: what was written since touches what the plan changed."""
    from studio.engine.history import DriftResolution

    _rollback(stage)
    assert stage.desk.rollback.preview is not None
    stage.desk.rollback.resolutions.choose(stage.desk.rollback.preview.drifted[0].step, DriftResolution.MERGE)
    stage.settle()
    assert stage.desk.rollback.resolutions.refusals


def _images(way: str) -> Callable[[Stage], None]:
    """Two images compared in that way: an old one that would come back, and the one on disk."""

    def play(stage: Stage) -> None:
        from studio.engine.history import DriftResolution
        from studio.ui.diff.special.image_canvas import ComparisonMode

        _rollback(stage)
        assert stage.desk.rollback.preview is not None
        stage.desk.rollback.resolutions.choose(
            stage.desk.rollback.preview.drifted[0].step, DriftResolution.RESTORE
        )
        stage.settle()
        stage.panes.pages.rollback.diff.card.images.mode_buttons[ComparisonMode(way)].click()
        stage.settle()

    return play


def snapshots_kept(stage: Stage) -> None:
    """Two whole states, of which the second could not keep everything; a file was changed since."""
    root = stage.desk.project.root_path
    stage.desk.snapshots.create("before the migration")
    nested = root / "vendor/gauge/.git"
    nested.mkdir(parents=True)
    (nested / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    stage.desk.snapshots.create("")
    for path in sorted(root.glob("src/tidewatch/*.py"))[:2]:
        path.write_bytes(path.read_bytes().replace(b"def ", b"async def ", 1))
    (root / ODD_NAME).write_bytes(b"new\n")
    stage.trigger("dock_1")


def observed_changes(stage: Stage) -> None:
    """Others wrote three files by hand."""
    root = stage.desk.project.root_path
    stage.desk.project.workspace.observed.look()
    for path in sorted(root.glob("src/tidewatch/*.py"))[:2]:
        path.write_bytes(path.read_bytes().replace(b"def ", b"async def "))
    (root / ODD_NAME).write_bytes(b"new\n")
    _look(stage)
    stage.trigger("dock_2")


def _look(stage: Stage) -> None:
    stage.desk.project.workspace.observed.look()
    stage.desk.observed.refresh()
    stage.settle()


def _observed_shown(stage: Stage) -> None:
    observed_changes(stage)
    rows = stage.desk.observed.rows
    stage.desk.observed.show(next(row.key for row in rows if row.changes[0].before is not None))
    stage.settle()
    stage.panes.pages.observed.diff.toggle_current()
    stage.settle()


def _observed_group(stage: Stage) -> None:
    """A burst is one row."""
    observed_changes(stage)
    folder = stage.desk.project.root_path / "vendor"
    folder.mkdir(exist_ok=True)
    for number in range(14):
        (folder / f"tide_{number}.json").write_bytes(b"{}\n")
    _look(stage)
    stage.desk.observed.show(next(row.key for row in stage.desk.observed.rows if row.is_group))
    stage.settle()


def _observed_question(stage: Stage) -> None:
    observed_changes(stage)
    stage.trigger("keep_all_observed")
    stage.settle()


def _observed_revert(stage: Stage) -> None:
    _observed_shown(stage)
    assert stage.desk.observed.shown_row is not None
    stage.desk.observed.revert(stage.desk.observed.shown_row.changes)
    stage.settle()


def _naming_snapshot(stage: Stage) -> None:
    snapshots_kept(stage)
    stage.trigger("new_snapshot")
    stage.write("before the release")


def _reading_snapshot(stage: Stage) -> None:
    from studio.ui.review.restore import Reading

    snapshots_kept(stage)
    stage.desk.snapshots.reading = Reading(lambda _share: None)
    stage.desk.snapshots.share = 0.4
    stage.desk.snapshots.changed.emit()
    stage.settle()


def _deleting_snapshot(stage: Stage) -> None:
    snapshots_kept(stage)
    stage.desk.snapshots.ask_to_delete(stage.desk.snapshots.records[-1].id)
    stage.settle()


def _restore(stage: Stage) -> None:
    snapshots_kept(stage)
    stage.desk.restore.show(stage.desk.snapshots.records[-1])
    stage.settle()


def _restored(stage: Stage) -> None:
    _restore(stage)
    stage.trigger("apply")
    stage.desk.restore.show(stage.desk.snapshots.records[-1])
    stage.settle()


def _file_read(stage: Stage) -> None:
    """A file that a plan changed, at the lines it brought."""
    from studio.ui.review.reading import FileLocation

    _applied(stage)
    path = stage.desk.queue.history[0].plan.steps[0].target
    stage.desk.reading.show(FileLocation(path, 1))
    stage.settle()


def _plan_read(stage: Stage) -> None:
    """An applied plan, as it was decided."""
    from studio.ui.review.reading import PlanLocation

    _applied(stage)
    stage.desk.reading.show(PlanLocation(stage.desk.queue.history[0].plan.id))
    stage.settle()


def _finding(stage: Stage) -> None:
    """Lines of the current plan with a word, the first of them in view."""
    stage.trigger("find_across")
    search = stage.panes.dock.search
    search.field.setText("attempt")
    search.field.done.emit()
    stage.settle()


def _moved_code(stage: Stage) -> None:
    """A plan that moves a function to another file, at the place where it was."""
    root, path = stage.desk.project.root_path, "src/tidewatch/tides.py"
    lines = (root / path).read_text("utf-8").splitlines(keepends=True)
    first = max(number for number, line in enumerate(lines) if line.startswith("def "))
    steps = [
        {"op": "modify", "path": path, "content": "".join(lines[:first])},
        {
            "op": "create",
            "path": "src/tidewatch/moved.py",
            "content": "".join(["# Tides\n\n", *lines[first:]]),
        },
    ]
    text = json.dumps({"title": "Move it", "steps": steps})
    propose_plan(stage.desk.project.workspace, text.encode(), "Move it", "claude-code")
    stage.desk.queue.refresh()
    stage.settle()
    stage.select("Move it", 1)
    stage.settle()


def _folder(stage: Stage) -> None:
    stage.select(_RETRY, 1)
    stage.trigger("browse_folder")
    stage.settle()


def _comments(stage: Stage) -> None:
    """What was said about a plan, listed."""
    _commented(stage)
    stage.trigger("comments")
    stage.settle()


def _ticked(stage: Stage) -> None:
    """Two steps ticked in the queue, and what could be done about them."""
    stage.desk.select(stage.desk.queue.plans[0].id, None)
    stage.settle()
    stage.desk.ticked.tick((1, 2), True)
    stage.settle()


def _rolled_back(stage: Stage) -> None:
    stage.trigger("undo_last")
    stage.trigger("apply")
    stage.trigger("dock_1")


def _recovery(stage: Stage) -> None:
    from studio.ui.review.apply import RecoveryNeed

    stage.desk.recovery.show(RecoveryNeed(is_same_folder=False))
    stage.settle()


def _departed(stage: Stage) -> None:
    """The agent withdraws its plan while a reason is typed about it."""
    stage.trigger("reject_step")
    stage.write("The office allows three attempts.")
    stage.withdraw(_RETRY)


def _off(stage: Stage) -> None:
    """R on the page of a whole plan opens nothing."""
    stage.select(_RETRY, None)
    stage.trigger("reject_step")


def _found(stage: Stage) -> None:
    stage.trigger("find")
    stage.write("tide")


def _found_on_a_plan(stage: Stage) -> None:
    stage.select(_RETRY, None)
    _found(stage)


def _fault(stage: Stage) -> None:
    from studio.ui.help.fault_banner import Fault

    trace = (
        "Traceback (most recent call last):\n"
        '  File "studio/ui/review/submission.py", line 41, in copy\n'
        "    text = self._texts[plan.id]\n"
        "KeyError: '0f3a'"
    )
    stage.control.show_fault(Fault(1, trace))
    stage.settle()


def _fault_details(stage: Stage) -> None:
    from PySide6.QtWidgets import QAbstractButton

    _fault(stage)
    button = stage.control.window.findChild(QAbstractButton, "fault-show")
    assert isinstance(button, QAbstractButton)
    button.click()
    stage.settle()


def _journal_plan(stage: Stage) -> None:
    """All entries of a plan, and what became of it."""
    from PySide6.QtCore import Qt

    stage.trigger("journal")
    view = stage.panes.dock.history.view
    view.setCurrentIndex(view.rows.index(0, 0))
    stage.press(view, Qt.Key.Key_P)
    stage.settle()


def _palette(stage: Stage) -> None:
    stage.trigger("palette")
    stage.write("change")


def _choosing_key(stage: Stage) -> None:
    from PySide6.QtCore import Qt

    stage.trigger("keys")
    stage.write("wrap")
    field = stage.focused()
    assert field is not None
    stage.press(field, Qt.Key.Key_F2)


def _found_nothing(stage: Stage) -> None:
    stage.trigger("palette")
    stage.write("lighthouse")


def _going_to_file(stage: Stage) -> None:
    stage.trigger("go_to_file")
    stage.write("te")


def _filtered(stage: Stage) -> None:
    stage.trigger("queue_path")
    stage.write("web")


def _states(stage: Stage) -> None:
    """Steps in as many states as one plan can have, beside a refused and a stale one."""
    _approved_in_part(stage)
    stage.select(_RETRY, 2)
    stage.trigger("approve_step")
    stage.select(_RETRY, 3)
    stage.trigger("reject_step")
    stage.write("Not needed.")
    stage.panes.pages.step.reason.reject.click()
    stage.settle()
    stage.select(_RETRY, None)
    stage.trigger("dock_1")


def talked(stage: Stage, agent: str = "Qwen Code") -> None:
    """The dock's agents, with a session in which everything was said and done that there is."""
    kind = EventKind
    tool = {"tool": "1", "title": f"Edit {ODD_NAME}", "kind": "edit", "status": "completed", "paths": []}
    stage.talk(
        agent,
        (kind.BEGAN, {"title": agent, "version": "0.24.4", "command": ["qwen", "--acp"], "resumed": False}),
        (kind.PROMPT, {"text": "The gauge forgets its port.\nMend that, and say in the notes why."}),
        (kind.THOUGHT, {"text": "The port is read in two places."}),
        (kind.TODO, {"entries": [{"text": "Read gauge.py", "status": "completed"}]}),
        (kind.MESSAGE, {"text": "I keep the port in the settings, and read it once."}),
        (kind.TOOL, tool),
        (kind.NOTICE, {"text": "Plan 5d0c1f2a is waiting for review: Keep the port.", "is_bad": False}),
        (
            kind.NOTICE,
            {
                "text": "The agent switched to mode yolo, in which it does not ask for approval.",
                "is_bad": True,
            },
        ),
        (kind.TURN_ENDED, {"reason": "cancelled"}),
    )
    stage.trigger("ask_agent")


def talked_in_sandbox(stage: Stage) -> None:
    """The same with one that works in the sandbox, and was started again after an apply."""
    kind = EventKind
    given = {"network": True, "logins": ["qwen"]}
    began = {"title": "Qwen Code", "version": "0.24.4", "command": ["qwen", "--acp"], "resumed": False}
    ended = (
        "The agent was stopped because a plan is being applied to this project. Send a prompt to restart it"
        " with the applied changes."
    )
    stage.talk(
        "Qwen Code",
        (kind.BEGAN, {**began, "sandbox": given}),
        (kind.PROMPT, {"text": "The gauge forgets its port."}),
        (kind.NOTICE, {"text": "Shell: allowed in the sandbox", "is_bad": False}),
        (kind.MESSAGE, {"text": "I keep the port in the settings, and read it once."}),
        (kind.NOTICE, {"text": "Plan 5d0c1f2a (version 2) has the agent's changes so far.", "is_bad": False}),
        (kind.TURN_ENDED, {"reason": "end_turn"}),
        (kind.NOTICE, {"text": ended, "is_bad": False}),
        (kind.ENDED, {"reason": ""}),
    )
    stage.trigger("ask_agent")
    panel = stage.panes.dock.agents
    panel.sandbox.click()
    panel.network.click()
    panel.login.choose("qwen")


def ran(stage: Stage) -> None:
    """The dock's commands, with one that has ended, and what was tried with the plan among its facts."""
    commands = stage.desk.commands
    stage.select(_RETRY, 1)
    stage.trigger("try_plan")
    panel = stage.panes.dock.commands
    panel.line.setEditText("pytest -q tests")
    stage.tried("Retry failed downloads", "pytest -q tests")
    commands.output_received.emit("..F.\n1 failed, 3 passed in 0.41s\n")
    commands.status = "pytest -q tests ended with 1 after 0.9 s, in an overlay over the project."
    commands.changed.emit()
    stage.settle()


def _asked(stage: Stage) -> None:
    stage.ask("Bash", "npm install --save-dev typescript && \\\n  npx tsc --init --rootDir web")


_STANDINGS = (
    GateStatus(
        "claude-code",
        Gate.CLOSED,
        True,
        "The client wrote nothing in any failure we tested.",
        "2.1.330 (Claude Code)",
        datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
    ),
    GateStatus(
        "codex",
        Gate.OPEN_ON_FAILURE,
        True,
        "The client writes when the hook program itself is missing.",
        "codex-cli 0.169.0",
        datetime(2026, 11, 20, 9, 31, tzinfo=UTC),
    ),
)


def _gates(*standings: GateStatus) -> Callable[[Stage], None]:
    """The lamp's page, with these agents connected."""

    def play(stage: Stage) -> None:
        stage.control.show_gates(standings)
        stage.trigger("gates")

    return play


def agents_shown(stage: Stage) -> None:
    """The agents' part of the settings."""
    stage.open_agents()


def _agent_change(stage: Stage) -> None:
    """The same with the change of one that is not connected."""
    part = stage.open_agents()
    part.rows["gemini"].connect_button.click()
    stage.wait_for_button(part, "agent-change-now")


def _agent_proof(stage: Stage) -> None:
    """The same with a gate that was just proved."""
    part = stage.open_agents()
    part.rows["claude-code"].prove_button.click()
    stage.wait_for_button(part, "gate-proof-close")


# Not at the start of a line: there a merge takes the marks for its own.
_SEARCH, _DIVIDER, _REPLACE = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
_PASTED = f"""I keep the tides of a day together, and say so in the notes.

**README.md**
{_SEARCH}# tidewatch
{_DIVIDER}# tidewatch, day by day
{_REPLACE}
docs/notes.md
{_SEARCH}{_DIVIDER}Tides of a day stay together.
{_REPLACE}
src/tidewatch/missing.py
{_SEARCH}def gone() -> None:
{_DIVIDER}def here() -> None:
{_REPLACE}"""


def _pasted(stage: Stage, before: str = "") -> None:
    from PySide6.QtGui import QGuiApplication

    QGuiApplication.clipboard().setText("".join(before + line for line in _PASTED.splitlines(keepends=True)))
    stage.trigger("paste")


SCENES = (
    Scene("first-step", _nothing, looks=_EVERY_LOOK, percents=(100, 125, 200, 300)),
    Scene("narrow", _nothing, size=(1000, 760)),
    Scene("narrowest", _nothing, size=(820, 700)),
    Scene("states", _states, "applied", looks=_EVERY_LOOK),
    Scene("plan", _select(_RETRY, None), looks=_EVERY_LOOK),
    Scene("approving-all", _approving_all),
    Scene("rejecting-plan", _rejecting_plan),
    Scene("apply-ready", _apply_ready),
    Scene("applied", _applied),
    Scene("file-read", _file_read, looks=_EVERY_LOOK),
    Scene("plan-read", _plan_read),
    Scene("finding", _finding),
    Scene("plan-ticked", _ticked, looks=_EVERY_LOOK),
    Scene("moved-code", _moved_code, looks=_EVERY_LOOK),
    Scene("folder-browsed", _folder),
    Scene("comments", _comments),
    Scene("space-left-out", _trigger("ignore_space")),
    Scene("unified", _trigger("unified"), looks=_EVERY_LOOK),
    Scene("white-space", _trigger("white_space")),
    Scene("text", _trigger("text")),
    Scene("lines", _lines, looks=_EVERY_LOOK),
    Scene("lines-unified", _lines_in_one_column),
    Scene("hunk-left-out", _hunk_left_out),
    Scene("approved-in-part", _approved_in_part),
    Scene("wrapped", _wrapped, "panels"),
    Scene("editing", _editing),
    Scene("edited", _edited),
    Scene("kept-text", _kept),
    Scene("kept-text-narrowest", _kept, size=(820, 700)),
    Scene("kept-text-plan", _kept_in_plan),
    Scene("commenting", _commenting),
    Scene("commented", _commented),
    Scene("find", _found),
    Scene("find-nothing", _found_on_a_plan),
    Scene("go-to-line", _trigger("go_to_line")),
    Scene("reject", _trigger("reject_step")),
    Scene("rejected", _rejected),
    Scene("departed", _departed, looks=_EVERY_LOOK),
    Scene("departed-narrowest", _departed, size=(820, 700)),
    Scene("off", _off, looks=_EVERY_LOOK),
    Scene("stale", partial(_in_state, "stale"), looks=_EVERY_LOOK),
    Scene("conflict", _conflict, "conflict", looks=_EVERY_LOOK),
    Scene("conflict-edited", _conflict_edited, "conflict"),
    Scene("settled", _settled, "conflict"),
    Scene("refused", partial(_in_state, "invalid"), looks=_EVERY_LOOK),
    Scene("call", _asked, looks=_EVERY_LOOK, percents=(100, 200)),
    Scene("gates", _gates(*_STANDINGS), looks=_EVERY_LOOK, percents=(100, 200)),
    Scene("gates-none", _gates()),
    Scene("gates-narrowest", _gates(*_STANDINGS), size=(820, 700)),
    Scene("agents-part", agents_shown, looks=_EVERY_LOOK, percents=(100, 200), size=(1000, 1180)),
    Scene("agents-part-change", _agent_change, looks=_EVERY_LOOK, size=(1000, 1300)),
    Scene("agents-part-proof", _agent_proof, looks=_EVERY_LOOK, size=(1000, 1180)),
    Scene("agents-part-narrowest", agents_shown, size=(820, 700)),
    Scene("call-narrowest", _asked, size=(820, 700)),
    Scene("agents", talked, looks=_EVERY_LOOK, percents=(100, 200)),
    Scene("agents-narrowest", talked, size=(820, 700)),
    Scene("agents-sandbox", talked_in_sandbox, looks=_EVERY_LOOK, percents=(100, 200)),
    Scene("commands", ran, looks=_EVERY_LOOK, percents=(100, 200)),
    Scene("commands-narrowest", ran, size=(820, 700)),
    Scene("pasted", _pasted, looks=_EVERY_LOOK, percents=(100, 200)),
    Scene("pasted-quoted", partial(_pasted, before="> ")),
    Scene("pasted-narrowest", _pasted, size=(820, 700)),
    Scene("unseen-characters", _select("Let the gauge sign in", 1)),
    Scene("round", _compared, "rounds"),
    Scene("moved", _panel("docs/introduction.md"), "panels"),
    Scene("mode", _panel("scripts/nightly.sh"), "panels"),
    Scene("only-white-space", _panel("src/tidewatch/tides.py"), "panels"),
    Scene("binary", _panel("data/tides.bin"), "panels"),
    Scene("image", _panel("assets/lighthouse.png"), "panels"),
    Scene("images", _images("beside"), "images"),
    Scene("images-difference", _images("difference"), "images"),
    Scene("folder", _panel("docs/pictures"), "panels"),
    Scene("odd-name", _panel(ODD_NAME), "panels"),
    Scene("too-long", _panel("docs/wide.md"), "panels"),
    Scene("large", _nothing, "large"),
    Scene("rollback", _rollback, "drifted"),
    Scene("rollback-way", _rollback_way, "drifted"),
    Scene("rollback-nowhere", _rollback_nowhere, "drifted"),
    Scene("snapshots", snapshots_kept, looks=_EVERY_LOOK),
    Scene("observed", _observed_shown, looks=_EVERY_LOOK),
    Scene("observed-group", _observed_group),
    Scene("observed-keep-all", _observed_question),
    Scene("observed-revert", _observed_revert),
    Scene("snapshot-new", _naming_snapshot),
    Scene("snapshot-reading", _reading_snapshot),
    Scene("snapshot-delete", _deleting_snapshot),
    Scene("restore", _restore, looks=_EVERY_LOOK),
    Scene("restore-nothing", _restored),
    Scene("history", _rolled_back, "applied", looks=_EVERY_LOOK),
    Scene("journal", _trigger("journal"), "applied"),
    Scene("journal-plan", _journal_plan, "applied", looks=_EVERY_LOOK),
    Scene("journal-plan-narrowest", _journal_plan, "applied", size=(820, 700)),
    Scene("problems", _problems),
    Scene("palette", _palette),
    Scene("keys", _trigger("keys")),
    Scene("palette-empty", _found_nothing),
    Scene("choosing-key", _choosing_key),
    Scene("code-font", _trigger("code_font")),
    Scene("go-to-file", _going_to_file),
    Scene("settings-rules", settings("rules")),
    Scene("settings-rule-tried", tried_rule),
    Scene("settings-folder-allowed", folder_to_be_allowed),
    Scene("settings-limits", refused_value),
    Scene("settings-sources", settings("sources")),
    Scene("settings-sandbox", settings("sandbox")),
    Scene("settings-look", settings("look")),
    Scene("settings-found", searched),
    Scene("settings-broken", settings("limits", own="limits: {steps: many}\n")),
    Scene("settings-trust", with_trust),
    Scene("settings-narrowest", tried_rule, size=(820, 700)),
    Scene("trust-strip", trust_strip),
    Scene("filtered", _filtered),
    Scene("recovery", _recovery),
    Scene("start", _nothing, "", looks=_EVERY_LOOK),
    Scene("first-steps", _trigger("first_steps"), "", looks=_EVERY_LOOK),
    Scene("first-steps-narrowest", _trigger("first_steps"), "empty", size=(820, 700)),
    Scene("switcher", _trigger("switch_project"), "", looks=_EVERY_LOOK),
    Scene("fault", _fault, looks=_EVERY_LOOK),
    Scene("fault-details", _fault_details),
    Scene("fault-narrowest", _fault, size=(820, 700)),
    Scene("fault-start", _fault, ""),
    Scene("diagnostics", _trigger("diagnostics"), looks=_EVERY_LOOK),
    Scene("nothing-waiting", _nothing, "empty"),
)

README_SCENE = Scene("readme", _nothing, "applied", looks=("light",))
