"""The facts pane: what is said of a step, a plan and a rollback."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from studio.engine.draft import ExcludedPath
from studio.engine.plan import Fact, Operation, PersonSource, Severity, StepState
from studio.engine.policy import PathVerdict
from studio.engine.project.rollback_titles import Turn
from studio.engine.trial import Trial
from studio.journal.file_image import FileImage, sha256
from studio.text import detect_forms
from studio.ui.facts import FactsPanel
from studio.ui.facts.blocks import excluded_text_blocks, trial_blocks
from studio.ui.facts.facts_view import FactsView, plan_facts_view, step_facts_view
from studio.ui.look.theme import set_theme
from studio.ui.look.words import utc_now
from tests.tools.idle import run_until_idle

pytestmark = pytest.mark.usefixtures("qapp")


def values(sheet: FactsView) -> dict[str, str]:
    return {row.label: row.value for row in sheet.rows}


def stronger(sheet: FactsView) -> set[str]:
    return {row.label for row in sheet.rows if row.icon}


def trial(**changes: Any) -> Trial:
    values: dict[str, Any] = {
        "plan": "p", "made": utc_now(), "who": "ada", "is_remembered": True, "argv": ("pytest", "-q"),
        "exit": 0, "signal": None, "ended_by": "itself", "seconds": 1.25, "way": "namespace",
        "network": False, "results": {}, "tests": (), "output": "",
    }  # fmt: skip
    return Trial(**(values | changes))


def test_only_what_a_person_pressed_of_their_own_list_passes() -> None:
    said = {
        (block.tone, block.title)
        for each in (
            trial(),
            trial(exit=2),
            trial(is_remembered=False),
            trial(is_remembered=False, who=""),
            trial(is_remembered=False, who="codex", exit=None, signal=9),
        )
        for block in trial_blocks([each], lambda _: True, utc_now())
    }
    assert said == {
        ("good", "Passed: pytest -q"),
        ("warning", "Failed: pytest -q, exit 2"),
        ("info", "pytest -q, run by ada: exit 0"),
        ("info", "pytest -q, run at the command line: exit 0"),
        ("warning", "pytest -q, run by codex: was ended by signal 9"),
    }


def test_a_stale_trial_is_neither_good_nor_bad_and_tests_are_named() -> None:
    made = trial(tests=tuple(f"tests/test_{n}.py" for n in range(7)))
    [block] = trial_blocks([made], lambda _: False, utc_now())
    assert block.tone == "info" and "This run is stale because the result has changed." in block.words
    assert "tests/test_4.py and 2 more" in block.words and "test_5" not in block.words


def test_what_is_left_out_is_named_in_short() -> None:
    few = excluded_text_blocks(
        [ExcludedPath("build/", "ignored by git"), ExcludedPath("\u202e.env", "denied")]
    )
    assert [passage.text for passage in few] == ["build/: ignored by git\n\\u202e.env: denied"]
    many = excluded_text_blocks([ExcludedPath(f"{n}.log", "ignored by git") for n in range(40)])
    assert len(many[0].text.splitlines()) == 13 and "--left-out" in many[0].text
    assert excluded_text_blocks(()) == ()


def test_an_ordinary_step_is_quiet(samples: SimpleNamespace) -> None:
    sheet = step_facts_view(samples.retry().steps[0], detect_forms(b"a\n", b"b\n"))
    assert sheet.quiet == "No warnings"
    assert sheet.warnings == ()
    assert stronger(sheet) == set()
    assert values(sheet) == {
        "Operation": "modify",
        "Size": "4.1 → 4.6 KiB",
        "Encoding": "UTF-8",
        "Line endings": "LF",
        "Final newline": "yes",
        "SHA-256": "aaaaaaa → bbbbbbb",
        "Mode": "100644",
        "Invisible": "none",
        "Secrets": "none found",
        "On disk": "same as base",
    }
    assert sheet.asks_note


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (PersonSource.WINDOW, "by ada, in the window"),
        (PersonSource.TERMINAL, "by ada, in a terminal"),
        (PersonSource.CONFIGURATION, "by ada, through your “command_line: allow” setting"),
        (None, "by ada"),
    ],
)
def test_a_decision_says_how_the_person_was_seen(
    samples: SimpleNamespace, seen: PersonSource | None, words: str
) -> None:
    decision = replace(samples.decision(), who="ada", seen=seen)
    step = replace(samples.retry().steps[0], state=StepState.APPROVED, decision=decision)
    assert values(step_facts_view(step))["Decided"] == words


@pytest.mark.parametrize(
    ("base", "result", "label", "value"),
    [
        (b"a\n", b"a\r\n", "Line endings", "LF → CRLF"),
        (b"a\n", b"a", "Final newline", "yes → no"),
        ("ä\n".encode("cp1252"), "ä\n".encode(), "Encoding", "Windows-1252, guessed → UTF-8"),
        (b"a\n", b"\xef\xbb\xbfa\n", "Encoding", "UTF-8 → UTF-8 with BOM"),
        ("a\n".encode("utf-16"), b"a\n", "Encoding", "UTF-16 LE → UTF-8"),
    ],
)
def test_a_fact_that_changes_is_drawn_stronger(
    samples: SimpleNamespace, base: bytes, result: bytes, label: str, value: str
) -> None:
    sheet = step_facts_view(samples.retry().steps[0], detect_forms(base, result))
    assert values(sheet)[label] == value
    assert label in stronger(sheet)


def test_binary_and_one_sided_files_have_their_own_words(samples: SimpleNamespace) -> None:
    plan = samples.retry()
    binary = values(step_facts_view(plan.steps[0], detect_forms(b"a\0", b"b\0")))
    assert binary["Encoding"] == "binary"
    assert binary["Secrets"] == binary["Invisible"] == "not scanned"
    assert values(step_facts_view(plan.steps[0], detect_forms(b"a\0", b"b\n")))["Secrets"] == "none found"
    created = values(step_facts_view(plan.steps[2], detect_forms(None, b"b\n")))
    assert (created["Size"], created["On disk"]) == ("0 → 4.6 KiB", "does not exist")
    deleted = samples.step(1, "old.py", op=Operation.DELETE)
    assert values(step_facts_view(deleted, detect_forms(b"b\n", None)))["Size"] == "4.1 KiB → 0"
    folder = values(step_facts_view(samples.step(1, "new", op=Operation.MKDIR)))
    assert "Size" not in folder and "Mode" not in folder


def test_warnings_come_first_and_gravest_first(samples: SimpleNamespace) -> None:
    facts = (
        Fact("adapted", Severity.NOTE, "Line ends were adapted."),
        Fact("executable", Severity.WARNING, "From now on it can be run."),
        Fact("secret", Severity.DANGER, "This looks like a key.", "result", 12, 5),
    )
    sheet = step_facts_view(samples.step(1, "deploy.sh", facts=facts))
    assert [(block.tone, block.title, block.words) for block in sheet.warnings] == [
        ("danger", "Possible secret", "This looks like a key.\nLine 12, column 5"),
        ("warning", "Now executable", "From now on it can be run."),
        ("info", "Line ends were adapted", ""),
    ]
    assert sheet.quiet == ""
    assert values(sheet)["Secrets"] == "1 occurrence"


def test_what_a_rebase_did_has_a_short_title(samples: SimpleNamespace) -> None:
    said = "a.py changed after this step was proposed; the step was rebased."
    sheet = step_facts_view(samples.step(1, "a.py", facts=(Fact("rebased", Severity.NOTE, said),)))
    assert [(block.title, block.words) for block in sheet.warnings] == [("Rebased", said)]
    assert sheet.quiet == "No warnings"


def test_a_fact_that_counts_the_rest_is_not_a_place(samples: SimpleNamespace) -> None:
    one = Fact("bidi", Severity.DANGER, "Turned.", "result", 3, 1)
    rest = Fact("bidi", Severity.DANGER, "The same in 12 more lines of this file.", "result")
    assert (
        values(step_facts_view(samples.step(1, "a.py", facts=(one, rest))))["Invisible"]
        == "more than 1 occurrence"
    )


def test_a_flood_of_facts_is_counted_not_listed(samples: SimpleNamespace) -> None:
    facts = tuple(Fact("bidi", Severity.WARNING, f"Place {n}.", "result", n, 1) for n in range(40))
    sheet = step_facts_view(samples.step(1, "a.py", facts=facts))
    assert len(sheet.warnings) == 9
    assert sheet.warnings[-1].title == "and 32 more"
    assert values(sheet)["Invisible"] == "40 occurrences"


def test_stale_and_refused_steps_say_so(samples: SimpleNamespace) -> None:
    stale = step_facts_view(samples.retry().steps[6])
    assert stale.warnings[0].title == "Changed on disk"
    assert "aaaaaaa" in stale.warnings[0].words
    assert stale.asks_note, "what is being typed does not go when the file changes"
    denied = PathVerdict("x", False, ".*/", "default", "x is denied: it counts as hidden.")
    refused = step_facts_view(samples.retry().steps[7], None, (denied,))
    assert refused.quiet == ""
    assert refused.warnings[0].title == "This step was refused"
    assert refused.rule is not None and refused.rule.verdict == "Denied"
    assert refused.rule.words == "By rule “.*/” (default).", "the reason stands above already"
    pending = step_facts_view(samples.retry().steps[0], None, (denied,))
    assert pending.rule is not None
    assert pending.rule.words == "By rule “.*/” (default). x is denied: it counts as hidden."
    assert "On disk" not in values(refused)


def test_a_plan_is_summed_up(samples: SimpleNamespace) -> None:
    sheet = plan_facts_view(samples.retry(), viewed=3)
    assert [(block.tone, block.title) for block in sheet.warnings] == [
        ("warning", "2 steps have warnings"),
        ("info", "1 step was refused"),
    ]
    assert sheet.warnings[0].words == "deploy.sh: Now executable.\nstore.py is stale."
    assert sheet.warnings[1].words == "You can still review the other 7 steps."
    said = values(sheet)
    assert (said["Plan"], said["Steps"], said["Viewed"]) == ("4f1c 09ab", "3 of 7 decided", "3 of 7")


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication, desk: Any) -> FactsPanel:
    set_theme(qapp, "light")
    panel = FactsPanel(desk)
    qtbot.addWidget(panel)
    panel.resize(240, 600)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def shown_texts(panel: FactsPanel) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]


def test_the_pane_follows_the_desk(panel: FactsPanel, desk: Any, samples: SimpleNamespace) -> None:
    proposed = FileImage(sha256(b"b\r\n"), 3, 0o644)
    plan = samples.with_step(samples.retry(), 1, result=proposed)
    desk.show(plan)
    desk.select(plan.id, 1)
    assert "Encoding" not in shown_texts(panel), "not known before the bytes are there"
    desk.shown.contents = SimpleNamespace(base=b"a\n", result=b"b\r\n", decided=None, setting=None)
    desk.shown.changed.emit()
    assert "LF → CRLF" in shown_texts(panel)
    assert "No rule denies this path." in shown_texts(panel)
    desk.shown.contents = None
    desk.select(plan.id, 2)
    assert "LF → CRLF" not in shown_texts(panel)
    desk.select(plan.id, None)
    assert "2 steps have warnings" in shown_texts(panel)


def test_a_new_state_is_shown_at_once(panel: FactsPanel, desk: Any, samples: SimpleNamespace) -> None:
    plan = samples.retry()
    desk.select(plan.id, 1)
    assert "Changed on disk" not in shown_texts(panel)
    changed = samples.with_step(plan, 1, state=StepState.STALE)
    desk.queue.current_plan, desk.queue.current_step = changed, changed.steps[0]
    desk.show(changed)
    assert "Changed on disk" in shown_texts(panel)


def test_the_note_is_a_draft_of_its_step(
    panel: FactsPanel, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    plan = samples.retry()
    desk.select(plan.id, 1)
    panel.focus_note()
    qtbot.waitUntil(panel.note.edit.hasFocus)
    QTest.keyClicks(panel.note.edit, "good")
    with qtbot.waitSignal(panel.note_left):
        QTest.keyClick(panel.note.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert desk.project.unsent == {("note", plan.id, 1): "good"}
    desk.select(plan.id, 5)
    assert panel.note.edit.toPlainText() == ""
    desk.select(plan.id, 1)
    assert panel.note.edit.toPlainText() == "good"
    desk.select(plan.id, 2)
    assert not panel.note.isVisible(), "a decided step takes no note"


def test_a_step_decided_elsewhere_takes_no_note_away_that_is_being_typed(
    panel: FactsPanel, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    """Also where the pane says of this step just what it said of the one before."""
    plan = samples.retry()
    twin = replace(plan, id="7" * 32)
    desk.show(plan, twin)
    desk.select(plan.id, 1)
    before = panel.facts_view
    desk.select(twin.id, 1)
    assert panel.facts_view == before
    panel.focus_note()
    qtbot.waitUntil(panel.note.edit.hasFocus)
    QTest.keyClicks(panel.note.edit, "go")
    changed = samples.with_step(twin, 1, state=StepState.APPROVED)
    desk.queue.current_plan, desk.queue.current_step = changed, changed.steps[0]
    desk.show(plan, changed)
    QTest.keyClicks(panel.note.edit, "od")
    assert panel.note.edit.hasFocus() and panel.note.edit.toPlainText() == "good"


def test_escape_leaves_the_note_and_keeps_it(
    panel: FactsPanel, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    desk.select(samples.retry().id, 1)
    panel.focus_note()
    QTest.keyClicks(panel.note.edit, "half")
    with qtbot.waitSignal(panel.note_left):
        QTest.keyClick(panel.note.edit, Qt.Key.Key_Escape)
    assert list(desk.project.unsent.values()) == ["half"]


def test_a_rollback_preview_has_its_own_facts(panel: FactsPanel, desk: Any, samples: SimpleNamespace) -> None:
    from studio.engine.history import (
        DiskStatus,
        DriftResolution,
        HistoryEntry,
        RollbackEffect,
        RollbackFile,
        RollbackPreview,
    )

    plan = replace(samples.readme(), title="Fix date parsing")
    files = (
        RollbackFile(1, "a.py", RollbackEffect.RESTORE, DiskStatus.AS_WRITTEN, ""),
        RollbackFile(2, "src/cli.py", RollbackEffect.STAY, DiskStatus.CHANGED, ""),
    )
    turn, applied = Turn(plan.title, is_redo=False), samples.now - timedelta(minutes=7)
    desk.queue.history = (HistoryEntry(plan, 1, applied, 2, 3, 1, None, None, kept=True, turn=turn),)
    desk.rollback.preview = RollbackPreview(plan, files, turn)
    desk.rollback.changed.emit()
    texts = shown_texts(panel)
    assert "The rollback is recorded" in texts
    assert "complete" in texts
    assert any(text.startswith("Skipped because of later changes: cli.py.") for text in texts)
    for way in DriftResolution:
        desk.rollback.resolutions.chosen = {} if way is DriftResolution.KEEP else {2: way}
        desk.rollback.changed.emit()
        stays = any(
            text.startswith("Skipped because of later changes: cli.py.") for text in shown_texts(panel)
        )
        assert stays is (way in (DriftResolution.KEEP, DriftResolution.SAVE_BESIDE)), way


def test_words_from_outside_are_plain_text(panel: FactsPanel, desk: Any, samples: SimpleNamespace) -> None:
    plan = replace(
        samples.readme(), steps=(samples.step(1, "a.py", plan="z", reason="<b>bold</b>\u202e\nnext"),)
    )
    desk.show(plan)
    desk.select(plan.id, 1)
    label = next(label for label in panel.findChildren(QLabel) if "bold" in label.text())
    assert label.text() == "<b>bold</b>\\u202e"
    assert "next" in shown_texts(panel)
    assert all(each.textFormat() is Qt.TextFormat.PlainText for each in panel.findChildren(QLabel))


def test_no_words_are_cut_off(panel: FactsPanel, desk: Any, samples: SimpleNamespace) -> None:
    """Each line is as high as its words need at the pane's width."""
    message = "U+202E (right-to-left override): this line is shown in another order than programs read it."
    facts = (Fact("bidi", Severity.DANGER, message, "result", 13, 7),)
    reason = "The office drops about one request in fifty.\n\nRetry four times with growing waits."
    plan = replace(samples.readme(), steps=(samples.step(1, "a.py", plan="z", facts=facts, reason=reason),))
    desk.show(plan)
    desk.select(plan.id, 1)
    run_until_idle()
    for label in panel.findChildren(QLabel):
        if label.isVisible() and label.wordWrap():
            flags = int(Qt.TextFlag.TextWordWrap)
            area = label.contentsRect().adjusted(0, 0, 0, 1000)
            needed = label.fontMetrics().boundingRect(area, flags, label.text()).height()
            assert label.contentsRect().height() >= needed, label.text()


def test_what_takes_the_keyboard_has_a_name(
    panel: FactsPanel, nameless: Any, desk: Any, samples: SimpleNamespace
) -> None:
    desk.select(samples.retry().id, 1)
    assert nameless(panel) == []


def test_a_step_of_a_review_says_nothing_of_what_it_would_write_over(samples: SimpleNamespace) -> None:
    created = samples.step(1, "new.txt", op=Operation.CREATE)
    assert values(step_facts_view(created))["On disk"] == "does not exist"
    assert "On disk" not in values(step_facts_view(created, is_review=True))
    stale = step_facts_view(samples.retry().steps[6], is_review=True)
    assert values(stale)["On disk"] == "changed"
    assert stale.warnings[0].words == "The file on disk differs from the reviewed version."
