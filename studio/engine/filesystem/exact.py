"""Steps whose result is a file's exact bytes (promise 5).

A step's new text is adapted to the file's encoding and line ends; its patch is taken byte for byte. So the
bytes that an overlay holds are given as the patch that leads to them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from studio.engine.diff import apply_with_facts, compute, format_unified, parse_unified
from studio.engine.draft import DraftStep
from studio.engine.errors import StudioError
from studio.engine.filesystem.content import Content
from studio.engine.names import show_name
from studio.engine.plan import Operation, Problem

_ANY_NAME = "file"


def changed_step(
    op: Operation,
    path: str,
    to: str | None,
    *,
    before: Content,
    after: Content,
    base_sha256: str | None,
    executable: bool | None = None,
) -> DraftStep:
    """A modify, or a move with changes, that turns the bytes `before` into `after`.

    `before` is the base as it is now. Where that is not the one of `base_sha256` any more, which makes the
    step stale, the whole text stands for a patch. What is no text can't be said: the step has that problem.
    """
    base, result = bytes(before), bytes(after)
    step = DraftStep(op, path, to, base_sha256=base_sha256, executable=executable)
    if before.sha256 == base_sha256:
        with suppress(StudioError, ValueError):  # no text, or nothing that a patch of its lines could say
            (patch,) = parse_unified(format_unified(compute(base, result), _ANY_NAME, _ANY_NAME))
            if apply_with_facts(base, patch).result == result:
                return replace(step, patch=patch)
    try:
        result.decode()
    except UnicodeDecodeError:
        return replace(step, problems=(_no_text(to or path),))
    return replace(step, content=result)


def _no_text(path: str) -> Problem:
    return Problem(
        "text.uneditable",
        f"The new content of {show_name(path)} is no text that a step could hold.",
        "Binary and undecodable files can be copied, moved or deleted, not changed.",
    )
