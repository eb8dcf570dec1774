"""Merging of several changes of one path into one step.

What can't be merged becomes one invalid step.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from studio.engine import DraftStep, Operation, Problem
from studio.formats.limits import EDITS_UP_TO, REASON_CHARACTERS, TITLE_PATH_CHARACTERS
from studio.limits import NAMED_LINES_UP_TO, STEP_PROBLEMS_UP_TO
from studio.names import normalized, show_name

_WITH_HUNKS = (Operation.CREATE, Operation.MODIFY)


def fold(steps: Sequence[DraftStep]) -> tuple[DraftStep, ...]:
    """Merge the steps that write the same path.

    The result is at the position of the first. Diffs of lines after such diffs, edits after edits or content,
    appended text after content or appended text, a whole file written over any of them, a whole file created
    where one was deleted, and a change of mode after any of them become one step. Any other combination on
    one path has no defined order and is one invalid step.
    """
    steps = [_normalize(step) for step in steps]
    # Most texts write each path once; checking that takes a tenth of the time of grouping.
    paths = [path for step in steps for path in ((step.path,) if step.to is None else _written_paths(step))]
    if len(paths) == len(set(paths)):
        return tuple(steps)
    return tuple(_merge_group(group) for group in _group_by_path(steps))


def _normalize(step: DraftStep) -> DraftStep:
    path, to = normalized(step.path), step.to and normalized(step.to)
    return step if (path, to) == (step.path, step.to) else replace(step, path=path, to=to)


def _group_by_path(steps: Sequence[DraftStep]) -> list[list[DraftStep]]:
    leader = list(range(len(steps)))

    def leader_of(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    writer: dict[str, int] = {}
    for number, step in enumerate(steps):
        for path in _written_paths(step):
            earlier, current = leader_of(writer.setdefault(path, number)), leader_of(number)
            leader[max(earlier, current)] = min(earlier, current)
    groups: dict[int, list[DraftStep]] = {}
    for number, step in enumerate(steps):
        groups.setdefault(leader_of(number), []).append(step)
    return list(groups.values())


def _written_paths(step: DraftStep) -> tuple[str, ...]:
    if not step.path:
        return ()
    if step.op is Operation.COPY:
        return (step.to,) if step.to else ()
    return (step.path, step.to) if step.to else (step.path,)


def _merge_group(group: list[DraftStep]) -> DraftStep:
    first, *others = group
    step: DraftStep | None = first if len(group) <= EDITS_UP_TO else None
    for other in others:
        step = _combine(step, other) if step is not None else None
    if step is not None:
        return step
    if _has_order(group):
        return replace(_without_content(first), parts=tuple(group))
    problems = (problem for member in group for problem in member.problems)
    lines = dict.fromkeys(str(member.line) for member in group[:NAMED_LINES_UP_TO] if member.line is not None)
    where = f" (lines {', '.join(lines)})" if len(lines) > 1 else ""
    twice = Problem(
        "path.twice",
        f"{show_name(_shared_path(group))} is changed by {len(group):,} steps{where}.",
        "Put all changes of one file into one step.",
        line=others[0].line,
    )
    reported = Problem.shorten((twice, *problems), STEP_PROBLEMS_UP_TO)
    return replace(_without_content(first), reason=_reasons(group), problems=reported)


def _has_order(group: Sequence[DraftStep]) -> bool:
    """Return whether the steps are defined in their order.

    Their effect is computed once the files are read.
    """
    is_known = not any(step.problems or step.cells or step.op is Operation.MKDIR for step in group)
    has_removal = any(step.op in (Operation.DELETE, Operation.MOVE) for step in group)
    return is_known and has_removal and len(group) <= EDITS_UP_TO


def _without_content(step: DraftStep) -> DraftStep:
    """Return the step without its content and edits."""
    return replace(
        step, content=None, exact=None, edits=(), cells=(), patch=None, following=(), executable=None
    )


def _combine(first: DraftStep, second: DraftStep) -> DraftStep | None:
    """Return one step that does both in this order, None if impossible."""
    if first.problems or second.problems or first.path != second.path or first.to or second.to:
        return None
    if first.base_sha256 and second.base_sha256 and first.base_sha256 != second.base_sha256:
        return None
    if first.encoding != second.encoding:
        return None
    combined = replace(
        first, base_sha256=first.base_sha256 or second.base_sha256, reason=_reasons((first, second))
    )
    kinds = (first.op, second.op)
    if kinds == (Operation.MODIFY, Operation.MODIFY) and first.edits and second.edits:
        if len(first.edits) + len(second.edits) > EDITS_UP_TO:
            return None
        if first.executable is None or second.executable in (None, first.executable):
            executable = second.executable if first.executable is None else first.executable
            return replace(combined, edits=(*first.edits, *second.edits), executable=executable)
        return None
    if _has_hunks(first) and _has_hunks(second) and second.op is Operation.MODIFY:
        executable = first.executable if second.executable is None else second.executable
        assert second.patch is not None
        return replace(combined, following=(*first.following, second.patch), executable=executable)
    if kinds == (Operation.MODIFY, Operation.MODIFY) and first.cells and second.cells:
        cells = (*first.cells, *second.cells)
        return replace(combined, cells=cells) if len(cells) <= EDITS_UP_TO else None
    if kinds == (Operation.DELETE, Operation.CREATE) and first.patch is None and _is_whole(second):
        # Codex executes its sections in order, and its models rewrite a whole file so (0.171.0).
        whole = replace(second, op=Operation.MODIFY, may_exist=False, rewrites=True, line=first.line)
        return replace(whole, base_sha256=combined.base_sha256, reason=combined.reason)
    if second.may_exist and first.op in (Operation.CREATE, Operation.MODIFY) and first.patch is None:
        # The whole file is replaced: nothing of the earlier steps remains.
        return replace(second, base_sha256=combined.base_sha256, reason=combined.reason, line=first.line)
    if second.over_empty and first.op is Operation.CREATE and first.content == b"" and not first.edits:
        return replace(second, may_exist=first.may_exist, reason=combined.reason, line=first.line)
    if kinds == (Operation.CREATE, Operation.MODIFY) and first.content is not None and second.edits:
        edits = (*first.edits, *second.edits)
        return replace(combined, edits=edits) if len(edits) <= EDITS_UP_TO else None
    if kinds in ((Operation.CREATE, Operation.APPEND), (Operation.APPEND, Operation.APPEND)):
        if first.edits or second.edits:
            return None
        if first.content is None or second.content is None:
            return None
        content = first.content + second.content
        if first.op is Operation.APPEND:
            return replace(combined, content=content, ends_like_file=second.ends_like_file)
        ends_alike = not second.ends_like_file or content.endswith(b"\n") or not first.content.endswith(b"\n")
        return replace(combined, content=content if ends_alike else content + b"\n")
    changes_bytes = first.op in (Operation.CREATE, Operation.MODIFY)
    if changes_bytes and second.op is Operation.MODE and first.executable in (None, second.executable):
        return replace(combined, executable=second.executable)
    return None


def _has_hunks(step: DraftStep) -> bool:
    """Return whether a diff of lines makes the step.

    The diff has neither a new name nor binary data.
    """
    return step.patch is not None and bool(step.patch.hunks) and step.op in _WITH_HUNKS


def _is_whole(step: DraftStep) -> bool:
    """Return whether the step has its file's whole content."""
    return step.content is not None or step.exact is not None


def _shared_path(group: Sequence[DraftStep]) -> str:
    """Return the first path that two of the steps write."""
    seen: set[str] = set()
    for step in group:
        for path in _written_paths(step):
            if path in seen:
                return path
            seen.add(path)
    return group[0].path


def _reasons(group: Sequence[DraftStep]) -> str:
    return "\n".join(dict.fromkeys(step.reason for step in group if step.reason))[:REASON_CHARACTERS]


def title_for(steps: tuple[DraftStep, ...]) -> str:
    """Return a default plan title, by its first file."""
    if not steps:
        return "Change 0 files"
    # A name may be as long as the text; most of its escaped form would be cut off again.
    shown = show_name((steps[0].to or steps[0].path)[-TITLE_PATH_CHARACTERS - 1 :])
    shown = shown if len(shown) <= TITLE_PATH_CHARACTERS else f"…{shown[-TITLE_PATH_CHARACTERS:]}"
    return f"Change {shown}" + (f" and {len(steps) - 1:,} more" if steps[1:] else "")
