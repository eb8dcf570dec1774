"""Line blame of a file: plan, agent and reviewer, or git commit.

It names plan, agent and reviewer, or else the commit. The search goes back from the current bytes. A plan
wrote the lines that differ between its base and its result; the others are older. Lines that no plan in the
journal wrote are looked up in git.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from functools import cached_property
from itertools import groupby, islice
from time import monotonic

from msgspec.structs import replace

from studio.engine.diff import compute
from studio.engine.diff.line_diff import Change, line_count
from studio.engine.diff.line_runs import line_runs
from studio.engine.git_data import GitBlame, GitData
from studio.engine.history.inverse import stored
from studio.engine.plan import HunkRange, PersonSource
from studio.engine.project.context import Context
from studio.engine.store.path_history import WrittenStep, written_at
from studio.journal.file_image import sha256
from studio.limits import BLAMED_SECONDS, BLAMED_STEPS_UP_TO
from studio.text import Lines, diff_text
from studio.values import Value

_CLOSED = -1


class OpenLines:
    """Lines without a known origin, followed through older versions (0-based)."""

    def __init__(self, total: int) -> None:
        """Start with all lines of the current file."""
        self._lines = list(range(total))  # for each line of the version: its line in the file
        self.count = total

    def go_back(self, changes: Iterable[Change]) -> list[tuple[int, int]]:
        """Move to an older version, given the changes from there.

        Returns the lines that were added, each as line of the file and line of the newer version; they are
        then closed.
        """
        older: list[int] = []
        introduced: list[tuple[int, int]] = []
        position = 0
        for change in changes:
            older += self._lines[position : change.new_first]
            older += [_CLOSED] * change.old_count
            new = enumerate(self._lines[change.new_first : change.new_end], change.new_first)
            introduced += [(line, line_at) for line_at, line in new if line != _CLOSED]
            position = change.new_end
        older += self._lines[position:]
        self._lines = older
        self.count -= len(introduced)
        return introduced

    def at(self, first: int, count: int) -> Iterator[int]:
        """Yield the open file lines within a range of the version."""
        return (line for line in self._lines[first : first + count] if line != _CLOSED)

    def close(self, lines: Iterable[int]) -> None:
        """Mark lines of the version as having a known origin."""
        for line in lines:
            self.count -= self._lines[line] != _CLOSED
            self._lines[line] = _CLOSED


def changes_within(old: Lines, new: Lines, hunks: Sequence[HunkRange]) -> list[Change] | None:
    """Return the changes within stored hunks, as `compute` does.

    None where the two also differ outside of the hunks.
    """
    changes: list[Change] = []
    old_at = new_at = 0
    for hunk in hunks:
        old_first = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        new_first = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
        if old_first < old_at or old_first + hunk.old_lines > len(old) or new_first < new_at:
            return None
        if not _are_alike(old, new, (old_at, old_first), (new_at, new_first)):
            return None
        runs = line_runs(old.block(old_first, hunk.old_lines), new.block(new_first, hunk.new_lines))
        for at in range(0, len(runs), 4):
            old_line, old_count, new_line, new_count = runs[at : at + 4]
            changes.append(Change(old_first + old_line, old_count, new_first + new_line, new_count))
        old_at, new_at = old_first + hunk.old_lines, new_first + hunk.new_lines
    return changes if _are_alike(old, new, (old_at, len(old)), (new_at, len(new))) else None


def _are_alike(old: Lines, new: Lines, in_old: tuple[int, int], in_new: tuple[int, int]) -> bool:
    (old_first, old_end), (new_first, new_end) = in_old, in_new
    count = old_end - old_first
    return count == new_end - new_first and old.block(old_first, count) == new.block(new_first, count)


class Origin(Enum):
    """Source of the information about a line."""

    PLAN = "plan"
    GIT = "git"
    UNKNOWN = "unknown"


class BlamedLines(Value):
    """Consecutive lines with the same origin, `first` to `last` from 1.

    For a plan, `step` is the number of the step, `agent` proposed it and `who` approved it; with `is_edited`
    that reviewer wrote the lines into the result. `agent` is "" for a generated plan. For git, `commit` is in
    hex, `who` its author; with `is_boundary` it may be an older commit, which a shallow clone lacks.
    """

    first: int
    last: int
    origin: Origin = Origin.UNKNOWN
    plan_id: str | None = None
    step: int | None = None
    title: str = ""
    agent: str = ""
    who: str = ""
    seen: PersonSource | None = None
    when: datetime | None = None
    is_edited: bool = False
    commit: str | None = None
    is_boundary: bool = False


class Blame(Value):
    """Blame for all lines of a content, in order.

    `why` is the reason why git could not be read, "" where it could.
    """

    path: str
    sha256: str
    lines: tuple[BlamedLines, ...]
    why: str = ""


class _Version(Value, dict=True):
    """The file's content at one time; hash "" means no file.

    `setting` is the project's encoding.
    """

    sha256: str
    content: bytes
    setting: str | None

    @cached_property
    def lines(self) -> Lines:
        """The lines as a diff counts them."""
        return Lines(diff_text(self.content, self.setting))

    def changes_since(self, older: _Version, hunks: Sequence[HunkRange] = ()) -> Iterable[Change]:
        """Return the changes from an older version, using stored `hunks` if given."""
        found = changes_within(older.lines, self.lines, hunks) if hunks else None
        return compute(older.content, self.content, 0, self.setting).changes if found is None else found


class _LineOrigins:
    """Collected origins of the lines."""

    def __init__(self, total: int) -> None:
        self._sources = [BlamedLines(0, 0)]
        self._of_line = [0] * total

    def add(self, source: BlamedLines, lines: Iterable[int]) -> None:
        """Record the source of 0-based lines of the file."""
        number = len(self._sources)
        self._sources.append(source)
        for line in lines:
            self._of_line[line] = number

    @property
    def closed_lines(self) -> Iterator[int]:
        """The lines with a recorded source."""
        return (line for line, number in enumerate(self._of_line) if number)

    def in_order(self) -> Iterator[BlamedLines]:
        """Yield all lines, consecutive ones with the same source merged."""
        first = 1
        for number, lines in groupby(self._of_line):
            last = first + len(tuple(lines)) - 1
            yield replace(self._sources[number], first=first, last=last)
            first = last + 1


def blame(context: Context, path: str, content: bytes, git: GitData) -> Blame:
    """Return the blame for these bytes as the file at `path`."""
    setting = context.config().encoding_for(path)
    text = diff_text(content, setting)
    total = line_count(text)
    lines, found = OpenLines(total), _LineOrigins(total)
    _HistoryWalk(context, lines, found, setting).follow_back(path, content)
    why = ""
    if lines.count:
        answer = git.blame(path)
        why = git.why
        if answer is not None:
            lines = OpenLines(total)
            lines.close(found.closed_lines)
            _assign_commits(answer, text, lines, found)
    return Blame(path, sha256(content), tuple(found.in_order()), why)


class _HistoryWalk:
    """Search back through what was written at a path and its sources.

    Sources are paths that it was moved or copied from. Lines that stay open were written by no known plan.
    """

    def __init__(self, context: Context, lines: OpenLines, found: _LineOrigins, setting: str | None) -> None:
        self._context, self._lines, self._origins, self._setting = context, lines, found, setting
        self._until = monotonic() + BLAMED_SECONDS

    def follow_back(self, path: str, content: bytes) -> None:
        """Find the lines that plans wrote."""
        version = _Version(sha256(content), content, self._setting)
        steps, at = self._written_steps(path), 0
        while self._lines.count and at < len(steps) and monotonic() < self._until:
            step = steps[at]
            at += 1
            after = self._version(step.decided_sha256, version) if step.target == path else None
            if after is None:
                return  # it removed the file, or its bytes are gone: what came later has no known origin
            if after is not version:
                self._lines.go_back(version.changes_since(after))
            reverted = _reverted_step(step, steps[at:])
            if reverted is not None:
                # A reverted step restores lines that belong to their first author.
                version, at = after, steps.index(reverted) + 1
                continue
            base = self._base_of(step, after)
            if base is None:
                return
            self._record_step(step, base, after)
            version = base
            if step.op.has_target:
                path, at = step.path, 0
                steps = [older for older in self._written_steps(path) if older.position < step.position]
            elif step.base is None:
                return

    def _written_steps(self, path: str) -> Sequence[WrittenStep]:
        return tuple(islice(written_at(self._context.store.database, path), BLAMED_STEPS_UP_TO))

    def _version(self, digest: str | None, cached: _Version) -> _Version | None:
        """Return the version with a hash, from memory or the store.

        None where its bytes are gone.
        """
        if digest == cached.sha256:
            return cached
        content = stored(self._context, digest)
        return None if digest is None or content is None else _Version(digest, content, self._setting)

    def _base_of(self, step: WrittenStep, after: _Version) -> _Version | None:
        if step.base is None:
            return _Version("", b"", self._setting)
        return self._version(step.base.sha256, after)

    def _record_step(self, step: WrittenStep, base: _Version, after: _Version) -> None:
        """Record the lines of a step, marking those a reviewer edited."""
        if base is after:
            return
        is_as_proposed = step.proposed is not None and step.proposed.sha256 == after.sha256
        introduced = self._lines.go_back(after.changes_since(base, step.hunks if is_as_proposed else ()))
        source = BlamedLines(
            *(0, 0, Origin.PLAN, step.plan_id, step.number, step.title),
            *(step.agent, step.who, step.seen, step.applied),
        )
        edited = self._edited_lines(step, after)
        self._origins.add(source, (line for line, position in introduced if position not in edited))
        self._origins.add(
            replace(source, is_edited=True), (line for line, position in introduced if position in edited)
        )

    def _edited_lines(self, step: WrittenStep, after: _Version) -> Collection[int]:
        """Return the lines of a step's result missing from its proposal."""
        if not step.is_edited or step.proposed is None:
            return ()
        proposal = self._version(step.proposed.sha256, after)
        changes = () if proposal is None else after.changes_since(proposal)
        return {line for change in changes for line in range(change.new_first, change.new_end)}


def _reverted_step(step: WrittenStep, older: Sequence[WrittenStep]) -> WrittenStep | None:
    """Return the step that this one reverted completely."""
    reverted = next((each for each in older if each.id == step.undoes), None)
    return reverted if reverted is not None and reverted.base_sha256 == step.decided_sha256 else None


def _assign_commits(answer: GitBlame, text: bytes, lines: OpenLines, found: _LineOrigins) -> None:
    """Assign open lines to commits, by comparing with the file in HEAD."""
    head = answer.content
    if b"\r\n" in text and b"\r\n" not in head:
        text = text.replace(b"\r\n", b"\n")  # as git itself stores it
    lines.go_back(compute(head, text, 0).changes)
    for run in answer.lines:
        source = BlamedLines(0, 0, Origin.GIT, who=run.author, when=run.when, commit=run.commit)
        source = replace(source, is_boundary=run.is_boundary)
        found.add(source, lines.at(run.first - 1, run.count))
