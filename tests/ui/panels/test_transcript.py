"""What was said in a session, as text: pieces join, a tool's line changes in place, nothing is obeyed."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from typing import Any

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.session import EventKind, SessionEvent
from studio.ui.agents.transcript_view import TranscriptBlocks, TranscriptView
from studio.ui.look.theme import color, set_theme

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def shown(qtbot: QtBot, *events: tuple[EventKind, dict[str, Any]]) -> TranscriptView:
    view, blocks, numbers = TranscriptView(), TranscriptBlocks(), count(1)
    qtbot.addWidget(view)
    view.resize(400, 200)
    for kind, fields in events:
        change = blocks.change(SessionEvent(next(numbers), NOW, kind, fields))
        view.show_changes([change] if change is not None else [])
    return view


def test_pieces_join_until_something_else_is_said(qtbot: QtBot) -> None:
    view = shown(
        qtbot,
        (EventKind.PROMPT, {"text": "Go\non."}),
        (EventKind.THOUGHT, {"text": "Well"}),
        (EventKind.THOUGHT, {"text": " then"}),
        (EventKind.MESSAGE, {"text": "One\n"}),
        (EventKind.MESSAGE, {"text": "two\n\n"}),
        (EventKind.NOTICE, {"text": "Plan 1 waits.", "is_bad": False}),
        (EventKind.MESSAGE, {"text": "three"}),
        (EventKind.TURN_ENDED, {"reason": "end_turn"}),
        (EventKind.ENDED, {"reason": "it ended by signal 9"}),
    )
    assert view.toPlainText().split("\n") == [
        "You: Go",
        "on.",
        "Thinking: Well then",
        "One",
        "two",
        "Plan 1 waits.",
        "three",
        "! The agent exited: it ended by signal 9.",
    ]


def test_a_tool_is_one_line_that_says_how_it_stands(qtbot: QtBot) -> None:
    tool = {"tool": "t", "title": "Edit a\nb", "kind": "edit", "status": "pending", "paths": []}
    view = shown(
        qtbot,
        (EventKind.MESSAGE, {"text": "a\nb"}),
        (EventKind.TOOL, tool),
        (EventKind.MESSAGE, {"text": "c"}),
        (EventKind.TOOL, {**tool, "status": "completed"}),
        (EventKind.TOOL, {**tool, "tool": "u", "title": "Other"}),
        (EventKind.TODO, {"entries": [{"text": "x", "status": "pending"}]}),
    )
    assert view.toPlainText().split("\n") == [
        "a",
        "b",
        "• Edit a\\nb (completed)",
        "c",
        "• Other (pending)",
        "Plan:",
        "  pending: x",
    ]


def test_what_an_agent_says_is_text_and_nothing_else(qtbot: QtBot) -> None:
    view = shown(qtbot, (EventKind.MESSAGE, {"text": "<b>x</b> \u202e\x1b[31m {text}"}))
    assert view.toPlainText() == "<b>x</b> \\u202e\\x1b[31m {text}"


def test_a_line_without_end_is_broken_and_loses_nothing(qtbot: QtBot) -> None:
    tool = {"tool": "t", "title": "x" * 50_000, "kind": "execute", "status": "pending", "paths": []}
    said = ["y" * 9000, "z" * 3000 + "\n" + "w" * 4000, "v" * 8001]
    view = shown(
        qtbot,
        *[(EventKind.MESSAGE, {"text": text}) for text in said],
        (EventKind.TOOL, tool),
        (EventKind.TOOL, {**tool, "status": "completed"}),
    )
    lines = view.toPlainText().split("\n")
    assert max(map(len, lines)) == 4000
    assert "".join(lines[:-1]) == "".join(said).replace("\n", "")
    assert lines[-1].endswith("xx… (completed)"), "a tool is one line"


def test_another_theme_paints_what_stands_there(qtbot: QtBot, qapp: QApplication) -> None:
    set_theme(qapp, "light")
    bad = (EventKind.NOTICE, {"text": "No.", "is_bad": True})
    view = shown(qtbot, (EventKind.MESSAGE, {"text": "a\nb"}), bad)
    set_theme(qapp, "dark")
    for number, token in ((0, "text"), (1, "text"), (2, "bad")):
        block = view.document().findBlockByNumber(number)
        assert block.begin().fragment().charFormat().foreground().color() == color(token), number
    set_theme(qapp, "light")


def test_who_reads_further_up_stays_there(qtbot: QtBot) -> None:
    view = shown(qtbot, *[(EventKind.PROMPT, {"text": f"line {number}"}) for number in range(100)])
    view.show()
    qtbot.waitExposed(view)
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum())
    more = TranscriptBlocks().change(SessionEvent(1, NOW, EventKind.PROMPT, {"text": "more"}))
    assert more is not None
    view.show_changes([more])
    assert bar.value() == bar.maximum(), "at the end it follows"
    bar.setValue(10)
    view.show_changes([more])
    assert bar.value() == 10
