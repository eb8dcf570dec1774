"""Telling formats apart, unified diffs as drafts."""

from __future__ import annotations

import gc
import json
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.plan import Operation
from studio.errors import Refused, UsageError
from studio.formats import detect, limits
from studio.formats.detect import FORMATS, read
from studio.resources import resource

MODIFY = b"""diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1 +1 @@
-one
+two
"""
MANY = (
    MODIFY
    + b"""diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1 @@
+echo
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old b/new
similarity index 100%
rename from old
rename to new
diff --git a/run b/run
old mode 100644
new mode 100755
diff --git a/pic.png b/pic.png
index 1111111..2222222 100644
Binary files a/pic.png and b/pic.png differ
"""
)
PLAN = json.dumps({"title": "T", "agent": "x", "steps": [{"op": "delete", "path": "z"}]}).encode()


def test_a_diff_becomes_one_step_for_each_file() -> None:
    draft = read(MANY)
    assert (draft.format, draft.title, draft.problems) == ("unified", "Change src/a.py and 5 more", ())
    assert [(step.op, step.path, step.to, step.executable, step.line) for step in draft.steps] == [
        (Operation.MODIFY, "src/a.py", None, None, 1),
        (Operation.CREATE, "new.sh", None, True, 7),
        (Operation.DELETE, "gone", None, None, 13),
        (Operation.MOVE, "old", "new", None, 19),
        (Operation.MODE, "run", None, True, 23),
        (Operation.MODIFY, "pic.png", None, None, 26),
    ]
    assert [bool(step.problems) for step in draft.steps] == [False] * 5 + [True]
    assert all(step.patch is not None for step in draft.steps)


def test_a_diff_of_one_file_is_called_after_it() -> None:
    assert read(MODIFY).title == "Change src/a.py"
    hidden = MODIFY.replace(b"src/a.py", "src/a\u202e.py".encode())
    assert read(hidden).title == "Change src/a\\u202e.py"


def test_paths_of_a_diff_are_named_as_they_stand() -> None:
    draft = read(MODIFY.replace(b"src/a.py", b"../../etc/passwd"))
    assert draft.problems == ()
    assert draft.steps[0].path == "../../etc/passwd"


def test_a_broken_diff_says_where() -> None:
    draft = read(MODIFY.replace(b"-1 +1", b"-1,3 +1"))
    assert draft.format == "unified"
    assert draft.steps == ()
    assert draft.problems
    assert all(problem.line is not None for problem in draft.problems)


@pytest.mark.parametrize(
    ("data", "file_name", "expected"),
    [
        (PLAN, "", "plan"),
        (b"\xef\xbb\xbf\n " + PLAN, "", "plan"),
        (b"{", "", "plan"),
        (b"[1]", "x.JSON", "plan"),
        (MODIFY, "", "unified"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "", "unified"),
        (b"Here is the diff:\n" + MODIFY, "", "unified"),
        (b"```diff\n" + MODIFY + b"```\n", "", "unified"),
        (b"anything", "x.patch", "unified"),
        (b"anything", "", "unknown"),
        (b"--- not a diff\n", "", "unknown"),
        (b"\x00\xff", "", "unknown"),
        (b"", "", "unknown"),
        (b" \n\t", "x.json", "unknown"),
    ],
)
def test_formats_are_told_apart(data: bytes, file_name: str, expected: str) -> None:
    assert read(data, file_name=file_name).format == expected


def test_text_of_no_format_lists_the_formats() -> None:
    draft = read(b"Please change a.py")
    assert [problem.code for problem in draft.problems] == ["format.unknown"]
    assert "unified" in draft.problems[0].hint
    assert "plan" in draft.problems[0].hint


@pytest.mark.parametrize("wanted", FORMATS)
@pytest.mark.parametrize("text", [b"NO_CHANGES_REQUIRED", b"\n NO_CHANGES_REQUIRED\r\n"])
def test_a_text_that_asks_for_no_change_says_so(wanted: str, text: bytes) -> None:
    """The sentinel, and nothing beside it, is an invalid plan with a code of its own."""
    draft = read(text, wanted)
    assert draft.steps == ()
    assert [problem.code for problem in draft.problems] == ["format.no_changes"]


def test_the_sentinel_hides_no_change() -> None:
    """Beside a diff it is one more line that belongs to no file; beside prose it says nothing."""
    assert "diff.no_changes" in [problem.code for problem in read(b"NO_CHANGES_REQUIRED\n" + MODIFY).problems]
    assert [problem.code for problem in read(b"NO_CHANGES_REQUIRED, I think").problems] == ["format.unknown"]


def test_a_named_format_is_not_guessed() -> None:
    assert read(PLAN, "unified").problems
    assert [problem.code for problem in read(MODIFY, "plan").problems] == ["plan.syntax"]
    assert read(b"", "plan").problems[0].code == "format.empty"


def test_an_unknown_name_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError) as refused:
        read(PLAN, "yaml")
    assert all(name in refused.value.hint for name in FORMATS)


def test_a_text_over_the_limit_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.SUBMISSION_BYTES == 64 * 1024 * 1024
    monkeypatch.setattr(detect, "SUBMISSION_BYTES", len(PLAN) - 1)
    assert read(PLAN).problems[0].code == "format.too_large"
    monkeypatch.setattr(detect, "SUBMISSION_BYTES", len(PLAN))
    assert read(PLAN).problems == ()


@given(st.binary(max_size=300), st.sampled_from(FORMATS), st.sampled_from(["", "a.json", "b.diff"]))
def test_any_bytes_are_read_without_an_exception(data: bytes, wanted: str, file_name: str) -> None:
    draft = read(data, wanted, file_name=file_name)
    assert draft.problems or draft.steps


@given(st.data())
def test_damaged_texts_are_read_without_an_exception(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([MANY, MODIFY, PLAN]))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    damaged = text[:start] + data.draw(st.binary(max_size=6)) + text[end:]
    draft = read(damaged)
    assert draft.problems or draft.steps
    for problem in (*draft.problems, *(problem for step in draft.steps for problem in step.problems)):
        problem.message.encode()


DEMO = resource("demo", "plans")


@pytest.mark.parametrize("file", sorted(DEMO.glob("*-*.*")), ids=lambda file: file.name)
def test_the_demo_plans_are_read_whole(file: Path) -> None:
    draft = read(file.read_bytes(), file_name=file.name)
    assert draft.problems == ()
    assert draft.steps
    assert not any(step.problems for step in draft.steps)


_FAST = 10.0
"""Four times the text takes about four times as long; where a part is looked at again for each part, 16."""

_MANY = {
    "file actions": "===FILE_ACTION===\ntype: append\npath: {}.md\n---\nx\n===END_FILE_ACTION===\n",
    "tool blocks": '{{{{invoke_tool: delete_file\n  path: "{}"\n}}}}\n',
    "patches": "*** Begin Patch\n*** Delete File: f{}\n*** End Patch\n",
    "blocks to replace": "f{}\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n",
    "calls": '{{"tool_name": "Write", "tool_input": {{"file_path": "f{}", "content": "x"}}}}\n',
    "fences": "```python a/f{}.py\nx\n```\n",
    "diffs in fences": "```diff\n--- a/f{0}\n+++ b/f{0}\n@@ -1 +1 @@\n-a\n+b\n```\n",
    "bare diffs": "words\n\n--- a/f{0}\n+++ b/f{0}\n@@ -1 +1 @@\n-a\n+b\n\n",
    "encoded mails": "Content-Transfer-Encoding: base64\n\n--- a/f{0}\n+++ b/f{0}\n@@ -1 +1 @@\n-a\n+b\n\n",
    "files in one fence": "```x\n",
    "marks of fences": "```\n",
    "fences in fences": "````\n```\n",
    "tildes": "~~~ x\n",
    "begun tool blocks": "{{{{invoke_tool:\n",
    "begun blocks to replace": "<<<<<<< SEARCH\n",
    "begun files of a patch": "*** Begin Patch\n*** Update File: a\n",
    "begun diffs": "--- a\n",
    "heads of hunks": "@@ -1,9999999 +1,9999999 @@\n",
    "empty lines in a fence": "\n",
}


@pytest.mark.parametrize("name", _MANY)
def test_four_times_the_blocks_take_about_four_times_as_long(name: str) -> None:
    def taken(count: int) -> float:
        before = "```python a/f.py\n" if name in ("files in one fence", "empty lines in a fence") else ""
        data = (before + "".join(_MANY[name].format(number) for number in range(count))).encode()
        began = time.process_time()
        with suppress(Refused):
            read(data)
        return time.process_time() - began

    gc.collect()
    gc.disable()
    try:
        few = min(taken(1_000) for _ in range(3))
        assert any(taken(4_000) < _FAST * max(few, 0.002) for _ in range(3))
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "sign",
    ["`", "```", "~~~ ", "===FILE_ACTION===", "{{invoke_tool:", "<<<<<<< SEARCH", "*** Begin Patch", "+++ "],
)
def test_one_very_long_line_is_looked_at_once(sign: str) -> None:
    taken: list[float] = []
    for size in (250_000, 1_000_000):
        data = (sign * (size // len(sign))).encode()
        began = time.process_time()
        assert not read(data).steps
        taken.append(time.process_time() - began)
    assert taken[1] < _FAST * max(taken[0], 0.01)


def test_what_begins_in_the_first_line_is_found_there() -> None:
    """What begins a line is looked for behind the end of the line before; the first line has none."""
    encoded = b"Content-Transfer-Encoding: base64\n\n" + MODIFY
    (problem,) = read(encoded).problems
    assert (problem.code, problem.line) == ("mail.encoded", 1)
    assert read(b"```diff\n" + MODIFY + b"```\n").steps
    assert read(b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n").steps
    assert read(b"   ```python a/b.py\n   x\n   ```").steps[0].content == b"x\n"
    assert read(b"    ```python a/b.py\n    x\n    ```").problems
