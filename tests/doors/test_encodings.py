"""Plans against files of every encoding, through the command line: no file changes its form (R143).

One plan has a step for each case, so that a whole table costs three processes.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, plan_text

REFUSED = "text.not_encodable"
CONFIGURATION = """
review: {command_line: allow}
encodings: {"**/legacy/**": windows-1252, "**/wide/**": utf-16-le, "plain/**": ascii}
"""


@dataclass(frozen=True)
class Case:
    """A line `b` that a diff replaces: the file before, the new line, the file after or a problem's code."""

    path: str
    base: bytes
    new: bytes
    after: bytes | str


RUSSIAN = "\u0436".encode()
UMLAUT = "\u00fc".encode()
DIFFED = (
    Case("utf8-byte", b"\xc3\xa9\nb\n", b"\xff", REFUSED),
    Case("utf8-half", b"\xc3\xa9\nb\n", b"\x80", REFUSED),
    Case("utf8-text", b"\xc3\xa9\nb\n", RUSSIAN, b"\xc3\xa9\n\xd0\xb6\n"),
    Case("marked-byte", b"\xef\xbb\xbfa\nb\n", b"\xff", REFUSED),
    Case("marked-text", b"\xef\xbb\xbfa\nb\n", RUSSIAN, b"\xef\xbb\xbfa\n\xd0\xb6\n"),
    Case("ascii-byte", b"a\nb\n", b"\xff", REFUSED),
    Case("ascii-half", b"a\nb\n", b"x\xa9", REFUSED),
    Case("ascii-surrogate", b"a\nb\n", b"\xed\xa0\x80", REFUSED),
    Case("ascii-text", b"a\nb\n", RUSSIAN, b"a\n\xd0\xb6\n"),
    Case("plain/text", b"a\nb\n", RUSSIAN, REFUSED),
    Case("legacy/russian", b"a\nb\n", RUSSIAN, REFUSED),
    Case("legacy/umlaut", b"a\nb\n", UMLAUT, b"a\n\xfc\n"),
    Case("legacy/raw", b"a\nb\n", b"\xfc", b"a\n\xfc\n"),
    Case("legacy/undefined", b"a\nb\n", b"\x81", REFUSED),
    Case("guessed-russian", b"caf\xe9\nb\n", RUSSIAN, REFUSED),
    Case("guessed-umlaut", b"caf\xe9\nb\n", UMLAUT, b"caf\xe9\n\xfc\n"),
    Case("guessed-raw", b"caf\xe9\nb\n", b"\xfc", b"caf\xe9\n\xfc\n"),
    Case("guessed-undefined", b"caf\xe9\nb\n", b"\x81", b"caf\xe9\n\x81\n"),
    Case("wide/text", "a\nb\n".encode("utf-16-le"), RUSSIAN, "a\n\u0436\n".encode("utf-16-le")),
    Case("wide/byte", "a\nb\n".encode("utf-16-le"), b"\xff", REFUSED),
    Case("big-end", "\ufeffa\nb\n".encode("utf-16-be"), UMLAUT, "\ufeffa\n\u00fc\n".encode("utf-16-be")),
    Case("big-end-byte", "\ufeffa\nb\n".encode("utf-16-be"), b"\xff", REFUSED),
)
CREATED = (
    Case("new/legacy/umlaut", b"", UMLAUT, b"\xfc\n"),
    Case("new/legacy/raw", b"", b"\xfc", b"\xfc\n"),
    Case("new/legacy/russian", b"", RUSSIAN, REFUSED),
    Case("new/legacy/undefined", b"", b"\x81", REFUSED),
    Case("new/wide/text", b"", RUSSIAN, "\u0436\n".encode("utf-16-le")),
    Case("new/other", b"", RUSSIAN, b"\xd0\xb6\n"),
    Case("new/unknown", b"", b"\x81", b"\x81\n"),
)


@pytest.fixture
def configured(project: Path) -> None:
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text(CONFIGURATION)


def check(
    studio: CommandLine, text: bytes, expected: dict[str, bytes | str], before: dict[str, bytes]
) -> None:
    """Submit, approve and apply; each step is refused with its code, or leaves exactly the expected bytes."""
    for path, data in before.items():
        file = studio.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    plan = studio("submit", stdin=text).json
    steps = {step["path"]: step for step in plan["steps"]}
    assert steps.keys() == expected.keys()
    for path, after in expected.items():
        codes = [problem["code"] for problem in steps[path]["problems"]]
        assert codes == ([after] if isinstance(after, str) else []), (path, steps[path])
    assert studio("approve", plan["plan"], "--apply").json["state"] == "completed"
    for path, after in expected.items():
        file = studio.project / path
        left = file.read_bytes() if file.exists() else None
        assert left == (before.get(path) if isinstance(after, str) else after), path


@pytest.mark.usefixtures("configured")
def test_no_diff_writes_bytes_of_another_encoding(studio: CommandLine) -> None:
    """Old lines that are ASCII fit both readings; then UTF-8 counts, and what can't be written is refused.

    A guess is no encoding that anybody named: exact bytes that contradict it are taken, and so
    are those of a new file.
    """
    text = b"".join(
        b"--- a/%b\n+++ b/%b\n@@ -2 +2 @@\n-b\n+%b\n" % (one.path.encode(), one.path.encode(), one.new)
        for one in DIFFED
    )
    text += b"".join(
        b"--- /dev/null\n+++ b/%b\n@@ -0,0 +1 @@\n+%b\n" % (one.path.encode(), one.new) for one in CREATED
    )
    expected = {one.path: one.after for one in (*DIFFED, *CREATED)}
    check(studio, text, expected, {one.path: one.base for one in DIFFED})


STEPS = {
    "content": {"op": "modify", "content": "a\n\u00fc\n"},
    "edits": {"op": "modify", "edits": [{"old": "b", "new": "\u00fc"}]},
    "patch": {"op": "modify", "patch": "@@ -2 +2 @@\n-b\n+\u00fc\n"},
    "append": {"op": "append", "content": "\u00fc\n"},
}
BASES = {
    "legacy/": b"a\nb\n",
    "wide/": "a\nb\n".encode("utf-16-le"),
    "marked-": b"\xef\xbb\xbfa\nb\n",
    "big-end-": "\ufeffa\nb\n".encode("utf-16-be"),
}


@pytest.mark.usefixtures("configured")
def test_text_of_a_json_plan_is_written_in_the_encoding_of_the_file(studio: CommandLine) -> None:
    """Content, edits, patch and appended text are text; so are a created file's and a moved one's."""
    codecs = {"legacy/": "cp1252", "wide/": "utf-16-le", "marked-": "utf-8", "big-end-": "utf-16-be"}
    steps: list[dict[str, object]] = []
    expected: dict[str, bytes | str] = {}
    before: dict[str, bytes] = {}
    for start, codec in codecs.items():
        for name, step in STEPS.items():
            path = f"{start}{name}"
            before[path] = BASES[start]
            steps.append({"path": path, **step})
            ends = "\u00fc\n".encode(codec)
            kept = BASES[start] if name == "append" else BASES[start].removesuffix("b\n".encode(codec))
            expected[path] = kept + ends
    for name, step in STEPS.items():
        path = f"legacy/{name}-russian"
        before[path] = BASES["legacy/"]
        changed = {key: russian(value) for key, value in step.items()}
        steps.append({"path": path, **changed})
        expected[path] = REFUSED
    for path, content, after in (
        ("new/legacy/a", "\u00fc\n", b"\xfc\n"),
        ("new/legacy/b", "\u0436\n", REFUSED),
        ("new/wide/a", "\u0436\n", "\u0436\n".encode("utf-16-le")),
    ):
        steps.append({"op": "create", "path": path, "content": content})
        expected[path] = after
    check(studio, plan_text(*steps), expected, before)


def russian(value: object) -> object:
    if isinstance(value, list):
        return [{key: russian(part) for key, part in edit.items()} for edit in value]
    return value.replace("\u00fc", "\u0436") if isinstance(value, str) else value


@pytest.mark.usefixtures("configured")
def test_a_file_that_can_not_be_read_can_still_be_deleted_by_a_diff(studio: CommandLine) -> None:
    """Relative of R143: that all lines of a file go can be told of any bytes."""
    (studio.project / "odd.txt").write_bytes(b"\x81\xe9\n")
    text = b"--- a/odd.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-\x81\xe9\n"
    plan = studio("submit", stdin=text).json
    assert [step["state"] for step in plan["steps"]] == ["pending"], plan
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert not (studio.project / "odd.txt").exists()


@pytest.mark.usefixtures("configured")
def test_no_characters_are_put_into_what_contradicts_windows_1252_until_its_encoding_is_named(
    studio: CommandLine,
) -> None:
    """Q14: the refusal says what the text looks like and what to do; the project's word is taken."""
    russian = "\u0444\u0430\u0439\u043b \u043d\u0435 \u043d\u0430\u0439\u0434\u0435\u043d a\n".encode(
        "koi8-r"
    )
    (studio.project / "legacy").mkdir()
    for path in ("odd.txt", "legacy/odd.txt"):
        (studio.project / path).write_bytes(russian)
    edits = [{"old": "a\n", "new": "\u00fc\n"}]
    steps = [{"op": "modify", "path": path, "edits": edits} for path in ("odd.txt", "legacy/odd.txt")]
    odd, named = studio("submit", stdin=plan_text(*steps)).json["steps"]
    (problem,) = odd["problems"]
    assert problem["code"] == "text.uneditable"
    assert "looks like KOI8-R" in problem["message"] and "encodings" in problem["message"]
    assert named["state"] == "pending"


def test_a_diff_that_is_shown_reads_as_text_and_comes_back_the_same(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    """Contract 3: what an agent is told of a windows-1252 file is text, and its UTF-8 reading fits."""
    file = project / "menu.txt"
    file.write_bytes("Café\nThé\n".encode("cp1252"))
    edit = {"op": "modify", "path": "menu.txt", "edits": [{"old": "Thé", "new": "Glühwein"}]}
    plan = studio.submit(edit)["plan"]
    diff = studio("show", plan, "--diff").json["steps"][0]["diff"]
    assert "-Thé\n+Glühwein\n" in diff
    assert studio("submit", stdin=diff.encode()).json["duplicate"]
    assert studio("reject", plan, "--reason", "Non").code == 0
    assert "+Glühwein" in studio("show", plan, "--reply").json["reply"]


@pytest.mark.usefixtures("configured")
def test_a_change_of_a_file_with_several_line_ends_leaves_those_of_other_lines(studio: CommandLine) -> None:
    base = b"one\r\ntwo\nthree\r\nfour\n"
    changed: dict[str, dict[str, object]] = {
        "edit.txt": {"edits": [{"old": "three", "new": "three\nnew"}]},
        "whole.txt": {"content": "one\ntwo\nthree\nnew\nfour\n"},
        "diff.txt": {"patch": "@@ -3 +3,2 @@\n three\r\n+new\r\n"},
    }
    steps = [{"op": "modify", "path": path, **change} for path, change in changed.items()]
    after = b"one\r\ntwo\nthree\r\nnew\r\nfour\n"
    text = json.dumps({"title": "t", "steps": steps}).encode()
    check(studio, text, dict.fromkeys(changed, after), dict.fromkeys(changed, base))


@pytest.mark.usefixtures("configured")
def test_a_file_that_a_tool_writes_back_has_the_line_ends_that_it_had(studio: CommandLine) -> None:
    file = studio.project / "a.txt"
    file.write_bytes(b"one\r\ntwo\nthree\r\n")
    read = studio("fs", "read", "a.txt").json["content"]
    for sent in (read, read.replace("\r\n", "\n")):
        plan = studio("fs", "write", "a.txt", stdin=f"{sent}four\n".encode()).json["plan"]
        assert studio("approve", plan, "--apply").json["state"] == "completed"
        assert file.read_bytes().startswith(b"one\r\ntwo\nthree\r\nfour")
        file.write_bytes(b"one\r\ntwo\nthree\r\n")
