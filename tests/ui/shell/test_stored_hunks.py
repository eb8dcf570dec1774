"""The diff on screen is the one that was stored with the step and is applied."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio import engine
from studio.engine.diff import FileDiff, compute
from studio.engine.draft import DraftStep
from studio.engine.plan import HunkRange, Operation
from studio.text import TextForm, detect_forms
from studio.ui.actions.action import Action
from studio.ui.review.desk import Desk
from studio.workspace import Workspace

LINES = "".join(f"Zeile {number} – ä\n" for number in range(1, 41))
CHANGED = LINES.replace("Zeile 3 ", "Zeile drei ").replace("Zeile 30 ", "Zeile dreißig ")


def encode(text: str) -> bytes:
    return text.encode("utf-16-le")


def shown_hunks(desk: Desk) -> tuple[HunkRange, ...]:
    assert desk.shown.diff is not None
    return tuple(
        HunkRange(hunk.number, hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
        for hunk in desk.shown.diff.hunks
    )


@pytest.fixture
def utf16(bench: Any, make_desk: Callable[..., Desk]) -> Desk:
    """A step for a file that only the configuration calls UTF-16, on screen."""
    (Path(os.environ["STUDIO_CONFIG_DIR"]) / "config.yaml").write_text('encodings: {"*.u16": utf-16-le}\n')
    (bench.root / "text.u16").write_bytes(encode(LINES))
    bench.agent.close()
    bench.agent = Workspace.open(bench.root)
    bench.propose("Words", DraftStep(Operation.MODIFY, "text.u16", content=CHANGED.encode()))
    desk = make_desk()
    bench.look(desk)
    return desk


def test_a_file_that_the_project_calls_utf_16_shows_its_stored_hunks(utf16: Desk) -> None:
    step = utf16.queue.current_step
    assert step is not None and len(step.hunks) == 2
    assert shown_hunks(utf16) == step.hunks
    assert utf16.shown.diff is not None and utf16.shown.diff.result == CHANGED.encode()
    contents = utf16.shown.contents
    assert contents is not None
    form = detect_forms(contents.base, contents.result, contents.setting).result
    assert isinstance(form, TextForm) and form.encoding == "utf-16-le"


def test_a_hunk_left_out_of_such_a_file_is_left_out_of_its_bytes(utf16: Desk, bench: Any) -> None:
    utf16.choices.toggle_hunk(2)
    bench.look(utf16)
    utf16.decisions.approve_step()
    bench.look(utf16)
    utf16.apply.start()
    first = LINES.replace("Zeile 3 ", "Zeile drei ")
    assert (bench.root / "text.u16").read_bytes() == encode(first)
    (entry, *_) = bench.agent.proposer.history()
    assert (entry.added, entry.removed) == (1, 1), "the history counts what was written"
    (file,) = bench.agent.proposer.preview_rollback(entry.plan.id).files
    assert (file.setting, file.added, file.removed) == ("utf-16-le", 1, 1)


def test_hunks_that_are_not_the_stored_ones_cannot_be_chosen(
    bench: Any, make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing again may take too long: then all lines between the ends are one hunk."""
    bench.propose_three()

    def coarse(base: bytes, result: bytes, context: int = 3, setting: str | None = None) -> FileDiff:
        exact = compute(base, result, context, setting)
        first, last = exact.changes[0], exact.changes[-1]
        return compute(base, result, last.old_first - first.old_first, setting)

    monkeypatch.setattr(engine, "compute", coarse, raising=False)
    desk = make_desk()
    bench.look(desk)
    step = desk.queue.current_step
    assert step is not None and len(step.hunks) == 2 and len(shown_hunks(desk)) == 1
    assert desk.can(Action.TOGGLE_HUNK) == desk.can(Action.LINES) != ""
    desk.choices.toggle_hunk(1)
    assert all(choice is True for choice in desk.choices.current.values()), "no number names a stored hunk"
    assert desk.can(Action.APPROVE_STEP) == "", "as a whole it is what it was"


def test_a_choice_kept_from_before_is_not_approved_over_other_hunks(
    bench: Any, make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.propose_three()
    desk = make_desk()
    bench.look(desk)
    desk.choices.toggle_hunk(2)
    assert desk.can(Action.APPROVE_STEP) == ""
    desk.shown.hunks_differ = True
    assert desk.can(Action.APPROVE_STEP).startswith("The hunks shown differ from those stored with this step")
