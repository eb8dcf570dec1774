"""What the checks of a proposal look at beyond its bytes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

import pytest

from studio.engine.diff import format_binary
from studio.engine.disk.temporary_names import is_temporary, temporary_name
from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation, Plan, Severity, StepState
from studio.errors import Refused
from studio.journal.file_image import sha256
from studio.limits import SECOND_READER_BYTES
from studio.text import describe
from studio.workspace import Reviewer, Workspace

Propose = Callable[..., Plan]


def plan_of(*steps: dict[str, Any]) -> str:
    return json.dumps({"title": "A plan", "steps": list(steps)})


@pytest.mark.parametrize("name", ["bin", "obj", "node_modules", ".cache", "secrets"])
def test_rules_for_folders_hold_for_the_folder_itself(project: Path, propose: Propose, name: str) -> None:
    made = propose(plan_of({"op": "mkdir", "path": name})).steps[0]
    assert [problem.code for problem in made.problems] == ["policy.denied"]
    (project / name).mkdir()
    deleted = propose(plan_of({"op": "delete", "path": name})).steps[0]
    assert [problem.code for problem in deleted.problems] == ["policy.denied"]


def test_a_rule_for_folders_says_nothing_of_a_file(project: Path, propose: Propose) -> None:
    (project / "bin").write_bytes(b"#!/bin/sh\n")
    assert propose(plan_of({"op": "delete", "path": "bin"})).steps[0].state is StepState.PENDING


def test_a_stale_folder_step_stays_stale_while_the_rules_deny_it(
    project: Path, workspace: Workspace, propose: Propose
) -> None:
    plan = propose(plan_of({"op": "mkdir", "path": "out"}))
    (project / "out").write_bytes(b"in the way")
    assert workspace.proposer.refresh()
    (project / "out").unlink()
    (project / "studio.yaml").write_text("file_rules: {deny: ['out/']}\n")
    workspace.proposer.refresh()
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE
    (project / "studio.yaml").unlink()
    workspace.proposer.refresh()
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.PENDING


def test_our_temporary_names_are_locked(workspace: Workspace) -> None:
    """Neither what is being written nor what is kept meanwhile is ever proposed."""
    names = [temporary_name(str(uuid4()), 1), temporary_name(str(uuid4()), 12, far_end=True)]
    names += [f"{name}~" for name in names]
    assert all(is_temporary(name) for name in names)
    paths = [*names, *(f"deep/er/{name}" for name in names), *(name.upper() for name in names)]
    assert {verdict.level for verdict in workspace.proposer.check(paths)} == {"locked"}


def test_a_diff_that_one_reader_alone_read_says_so(propose: Propose) -> None:
    lines = [f"+{number:079d}\n" for number in range(SECOND_READER_BYTES // 80 + 1)]
    head = f"--- /dev/null\n+++ b/big.txt\n@@ -0,0 +1,{len(lines)} @@\n"
    step = propose(head + "".join(lines)).steps[0]
    assert step.state is StepState.PENDING
    assert "second_reader" in [fact.kind for fact in step.facts]


def test_a_second_form_of_the_user_file_counts_as_soon_as_it_is_there(workspace: Workspace) -> None:
    assert workspace.proposer.check(["a.md"])[0].allowed
    file = Path(os.environ["STUDIO_CONFIG_DIR"], "config.json")
    file.write_text('{"file_rules": {"deny": ["*.md"]}}')
    assert not workspace.proposer.check(["a.md"])[0].allowed


def test_withdrawing_ends_what_is_not_written_yet(
    propose: Propose, workspace: Workspace, reviewer: Reviewer
) -> None:
    plan = propose(plan_of({"op": "mkdir", "path": "out"}))
    reviewer.approve(plan.id)
    assert workspace.proposer.withdraw(plan.id).state.value == "cancelled"


@pytest.mark.parametrize(
    "step",
    [
        {"op": "modify", "path": "a.txt", "content": "two\n"},
        {"op": "modify", "path": "a.txt", "edits": [{"old": "one", "new": "two"}]},
        {"op": "append", "path": "a.txt", "content": "two\n"},
        {"op": "delete", "path": "a.txt"},
        {"op": "move", "path": "a.txt", "to": "b.txt"},
    ],
)
def test_the_same_step_on_the_same_base_is_already_applied(
    project: Path, propose: Propose, reviewer: Reviewer, step: dict[str, Any]
) -> None:
    (project / "a.txt").write_bytes(b"one\n")
    step = {**step, "base_sha256": sha256(b"one\n")}
    first = propose(plan_of(step))
    reviewer.approve(first.id)
    reviewer.apply(first.id)
    (again,) = propose(plan_of(step)).steps
    assert again.state is StepState.ALREADY_APPLIED
    assert "stale_on_arrival" not in [fact.kind for fact in again.facts]


def test_another_base_than_the_applied_one_is_stale(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    (project / "a.txt").write_bytes(b"one\n")
    step = {"op": "append", "path": "a.txt", "content": "two\n"}
    first = propose(plan_of(step))
    reviewer.approve(first.id)
    reviewer.apply(first.id)
    (again,) = propose(plan_of({**step, "base_sha256": sha256(b"else\n")})).steps
    assert again.state is StepState.STALE


def test_check_answers_as_for_a_step(project: Path, workspace: Workspace) -> None:
    (project / "real").mkdir()
    (project / "real" / "a.txt").write_bytes(b"one\n")
    (project / "link").symlink_to("real")
    (project / "alias.txt").symlink_to("real/a.txt")
    (project / "bin").mkdir()
    paths = ["real/a.txt", "real/new.txt", "link/a.txt", "alias.txt", "bin"]
    verdicts = workspace.proposer.check(paths)
    assert [verdict.allowed for verdict in verdicts] == [True, True, False, False, False]
    assert [verdict.level for verdict in verdicts[2:]] == ["disk", "disk", "default"]
    assert all(verdict.reason.endswith(".") for verdict in verdicts)


def test_content_that_is_no_utf8_is_refused_with_its_first_bad_byte(
    project: Path, workspace: Workspace
) -> None:
    """An overlay or a tool may hold any bytes."""
    (project / "a.txt").write_text("text\n")
    step = DraftStep(Operation.MODIFY, "a.txt", content=b"ab\xff\n")
    plan = workspace.proposer.propose(PlanDraft("plan", (step,), "t", "a"))
    assert plan.steps[0].state is StepState.INVALID
    assert plan.steps[0].problems[0].code == "text.not_utf8" and "byte 2" in plan.steps[0].problems[0].message


def test_a_binary_file_is_copied_moved_deleted_and_changed_by_its_bytes_alone(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    """Who comes with text is told what to give; each step says it is binary."""
    for name in ("a.bin", "b.bin", "c.bin", "d.bin", "e.bin"):
        (project / name).write_bytes(b"\0\1")
    plan = propose(
        plan_of(
            {"op": "copy", "path": "a.bin", "to": "copy.bin"},
            {"op": "move", "path": "b.bin", "to": "moved.bin"},
            {"op": "delete", "path": "c.bin"},
            {"op": "modify", "path": "d.bin", "content": "text\n"},
            {"op": "append", "path": "a.bin", "content": "text\n"},
            {"op": "modify", "path": "e.bin", "content_base64": "AAI="},
            {"op": "create", "path": "f.bin", "content_base64": "AAM=", "executable": True},
            {"op": "create", "path": "g.png", "content": "text\n"},
        )
    )
    assert [step.problems[0].code if step.problems else "" for step in plan.steps] == [
        *[""] * 3,
        *["text.uneditable"] * 2,
        *[""] * 2,
        "text.binary",
    ]
    assert "content_base64" in plan.steps[3].problems[0].hint
    for step in plan.valid_steps:
        (fact,) = (fact for fact in step.facts if fact.kind == "binary")
        assert fact.severity is Severity.WARNING and "NUL" in fact.message
        assert step.hunks == ()
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert {path.name: path.read_bytes() for path in project.iterdir()} == {
        **dict.fromkeys(("a.bin", "copy.bin", "moved.bin", "d.bin"), b"\0\1"),
        "e.bin": b"\0\2",
        "f.bin": b"\0\3",
    }
    assert (project / "f.bin").stat().st_mode & 0o100


@pytest.mark.parametrize("op", ["copy", "move"])
def test_no_copy_of_a_proposal_is_over_the_limit(project: Path, propose: Propose, op: str) -> None:
    """10 MiB for text and binary files alike, and the limit is told when it is hit."""
    with (project / "large.bin").open("wb") as file:
        file.truncate(10 * 1024 * 1024 + 1)
    (step,) = propose(plan_of({"op": op, "path": "large.bin", "to": "new.bin"})).steps
    assert step.state is StepState.INVALID
    assert "10,485,760" in step.problems[0].message
    os.truncate(project / "large.bin", 10 * 1024 * 1024)
    (step,) = propose(plan_of({"op": op, "path": "large.bin", "to": "new.bin"})).steps
    assert step.state is StepState.PENDING


def test_a_plan_has_a_thousand_steps_at_most(propose: Propose, workspace: Workspace) -> None:
    """The limit is told when it is hit, and nothing is stored then."""
    steps = [{"op": "mkdir", "path": f"d{number}"} for number in range(1001)]
    with pytest.raises(Refused, match="1,001 steps; the limit is 1,000"):
        propose(plan_of(*steps))
    assert workspace.proposer.plans() == ()
    assert len(propose(plan_of(*steps[1:])).steps) == 1000


def test_an_append_of_what_stands_at_the_end_is_told_and_not_skipped(project: Path, propose: Propose) -> None:
    """The text is added as it is, a second time if need be."""
    (project / "log.txt").write_bytes(b"one\r\ntwo\r\n")
    (again,) = propose(plan_of({"op": "append", "path": "log.txt", "content": "two\n"})).steps
    assert again.state is StepState.PENDING and again.result is not None
    assert again.result.sha256 == sha256(b"one\r\ntwo\r\ntwo\r\n")
    assert [fact.kind for fact in again.facts if fact.kind == "append_repeats"] == ["append_repeats"]
    (other,) = propose(plan_of({"op": "append", "path": "log.txt", "content": "wo\nthree"})).steps
    assert "append_repeats" not in [fact.kind for fact in other.facts]


MIB = 1024 * 1024


def created(data: bytes, path: str = "a.bin") -> bytes:
    return format_binary(None, data, path, path)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"diff --git a/b.bin b/b.bin\nBinary files a/b.bin and b/b.bin differ\n", "file.binary"),
        (b"--- a/b.bin\n+++ b/b.bin\n@@ -1 +1 @@\n-x\n+y\n", "text.uneditable"),
        (created(b"\0", "bin/a"), "policy.denied"),
        (created(b"\0", "tool.exe"), "policy.denied"),
        (created(b"\0", "../a"), "name.climbs"),
        (created(bytes(10 * MIB + 1)), "patch.too_large"),
        (created(b"\0", "b.bin"), "target.exists"),
        (format_binary(b"\0", b"\1", "b.bin", "b.bin"), "patch.does_not_match"),
        (plan_of({"op": "create", "path": "c", "content_base64": "AA" * 7 * MIB}), "policy.denied"),
        (plan_of({"op": "create", "path": "c", "content": "a\0"}), "text.binary"),
    ],
)
def test_binary_files_are_refused_by_the_rules_for_text(
    project: Path, propose: Propose, text: str | bytes, code: str
) -> None:
    """Names, extensions and sizes decide alike; a stub is an invalid step."""
    (project / "b.bin").write_bytes(b"\0\1\2")
    (step,) = propose(text).steps
    assert [problem.code for problem in step.problems] == [code]
    assert step.problems[0].hint


def test_many_small_patches_do_not_unpack_to_gigabytes(propose: Propose) -> None:
    """Sixty files of 10 MiB stand in less than a megabyte; those behind the limit are refused unread."""
    one = created(bytes(10 * MIB), "0.bin")
    assert len(one) < 14_000
    plan = propose(b"".join(one.replace(b"/0.bin", b"/%d.bin" % number) for number in range(60)))
    codes = [step.problems[0].code if step.problems else "" for step in plan.steps]
    assert codes == [""] * 13 + ["plan.unpacks_too_much"] * 47


def test_a_size_that_is_a_lie_uses_up_nothing(propose: Propose) -> None:
    """Its sibling, which is sound, goes on."""
    lie = created(b"\0", "lie.bin").replace(b"literal 1\n", b"literal 999999999999\n")
    first, second = propose(lie + created(b"\0", "sound.bin")).steps
    assert first.problems[0].code == "patch.too_large"
    assert second.state is StepState.PENDING


@pytest.mark.parametrize("draft", ["content", "edits", "patch"])
def test_what_a_side_is_as_text_is_asked_once(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace, draft: str
) -> None:
    """One look at the base and one at the result serve checks, hunks and facts; an approval of the whole
    needs none, and what is told to the agent one for each side."""
    (project / "a.txt").write_text("one\ntwo\n")
    ways: dict[str, Any] = {
        "content": "one\nTWO\n",
        "edits": [{"old": "two", "new": "TWO"}],
        "patch": "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n",
    }
    text = plan_of({"op": "modify", "path": "a.txt", draft: ways[draft]})
    looks: list[str] = []

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is describe.__code__:
            looks.append(frame.f_back.f_code.co_name if frame.f_back else "")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        plan = propose(text)
        assert len(looks) == 2, looks
        reviewer.approve(plan.id)
        assert len(looks) == 2, looks
        workspace.proposer.reply(plan.id)
        assert len(looks) == 4, looks
    finally:
        sys.setprofile(before)


def test_the_sides_of_a_step_are_compared_once(
    project: Path, propose: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hunks and its facts come from one difference."""
    module = sys.modules["studio.engine.diff.line_diff"]
    line_runs = vars(module)["line_runs"]
    compared: list[tuple[bytes, bytes]] = []

    def counted(old: bytes, new: bytes) -> object:
        compared.append((old, new))
        return line_runs(old, new)

    monkeypatch.setattr(module, "line_runs", counted)
    (project / "a.txt").write_bytes(b"one\ntwo\n")
    edit = {"old": "two", "new": "two \u202e"}
    (step,) = propose(plan_of({"op": "modify", "path": "a.txt", "edits": [edit]})).steps
    assert (step.added, step.removed) == (1, 1)
    assert "bidi" in {fact.kind for fact in step.facts}
    assert compared == [(b"one\ntwo\n", "one\ntwo \u202e\n".encode())]


def test_a_hunk_that_begins_a_file_makes_one_that_is_missing(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    plan = propose(
        b"Index: n.txt\n" + b"=" * 67 + b"\n--- n.txt\toriginal\n+++ n.txt\tmodified\n@@ -0,0 +1 @@\n+one\n"
    )
    assert [step.op for step in plan.steps] == [Operation.CREATE]
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert (project / "n.txt").read_bytes() == b"one\n"


NEW_FILE = b"--- /dev/null\n+++ %s\n@@ -0,0 +1 @@\n+one\n"


@pytest.mark.parametrize(
    ("text", "is_clear"),
    [
        (NEW_FILE % b"new/n.txt", False),
        (NEW_FILE % b"src/n.txt", True),
        (NEW_FILE % b"n.txt", True),
        (NEW_FILE % b"b/new/n.txt", True),
        (NEW_FILE % b"new/n.txt" + NEW_FILE % b"other/n.txt", True),
        (NEW_FILE % b"new/n.txt" + NEW_FILE % b"new/m.txt", False),
        (NEW_FILE % b"new/n.txt" + b"--- src/f.txt\n+++ src/f.txt\n@@ -1 +1 @@\n-old\n+new\n", True),
        (b"diff --git new/n.txt new/n.txt\nnew file mode 100644\n" + NEW_FILE % b"new/n.txt", True),
    ],
    ids=[
        "alone",
        "in a folder",
        "at the top",
        "prefixed",
        "two folders",
        "one folder",
        "with both names",
        "git",
    ],
)
def test_a_new_folder_that_may_be_a_prefix_is_never_made(
    project: Path, propose: Propose, text: bytes, is_clear: bool
) -> None:
    (project / "src").mkdir()
    (project / "src/f.txt").write_bytes(b"old\n")
    steps = propose(text).steps
    assert [step.state is StepState.PENDING for step in steps] == [is_clear] * len(steps)
    if not is_clear:
        assert {problem.code for step in steps for problem in step.problems} == {"diff.prefix"}
