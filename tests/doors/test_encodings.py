"""Files of other encodings, known or not, through every door: written, shown and rolled back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.engine.plan import PersonSource
from studio.workspace import Person, Workspace
from tests.doors.awaited import waiting_plan
from tests.doors.conftest import CommandLine, plan_text
from tests.doors.hooks.conftest import Hook, hook, hooks_here
from tests.doors.mcp.conftest import Agent, agent, connect, era

__all__ = ["agent", "connect", "era", "hook", "hooks_here"]

TEXTS = {
    "shift_jis": "一覧表\n表示 = 10\n能力は\\x\nend\n",
    "gb18030": "㐀配置\n值 = 10\n㐂\\x\nend\n",
    "euc_kr": "설정 파일의 내용\n값 = 10\n한국어로\\x\nend\n",
    "big5": "功能設定的說明\n許可 = 10\n蓋\\x\nend\n",
    "koi8_r": "файл настройки\nключи = 10\nключ\\x\nend\n",
    "cp1251": "ђљњџ\nљњ = 10\nњ\\x\nend\n",
    "utf_8": "größe\nlänge = 10\nfür\\x\nend\n",
}
FILES = {
    f"{codec}.ini": text.encode(codec) + (b"\x9d\n" if codec == "utf_8" else b"")
    for codec, text in TEXTS.items()
}
CHANGED = {name: data.replace(b" = 10", b" = 20") for name, data in FILES.items()}


END = {name: data.replace(b"end\n", b"fin\n") for name, data in FILES.items()}


def diffs() -> bytes:
    def one(name: str, data: bytes) -> bytes:
        first, old = data.split(b"\n")[:2]
        new = old.replace(b" = 10", b" = 20")
        head = b"--- a/%b\n+++ b/%b\n@@ -1,2 +1,2 @@\n" % (name.encode(), name.encode())
        return head + b" %b\n-%b\n+%b\n" % (first, old, new)

    return b"".join(one(name, data) for name, data in FILES.items())


def edits() -> bytes:
    edit = {"old": " = 10\n", "new": " = 20\n"}
    return plan_text(*({"op": "modify", "path": name, "edits": [edit]} for name in FILES))


def patches() -> bytes:
    patch = "@@ -4 +4 @@\n-end\n+fin\n"
    return plan_text(*({"op": "modify", "path": name, "patch": patch} for name in FILES))


def blocks() -> bytes:
    rows = (f"{name}\n<<<<<<< SEARCH\nend\n=======\nfin\n>>>>>>> REPLACE\n" for name in FILES)
    return "\n".join(rows).encode()


def codex_patch() -> bytes:
    rows = "".join(f"*** Update File: {name}\n@@\n-end\n+fin\n" for name in FILES)
    return f"*** Begin Patch\n{rows}*** End Patch\n".encode()


WAYS = {
    "diff": (diffs(), CHANGED),
    "edit": (edits(), CHANGED),
    "patch": (patches(), END),
    "block": (blocks(), END),
    "codex": (codex_patch(), END),
}


@pytest.fixture
def files(project: Path) -> Path:
    for name, data in FILES.items():
        (project / name).write_bytes(data)
    return project


@pytest.mark.parametrize("way", WAYS)
def test_what_names_its_bytes_is_applied_and_rolled_back(
    studio: CommandLine, files: Path, allow_review: None, way: str
) -> None:
    text, after = WAYS[way]
    plan = studio("submit", stdin=text).json
    assert len(plan["steps"]) == len(FILES)
    for step in plan["steps"]:
        assert (step["state"], step["added"], step["removed"]) == ("pending", 1, 1), step
        assert "encoding_unknown" in [fact["kind"] for fact in step["facts"]], step
    assert studio("approve", plan["plan"], "--apply").json["state"] == "completed"
    assert {name: (files / name).read_bytes() for name in FILES} == after
    assert studio("rollback", plan["plan"]).code == 0
    assert {name: (files / name).read_bytes() for name in FILES} == FILES


def test_the_lines_of_a_change_are_shown_and_chosen(
    studio: CommandLine, files: Path, allow_review: None
) -> None:
    """What can't be shown is marked, and one of two hunks is written without a byte of the other."""
    data = b"\x95\x5c\x81\n" + b"line\n" * 20 + b"end \x81\n"
    (files / "two.txt").write_bytes(data)
    text = b"--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-\x95\x5c\x81\n+\x95\x5c\x82\n"
    text += b"@@ -22 +22 @@\n-end \x81\n+fin \x81\n"
    plan = studio("submit", stdin=text).json["plan"]
    shown = studio("show", plan, "--diff", json=False).text
    assert "-\ufffd\\\ufffd\n+\ufffd\\\ufffd\n" in shown and "-end \ufffd\n+fin \ufffd\n" in shown
    assert studio("approve", plan, "--hunks", "1:2", "--apply").code == 0
    assert (files / "two.txt").read_bytes() == data.replace(b"end", b"fin")


def test_a_diff_that_is_shown_reads_as_text_and_comes_back_the_same(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    """What an agent is told of a windows-1252 file is text, and its UTF-8 reading fits."""
    file = project / "menu.txt"
    file.write_bytes("Café\nThé\n".encode("cp1252"))
    edit = {"op": "modify", "path": "menu.txt", "edits": [{"old": "Thé", "new": "Glühwein"}]}
    plan = studio.submit(edit)["plan"]
    diff = studio("show", plan, "--diff").json["steps"][0]["diff"]
    assert "-Thé\n+Glühwein\n" in diff
    assert studio("submit", stdin=diff.encode()).json["duplicate"]
    assert studio("reject", plan, "--reason", "Non").code == 0
    assert "+Glühwein" in studio("show", plan, "--reply").json["reply"]


def test_an_encoding_is_named_in_the_configuration_or_in_a_step(
    studio: CommandLine, files: Path, allow_review: None
) -> None:
    """Characters are written in it, a file that is not in it is refused, and what is no encoding, too."""
    (files / "studio.yaml").write_text('schema_version: 1\nencodings: {"euc_kr.*": EUC_KR, "big5.*": big5}\n')
    said = studio("config", "trust")
    assert said.code == 0, said
    named = {"shift_jis.ini": "shift_jis", "gb18030.ini": "GB18030", "koi8_r.ini": "koi8-r"}
    steps: list[dict[str, Any]] = []
    after = dict(FILES)
    for name in (*named, "euc_kr.ini", "big5.ini"):
        codec = name.partition(".")[0]
        old = TEXTS[codec].splitlines()[0]
        new = {"euc_kr": "값 ü".replace("ü", "은"), "koi8_r": "ключ"}.get(codec, "中文")
        label = {"encoding": named[name]} if name in named else {}
        steps.append({"op": "modify", "path": name, "edits": [{"old": old, "new": new}], **label})
        after[name] = TEXTS[codec].replace(old, new).encode(codec)
    steps.append({"op": "create", "path": "euc_kr.new", "content": "값\n"})
    wrong = {"path": "gb18030.ini", "op": "append", "content": "x\n", "encoding": "euc-kr"}
    plan = studio("submit", stdin=plan_text(*steps)).json
    assert [step["state"] for step in plan["steps"]] == ["pending"] * 6, plan
    assert studio("approve", plan["plan"], "--apply").json["state"] == "completed"
    assert {name: (files / name).read_bytes() for name in FILES} == after
    assert (files / "euc_kr.new").read_bytes() == "값\n".encode("euc_kr")
    ((problem,),) = [step["problems"] for step in studio("submit", stdin=plan_text(wrong)).json["steps"]]
    assert problem["code"] == "text.uneditable" and "can't be read as euc-kr" in problem["message"], problem
    bad = plan_text({"path": "a", "op": "create", "content": "x\n", "encoding": "rot13"})
    ((problem,),) = [step["problems"] for step in studio("submit", stdin=bad).json["steps"]]
    assert problem["code"] == "step.encoding" and "rot13" in problem["message"], problem
    assert studio("fs", "read", "euc_kr.ini").json["content"].startswith("값 은")
    assert studio("fs", "read", "koi8_r.ini", "--encoding", "koi8-r").json["content"].startswith("ключ\n")


def test_an_edit_of_a_hook_is_written(hook: Callable[..., Hook], workspace: Workspace, files: Path) -> None:
    file = files / "gb18030.ini"
    given = {"file_path": str(file), "old_string": " = 10", "new_string": " = 20", "replace_all": False}
    running = hook("Edit", given)
    approve(workspace, waiting_plan(workspace).id)
    assert running.said().reason.startswith("Done")
    assert file.read_bytes() == CHANGED["gb18030.ini"]


def test_an_edit_of_a_client_is_written(agent: Agent, workspace: Workspace, files: Path) -> None:
    approve(workspace, agent.give("propose", text=edits().decode())["plan"])
    assert {name: (files / name).read_bytes() for name in FILES} == CHANGED
    call = {"name": "Edit", "input": {"file_path": "koi8_r.ini", "old_string": "end", "new_string": "fin"}}
    approve(workspace, agent.give("propose", text=json.dumps(call))["plan"])
    assert (files / "koi8_r.ini").read_bytes() == CHANGED["koi8_r.ini"].replace(b"end", b"fin")


def approve(workspace: Workspace, plan: str) -> None:
    reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "ada"))
    reviewer.approve(plan)
    reviewer.apply(plan)
