"""Entries of the journal in the history, and what it says about kept undo."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.apply.retention import RetainedUndo, RetentionReport
from studio.engine.config import Retention
from studio.engine.history import HistoryEntry
from studio.engine.project.rollback_titles import Turn
from studio.errors import FaultKind
from studio.extras.journal_view import JournalRow
from studio.journal.entries import (
    Content,
    CreateMode,
    Entry,
    FileContent,
    FileDelete,
    FileDeleted,
    FileFault,
    FileRead,
    FileWrite,
    FileWriteChunk,
    FileWritten,
    JournalUpgraded,
    UndoDiscarded,
)
from studio.ui.history.history_rows import retention_words
from studio.ui.history.journal_lines import Exchange, Exchanges, HistoryShow, entry_row
from studio.ui.look.theme import set_theme
from studio.ui.window.dock import Dock
from tests.tools.idle import run_until_idle

pytestmark = pytest.mark.usefixtures("qapp")

NOW = datetime(2026, 11, 22, 10, 45, tzinfo=UTC)


def row(position: int, entry: Entry, plan: str = "p") -> JournalRow:
    written = (NOW + timedelta(seconds=position)).isoformat()
    return JournalRow(position, written, plan, "step", entry, f"{position:064x}")


def write(name: str, size: int = 2104) -> FileWrite:
    return FileWrite(name, f"src/{name}.py", Content("a" * 64, size), CreateMode.REPLACE_EXISTING)


def written(name: str) -> FileWritten:
    return FileWritten(name, f"src/{name}.py", 2104)


def an_hour() -> list[JournalRow]:
    """Oldest first: two writes, a deletion that failed, a read, and a write without a reply."""
    fault = FileFault("c", FaultKind.ACCESS_DENIED, "src/c.py", "The file is locked.")
    entries: list[Entry] = [
        write("a"), write("b"), written("a"), written("b"),
        FileDelete("c", "src/c.py"), fault,
        FileRead("d", "src/d.py"), FileContent("d", Content("b" * 64, 77), 77, is_partial=False),
        FileDelete("e", "src/e.py"), FileDeleted("e", "src/e.py", 1),
        write("f", 5),
    ]  # fmt: skip
    return [row(position, entry) for position, entry in enumerate(entries, start=1)]


def said(exchanges: list[Exchange], *plans: Any) -> list[tuple[str, ...]]:
    """Path, plan, bytes and state of each row."""
    rows = [entry_row(each, {plan.id: plan for plan in plans}, NOW, 0) for each in exchanges]
    return [tuple(row.cells[column].text for column in (1, 3, 5, 2)) for row in rows]


def test_a_request_and_its_reply_are_one_row_newest_first(samples: SimpleNamespace) -> None:
    exchanges = Exchanges()
    exchanges.add(an_hour())
    plan = replace(samples.readme(), id="p", title="Fix dates")
    assert said(exchanges.listed(), plan) == [
        ("src/f.py", "Fix dates", "5 B", "FileWrite: no reply yet"),
        ("src/e.py", "Fix dates", "", "FileDelete: FileDeleted"),
        ("src/d.py", "Fix dates", "77 B", "FileRead: FileContent"),
        ("src/c.py", "Fix dates", "", f"FileDelete: {FaultKind.ACCESS_DENIED.value}: The file is locked."),
        ("src/b.py", "Fix dates", "2.1 KiB", "FileWrite: FileWritten"),
        ("src/a.py", "Fix dates", "2.1 KiB", "FileWrite: FileWritten"),
    ]
    rows = [entry_row(each, {}, NOW, 0) for each in exchanges.listed()]
    assert [each.cells[1].icon for each in rows[:4]] == ["pending", "applied", "applied", "danger"]
    assert "no reply yet" in rows[0].accessible_text


def test_pages_meet_wherever_they_are_cut() -> None:
    every = an_hour()
    whole = Exchanges()
    whole.add(every)
    for cut in range(1, len(every)):
        parts = Exchanges()
        parts.add(every[cut:][::-1])
        parts.add(every[:cut][::-1])
        parts.add(every[cut - 1 :])
        assert parts.listed() == whole.listed()


def test_the_parts_of_a_large_write_are_one_row_with_their_bytes() -> None:
    exchanges = Exchanges()
    parts = [FileWriteChunk("g", at, Content("c" * 64, 10), is_final=at == 20) for at in (0, 10, 20)]
    asked = FileWrite("g", "big.bin", None, CreateMode.CREATE_NEW)
    exchanges.add([row(position, entry) for position, entry in enumerate([asked, *parts], start=1)])
    assert [(each.octets, each.reply) for each in exchanges.listed()] == [(30, None)]


@pytest.mark.parametrize(
    ("show", "paths"),
    [
        (HistoryShow.WRITES, ["f", "b", "a"]),
        (HistoryShow.DELETES, ["e", "c"]),
        (HistoryShow.READS, ["d"]),
        (HistoryShow.FAULTS, ["c"]),
        (HistoryShow.UNANSWERED, ["f"]),
        (HistoryShow.MOVES, []),
        (HistoryShow.CHANGES, ["f", "e", "c", "b", "a"]),
        (HistoryShow.ANSWERED, ["e", "d", "c", "b", "a"]),
        (HistoryShow.RECORDS, []),
    ],
)
def test_entries_are_filtered_by_kind_and_fault(show: HistoryShow, paths: list[str]) -> None:
    exchanges = Exchanges()
    exchanges.add(an_hour())
    assert [each.request.entry.correlation_id for each in exchanges.listed(show)] == paths


def test_what_the_store_notes_of_itself_waits_for_no_reply(samples: SimpleNamespace) -> None:
    exchanges = Exchanges()
    exchanges.add([
        row(1, JournalUpgraded("u", 1, "2"), plan=""),
        row(2, UndoDiscarded("d", "p", "ada", "window", 2, 1, 100), plan=""),
    ])  # fmt: skip
    assert exchanges.listed(HistoryShow.UNANSWERED) == []
    assert said(exchanges.listed(), replace(samples.readme(), id="p", title="A plan")) == [
        ("UndoDiscarded", "A plan", "", "by ada"),
        ("JournalUpgraded", "", "", "entry hashes now include the time and plan"),
    ]


@pytest.fixture
def dock(qtbot: QtBot, qapp: QApplication, desk: Any) -> Dock:
    set_theme(qapp, "light")
    long_ago: list[JournalRow] = []
    for number in range(1, 1001, 2):
        name = f"n{number}"
        long_ago += [row(number, write(name)), row(number + 1, written(name))]
    desk.journal = long_ago[::-1]
    dock = Dock(desk)
    qtbot.addWidget(dock)
    dock.resize(1100, 190)
    dock.set_folded(False)
    qtbot.waitExposed(dock)
    return dock


def pages(desk: Any) -> list[int | None]:
    return [asked[1] for asked in desk.asked if asked[0] == "find_in_journal"]


def show_journal(dock: Dock) -> None:
    dock.show_panel(dock.history)
    dock.history.tools.choose(HistoryShow.JOURNAL)


def test_the_journal_is_read_when_somebody_looks_and_in_pages(dock: Dock, desk: Any) -> None:
    dock.show_panel(dock.search)
    desk.asked.clear()
    desk.queue.store_changed.emit()
    assert pages(desk) == []
    show_journal(dock)
    view, bar = dock.history.view, dock.history.view.verticalScrollBar()
    assert view.rows.rowCount() == 100
    while view.rows.rowCount() < 500:
        before = view.rows.rowCount()
        run_until_idle()
        bar.setValue(bar.maximum())
        assert view.rows.rowCount() > before
    run_until_idle()
    bar.setValue(bar.maximum())
    assert [before for before in pages(desk) if before is not None] == [801, 601, 401, 201]


def test_the_journal_follows_and_leaves_what_is_read_in_its_place(dock: Dock, desk: Any) -> None:
    """Also where more was written than is read at once."""
    show_journal(dock)
    view, bar = dock.history.view, dock.history.view.verticalScrollBar()
    bar.setValue(20)
    top = view.row_at(view.viewport().rect().topLeft())
    desk.journal = [row(1002, written("new")), row(1001, write("new")), *desk.journal]
    desk.queue.store_changed.emit()
    assert view.rows.rows[0].cells[1].text == "src/new.py"
    now = view.row_at(view.viewport().rect().topLeft())
    assert top is not None and now is not None and now.key == top.key
    more = [row(number, write(f"m{number}")) for number in range(1003, 1303)]
    desk.journal = [*more[::-1], *desk.journal]
    desk.queue.store_changed.emit()
    bar.setValue(bar.maximum())
    names = [each.cells[1].text for each in view.rows.rows]
    assert names[:2] == ["src/m1302.py", "src/m1301.py"] and "src/m1003.py" in names


def test_a_large_plan_unfolds_to_its_newest_entries_and_p_lists_all(
    dock: Dock, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    plan = replace(samples.readme(), id="p", title="All")
    turn = Turn(plan.title, is_redo=False)
    desk.queue.history = (HistoryEntry(plan, 1, NOW, 1, 0, 0, None, None, kept=True, turn=turn),)
    desk.queue.history_changed.emit()
    view = dock.history.view
    assert [each.key for each in view.rows.rows] == ["p"]
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    assert view.rows.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole).endswith(", collapsed")
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.rows.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole).endswith(", expanded")
    assert view.rows.rowCount() == 1 + 100 + 1
    QTest.keyClick(view, Qt.Key.Key_End)
    QTest.keyClick(view, Qt.Key.Key_P)
    assert (dock.history.tools.words, dock.history.tools.kind) == ("p", HistoryShow.JOURNAL)


def test_a_rare_kind_is_found_without_reading_the_rest(dock: Dock, desk: Any) -> None:
    fault = FileFault("n1", FaultKind.ACCESS_DENIED, "src/n1.py", "The file is locked.")
    desk.journal = [each if each.position != 2 else row(2, fault) for each in desk.journal]
    dock.show_panel(dock.history)
    desk.asked.clear()
    dock.history.tools.choose(HistoryShow.FAULTS)
    assert [each.cells[1].text for each in dock.history.view.rows.rows] == ["src/n1.py"]
    assert pages(desk) == [None, None], "the faults, and what is new"


def report(samples: SimpleNamespace, **changes: Any) -> RetentionReport:
    kept = tuple(
        RetainedUndo(f"id{number}", f"Plan {number}", samples.now, 1024 * number, is_rollback=False)
        for number in (4, 3, 2)
    )
    return replace(RetentionReport(Retention(50, 7, 256 * 1024 * 1024), kept, (), 0), **changes)


def test_history_says_what_undo_is_kept_and_what_goes_next(
    dock: Dock, desk: Any, samples: SimpleNamespace
) -> None:
    calm = report(samples)
    assert retention_words(calm) == (
        "Undo data for 3 plans, 9.0 KiB · kept for 7 days, at least the newest 50 plans, up to 256.0 MiB"
    )
    due = replace(calm, due=calm.retained[1:])
    assert retention_words(due).endswith(
        " · the next apply discards undo data for 2 plans, starting with “Plan 2”"
    )
    one = replace(calm, due=calm.retained[2:])
    assert retention_words(one).endswith(" · the next apply discards undo data for “Plan 2”")
    assert retention_words(replace(calm, retained=())) == "No undo data is stored."
    plan = replace(samples.readme(), id="id2", title="Plan 2")
    turn = Turn(plan.title, is_redo=False)
    desk.queue.history = (HistoryEntry(plan, 1, samples.now, 1, 0, 0, None, None, kept=True, turn=turn),)
    desk.retention = one
    desk.queue.history_changed.emit()
    assert dock.history.kept.text() == retention_words(one)
    rows = dock.history.view.rows
    applied = rows.row(rows.index_of("id2"))
    assert applied is not None and "undo data will be discarded by the next apply" in applied.cells[2].text
    dock.show_tab(3)
    assert dock.history.kept.text() == ""
