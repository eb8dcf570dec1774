"""Both sides of changed files: uncommitted, of commits, since a snapshot.

Files are only read. What can't be compared is a file with the problem that says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from studio.engine.disk import is_same, link_image
from studio.engine.disk.temporary_names import is_temporary
from studio.engine.git_data import ChangedFile, GitData, HeldObject, ObjectContents
from studio.engine.patterns import PatternList
from studio.engine.plan import WORK_TREE, Operation, Problem, Severity
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.ordered_steps import mode_after
from studio.engine.root import EntryKind, FileState, ProjectRoot
from studio.engine.snapshot_store import Difference, StoredTree, image_of
from studio.errors import Refused, StudioError
from studio.extras.snapshots.folder import SnapshotFolder
from studio.extras.snapshots.records import SnapshotRecord, find, records, tree_of
from studio.extras.snapshots.snapshots import tree_now
from studio.journal.file_image import FileImage, sha256
from studio.limits import TREE_BYTES
from studio.names import show_name
from studio.system.syscalls import creation_mask
from studio.values import Value

_LINK: Final = 0o120000
_SUBMODULE: Final = 0o160000
_PROGRAM: Final = 0o100755
_SHORT: Final = 7
"""Hex digits of a commit in a title."""

_LFS_POINTER: Final = re.compile(rb"version \S*git-lfs\S*\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\n")
"""Beginning of a pointer, as git-lfs-pointer(5) has it."""


_PRINTABLE: Final = bytes({8, 9, 10, 12, 13, 26, 27, *range(32, 127), *range(128, 256)})
"""Bytes that git counts as text."""


class Side(Value):
    """A file or link on one side.

    `data` are its bytes, or the link's target.
    """

    image: FileImage
    data: bytes


class ComparedFile(Value):
    """One path with both sides, None where it does not exist."""

    path: str
    base: Side | None
    result: Side | None
    problem: Problem | None = None
    op: Operation | None = None
    """The operation, where a problem hides the sides."""


class ComparedFiles(Value):
    """What a review is about, and the files that differ."""

    subject: str
    title: str
    files: tuple[ComparedFile, ...]
    remarks: tuple[Problem, ...] = ()


def compare_work_tree(context: Context) -> ComparedFiles | None:
    """Return what differs between HEAD and the project's files.

    None without a repository. Raises Refused where git's data can't be read, or it is more than a plan holds.
    """
    git_data = context.git_data()
    changes = git_data.work_tree_changes()
    if changes is None:
        if git_data.why:
            raise _unreadable(git_data)
        return None
    changed = [file for file in changes.files if not is_temporary(_name(file.path))]
    context.config().limits.check_steps(len(changed), is_own=True)
    contents = _read_objects(git_data, [(file.path, file.old) for file in changed])
    comparison = _DiskComparison(context, contents, has_modes=changes.has_modes)
    files = tuple(filter(None, map(comparison.compare, changed)))
    head = changes.head
    branch = show_name(head.branch) if head.branch is not None else "a detached HEAD"
    at = f" at {head.commit[:_SHORT]}" if head.commit else ", which has no commit yet"
    is_half = head.in_progress not in (None, "bisect")
    remarks = (_in_progress(head.in_progress or ""),) if is_half else ()
    return ComparedFiles(WORK_TREE, f"Uncommitted changes on {branch}{at}", files, remarks)


def compare_commits(context: Context, revisions: str) -> ComparedFiles:
    """Return what commits change, as `git diff A...B`.

    Raises Refused where there is no repository, no such commit, or it is more than a plan holds.
    """
    git_data = context.git_data()
    changes = git_data.commit_changes(revisions)
    if changes is None:
        raise _no_commits(git_data)
    context.config().limits.check_steps(len(changes.files), is_own=True)
    sides = [(file.path, side) for file in changes.files for side in (file.old, file.new)]
    objects = _Objects(context, _read_objects(git_data, sides))
    files = tuple(map(objects.compare, changes.files))
    older, newer = changes.names
    title = f"Commits of {show_name(newer)} since {show_name(older)}"
    commits = "..".join(commit[:_SHORT] for commit in changes.commits)
    return ComparedFiles(f"{older}..{newer}", f"{title} ({commits})", files)


def compare_snapshot(context: Context, folder: SnapshotFolder, wanted: str) -> ComparedFiles:
    """Return what differs between a snapshot and the files.

    `wanted` is "" for the newest one. Raises NotFound, UsageError, SnapshotError, or Refused where there is
    no snapshot.
    """
    if not folder.is_there:
        raise _no_snapshot(wanted)
    with folder.opened() as objects:
        record = find(objects, wanted) if wanted else _find_newest(records(objects))
        before, now = tree_of(objects, record), tree_now(folder, objects)
        ignored = PatternList(context.config().observe_ignore)
        differences = [
            found
            for found in before.differences(now)
            if found.path not in before.manifest.left_out
            and found.path not in now.manifest.left_out
            and not (ignored.patterns and ignored.match(found.path) is not None)
        ]
        context.config().limits.check_steps(len(differences), is_own=True)
        files = tuple(_yield_stored(before, now, differences))
    return ComparedFiles(record.id, f"Changes since snapshot “{show_name(record.name)}”", files)


def read_side(root: ProjectRoot, path: str, limit: int) -> Side | None:
    """Return the project's file or link at a path, or None.

    Raises StudioError, OSError.
    """
    state = root.state(path)
    if state is None or state.kind is EntryKind.FOLDER:
        return None
    if state.kind is EntryKind.LINK:
        target = root.link_target(path)
        return None if target is None else Side(link_image(target), target)
    data, state = root.read(path, limit)
    return Side(FileImage(sha256(data), len(data), state.mode), data)


class _Objects:
    """Sides of compared files that are objects of git."""

    def __init__(self, context: Context, contents: Mapping[tuple[str, str], ObjectContents | str]) -> None:
        self._limit = context.config().limits.file_bytes
        self._mask = creation_mask()
        self._contents = contents

    def compare(self, file: ChangedFile) -> ComparedFile:
        """Return a file that commits change."""
        base, result = (self.read(file.path, side) for side in (file.old, file.new))
        problem = next((side for side in (base, result) if isinstance(side, Problem)), None)
        if problem is None and file.converter:
            problem = _converted(file.path, file.converter)
        if isinstance(base, Problem) or isinstance(result, Problem) or problem is not None:
            op = _operation(is_there=file.old is not None, stays=file.new is not None)
            return ComparedFile(file.path, None, None, problem, op)
        return ComparedFile(file.path, base, result)

    def read(self, path: str, held: HeldObject | None, like: Side | None = None) -> Side | Problem | None:
        """Return an object as a new file, or the problem with it.

        The file is as a checkout writes it, or with the line ends of `like` where git takes both for one.
        """
        if held is None:
            return None
        if held.mode == _SUBMODULE:
            return _submodule(path)
        is_link = held.mode == _LINK
        contents = self._contents["" if is_link else path, held.object_id]
        if isinstance(contents, str):
            return _no_content(path, contents)
        if is_link:
            return Side(link_image(contents.stored), contents.stored)
        data = contents.written if like is None else _most_like(contents, like.data)
        if len(data) > self._limit:
            return _no_content(path, f"It is larger than {self._limit:,} bytes.")
        mode = (0o777 if held.mode == _PROGRAM else 0o666) & ~self._mask
        return Side(FileImage(sha256(data), len(data), mode), data)


def _most_like(contents: ObjectContents, data: bytes) -> bytes:
    """Return the object in the form that shares most lines with `data`.

    Each form is one that git takes for the object.
    """
    stored, line_ends = contents.stored, contents.line_ends
    forms = [contents.written]
    if contents.written != stored and (line_ends == "kept" or b"\r" not in stored):
        forms.append(stored)
    is_text = b"\r" not in stored and b"\0" not in stored
    if line_ends == "guessed":
        is_text = is_text and not _looks_binary(data)
    if line_ends != "kept" and is_text:
        forms.append(stored.replace(b"\n", b"\r\n"))
    if forms.count(forms[0]) == len(forms):
        return forms[0]
    lines = set(data.splitlines(True))
    return max(forms, key=lambda form: len(lines.intersection(form.splitlines(True))))


def _looks_binary(data: bytes) -> bool:
    """Return whether git guesses that a file is binary.

    Source: `gather_stats` in convert.c of git 2.39.
    """
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    unprintable = len(data.translate(None, _PRINTABLE))
    return (len(data) - unprintable) >> 7 < unprintable


def _operation(*, is_there: bool, stays: bool) -> Operation:
    if not is_there:
        return Operation.CREATE
    return Operation.MODIFY if stays else Operation.DELETE


class _DiskComparison:
    """Comparison of HEAD's objects with the project's files."""

    def __init__(
        self,
        context: Context,
        contents: Mapping[tuple[str, str], ObjectContents | str],
        *,
        has_modes: bool,
    ) -> None:
        self._root = context.root
        self._limit = context.config().limits.file_bytes
        self._objects = _Objects(context, contents)
        self._has_modes = has_modes
        self._bytes = 0

    def compare(self, file: ChangedFile) -> ComparedFile | None:
        """Return the file with both sides, None if they are alike."""
        path, stays = file.path, True
        try:
            state = self._state(path)
            stays = state is not None
            if state is not None and state.kind is EntryKind.FOLDER:
                if file.old is None or file.old.mode == _SUBMODULE:
                    return self._refuse(file, _submodule(path), stays=True)
                stays = False
            result = read_side(self._root, path, self._limit) if stays else None
        except (StudioError, OSError) as error:
            return self._refuse(file, step_problems.problems_of(path, error)[0], stays=stays)
        self._bytes += len(result.data) if result is not None else 0
        if self._bytes > TREE_BYTES:
            raise _too_large()
        base = self._objects.read(path, file.old, result)
        if isinstance(base, Problem):
            return self._refuse(file, base, stays=result is not None)
        if base is not None and (converter := file.converter or _is_pointer(base) * "lfs"):
            if _is_lfs_content(base, result):
                return None
            if result is None or not (base.data == result.data or _is_pointer(result)):
                return self._refuse(file, _converted(path, converter), stays=result is not None)
        base = self._with_mode_of(base, result)
        if is_same(base and base.image, result and result.image):
            return None
        return ComparedFile(path, base, result)

    def _state(self, path: str) -> FileState | None:
        """Return the state of a path, None beneath a link."""
        try:
            return self._root.state(path)
        except StudioError as error:
            if error.code != "path.link":
                raise
            return None

    def _refuse(self, file: ChangedFile, problem: Problem, *, stays: bool) -> ComparedFile:
        op = _operation(is_there=file.old is not None, stays=stays)
        return ComparedFile(file.path, None, None, problem, op)

    def _with_mode_of(self, base: Side | None, result: Side | None) -> Side | None:
        """Return the base with the file's bits; git has only one."""
        if base is None or result is None or base.image.is_link or result.image.is_link:
            return base
        mode, executable = result.image.mode, bool(base.image.mode & 0o100)
        if self._has_modes and executable != bool(mode & 0o100):
            mode = mode_after(mode, executable)
        return Side(replace(base.image, mode=mode), base.data)


def _read_objects(
    git_data: GitData, sides: Sequence[tuple[str, HeldObject | None]]
) -> dict[tuple[str, str], ObjectContents | str]:
    """Return the objects' bytes, or sentences why not."""
    wanted = [
        ("" if side.mode == _LINK else path, side.object_id)
        for path, side in sides
        if side is not None and side.mode != _SUBMODULE
    ]
    contents = git_data.contents(wanted)
    if contents is None:
        raise _unreadable(git_data)
    if sum(len(found.stored) for found in contents if isinstance(found, ObjectContents)) > TREE_BYTES:
        raise _too_large()
    return dict(zip(wanted, contents, strict=True))


def _yield_stored(
    before: StoredTree, now: StoredTree, differences: Sequence[Difference]
) -> Iterator[ComparedFile]:
    total = 0
    for found in differences:
        base, result = (
            None if entry is None or entry.is_folder else (entry, tree.content(entry))
            for tree, entry in ((before, found.before), (now, found.after))
        )
        if base is not None or result is not None:
            total += sum(len(side[1]) for side in (base, result) if side is not None)
            if total > TREE_BYTES:
                raise _too_large()
            yield ComparedFile(
                found.path,
                None if base is None else Side(image_of(*base), base[1]),
                None if result is None else Side(image_of(*result), result[1]),
            )


def _is_pointer(side: Side | None) -> bool:
    """Return whether a file is a pointer of Git LFS."""
    return side is not None and _LFS_POINTER.match(side.data) is not None


def _is_lfs_content(base: Side | None, result: Side | None) -> bool:
    """Return whether the file is what a pointer of Git LFS names."""
    pointer = None if base is None else _LFS_POINTER.match(base.data)
    return pointer is not None and result is not None and pointer[1].decode() == result.image.sha256


def _find_newest(stored: Sequence[SnapshotRecord]) -> SnapshotRecord:
    own = [record for record in stored if not record.is_baseline]
    if not own:
        raise _no_snapshot("")
    return own[-1]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _unreadable(git_data: GitData) -> Refused:
    return Refused(
        "review.git_unread",
        git_data.why,
        "Review the changes since a snapshot instead.",
    )


def _no_commits(git_data: GitData) -> Refused:
    why = git_data.why.removeprefix("Git data can't be read. ")
    return Refused(
        "review.no_commits",
        why or "The project is in no git repository.",
        "Name two commits or branches, as in main..feature.",
    )


def _no_snapshot(wanted: str) -> Refused:
    where = "The project has" if wanted else "The project is in no git repository and has"
    return Refused(
        "review.no_base",
        f"{where} no snapshot to compare with.",
        "Create a snapshot before the next change.",
    )


def _too_large() -> Refused:
    return Refused(
        "tree.too_large",
        f"The changes hold more than {TREE_BYTES:,} bytes, the limit of one plan.",
        "Commit some of them first.",
    )


def _submodule(path: str) -> Problem:
    return Problem(
        "file.submodule",
        f"{show_name(path)} is a submodule, a repository of its own.",
        "Open it as a project to review its changes.",
        at="target",
    )


def _no_content(path: str, why: str) -> Problem:
    return Problem(
        "review.no_content",
        f"What {show_name(path)} was before can't be read. {why}",
        "Compare it with git diff.",
        at="target",
    )


def _converted(path: str, converter: str) -> Problem:
    return Problem(
        "review.converted",
        (f"{show_name(path)} is converted by the filter {show_name(converter)}, which is not run here."),
        "Compare it with git diff.",
        at="target",
    )


def _in_progress(operation: str) -> Problem:
    return Problem(
        "review.in_progress",
        f"A {operation} is in progress: files may contain conflicts.",
        "Complete it with git, then review again.",
        Severity.WARNING,
    )
