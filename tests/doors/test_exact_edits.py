"""Patches of Codex and SEARCH/REPLACE blocks, from their text to the bytes on disk, in files of every form.

One reply changes all files of a table, so that it costs two processes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

CONFIGURATION = """
review: {command_line: allow}
encodings: {"wide/**": utf-16-le, "legacy/**": windows-1252}
"""


@dataclass(frozen=True)
class Case:
    """The chunks of an update or the lines of a block: the file before and after, "" for none."""

    path: str
    before: bytes
    chunks: str
    after: bytes
    to: str = ""


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


UPDATED = (
    Case("plain.txt", b"one\ntwo\n", "@@\n one\n-two\n+zwei\n", b"one\nzwei\n"),
    Case(
        "crlf.txt",
        b"one\r\ntwo\r\nthree\r\n",
        "@@ one\n-two\n+zwei\n+drei\n",
        b"one\r\nzwei\r\ndrei\r\nthree\r\n",
    ),
    Case("open.txt", b"one\ntwo", " one\n-two\n+zwei\n", b"one\nzwei"),
    Case("open-added.txt", b"one\ntwo", "@@\n+three\n*** End of File\n", b"one\ntwo\nthree"),
    Case("open-cut.txt", b"one\ntwo", "-two\n", b"one"),
    Case("open-crlf.txt", b"one\r\ntwo", " one\n-two\n+zwei\n", b"one\r\nzwei"),
    Case("mixed.txt", b"one\r\ntwo\nthree\n", " two\n-three\n+drei\n", b"one\r\ntwo\ndrei\n"),
    Case("marked.txt", b"\xef\xbb\xbfone\ntwo\n", "-one\n+eins\n", b"\xef\xbb\xbfeins\ntwo\n"),
    Case(
        "big-end.txt",
        "\ufeffone\ntwo\n".encode("utf-16-be"),
        "-one\n+ü\n",
        "\ufeffü\ntwo\n".encode("utf-16-be"),
    ),
    Case("wide/a.txt", wide("one\r\ntwo\r\n"), " one\n-two\n+\u0436\n", wide("one\r\n\u0436\r\n")),
    Case("legacy/a.txt", b"caf\xe9\none\n", " café\n-one\n+thé\n", b"caf\xe9\nth\xe9\n"),
    Case("guessed.txt", b"caf\xe9\none\n", " café\n-one\n+thé\n", b"caf\xe9\nth\xe9\n"),
    Case("moved.txt", b"one\r\ntwo\r\n", "-one\n+eins\n", b"eins\r\ntwo\r\n", to="sub/folder/moved.txt"),
    Case("only-moved.txt", b"\x00\xff", "", b"\x00\xff", to="sub/only-moved.txt"),
    Case("twice.txt", b"a\nx\nb\nx\n", "@@ b\n-x\n+y\n", b"a\nx\nb\ny\n"),
    Case(
        "stacked.txt",
        b"class A:\n  def f:\n    x\nclass B:\n  def f:\n    x\n",
        "@@ class B:\n@@   def f:\n+    first\n     x\n",
        b"class A:\n  def f:\n    x\nclass B:\n  def f:\n    first\n    x\n",
    ),
    Case("end.txt", b"a\nb\n", "@@\n+c\n", b"a\nb\nc\n"),
    Case("empty-end.txt", b"a\n\n", "+c\n", b"a\nc\n\n"),
    Case("empty-line.txt", b"\n", "+c\n", b"c\n\n"),
    Case("open-end.txt", b"a\r\nb", "+c\n", b"a\r\nb\r\nc"),
    Case("order.txt", b"x\n-\nx\n", " x\n -\n@@\n-x\n+y\n", b"x\n-\ny\n"),
    Case("blank.txt", b"a\n\nb\n", " a\n \n-b\n+c\n", b"a\n\nc\n"),
)


@pytest.fixture(autouse=True)
def configured(project: Path) -> None:
    assert project.is_dir()
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text(CONFIGURATION)


def lay_out(project: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def apply_all(studio: CommandLine, text: str, *, steps: int) -> None:
    """Submit, approve and apply a reply all of whose steps are good."""
    plan = studio("submit", stdin=text.encode()).json
    assert [step["problems"] for step in plan["steps"]] == [[]] * steps, plan["steps"]
    assert studio("approve", plan["plan"], "--apply").json["state"] == "completed"


def refusals(studio: CommandLine, text: str) -> dict[str, tuple[str, str, str]]:
    """Code, message and hint of the one problem of each step."""
    said = studio("submit", stdin=text.encode())
    steps: list[dict[str, Any]] = said.json["steps"]
    assert [len(step["problems"]) for step in steps] == [1] * len(steps)
    problems = {step["path"]: step["problems"][0] for step in steps}
    return {path: (one["code"], one["message"], one["hint"]) for path, one in problems.items()}


def test_a_patch_changes_what_it_says_and_no_file_s_form(studio: CommandLine, project: Path) -> None:
    lay_out(project, {case.path: case.before for case in UPDATED} | {"gone.txt": b"x"})
    sections = ""
    for case in UPDATED:
        move = f"*** Move to: {case.to}\n" if case.to else ""
        sections += f"*** Update File: {case.path}\n{move}{case.chunks}"
    sections += "*** Add File: new/file.txt\n+ä\n+\n*** Delete File: gone.txt\n"
    text = f"I change it all.\n\n```\n*** Begin Patch\n{sections}*** End Patch\n```\n"
    apply_all(studio, text, steps=len(UPDATED) + 2)
    for case in UPDATED:
        assert (project / (case.to or case.path)).read_bytes() == case.after, case.path
        assert not case.to or not (project / case.path).exists()
    assert (project / "new/file.txt").read_bytes() == "ä\n\n".encode()
    assert not (project / "gone.txt").exists()


SEARCHED = (
    Case("crlf.txt", b"one\r\ntwo\r\n", "two\n=======\nzwei\ndrei\n", b"one\r\nzwei\r\ndrei\r\n"),
    Case("open.txt", b"one\ntwo", "two\n=======\nzwei\n", b"one\nzwei"),
    Case("open-cut.txt", b"one\ntwo", "two\n=======\n", b"one"),
    Case("marked.txt", b"\xef\xbb\xbfone\ntwo\n", "one\n=======\neins\n", b"\xef\xbb\xbfeins\ntwo\n"),
    Case("wide/a.txt", wide("one\ntwo\n"), "two\n=======\n\u0436\n", wide("one\n\u0436\n")),
    Case("legacy/a.txt", b"caf\xe9\n", "café\n=======\nthé\n", b"th\xe9\n"),
    Case("blanks.txt", b"  x  \n\t\n", "  x  \n\t\n=======\ny\n", b"y\n"),
    Case("line.txt", b"xx\nx\n", "x\n=======\ny\n", b"xx\ny\n"),
    Case("new/b.txt", b"", "=======\nnew\n", b"new\n"),
)


@pytest.mark.parametrize("marks", ["<>", "-+"])
def test_blocks_change_what_they_say_and_no_file_s_form(
    studio: CommandLine, project: Path, marks: str
) -> None:
    conflict = b"<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\nrest\n"
    lay_out(
        project, {case.path: case.before for case in SEARCHED if case.before} | {"conflict.txt": conflict}
    )
    opens, closes = marks
    text = "".join(
        f"**{case.path}**\n```\n{opens * 7} SEARCH\n{case.chunks}{closes * 7} REPLACE\n```\n\n"
        for case in SEARCHED
    )
    old = conflict.decode().removesuffix("rest\n")
    text += f"conflict.txt:\n{opens * 9} SEARCH\n{old}=========\nboth\n{closes * 9} REPLACE\n"
    apply_all(studio, text, steps=len(SEARCHED) + 1)
    for case in SEARCHED:
        assert (project / case.path).read_bytes() == case.after, case.path
    assert (project / "conflict.txt").read_bytes() == b"both\nrest\n"


def test_what_a_patch_can_t_be_sure_of_is_refused_with_the_places(studio: CommandLine, project: Path) -> None:
    lines = b"def f():\n    return 1\n\ndef g():\n    return 1\n"
    files = {f"{name}.py": lines for name in ("many", "near", "head", "behind", "front", "blanks")}
    lay_out(project, files | {"legacy/a.txt": b"caf\xe9\n", "there.txt": b"x\n", "mixed.txt": b"a\r\nb\n"})
    text = """*** Begin Patch
*** Update File: many.py
-    return 1
+    return 2
*** Update File: near.py
 def g():
-    return 2
+    return 3
*** Update File: head.py
@@ def h():
-    return 1
*** Update File: behind.py
@@     return 1
+    # never
*** Update File: front.py
@@ def g():
-def f():
*** Update File: blanks.py
-  return 1
+  return 2
*** Update File: legacy/a.txt
-café
+\u0436
*** Add File: there.txt
+y
*** Update File: mixed.txt
-a
+c
*** Update File: ../outside.txt
-a
+b
*** Update File: missing.txt
-a
+b
*** End Patch
"""
    said = refusals(studio, text)
    again = "Read the file again and use old text that occurs exactly once."
    expected = {
        "many.py": ("not_unique", 3, "its old text is in the file 2 times, at lines 2, 5.", ""),
        "near.py": (
            "not_found",
            6,
            "its old text is not in the file.",
            "The nearest place is line 5: the file has “    return 1”, not “    return 2”. ",
        ),
        "head.py": ("not_found", 10, "the line “def h():” before it is not in the file.", ""),
        "front.py": (
            "not_found",
            16,
            "its old text is at line 1, not after the context before it.",
            "",
        ),
        "blanks.py": (
            "not_found",
            19,
            "its old text is not in the file.",
            "The nearest place is line 2: the file has “    return 1”, not “  return 1”. ",
        ),
    }
    for path, (code, line, sentence, nearest) in expected.items():
        message = f"Edit 1 of {path} (line {line} of the text): {sentence}"
        assert said[path] == (f"edit.{code}", message, nearest + again)
    # Codex 0.171 puts such lines at the end of the file, whatever its @@ names.
    assert said.pop("behind.py")[0] == "apply_patch.only_adds"
    codes = {path: code for path, (code, _message, _hint) in said.items() if not path.endswith(".py")}
    assert codes == {
        "legacy/a.txt": "text.not_encodable",
        "there.txt": "target.exists",
        "mixed.txt": "edit.not_found",
        "../outside.txt": "name.climbs",
        "missing.txt": "target.missing",
    }
    assert (project / "many.py").read_bytes() == lines


def test_what_a_block_can_t_be_sure_of_is_refused_with_the_places(studio: CommandLine, project: Path) -> None:
    lines = b"def f():\n    ...\n    return 1\n\ndef g():\n    return 1\n"
    lay_out(project, dict.fromkeys(("many.py", "elided.py", "drift.py", "there.py"), lines))
    blocks = {
        "many.py": ("    return 1\n", "    return 2\n"),
        "elided.py": ("def f():\n...\n    return 1\n", "def f():\n    return 2\n"),
        "drift.py": ("def g():\n  return 1\n", "def g():\n  return 2\n"),
        "there.py": ("", "x = 1\n"),
        "missing.py": ("x\n", "y\n"),
        "/etc/passwd": ("x\n", "y\n"),
        "a\x00b": ("x\n", "y\n"),
    }
    text = "\n".join(
        f"`{path}`\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
        for path, (old, new) in blocks.items()
    )
    said = refusals(studio, text)
    again = "Read the file again and use old text that occurs exactly once."
    assert said["many.py"][1].endswith("its old text is in the file 2 times, at lines 3, 6.")
    assert said["elided.py"][2] == (
        f"The nearest place is line 2: the file has “    ...”, not “...”. {again}"
    )
    assert said["drift.py"][2] == (
        f"The nearest place is line 6: the file has “    return 1”, not “  return 1”. {again}"
    )
    assert [said[path][0] for path in ("there.py", "missing.py")] == ["target.exists", "target.missing"]
    assert [said[path][0].split(".")[0] for path in list(said)[5:]] == ["name", "name"]


def test_half_a_reply_is_one_refused_plan_that_says_which_line(studio: CommandLine, project: Path) -> None:
    lay_out(project, {"a.txt": b"one\n"})
    for text, line in (
        ("*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n", 1),
        ("a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n", 2),
        ("*** Begin Patch\n*** Update File: a.txt\n one\n\n+two\n*** End Patch\n", 4),
    ):
        said = studio("submit", stdin=text.encode())
        assert (said.code, said.json["state"], said.json["steps"]) == (1, "invalid", [])
        (problem,) = said.json["problems"]
        assert problem["line"] == line and problem["hint"]


def test_text_that_two_formats_read_asks_which_one_is_meant(studio: CommandLine, project: Path) -> None:
    lay_out(project, {"a.txt": b"one\n", "b.txt": b"one\n"})
    text = "*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch\n\n"
    text += "b.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
    said = studio("submit", stdin=text.encode())
    assert (said.code, [problem["code"] for problem in said.json["problems"]]) == (1, ["format.ambiguous"])
    chosen = studio("submit", "--format", "search-replace", stdin=text.encode()).json
    assert [step["path"] for step in chosen["steps"]] == ["b.txt"]
