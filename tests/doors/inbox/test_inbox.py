"""What lies in an inbox is taken once, whatever it is called; an answer replaces nothing else."""

from __future__ import annotations

import os
from pathlib import Path

from studio.doors.inbox import NewsKind
from studio.workspace import Workspace
from tests.doors.inbox.conftest import CLAIMS, PERSON, Take, answer, plans, text_of
from tests.tools.rights import as_root


def test_each_text_is_a_plan_of_its_own(take: Take, inbox: Path, workspace: Workspace) -> None:
    """A name that comes again gets a number, so that no answer is lost."""
    (inbox / "gpt.one.json").write_text(text_of("1\n", "1.txt"))
    (inbox / "gpt.two.json").write_text(text_of("2\n", "2.txt", agent="o'clock"))
    told = take()
    assert {each.kind for each in told.values()} == {NewsKind.PROPOSED}
    assert [plan.agent for plan in plans(workspace)] == ["gpt", "o'clock"]
    (inbox / "gpt.one.json").write_text(text_of("3\n", "3.txt"))
    told = take()
    assert told["gpt.one.json"].answer == "gpt.one.json.2.answer.txt"
    assert (inbox / "gpt.one.json.2.taken").read_text() == text_of("3\n", "3.txt")
    assert (inbox / "gpt.one.json.taken").read_text() == text_of("1\n", "1.txt")
    assert [step.path for plan in plans(workspace) for step in plan.steps] == ["1.txt", "2.txt", "3.txt"]


@as_root
def test_a_text_of_another_user_is_refused(take: Take, inbox: Path, workspace: Workspace) -> None:
    (inbox / "theirs").write_text(text_of("x\n"))
    os.chown(inbox / "theirs", 12345, 12345)
    assert "belongs to another user" in take()["theirs"].message
    assert plans(workspace) == []


def test_odd_names_are_taken_as_they_are(take: Take, inbox: Path, workspace: Workspace) -> None:
    odd = [b"a\nb.json", b"\xff\xfe.json", b"-rf", b"x" * 255, "𝄞.json".encode(), b"\x1b[31mred"]
    for number, name in enumerate(odd):
        Path(os.fsdecode(bytes(inbox) + b"/" + name)).write_text(text_of("x\n", f"{number}.txt"))
    told = take()
    assert len(told) == len(odd) == len(plans(workspace))
    assert {each.kind for each in told.values()} == {NewsKind.PROPOSED}
    left = {os.fsencode(entry.name) for entry in inbox.iterdir()}
    for name in odd:
        assert name not in left and {name[:230] + b".taken", name[:230] + b".answer.txt"} <= left


def test_nothing_is_written_over_or_through_what_is_not_ours(
    take: Take, inbox: Path, workspace: Workspace, tmp_path: Path
) -> None:
    """What lies where an answer would stand: before it is written, and once it was."""
    precious = tmp_path / "precious"
    precious.write_text("keep\n")
    (inbox / "one.answer.txt").symlink_to(precious)
    (inbox / "two.taken").write_text("mine\n")
    for name in ("one", "two", "three", "four"):
        (inbox / name).write_text(text_of("x\n", f"{name}.txt"))
    told = take()
    assert told["one"].answer == "one.2.answer.txt"
    assert told["two"].answer == "two.2.answer.txt"
    (inbox / "three.answer.txt").unlink()
    (inbox / "three.answer.txt").symlink_to(precious)
    (inbox / "four.answer.txt").write_text("mine\n")
    for plan in plans(workspace):
        workspace.reviewer(PERSON).reject(plan.id, reason="No.")
    told = take()
    assert {name for name, each in told.items() if each.answer} == {"one", "two"}
    assert "is not the answer that was written there" in told["three"].message
    assert "No." in answer(inbox, "one.2")
    assert precious.read_text() == "keep\n" and (inbox / "three.answer.txt").is_symlink()
    assert answer(inbox, "four") == "mine\n" and (inbox / "two.taken").read_text() == "mine\n"
    assert take() == {}


def test_our_own_folder_may_not_be_a_link(take: Take, inbox: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (inbox / CLAIMS).symlink_to(tmp_path / "other")
    (inbox / "one").write_text(text_of("x\n"))
    assert take()["one"].kind is NewsKind.LEFT
    assert not any((tmp_path / "other").iterdir()) and (inbox / "one").exists()
