"""A reply of 1 MB with 200 blocks to a plan, in every format, beside Python's reader of the same content.

To a plan means: from the bytes of the text, in a format that nobody named, to checked steps: detected, read,
folded, and each step checked against the project as it is on disk, with its rules, exact result, hunks and
facts. That is all that `submit` does but storing it; nothing is kept between two turns. The peer knows
beforehand what is asked: it takes one JSON text with every path and content, and reads every target's bytes.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from studio.engine.draft import PlanDraft
from studio.engine.plan import StepState
from studio.formats.submission import SubmittedText, read_submission
from studio.workspace import Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare

BLOCKS = 200
_BLOCK_BYTES = 5_000
_TARGET = 12.0
_SEED = 16
_WORDS = "if for return self value = None + ( ) name text line with else: def import from".split()


@dataclass(frozen=True, slots=True)
class _Change:
    """A file of the project, and what a reply makes of it; one line in twenty is another one."""

    path: str
    old: Sequence[str]
    new: Sequence[str]

    @property
    def content(self) -> str:
        """The whole file as it is to be."""
        return _lines(self.new)


def _changes() -> list[_Change]:
    choose = random.Random(_SEED)
    # One format changes no other files unless its user says so.
    return [_change(f"docs/part{number % 10}/chapter{number}.md", choose) for number in range(BLOCKS)]


def _change(path: str, choose: random.Random) -> _Change:
    old: list[str] = []
    while sum(map(len, old)) + len(old) < _BLOCK_BYTES:
        words = " ".join(choose.choices(_WORDS, k=choose.randrange(3, 12)))
        old.append(f"{'    ' * choose.randrange(3)}{words} {len(old)}")
    new = [f"{line}  # again" if number % 20 == 10 else line for number, line in enumerate(old)]
    return _Change(path, old, new)


def _lines(lines: Sequence[str], sign: str = "") -> str:
    return "".join(f"{sign}{line}\n" for line in lines)


def _signed(change: _Change) -> str:
    """All lines of a file, those that change with their signs."""
    pairs = zip(change.old, change.new, strict=True)
    return "".join(f" {old}\n" if old == new else f"-{old}\n+{new}\n" for old, new in pairs)


def _file_action(change: _Change) -> str:
    head = f"===FILE_ACTION===\ntype: append\npath: {change.path}\n---\n"
    return f"Words before it.\n\n{head}{change.content}\n===END_FILE_ACTION===\n\n"


def _tool_block(change: _Change) -> str:
    said = json.dumps(change.content)
    return f'{{{{invoke_tool: write_file\n  file_path: "{change.path}"\n  content: {said}\n}}}}\n\n'


def _apply_patch(change: _Change) -> str:
    head = f"*** Begin Patch\n*** Update File: {change.path}\n@@\n"
    return f"Words before it.\n\n{head}{_signed(change)}*** End Patch\n\n"


def _search_replace(change: _Change) -> str:
    # Half of the file, so that both sides of the block are as much as the whole of it.
    count = len(change.old) // 2
    blocks = (
        f"<<<<<<< SEARCH\n{_lines(change.old[:count])}=======\n{_lines(change.new[:count])}>>>>>>> REPLACE\n"
    )
    return f"Words before it.\n\n{change.path}\n```python\n{blocks}```\n\n"


def _tool_call(change: _Change) -> str:
    count = len(change.old) // 2
    said = {
        "file_path": change.path,
        "old_string": _lines(change.old[:count]),
        "new_string": _lines(change.new[:count]),
    }
    return json.dumps({"tool_name": "Edit", "tool_input": said}) + "\n"


def _fence(change: _Change) -> str:
    return f"Words before it.\n\n```python {change.path}\n{change.content}```\n\n"


def _diff_in_fence(change: _Change) -> str:
    count = len(change.old)
    head = f"--- a/{change.path}\n+++ b/{change.path}\n@@ -1,{count} +1,{count} @@\n"
    return f"Words before it.\n\n```diff\n{head}{_signed(change)}```\n\n"


def _measured(printed: Callable[[_Change], str], folder: Path, pairs: int) -> Comparison:
    changes = _changes()
    root = folder / "project"
    for change in changes:
        file = root / change.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_lines(change.old))
    texts = [printed(change) for change in changes]
    reply = "".join(texts).encode()
    same = json.dumps(
        [{"path": change.path, "content": text} for change, text in zip(changes, texts, strict=True)]
    )
    targets = [root / change.path for change in changes]
    reading: list[float] = []
    checking: list[float] = []
    workspace = Workspace.open(root)

    def ours() -> float:
        started = time.perf_counter()
        draft = read_submission([SubmittedText(reply)])
        read = time.perf_counter()
        _assert_whole(workspace, draft)
        checked = time.perf_counter()
        reading.append((read - started) * 1000)
        checking.append((checked - read) * 1000)
        return (checked - started) * 1000

    def peer() -> float:
        started = time.perf_counter()
        json.loads(same)
        for target in targets:
            target.read_bytes()
        return (time.perf_counter() - started) * 1000

    try:
        mine, other = compare(ours, peer, pairs)
    finally:
        workspace.close()
    legs = {"the text read into a draft": tuple(reading[1:]), "its steps checked": tuple(checking[1:])}
    peer_name = "json.loads of the same content, and its targets read"
    return Comparison("text to checked steps", peer_name, mine, other, _TARGET, legs=legs)


def _assert_whole(workspace: Workspace, draft: PlanDraft) -> None:
    steps = workspace.proposer.preview(draft).plan.steps
    assert len(steps) == BLOCKS
    assert all(step.state is StepState.PENDING for step in steps), steps[0].problems


def _reply(name: str, printed: Callable[[_Change], str]) -> Benchmark:
    what = f"1 MB with {BLOCKS} blocks of {name} made a plan"
    return Benchmark(f"reply-{name}", what, partial(_measured, printed))


REPLIES = (
    _reply("file-action", _file_action),
    _reply("tool-block", _tool_block),
    _reply("apply-patch", _apply_patch),
    _reply("search-replace", _search_replace),
    _reply("tool-calls", _tool_call),
    _reply("fences", _fence),
    _reply("unified", _diff_in_fence),
)
