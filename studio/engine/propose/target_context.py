"""Reader of a target file's state, extended attributes, sibling names, open editor.

It serves the facts for a reviewer: path lengths, attributes that would be lost, names that look alike.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress

from msgspec.structs import replace

from studio.engine.plan import Operation, Step
from studio.engine.risks import TargetContext, Writer
from studio.engine.risks.origin import AttributeRules, attribute_rules, attributes_of
from studio.engine.root import EntryKind, ProjectRoot, open_entry
from studio.engine.root.editor_files import HEAD_BYTES, OpenInEditor, lock_names, lock_of
from studio.errors import StudioError
from studio.limits import GIT_CONFIG_BYTES
from studio.system import syscalls

_KNOWS_NO_ATTRIBUTES = (errno.ENOTSUP, errno.EOPNOTSUPP)
_GIT_ATTRIBUTES = ".gitattributes"
_REPLACING = frozenset(Operation) - {Operation.CREATE, Operation.DELETE, Operation.MKDIR}


class TargetContextReader:
    """Target context of one plan's steps, cached for each folder."""

    def __init__(self, root: ProjectRoot, planned: Iterable[str]) -> None:
        """Store the paths that the plan's steps write, whose names count too."""
        self._root = root
        self._planned: dict[str, set[str]] = {}
        for path in planned:
            parts = path.split("/")
            for count in range(len(parts)):
                self._planned.setdefault("/".join(parts[:count]), set()).add(parts[count])
        self._names: dict[str, frozenset[str]] = {}
        self._attribute_support: dict[str, bool] = {}
        self._attribute_rules: dict[str, AttributeRules] = {}
        self._writer = _describe_process()

    def of(self, step: Step) -> TargetContext:
        """Return the target context of one step.

        Never raises: what can't be read counts as missing.
        """
        source = None
        with suppress(StudioError, OSError):
            source = self._root.state(step.path)
        is_replaced = source is not None and source.kind is EntryKind.FILE and step.op in _REPLACING
        attributes, flags = self._read_attributes(step.path) if source is not None else ((), 0)
        return TargetContext(
            source=source,
            attributes=attributes if is_replaced else (),
            flags=flags,
            target_takes_attributes=not is_replaced or self._supports_attributes(_parent_folder(step.target)),
            writer=self._writer,
            beside={folder: self._list_names(folder) for folder in _parent_folders(step.target)},
            root=str(self._root.path),
            open_in=self._open_in(step.path),
            origin=attributes_of(step.target, self._attribute_rules_in),
        )

    def _attribute_rules_in(self, folder: str) -> AttributeRules:
        """Return the rules of a folder's .gitattributes as it is on disk."""
        rules = self._attribute_rules.get(folder)
        if rules is None:
            rules = ()
            if _GIT_ATTRIBUTES in self._list_names(folder):
                path = f"{folder}/{_GIT_ATTRIBUTES}".removeprefix("/")
                with suppress(StudioError, OSError):
                    rules = attribute_rules(self._root.read_bytes(path, GIT_CONFIG_BYTES))
            self._attribute_rules[folder] = rules
        return rules

    def _open_in(self, path: str) -> OpenInEditor | None:
        above, slash, name = path.rpartition("/")
        names = self._list_names(above)
        for lock in lock_names(name):
            if lock in names:
                found = self._find_editor_lock(f"{above}{slash}{lock}", lock)
                if found is not None:
                    return replace(found, is_left=_has_ended(found))
        return None

    def _find_editor_lock(self, path: str, name: str) -> OpenInEditor | None:
        with suppress(StudioError, OSError):
            leads_to = self._root.link_target(path)
            if leads_to is not None:
                return lock_of(name, leads_to, is_link=True)
            with self._root.parent(path) as (folder, last):
                handle = open_entry(folder, last)
                try:
                    if stat.S_ISREG(os.fstat(handle).st_mode):
                        return lock_of(name, os.read(handle, HEAD_BYTES), is_link=False)
                finally:
                    os.close(handle)
        return None

    def _list_names(self, folder: str) -> Collection[str]:
        names = self._names.get(folder)
        if names is None:
            found: frozenset[str] = frozenset()
            with suppress(StudioError, OSError):
                found = frozenset(entry.name for entry in self._root.list_folder(folder))
            names = self._names[folder] = found | self._planned.get(folder, set())
        return names

    def _read_attributes(self, path: str) -> tuple[Collection[str], int]:
        """Return the names of a file's extended attributes, and its inode flags."""
        if not hasattr(os, "listxattr"):
            return (), 0
        flags = 0
        with suppress(StudioError, OSError), self._root.parent(path) as (folder, name):
            handle = open_entry(folder, name)
            try:
                flags = syscalls.inode_flags(handle)
                return os.listxattr(handle), flags
            finally:
                os.close(handle)
        return (), flags

    def _supports_attributes(self, folder: str) -> bool:
        """Return whether a folder's file system supports extended attributes.

        A missing folder has the answer of the nearest existing one.
        """
        takes = self._attribute_support.get(folder)
        if takes is None:
            takes = self._attribute_support[folder] = self._query_attributes(folder)
        return takes

    def _query_attributes(self, folder: str) -> bool:
        if not hasattr(os, "listxattr"):
            return False
        try:
            with self._root.folder(folder) as handle:
                os.listxattr(handle)
        except FileNotFoundError:
            return self._supports_attributes(_parent_folder(folder)) if folder else True
        except StudioError:
            return True
        except OSError as error:
            return error.errno not in _KNOWS_NO_ATTRIBUTES
        return True


def _describe_process() -> Writer | None:
    if not hasattr(os, "geteuid"):
        return None
    return Writer(os.geteuid(), frozenset((os.getegid(), *os.getgroups())))


def _has_ended(editor: OpenInEditor) -> bool:
    """Return whether the process that made a lock on this machine ended."""
    if not hasattr(os, "uname") or editor.host != os.fsencode(os.uname().nodename) or not editor.process:
        return False
    try:
        os.kill(editor.process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # another user's process, or an invalid process id
        return False
    return False


def _parent_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _parent_folders(path: str) -> Iterable[str]:
    """Return every parent folder of a path, the root first."""
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(len(parts)))
