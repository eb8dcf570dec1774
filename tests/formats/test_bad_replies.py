"""Replies that were cut off or filled with what no reply should hold: half a plan is taken for none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.engine.draft import DraftStep, PlanDraft
from studio.formats import detect

REPLIES = Path(__file__).parent / "replies"
SAMPLES = 12
WRITTEN_TWICE = {"two-appends-of-one-path", "create-then-append-of-one-path", "written-twice"}
WRITTEN_TWICE |= {"created-file-with-last-line-end-stays-so"}
"""What is written first is another content than what both leave together."""

FORMATS = sorted(path.name for path in REPLIES.iterdir())
CLIMBING = {
    "apply-patch": "*** Begin Patch\n*** Add File: ../out.txt\n+x\n*** End Patch\n",
    "fences": "```text file=../out.txt\nx\n```\n",
    "file-action": "===FILE_ACTION===\ntype: create\npath: ../out.txt\n---\nx\n===END_FILE_ACTION===\n",
    "search-replace": "../out.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
    "tool-block": '{{invoke_tool: write_file\n  file_path: "../out.txt"\n  content: "x"\n}}\n',
    "tool-calls": '{"name": "Write", "input": {"file_path": "../out.txt", "content": "x"}}\n',
    "unified": "--- /dev/null\n+++ b/../out.txt\n@@ -0,0 +1 @@\n+x\n",
}
ODD = {"NUL": b"\0", "a lone surrogate": b"\xed\xa0\x80", "no UTF-8": b"\xff", "an escape": b"\x1b[2J"}


def samples(name: str) -> list[Path]:
    """The shortest replies of a format that are taken in whole, of which enough can be cut off."""
    found: list[Path] = []
    for path in sorted((REPLIES / name).glob("*.txt"), key=lambda path: (path.stat().st_size, path.name)):
        said = json.loads(path.with_suffix(".json").read_text("utf-8"))
        steps = said.get("steps", ())
        if path.stem in WRITTEN_TWICE:
            continue
        if path.stat().st_size > 100 and steps and not any("problems" in part for part in (said, *steps)):
            found.append(path)
    return found[:SAMPLES]


def is_begun(step: DraftStep, whole: DraftStep) -> bool:
    """Whether a step says the whole one, or of several changes of its file the first ones."""
    same = (step.op, step.path, step.to, step.content, step.exact) == (
        whole.op, whole.path, whole.to, whole.content, whole.exact
    )  # fmt: skip
    hunks, whole_hunks = ([hunk for patch in patches_of(one) for hunk in patch] for one in (step, whole))
    return (
        same
        and step.edits == whole.edits[: len(step.edits)]
        and step.cells == whole.cells[: len(step.cells)]
        and hunks == whole_hunks[: len(hunks)]
    )


def patches_of(step: DraftStep) -> list[list[object]]:
    return [list(patch.hunks) for patch in (step.patch, *step.following) if patch is not None]


def is_refused(draft: PlanDraft) -> bool:
    return bool(draft.problems) or not draft.steps or any(step.problems for step in draft.steps)


@pytest.mark.parametrize("name", FORMATS)
def test_a_reply_cut_at_any_byte_is_refused_or_says_part_of_the_whole(name: str) -> None:
    """Nothing in it is another change than the whole reply has."""
    cut_samples = samples(name)
    assert len(cut_samples) >= 5
    for path in cut_samples:
        data = path.read_bytes()
        whole = detect.read(data)
        for end in range(1, len(data)):
            draft = detect.read(data[:end])
            if is_refused(draft):
                continue
            strange = [
                step for step in draft.steps if not any(is_begun(step, other) for other in whole.steps)
            ]
            assert not strange, (path.name, end, strange)


@pytest.mark.parametrize("name", FORMATS)
def test_a_path_that_climbs_stays_as_it_was_said(name: str) -> None:
    """No format bends a path; the engine refuses it."""
    draft = detect.read(CLIMBING[name].encode())
    assert (draft.format, [step.path for step in draft.steps]) == (name, ["../out.txt"])


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("name", FORMATS)
def test_odd_bytes_at_any_place_are_kept_or_refused(name: str, odd: bytes) -> None:
    """Nothing raises, and no other file is named than before."""
    data = samples(name)[0].read_bytes()
    paths = {path for step in detect.read(data).steps for path in (step.path, step.to)}
    for at in range(len(data)):
        draft = detect.read(data[:at] + odd + data[at:])
        if not is_refused(draft):
            named = {path for step in draft.steps for path in (step.path, step.to) if path is not None}
            character = odd.decode("utf-8", "surrogateescape")
            assert all(path in paths or character in path for path in named), (at, named)
