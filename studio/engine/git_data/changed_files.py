"""Files that differ from HEAD or between commits, and their contents.

Only for the process of `worker`. Nothing that a project configures is run, and the index is not written.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.git_data.blame import CannotRead
from studio.engine.git_data.index_file import read_index_paths
from studio.engine.git_data.value_types import LineEnds
from studio.engine.root.foreign_file import read_foreign_file
from studio.limits import PATH_BYTES, TREE_BYTES
from studio.names import show_name
from studio.system.git_library import loadable

with loadable():
    import pygit2

_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""Bytes after which an answer ends; the rest is asked for again."""

_CONVERTING: Final = ("text", "crlf", "eol", "ident")
_MISSING: Final = "The object is missing here, as in a partial clone."
_TOO_LARGE: Final = "It is too large for git."


def paths_to_compare(repository: pygit2.Repository) -> list[bytes]:
    """Return the tracked paths that may differ from HEAD, sorted.

    For an index that libgit2 can't read these are all.
    """
    try:
        status = repository.status(untracked_files="no")
    except pygit2.GitError:
        index = read_index_paths(repository)
        paths = index.files | frozenset(_yield_head_paths(repository))
    else:
        paths = frozenset(os.fsencode(path) for path, flags in status.items() if flags)
        if not paths:
            return []
        index = read_index_paths(repository)
    folders = tuple(path for path in index.skipped if path.endswith(b"/"))
    return sorted(path for path in paths - index.skipped if not path.startswith(folders))


def _yield_head_paths(repository: pygit2.Repository) -> Iterator[bytes]:
    pending = [] if repository.head_is_unborn else [(b"", repository.head.peel(pygit2.Tree))]
    while pending:
        prefix, tree = pending.pop()
        for entry in tree:
            path = prefix + (entry.raw_name or b"")
            if isinstance(entry, pygit2.Tree):
                pending.append((path + b"/", entry))
            else:
                yield path


def has_modes(repository: pygit2.Repository) -> bool:
    """Return whether git compares the executable bit of files."""
    config = repository.config
    return "core.filemode" not in config or config.get_bool("core.filemode")


def between(
    repository: pygit2.Repository, revisions: str
) -> tuple[tuple[str, str], tuple[str, str], list[tuple[str, tuple[int, str, int, str]]]]:
    """Return what commits change: names, commits, modes and ids by path.

    The older commit is the newest that both have in common. A single name is compared with HEAD, on its side
    of that commit. Raises CannotRead.
    """
    first, dots, last = revisions.partition("..")
    names = (first or "HEAD", last.removeprefix(".") or "HEAD") if dots else ("HEAD", revisions)
    one, other = (_find_commit(repository, name) for name in names)
    base = repository.merge_base(one.id, other.id)
    if not base:
        raise CannotRead(f"{show_name(names[0])} and {show_name(names[1])} have no commit in common.")
    if not dots and base == other.id:
        names, other = (revisions, "HEAD"), one
    older = repository[base].peel(pygit2.Commit)
    changes: dict[str, list[tuple[int, str]]] = {}
    for delta in older.tree.diff_to_tree(other.tree).deltas:
        # A file that becomes a link is two deltas.
        for side, file in enumerate((delta.old_file, delta.new_file)):
            if file.mode:
                sides = changes.setdefault(os.fsdecode(file.raw_path), [(0, ""), (0, "")])
                sides[side] = (int(file.mode), str(file.id))
    listed = [(path, (*old, *new)) for path, (old, new) in sorted(changes.items())]
    return names, (str(older.id), str(other.id)), listed


def _find_commit(repository: pygit2.Repository, name: str) -> pygit2.Commit:
    try:
        return repository.revparse_single(name).peel(pygit2.Commit)
    except (KeyError, ValueError, pygit2.GitError) as error:
        raise CannotRead(f"There is no commit {show_name(name)}.") from error


def converters(repository: pygit2.Repository, paths: Sequence[str]) -> list[str]:
    """Return what git would run to convert each file, "" for nothing.

    That is a filter, or the encoding that the work tree has instead of UTF-8.
    """
    if not has_attributes(repository, paths):
        return [""] * len(paths)
    return [_converter(repository, os.fsencode(path)) for path in paths]


def _converter(repository: pygit2.Repository, path: bytes) -> str:
    for name in ("filter", "working-tree-encoding"):
        value = _attribute(repository, path, name)
        if isinstance(value, str) and value.upper() not in ("UTF-8", "UTF8"):
            return value
    return ""


def shared_folder(repository: pygit2.Repository) -> Path:
    """Return the folder that linked worktrees share."""
    folder = Path(repository.path)
    try:
        return folder / os.fsdecode(read_foreign_file(folder / "commondir", PATH_BYTES).rstrip(b"\r\n"))
    except FileNotFoundError:
        return folder


def has_attributes(repository: pygit2.Repository, paths: Iterable[str]) -> bool:
    """Return whether any file of attributes may apply to these paths.

    Asking libgit2 takes 14 microseconds for each path and attribute: 70 ms for 600 files.
    """
    if "core.attributesfile" in repository.config:
        return True
    folders = {above for path in paths for above in PurePosixPath(path).parents}
    user = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git/attributes"
    general = (shared_folder(repository) / "info/attributes", user, Path("/etc/gitattributes"))
    if any(map(os.path.lexists, general)):
        return True
    names = [folder / ".gitattributes" for folder in folders]
    if any(os.path.lexists(Path(repository.workdir, name)) for name in names):
        return True
    try:
        return any(str(name) in repository.index for name in names)
    except pygit2.GitError:
        return True


def _attribute(repository: pygit2.Repository, path: bytes, name: str) -> bool | str | None:
    """Return an attribute.

    None as well where libgit2 can't read the index, which it needs.
    """
    try:
        return repository.get_attr(path, name)
    except pygit2.GitError:
        return None


def contents(
    repository: pygit2.Repository, objects: Sequence[tuple[str, str]]
) -> list[tuple[str, str, LineEnds, str]]:
    """Return the fields of `ObjectContents` in base64, or why there are none.

    What a checkout writes is "" where it is the same. A symbolic link has the path "", since git does not
    convert it. There may be fewer than objects, but one at least.
    """
    general, total = _general_line_ends(repository), 0
    has_any = has_attributes(repository, (path for path, _ in objects))
    found: list[tuple[str, str, LineEnds, str]] = []
    for path, object_id in objects:
        blob = repository.get(object_id)
        if not isinstance(blob, pygit2.Blob):
            found.append(("", "", "kept", _MISSING))
        elif blob.size > TREE_BYTES:
            found.append(("", "", "kept", _TOO_LARGE))
        else:
            values = {name: _attribute(repository, os.fsencode(path), name) for name in _CONVERTING * has_any}
            line_ends = _line_ends(values, general) if path else "kept"
            written = _written(blob, path) if line_ends != "kept" or values.get("ident") else ""
            total += blob.size
            found.append((b64encode(blob.data).decode(), written, line_ends, ""))
        if total > _ANSWER_BYTES:
            break
    return found


def _general_line_ends(repository: pygit2.Repository) -> LineEnds:
    """Return what `core.autocrlf` says of files without an attribute."""
    config = repository.config
    if "core.autocrlf" not in config:
        return "kept"
    if (config["core.autocrlf"] or "").lower() == "input":
        return "guessed"
    try:
        return "guessed" if config.get_bool("core.autocrlf") else "kept"
    except pygit2.GitError:
        return "kept"


def _line_ends(values: Mapping[str, bool | str | None], general: LineEnds) -> LineEnds:
    """Return whether git converts a file's line ends, as gitattributes(5) has it."""
    text = values.get("text")
    if text is None:
        text = values.get("crlf")  # its name until git 1.7.2
    if text is None:
        return "converted" if values.get("eol") else general
    if text == "auto":
        return "guessed"
    return "kept" if text is False else "converted"


def _written(blob: pygit2.Blob, path: str) -> str:
    """Return the bytes that a checkout writes, in base64.

    "" where they are those of the object. A conversion takes 0.3 ms for each file, ten times the reading.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        # pygit2 1.21 converts only beneath a name that is UTF-8.
        return ""
    with pygit2.BlobIO(blob, as_path=path) as stream:
        written = stream.read()
    return "" if written == blob.data else b64encode(written).decode()
