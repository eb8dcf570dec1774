"""Git blame for a file in HEAD, refused where objects are missing."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Final

from studio.limits import FILE_BYTES
from studio.names import show_name
from studio.system.git_library import loadable

with loadable():
    import pygit2

_PARTIAL: Final = (
    "This partial clone is missing older objects; `git fetch --refetch --no-filter` fetches them."
)
_SHALLOW: Final = "This shallow clone is missing older commits; `git fetch --unshallow` fetches them."
_MISSING: Final = "Git objects are missing; `git fsck` lists them."


class CannotRead(Exception):
    """No answer is possible; the message is a sentence that explains it."""


def blame_file(
    repository: pygit2.Repository, shared_folder: Path, path: str, name: str
) -> dict[str, object] | None:
    """Return a file's content in HEAD (base64) and its blame.

    Each run of lines has its first line (from 1), count, commit, author, time, and whether the commit's
    parents are beyond a shallow boundary. None where HEAD has no such file. Raises CannotRead, and what
    pygit2 raises.
    """
    if repository.head_is_unborn:
        return None
    missing_objects = _MissingObjects()
    repository.odb.add_backend(missing_objects, 0)  # the lowest priority: read only for what all others lack
    try:
        answer = _blame(repository, path, name)
    except KeyError as error:
        raise CannotRead(_explain_failure(repository, shared_folder)) from error
    except pygit2.GitError as error:
        if not missing_objects.any:
            raise
        raise CannotRead(_explain_failure(repository, shared_folder)) from error
    # libgit2 1.9 treats a parent whose objects are missing as one without the file, and attributes its lines
    # to the newer commit without an error.
    if missing_objects.any:
        raise CannotRead(_explain_failure(repository, shared_folder))
    return answer


def _blame(repository: pygit2.Repository, path: str, name: str) -> dict[str, object] | None:
    tree = repository.head.peel(pygit2.Tree)
    blob = _blob_at(repository, tree, path)
    if blob is None:
        return None
    if blob.size > FILE_BYTES:
        raise CannotRead(f"{show_name(name)} is too large for git.")
    lines: list[tuple[int, int, str, str, int, bool]] = []
    boundaries: dict[pygit2.Oid, bool] = {}
    for run in repository.blame(path):
        author = run.final_committer  # pygit2's name for it: libgit2 returns the author
        author_name = "" if author is None else author.raw_name.decode("utf-8", "replace")
        moment = 0 if author is None else author.time
        commit = run.final_commit_id
        if commit not in boundaries:
            boundaries[commit] = _is_boundary(repository, commit)
        position = (run.final_start_line_number, run.lines_in_hunk)
        lines.append((*position, str(commit), author_name, moment, boundaries[commit]))
    return {"content": b64encode(blob.data).decode(), "lines": lines}


def _blob_at(repository: pygit2.Repository, tree: pygit2.Tree, path: str) -> pygit2.Blob | None:
    """Return a file of a tree; None where there is none.

    Raises KeyError for a missing object.
    """
    *folders, name = path.split("/")
    for folder in folders:
        found = repository[tree[folder].id] if _has(tree, folder, pygit2.enums.FileMode.TREE) else None
        if not isinstance(found, pygit2.Tree):
            return None
        tree = found
    is_file = _has(tree, name, pygit2.enums.FileMode.BLOB, pygit2.enums.FileMode.BLOB_EXECUTABLE)
    blob = repository[tree[name].id] if is_file else None
    return blob if isinstance(blob, pygit2.Blob) else None


def _has(tree: pygit2.Tree, name: str, *modes: pygit2.enums.FileMode) -> bool:
    return name in tree and tree[name].filemode in modes


def _is_boundary(repository: pygit2.Repository, commit: pygit2.Oid) -> bool:
    """Return whether the commit has parents that a shallow clone hides.

    `BlameHunk.boundary` of pygit2 1.21 is also true for a root commit.
    """
    header = repository.odb.read(commit)[1].partition(b"\n\n")[0]
    parents = sum(line.startswith(b"parent ") for line in header.split(b"\n"))
    return parents > len(repository[commit].peel(pygit2.Commit).parent_ids)


class _MissingObjects(pygit2.OdbBackend):
    """An object database without objects that records whether any was read."""

    any = False

    def read_cb(self, oid: pygit2.Oid | str) -> tuple[int, bytes]:
        self.any = True
        raise KeyError(oid)

    def read_header_cb(self, oid: pygit2.Oid | str) -> tuple[int, int]:
        self.any = True
        raise KeyError(oid)

    def read_prefix_cb(self, oid: pygit2.Oid | str) -> tuple[int, bytes, pygit2.Oid]:
        # pygit2 calls this for each name it resolves, to find ambiguous ones.
        raise KeyError(oid)

    def exists_cb(self, _oid: pygit2.Oid | str) -> bool:
        return False

    def exists_prefix_cb(self, oid: pygit2.Oid | str) -> pygit2.Oid:
        raise KeyError(oid)

    def refresh_cb(self) -> None:
        """Do nothing: nothing is cached."""


def _explain_failure(repository: pygit2.Repository, shared_folder: Path) -> str:
    config = repository.config
    is_partial = "extensions.partialclone" in config or any(
        each.name.startswith("remote.") and each.name.endswith(".promisor") for each in config
    )
    if is_partial:
        return _PARTIAL
    return _SHALLOW if (shared_folder / "shallow").exists() else _MISSING
