"""Pictures and other binary files on the command line: proposed, applied, taken back."""

from __future__ import annotations

import base64
import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

from studio.engine.diff import format_binary
from tests.doors.conftest import CommandLine, plan_text

SIGNATURE = b"\x89PNG\r\n\x1a\n"
OLD, NEW = (SIGNATURE + random.Random(seed).randbytes(3000) for seed in (1, 2))


@pytest.fixture(autouse=True)
def picture(project: Path, allow_review: None) -> Path:
    file = project / "logo.png"
    file.write_bytes(OLD)
    return file


def patch_of(base: bytes | None, result: bytes | None, name: str = "logo.png") -> bytes:
    return format_binary(base, result, name, name, old_mode=0o100644, new_mode=0o100644)


def exact(op: str, path: str, data: bytes) -> dict[str, Any]:
    return {"op": op, "path": path, "content_base64": base64.b64encode(data).decode()}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def problems(document: dict[str, Any]) -> list[str]:
    return [problem["code"] for step in document["steps"] for problem in step["problems"]]


def test_a_picture_goes_in_by_a_binary_patch_and_comes_out_again(
    studio: CommandLine, project: Path, picture: Path, tmp_path: Path
) -> None:
    said = studio("submit", stdin=patch_of(OLD, NEW) + patch_of(None, OLD, "art/new.png"))
    assert said.code == 0
    changed, created = said.json["steps"]
    assert (changed["op"], changed["hunks"], changed["added"]) == ("modify", [], 0)
    assert (changed["base_sha256"], changed["result_sha256"]) == (sha256(OLD), sha256(NEW))
    assert (created["op"], created["base_sha256"], created["result_sha256"]) == ("create", None, sha256(OLD))
    for step in (changed, created):
        (fact,) = (fact for fact in step["facts"] if fact["kind"] == "binary")
        assert fact["severity"] == "warning" and "a PNG image" in fact["message"]
    plan = said.json["plan"]
    assert "warning: The file can't be read line by line." in studio("show", plan, json=False).text

    refused = studio("approve", plan, "--hunks", "1:1")
    assert refused.code == 2, "there is no part of a picture"
    assert picture.read_bytes() == OLD
    applied = studio("approve", plan, "--apply")
    assert (applied.code, applied.json["state"]) == (0, "completed")
    assert picture.read_bytes() == NEW and (project / "art/new.png").read_bytes() == OLD
    assert studio("submit", stdin=patch_of(OLD, NEW)).json["steps"][0]["state"] == "already_applied"

    assert studio("journal", "--verify").code == 0
    (tmp_path / "replayed").mkdir()
    assert studio("journal", "--replay", tmp_path / "replayed").code == 0
    assert (tmp_path / "replayed/logo.png").read_bytes() == NEW

    back = studio("rollback", plan).json["plan"]
    assert picture.read_bytes() == OLD and not (project / "art").exists()
    assert studio("rollback", back).code == 0
    assert picture.read_bytes() == NEW


def test_exact_bytes_go_in_by_a_json_plan(studio: CommandLine, project: Path, picture: Path) -> None:
    """A picture changed and one made; and text whose line ends and encoding are meant to be others."""
    (project / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    text = "\ufeffeins\nzwei".encode("utf-16-le")
    steps = exact("modify", "logo.png", NEW), exact("create", "b.bin", b"\0"), exact("modify", "a.txt", text)
    plan = studio.submit(*steps)
    assert not problems(plan)
    kinds = {fact["kind"]: fact["severity"] for fact in plan["steps"][2]["facts"]}
    assert kinds["encoding_changed"] == kinds["line_ending_changed"] == "warning"
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert [(project / name).read_bytes() for name in ("logo.png", "b.bin", "a.txt")] == [NEW, b"\0", text]


def test_what_show_prints_can_be_submitted_again(studio: CommandLine, project: Path) -> None:
    """As JSON the diff is a binary patch; people get git's one sentence, which is no step."""
    for name in ("old.png", "gone.png"):
        (project / name).write_bytes(OLD)
    plan = studio.submit(
        exact("modify", "logo.png", NEW),
        exact("create", "new.png", NEW),
        {"op": "move", "path": "old.png", "to": "art/old.png"},
        {"op": "delete", "path": "gone.png"},
    )["plan"]
    shown = studio("show", plan, "--diff").json["steps"]
    again = studio("submit", stdin="".join(step["diff"] for step in shown).encode()).json
    assert (again["plan"], again["duplicate"]) == (plan, True)
    told = studio("show", plan, "--diff", json=False).text
    assert "\nBinary files a/logo.png and b/logo.png differ\n" in told
    assert "\nBinary files a/gone.png and /dev/null differ\n" in told
    assert "rename to art/old.png" in told and "literal" not in told


def test_another_picture_on_disk_makes_the_step_stale_and_says_so(studio: CommandLine, picture: Path) -> None:
    plan = studio("submit", stdin=patch_of(OLD, NEW)).json["plan"]
    assert studio("approve", plan).code == 0
    picture.write_bytes(OLD + b"!")
    refused = studio("apply", plan)
    assert refused.code == 3 and picture.read_bytes() == OLD + b"!"
    assert "stale" in studio("show", plan, "--reply", json=False).text


def test_a_patch_for_another_picture_is_refused_with_what_a_new_one_needs(
    studio: CommandLine, picture: Path
) -> None:
    """As with hunks: the second failure in a row is a person's business, whole bytes are always taken."""
    made = (patch_of(NEW, OLD + bytes(times)) for times in range(3))
    said = [studio("submit", "--agent", "codex", stdin=patch) for patch in made]
    assert [each.code for each in said] == [1, 1, 1]
    assert [problems(each.json)[-1] for each in said] == ["patch.does_not_match"] * 3
    assert ["patch.manual_only" in problems(each.json) for each in said] == [False, True, True]
    first = studio("show", said[0].json["plan"]).json["steps"][0]
    assert f"{len(OLD):,} bytes, no text" in first["recontext"] and sha256(OLD) in first["recontext"]
    text = plan_text(exact("modify", "logo.png", NEW), agent="codex")
    assert studio("submit", stdin=text).json["state"] == "pending"


def test_rejected_and_taken_back_as_any_step(studio: CommandLine, project: Path) -> None:
    """The reply names the step and the reason; its bytes are the agent's own and don't go back to it."""
    plan = studio.submit(exact("modify", "logo.png", NEW))["plan"]
    assert studio("reject", plan, "--reason", "the old lamp stays").code == 0
    reply = studio("show", plan, "--reply").json["reply"]
    assert "the old lamp stays" in reply and "literal" not in reply and "What you proposed" not in reply
