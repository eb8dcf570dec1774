"""Check that the commits of a text are listed oldest first.

`git log -p` prints the newest commit first, and its diffs of one file may fit in that order too, by chance.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final

from studio.engine import FilePatch, Operation, Problem
from studio.formats.diff_blocks import DiffBlock
from studio.formats.reply_text import ReplyText
from studio.names import show_name
from studio.values import Value

_HEADER = re.compile(r"^(?:commit [0-9a-f]{7,64}\b|From [0-9a-f]{40} ).*$", re.MULTILINE)
# git log --oneline, and formats that begin with the short id, directly above the diff.
_SHORT_HEADER = re.compile(r"(?:\A|.*\n)[0-9a-f]{7,64}(?: [^\n]*)?\s*\Z", re.DOTALL)
# The author's date comes first, and stays the same when commits are reordered.
_DATE = re.compile(r"^(?:Commit)?Date:[ \t]+(.*\S)", re.MULTILINE)
_NUMBER = re.compile(r"^Subject:[^\n]*\[[^\]\n]*\b([0-9]{1,9})/[0-9]+\]", re.MULTILINE)
_SECONDS = re.compile(r"([0-9]{1,11})(?: [+-][0-9]{4})?")
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: [0-7]{6})?")
_LINES_TO_INDEX = 4
"""Lines from git's index line to the first hunk header.

These are the index line itself, both names, and the header.
"""

_REVERSE: Final = "List the oldest first, as with git log -p --reverse and git format-patch --stdout."
_ONE_DIFF: Final = "Make it with git log -p --reverse --first-parent, or as one diff with git diff OLD NEW."


class _Commit(Value):
    """What the text above a diff shows of its commit.

    All fields are empty for a diff without a commit.
    """

    is_shown: bool = False
    is_mail: bool = False
    seconds: float | None = None
    number: int | None = None


class _Change(Value):
    """A file of a diff, with its order and git's blob ids.

    `place` is the index of its diff in the text.
    """

    patch: FilePatch
    place: int
    commit: _Commit
    ids: tuple[str, str] | None


def order_problems(
    reply: ReplyText, blocks: Sequence[DiffBlock], patches: Sequence[Sequence[FilePatch]]
) -> Iterator[Problem]:
    """Report each file whose commits are not listed oldest first.

    `patches` are those of each block. Without a commit's header only git's ids show an order; diffs without
    ids are taken in the order of the text.
    """
    changes: dict[str, list[_Change]] = defaultdict(list)
    for place, block_patches in enumerate(patches):
        for patch in block_patches:
            for path in patch.written_paths:
                changes[path].append(_Change(patch, place, _Commit(), None))
    several = {path for path, found in changes.items() if found[0].place != found[-1].place}
    copies = {
        patch.path
        for block_patches in patches
        for patch in block_patches
        if patch.operation is Operation.COPY
    }
    if not several and not copies & changes.keys():
        return
    commits = list(_commits(reply, blocks))
    for path, found in changes.items():
        if path in several:
            yield from _judge(path, [_with_commit(change, commits) for change in found])
    for place, block_patches in enumerate(patches):
        for patch in block_patches:
            if patch.operation is Operation.COPY and commits[place].is_shown:
                yield from _judge_copy(patch, place, changes.get(patch.path, ()))


def _with_commit(change: _Change, commits: Sequence[_Commit]) -> _Change:
    return _Change(change.patch, change.place, commits[change.place], _ids(change.patch))


def _judge(path: str, changes: Sequence[_Change]) -> Iterator[Problem]:
    commits = [change.commit for change in changes]
    follows, precedes = _chain(changes), _chain(changes[::-1])
    shown, line = show_name(path), changes[1].patch.line
    newest_first = Problem(
        "diff.commit_order",
        f"{shown} is changed by several commits, and the newest is listed first.",
        _REVERSE,
        line=line,
    )
    if follows and not precedes:
        return
    if precedes and not follows:
        yield newest_first
    elif all(commit.is_shown and not commit.is_mail for commit in commits):
        if follows is False and precedes is False:
            message = f"{shown} is changed by several commits that don't follow one another."
            yield Problem("diff.commit_order", message, _ONE_DIFF, line=line)
        elif not _ascends([commit.seconds for commit in commits]):
            if _ascends([commit.seconds for commit in commits[::-1]]):
                yield newest_first
            else:
                message = f"{shown} is changed by several commits, and nothing shows which is the oldest."
                yield Problem("diff.commit_order", message, _ONE_DIFF, line=line)
    elif any(commit.is_shown for commit in commits):
        numbers = [commit.number for commit in commits[::-1]]
        seconds = [commit.seconds for commit in commits[::-1]]
        if _ascends(numbers) or (None in numbers and _ascends(seconds)):
            yield newest_first


def _judge_copy(patch: FilePatch, place: int, changes: Sequence[_Change]) -> Iterator[Problem]:
    """Report a copy of a file that another commit changes.

    A plan copies the file as it is before the plan; a commit, as the commits before it left it.
    """
    if any(change.place != place for change in changes):
        message = f"{show_name(patch.to or '')} copies {show_name(patch.path)}, which another commit changes."
        yield Problem("diff.commit_order", message, _ONE_DIFF, line=patch.line)


def _chain(changes: Sequence[_Change]) -> bool | None:
    """Return whether each change begins with the content of the previous one.

    Returns None where an id is missing.
    """
    ids = [change.ids for change in changes]
    pairs = [pair for pair in ids if pair is not None]
    if len(pairs) < len(ids):
        return None
    # An id may be abbreviated, to another length in each commit.
    return all(
        after.startswith(before) or before.startswith(after) for (_, before), (after, _) in pairwise(pairs)
    )


def _ascends(values: Sequence[float | None]) -> bool:
    present = [value for value in values if value is not None]
    return len(present) == len(values) and all(one < other for one, other in pairwise(present))


def _ids(patch: FilePatch) -> tuple[str, str] | None:
    if patch.binary is not None:
        return patch.binary.old_id, patch.binary.new_id
    if not patch.hunks:
        return None
    hunk = patch.hunks[0]
    start = hunk.start
    for _ in range(_LINES_TO_INDEX):
        start = hunk.data.rfind(b"\n", 0, max(start - 1, 0)) + 1
    found = _INDEX.match(hunk.data, start)
    return (found[1].decode(), found[2].decode()) if found is not None else None


def _commits(reply: ReplyText, blocks: Sequence[DiffBlock]) -> Iterator[_Commit]:
    """Yield each diff's commit: the last with a header above."""
    commit = _Commit()
    end = 0
    for block in blocks:
        words = reply.text[end : block.span.start]
        end = block.span.end
        headers = list(_HEADER.finditer(words))
        if headers:
            commit = _commit(words[headers[-1].start() :])
        elif _SHORT_HEADER.fullmatch(words):
            commit = _Commit(is_shown=True)
        yield commit


def _commit(header: str) -> _Commit:
    number = _NUMBER.search(header)
    dates = _DATE.findall(header)
    return _Commit(
        is_shown=True,
        is_mail=header.startswith("From "),
        seconds=_seconds(dates[0]) if dates else None,
        number=int(number[1]) if number is not None else None,
    )


def _seconds(text: str) -> float | None:
    """Parse a time in git's formats; None if unreadable or zoneless."""
    from email.utils import parsedate_to_datetime  # hooks import this module and rarely need this one

    raw = _SECONDS.fullmatch(text)
    if raw is not None:
        return float(raw[1])
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            when = read(re.sub(r" (?=[+-]\d{4}$)", "", text) if read is datetime.fromisoformat else text)
        except (ValueError, TypeError):
            continue
        if when.tzinfo is not None:
            return when.timestamp()
    return None
