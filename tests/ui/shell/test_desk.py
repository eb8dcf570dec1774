"""The desk over a real engine: moving, deciding, writing, taking back, and what it says."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PlanState, StepState
from studio.formats import detect
from studio.ui.actions.action import Action
from studio.ui.actions.table import ACTIONS
from studio.ui.review.desk import Desk
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.settings import Settings
from studio.ui.worker import THREAD
from tests.ui.shell.conftest import LINES


def listen(desk: Desk) -> list[StatusMessage]:
    happenings: list[StatusMessage] = []
    desk.project.status_reported.connect(happenings.append)
    return happenings


def approve_all(bench: Any, desk: Desk) -> None:
    plan = desk.queue.current_plan
    assert plan is not None
    for _ in plan.steps:
        bench.look(desk)
        desk.decisions.approve_step()
    bench.look(desk)


def test_the_first_undecided_step_is_current_after_opening(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    assert desk.queue.current_plan is not None
    assert desk.queue.current_plan.id == plan.id
    assert desk.queue.current_step is not None
    assert desk.queue.current_step.number == 1
    assert desk.shown.diff is not None
    assert [hunk.number for hunk in desk.shown.diff.hunks] == [1, 2]


def test_moving_goes_from_step_to_step_across_plans(bench: Any, make_desk: Callable[..., Desk]) -> None:
    bench.propose_three()
    bench.propose("Delete one", DraftStep(Operation.DELETE, "two.txt"))
    desk = make_desk()
    places = []
    for _ in range(5):
        assert desk.queue.current_plan is not None
        assert desk.queue.current_step is not None
        places.append((desk.queue.current_plan.title, desk.queue.current_step.number))
        desk.walk.next_step()
    assert places == [
        ("Three files", 1), ("Three files", 2), ("Three files", 3), ("Delete one", 1), ("Delete one", 1)
    ]  # fmt: skip
    desk.walk.previous_step()
    assert desk.queue.current_step is not None
    assert desk.queue.current_step.number == 3


def test_approving_a_part_writes_exactly_that_part(bench: Any, make_desk: Callable[..., Desk]) -> None:
    """What was on screen is what is written."""
    bench.propose_three()
    desk = make_desk()
    desk.choices.toggle_hunk(2)
    assert dict(desk.choices.current) == {1: True, 2: False}
    approve_all(bench, desk)
    desk.apply.start()
    assert "changed 3\n" in bench.read("one.txt")
    assert "line 30\n" in bench.read("one.txt")


def test_a_process_without_a_command_is_ended_with_its_project(desk: Desk, qtbot: QtBot) -> None:
    """Else it would import the engine first, to read that nothing is left to do."""
    desk.commands.prepare()
    # Others may run as well: the one that compares files.
    own: list[BaseProcess] = []

    def has_started() -> bool:
        own[:] = [process for process in multiprocessing.active_children() if process.name == THREAD]
        return bool(own)

    qtbot.waitUntil(has_started)
    (process,) = own
    desk.commands.close()
    for thread in threading.enumerate():
        if thread.name == THREAD:
            thread.join()
    assert process.exitcode == -signal.SIGTERM


def test_a_step_with_everything_left_out_is_to_be_rejected(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    bench.propose_three()
    desk = make_desk()
    desk.choices.toggle_hunk(1)
    desk.choices.toggle_hunk(2)
    bench.look(desk)
    assert desk.can(Action.APPROVE_STEP) == "All hunks are excluded. Reject the step instead."


def test_rejecting_carries_the_reason_and_can_be_taken_back(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    bench.look(desk)
    desk.project.unsent.store(desk.queue.draft_key("reason"), "half")
    desk.decisions.reject_step("Not this one.")
    stored = bench.agent.proposer.plan(plan.id).steps[0]
    assert stored.state is StepState.REJECTED
    assert stored.decision is not None
    assert stored.decision.text == "Not this one."
    desk.select(plan.id, 1)
    assert desk.project.unsent.text(desk.queue.draft_key("reason")) == "", (
        "a reason that was sent is no draft any more"
    )
    bench.look(desk)
    desk.decisions.take_back()
    assert bench.agent.proposer.plan(plan.id).steps[0].state is StepState.PENDING


def test_the_note_goes_with_the_approval(bench: Any, make_desk: Callable[..., Desk]) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    desk.project.unsent.store(desk.queue.draft_key("note"), "Send the rest as its own plan.")
    bench.look(desk)
    desk.decisions.approve_step()
    decision = bench.agent.proposer.plan(plan.id).steps[0].decision
    assert decision is not None
    assert decision.text == "Send the rest as its own plan."


def test_a_rejected_plan_stays_until_it_is_taken_back(bench: Any, make_desk: Callable[..., Desk]) -> None:
    """9.5: a decision on a whole plan can be taken back in one press."""
    plan = bench.propose_three()
    desk = make_desk()
    desk.select(plan.id, None)
    bench.look(desk)
    desk.decisions.reject_plan("Wrong direction.")
    assert [each.state for each in desk.queue.plans] == [PlanState.REJECTED]
    bench.look(desk)
    desk.decisions.take_back()
    assert [each.state for each in desk.queue.plans] == [PlanState.PENDING]


def test_asking_for_changes_ends_the_plan_with_the_words(bench: Any, make_desk: Callable[..., Desk]) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    desk.select(plan.id, None)
    bench.look(desk)
    desk.decisions.request_changes("Split it.")
    assert bench.agent.proposer.plan(plan.id).state is PlanState.CHANGES_REQUESTED


def test_approving_the_rest_leaves_stale_steps_undecided(bench: Any, make_desk: Callable[..., Desk]) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    (bench.root / "two.txt").write_text("moved on\n")
    desk.queue.disk_changed()
    desk.select(plan.id, None)
    bench.look(desk)
    desk.decisions.approve_undecided()
    states = [step.state for step in desk.queue.plans[0].steps]
    assert states == [StepState.APPROVED, StepState.STALE, StepState.APPROVED]
    assert [each.id for each in desk.apply.plans] == [plan.id]  # its approved part
    desk.select(plan.id, 2)
    bench.look(desk)
    assert desk.can(Action.APPROVE_STEP) == "two.txt changed on disk. First choose how to handle this."
    desk.decisions.discard_stale()
    assert desk.queue.plans[0].state is PlanState.APPROVED


def test_approving_the_rest_takes_only_what_the_person_was_asked_about(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    desk.select(plan.id, None)
    bench.look(desk)
    happenings = listen(desk)
    desk.decisions.approve_undecided({1: "another revision", 2: plan.steps[1].revision})
    assert {step.state for step in desk.queue.plans[0].steps} == {StepState.PENDING}
    assert "no decision was saved" in happenings[-1].sentence


def test_apply_then_undo_restores_every_byte(bench: Any, make_desk: Callable[..., Desk]) -> None:
    bench.propose_three()
    desk = make_desk()
    approve_all(bench, desk)
    happenings = listen(desk)
    desk.apply.start()
    assert happenings[-1].sentence == "Applied 3 files from “Three files”."
    assert happenings[-1].undo == desk.queue.history[0].plan.id
    assert desk.queue.plans == ()
    desk.undo.press(desk.undo.words(happenings[-1]).key, happenings[-1])
    assert bench.is_untouched()
    assert happenings[-1].sentence == "Rolled back 3 files from “Three files”."


def test_undo_after_drift_shows_the_preview_and_writes_nothing(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    """Rollback never destroys work."""
    bench.propose_three()
    desk = make_desk()
    approve_all(bench, desk)
    happenings = listen(desk)
    desk.apply.start()
    (bench.root / "two.txt").write_text("mine\n")
    desk.queue.disk_changed()
    desk.undo.press(desk.undo.words(happenings[-1]).key, happenings[-1])
    assert desk.rollback.preview is not None
    assert desk.rollback.chosen == {1, 3}, "the drifted file is off"
    desk.rollback.choose(2, True)
    assert desk.rollback.chosen == {1, 3}, "and stays off"
    assert "changed 3\n" in bench.read("one.txt")
    desk.rollback.choose(3, False)
    bench.look(desk)
    desk.rollback.carry_out()
    assert desk.rollback.preview is None
    assert bench.read("one.txt").startswith("line 1\nline 2\nline 3\n")
    assert "changed 7\n" in bench.read("three.txt")
    assert bench.read("two.txt") == "mine\n"


def test_a_file_that_drifts_while_the_preview_is_open_is_not_touched(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    bench.propose_three()
    desk = make_desk()
    approve_all(bench, desk)
    desk.apply.start()
    desk.rollback.show(desk.queue.history[0].plan.id)
    (bench.root / "one.txt").write_text("mine\n")
    happenings = listen(desk)
    bench.look(desk)
    desk.rollback.carry_out()
    assert bench.read("one.txt") == "mine\n"
    assert "changed 5\n" in bench.read("two.txt")
    assert happenings[-1].tone is Tone.WARNING


def test_an_open_preview_follows_the_disk_and_keeps_what_was_left_out(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    bench.propose_three()
    desk = make_desk()
    approve_all(bench, desk)
    desk.apply.start()
    desk.rollback.show(desk.queue.history[0].plan.id)
    assert desk.rollback.preview is not None and desk.rollback.chosen == {1, 2, 3}
    desk.rollback.choose(2, False)
    (bench.root / "one.txt").write_text("mine\n")
    desk.queue.disk_changed()
    assert [file.path for file in desk.rollback.preview.files if file.drifted] == ["one.txt"]
    assert desk.rollback.chosen == {3}
    assert desk.can(Action.ROLL_BACK), "nothing is pressed on what has just changed"


def test_a_step_that_was_decided_counts_as_viewed(bench: Any, make_desk: Callable[..., Desk]) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    bench.look(desk)
    desk.decisions.approve_step()
    (plan,) = desk.queue.plans
    assert [desk.viewed.has(plan, step) for step in plan.steps] == [True, False, False]


def test_deciding_waits_while_a_rollback_preview_is_open(bench: Any, make_desk: Callable[..., Desk]) -> None:
    """The step is not on screen then."""
    bench.propose_three()
    desk = make_desk()
    approve_all(bench, desk)
    desk.apply.start()
    bench.propose("Again", DraftStep(Operation.DELETE, "two.txt"))
    desk.queue.reload()
    desk.rollback.show(desk.queue.history[0].plan.id)
    bench.look(desk)
    assert desk.can(Action.APPROVE_STEP) == "Close the rollback preview first."
    desk.rollback.cancel()
    bench.look(desk)
    assert desk.can(Action.APPROVE_STEP) == ""


def test_a_change_that_another_process_made_is_seen_by_polling(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    desk = make_desk()
    assert desk.queue.plans == ()
    happenings = listen(desk)
    bench.propose_three()
    desk.poll()
    assert [plan.title for plan in desk.queue.plans] == ["Three files"]
    assert happenings[-1].sentence == "1 new plan received."


def test_a_poll_without_news_reads_nothing(bench: Any, make_desk: Callable[..., Desk]) -> None:
    bench.propose_three()
    desk = make_desk()
    changes: list[str] = []
    desk.queue.plans_changed.connect(lambda: changes.append("plans"))
    desk.queue.current_changed.connect(lambda: changes.append("current"))
    desk.poll()
    desk.queue.refresh()
    assert changes == []


def test_viewed_marks_and_drafts_survive_a_crash(
    bench: Any, make_desk: Callable[..., Desk], tmp_path: Path
) -> None:
    """9.7: they are on disk at once; nothing is closed or flushed here."""
    plan = bench.propose_three()
    file = tmp_path / "window.ini"
    desk = make_desk(Settings(file))
    bench.look(desk)
    desk.walk.mark_viewed(True)
    desk.project.unsent.store(desk.queue.draft_key("reason"), "half a sentence, ünïcödé\nand a second line")
    again = make_desk(Settings(file))
    assert again.viewed.has(plan, plan.steps[0])
    assert not again.viewed.has(plan, plan.steps[1])
    assert (
        again.project.unsent.text(again.queue.draft_key("reason"))
        == "half a sentence, ünïcödé\nand a second line"
    )


def test_reading_on_finds_the_next_unviewed_step(bench: Any, make_desk: Callable[..., Desk]) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    for number in (2, 1):
        desk.select(plan.id, number)
        bench.look(desk)
        desk.walk.mark_viewed(True)
    desk.walk.next_unviewed()
    assert desk.queue.current_step is not None
    assert desk.queue.current_step.number == 3


def test_a_pasted_diff_becomes_a_plan_of_the_person(bench: Any, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    happenings = listen(desk)
    desk.submission.paste("--- a/two.txt\n+++ b/two.txt\n@@ -1,2 +1,2 @@\n line 1\n-line 2\n+second\n")
    assert not desk.queue.plans, "it is shown first"
    desk.submission.propose()
    assert [plan.agent for plan in desk.queue.plans] == ["you"]
    assert desk.queue.plans[0].steps[0].path == "two.txt"
    assert happenings[-1].tone is Tone.NEWS
    assert bench.is_untouched()


def test_pasting_what_is_no_plan_says_so(bench: Any, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    desk.submission.paste("just a sentence")
    assert desk.submission.pasted is not None
    (problem,) = desk.submission.pasted.preview.plan.problems
    assert problem.message == "The text is in no known format."
    desk.submission.paste("   ")
    (problem,) = desk.submission.pasted.preview.plan.problems
    assert problem.message == "The text is empty."


def test_a_plan_file_that_is_not_there_is_a_sentence(
    bench: Any, make_desk: Callable[..., Desk], tmp_path: Path
) -> None:
    desk = make_desk()
    happenings = listen(desk)
    desk.submission.submit_files([tmp_path / "gone.diff"])
    assert "gone.diff can't be read: it does not exist." in happenings[-1].sentence


def test_a_failed_apply_says_that_nothing_was_written(bench: Any, make_desk: Callable[..., Desk]) -> None:
    bench.propose_three()
    desk = make_desk()
    approve_all(bench, desk)
    (bench.root / "three.txt").write_text("moved on\n")
    happenings = listen(desk)
    desk.apply.start()
    assert bench.read("one.txt").startswith("line 1\nline 2\nline 3\n")
    assert any(happening.tone in (Tone.WARNING, Tone.BAD) for happening in happenings)
    assert desk.guards.busy == ""


def test_every_sentence_why_not_is_a_sentence(bench: Any, make_desk: Callable[..., Desk]) -> None:
    """A disabled action says why: in an empty project every reason ends as a sentence does."""
    desk = make_desk()
    reasons = {entry.id: desk.can(entry.id) for entry in ACTIONS}
    assert {entry.id for entry in ACTIONS if entry.decides and not reasons[entry.id]} == set()
    assert [reason for reason in reasons.values() if reason and not reason.endswith(".")] == []


def test_a_folder_that_was_deleted_meanwhile_has_no_entries(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    answers: list[Any] = []
    desk.project.list_folder("deleted/meanwhile", answers.append)
    assert answers == [()]


def test_a_panel_that_outlives_its_desk_by_a_moment_is_told_nothing(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    desk = make_desk()
    answers: list[Any] = []
    desk.project.list_folder("", answers.append)
    assert len(answers) == 1
    desk.close()
    desk.project.list_folder("", answers.append)
    desk.project.count_files(answers.append)
    desk.queue.reload()
    assert len(answers) == 1


def test_what_is_stale_comes_last_and_is_not_left_to_be_found(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    """The plan waits for it too: after the last pending step the stale one is current."""
    bench.propose_three()
    desk = make_desk()
    (bench.root / "two.txt").write_text("".join(LINES[:-1]))
    desk.queue.disk_changed()
    places: list[int | None] = []
    for _ in range(2):
        bench.look(desk)
        desk.decisions.approve_step()
        places.append(desk.queue.current_step.number if desk.queue.current_step is not None else None)
    assert places == [3, 2]
    assert desk.queue.current_step is not None and desk.queue.current_step.state is StepState.STALE


def test_a_part_of_a_larger_change_waits_for_all_of_it(bench: Any, make_desk: Callable[..., Desk]) -> None:
    """No hunk of it is left out, and none of it goes in while another step has a secret to accept."""
    secret = "key = AK" + "IAQ7RZK3M5T2XW8YVN\n"
    steps = [
        {"op": "move", "path": "one.txt", "to": "four.txt"},
        {"op": "modify", "path": "four.txt", "edits": [{"old": "".join(LINES), "new": secret}]},
        {"op": "create", "path": "one.txt", "content": "moved\n"},
    ]
    draft = detect.read(json.dumps({"title": "Stub", "steps": steps}).encode())
    plan = bench.agent.proposer.propose(draft)
    desk = make_desk()
    other = next(step for step in plan.steps if all(fact.kind != "secret" for fact in step.facts))
    desk.select(plan.id, other.number)
    bench.look(desk)
    assert desk.can(Action.APPROVE_STEP).startswith("Another step in the same change")
    assert desk.can(Action.TOGGLE_HUNK).startswith("This step is part of a larger change")


def test_what_others_store_beside_an_empty_queue_holds_up_no_key(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    desk = make_desk()
    bench.clock.now += 1.0
    desk.queue.reload()
    assert desk.queue.plans == () and desk.guards.dead_time.seconds_left == 0


def test_the_plan_whose_undo_the_next_apply_discards_is_named(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("retention: {plans: 1, days: 0}\n")
    bench.propose_three()
    desk = make_desk()
    assert desk.undo_expiry.sentence == ""
    approve_all(bench, desk)
    desk.apply.start()
    assert desk.undo_expiry.sentence == "The next apply will discard the undo data for “Three files”"


def test_one_press_decides_and_keeps_a_change_of_several_steps(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    """A file becomes a folder of its name."""
    rename = b"similarity index 100%\nrename from one.txt\nrename to one.txt/base.txt\n"
    draft = detect.read(b"diff --git a/one.txt b/one.txt/base.txt\n" + rename)
    plan = bench.agent.proposer.propose(draft)
    desk = make_desk()
    bench.look(desk)
    desk.decisions.approve_step()
    assert [step.state for step in desk.queue.plans[0].steps] == [StepState.APPROVED] * 2
    bench.look(desk)
    desk.apply.start()
    desk.rollback.show(plan.id)
    desk.rollback.choose(1, False)
    assert desk.rollback.chosen == frozenset(), "both stay, or both go back"


def test_undo_is_discarded_after_a_question_that_a_double_click_does_not_answer(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    approve_all(bench, desk)
    desk.apply.start()
    bench.clock.now += 1.0
    desk.undo_discard.open_prompt(plan.id)
    desk.undo_discard.discard()
    assert desk.undo_discard.prompt_loss is not None and desk.queue.history[0].kept
    bench.clock.now += 1.0
    desk.undo_discard.discard()
    assert not desk.queue.history[0].kept
