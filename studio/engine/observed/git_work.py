"""Changes that git made: what is there now is what the commit holds that it moved to (design 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from studio.engine.git_data import GitData, Head, HeldObject
from studio.engine.names import show_name
from studio.engine.observed.comparison import Recent
from studio.engine.observed_change import GroupKind

_MOVING = ("am", "checkout", "cherry-pick", "clone", "merge", "pull", "rebase", "reset", "revert")
"""What a line of HEAD's log begins with where git has changed files; a commit changes none."""

_STASH = "stash"
_STASHED = "git stash"


def words_of(head: Head | None) -> Mapping[str, str | None]:
    """What git says, as it is kept until the next look."""
    return {} if head is None else asdict(head)


def made_by_git(
    git: GitData, before: Mapping[str, str | None], head: Head | None, recent: Sequence[Recent]
) -> tuple[str, frozenset[str]]:
    """A name for what git did since it said `before`, and the ids of the changes that are its work."""
    if head is None or not recent or words_of(head) == before:
        return "", frozenset()
    paths = sorted({path for each in recent for path in each.change.paths})
    for name, commit in _moves(before, head):
        held = git.blobs_at(commit, paths)
        if held is None:
            continue
        made = frozenset(
            each.change.id
            for each in recent
            if _is_as_held(each, held) and not (name.startswith(_STASHED) and _is_of_git(each))
        )
        if made:
            return name, made
    return "", frozenset()


def _moves(before: Mapping[str, str | None], head: Head) -> Iterator[tuple[str, str]]:
    """What git may have done, and the commit whose files are there then."""
    stash = before.get(_STASH)
    if head.commit is not None and head.stash is not None and head.stash != stash:
        yield _STASHED, head.commit
    keys = ("commit", "action", "in_progress")
    is_moved = (head.commit, head.action, head.in_progress) != tuple(before.get(key) for key in keys)
    if head.commit is not None and is_moved and head.action.startswith(_MOVING):
        yield f"git {show_name(head.action)}", head.commit
    if stash is not None and head.stash != stash:
        yield f"{_STASHED} pop", stash


def _is_of_git(each: Recent) -> bool:
    """Whether it is told as git's already: a stash comes and goes on top of what a checkout left."""
    return each.change.group is not None and each.change.group.kind is GroupKind.GIT


def _is_as_held(each: Recent, held: Mapping[str, HeldObject]) -> bool:
    change = each.change
    if change.to is not None and change.path in held:
        return False
    there = held.get(change.target)
    if each.object_id is None:
        return there is None
    return there is not None and there.object_id == each.object_id.hex()
