"""Files that no proposal may touch, known by what they are and not by their name (R126, contract 8).

A name says little: a file system folds case, a hard link or a mount gives one file two names. So every
folder and file on a path is compared, by device and inode, with those that are locked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from studio.engine.errors import AccessDenied, FileError
from studio.engine.names import CONFIGURATION_NAME, is_git_alias, show_name
from studio.engine.root.project import ProjectRoot

_Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Locked:
    """Why an entry is locked; `name` is how it is usually called."""

    code: str
    name: str
    hint: str


_GIT: Final = _Locked("path.git", "the project's .git", "Git's own files are never changed.")
_CONFIGURATION: Final = _Locked(
    "path.configuration",
    f"the project's {CONFIGURATION_NAME}",
    "Only the user changes the configuration of Exacta Studio.",
)
_BESIDE: Final = ((b".git", _GIT), (os.fsencode(CONFIGURATION_NAME), _CONFIGURATION))


class Guard:
    """Compares paths with what is locked beneath one root; what it has seen of folders it keeps.

    Make one for each plan, or each call: folders are looked at once. `locked` are paths beneath the root:
    where a `.git` file leads, git's hooks, the app's own folders.
    """

    def __init__(self, root: ProjectRoot, locked: Iterable[str] = ()) -> None:
        self._root = root
        self._everywhere: dict[_Identity, _Locked] = {}
        self._beside: dict[str, Mapping[_Identity, _Locked] | None] = {}
        for path in locked:
            with suppress(OSError):  # nothing is there, or nothing that could be reached by another name
                state = root.state(path)
                if state is not None:
                    hint = "It is locked, whatever the rules say."
                    self._everywhere[state.device, state.inode] = _Locked(
                        "path.locked", show_name(path), hint
                    )

    def check(self, path: str) -> None:
        """Refuse a path one of whose components *is* something locked, under whatever name.

        Names that some file system takes for `.git` or for the configuration are refused by the policy
        already. Raises AccessDenied, LeadsOutside for a link on the way, OSError.
        """
        parts = path.split("/")
        for count, part in enumerate(parts):
            beside = self._beside_of("/".join(parts[:count]))
            if beside is None:
                return
            if is_git_alias(part) or part == CONFIGURATION_NAME:
                continue
            if count < len(parts) - 1 and "/".join(parts[: count + 1]) in self._beside:
                continue  # compared when it was entered
            state = self._root.state("/".join(parts[: count + 1]))
            if state is None:
                return
            found = beside.get((state.device, state.inode))
            if found is not None:
                raise AccessDenied(
                    found.code,
                    f"{show_name(path)} is {found.name} under another name.",
                    found.hint,
                    path=path,
                )

    def _beside_of(self, folder: str) -> Mapping[_Identity, _Locked] | None:
        """What is locked in a folder and everywhere; None where there is no folder."""
        if folder in self._beside:
            return self._beside[folder]
        found: Mapping[_Identity, _Locked] | None
        try:
            with self._root.folder(folder) as handle:
                found = self._everywhere | _locked_in(handle)
                if not folder:
                    self._everywhere = found
        except FileError:
            raise
        except (FileNotFoundError, NotADirectoryError):
            found = None
        self._beside[folder] = found
        return found


def _locked_in(handle: int) -> dict[_Identity, _Locked]:
    found: dict[_Identity, _Locked] = {}
    for name, locked in _BESIDE:
        with suppress(OSError):
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
            found[status.st_dev, status.st_ino] = locked
    return found
