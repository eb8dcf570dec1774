"""Words are found in the whole journal, from the newest entry back, each request with its replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.plan import Plan
from studio.engine.store import Store
from studio.errors import FileExists, Refused
from studio.extras import journal_search
from studio.extras.journal_search import JournalFound
from studio.extras.journal_view import JournalFilter, write_journal
from studio.journal.entries import CreateMode, FileWrite
from studio.workspace import Reviewer, Workspace


@pytest.fixture
def applied(propose: Callable[..., Plan], reviewer: Reviewer) -> list[Plan]:
    """Two plans, applied one after the other."""
    plans: list[Plan] = []
    for title, path in (("Fix dates", "src/Älter.py"), ("Write notes", "notes/new.md")):
        step = {"op": "create", "path": path, "content": "nobody else reads this line\n"}
        plan = propose(json.dumps({"title": title, "steps": [step]}))
        reviewer.approve(plan.id)
        plans.append(reviewer.apply(plan.id))
    return plans


def told(found: JournalFound) -> list[str]:
    return [f"{type(row.entry).__name__} {getattr(row.entry, 'path', '')}" for row in found.rows]


def test_a_word_of_path_title_type_or_id_finds_request_and_reply(
    workspace: Workspace, applied: list[Plan]
) -> None:
    find, (dates, notes) = workspace.journal.find, applied
    both = ["FileWritten src/Älter.py", "FileWrite src/Älter.py"]
    asked = find("filewrite dates").rows[-1]
    for words in ("älter", "ÄLTER filewrite", "dates", asked.entry.correlation_id, dates.id, asked.step_id):
        found = find(words)
        assert [each for each in told(found) if "Directory" not in each] == both, words
        assert found.before is None
    assert "FileWritten notes/new.md" in told(find(notes.id))
    for words in ("nobody else", "correlationId", "älter notes", '"path"'):
        assert find(words).rows == (), f"{words} is of no path, title or id"


def test_it_looks_so_far_at_once_and_goes_on_where_it_stopped(
    workspace: Workspace, applied: list[Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    every = {row.position for row in workspace.journal.find("file").rows}
    monkeypatch.setattr(journal_search, "JOURNAL_SEARCHED_AT_ONCE", 2)
    seen: set[int] = set()
    before: int | None = None
    calls = 0
    while calls == 0 or before is not None:
        found = workspace.journal.find("file", before)
        assert before is None or (found.before or 0) < before
        seen |= {row.position for row in found.rows}
        before, calls = found.before, calls + 1
    assert seen == every
    assert calls > 1
    monkeypatch.setattr(journal_search, "JOURNAL_FOUND_AT_ONCE", 1)
    assert len({row.entry.correlation_id for row in workspace.journal.find("file").rows}) == 1


def test_entries_are_filtered_by_plan_step_type_and_reply(workspace: Workspace, applied: list[Plan]) -> None:
    def found(only: JournalFilter, words: str = "") -> set[str]:
        return {each for each in told(workspace.journal.find(words, None, only)) if "Directory" not in each}

    both, (dates, notes) = {"FileWritten src/Älter.py", "FileWrite src/Älter.py"}, applied
    assert found(JournalFilter()) == found(JournalFilter(), "file") > both
    assert found(JournalFilter(plan_id=dates.id)) == both
    assert found(JournalFilter(but_plans=(notes.id,))) == both
    assert found(JournalFilter(step_ids=(dates.steps[0].id,))) == both
    assert found(JournalFilter(types=("FileWritten",)), "dates") == both, "with its request"
    assert found(JournalFilter(types=("FileDelete", "FileFault"))) == set()
    assert found(JournalFilter(is_unanswered=True)) == set()
    with closing(Store(workspace.state_folder)) as store, store.database.write() as connection:
        asked = FileWrite("lost-1", "lost.txt", None, CreateMode.CREATE_NEW)
        store.journal.append(connection, dates.id, [("", asked)])
    assert found(JournalFilter(is_unanswered=True)) == {"FileWrite lost.txt"}
    assert workspace.journal.find("", 0).rows == (), "nothing is before the first entry"


def test_an_export_is_a_new_file_or_nothing(
    workspace: Workspace, applied: list[Plan], tmp_path: Path
) -> None:
    file, counts = tmp_path / "journal.ndjson", list[int]()
    journal, root = workspace.journal, workspace.root_path
    number = write_journal(journal, file, root, report=counts.append)
    lines = file.read_text().splitlines()
    assert counts == list(range(1, number + 1))
    assert lines == list(workspace.journal.export())
    assert "nobody else" not in file.read_text()
    with pytest.raises(FileExists):
        write_journal(journal, file, root, report=counts.append)
    with pytest.raises(Refused):
        write_journal(journal, root / "in.ndjson", root, report=counts.append)

    def stop(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_journal(journal, tmp_path / "part", root, report=stop)
    assert not (tmp_path / "part").exists()
